/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * format_csv, format_json: both hold the same keys and the same figures as the row, and survive
 * hostile strings, failed runs and full disks. (The table: test_format_table.c.)
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/err.h"
#include "write/output.h"
#include "util/text.h"

#define TEXT_MAX 65536

static char dir[] = "/tmp/test_fmt.XXXXXX";

/* The whole file, in a static buffer. */
static const char *slurp(const char *path)
{
	static char text[TEXT_MAX];
	FILE *f = fopen(path, "r");
	size_t len;

	assert_non_null(f);
	len = fread(text, 1, sizeof(text) - 1, f);
	assert_true(len < sizeof(text) - 1);
	text[len] = '\0';
	fclose(f);
	return text;
}

static const char *file(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int open_at(const struct format *format, void **state, const char *path, unsigned int how)
{
	return output_begin(state, format, &(struct format_file){
		.path = path, .how = how, .rows = &output_rows_tests, .format = format });
}

static int check_at(const struct format *format, const char *path)
{
	return format->check(&(struct format_file){ .path = path, .rows = &output_rows_tests,
							 .format = format });
}

static void fill_run(struct event_plan *run, struct plan *plan, struct limits *both)
{
	memset(both, 0, 2 * sizeof(both[0]));
	*plan = (struct plan){
		.work.test = TEST_WRITE_BW,
		.work.kind = { .tp = TP_RC, .op = OP_WRITE, .cm = CM_POLL },
		.n_points = 1,
		.points = { { .messages = 5000 } },
		.n_notes = 1,
		.notes = { { .text = "depth: 128, by auto" } },
	};
	*run = (struct event_plan){
		.plan = plan, .self = &both[0], .peer = &both[1], .side = SIDE_CLIENT,
	};
}

static void fill_row(struct row *row, uint64_t size_bytes)
{
	row_init(row);
	row->size_bytes = size_bytes;
	row->messages = row->window_messages = 5000;
	row->bytes = size_bytes * 5000;
	row->window_ns = 4000000;
	row_rates(row);
	row->status = RESULT_OK;
}

/* One field of a line of CSV, unquoted (RFC 4180). Returns the next one, NULL at the end. */
static const char *csv_field(const char *at, char *text)
{
	bool quoted = *at == '"';

	for (at += quoted; *at; at++) {
		if (quoted && at[0] == '"' && at[1] == '"')
			at++;
		else if (quoted ? *at == '"' : *at == ',' || *at == '\n')
			break;
		*text++ = *at;
	}
	*text = '\0';
	at += quoted;
	assert_true(*at == ',' || *at == '\n');
	return *at == ',' ? at + 1 : NULL;
}

static const char *next_line(const char *at)
{
	at = strchr(at, '\n');
	assert_non_null(at);
	return at + 1;
}

static void csv_golden(void **state)
{
	const char *text, *keys, *cells;
	char name[ROW_TEXT], value[ROW_TEXT], want[ROW_TEXT];
	void *c = NULL;
	struct row row;

	(void)state;
	fill_row(&row, 64);
	snprintf(row.host, ROW_NAME, "a,b");
	snprintf(row.reason, ROW_TEXT, "said \"no\", and\nleft");
	row.lat_p50_ns = 1234.5;
	assert_int_equal(open_at(&format_csv, &c, file("a.csv"), 0), 0);
	assert_int_not_equal(access(file("a.csv"), F_OK), 0); /* nothing before a row */
	format_csv.take(c, &(struct event){ EVENT_ROW, .row = &row });
	assert_non_null(strstr(slurp(file("a.csv")), "schema,tool_version,test,transport,"));
	/* flushed before close: a killed run keeps it */
	text = slurp(file("a.csv"));
	assert_string_equal(next_line(next_line(text)), "");
	keys = text;
	cells = next_line(text);
	assert_non_null(strstr(cells, ",\"a,b\","));
	assert_non_null(strstr(cells, ",\"said \"\"no\"\", and left\","));
	assert_non_null(strstr(cells, ",5000,320000,5000,,4000000,"));
	assert_non_null(strstr(cells, ",0.64,76.2939453,1250000,"));
	for (size_t i = 0; i < row_table.n; i++) {
		assert_non_null(keys);
		assert_non_null(cells);
		keys = csv_field(keys, name);
		cells = csv_field(cells, value);
		assert_string_equal(name, row_table.rows[i].name);
		assert_string_equal(value, field_format(&row_table.rows[i], &row, want,
							sizeof(want)));
	}
	assert_true(!keys && !cells);
	assert_int_equal(output_end(c, &format_csv), 0);
}

/* The promise of the tool: every figure can be recomputed from the integers beside it. */
static void csv_identity(void **state)
{
	uint64_t s = 123456789, column[3] = { 0 };
	char name[ROW_TEXT], value[ROW_TEXT];
	void *c = NULL;
	struct row row;
	const char *at;

	(void)state;
	for (int i = 0; i < 200; i++) {
		long double gbit_s = 0, want;

		s = s * 6364136223846793005u + 1442695040888963407u;
		fill_row(&row, 1 + (s >> (33 + s % 30)));
		row.window_messages = 5000 - s % 5000;
		row.window_ns = 1 + (s >> 30);
		row_rates(&row);
		assert_int_equal(open_at(&format_csv, &c, file("i.csv"), FORMAT_ANEW), 0);
		format_csv.take(c, &(struct event){ EVENT_ROW, .row = &row });
		assert_int_equal(output_end(c, &format_csv), 0);
		at = next_line(slurp(file("i.csv")));
		for (size_t k = 0; k < row_table.n; k++) {
			at = csv_field(at, value);
			snprintf(name, sizeof(name), "%s", row_table.rows[k].name);
			if (!strcmp(name, "window_messages"))
				column[0] = strtoull(value, NULL, 10);
			else if (!strcmp(name, "window_ns"))
				column[1] = strtoull(value, NULL, 10);
			else if (!strcmp(name, "size_bytes"))
				column[2] = strtoull(value, NULL, 10);
			else if (!strcmp(name, "bandwidth_gbit_s"))
				gbit_s = strtold(value, NULL);
		}
		want = (long double)column[0] * column[2] * 8 / column[1];
		assert_true(want > 0);
		assert_true(gbit_s >= want * (1 - 5.01e-9L) && gbit_s <= want * (1 + 5.01e-9L));
	}
}

static void csv_failures(void **state)
{
	void *c = NULL;
	struct row row;

	(void)state;
	fill_row(&row, 1);
	assert_int_equal(check_at(&format_csv, file("no/such/dir")), -ENOENT);
	assert_non_null(strstr(err_text(), "no/such/dir"));
	if (access("/dev/full", W_OK))
		return;
	assert_int_equal(open_at(&format_csv, &c, "/dev/full", 0), 0);
	format_csv.take(c, &(struct event){ EVENT_ROW, .row = &row });
	assert_int_equal(output_end(c, &format_csv), -ENOSPC);
	assert_non_null(strstr(err_text(), "/dev/full"));
}

/* What a peer calls itself is not executed by a spreadsheet; the reader takes the mark back. */
static void csv_of_hostile_names(void **state)
{
	static const char *const names[][2] = {
		{ "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0" }, { "+1", "'+1" }, { "-1", "'-1" },
		{ "@SUM(1,2)", "'@SUM(1,2)" }, { "'=1", "''=1" }, { "'=\"x", "''=\"x" },
		{ "'quoted'", "'quoted'" }, { "node-1", "node-1" }, { "=", "'=" },
	};
	char name[ROW_TEXT], cell[ROW_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *keys, *cells;
		void *c = NULL;
		struct row row;

		fill_row(&row, 1);
		snprintf(row.peer_host, sizeof(row.peer_host), "%s", names[i][0]);
		assert_int_equal(open_at(&format_csv, &c, file("h.csv"), FORMAT_ANEW), 0);
		format_csv.take(c, &(struct event){ EVENT_ROW, .row = &row });
		assert_int_equal(output_end(c, &format_csv), 0);
		keys = slurp(file("h.csv"));
		cells = next_line(keys);
		do {
			keys = csv_field(keys, name);
			cells = csv_field(cells, cell);
		} while (keys && strcmp(name, "peer_host"));
		assert_string_equal(name, "peer_host");
		assert_string_equal(cell, names[i][1]);
		assert_string_equal(text_unmark(cell), names[i][0]);
		unlink(file("h.csv"));
	}
}

/* All outputs, with one row. */
static int write_session(const struct cfg *files)
{
	struct output out;
	struct row row;

	fill_row(&row, 1);
	assert_int_equal(output_open(&out, files), 0);
	output_take(&out, &(struct event){ EVENT_ROW, .row = &row });
	return output_close(&out, &(struct event_end){ .error = NULL });
}

/* Two files that are full: both are told. */
static void all_errors_are_told(void **state)
{
	struct cfg files = { .csv = "/dev/full", .quiet = true };

	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	files.json = "/dev/full";
	assert_int_equal(write_session(&files), -ENOSPC);
	assert_non_null(strstr(err_text(), "write CSV to /dev/full"));
	assert_non_null(strstr(err_text(), "write JSON to /dev/full"));
}

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *doc = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!doc)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return doc;
}

