/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * log.c and standard.c: the log of a server and what its sessions print never wait for a reader;
 * what is lost is told; closed descriptors are no files of results.
 */
#include "config.h"
#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "file/out_path.h"
#include "util/clock.h"
#include "util/standard.h"

#define GUARD_S 300
#define LINES 2000u

/* Runs body in a process whose descriptor fd is the end of the pair. A hang ends it by SIGALRM. */
static int run_child(void (*body)(void), int fd, int end)
{
	int wstatus = 0;
	const pid_t pid = fork();

	if (!pid) {
		alarm(GUARD_S);
		dup2(end, fd);
		body();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	return wstatus;
}

/* What is in a pipe or socket now. */
static char *drain(int fd)
{
	char *text = calloc(1, 4u << 20);
	size_t len = 0;
	ssize_t n;

	assert_non_null(text);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	while ((n = read(fd, text + len, (4u << 20) - 1 - len)) > 0)
		len += (size_t)n;
	return text;
}

static unsigned int count_lines(const char *text)
{
	unsigned int n = 0;

	for (const char *p = strchr(text, '\n'); p; p = strchr(p + 1, '\n'))
		n++;
	return n;
}

static void log_many(void)
{
	if (log_serve(0))
		_exit(1);
	for (unsigned int i = 0; i < LINES; i++)
		log_error("refused a plan of which the reason is rather long, number %u", i);
	if (!log_has_dropped())
		_exit(2);
}

static void nobody_reads(int pair[2])
{
	int flags = fcntl(pair[1], F_GETFL);
	char *text;

	assert_int_equal(run_child(log_many, STDERR_FILENO, pair[1]), 0);
	/* the description may be shared with other programs */
	assert_int_equal(fcntl(pair[1], F_GETFL), flags);
	text = drain(pair[0]);
	assert_true(count_lines(text) > 10);
	assert_true(count_lines(text) < LINES);
	assert_null(strstr(text, "missing"));
	free(text);
	close(pair[0]);
	close(pair[1]);
}

static void test_full_pipe(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	nobody_reads(pair);
}

static void test_full_socket(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	nobody_reads(pair);
}

static int reader;

/* The reader comes back: the next line is the number of those that are missing. */
static void log_read_again(void)
{
	char *text;

	log_many();
	text = drain(reader);
	const unsigned int first = count_lines(text);
	char want[80];

	free(text);
	log_note("somebody reads");
	text = drain(reader);
	snprintf(want, sizeof(want), "%u could not be written,", LINES - first);
	if (!strstr(text, want) || !strstr(text, "somebody reads\n") || count_lines(text) != 2)
		_exit(3);
	if (log_has_dropped())
		_exit(4);
	free(text);
}

static void test_missing_lines_are_told(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	reader = pair[0];
	assert_int_equal(run_child(log_read_again, STDERR_FILENO, pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

static void log_beyond_rate(void)
{
	const uint64_t begin_s = clock_ns() / 1000000000u;
	unsigned int n, seconds;
	char *text;

	if (log_serve(5))
		_exit(1);
	/* of all processes together */
	for (unsigned int i = 0; i < 4; i++) {
		const pid_t pid = fork();

		if (!pid) {
			for (unsigned int k = 0; k < 50; k++)
				log_note("line %u of %u", k, i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	seconds = (unsigned int)(clock_ns() / 1000000000u - begin_s) + 1;
	text = drain(reader);
	n = count_lines(text);
	free(text);
	/* with a line in each second that tells what is missing */
	if (n < 5 || n > seconds * 6 || !log_has_dropped())
		_exit(2);
	log_tell_dropped();
	text = drain(reader);
	if (!strstr(text, "0 could not be written,") || !strstr(text, "more than 5 in a second"))
		_exit(3);
	free(text);
}

static void test_lines_per_second(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	reader = pair[0];
	assert_int_equal(run_child(log_beyond_rate, STDERR_FILENO, pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

#define RECORDS 50u

/* No rate limits records, and their number leaves other lines their rate. */
static void log_records(void)
{
	static char word[3000];
	unsigned int n = 0;
	char *text;

	memset(word, 'x', sizeof(word) - 1);
	if (log_serve(1))
		_exit(1);
	for (unsigned int i = 0; i < RECORDS; i++)
		if (!log_record("record %u", i))
			_exit(2);
	log_note("a line");
	if (!log_record("long %s end", word))
		_exit(3);
	text = drain(reader);
	for (const char *p = strstr(text, ": record "); p; p = strstr(p + 1, ": record "))
		n++;
	if (n != RECORDS || !strstr(text, ": a line\n") || !strstr(text, "x end\n"))
		_exit(4);
	free(text);
	if (log_has_dropped())
		_exit(5);
	while (log_record("%s", word))
		n++;
	_exit(n > RECORDS ? 0 : 6);
}

/* And who writes one learns that it is lost. */
static void test_records(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	reader = pair[0];
	assert_int_equal(run_child(log_records, STDERR_FILENO, pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

static unsigned int n_late;

static void note_late(void)
{
	n_late++;
}

/* Rows to a full standard output: each write returns, and the text that fits is there. */
static void print_many(void)
{
	FILE *out;

	if (log_serve(0))
		_exit(1);
	standard_unshare(STDOUT_FILENO);
	out = standard_stream(STDOUT_FILENO, 10, note_late);
	if (!out)
		_exit(1);
	for (unsigned int i = 0; i < LINES; i++) {
		fprintf(out, "a row of results of some length, number %u, and more of it: %0200u\n", i, i);
		fflush(out);
	}
	_exit(ferror(out) && n_late == 1 ? 0 : 2);
}

static void test_full_output(void **state)
{
	int pair[2];
	char *text;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(run_child(print_many, STDOUT_FILENO, pair[1]), 0);
	text = drain(pair[0]);
	assert_int_equal(strncmp(text, "a row of results", 16), 0);
	free(text);
	close(pair[0]);
	close(pair[1]);
}

/* The same of a file of results that is a pipe. */
static void write_many(void)
{
	static char text[256 << 10];
	size_t written;

	memset(text, 'x', sizeof(text));
	if (log_serve(0))
		_exit(1);
	standard_unshare(STDOUT_FILENO);
	if (out_path_write(STDOUT_FILENO, text, sizeof(text), &written) != -ETIMEDOUT)
		_exit(2);
	_exit(written > 4095 && written < sizeof(text) ? 0 : 3);
}

static void test_full_file(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(run_child(write_many, STDOUT_FILENO, pair[1]), 0);
	close(pair[0]);
	close(pair[1]);
}

/* Each of 0 to 2 that is closed stays unusable, and no file gets its number. */
static void open_closed(void)
{
	char c;
	int fd;

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (standard_open())
		_exit(1);
	fd = open("/dev/null", O_RDWR);
	if (fd <= STDERR_FILENO)
		_exit(2);
	if (write(STDOUT_FILENO, "x", 1) != -1 || read(STDIN_FILENO, &c, 1) != -1)
		_exit(3);
}

static void test_closed_descriptors(void **state)
{
	(void)state;
	assert_int_equal(run_child(open_closed, STDIN_FILENO, STDIN_FILENO), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_pipe),
		cmocka_unit_test(test_full_socket),
		cmocka_unit_test(test_missing_lines_are_told),
		cmocka_unit_test(test_lines_per_second),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_full_output),
		cmocka_unit_test(test_full_file),
		cmocka_unit_test(test_closed_descriptors),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
