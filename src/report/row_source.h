/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
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
 *	COMPUTED                       by row_build.c
 *
 * A bool becomes 0 or 1, an enum its spelling, an absent value stays absent.
 */
#ifndef ROW_SOURCE_H
#define ROW_SOURCE_H

#include "report/row.h"

enum row_from {
	ROW_COMPUTED,
	ROW_OWN,
	ROW_PEER,
	ROW_OWN_LIMITS,
	ROW_PEER_LIMITS,
	ROW_PLAN,
	ROW_POINT,
	ROW_LATENCY,
	ROW_FROMS
};

/* Conditions, as bits. */
enum row_when {
	ROW_OWN_HAS_LOOP = 1u << 0,
	ROW_PEER_HAS_LOOP = 1u << 1,
	ROW_RELIABLE = 1u << 2,    /* the transport retries */
	ROW_RECEIVES = 1u << 3,    /* the opcode takes a receive */
	ROW_FETCHES = 1u << 4,     /* the payload comes back: reads and atomics */
	ROW_CARRIES = 1u << 5,     /* the request carries the payload: all other opcodes */
	ROW_HYBRID = 1u << 6,      /* threads poll, then sleep */
	ROW_CREDITS = 1u << 7,     /* the sender waits for credit */
	ROW_SHARES = 1u << 8,      /* the QPs of a thread share an SRQ */
	ROW_MCAST = 1u << 9,       /* one sender, a group of receivers */
	ROW_DATAGRAM = 1u << 10    /* each request names its target */
};

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

#endif
