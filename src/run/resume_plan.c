/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what is said about a sweep in the file beside its rows; see resume.h. Called by resume.c. */
#include "config.h"
#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "json/json_build.h"
#include "limits/limits.h"
#include "report/row_build.h"
#include "util/err.h"
#include "util/text.h"

#define SCHEMA 1

/* Rows with another value of these are no rows of one sweep. */
static const char *const facts[] = {
	"host", "device", "port", "driver", "firmware", "netdev", "transport_type", "ethernet",
	"emulated", "rate_mbit_s", "active_mtu_bytes",
};

/* ---- the sweep */

static json_t *no_memory(json_t *doc)
{
	json_decref(doc);
	err_set(-ENOMEM, "no memory for the file beside the rows");
	return NULL;
}

static json_t *words(char *const *argv, int argc)
{
	json_t *list = json_array();

	for (int i = 0; i < argc; i++) {
		char clean[256];
		json_t *word = json_string(argv[i]);

		/* JSON is UTF-8 */
		if (!word)
			word = json_string(text_clean(argv[i], clean, sizeof(clean)));
		if (json_array_append_new(list, word)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* In the order in which they are measured. NULL with an error message. */
static json_t *cell_names(const struct cells *cells)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < cells->n; i++) {
		struct cell cell;
		json_t *name;

		if (cells_get(cells, i, &cell)) {
			json_decref(list);
			return NULL;
		}
		name = json_pack("{s:s}", "cell", cell.text);
		if (cell.part->scenario &&
		    json_object_set_new(name, "scenario", json_string(cell.part->scenario))) {
			json_decref(name);
			name = NULL;
		}
		cells_free_one(&cell);
		if (json_array_append_new(list, name))
			return no_memory(list);
	}
	return list;
}

json_t *resume_plan(const struct run *run)
{
	json_t *cells = cell_names(&run->cells), *doc;
	char time[ROW_NAME];

	if (!cells)
		return NULL;
	row_build_time(time);
	doc = json_pack("{s:i, s:s, s:i, s:s, s:o, s:i, s:[], s:o}", "schema", SCHEMA, "tool_version",
			PACKAGE_VERSION, "row_schema", ROW_SCHEMA, "time", time, "argv",
			words(run->typed->argv, run->typed->argc), "servers",
			(int)(run->pairs.n ? run->pairs.n : run->n_hosts), "pairs", "cells", cells);
	return doc ? doc : no_memory(NULL);
}

/* ---- is it the same? */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* As in the file. Returns text. */
static const char *value_of(const json_t *fact, char *text, size_t size)
{
	char *value = json_build_text(fact, JSON_ENCODE_ANY | JSON_COMPACT);

	snprintf(text, size, "%.100s", value ? value : "unknown");
	free(value);
	return text;
}

/* "size-sweep: send_bw --size 64", or without a scenario. */
static const char *name_of(const json_t *cell, char *text, size_t size)
{
	const char *scenario = text_of(cell, "scenario");

	snprintf(text, size, "%.60s%s%.120s", scenario, *scenario ? ": " : "", text_of(cell, "cell"));
	return text;
}

static int compare_names(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	const int order = strcmp(text_of(*x, "scenario"), text_of(*y, "scenario"));

	return order ? order : strcmp(text_of(*x, "cell"), text_of(*y, "cell"));
}

/* By name: the order of a sweep is no part of what its rows are. NULL: no memory. */
static const json_t **sorted(const json_t *cells)
{
	const size_t n = json_array_size(cells);
	const json_t **list = malloc((n + 1) * sizeof(*list));

	for (size_t i = 0; list && i < n; i++)
		list[i] = json_array_get(cells, i);
	if (list)
		qsort(list, n, sizeof(*list), compare_names);
	return list;
}

/* The first cell that only one of them has. */
static int compare_sorted(const json_t *const *is, size_t n, const json_t *const *want, size_t m,
			  const char *path)
{
	char name[200];

	for (size_t i = 0; i < n || i < m; i++) {
		const int order = i == n ? 1 : i == m ? -1 : compare_names(&is[i], &want[i]);

		if (order)
			return err_set(-EINVAL, "%s is of another sweep: %s the cell \"%s\"%s", path,
				       order < 0 ? "it has" : "it lacks",
				       name_of(order < 0 ? is[i] : want[i], name, sizeof(name)),
				       order < 0 ? ", which this sweep lacks" : " of this sweep");
	}
	return 0;
}

static int compare_cells(const json_t *is, const json_t *want, const char *path)
{
	const json_t **a = sorted(is), **b = sorted(want);
	int rc = a && b ? compare_sorted(a, json_array_size(is), b, json_array_size(want), path) :
			  err_set(-ENOMEM, "no memory for the cells of a sweep");

	free(a);
	free(b);
	return rc;
}

static int compare_servers(const json_t *is, const json_t *want, const char *path)
{
	const json_int_t n = json_integer_value(json_object_get(is, "servers"));
	const json_int_t m = json_integer_value(json_object_get(want, "servers"));

	if (n == m)
		return 0;
	return err_set(-EINVAL, "%s is of another sweep: it has %" JSON_INTEGER_FORMAT " servers, and this one has %" JSON_INTEGER_FORMAT,
		       path, n, m);
}

int resume_plan_compare(const json_t *is, const json_t *want, const char *path)
{
	static const char *const versions[] = { "schema", "row_schema", "tool_version" };
	char text[2][104];

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		const json_t *a = json_object_get(is, versions[i]);
		const json_t *b = json_object_get(want, versions[i]);

		if (!json_equal(a, b))
			return err_set(-EINVAL, "%s is of another version: its %s is %s, and that of this program is %s",
				       path, versions[i], value_of(a, text[0], sizeof(text[0])),
				       value_of(b, text[1], sizeof(text[1])));
	}
	if (compare_servers(is, want, path))
		return -EINVAL;
	return compare_cells(json_object_get(is, "cells"), json_object_get(want, "cells"), path);
}

/* ---- the hosts */

/* What a side is, and all that is known of it. */
static json_t *side(const struct limits *limits, bool is_own)
{
	json_t *all = limits_encode(limits), *known = json_object();
	struct utsname name;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		json_object_set(known, facts[i], json_object_get(all, facts[i]));
	if (is_own && !uname(&name))
		json_object_set_new(known, "kernel", json_string(name.release));
	json_object_set_new(known, "limits", all);
	return known;
}

json_t *resume_pair(const struct format_run *run)
{
	return json_pack("{s:o, s:o}", "client", side(run->self, true), "server",
			 side(run->peer, false));
}

static int compare_side(const json_t *is, const json_t *want, const char *who, const char *path)
{
	static const char kernel[] = "kernel";
	char text[2][104];

	for (size_t i = 0; i <= sizeof(facts) / sizeof(facts[0]); i++) {
		const char *name = i < sizeof(facts) / sizeof(facts[0]) ? facts[i] : kernel;
		const json_t *a = json_object_get(is, name), *b = json_object_get(want, name);

		if (a != b && !json_equal(a, b))
			return err_set(-ECANCELED, "%s is of other hosts: %s of the %s was %s and is %s",
				       path, name, who, value_of(a, text[0], sizeof(text[0])),
				       value_of(b, text[1], sizeof(text[1])));
	}
	return 0;
}

int resume_pair_compare(const json_t *is, const json_t *want, const char *path)
{
	int rc = compare_side(json_object_get(is, "client"), json_object_get(want, "client"),
			      "client", path);

	return rc ? rc : compare_side(json_object_get(is, "server"),
				      json_object_get(want, "server"), "server", path);
}
