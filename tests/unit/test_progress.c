/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* progress: what a log is told of a running point, how often, and its figures. */
#include "config.h"
#include "frame/results.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define S 1000000000u
#define TEXT_MAX 1024

static uint64_t now_s = 100;

/* In place of the C library's: it stands still. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC_RAW)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){ .tv_sec = (time_t)now_s };
	return 0;
}

/* What progress_show() writes to standard error. */
static const char *said(struct progress *shown, const char *before,
			const struct event_progress *p, char text[TEXT_MAX])
{
	const int saved = dup(STDERR_FILENO), file = open("/tmp", O_RDWR | O_TMPFILE, 0600);
	ssize_t len;

	assert_true(saved >= 0 && file >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO);
	progress_show(shown, before, p);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	len = pread(file, text, TEXT_MAX - 1, 0);
	assert_true(len >= 0);
	text[len] = '\0';
	close(saved);
	close(file);
	return text;
}

static void by_time(void **state)
{
	const struct point point = { .index = 2, .size_bytes = 65536, .server_size_bytes = 65536,
				     .duration_ns = 60ull * S };
	struct event_progress p = { .point = &point, .of_points = 1, .ns = 12ull * S,
				      .messages = 240000 };
	struct progress shown = { 0 };
	char text[TEXT_MAX];

	(void)state;
	assert_string_equal(said(&shown, "", &p, text),
			    "verbench: 64 KiB: 12 of 60 s, 10.49 Gbit/s\n");
	/* again only after 10 s */
	now_s += 9;
	p.ns += S;
	p.messages += 40000;
	assert_string_equal(said(&shown, "", &p, text), "");
	now_s++;
	p.ns += S;
	p.messages += 10000;
	p.of_points = 5;
	p.bidir = true;
	/* of the last second; the rest of this size and two more */
	assert_string_equal(said(&shown, "3 of 69, ", &p, text),
			    "verbench: 3 of 69, size 3 of 5, 64 KiB: 14 of 60 s, 5.24 Gbit/s each way, 2 min 46 s left\n");
}

static void by_count(void **state)
{
	const struct point point = { .size_bytes = 100, .server_size_bytes = 100,
				     .messages = 1000 };
	struct event_progress p = { .point = &point, .of_points = 1, .ns = 20ull * S,
				      .messages = 250, .of_messages = 1000, .latency = true };
	struct progress shown = { 0 };
	char text[TEXT_MAX];

	(void)state;
	assert_string_equal(said(&shown, "", &p, text),
			    "verbench: 100 B: 250 of 1000 messages, 12 messages/s, 1 min 0 s left\n");
	shown = (struct progress){ 0 };
	p.of_points = 2;
	p.messages = 1;
	assert_string_equal(said(&shown, "", &p, text),
			    "verbench: size 1 of 2, 100 B: 1 of 1000 messages, 0 messages/s, 5 h 33 min left of it\n");
	shown = (struct progress){ 0 };
	p.messages = 0; /* nobody knows */
	assert_string_equal(said(&shown, "", &p, text),
			    "verbench: size 1 of 2, 100 B: 0 of 1000 messages, 0 messages/s\n");
}

static void forever(void **state)
{
	const struct point point = { .size_bytes = 1u << 20, .server_size_bytes = 1u << 20,
				     .duration_ns = 1000ull * S,
				     .forever = true };
	const struct event_progress p = { .point = &point, .of_points = 1, .ns = 100ull * S,
					    .messages = 0 };
	struct progress shown = { 0 };
	char text[TEXT_MAX];

	(void)state;
	assert_string_equal(said(&shown, "", &p, text), "verbench: 1 MiB: 100 s, 0.00 Gbit/s\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time),
		cmocka_unit_test(by_count),
		cmocka_unit_test(forever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
