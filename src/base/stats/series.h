/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Values that come one by one, each with the name of the series that it is a repeat of. */
#ifndef SERIES_H
#define SERIES_H

#include <stddef.h>

struct series {
	char *name;      /* owned */
	double *values;  /* n of them, in the order in which they came; owned */
	size_t n;
};

/* Zeroed: empty. */
struct series_set {
	struct series **all; /* in the order of their first values; owned, as the series are */
	size_t n;
	void *tree;          /* of tsearch(): the same by name */
};

/* No memory ends the program (util/must.h). */
void series_add(struct series_set *set, const char *name, double value);
void series_free(struct series_set *set);

#endif
