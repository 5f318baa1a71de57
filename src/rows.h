/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Results of both sides at one point -> rows: one per direction of initiating. Pure. */
#ifndef ROWS_H
#define ROWS_H

#include <stdint.h>

#include "floor.h"
#include "plan.h"
#include "result.h"
#include "row.h"

#define ROWS_MAX 2

struct rows_in {
	const struct plan *plan;
	const struct point *point;
	enum side side;                          /* who prints */
	const struct limits *limits[2];          /* by enum side */
	const struct result *result[2];          /* by enum side; NULL: not known */
	const char *clock;
	struct floor_cost floor;                 /* of the side that prints */
	const char *pin[2], *mem[2];             /* by enum side: as asked for */
	enum result_status status;               /* of the point, both sides taken together */
	const char *reason;
};

/* Fills up to ROWS_MAX rows, the one of client's requests first; returns how many. */
uint32_t rows_make(struct row rows[ROWS_MAX], const struct rows_in *in);

#endif
