/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What one side measured at one point: integers, and the percentiles of its histogram.
 * worker_result.c and point.c make it; the message done carries it; rows are made of it.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdint.h>

#include "device/counters.h"
#include "options/choices.h"
#include "place/affinity_report.h"
#include "util/err.h"
#include "util/fairness.h"
#include "util/field.h"
#include "util/histogram.h"
#include "worker/steady.h"

#define RESULT_REASON 512
#define RESULT_BUFFERS 64

enum result_status { RESULT_OK, RESULT_INCOMPLETE, RESULT_FAILED, RESULT_SKIPPED,
		     RESULT_INTERRUPTED };

extern const char *const result_status_names[]; /* ok incomplete failed skipped, NULL */

/* Of samples of round trips or of completions. */
#define FIELD FIELD_DECLARE
struct result_lat {
#include "worker/result_lat.def"
};

#define FIELD FIELD_DECLARE
#define FIELD_TEXT_ROW FIELD_DECLARE_TEXT
struct result {
#include "worker/result.def"
};

extern const struct field_table result_table, result_lat_table;

/* Samples one by one, in ticks. Of an open loop each is two: response time, service time. */
struct result_samples {
	uint64_t *ticks;      /* owned; NULL: none are kept */
	uint64_t n, measured; /* samples that are kept; that there were */
	double ns_per_tick;   /* of half a round trip, where a sample is that */
	bool open;
};

/* The same side, thread by thread and QP by QP; does not travel. */
struct result_detail {
	uint32_t n_threads, n_qps; /* QPs per thread; 0: a side without a loop */
	struct result *threads;    /* owned, as the counts: result_detail_free() */
	uint64_t *sent, *received; /* of QP qp of thread t: [t * n_qps + qp] */
	struct histogram *latency; /* of the samples that the row has, in ps; NULL: none; owned */
	struct result_samples kept;
};

/* Accepts a zeroed one. */
void result_detail_free(struct result_detail *detail);

/* Nothing counted, nothing measured. */
void result_clear(struct result *result);

/*
 * Adds a thread's result to the sum of those before it, as the merge of each row says; the reason
 * is the first one of the worst status.
 */
void result_add(struct result *sum, const struct result *one);

#endif
