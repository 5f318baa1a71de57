/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* format_pingpong: golden text of the lines, also of lost round trips and of runs that fail. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "write/output.h"

static struct plan plan;
static struct limits limits;

static void fill_row(struct row *row)
{
	row_init(row);
	row->size_bytes = 4096;
	row->lat_samples = 1000;
	row->window_ns = 20000000;
	row->status = RESULT_OK;
}

/* What is printed of a run; to be freed. */
static char *print(enum pattern pattern, const struct row *row)
{
	const struct event_plan run = { .plan = &plan, .self = &limits, .peer = &limits };
	struct ep_qp_id own_qp = { .qpn = 0x11, .psn = 0xabcdef };
	struct ep_qp_id peer_qp = { .qpn = 0x10012, .psn = 0x1 };
	const struct ep_addr own = { .lid = 1, .n_qps = 1, .qps = &own_qp };
	const struct ep_addr peer = {
		.lid = 0xffff, .n_qps = 1, .qps = &peer_qp,
		.gid = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2 },
	};
	const struct event_endpoint ends = { &own, &peer };
	char *text = NULL;
	void *state = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	plan.work.pattern = pattern;
	plan.work.test = pattern == PATTERN_PINGPONG ? TEST_SEND_LAT : TEST_WRITE_BW;
	assert_int_equal(output_begin(&state, &format_pingpong,
				      &(struct format_file){ .out = out }), 0);
	format_pingpong.take(state, &(struct event){ EVENT_PLAN, .plan = &run });
	format_pingpong.take(state, &(struct event){ EVENT_ENDPOINT, .endpoint = &ends });
	format_pingpong.take(state, &(struct event){ EVENT_ROW, .row = row });
	assert_int_equal(output_end(state, &format_pingpong), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

#define ADDRESSES \
	"  local address:  LID 0x0001, QPN 0x000011, PSN 0xabcdef, GID ::\n" \
	"  remote address: LID 0xffff, QPN 0x010012, PSN 0x000001, GID ::ffff:10.0.0.2\n"
#define FIGURES \
	"8192000 bytes in 0.020000 seconds = 3276.80 Mbit/sec\n" \
	"1000 iters in 0.020000 seconds = 20.000 usec/iter\n"

static void lines_of_a_run(void **state)
{
	struct row row;
	char *text;

	(void)state;
	fill_row(&row);
	text = print(PATTERN_PINGPONG, &row);
	assert_string_equal(text, ADDRESSES FIGURES);
	free(text);
}

static void lost_round_trips_are_no_iters(void **state)
{
	struct row row;
	char *text;

	(void)state;
	fill_row(&row);
	row.lost = 3;
	row.messages = 1003;
	text = print(PATTERN_PINGPONG, &row);
	assert_string_equal(text, ADDRESSES FIGURES
			    "3 more iters timed out; their time is in the seconds\n");
	free(text);
}

static void a_run_that_fails(void **state)
{
	struct row row;
	char *text;

	(void)state;
	fill_row(&row);
	row.lat_samples = ROW_NONE;
	row.window_ns = ROW_NONE;
	row.status = RESULT_FAILED;
	snprintf(row.reason, sizeof(row.reason), "a \033reason");
	text = print(PATTERN_PINGPONG, &row);
	assert_string_equal(text, ADDRESSES "no round trip was measured\nfailed: a  reason\n");
	free(text);
}

/* A server prints the lines of ping-pongs only. */
static void another_test(void **state)
{
	struct row row;
	char *text;

	(void)state;
	fill_row(&row);
	text = print(PATTERN_STREAM, &row);
	assert_string_equal(text, "the client runs write_bw, which is no ping-pong\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_run),
		cmocka_unit_test(lost_round_trips_are_no_iters),
		cmocka_unit_test(a_run_that_fails),
		cmocka_unit_test(another_test),
	};

	return cmocka_run_group_tests_name("format_pingpong", tests, NULL, NULL);
}
