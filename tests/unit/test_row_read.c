/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * row_read.c: what the formats write is read back the same, columns go by name, and a truncated,
 * foreign or damaged file is refused with its line.
 */
#include "config.h"
#include "report/row_read.h"

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

#include "report/formats.h"
#include "util/err.h"

#define TEXT_MAX 65536

static char path[] = "/tmp/test_row_read.XXXXXX";

static void write_file(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static size_t load(char *text)
{
	FILE *file = fopen(path, "r");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, TEXT_MAX - 1, file);
	fclose(file);
	text[len] = '\0';
	return len;
}

/* Two rows: one with a value in every column, one with almost none. */
static void fill(struct row rows[2])
{
	row_init(&rows[0]);
	row_init(&rows[1]);
	for (size_t i = 0; i < row_table.n; i++) {
		const struct field *c = &row_table.rows[i];

		if (!strcmp(c->name, "schema"))
			continue;
		field_set_integer(c, &rows[0], 1000 + i);
		field_set_real(c, &rows[0], (double)i * 1e5 / 3);
		if (c->type == FIELD_TEXT)
			field_set_text(c, &rows[0], i % 2 ? "a \"b\", c" : c->name);
	}
	rows[0].lat_min_ns = 0.000000123;
	rows[0].bytes = INT64_MAX;
	rows[1].lost = 0;
	snprintf(rows[1].kind, sizeof(rows[1].kind), "%s", row_kind_result);
	snprintf(rows[1].status, sizeof(rows[1].status), "\"");
	snprintf(rows[1].reason, sizeof(rows[1].reason), ",");
}

static void write_rows(const struct format *format, const struct row *rows, bool adds)
{
	void *state = NULL;

	assert_int_equal(format->open(&state, path, adds ? FORMAT_SHARED : FORMAT_FORCE), 0);
	for (size_t i = 0; i < 2; i++)
		format->row(state, &rows[i]);
	assert_int_equal(format->close(state), 0);
}

static void check_rows(const struct row *rows, size_t copies)
{
	struct row_list list;

	if (row_read(&list, path))
		fail_msg("%s", err_text());
	assert_int_equal(list.n, 2 * copies);
	for (size_t i = 0; i < list.n; i++)
		for (size_t c = 0; c < row_table.n; c++) {
			const struct field *f = &row_table.rows[c];
			char want[FIELD_TEXT_MAX], got[FIELD_TEXT_MAX];

			field_format(f, &rows[i % 2], want, sizeof(want));
			field_format(f, &list.rows[i], got, sizeof(got));
			assert_string_equal(got, want);
			assert_int_equal(field_is_absent(f, &list.rows[i]),
					 field_is_absent(f, &rows[i % 2]));
		}
	row_list_free(&list);
	row_list_free(&list);
}

static void rows_come_back(void **state)
{
	struct row rows[2];

	(void)state;
	fill(rows);
	write_rows(&format_csv, rows, false);
	check_rows(rows, 1);
	write_rows(&format_csv, rows, true);
	check_rows(rows, 2);
	write_rows(&format_json, rows, false);
	check_rows(rows, 1);
	/* the sessions of a server: a document each */
	assert_int_equal(format_json.prepare(path, FORMAT_SHARED | FORMAT_FORCE), 0);
	write_rows(&format_json, rows, true);
	write_rows(&format_json, rows, true);
	check_rows(rows, 2);
}

/* One JSON object a row, without a document around it. */
static void bare_objects_are_rows(void **state)
{
	struct row rows[2];
	FILE *file = fopen(path, "w");

	(void)state;
	assert_non_null(file);
	fill(rows);
	for (size_t i = 0; i < 2; i++) {
		json_t *json = row_json(&rows[i]);

		assert_int_equal(json_dumpf(json, file, JSON_COMPACT |
					    JSON_REAL_PRECISION(ROW_JSON_DIGITS)), 0);
		json_decref(json);
		fputc('\n', file);
	}
	fclose(file);
	check_rows(rows, 1);
}

static void check_one(const char *text)
{
	struct row_list list;

	write_file(text, strlen(text));
	if (row_read(&list, path))
		fail_msg("%s", err_text());
	assert_int_equal(list.n, 1);
	assert_int_equal(list.rows[0].bytes, 7);
	assert_string_equal(list.rows[0].host, "h");
	assert_true(list.rows[0].messages == ROW_NONE && isnan(list.rows[0].link_gbit_s));
	assert_string_equal(list.rows[0].tool_version, "");
	/* of a version that knew no other kind */
	assert_string_equal(list.rows[0].kind, row_kind_result);
	assert_true(list.rows[0].interval == ROW_NONE);
	row_list_free(&list);
}

