/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * src/rows/read: the columns in memory are what the formats wrote, in CSV and JSON alike; axes,
 * groups and medians; the limit of memory; no file, however mutated or cut, does harm (run it under
 * ASan).
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

#include "write/output.h"
#include "row/row.h"
#include "read/axes.h"
#include "read/groups.h"
#include "util/err.h"

#define FUZZ_CASES 3000u

static char path[] = "/tmp/test_rows.XXXXXX";
static const char *const paths[] = { path };

static void write_file(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static char *read_all(size_t *len)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(file);
	assert_non_null(text);
	*len = fread(text, 1, (1 << 20) - 1, file);
	fclose(file);
	return text;
}

/* A sweep: two tests of two sizes, each three times, and a row that failed. */
static size_t make_sweep(struct row rows[13])
{
	static const double lat[] = { 30, 10, 20 };
	size_t n = 0;

	for (int repeat = 0; repeat < 3; repeat++)
		for (uint64_t size = 1024; size >= 64; size /= 16)
			for (int test = 0; test < 2; test++) {
				struct row *r = &rows[n++];

				row_init(r);
				r->test = test ? TEST_SEND_LAT : TEST_SEND_BW;
				r->transport = TP_RC;
				r->status = RESULT_OK;
				r->size_bytes = size;
				r->footprint_bytes = 2 * size;
				r->bandwidth_gbit_s = (double)size / 7;
				if (!test)
					continue;
				r->lat_p50_ns = lat[repeat] + (double)size;
				r->lat_samples = 5;
				r->lat_min_ns = 1;
				r->lat_max_ns = 2;
			}
	rows[n] = rows[0];
	rows[n].page_bytes = 4096;
	rows[n].status = RESULT_FAILED;
	snprintf(rows[n].peer_host, sizeof(rows[n].peer_host), "=HYPERLINK(1)");
	/* an object within the row: in this one only, for the test of cut files */
	snprintf(rows[n].device_counters, sizeof(rows[n].device_counters),
		 "packet_seq_err=7 Nak Sequence Error=1 zero=0");
	snprintf(rows[n].reason, sizeof(rows[n].reason), "a \"reason\", with a comma");
	return n + 1;
}

static void write_rows(const struct format *format, const struct row *rows, size_t n)
{
	const struct format_file file = { .path = path, .rows = &output_rows_tests,
					  .format = format };
	void *state;

	assert_int_equal(unlink(path), 0);
	assert_int_equal(output_begin(&state, format, &file), 0);
	for (size_t i = 0; i < n; i++)
		format->take(state, &(struct event){ EVENT_ROW, .row = &rows[i] });
	assert_int_equal(output_end(state, format), 0);
}

static struct rows_query query_all(void)
{
	struct rows_query query = { .paths = paths, .n_paths = 1, .histograms = true };

	for (enum rows_column i = 0; i < ROWS_COLUMNS; i++)
		axes_want(&query, i);
	return query;
}

static void columns_are_what_was_written(void **state)
{
	static const struct format *const formats[] = { &format_csv, &format_jsonl };
	struct row written[13];
	const size_t n = make_sweep(written);
	const struct rows_query query = query_all();
	struct rows rows;

	(void)state;
	for (size_t f = 0; f < 2; f++) {
		write_rows(formats[f], written, n);
		assert_int_equal(rows_load(&rows, &query), 0);
		assert_int_equal(rows.n, n);
		for (size_t row = 0; row < n; row++) {
			for (size_t i = 0; i < row_table.n; i++) {
				const enum rows_column column = (enum rows_column)i;
				char text[FIELD_TEXT_MAX], buf[ROWS_TEXT];
				double number;

				field_format(&row_table.rows[i], &written[row], text,
					     sizeof(text));
				if (!rows_is_number(column)) {
					assert_string_equal(rows_text(&rows, column, row, buf),
							    text);
					continue;
				}
				number = rows_number(&rows, column, row);
				assert_int_equal(isnan(number), !text[0]);
				if (text[0])
					assert_true(number == strtod(text, NULL));
			}
			assert_string_equal(rows_text(&rows, ROWS_file, row,
						      (char[ROWS_TEXT]){ 0 }), path);
		}
		rows_free(&rows);
	}
}

