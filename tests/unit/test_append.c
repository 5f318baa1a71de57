/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * append: lines of several processes in one file, none lost and none torn; what a crash left is cut
 * off; a file of another version, or of something else, keeps every byte. out/path: two paths of
 * one file.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "file/append.h"
#include "write/output.h"
#include "file/out_path.h"
#include "row/row.h"
#include "util/err.h"
#include "text_file.h"

#define WRITERS 4
#define LINES 500

static char dir[] = "/tmp/test_append.XXXXXX";

static const char *file(const char *name)
{
	static char path[4][64];
	static unsigned int next;
	char *text = path[next++ % 4];

	snprintf(text, sizeof(path[0]), "%s/%s", dir, name);
	return text;
}

static void assert_file(const char *path, const char *want)
{
	char *text = get(path);

	assert_string_equal(text, want);
	free(text);
}

static const char *refuses(const struct append *a, const char *first, char *text, size_t size)
{
	const size_t len = strlen(a->head) - 1;

	if (strlen(first) == len && !strncmp(first, a->head, len))
		return NULL;
	snprintf(text, size, "the header is another one");
	return text;
}

static const struct append_kind kind = {
	.what = "test lines", .begins = "schema,", .start_over = "--anew", .refuses = refuses,
};

static struct append of(const char *path)
{
	return (struct append){ .kind = &kind, .path = path, .head = "schema,a,b\n" };
}

static void add_one(const char *path, const char *line)
{
	struct append a = of(path);

	if (append_check(&a) || append_line(&a, line) || append_close(&a))
		fail_msg("%s", err_text());
}

static void assert_refused(const struct append *a, const char *says)
{
	char *before = get(a->path);
	struct append copy = *a;

	assert_int_equal(append_check(a), -EINVAL);
	assert_non_null(strstr(err_text(), a->path));
	if (!strstr(err_text(), says))
		fail_msg("\"%s\" does not say \"%s\"", err_text(), says);
	/* also when it became such a file after the check */
	assert_int_equal(append_line(&copy, "1,2,3\n"), -EINVAL);
	assert_int_equal(append_close(&copy), 0);
	assert_file(a->path, before);
	free(before);
}

