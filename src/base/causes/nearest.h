/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * "did you mean ...?": the names that are nearest to one that is unknown. For commands, options,
 * scenarios, columns and the like: whoever refuses a name tries all that exist.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

#define NEAREST_MOST 3u  /* names that are equally near; with more of them none is meant */
#define NEAREST_NAME 40u /* of a name, with its end */

struct nearest {
	const char *name; /* as typed; borrowed */
	size_t len;
	unsigned int far; /* distance of those found; at first the most that is allowed */
	unsigned int n;   /* found, also those beyond NEAREST_MOST */
	char found[NEAREST_MOST][NEAREST_NAME];
	char hint[200];
};

/* name has len characters. */
struct nearest nearest_to(const char *name, size_t len);

/*
 * A name that exists. Near are one whose beginning or one of whose words is the typed name, and one
 * that differs in at most a quarter of the letters; case does not count, '_' is '-'.
 */
void nearest_try(struct nearest *n, const char *name);

/* The only one that is nearest; NULL: none, or several. */
const char *nearest_one(const struct nearest *n);

/*
 * "; did you mean A, B or C?", with mark ("--") before each name; otherwise if there is none. Valid
 * as long as *n.
 */
const char *nearest_hint(struct nearest *n, const char *mark, const char *otherwise);

#endif