static void columns_go_by_name(void **state)
{
	(void)state;
	check_one("bytes,future,host,schema,future\n7,\"x,y\",h,1,\n");
	check_one("{\"schema\": 1, \"rows\": [{\"bytes\": 7, \"future\": {}, \"host\": \"h\", "
		  "\"schema\": 1, \"link_gbit_s\": null}]}\n");
}

static void check_refused(const char *text, const char *says)
{
	struct row_list list = { .n = 5 };

	write_file(text, strlen(text));
	assert_int_equal(row_read(&list, path), -EBADMSG);
	assert_true(!list.rows && !list.n);
	if (!strstr(err_text(), says) || !strstr(err_text(), path))
		fail_msg("\"%s\" is not in \"%s\"", says, err_text());
}

static void wrong_files_are_refused(void **state)
{
	struct row_list list;

	(void)state;
	check_refused("", "line 1: the file is empty");
	check_refused("#bytes,t_avg[usec]\n1,2\n", "line 1: not a file of results");
	check_refused("plain text", "line 1: the header line");
	check_refused("schema,bytes,bytes\n", "line 1: a column occurs twice");
	check_refused("schema,bytes\n1,2\n2,2\n", "line 3: the schema is \"2\"");
	check_refused("schema,bytes\n,2\n", "line 2: the schema is \"\"");
	check_refused("schema,bytes\n1,2\n1\n", "line 3: the number of cells is not");
	check_refused("schema,bytes\n1,2,3\n", "line 2: the number of cells is not");
	check_refused("schema,bytes\n1,-2\n", "line 2: bytes is \"-2\"");
	check_refused("schema,link_gbit_s\n1,1e3\n", "line 2: link_gbit_s is \"1e3\"");
	check_refused("schema,bytes\n1,\"2\n1,2\n", "line 2: the line is truncated");
	check_refused("schema,host\n1,\"a\"\"\n", "line 2: the line is truncated");
	check_refused("schema,host\n1,\"\n", "line 2: the line is truncated");
	check_refused("schema,bytes\n1,\"2\"x\n", "line 2: the line is truncated");
	check_refused("{}", "the schema is \"\"");
	check_refused("{\"rows\": [\n{\"schema\": 1}, {\"schema\": 1, \"bytes\": \"2\"}]}",
		      "document 1, row 2: bytes has another JSON type");
	check_refused("{\"rows\": []}\n{\"rows\": [{\"schema\": 9}]}",
		      "document 2, row 1: the schema is \"9\"");
	check_refused("{\"rows\": []}\n{\"rows\":\n\n [}", "line 4: ");
	write_file("schema\n\0", 8);
	assert_int_equal(row_read(&list, path), -EBADMSG);
	assert_int_equal(row_read(&list, "/nonexistent/file"), -ENOENT);
}

/* Cut at any byte: read only if a line or a document ends there. */
static void truncated_files_are_refused(void **state)
{
	static const struct format *const formats[] = { &format_csv, &format_json };
	char *text = calloc(1, TEXT_MAX);
	struct row rows[2];

	(void)state;
	assert_non_null(text);
	fill(rows);
	for (size_t f = 0; f < 2; f++) {
		size_t len, taken = 0;

		write_rows(formats[f], rows, false);
		len = load(text);
		for (size_t cut = len; cut-- > 0;) {
			struct row_list list;

			assert_int_equal(truncate(path, (off_t)cut), 0);
			if (!row_read(&list, path)) {
				taken++;
				assert_int_equal(text[f ? cut : cut - 1], '\n');
				assert_true(list.n < 2 || f);
				row_list_free(&list);
			}
		}
		/* CSV: after the header and after the first row; JSON: without the last newline */
		assert_int_equal(taken, f ? 1 : 2);
	}
	free(text);
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
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(bare_objects_are_rows),
		cmocka_unit_test(columns_go_by_name),
		cmocka_unit_test(wrong_files_are_refused),
		cmocka_unit_test(truncated_files_are_refused),
	};

	return cmocka_run_group_tests_name("row_read", tests, make_file, remove_file);
}
