/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the medians of the rows that are compared. Called by run_completion.c. Must not print. */
#include "config.h"
#include "run/ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "worker/result.h"

#define OPTION " --completion "

/* The cell without the option that is compared, and which of both directions it is. */
static void make_key(char key[ROW_TEXT], const struct row *row)
{
	const char *at = strstr(row->cell, OPTION), *rest = "";

	if (at)
		rest = at + strlen(OPTION) + strcspn(at + strlen(OPTION), " ");
	snprintf(key, ROW_TEXT, "%.*s%.200s %.20s", at ? (int)(at - row->cell) : ROW_TEXT / 2,
		 row->cell, rest, row->direction);
}

static int find_completion(const char *name)
{
	for (int i = 0; kind_completion_names[i]; i++)
		if (!strcmp(kind_completion_names[i], name))
			return i;
	return -1;
}

/* NULL: no memory. */
static struct ways_group *find_group(struct ways *c, const struct row *row)
{
	struct ways_group *groups;
	char key[ROW_TEXT];

	make_key(key, row);
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->groups[i].key, key) && c->groups[i].size_bytes == row->size_bytes)
			return &c->groups[i];
	groups = realloc(c->groups, sizeof(*groups) * ((size_t)c->n + 1));
	if (!groups)
		return NULL;
	c->groups = groups;
	groups[c->n] = (struct ways_group){ .size_bytes = row->size_bytes };
	memcpy(groups[c->n].key, key, sizeof(key));
	memcpy(groups[c->n].test, row->test, sizeof(row->test));
	return &groups[c->n++];
}

static void take_figures(double *values, const struct row *row)
{
	values[WAYS_RATE] = row->message_rate_per_s;
	values[WAYS_GBIT] = row->bandwidth_gbit_s;
	values[WAYS_P50] = row->lat_p50_ns;
	values[WAYS_P99] = row->lat_p99_ns;
	values[WAYS_P99_9] = row->lat_p99_9_ns;
	values[WAYS_OWN_CPU] = row->cpu_ns_per_msg;
	values[WAYS_PEER_CPU] = row->peer_cpu_ns_per_msg;
}

void ways_add(struct ways *c, const struct row *row)
{
	const int cm = find_completion(row->completion);
	struct ways_rounds *rounds;
	struct ways_group *group;
	double *values;

	if (row_is_interval(row))
		return;
	if (strcmp(row->status, result_status_names[RESULT_OK]) || cm < 0) {
		c->left_out++;
		return;
	}
	c->disturbed += row->warnings[0] != '\0';
	group = find_group(c, row);
	if (!group)
		return;
	rounds = &group->rounds[cm];
	values = realloc(rounds->values,
			 sizeof(*values) * WAYS_FIGURES * ((size_t)rounds->n + 1));
	if (!values)
		return;
	rounds->values = values;
	take_figures(values + (size_t)WAYS_FIGURES * rounds->n++, row);
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double ways_median(const struct ways_group *g, enum completion cm, enum ways_figure f)
{
	const struct ways_rounds *rounds = &g->rounds[cm];
	double *sorted = calloc(rounds->n ? rounds->n : 1, sizeof(*sorted)), median = NAN;
	uint32_t n = 0;

	for (uint32_t i = 0; sorted && i < rounds->n; i++)
		if (!isnan(rounds->values[(size_t)WAYS_FIGURES * i + f]))
			sorted[n++] = rounds->values[(size_t)WAYS_FIGURES * i + f];
	if (n) {
		qsort(sorted, n, sizeof(*sorted), compare_doubles);
		median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	}
	free(sorted);
	return median;
}

void ways_free(struct ways *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		for (int cm = 0; cm < CM_COUNT; cm++)
			free(c->groups[i].rounds[cm].values);
	free(c->groups);
	*c = (struct ways){ .n = 0 };
}