static void nothing_before_the_first_line(void **state)
{
	const char *path = file("new.csv");
	struct append a = of(path);

	(void)state;
	assert_int_equal(append_check(&a), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_file(path, "schema,a,b\n1,2,3\n");
	assert_int_equal(append_line(&a, "1,4,5\n"), 0);
	assert_int_equal(append_close(&a), 0);
	add_one(path, "1,6,7\n");
	assert_file(path, "schema,a,b\n1,2,3\n1,4,5\n1,6,7\n");
	unlink(path);
	put(path, "");
	add_one(path, "1,2,3\n");
	assert_file(path, "schema,a,b\n1,2,3\n");
	unlink(path);
}

static void torn_lines_are_cut_off(void **state)
{
	static const char *const torn[][2] = {
		{ "schema,a,b\n1,2,3\n1,4", "schema,a,b\n1,2,3\n1,6,7\n" },
		{ "schema,a,b\n1,4", "schema,a,b\n1,6,7\n" },
		{ "schema,a,b", "schema,a,b\n1,6,7\n" },
		{ "sch", "schema,a,b\n1,6,7\n" },
	};
	const char *path = file("torn.csv");
	char *text, *want;

	(void)state;
	for (size_t i = 0; i < sizeof(torn) / sizeof(torn[0]); i++) {
		put(path, torn[i][0]);
		add_one(path, "1,6,7\n");
		assert_file(path, torn[i][1]);
	}
	/* longer than what is read at once */
	text = calloc(1, 20001);
	assert_non_null(text);
	memset(text, 'x', 20000);
	memcpy(text, "schema,a,b\n1,2,3\n", 17);
	put(path, text);
	add_one(path, "1,6,7\n");
	assert_file(path, "schema,a,b\n1,2,3\n1,6,7\n");
	/* whole lines of any length are none of that */
	text[19999] = '\n';
	put(path, text);
	add_one(path, "1,6,7\n");
	assert_int_equal(asprintf(&want, "%s1,6,7\n", text) > 0, 1);
	assert_file(path, want);
	free(want);
	free(text);
	unlink(path);
}

static void foreign_files_stay(void **state)
{
	const char *path = file("foreign");
	struct append a = of(path);

	(void)state;
	put(path, "schema,a,c\n1,2,3\n");
	assert_refused(&a, "--anew");
	put(path, "schema,a,c\n1,2");
	assert_refused(&a, "--anew");
	put(path, "int main(void)\n");
	assert_refused(&a, "--force");
	put(path, "a letter without an end of line");
	assert_refused(&a, "--force");
	a.start = APPEND_ANEW;
	assert_refused(&a, "--force");
	a.start = APPEND_FORCE;
	assert_int_equal(append_check(&a), 0);
	assert_file(path, "a letter without an end of line");
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(append_line(&a, "1,4,5\n"), 0); /* started over once */
	assert_int_equal(append_close(&a), 0);
	assert_file(path, "schema,a,b\n1,2,3\n1,4,5\n");
	put(path, "schema,a,c\n1,2,3\n");
	a = of(path);
	a.start = APPEND_ANEW;
	assert_int_equal(append_check(&a), 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(append_close(&a), 0);
	assert_file(path, "schema,a,b\n1,2,3\n");
	unlink(path);
}

static void what_cannot_be_written_is_known_before(void **state)
{
	struct append a = of(file("no/such/dir"));

	(void)state;
	assert_int_equal(append_check(&a), -ENOENT);
	assert_non_null(strstr(err_text(), "no/such/dir"));
	a.path = dir;
	assert_int_equal(append_check(&a), -EISDIR);
	a.path = file("locked.csv");
	put(a.path, "schema,a,b\n");
	assert_int_equal(chmod(a.path, 0444), 0);
	if (geteuid()) /* root may */
		assert_int_equal(append_check(&a), -EACCES);
	unlink(a.path);
}

/* One of several writers; each opens the file by itself, some for each line. */
static void write_many(const char *path, int writer)
{
	struct append a = of(path);
	char line[6000];

	for (int i = 0; i < LINES; i++) {
		/* longer than a page and than PIPE_BUF, and of another length each time */
		const int n = snprintf(line, sizeof(line), "%d,%d,%0*d\n", writer, i,
				       4500 + (writer * 131 + i * 17) % 1000, 7);

		if (n < 0 || append_line(&a, line))
			_exit(1);
		if (writer & 1 && append_close(&a))
			_exit(2);
	}
	_exit(append_close(&a) ? 3 : 0);
}

static void check_line(const char *line, size_t len, int next[WRITERS])
{
	char *end;
	const long writer = strtol(line, &end, 10);
	long i;

	assert_in_range(writer, 0, WRITERS - 1);
	assert_int_equal(*end, ',');
	i = strtol(end + 1, &end, 10);
	assert_int_equal(i, next[writer]++); /* none lost, none twice, in order */
	assert_int_equal(*end, ',');
	assert_int_equal(strspn(end + 1, "0"), 4500 + (writer * 131 + i * 17) % 1000 - 1);
	assert_int_equal(line + len - end, 4500 + (writer * 131 + i * 17) % 1000 + 1);
	assert_int_equal(line[len - 1], '7');
}

static void many_writers(void **state)
{
	const char *path = file("many.csv");
	int next[WRITERS] = { 0 }, wstatus;
	pid_t pids[WRITERS];
	char *text, *at;

	(void)state;
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			write_many(path, i);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &wstatus, 0), pids[i]);
		assert_int_equal(wstatus, 0);
	}
	text = get(path);
	assert_int_equal(strncmp(text, "schema,a,b\n", 11), 0);
	for (at = text + 11; *at; at = strchr(at, '\n') + 1) {
		assert_non_null(strchr(at, '\n'));
		check_line(at, (size_t)(strchr(at, '\n') - at), next);
	}
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(next[i], LINES);
	free(text);
	unlink(path);
}

/* Who holds the lock for ever does not hold the run for ever. */
static void a_stuck_lock_is_an_error(void **state)
{
	const char *path = file("held.csv");
	struct append a = of(path);
	int fd;

	(void)state;
	put(path, "");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), -EBUSY);
	assert_non_null(strstr(err_text(), "lock"));
	close(fd);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(append_close(&a), 0);
	assert_file(path, "schema,a,b\n1,2,3\n");
	unlink(path);
}

