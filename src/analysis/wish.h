/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the options of the command report ask for, with the names of columns looked up. */
#ifndef WISH_H
#define WISH_H

#include "config/cfg.h"
#include "rows/columns_named.h"
#include "rows/condition.h"
#include "rows/expect.h"

enum wish_verdict { WISH_ANY, WISH_NOT_WORSE, WISH_SAME };

struct wish {
	const struct cfg *cfg;         /* borrowed */
	struct columns_named of;       /* --of, or the usual figures of all tests */
	struct columns_named by;
	struct columns_named ignored;
	struct conditions where;       /* none: all rows */
	struct expect expect;          /* open if --expect is given without --compare */
	enum wish_verdict verdict;     /* --expect with --compare */
	double within;                 /* percent */
};

/* -EINVAL or -ENOMEM with an error message. wish_free() is due in every case. */
int wish_read(struct wish *wish, const struct cfg *cfg) __attribute__((warn_unused_result));
void wish_free(struct wish *wish);

/* The files, and all columns that are needed of them. The query borrows from the wish. */
void wish_query(const struct wish *wish, struct rows_query *query);

/* Are the tables for people, as opposed to CSV and JSON? */
bool wish_for_people(const struct wish *wish);

#endif
