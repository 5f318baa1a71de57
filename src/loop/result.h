/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What one side measured at one point: raw integers and the figures of its histogram. Made
 * by worker.c and point.c, travels in the done message, becomes rows.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/fairness.h"
#include "topo/topo_hca.h"

#define RESULT_REASON 512
#define RESULT_LIST 512

enum result_status { RESULT_OK, RESULT_INCOMPLETE, RESULT_FAILED, RESULT_SKIPPED };

extern const char *const result_status_names[]; /* ok incomplete failed skipped, NULL */

/* In ns, of samples of round trips or of completions; NAN where too few samples support one. */
struct result_lat {
	uint64_t samples;       /* 0: no latency measured */
	double min_ns, p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns, max_ns, mean_ns, stdev_ns;
};

/* Where this side's threads and memory were, by the kernel's word (affinity.h). Lists as "0-3,8". */
struct result_affinity {
	char cpus[RESULT_LIST], nodes[RESULT_LIST]; /* "": no loop on this side, or not told */
	char mem_nodes[RESULT_LIST];
	uint32_t hca_node;        /* TOPO_NONE as all below: not known */
	uint32_t distance, mem_distance; /* from the HCA, the farthest one's */
	enum topo_near placement;
	char warnings[256];
};

struct result {
	enum result_status status;
	char reason[RESULT_REASON];
	uint32_t locks;           /* enum locks bits: the queues had none of these */
	uint64_t page_bytes;      /* of the pages behind this side's buffers, the smallest */

	/* what this side initiated */
	uint64_t sent;            /* requests whose completion was seen without error */
	uint64_t tx_window_ns;    /* first post to last completion; 0 none */
	/* what reached this side by receives */
	uint64_t received;
	uint64_t rx_window_ns;    /* just before the first arrival to the last; 0 none */
	uint64_t lost;            /* latency over UC, UD: round trips timed out */
	uint64_t duplicated;      /* by immediate data; UINT64_MAX: cannot be told */
	uint64_t out_of_order;    /* by immediate data; UINT64_MAX: cannot be told */

	uint64_t polls, empty_polls, events, spurious_events;
	uint64_t lost_events;     /* of this side alone: it does not travel */
	uint64_t credit_stalls;   /* times a sender found no credit and had to wait */
	uint64_t verified;        /* messages with checked payload; UINT64_MAX: not asked */
	struct result_lat lat;
	uint64_t cpu_ns;          /* of the measuring threads, each over its loop */
	uint64_t voluntary_switches, involuntary_switches;

	/* NAN with one of them, or nothing counted */
	struct fairness qp_sent, qp_received;   /* messages per QP */
	struct fairness thread_tx, thread_rx; /* messages per second of each thread's own window */
	struct result_affinity affinity;
};

/* The same side, thread by thread and QP by QP; does not travel. */
struct result_detail {
	uint32_t n_threads, n_qps; /* QPs per thread; 0: a side without a loop */
	struct result *threads;    /* owned, as the counts: result_detail_free() */
	uint64_t *sent, *received; /* of QP qp of thread t: [t * n_qps + qp] */
};

/* Accepts a zeroed one. */
void result_detail_free(struct result_detail *detail);

/* Nothing counted, nothing measured. */
void result_clear(struct result *result);

/*
 * Adds a thread's result to those before it: counts are summed, locks are off where no thread had
 * them, the status is the worst and the reason the first of that status. Latency is one thread's.
 * Windows and shares are not touched: workers.c; nor is the size of pages: point.c.
 */
void result_add(struct result *sum, const struct result *one);

#endif