/* Same keys in the same order, same text; absent is null. */
static void check_json_row(const json_t *obj, const struct row *row)
{
	char want[ROW_TEXT], got[ROW_TEXT];
	const char *name;
	const json_t *v;
	size_t i = 0;

	assert_int_equal(json_object_size(obj), row_table.n);
	json_object_foreach((json_t *)(uintptr_t)obj, name, v) {
		assert_string_equal(name, row_table.rows[i].name);
		field_format(&row_table.rows[i], row, want, sizeof(want));
		if (json_is_null(v))
			got[0] = '\0';
		else if (row_table.rows[i].type == FIELD_U64)
			snprintf(got, sizeof(got), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		else if (row_table.rows[i].type == FIELD_F64)
			snprintf(got, sizeof(got), "%.15g", json_real_value(v));
		else
			snprintf(got, sizeof(got), "%s", json_string_value(v));
		assert_string_equal(got, want);
		i++;
	}
}

static void check_json_parts(const json_t *points)
{
	const json_t *point = json_array_get(points, 0), *thread;

	assert_int_equal(json_array_size(points), 1);
	thread = json_array_get(json_object_get(point, "threads"), 1);
	assert_int_equal(json_array_size(json_object_get(point, "threads")), 2);
	assert_int_equal(json_integer_value(json_object_get(thread, "sent")), 70);
	assert_int_equal(json_integer_value(json_object_get(thread, "tx_window_ns")), 9);
	assert_int_equal(json_array_size(json_object_get(thread, "qp_sent")), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(thread, "qp_sent"), 1)),
			 40);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(thread, "qp_received"),
							   0)), 7);
}

