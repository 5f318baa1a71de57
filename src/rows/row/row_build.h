/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rows from the results of both sides at one point, one per side that initiates: the sources of
 * columns, computed columns, warnings, and the sum of both directions.
 */
#ifndef ROW_BUILD_H
#define ROW_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/overhead.h"
#include "decide/plan.h"
#include "worker/result.h"
#include "row/row.h"

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
 * the server's, and, of a whole point, the sum. Returns how many.
 */
uint32_t row_build(struct row rows[ROW_BUILD_MAX], const struct row_build_in *in);

/* The time now as the column time has it. */
void row_build_time(char text[ROW_NAME]);

/* ---- row_warnings.c */

/*
 * After the rates: fills bandwidth_pct_of_link. Rates of the payload that are more than one of the
 * two links carries in one direction, by more than step messages, are absent then:
 * WARNING_CODES_ABOVE_LINK, else 0. Where the rate of the slower link is no limit, or messages need
 * not take it (both sides on one host, but for the emulated HCA), only the part of it is absent.
 */
unsigned int row_link(struct row *row, const struct row_build_in *in, uint64_t step);

/* bandwidth_gbit_s in percent of the slower of the two links; NAN: unknown. */
double row_link_share(const struct row *row, const struct row_build_in *in);

/*
 * Fills warnings, warning_codes and limiter; codes: what is known already, as by row_link(). After
 * the counts: some are decided by them.
 */
void row_warnings(struct row *row, const struct row_build_in *in, unsigned int codes);

/* ---- sources of columns: row_source.c */

/*
 * Where the columns of row.def come from. Pure: copies values from results, limits, plan and point
 * into a row, by the tables of both. row_build.c has the computed columns.
 *
 * In row.def, f is a field of struct result, limits, plan, point or result_lat:
 *
 *	OWN(f), PEER(f)                result of the side that prints, of the other side
 *	OWN_LOOP(f), PEER_LOOP(f)      the same, only if that side has a loop
 *	OWN_IF(condition, f)           the same as OWN_LOOP, only on that condition
 *	OWN_LIMITS(f), PEER_LIMITS(f)  limits of a side
 *	PLAN(f), PLAN_IF(condition, f), POINT(f)
 *	LATENCY(f)                     latency of the side that initiates
 *	INITIATOR(f)                   result of the side that initiates
 *	RESPONSE(f), SERVICE(f), LATE(f)  times of its open loop
 *	COMPUTED                       by row_build.c
 *
 * A bool becomes 0 or 1, an absent value stays absent.
 */
enum row_from {
	ROW_COMPUTED,
	ROW_OWN,
	ROW_PEER,
	ROW_OWN_LIMITS,
	ROW_PEER_LIMITS,
	ROW_PLAN,
	ROW_POINT,
	ROW_LATENCY,
	ROW_INITIATOR,
	ROW_RESPONSE,
	ROW_SERVICE,
	ROW_LATE,
	ROW_FROMS
};

/* Conditions, as bits. */
enum row_when {
	ROW_OWN_HAS_LOOP = 1u << 0,
	ROW_PEER_HAS_LOOP = 1u << 1,
	ROW_RELIABLE = 1u << 2,    /* the transport retries */
	ROW_RECEIVES = 1u << 3,    /* the opcode takes a receive */
	ROW_RESPONDS = 1u << 4,    /* a response counts: max_rd_atomic */
	ROW_CARRIES = 1u << 5,     /* the payload may be inline */
	ROW_HYBRID = 1u << 6,      /* threads poll, then sleep */
	ROW_CREDITS = 1u << 7,     /* the sender waits for credit */
	ROW_SHARES = 1u << 8,      /* the QPs of a thread share an SRQ */
	ROW_MCAST = 1u << 9,       /* one sender, a group of receivers */
	ROW_DATAGRAM = 1u << 10,   /* each request names its target */
	ROW_SAMPLES = 1u << 11,    /* a latency test */
	ROW_OPEN = 1u << 12,       /* an open loop */
	ROW_ROUTED = 1u << 13      /* packets have a GRH, with what the plan says */
};

/* Those that hold. */
unsigned int row_source_conditions(const struct row_build_in *in);

struct row_sources {
	const void *obj[ROW_FROMS]; /* by enum row_from; NULL: unknown, its columns are absent */
	unsigned int holds;         /* enum row_when: the conditions that hold */
};

/* One column: the table of its source, the offset there, and all conditions it needs. */
struct row_source {
	enum row_from from;
	unsigned int when;
	size_t off;
};

/* By column, as row_table. */
extern const struct row_source row_source_table[];

/* The field that a column comes from, and the offset of its struct; NULL: it is computed. */
const struct field *row_source_field(const struct row_source *source, size_t *base);

/* Sets all columns that have a source. */
void row_source_fill(struct row *row, const struct row_sources *sources);

/* ---- windows and sums: row_sum.c */

/*
 * How much of their time several windows have in common, and the sum of both directions of a
 * bandwidth test. Rates are added over the time that all windows have in common: those of both
 * directions, and those of several pairs (run/pairs_rows.c). Each counts there at its mean rate, so
 * that the sum is exact for steady rates; how much is in common is in the row. Pure.
 *
 * A window begins some time after a moment that all of them know: the common start. A window of
 * another host's clock begins slack_ns later at most, because that host learned of the start by a
 * message. Windows of one clock shift together. Of two directions: the server is about to start
 * after the client was (message ready) and before the client learns of it (go), so a time of the
 * server is that of the client and start_slack_ns at most.
 */
#define ROW_WINDOWS_PERCENT 99 /* of the union; with less the sum has a warning */

struct row_window {
	uint64_t start_ns;  /* after the common start; UINT64_MAX: unknown */
	uint64_t window_ns;
	uint64_t slack_ns;  /* it begins up to so much later; UINT64_MAX: unknown */
	uint32_t clock;     /* which clock start_ns is of: any number */
};

/* What an open loop has measured becomes absent: it is of one direction of one pair. */
void row_clear_open(struct row *row);

/* In the worst case of what the slacks allow. */
struct row_windows_common {
	uint64_t start_ns, slack_ns; /* of the common time; start UINT64_MAX: one is unknown */
	uint64_t common_ns, union_ns;
	double percent;              /* common_ns of union_ns */
};

/* Have they any time in common? False also if one of them is unknown. */
bool row_windows_compare(struct row_windows_common *c, const struct row_window *windows,
			 uint32_t n);

/* What a row counted in its window. */
struct row_share {
	uint64_t messages, bytes;
};

struct row_share row_share_of(const struct row *row);

/*
 * Sets the window of a sum, its messages and its rates. False: the windows have no time in common,
 * or none for a message, or one is unknown, and nothing is set.
 */
bool row_windows_add(struct row *sum, const struct row_share *shares,
		     const struct row_window *windows, uint32_t n);

/* The warning of a sum whose windows are far apart; by windows_shared_pct. row_warnings.c */
void row_warn_shared(struct row *row);

/* The sum of two directions has the warnings of the first; unsteady also if the other has it. */
void row_warn_other(struct row *sum, const struct row *other);

/*
 * Sets the row of the sum: sum is a copy of the first direction's row, other that of the second;
 * clock of the windows: their side. Without a sum the row is skipped and its reason says why.
 */
void row_sum(struct row *sum, const struct row *other, const struct row_window windows[2]);

#endif
