/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* row/limiter.c: rows of which one thing is evident, and rows of which nothing is. */
#include "config.h"
#include "row/limiter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define NONE ((enum row_limiter)UINT32_MAX)

/* A stream of 1 s at half of a 100 Gbit/s link: nothing is evident. */
static struct row usual(void)
{
	struct row row;

	row_init(&row);
	row.pattern = PATTERN_STREAM;
	row.transport = TP_RC;
	row.threads = 2;
	row.size_bytes = 65536;
	row.messages = 100000;
	row.window_ns = 1000000000;
	row.bandwidth_gbit_s = 52.4;
	row.bandwidth_pct_of_link = 52.4;
	row.cpu_ns = 990000000;
	row.polls = 1000000;
	row.empty_polls = 900000;
	row.retransmissions = row.peer_retransmissions = 0;
	row.cpu_wait_pct = row.peer_cpu_wait_pct = 1;
	row.pcie_gbit_s = row.peer_pcie_gbit_s = 126;
	return row;
}

static void full_link(struct row *row)
{
	row->bandwidth_gbit_s = row->bandwidth_pct_of_link = 95;
}

static void below_link(struct row *row)
{
	row->bandwidth_gbit_s = row->bandwidth_pct_of_link = 94.9;
}

static void pcie(struct row *row)
{
	row->peer_pcie_gbit_s = 61.6; /* 85 % are 52.36 */
}

static void below_pcie(struct row *row)
{
	row->pcie_gbit_s = 61.7;
}

static void pcie_of_latency(struct row *row)
{
	pcie(row);
	row->pattern = PATTERN_PINGPONG;
}

static void no_rate(struct row *row)
{
	full_link(row);
	row->bandwidth_gbit_s = NAN;
}

static void loss(struct row *row)
{
	row->peer_retransmissions = 100;
}

static void little_loss(struct row *row)
{
	row->retransmissions = 99;
}

static void loss_of_others(struct row *row)
{
	row->retransmissions = 1000;
	row->transport = TP_UD;
}

static void unknown_loss(struct row *row)
{
	row->retransmissions = row->peer_retransmissions = ROW_NONE;
}

static void rnr(struct row *row)
{
	strcpy(row->peer_device_counters, "out_of_buffer=60 rnr_naks_rcvd=40 port_rcv_data=5000");
}

static void little_rnr(struct row *row)
{
	strcpy(row->device_counters, "rnr_nak_retry_err=99 port_xmit_data=5000");
}

static void waits(struct row *row)
{
	row->peer_cpu_wait_pct = 10;
}

static void stolen(struct row *row)
{
	row->steal_pct = 12;
}

static void core(struct row *row)
{
	row->threads = 1;
	row->size_bytes = 64;
	row->bandwidth_gbit_s = row->bandwidth_pct_of_link = 3;
	row->empty_polls = 200000;
}

static void idle_core(struct row *row)
{
	core(row);
	row->empty_polls = 200001;
}

static void sleeping_core(struct row *row)
{
	core(row);
	row->cpu_ns = 900000000;
}

static void core_without_loop(struct row *row)
{
	core(row);
	row->cpu_ns = row->polls = row->empty_polls = ROW_NONE;
}

static void far(struct row *row)
{
	row->peer_placement = TOPO_FAR;
}

static void far_small(struct row *row)
{
	row->placement = TOPO_FAR;
	row->size_bytes = 64;
}

static void many(struct row *row)
{
	loss(row);
	rnr(row);
	far(row);
}

static void nothing(struct row *row)
{
	row_init(row);
}

static void same(struct row *row)
{
	(void)row;
}

static void test_table(void **state)
{
	static const struct {
		void (*change)(struct row *row);
		enum row_limiter limiter;
	} cases[] = {
		{ same, NONE }, { nothing, NONE }, { full_link, LIMITER_LINK },
		{ below_link, NONE },
		{ pcie, LIMITER_PCIE }, { below_pcie, NONE }, { pcie_of_latency, NONE },
		{ no_rate, NONE }, { loss, LIMITER_LOSS }, { little_loss, NONE },
		{ loss_of_others, NONE }, { unknown_loss, NONE }, { rnr, LIMITER_RNR },
		{ little_rnr, NONE }, { waits, LIMITER_CPU_SHARE }, { stolen, LIMITER_CPU_SHARE },
		{ core, LIMITER_ONE_CORE }, { idle_core, NONE }, { sleeping_core, NONE },
		{ core_without_loop, NONE }, { far, LIMITER_FAR_MEMORY }, { far_small, NONE },
		{ many, LIMITER_LOSS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct row row = usual();

		cases[i].change(&row);
		if (limiter_of(&row, true) != cases[i].limiter)
			fail_msg("case %zu is %u", i, limiter_of(&row, true));
	}
}

/* What can be passed without the link is not limited by it. */
static void test_no_link(void **state)
{
	struct row row = usual();

	(void)state;
	full_link(&row);
	row.pcie_gbit_s = row.peer_pcie_gbit_s = NAN;
	assert_int_equal(limiter_of(&row, false), NONE);
	for (enum row_limiter l = 0; l <= LIMITER_FAR_MEMORY; l++)
		assert_true(row_limiter_names[l][0]);
	assert_null(limiter_sentence(NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_no_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