/* Runs append: what was in the file stays, and each line is the object of a row. */
static void jsonl_appends(void **state)
{
	const uint64_t sizes[] = { 64, 4096, 65536 };
	const char *line;
	void *j = NULL;
	struct row row;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		fill_row(&row, sizes[i]);
		if (i != 1) /* the first two rows are of one run */
			assert_int_equal(open_at(&format_jsonl, &j, file("rows.jsonl"), 0), 0);
		format_jsonl.take(j, &(struct event){ EVENT_ROW, .row = &row });
		if (i != 0)
			assert_int_equal(output_end(j, &format_jsonl), 0);
	}
	line = slurp(file("rows.jsonl"));
	for (size_t i = 0; i < 3; i++) {
		json_t *obj = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);

		assert_non_null(obj);
		fill_row(&row, sizes[i]);
		check_json_row(obj, &row);
		json_decref(obj);
		line = next_line(line);
	}
	assert_string_equal(line, "");
	assert_int_equal(check_at(&format_jsonl, file("no/such/dir")), -ENOENT);
	if (access("/dev/full", W_OK))
		return;
	assert_int_equal(open_at(&format_jsonl, &j, "/dev/full", 0), 0);
	format_jsonl.take(j, &(struct event){ EVENT_ROW, .row = &row });
	assert_int_equal(output_end(j, &format_jsonl), -ENOSPC);
	assert_non_null(strstr(err_text(), "/dev/full"));
}