/* The footprint follows from the size; the page size varies only in a row that does not count. */
static void swept_axes_tell_the_rows_apart(void **state)
{
	struct row written[13];
	const size_t n = make_sweep(written);
	const struct rows_query query = query_all();
	const struct columns_named sizes = { .all = { ROWS_footprint_bytes }, .n = 1 };
	struct columns_named swept;
	struct columns_named found;
	struct rows rows;
	bool *skip;

	(void)state;
	write_rows(&format_csv, written, n);
	assert_int_equal(rows_load(&rows, &query), 0);
	skip = measured_skip(&rows);
	assert_non_null(skip);
	assert_true(skip[12]);
	axes_swept(&rows, skip, &swept);
	assert_int_equal(swept.n, 2);
	assert_int_equal(swept.all[0], ROWS_test);
	assert_int_equal(swept.all[1], ROWS_size_bytes);
	axes_swept_beside(&rows, skip, &sizes, &found);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.all[0], ROWS_test);
	axes_swept_without(&rows, skip, &sizes, &found);
	assert_int_equal(found.n, 2);
	axes_swept(&rows, NULL, &swept);
	assert_int_equal(swept.all[swept.n - 1], ROWS_page_bytes);
	free(skip);
	rows_free(&rows);
}

/* A row with another governor or kernel is no repeat of the others. */
static void machines_tell_the_rows_apart(void **state)
{
	struct row written[13];
	const size_t n = make_sweep(written);
	const struct rows_query query = query_all();
	struct columns_named swept;
	struct rows rows;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(written[i].governor, sizeof(written[i].governor), "%s",
			 i < 4 ? "powersave" : "performance");
		snprintf(written[i].peer_kernel, sizeof(written[i].peer_kernel), "%s",
			 i < 8 ? "6.1.0" : "6.6.0");
	}
	write_rows(&format_csv, written, n);
	assert_int_equal(rows_load(&rows, &query), 0);
	axes_swept(&rows, NULL, &swept);
	assert_true(columns_have(&swept, ROWS_governor));
	assert_true(columns_have(&swept, ROWS_peer_kernel));
	assert_false(columns_have(&swept, ROWS_kernel));
	rows_free(&rows);
}

static void groups_are_sorted_and_have_medians(void **state)
{
	static const enum rows_column by[] = { ROWS_test, ROWS_size_bytes };
	static const char *const names[] = { "send_bw", "send_bw", "send_lat", "send_lat" };
	static const double sizes[] = { 64, 1024, 64, 1024 };
	struct row written[13];
	const size_t n = make_sweep(written);
	const struct rows_query query = query_all();
	struct groups groups;
	struct spread spread;
	struct rows rows;
	char buf[ROWS_TEXT];

	(void)state;
	write_rows(&format_csv, written, n);
	assert_int_equal(rows_load(&rows, &query), 0);
	groups_make(&groups, &rows, by, 2);
	assert_int_equal(groups.n, 4);
	for (size_t g = 0; g < 4; g++) {
		const uint32_t row = groups.members[groups.begin[g]];

		assert_string_equal(rows_text(&rows, ROWS_test, row, buf), names[g]);
		assert_true(rows_number(&rows, ROWS_size_bytes, row) == sizes[g]);
	}
	assert_int_equal(groups.begin[4], n);
	spread = spread_of(&groups, 3, ROWS_lat_p50_ns, NULL);
	assert_int_equal(spread.n, 3);
	assert_true(spread.median == 1044 && spread.min == 1034 && spread.max == 1054);
	spread = spread_of(&groups, 0, ROWS_lat_p50_ns, NULL);
	assert_int_equal(spread.n, 0);
	assert_true(isnan(spread.median));
	groups_free(&groups);
	rows_free(&rows);
}

/* The table grows to the limit and no further; the message says what to do. */
static void memory_has_a_limit(void **state)
{
	struct rows_query query = query_all();
	struct rows rows;
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fputs("schema,test,status,bandwidth_gbit_s,reason\n", file);
	for (int i = 0; i < 20000; i++)
		fprintf(file, "1,send_bw,ok,%d,reason %d\n", i, i);
	assert_int_equal(fclose(file), 0);
	query.most = 1 << 20;
	assert_int_equal(rows_load(&rows, &query), -ENOMEM);
	assert_non_null(strstr(err_text(), "--where"));
	query.most = 4 << 20;
	assert_int_equal(rows_load(&rows, &query), 0);
	assert_int_equal(rows.n, 20000);
	assert_true(rows.budget.used <= query.most);
	rows_free(&rows);
	/* what has one value in all rows takes no room */
	query.as[ROWS_reason] = query.as[ROWS_bandwidth_gbit_s] = ROWS_LEFT_OUT;
	query.most = 200 << 10;
	assert_int_equal(rows_load(&rows, &query), 0);
	rows_free(&rows);
}

