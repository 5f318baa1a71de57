/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the spellings of a result's status, used by proto.c on the wire, by rows and tables; and the
 * sum of results. Holds no state.
 */
#include "config.h"
#include "loop/result.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/choices.h"

const char *const result_status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_INCOMPLETE] = "incomplete",
	[RESULT_FAILED] = "failed",
	[RESULT_SKIPPED] = "skipped",
	NULL,
};

void result_detail_free(struct result_detail *detail)
{
	free(detail->threads);
	free(detail->sent);
	free(detail->received);
	memset(detail, 0, sizeof(*detail));
}

void result_clear(struct result *r)
{
	memset(r, 0, sizeof(*r));
	r->duplicated = UINT64_MAX;
	r->out_of_order = UINT64_MAX;
	r->verified = UINT64_MAX;
	r->locks = LOCKS_OFF_ALL;
	r->affinity.hca_node = r->affinity.distance = r->affinity.mem_distance = TOPO_NONE;
	r->qp_sent = r->qp_received = r->thread_tx = r->thread_rx = fairness_none;
}

/* UINT64_MAX: not known; the first that is known begins the sum. */
static void add_known(uint64_t *sum, uint64_t one)
{
	if (one != UINT64_MAX)
		*sum = *sum == UINT64_MAX ? one : *sum + one;
}

void result_add(struct result *sum, const struct result *one)
{
	/* failed is worse than left because another has failed */
	if (one->status > sum->status) {
		sum->status = one->status;
		memcpy(sum->reason, one->reason, sizeof(sum->reason));
	}
	sum->sent += one->sent;
	sum->received += one->received;
	sum->lost += one->lost;
	add_known(&sum->duplicated, one->duplicated);
	add_known(&sum->out_of_order, one->out_of_order);
	add_known(&sum->verified, one->verified);
	sum->locks &= one->locks;
	sum->polls += one->polls;
	sum->empty_polls += one->empty_polls;
	sum->events += one->events;
	sum->spurious_events += one->spurious_events;
	sum->lost_events += one->lost_events;
	sum->credit_stalls += one->credit_stalls;
	sum->cpu_ns += one->cpu_ns;
	sum->voluntary_switches += one->voluntary_switches;
	sum->involuntary_switches += one->involuntary_switches;
	if (!sum->lat.samples)
		sum->lat = one->lat;
}
