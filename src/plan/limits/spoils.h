/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What of the machines will spoil the figures of a test, as far as it is known before it. Judges
 * the facts of struct limits, for the lines above a table and for "verbench check". What is not
 * known spoils nothing.
 */
#ifndef SPOILS_H
#define SPOILS_H

#include <stdint.h>

#include "limits/limits.h"
#include "options/kind.h"

/* In the order of their weight. */
enum spoils_kind {
	SPOILS_CPUS,     /* more threads poll than there are CPUs for them */
	SPOILS_LOAD,     /* other programs need the CPUs of threads that poll, or all CPUs */
	SPOILS_GOVERNOR, /* the CPUs are not at their highest frequency */
	SPOILS_KINDS
};

struct spoils_in {
	const struct limits *limits[SIDE_COUNT]; /* NULL: there is no such side */
	uint32_t polls[SIDE_COUNT];              /* threads that poll */
};

#define SPOILS_TEXT 128
#define SPOILS_MOST (SPOILS_KINDS * SIDE_COUNT)

struct spoils {
	enum spoils_kind kind;
	enum side side;         /* whose machine it is; of one machine the client's */
	char text[SPOILS_TEXT]; /* "4 polling threads, 2 CPUs" */
	const char *remedy;     /* what to do, static */
};

/* Returns how many are found; of one kind on both sides the client's is first. */
uint32_t spoils_find(struct spoils found[SPOILS_MOST], const struct spoils_in *in);

#endif