/* A limit of the size of files does what a full disk does: write(2) writes a part, then nothing. */
static void half_a_line_is_taken_back(void **state)
{
	const char *path = file("full.csv");
	const struct rlimit small = { .rlim_cur = 20, .rlim_max = RLIM_INFINITY };
	struct append a = of(path);
	struct rlimit before;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(append_line(&a, "1,4,5\n"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(err_text(), "full.csv"));
	assert_non_null(strstr(err_text(), strerror(EFBIG)));
	assert_file(path, "schema,a,b\n1,2,3\n");
	assert_int_equal(append_line(&a, "1,6,7\n"), 0);
	assert_int_equal(append_close(&a), 0);
	assert_file(path, "schema,a,b\n1,2,3\n1,6,7\n");
	unlink(path);
}

static void pipes_have_a_header_and_no_lock(void **state)
{
	const char *path = file("pipe");
	struct append a = of(path);
	char text[64] = "";
	int fd;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(append_check(&a), 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), -ENXIO); /* nobody reads: no endless wait */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(append_line(&a, "1,4,5\n"), 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "schema,a,b\n1,2,3\n1,4,5\n");
	close(fd);
	assert_int_equal(append_line(&a, "1,6,7\n"), -EPIPE);
	assert_int_equal(append_close(&a), 0);
	unlink(path);
}

/* ---- rows */

static int check_rows(const char *path, const struct format *format)
{
	return format->check(&(struct format_file){
		.path = path, .rows = &output_rows_tests, .format = format });
}

static void assert_says(int rc, const char *says)
{
	assert_int_equal(rc, -EINVAL);
	if (!strstr(err_text(), says))
		fail_msg("\"%s\" does not say \"%s\"", err_text(), says);
}

static void the_first_different_column_is_named(void **state)
{
	const char *path = file("columns.csv");

	(void)state;
	put(path, "schema,tool_version,bandwidth\n1,1,1\n");
	assert_says(check_rows(path, &format_csv),
		    "column 3 is \"bandwidth\", and this version writes \"test\" there");
	assert_says(check_rows(path, &format_csv), "--csv-new");
	put(path, "schema,tool_version\n1,1\n");
	assert_says(check_rows(path, &format_csv),
		    "this version has one more column, \"test\", after column 2");
	put(path, "a,b\n");
	assert_says(check_rows(path, &format_csv), "--force");
	put(path, "{\"schema\":1,\"tool_version\":\"1\",\"bandwidth\":1}\n");
	assert_says(check_rows(path, &format_jsonl), "the key \"bandwidth\"");
	put(path, "{\"schema\":99,\"tool_version\":\"1\"}\n");
	assert_says(check_rows(path, &format_jsonl), "schema of its rows is 99");
	put(path, "{\"schema\":1,\"tool_version\":\"1\"}\n"); /* of a version with fewer keys */
	assert_int_equal(check_rows(path, &format_jsonl), 0);
	put(path, "{\"schema\":1,\"tool_vers"); /* torn */
	assert_int_equal(check_rows(path, &format_jsonl), 0);
	put(path, "[1]\n");
	assert_says(check_rows(path, &format_jsonl), "--force");
	unlink(path);
}

/* Writes a document with these rows. */
static void write_doc(const struct format_file *f, const enum result_status *statuses, size_t n)
{
	void *j;

	assert_int_equal(output_begin(&j, &format_json, f), 0);
	for (size_t i = 0; i < n; i++) {
		struct row row;

		row_init(&row);
		row.status = statuses[i];
		format_json.take(j, &(struct event){ EVENT_ROW, .row = &row });
	}
	assert_int_equal(output_end(j, &format_json), 0);
}

/* A document replaces a document, and nothing else without --force. */
static void documents_replace_documents(void **state)
{
	const char *path = file("doc.json");
	struct format_file f = { .path = path, .rows = &output_rows_tests };

	(void)state;
	assert_int_equal(format_json.check(&f), 0);
	assert_int_equal(format_json.prepare(&f), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	write_doc(&f, NULL, 0);
	assert_int_equal(format_json.check(&f), 0);
	put(path, "{\"schema\":1,\"rows\":[]}\n{\"schema\":1,\"rows\":[]}\n"); /* of a server */
	assert_says(format_json.check(&f), "--force");
	put(path, "schema,a\n");
	assert_says(format_json.check(&f), "--force");
	f.how = FORMAT_FORCE;
	assert_int_equal(format_json.check(&f), 0);
	unlink(path);
}

static void the_worst_row_is_the_status(void **state)
{
	static const enum result_status rows[] = {
		RESULT_OK, RESULT_INCOMPLETE, RESULT_OK, RESULT_INTERRUPTED, RESULT_FAILED,
		RESULT_INTERRUPTED,
	};
	static const char *const worst[] = { "ok", "incomplete", "incomplete", "interrupted",
					     "failed", "failed" };
	const struct format_file f = { .path = file("status.json"), .rows = &output_rows_tests };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *doc;

		write_doc(&f, rows, i + 1);
		doc = json_load_file(f.path, 0, NULL);
		assert_string_equal(json_string_value(json_object_get(doc, "status")), worst[i]);
		json_decref(doc);
	}
	unlink(f.path);
}