/* xorshift64*: the same cases on every machine. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static void mutate(char *text, size_t len, uint64_t *seed)
{
	static const char *const bits[] = { ",", "\"", "\n", "\"\"", "{", "}", "[", "]", "null",
					    "1e999", "-1", "\\u00", ":", "schema,", "rows", "\\" };

	for (uint64_t n = 1 + next(seed) % 4; n > 0; n--) {
		const size_t at = next(seed) % len, from = next(seed) % len;
		const char *bit = bits[next(seed) % (sizeof(bits) / sizeof(bits[0]))];
		const size_t span = next(seed) % 300;

		switch (next(seed) % 3) {
		case 0:
			text[at] = (char)next(seed);
			break;
		case 1:
			if (at + strlen(bit) < len)
				memcpy(text + at, bit, strlen(bit));
			break;
		default:
			if (at + span < len && from + span < len)
				memmove(text + at, text + from, span);
		}
	}
}

/* All that a report does with a table. */
static void use(const struct rows *rows)
{
	struct columns_named swept;
	struct groups groups;
	bool *skip = measured_skip(rows);

	assert_non_null(skip);
	axes_swept(rows, skip, &swept);
	groups_make(&groups, rows, swept.all, swept.n);
	for (size_t g = 0; g < groups.n; g++) {
		assert_true(groups.begin[g] < groups.begin[g + 1]);
		(void)spread_of(&groups, g, ROWS_bandwidth_gbit_s, skip);
	}
	groups_free(&groups);
	free(skip);
}

/* Returns the number of histograms. */
static size_t load_and_use(void)
{
	const struct rows_query query = query_all();
	struct rows rows;
	size_t n;

	err_clear();
	if (rows_load(&rows, &query)) {
		assert_string_not_equal(err_text(), "");
		return 0;
	}
	use(&rows);
	n = rows.n_histograms;
	rows_free(&rows);
	return n;
}

/* Of make_sweep(): each row of latency has a point with a histogram. */
static void write_document(const struct row *rows, size_t n)
{
	FILE *file = fopen(path, "w");
	json_t *list = json_array(), *points = json_array(), *document;

	assert_non_null(file);
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(list, row_json(&row_table, &rows[i]));
		json_array_append_new(points, !rows[i].lat_samples ? json_object() :
			json_pack("{s:I, s:{s:i, s:i, s:i, s:[[f,f,i], [f,f,i]]}}", "size_bytes",
				  (json_int_t)rows[i].size_bytes, "histogram", "samples", 5,
				  "min_ns", 1, "max_ns", 2, "buckets", 1.024, 1.026, 3, 1.026,
				  1.028, 2));
	}
	document = json_pack("{s:i, s:s, s:{s:[n,b,f]}, s:o, s:o}", "schema", 1, "status", "ok",
			     "run", "a", 1, 1.5, "points", points, "rows", list);
	assert_non_null(document);
	assert_int_equal(json_dumpf(document, file, JSON_INDENT(1)), 0);
	json_decref(document);
	assert_int_equal(fclose(file), 0);
}

static void mutated_files_do_no_harm(void **state)
{
	struct row written[13];
	const size_t n = make_sweep(written);
	uint64_t seed = 1;

	(void)state;
	for (int form = 0; form < 3; form++) {
		size_t len;
		char *good, *bad;

		if (form < 2)
			write_rows(form ? &format_jsonl : &format_csv, written, n);
		else
			write_document(written, n);
		good = read_all(&len);
		bad = malloc(len);
		assert_non_null(bad);
		assert_int_equal(load_and_use(), form == 2 ? 6 : 0);
		for (unsigned int i = 0; i < FUZZ_CASES; i++) {
			memcpy(bad, good, len);
			mutate(bad, len, &seed);
			write_file(bad, i % 3 ? len : next(&seed) % len);
			load_and_use();
		}
		free(good);
		free(bad);
	}
}

/* Cut at any byte: the whole rows before it, and a note; or an error message. */
static void cut_files_keep_whole_rows(void **state)
{
	static const struct format *const formats[] = { &format_csv, &format_jsonl };
	struct row written[13];
	const struct rows_query query = query_all();

	(void)state;
	(void)make_sweep(written);
	for (size_t f = 0; f < 2; f++) {
		size_t len, first;
		char *text;

		write_rows(formats[f], written, 2);
		text = read_all(&len);
		first = (size_t)(strchr(text, '\n') + 1 - text);
		for (size_t cut = len; cut-- > 0;) {
			struct rows rows;

			assert_int_equal(truncate(path, (off_t)cut), 0);
			if (rows_load(&rows, &query)) {
				assert_true(cut < first);
				continue;
			}
			assert_true(rows.n <= 2);
			/* a last line of JSON without its newline is whole */
			assert_int_equal(rows.torn, text[cut - 1] != '\n' && text[cut - 1] != '}');
			rows_free(&rows);
		}
		free(text);
	}
}

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_what_was_written),
		cmocka_unit_test(swept_axes_tell_the_rows_apart),
		cmocka_unit_test(machines_tell_the_rows_apart),
		cmocka_unit_test(groups_are_sorted_and_have_medians),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(mutated_files_do_no_harm),
		cmocka_unit_test(cut_files_keep_whole_rows),
	};

	/* notes about lines that were cut are many */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	return cmocka_run_group_tests_name("rows", tests, make_file, remove_file);
}
