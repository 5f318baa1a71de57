/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * format_json, json_build: allocations of a document fail in turn. It is told, or the document
 * is whole: none is written that lacks a part.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "write/output.h"
#include "file/json_build.h"
#include "util/err.h"

static char path[] = "/tmp/test_format_memory.XXXXXX";
static long left = -1; /* allocations before the one that fails; -1: none fails */

static void *allocate(size_t n)
{
	if (left >= 0 && !left--)
		return NULL;
	return malloc(n);
}

static int enter(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	json_set_alloc_funcs(allocate, free);
	return fd < 0 || close(fd);
}

static int leave(void **state)
{
	(void)state;
	json_set_alloc_funcs(malloc, free);
	return unlink(path);
}

static void test_a_lost_part_loses_the_whole(void **state)
{
	json_t *object = json_object(), *array = json_array(), *other = json_object();

	(void)state;
	json_build_set(&object, "kept", json_integer(1));
	json_build_set(&object, "list", json_array());
	json_build_add_to(&object, "list", json_true());
	json_build_add(&array, json_integer(2));
	json_build_update(&object, other);
	assert_int_equal(json_object_size(object), 2);
	assert_int_equal(json_array_size(json_object_get(object, "list")), 1);
	assert_int_equal(json_array_size(array), 1);
	/* a value that there was no memory for */
	json_build_set(&object, "lost", NULL);
	assert_null(object);
	json_build_set(&object, "more", json_integer(3));
	json_build_add_to(&object, "list", json_integer(4));
	json_build_update(&object, other);
	assert_null(object);
	json_build_add(&array, NULL);
	json_build_add(&array, json_integer(5));
	assert_null(array);
	json_decref(other);
}

/* A run with a row and a point in one cell of a sweep. 0, or what the format says. */
static int write_run(const struct event_plan *run, const struct row *row)
{
	static const struct event_cell cell = { .text = "depth=1" };
	static const struct event_end end = { .status = "failed", .error = "it broke" };
	struct result thread = { .sent = 30 };
	uint64_t sent[] = { 30 }, received[] = { 0 };
	const struct result_detail detail = { .n_threads = 1, .n_qps = 1, .threads = &thread,
					      .sent = sent, .received = received };
	void *j = NULL;
	const struct event_point ended = { &run->plan->points[0], &detail, NULL, RESULT_OK };
	const struct format_file file = {
		.path = path, .how = FORMAT_FORCE, .rows = &output_rows_tests,
	};
	int rc = output_begin(&j, &format_json, &file);

	if (rc)
		return rc;
	format_json.take(j, &(struct event){ EVENT_CELL, .cell = &cell });
	format_json.take(j, &(struct event){ EVENT_PLAN, .plan = run });
	format_json.take(j, &(struct event){ EVENT_POINT, .point = &ended });
	format_json.take(j, &(struct event){ EVENT_ROW, .row = row });
	format_json.take(j, &(struct event){ EVENT_END, .end = &end });
	return output_end(j, &format_json);
}

static void assert_whole(long n)
{
	static const char *const lists[] = { "cells", "points", "rows" };
	json_t *doc = json_load_file(path, 0, NULL), *run = json_object_get(doc, "run");

	for (int i = 0; i < 3; i++)
		if (json_array_size(json_object_get(doc, lists[i])) != 1)
			fail_msg("allocation %ld: no %s", n, lists[i]);
	if (json_object_size(run) != 6 || !json_object_size(json_object_get(run, "plan")) ||
	    json_array_size(json_object_get(run, "notes")) != 1)
		fail_msg("allocation %ld: no whole run", n);
	assert_string_equal(json_string_value(json_object_get(doc, "error")), "it broke");
	json_decref(doc);
}

static void test_allocations_of_a_document(void **state)
{
	struct limits both[2];
	struct plan plan = {
		.work.test = TEST_WRITE_BW, .n_points = 1, .points = { { .messages = 5 } },
		.n_notes = 1, .notes = { { .text = "depth: 128, by auto" } },
	};
	const struct event_plan run = { .plan = &plan, .self = &both[0], .peer = &both[1],
					.side = SIDE_CLIENT };
	uint32_t told = 0;
	struct row row;

	(void)state;
	memset(both, 0, sizeof(both));
	row_init(&row);
	row.status = RESULT_OK;
	/* each third: every run writes two files */
	for (long n = 0;; n += 3) {
		int rc;

		left = n;
		rc = write_run(&run, &row);
		if (left >= 0) {
			assert_int_equal(rc, 0);
			break;
		}
		told += rc != 0;
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		else
			assert_whole(n);
	}
	left = -1;
	assert_whole(-1);
	assert_true(told > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lost_part_loses_the_whole),
		cmocka_unit_test(test_allocations_of_a_document),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
