/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * rows_histogram: what format_json writes of a histogram comes back, bucket by bucket; each row has
 * its own; a damaged one is refused; the limit of memory.
 */
#include "config.h"
#include "read/rows.h"

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

#include "read/axes.h"
#include "read/condition.h"
#include "row/row.h"
#include "util/err.h"
#include "util/histogram.h"
#include "write/output.h"

static char path[] = "/tmp/test_rows_histogram.XXXXXX";
static const char *const paths[] = { path };

static struct rows_query query_of(bool histograms)
{
	struct rows_query query = { .paths = paths, .n_paths = 1, .histograms = histograms };

	axes_want(&query, ROWS_size_bytes);
	return query;
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* ---- as written */

static struct histogram *new_histogram(void)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	histogram_reset(h);
	return h;
}

/* A point and its row, as a session tells them. */
static void tell(void *state, const struct histogram *h, uint64_t size)
{
	const struct point point = { .size_bytes = size };
	struct histogram copy = *h;
	const struct result_detail detail = { .latency = &copy };
	const struct event_point ended = { &point, &detail, NULL, RESULT_OK };
	struct row row;

	row_init(&row);
	row.test = TEST_SEND_LAT;
	row.status = RESULT_OK;
	row.size_bytes = size;
	row.lat_samples = histogram_count(h);
	row.lat_min_ns = (double)h->min / 1000;
	row.lat_max_ns = (double)h->max / 1000;
	format_json.take(state, &(struct event){ EVENT_POINT, .point = &ended });
	format_json.take(state, &(struct event){ EVENT_ROW, .row = &row });
}

/* The document of a run whose points have these histograms; their sizes are 64, 64 + step, ... */
static void write_run(struct histogram *const *all, size_t n, uint64_t step)
{
	const struct format_file file = { .path = path, .rows = &output_rows_tests,
					  .format = &format_json, .how = FORMAT_FORCE };
	void *state;

	assert_int_equal(output_begin(&state, &format_json, &file), 0);
	for (size_t i = 0; i < n; i++)
		tell(state, all[i], 64 + i * step);
	assert_int_equal(output_end(state, &format_json), 0);
}

static void each_bucket_comes_back(void **state)
{
	struct histogram *h = new_histogram(), *read = new_histogram();
	const struct rows_query query = query_of(true);
	const struct rows_histogram *one;
	struct rows rows;

	(void)state;
	/* all buckets that hold a value */
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		for (uint32_t n = 0; histogram_bucket_width(i) && n <= i % 3; n++)
			histogram_record(h, histogram_bucket_low(i));
	write_run(&h, 1, 0);
	assert_int_equal(rows_load(&rows, &query), 0);
	one = rows_histogram(&rows, 0);
	assert_non_null(one);
	assert_null(rows_histogram(&rows, 1));
	rows_histogram_add(read, one);
	assert_memory_equal(read->bucket, h->bucket, sizeof(h->bucket));
	assert_int_equal(read->min, h->min);
	assert_true(read->max - h->max + 5 <= 10); /* 15 digits of it are in the file */
	/* once more: the sum of two */
	rows_histogram_add(read, one);
	assert_int_equal(histogram_count(read), 2 * histogram_count(h));
	rows_free(&rows);
	free(read);
	free(h);
}

/* The number of samples in the histogram of a row; 0: it has none. */
static uint64_t samples(const struct rows *rows, size_t row)
{
	const struct rows_histogram *one = rows_histogram(rows, row);
	uint64_t n = 0;

	for (uint32_t i = 0; one && i < one->n; i++)
		n += one->buckets[i].samples;
	return n;
}

/* n histograms of 1, 2, ... samples. */
static void write_many(size_t n)
{
	struct histogram *all[8];

	for (size_t i = 0; i < n; i++) {
		all[i] = new_histogram();
		for (uint64_t k = 0; k <= i; k++)
			histogram_record(all[i], 100 + k);
	}
	write_run(all, n, 1);
	for (size_t i = 0; i < n; i++)
		free(all[i]);
}

static void each_row_has_its_own(void **state)
{
	struct rows_query query = query_of(true);
	struct conditions where = { .n = 0 };
	struct rows rows;

	(void)state;
	write_many(4);
	assert_int_equal(rows_load(&rows, &query), 0);
	for (size_t row = 0; row < 4; row++)
		assert_int_equal(samples(&rows, row), row + 1);
	rows_free(&rows);
	/* rows that are left out take theirs with them */
	assert_int_equal(condition_parse_all(&where, "--where", "size_bytes >= 66"), 0);
	query.where = &where;
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.n_histograms, 2);
	assert_int_equal(samples(&rows, 0), 3);
	assert_int_equal(samples(&rows, 1), 4);
	rows_free(&rows);
	condition_free_all(&where);
	/* nobody asks for them */
	query = query_of(false);
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(samples(&rows, 0), 0);
	rows_free(&rows);
}

