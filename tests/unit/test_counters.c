/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* device/counters.c: files of a folder that stands for sysfs, wraps, and lists. */
#include "config.h"
#include "device/counters.h"

#include <inttypes.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define HW "ports/1/hw_counters/"
#define MS_NS UINT64_C(1000000)

/*
 * The time of the tests: a machine that takes the processor away for 100 ms would end a reading.
 * It moves by what is waited for, and by `step` with each look at the clock.
 */
static struct {
	uint64_t ns, step;
} test_time;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	test_time.ns += test_time.step;
	t->tv_sec = (time_t)(test_time.ns / (1000 * MS_NS));
	t->tv_nsec = (long)(test_time.ns % (1000 * MS_NS));
	return 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)fds;
	assert_int_equal(n, 0);
	test_time.ns += (uint64_t)timeout * MS_NS;
	return 0;
}

/* The folder of a device. */
struct device {
	char dir[64];
	struct counters counters;
	char list[COUNTERS_TEXT];
	uint64_t retransmissions;
};

static void open_device(struct device *d)
{
	char path[128];

	*d = (struct device){ .dir = "/tmp/test_counters.XXXXXX" };
	assert_non_null(mkdtemp(d->dir));
	for (const char *const *sub = (const char *const[]){ "ports", "ports/1", "ports/1/counters",
							      HW, "hw_counters", NULL }; *sub; sub++) {
		snprintf(path, sizeof(path), "%s/%s", d->dir, *sub);
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

static void set(const struct device *d, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void end(struct device *d)
{
	counters_end(&d->counters, d->list, &d->retransmissions);
	counters_close(&d->counters);
}

static void close_device(const struct device *d)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", d->dir);
	assert_int_equal(system(command), 0); /* NOLINT: a name of mkdtemp() */
}

/* Each file before and after; what it makes of the list. */
static void test_values(void **state)
{
	static const struct {
		const char *before, *after, *item; /* NULL: it is not in the list */
	} cases[] = {
		{ "7\n", "12\n", "5" },
		{ "7", "7", NULL },
		{ "0", "18446744073709551614", NULL },      /* set back: more than half of it */
		{ "4294967290\n", "4\n", "10" },            /* 32 bits have wrapped */
		{ "18446744073709551610", "4", "10" },      /* 64 bits have wrapped */
		{ "100\n", "3\n", NULL },                   /* set back */
		{ "1000000000000", "3", NULL },
		{ "4294967290", "8589934592", "4294967302" }, /* of 64 bits */
		{ "N/A\n", "5\n", NULL },
		{ "5\n", "N/A (no permission)\n", NULL },
		{ "-5\n", "5\n", NULL },
		{ "5\n", "-1\n", NULL },
		{ "", "5\n", NULL },
		{ "18446744073709551615\n", "5\n", NULL },  /* ionic: it has none */
		{ "99999999999999999999\n", "5\n", NULL },
		{ "0x10\n", "0x20\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device d;
		char expected[64] = "";

		open_device(&d);
		set(&d, HW "some", cases[i].before);
		counters_begin(&d.counters, d.dir, 1);
		set(&d, HW "some", cases[i].after);
		end(&d);
		if (cases[i].item)
			snprintf(expected, sizeof(expected), "some=%s", cases[i].item);
		assert_string_equal(d.list, expected);
		assert_true(d.retransmissions == UINT64_MAX);
		close_device(&d);
	}
}

/* Those that explain a figure come first; the same name in several folders counts once. */
static void test_order(void **state)
{
	static const char *const names[] = {
		"ports/1/counters/port_xmit_data", "ports/1/counters/symbol_error",
		"ports/1/counters/port_xmit_wait", HW "zz", HW "packet_seq_err",
		HW "out_of_sequence", HW "RNR sent", HW "local_ack_timeout_err", HW "np_cnp_sent",
		"hw_counters/packet_seq_err", "hw_counters/aa", HW "a=b", HW "lifespan",
	};
	struct device d;

	(void)state;
	open_device(&d);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		set(&d, names[i], "1\n");
	set(&d, HW "implied_nak_seq_err", "4\n");
	counters_begin(&d.counters, d.dir, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		set(&d, names[i], "3\n");
	end(&d);
	assert_string_equal(d.list, "local_ack_timeout_err=2 packet_seq_err=2 RNR sent=2 "
				    "out_of_sequence=2 np_cnp_sent=2 port_xmit_wait=2 symbol_error=2 "
				    "aa=2 port_xmit_data=2 zz=2");
	assert_int_equal(d.retransmissions, 4);
	close_device(&d);
}

/* No folder of the port, of the device, none at all; files that go away; a folder as a file. */
static void test_missing(void **state)
{
	char path[256];
	struct device d;

	(void)state;
	open_device(&d);
	counters_begin(&d.counters, d.dir, 2);
	end(&d);
	assert_string_equal(d.list, "");
	counters_begin(&d.counters, "/nowhere", 1);
	end(&d);
	assert_string_equal(d.list, "");
	assert_true(d.retransmissions == UINT64_MAX);
	end(&d);
	assert_string_equal(d.list, "");
	set(&d, HW "packet_seq_err", "1\n");
	set(&d, HW "gone", "1\n");
	snprintf(path, sizeof(path), "%s/" HW "folder", d.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	counters_begin(&d.counters, d.dir, 1);
	snprintf(path, sizeof(path), "%s/" HW "gone", d.dir);
	assert_int_equal(unlink(path), 0);
	end(&d);
	assert_string_equal(d.list, "");
	assert_int_equal(d.retransmissions, 0);
	close_device(&d);
}

/* More than a list has room for: the last ones are left out, whole. */
static void test_long(void **state)
{
	struct counters_item item;
	const char *rest;
	struct device d;
	char name[64];
	int n = 0;

	(void)state;
	open_device(&d);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 60; i++) {
			snprintf(name, sizeof(name), HW "some_counter_%02d", i);
			set(&d, name, round ? "123456789\n" : "0\n");
		}
		set(&d, HW "packet_seq_err", round ? "1\n" : "0\n");
		if (!round)
			counters_begin(&d.counters, d.dir, 1);
	}
	end(&d);
	for (rest = counters_next(d.list, &item); rest; rest = counters_next(rest, &item)) {
		assert_int_equal(item.delta, n ? 123456789 : 1);
		n++;
	}
	assert_in_range(strlen(d.list), COUNTERS_TEXT - 30, COUNTERS_TEXT - 1);
	assert_int_equal(n, 1 + (COUNTERS_TEXT - 1 - 16) / 26);
	close_device(&d);
}

/* The kernel repeats what it has read for that time; a driver may say anything. */
static void test_lifespan(void **state)
{
	static const struct {
		const char *lifespan;
		unsigned int wait_ms;
	} cases[] = { { "60\n", 60 }, { "0\n", 0 }, { "86400000\n", 100 }, { "never\n", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t begun = test_time.ns;
		struct device d;

		open_device(&d);
		set(&d, HW "lifespan", cases[i].lifespan);
		counters_begin(&d.counters, d.dir, 1);
		end(&d);
		assert_int_equal(test_time.ns - begun, cases[i].wait_ms * MS_NS);
		close_device(&d);
	}
}

/* A device that answers slowly: what is not read within 100 ms is left out, at either end. */
static void test_slow(void **state)
{
	static const struct {
		uint64_t begin_ms, end_ms; /* for each look at the clock */
		size_t n;
	} cases[] = { { 0, 0, 8 }, { 0, 30, 3 }, { 100, 0, 0 }, { 0, 100, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct counters_item item;
		struct device d;
		char name[64];
		size_t n = 0;

		open_device(&d);
		for (int round = 0; round < 2; round++) {
			for (int c = 0; c < 8; c++) {
				snprintf(name, sizeof(name), "ports/1/counters/c%d", c);
				set(&d, name, round ? "1\n" : "0\n");
			}
			test_time.step = (round ? cases[i].end_ms : cases[i].begin_ms) * MS_NS;
			if (round)
				end(&d);
			else
				counters_begin(&d.counters, d.dir, 1);
		}
		test_time.step = 0;
		for (const char *rest = d.list; (rest = counters_next(rest, &item)); )
			n++;
		assert_int_equal(n, cases[i].n);
		close_device(&d);
	}
}

static void test_lists(void **state)
{
	static const char *const bad[] = { "", " ", "=5", "a", "a=", "a=-1", "a=1x", "a=1,b=2",
					   "a=18446744073709551615", "a=99999999999999999999999" };
	struct counters_item item;
	const char *rest;
	char longer[256] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(counters_next(bad[i], &item));
	memset(longer, 'a', 80);
	strcat(longer, "=1");
	assert_null(counters_next(longer, &item));
	rest = counters_next("Nak Sequence Error=3 b=18446744073709551614", &item);
	assert_string_equal(item.name, "Nak Sequence Error");
	assert_int_equal(item.delta, 3);
	assert_int_equal(counters_class_of(item.name), COUNTERS_RETRANSMISSIONS);
	rest = counters_next(rest, &item);
	assert_string_equal(item.name, "b");
	assert_true(item.delta == UINT64_MAX - 1);
	assert_int_equal(counters_class_of(item.name), COUNTERS_CLASSES);
	assert_null(counters_next(rest, &item));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),   cmocka_unit_test(test_order),
		cmocka_unit_test(test_missing),  cmocka_unit_test(test_long),
		cmocka_unit_test(test_lifespan), cmocka_unit_test(test_slow),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
