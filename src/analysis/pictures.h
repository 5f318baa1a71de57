/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What --html and --plot write: the page and the files of gnuplot. */
#ifndef PICTURES_H
#define PICTURES_H

#include "analysis/page.h"
#include "config/cfg.h"

/* Are there any to write? */
bool pictures_wanted(const struct cfg *cfg);

/*
 * Before anything is read: do the options go together, and can the files be written? -errno with an
 * error message; -EINVAL: wrong usage. Touches nothing.
 */
int pictures_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/* What they need of the rows, also of intervals. -EINVAL with an error message: no such column. */
int pictures_want(struct rows_query *query, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/*
 * Writes them. page has all but the pictures. -errno with an error message: -EINVAL:
 * what is asked for is not in the rows; -ENOENT: there is no gnuplot, and the page is written.
 */
int pictures_write(const struct page *page, const struct cfg *cfg)
	__attribute__((warn_unused_result));

#endif