/* The samples of the first bucket tell them apart; number and extremes do not. */
static void repeats_go_in_their_order(void **state)
{
	const struct rows_query query = query_of(true);
	struct histogram *all[4];
	struct rows rows;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		all[i] = new_histogram();
		for (uint64_t k = 0; k < 9; k++)
			histogram_record(all[i], k <= i ? 100 : 200);
	}
	write_run(all, 4, 0);
	assert_int_equal(rows_load(&rows, &query), 0);
	for (size_t row = 0; row < 4; row++) {
		assert_int_equal(rows_histogram(&rows, row)->buckets[0].samples, row + 1);
		free(all[row]);
	}
	rows_free(&rows);
}

static void memory_has_a_limit(void **state)
{
	struct histogram *h = new_histogram();
	struct rows_query query = query_of(true);
	struct rows rows;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		histogram_record(h, 1000 * i);
	write_run(&h, 1, 0);
	free(h);
	query.most = 40000;
	assert_int_equal(rows_load(&rows, &query), -ENOMEM);
	query.most = 1 << 20;
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(samples(&rows, 0), 10000);
	assert_true(rows.budget.used >= 16 * rows_histogram(&rows, 0)->n);
	rows_free(&rows);
}

/* ---- as others may write it */

#define ROW "{\"schema\":1,\"test\":\"send_lat\",\"size_bytes\":64,\"lat_samples\":%d," \
	"\"lat_min_ns\":%s,\"lat_max_ns\":3.0005}"
#define POINT "{\"size_bytes\":64,\"histogram\":{\"samples\":5,\"min_ns\":%s,\"max_ns\":3," \
	"\"buckets\":%s}}"

/* Loads a document with one row of that many samples, and these points. */
static int load(struct rows *rows, int n, const char *min_ns, const char *points)
{
	const struct rows_query query = query_of(true);
	char *text;

	assert_true(asprintf(&text, "{\"rows\":[" ROW "],\"points\":%s}", n, min_ns, points) > 0);
	write_file(text);
	free(text);
	err_clear();
	return rows_load(rows, &query);
}

static int load_buckets(struct rows *rows, const char *min_ns, const char *buckets)
{
	char *points;
	int rc;

	assert_true(asprintf(&points, "[{},7," POINT "]", min_ns, buckets) > 0);
	rc = load(rows, 5, min_ns, points);
	free(points);
	return rc;
}

static void a_damaged_one_is_refused(void **state)
{
	static const char *const bad[] = {
		"null", "{}", "[]", "[7]", "[[1,1.002]]", "[[1,1.002,5,0]]", "[[1,\"1.002\",5]]",
		"[[1.024,1.028,5]]",              /* of no bucket */
		"[[1.025,1.027,5]]", "[[-1,1,5]]", "[[2,1,5]]", "[[1e300,2e300,5]]",
		"[[1.024,1.026,0],[1.026,1.028,5]]", "[[1.024,1.026,2.5],[1.026,1.028,2.5]]",
		"[[1.024,1.026,-1],[1.026,1.028,6]]", "[[1.024,1.026,1e300]]",
		"[[1.026,1.028,2],[1.024,1.026,3]]", "[[1.024,1.026,2],[1.024,1.026,3]]",
		"[[1.024,1.026,4]]", "[[1.024,1.026,6]]",
	};
	struct rows rows;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(load_buckets(&rows, "1", bad[i]), -EBADMSG);
		assert_non_null(strstr(err_text(), "row 1 of the document: histogram"));
	}
	/* the extremes */
	assert_int_equal(load_buckets(&rows, "-1", "[[1.024,1.026,5]]"), -EBADMSG);
	assert_int_equal(load_buckets(&rows, "4", "[[1.024,1.026,5]]"), -EBADMSG);
	assert_int_equal(load(&rows, 5, "1", "7"), -EBADMSG);
	/* good ones */
	assert_int_equal(load_buckets(&rows, "1", "[[1.024,1.026,2],[1.026,1.028,3]]"), 0);
	assert_int_equal(samples(&rows, 0), 5);
	rows_free(&rows);
}

/* What is of no row is not looked at: of a failed run, of another number of samples. */
static void one_of_no_row_is_left_out(void **state)
{
	struct rows rows;
	char *points;

	(void)state;
	assert_int_equal(load(&rows, 5, "1", "[{\"size_bytes\":64,\"histogram\":null}]"), 0);
	assert_int_equal(samples(&rows, 0), 0);
	rows_free(&rows);
	assert_true(asprintf(&points, "[" POINT "," POINT "]", "2", "[]", "1",
			     "[[1.024,1.026,5]]") > 0);
	assert_int_equal(load(&rows, 4, "1", points), 0);
	assert_int_equal(samples(&rows, 0), 0);
	rows_free(&rows);
	assert_int_equal(load(&rows, 5, "1", points), 0);
	assert_int_equal(samples(&rows, 0), 5);
	rows_free(&rows);
	free(points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bucket_comes_back),
		cmocka_unit_test(each_row_has_its_own),
		cmocka_unit_test(repeats_go_in_their_order),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(a_damaged_one_is_refused),
		cmocka_unit_test(one_of_no_row_is_left_out),
	};
	const int fd = mkstemp(path);
	int rc;

	if (fd < 0)
		return 1;
	close(fd);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return rc;
}
