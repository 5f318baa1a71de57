/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The tables of a report: summary, pivots or comparison, as the options ask for. */
#ifndef TABLES_H
#define TABLES_H

#include "analysis/sheet.h"
#include "analysis/wish.h"
#include "rows/rows.h"

/* Zeroed: none. */
struct tables {
	struct sheet *sheets;  /* n of them, owned */
	size_t n;
	char words[1024];      /* a line below the tables; "" none */
	bool met;              /* the verdicts are those that were expected */
};

/* skip: measured_skip(). -errno with an error message. tables_free() is due in every case. */
int tables_make(struct tables *tables, const struct wish *wish, const struct rows *rows,
		const bool *skip) __attribute__((warn_unused_result));
void tables_free(struct tables *tables);

#endif
