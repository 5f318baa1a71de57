/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Series by name; see series.h. */
#include "config.h"
#include "stats/series.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct series *)a)->name, ((const struct series *)b)->name);
}

static struct series *find(struct series_set *set, const char *name)
{
	struct series *new = must_calloc(1, sizeof(*new)), **found;

	new->name = must_strdup(name);
	found = must_have(tsearch(new, &set->tree, compare));
	if (*found != new) {
		free(new->name);
		free(new);
		return *found;
	}
	set->all = must_realloc(set->all, set->n + 1, sizeof(struct series *));
	set->all[set->n++] = new;
	return new;
}

void series_add(struct series_set *set, const char *name, double value)
{
	struct series *series = find(set, name);

	series->values = must_realloc(series->values, series->n + 1, sizeof(value));
	series->values[series->n++] = value;
}

void series_free(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		tdelete(set->all[i], &set->tree, compare);
		free(set->all[i]->name);
		free(set->all[i]->values);
		free(set->all[i]);
	}
	free(set->all);
	*set = (struct series_set){ .n = 0 };
}