static void json_golden(void **state)
{
	struct limits both[2];
	void *j = NULL;
	struct event_plan run;
	struct plan plan;
	struct row rows[2];
	json_t *doc, *obj;
	struct result threads[2] = { { .sent = 30 }, { .sent = 70, .tx_window_ns = 9 } };
	uint64_t sent[] = { 10, 20, 30, 40 }, received[] = { 5, 6, 7, 8 };
	const struct result_detail detail = { .n_threads = 2, .n_qps = 2, .threads = threads,
					      .sent = sent, .received = received };
	const struct event_point ended = { &plan.points[0], &detail, NULL, RESULT_OK };

	(void)state;
	fill_run(&run, &plan, both);
	run.options = json_pack("{s:i}", "depth", 128);
	fill_row(&rows[0], 64);
	fill_row(&rows[1], 3);
	rows[1].window_ns = 7000000;
	row_rates(&rows[1]);
	snprintf(rows[1].reason, ROW_TEXT, "\xff\xfe \"quoted\" \\ \n");
	assert_int_equal(open_at(&format_json, &j, file("a.json"), 0), 0);
	format_json.take(j, &(struct event){ EVENT_PLAN, .plan = &run });
	format_json.take(j, &(struct event){ EVENT_POINT, .point = &ended });
	format_json.take(j, &(struct event){ EVENT_ROW, .row = &rows[0] });
	format_json.take(j, &(struct event){ EVENT_ROW, .row = &rows[1] });
	assert_int_not_equal(access(file("a.json"), F_OK), 0); /* nothing before it is whole */
	assert_int_equal(output_end(j, &format_json), 0);
	json_decref(run.options);

	assert_non_null(strstr(slurp(file("a.json")),
"      \"messages\": 5000,\n"
"      \"bytes\": 320000,\n"
"      \"window_messages\": 5000,\n"
"      \"window_bytes\": null,\n"
"      \"window_ns\": 4000000,\n"
"      \"start_ns\": null,\n"
"      \"windows_shared_pct\": null,\n      \"start_slack_ns\": null,\n"
"      \"window_at_ns\": null,\n"
"      \"sent_messages\": null,\n"));
	assert_non_null(strstr(slurp(file("a.json")), "\"bandwidth_gbit_s\": 0.0171428571,\n"));
	doc = load(file("a.json"));
	assert_int_equal(json_integer_value(json_object_get(doc, "schema")), ROW_SCHEMA);
	assert_true(json_is_null(json_object_get(doc, "error")));
	obj = json_object_get(doc, "run");
	assert_string_equal(json_string_value(json_object_get(obj, "side")), "client");
	assert_true(json_is_object(json_object_get(obj, "plan")));
	assert_true(json_is_object(json_object_get(obj, "self")));
	assert_true(json_is_object(json_object_get(obj, "peer")));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(obj, "options"),
							    "depth")), 128);
	assert_string_equal(json_string_value(json_array_get(json_object_get(obj, "notes"), 0)),
			    "depth: 128, by auto");
	obj = json_object_get(doc, "rows");
	assert_int_equal(json_array_size(obj), 2);
	check_json_row(json_array_get(obj, 0), &rows[0]);
	check_json_row(json_array_get(obj, 1), &rows[1]);
	check_json_parts(json_object_get(doc, "points"));
	json_decref(doc);
}

static void json_of_a_failed_run(void **state)
{
	const struct event_end end = { .status = "refused", .error = "the server said: no" };
	void *j = NULL;
	json_t *doc;

	(void)state;
	assert_int_equal(open_at(&format_json, &j, file("f.json"), 0), 0);
	format_json.take(j, &(struct event){ EVENT_END, .end = &end });
	assert_int_equal(output_end(j, &format_json), 0);
	doc = load(file("f.json"));
	assert_true(json_is_null(json_object_get(doc, "run")));
	assert_int_equal(json_array_size(json_object_get(doc, "rows")), 0);
	assert_string_equal(json_string_value(json_object_get(doc, "error")),
			    "the server said: no");
	assert_string_equal(json_string_value(json_object_get(doc, "status")), "refused");
	json_decref(doc);
}

