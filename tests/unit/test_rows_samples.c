/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Files of samples: what format_dump_samples writes comes back as rows whose figures are those of
 * the samples, and as histograms; all that is not kept is said; a damaged file is refused.
 */
#include "config.h"
#include "read/rows.h"

#include <errno.h>
#include <math.h>
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
#include "row/row_samples.h"
#include "util/err.h"
#include "util/histogram.h"
#include "write/output.h"

#define N 100000u

static char path[] = "/tmp/test_rows_samples.XXXXXX";
static const char *const paths[] = { path };

static struct rows_query query_of(bool histograms)
{
	struct rows_query query = { .paths = paths, .n_paths = 1, .histograms = histograms };

	axes_want_all(&query);
	for (enum rows_column i = 0; i < ROWS_file; i++)
		if (rows_is_number(i) && query.as[i] == ROWS_LEFT_OUT)
			query.as[i] = ROWS_NUMBERS;
	query.as[ROWS_cell] = query.as[ROWS_status] = query.as[ROWS_lat_kind] = ROWS_WORDS;
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

static void *begin(void)
{
	const struct format_file file = { .path = path, .rows = &output_rows_tests,
					  .format = &format_dump_samples, .how = FORMAT_FORCE };
	void *state;

	assert_int_equal(output_begin(&state, &format_dump_samples, &file), 0);
	return state;
}

static void tell_plan(void *state, enum test test, uint64_t rate_milli)
{
	const enum opcode op = test == TEST_READ_LAT ? OP_READ : OP_SEND;
	const struct plan plan = { .work = { .test = test, .pattern = kind_pattern(test, op),
					     .rate_milli = rate_milli } };
	const struct limits self = { .emulated = false }, peer = { .emulated = true };
	const struct event_plan run = { .plan = &plan, .self = &self, .peer = &peer };

	assert_int_equal(format_dump_samples.take(state, &(struct event){ EVENT_PLAN,
									  .plan = &run }), 0);
}

static void tell_point(void *state, const struct result_samples *s, uint64_t size)
{
	const struct point point = { .size_bytes = size };
	const struct result_detail detail = { .kept = *s };
	const struct event_point ended = { &point, &detail, NULL, RESULT_INCOMPLETE };

	assert_int_equal(format_dump_samples.take(state, &(struct event){ EVENT_POINT,
									  .point = &ended }), 0);
}

static void end(void *state)
{
	assert_int_equal(output_end(state, &format_dump_samples), 0);
}

/* 1 to N, in an order of their own. */
static uint64_t value(uint64_t i)
{
	return (i * 7919 + 12345) % N + 1;
}

static void assert_number(const struct rows *rows, enum rows_column column, size_t row,
			  double expected)
{
	const double number = rows_number(rows, column, row);

	if (!(fabs(number - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%s of row %zu is %.15g, not %.15g", rows_field(column)->name, row, number,
			 expected);
}

/* Exact percentiles: of 1 to N by 2 ns the one of rank r is 2 r. */
static void closed_loop(void **state)
{
	struct result_samples s = { .n = N, .measured = N, .ns_per_tick = 2 };
	const struct rows_query query = query_of(true);
	const struct rows_histogram *h;
	char text[ROWS_TEXT];
	uint64_t n = 0;
	struct rows rows;
	void *dump = begin();

	(void)state;
	s.ticks = calloc(N, sizeof(*s.ticks));
	assert_non_null(s.ticks);
	for (uint64_t i = 0; i < N; i++)
		s.ticks[i] = value(i);
	tell_plan(dump, TEST_SEND_LAT, 0);
	tell_point(dump, &s, 64);
	tell_plan(dump, TEST_READ_LAT, 0);
	s.n = 19;
	tell_point(dump, &s, 4096);
	end(dump);
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(rows.n, 2);
	assert_string_equal(rows_text(&rows, ROWS_test, 0, text), "send_lat");
	assert_string_equal(rows_text(&rows, ROWS_lat_kind, 0, text), "half_rtt");
	assert_string_equal(rows_text(&rows, ROWS_lat_kind, 1, text), "completion");
	assert_string_equal(rows_text(&rows, ROWS_status, 0, text), "incomplete");
	assert_number(&rows, ROWS_size_bytes, 0, 64);
	assert_number(&rows, ROWS_emulated, 0, 1);
	assert_number(&rows, ROWS_lat_samples, 0, N);
	assert_number(&rows, ROWS_lat_min_ns, 0, 2);
	assert_number(&rows, ROWS_lat_p50_ns, 0, 2 * (N / 2));
	assert_number(&rows, ROWS_lat_p99_ns, 0, 2 * (N / 100 * 99));
	assert_number(&rows, ROWS_lat_p99_9_ns, 0, 2 * (N / 1000 * 999));
	assert_number(&rows, ROWS_lat_p99_99_ns, 0, 2 * (N / 10000 * 9999));
	assert_number(&rows, ROWS_lat_max_ns, 0, 2 * N);
	assert_number(&rows, ROWS_lat_mean_ns, 0, N + 1);
	assert_number(&rows, ROWS_lat_stdev_ns, 0, 2 * sqrt((double)N * (N + 1) / 12));
	/* too few: as in any row */
	assert_number(&rows, ROWS_lat_samples, 1, 19);
	assert_true(isnan(rows_number(&rows, ROWS_lat_p50_ns, 1)));
	assert_true(isnan(rows_number(&rows, ROWS_response_p50_ns, 0)));
	h = rows_histogram(&rows, 0);
	assert_non_null(h);
	for (uint32_t i = 0; i < h->n; i++)
		n += h->buckets[i].samples;
	assert_int_equal(n, N);
	assert_true(h->min_ns == 2 && h->max_ns == 2 * N);
	assert_int_equal(h->buckets[0].index, histogram_index(2000));
	assert_int_equal(rows_histogram(&rows, 1)->n, 19);
	rows_free(&rows);
	free(s.ticks);
}

/* Response and service time, each whole; what a sweep calls the point. */
static void open_loop(void **state)
{
	uint64_t ticks[2 * 1000];
	const struct result_samples s = { .ticks = ticks, .n = 1000, .measured = 5000,
					  .ns_per_tick = 0.5, .open = true };
	const struct rows_query query = query_of(true);
	const struct event_cell cell = { .text = "send_lat --rate \"1k\", --size 8" };
	char text[ROWS_TEXT];
	struct rows rows;
	void *dump = begin();

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		ticks[2 * i] = 4 * (i + 1);
		ticks[2 * i + 1] = 1000 - i;
	}
	format_dump_samples.take(dump, &(struct event){ EVENT_CELL, .cell = &cell });
	tell_plan(dump, TEST_SEND_LAT, 1000);
	tell_point(dump, &s, 8);
	end(dump);
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(rows.n, 1);
	assert_string_equal(rows_text(&rows, ROWS_cell, 0, text), cell.text);
	assert_number(&rows, ROWS_response_p50_ns, 0, 1000);
	assert_number(&rows, ROWS_response_p99_ns, 0, 1980);
	assert_number(&rows, ROWS_response_max_ns, 0, 2000);
	assert_number(&rows, ROWS_response_mean_ns, 0, 1001);
	assert_number(&rows, ROWS_service_p50_ns, 0, 250);
	assert_number(&rows, ROWS_service_max_ns, 0, 500);
	assert_true(isnan(rows_number(&rows, ROWS_lat_samples, 0)));
	assert_string_equal(rows_text(&rows, ROWS_lat_kind, 0, text), "");
	assert_null(rows_histogram(&rows, 0));
	rows_free(&rows);
}

static void conditions_and_memory(void **state)
{
	uint64_t ticks[100] = { 1 };
	const struct result_samples s = { .ticks = ticks, .n = 100, .measured = 100,
					  .ns_per_tick = 1 };
	struct rows_query query = query_of(true);
	struct conditions where = { .n = 0 };
	struct rows rows;
	void *dump = begin();

	(void)state;
	tell_plan(dump, TEST_SEND_LAT, 0);
	for (uint64_t size = 1; size < 4; size++)
		tell_point(dump, &s, size);
	end(dump);
	assert_int_equal(condition_parse_all(&where, "--where", "size_bytes >= 2"), 0);
	query.where = &where;
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.n_histograms, 2);
	rows_free(&rows);
	condition_free_all(&where);
	query = query_of(true);
	query.most = 700;
	assert_int_equal(rows_load(&rows, &query), -ENOMEM);
}

/* ---- as others may write it */

#define POINT "1,,,send_lat,RC,send,poll,64,1,half_rtt,ok,"

static int load(const char *lines)
{
	const struct rows_query query = query_of(true);
	char *text;
	struct rows rows;
	int rc;

	assert_true(asprintf(&text, "%s%s", ROW_SAMPLES_HEAD, lines) > 0);
	write_file(text);
	free(text);
	err_clear();
	rc = rows_load(&rows, &query);
	if (rc)
		return rc;
	rc = (int)rows.n;
	rows_free(&rows);
	return rc;
}

static void a_damaged_one_is_refused(void **state)
{
	static const char *const bad[] = {
		"1\n", "\n", POINT "1,1,0\n", POINT "1,1,0,5,,,\n", POINT "1,1,1,5,,\n",
		POINT "1,1,0,,,\n", POINT "1,1,0,x,,\n", POINT "1,1,0,-5,,\n",
		POINT "1,1,0,1e300,,\n", POINT "1,1,0,5,5,5\n", POINT "1,1,0,,5,\n",
		POINT "1,1,0,,,5\n", POINT "1,2,0,5,,\n", POINT "0,0,0,5,,\n",
		POINT "1,0.5,0,5,,\n", POINT "1,1e300,0,5,,\n", POINT ",,0,5,,\n",
		/* a line is missing, is there twice, is of another point, has another time */
		POINT "3,3,0,5,,\n" POINT "3,3,2,5,,\n", POINT "3,3,0,5,,\n" POINT "3,3,0,5,,\n",
		POINT "2,2,0,5,,\n" POINT "3,3,1,5,,\n", POINT "2,2,0,5,,\n" POINT "2,2,1,,5,5\n",
		POINT "2,2,0,5,,\n",
		/* columns */
		"1,,,nothing,RC,send,poll,-1,1,half_rtt,ok,1,1,0,5,,\n",
		"1,,\"send_lat,RC,send,poll,64,1,half_rtt,ok,1,1,0,5,,\n",
		"1,,,send_lat,RC,send,poll,64,1,half_rtt,1,1,0,5,,\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (load(bad[i]) != -EBADMSG)
			fail_msg("not refused: %s", bad[i]);
	/* good ones */
	assert_int_equal(load(""), 0);
	assert_int_equal(load(POINT "1,1,0,5,,\n"), 1);
	assert_int_equal(load(POINT "1,1,0,5,,\r\n" ROW_SAMPLES_HEAD POINT "1,1,0,,5,4\n"), 2);
	/* a crash has cut the last point */
	assert_int_equal(load(POINT "1,1,0,5,,\n" POINT "2,2,0,5,,\n" POINT "2,2,1,5"), 1);
}

static void take_none(void *arg, const struct row *row)
{
	(void)arg;
	(void)row;
	fail();
}

static void other_files(void **state)
{
	const struct rows_query query = query_of(false);
	struct rows rows;

	(void)state;
	write_file("samples_schema,test\n1,send_lat\n");
	assert_int_equal(rows_load(&rows, &query), -EBADMSG);
	assert_non_null(strstr(err_text(), "another version"));
	write_file(ROW_SAMPLES_HEAD);
	assert_int_equal(rows_row_each(path, take_none, NULL), -EBADMSG);
	assert_int_equal(format_dump_samples.check(&(struct format_file){ .path = path }), 0);
	write_file("samples_schema,test\n");
	assert_int_equal(format_dump_samples.check(&(struct format_file){ .path = path }), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_loop),
		cmocka_unit_test(open_loop),
		cmocka_unit_test(conditions_and_memory),
		cmocka_unit_test(a_damaged_one_is_refused),
		cmocka_unit_test(other_files),
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