/* ---- paths */

static bool same(const char *a, const char *b)
{
	struct out_path x, y;
	bool is_same;

	assert_int_equal(out_path_find(&x, a), 0);
	assert_int_equal(out_path_find(&y, b), 0);
	is_same = out_path_same(&x, &y);
	out_path_free(&x);
	out_path_free(&y);
	return is_same;
}

static void paths_of_one_file(void **state)
{
	char dotted[64];

	(void)state;
	snprintf(dotted, sizeof(dotted), "%s/.//f", dir);
	assert_int_equal(symlink("f", file("link")), 0);
	assert_int_equal(symlink(file("link"), file("far")), 0);
	for (int exists = 0; exists < 2; exists++) {
		assert_true(same(file("f"), dotted));
		assert_true(same(file("f"), file("link")));
		assert_true(same(file("far"), file("f")));
		assert_false(same(file("f"), file("g")));
		put(file("f"), "");
	}
	assert_int_equal(link(file("f"), file("hard")), 0);
	assert_true(same(file("f"), file("hard")));
	assert_false(same("/dev/null", "/dev/null"));
	unlink(file("hard"));
	unlink(file("link"));
	unlink(file("far"));
	unlink(file("f"));
}

/* What an attack plants in a directory that all may write to; a link needs another owner: root. */
static void links_of_others_are_not_followed(void **state)
{
	const char *path = file("planted.csv"), *victim = file("victim");
	struct append a = of(path);
	struct out_path f;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(symlink(victim, path), 0);
	assert_int_equal(lchown(path, 65534, 65534), 0);
	for (int exists = 0; exists < 2; exists++) {
		assert_int_equal(append_check(&a), -EXDEV);
		assert_int_equal(append_line(&a, "1,2,3\n"), -EXDEV);
		assert_non_null(strstr(err_text(), "another user"));
		assert_int_equal(out_path_find(&f, path), -EXDEV);
		out_path_free(&f);
		if (exists)
			assert_file(victim, "");
		else
			assert_int_not_equal(access(victim, F_OK), 0);
		put(victim, "");
	}
	/* one's own link is meant */
	assert_int_equal(lchown(path, geteuid(), getegid()), 0);
	assert_int_equal(append_line(&a, "1,2,3\n"), 0);
	assert_int_equal(append_close(&a), 0);
	assert_file(victim, "schema,a,b\n1,2,3\n");
	unlink(path);
	unlink(victim);
}

/* The name of the new file cannot be guessed: what is planted is neither opened nor removed. */
static void a_replacement_has_a_name_of_its_own(void **state)
{
	const char *path = file("whole.json"), *victim = file("victim");
	char planted[96];
	struct stat st;

	(void)state;
	snprintf(planted, sizeof(planted), "%s.%ld.tmp", path, (long)getpid());
	put(victim, "precious");
	assert_int_equal(symlink(victim, planted), 0);
	assert_int_equal(out_replace_file(path, "{}\n", 3), 0);
	assert_file(path, "{}\n");
	assert_file(victim, "precious");
	assert_int_equal(lstat(planted, &st), 0);
	unlink(planted);
	unlink(victim);
	unlink(path);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

/* rmdir fails when a temporary file was left behind. */
static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_before_the_first_line),
		cmocka_unit_test(torn_lines_are_cut_off),
		cmocka_unit_test(foreign_files_stay),
		cmocka_unit_test(what_cannot_be_written_is_known_before),
		cmocka_unit_test(many_writers),
		cmocka_unit_test(a_stuck_lock_is_an_error),
		cmocka_unit_test(half_a_line_is_taken_back),
		cmocka_unit_test(pipes_have_a_header_and_no_lock),
		cmocka_unit_test(the_first_different_column_is_named),
		cmocka_unit_test(documents_replace_documents),
		cmocka_unit_test(the_worst_row_is_the_status),
		cmocka_unit_test(paths_of_one_file),
		cmocka_unit_test(links_of_others_are_not_followed),
		cmocka_unit_test(a_replacement_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests_name("append", tests, make_dir, remove_dir);
}