/* A rename onto a device or a link would replace it. */
static void json_spares_what_is_no_file(void **state)
{
	void *j = NULL;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("target.json", file("link.json")), 0);
	assert_int_equal(open_at(&format_json, &j, file("link.json"), 0), 0);
	assert_int_equal(output_end(j, &format_json), 0);
	assert_int_equal(lstat(file("link.json"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	json_decref(load(file("target.json")));
	j = NULL;
	assert_int_equal(check_at(&format_json, file("no/such/dir")), -ENOENT);
	assert_int_equal(check_at(&format_json, dir), -EISDIR);
	if (access("/dev/full", W_OK))
		return;
	assert_int_equal(open_at(&format_json, &j, "/dev/full", 0), 0);
	assert_int_equal(output_end(j, &format_json), -ENOSPC);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

/* rmdir fails when a temporary file was left behind. */
static int remove_dir(void **state)
{
	static const char *const names[] = {
		"a.csv", "i.csv", "a.json", "f.json", "link.json", "target.json", "rows.jsonl",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(file(names[i]));
	return rmdir(dir);
}

/* A server of many: one header, then a row and a document per session. */
static void sessions_share_files(void **state)
{
	struct cfg files = { .adds = true };
	char csv[64], json[64];
	const char *text;
	int lines = 0;

	(void)state;
	snprintf(csv, sizeof(csv), "%s", file("shared.csv"));
	snprintf(json, sizeof(json), "%s", file("shared.json"));
	files.csv = csv;
	files.json = json;
	assert_int_equal(output_prepare(&files), 0);
	for (int session = 0; session < 2; session++)
		assert_int_equal(write_session(&files), 0);
	text = slurp(csv);
	assert_memory_equal(text, "schema,", 7);
	assert_null(strstr(text + 1, "\nschema,"));
	for (; *text; text++)
		lines += *text == '\n';
	assert_int_equal(lines, 3);
	text = slurp(json);
	for (int session = 0; session < 2; session++) {
		json_t *doc = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);

		assert_non_null(doc);
		assert_int_equal(json_array_size(json_object_get(doc, "rows")), 1);
		json_decref(doc);
		text = strchr(text, '\n') + 1;
	}
	assert_int_equal(*text, '\0');
	/* the server starts over, and not each of its sessions */
	files.csv_new = true;
	assert_int_equal(output_prepare(&files), 0);
	for (int session = 0; session < 2; session++)
		assert_int_equal(write_session(&files), 0);
	lines = 0;
	for (text = slurp(csv); *text; text++)
		lines += *text == '\n';
	assert_int_equal(lines, 3);
	unlink(csv);
	unlink(json);
}

/* The lines of pingpong take the place of the table, and both leave standard output alike. */
static void pingpong_replaces_the_table(void **state)
{
	struct cfg cfg = { .pingpong = true };
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < OUTPUT_N; i++) {
		if (output_formats[i] == &format_table)
			assert_null(output_path(i, &cfg));
		if (output_formats[i] != &format_pingpong)
			continue;
		found++;
		assert_string_equal(output_path(i, &cfg), "-");
		cfg.csv = "-";
		assert_null(output_path(i, &cfg));
		cfg.csv = NULL;
		cfg.pingpong = false;
		assert_null(output_path(i, &cfg));
		cfg.pingpong = true;
	}
	assert_int_equal(found, 1);
}

/* Where the options send each format: the table leaves standard output to who asks for it. */
static void paths_follow_the_options(void **state)
{
	struct cfg cfg = { .csv = "c" };
	size_t tables = 0;

	(void)state;
	for (int to_stdout = 0; to_stdout < 2; to_stdout++) {
		if (to_stdout)
			cfg.json = "-";
		for (size_t i = 0; i < OUTPUT_N; i++) {
			const char *path = output_path(i, &cfg);

			if (output_formats[i] == &format_csv)
				assert_string_equal(path, "c");
			if (output_formats[i] == &format_json && to_stdout)
				assert_string_equal(path, "-");
			else if (output_formats[i] == &format_json)
				assert_null(path);
			if (output_formats[i] != &format_table)
				continue;
			tables++;
			if (to_stdout)
				assert_null(path);
			else
				assert_string_equal(path, "-");
		}
	}
	assert_int_equal(tables, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_golden),
		cmocka_unit_test(csv_identity),
		cmocka_unit_test(csv_failures),
		cmocka_unit_test(csv_of_hostile_names),
		cmocka_unit_test(all_errors_are_told),
		cmocka_unit_test(jsonl_appends),
		cmocka_unit_test(json_golden),
		cmocka_unit_test(json_of_a_failed_run),
		cmocka_unit_test(json_spares_what_is_no_file),
		cmocka_unit_test(sessions_share_files),
		cmocka_unit_test(paths_follow_the_options),
		cmocka_unit_test(pingpong_replaces_the_table),
	};

	return cmocka_run_group_tests_name("fmt", tests, make_dir, remove_dir);
}
