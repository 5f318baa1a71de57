/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Rows from the results of both sides at one point: one per side that initiates. Pure. */
#ifndef ROW_BUILD_H
#define ROW_BUILD_H

#include <stdint.h>

#include "worker/overhead.h"
#include "plan/plan.h"
#include "worker/result.h"
#include "report/row.h"

#define ROW_BUILD_MAX 3

/* Part of a point. The results are those of the interval. */
struct row_interval {
	uint64_t number;      /* from 0 */
	uint64_t start_ns[2]; /* from the begin of the window, of each row */
};

struct row_build_in {
	const struct plan *plan;
	const struct point *point;
	enum side side;                          /* the side that prints */
	bool by_sender;                          /* both directions: each as its sender counted */
	const struct limits *limits[2];          /* by enum side */
	const struct result *result[2];          /* by enum side; NULL: unknown */
	const char *clock;
	double clock_step_ns;                    /* 0: unknown */
	struct overhead_cost overhead;           /* of the side that prints */
	const char *pin[2], *mem[2];             /* by enum side: as asked for */
	const char *receiver;                    /* of a multicast group, else NULL */
	const struct row_interval *interval;     /* NULL: of the whole point */
	enum result_status status;               /* of the point, both sides taken together */
	const char *reason;
};

/*
 * Fills up to ROW_BUILD_MAX rows: that of the client's requests; of both directions also that of
 * the server's, and, of a whole point, the sum (row_sum.h). Returns how many.
 */
uint32_t row_build(struct row rows[ROW_BUILD_MAX], const struct row_build_in *in);

/* The time now as the column time has it. */
void row_build_time(char text[ROW_NAME]);

/* ---- row_link.c */

/*
 * After the rates: fills bandwidth_pct_of_link. Rates of the payload that are more than the slower
 * of the two links carries in one direction, by more than step messages, are absent then:
 * WARNING_CODES_ABOVE_LINK, else 0. Not where the rate of a link is no limit, nor where messages
 * need not take it: both sides on one host, but for the emulated HCA.
 */
unsigned int row_link(struct row *row, const struct row_build_in *in, uint64_t step);

/* bandwidth_gbit_s in percent of the slower of the two links; NAN: unknown. */
double row_link_share(const struct row *row, const struct row_build_in *in);

/* ---- row_warnings.c */

/*
 * Fills warnings and warning_codes; codes: what row_link() says. After the counts: some are decided
 * by them.
 */
void row_warnings(struct row *row, const struct row_build_in *in, unsigned int codes);

#endif
