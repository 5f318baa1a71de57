/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* perftest/: command lines and their defaults, and which figure is in which column. */
#include "config.h"
#include "perftest/dropin.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "decide/plan_steps.h"
#include "util/err.h"

#define MAX_WORDS 16

/* Reads the words of line, which is cut into them. */
static int read_line(struct dropin *d, enum test test, char *line)
{
	static char *argv[MAX_WORDS + 1];
	int argc = 0;

	for (char *word = strtok(line, " "); word && argc < MAX_WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	*d = (struct dropin){ .program = argv[0], .cfg = { .test = test } };
	return dropin_options(d, argc, argv);
}

static void test_names(void **state)
{
	enum test test = TEST_SEND_BW;

	(void)state;
	assert_true(dropin_find("ib_read_lat", &test));
	assert_int_equal(test, TEST_READ_LAT);
	assert_false(dropin_find("vb_read_lat", &test));
	assert_false(dropin_find("ib_read", &test));
	assert_false(dropin_find("ib_", &test));
}

/* The numbers of ctx_print_test_info() for the same command lines. */
static void test_defaults(void **state)
{
	static const struct {
		const char *line;
		enum test test;
		uint64_t size, messages;
		uint32_t depth, signal, recv;
		bool no_peak;
	} cases[] = {
		{ "ib_write_bw h", TEST_WRITE_BW, CFG_AUTO64, 5000, 128, 1, CFG_AUTO, false },
		{ "ib_write_bw -s 8192 h", TEST_WRITE_BW, 8192, 5000, 128, 100, CFG_AUTO, false },
		{ "ib_send_bw h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 1, 512, false },
		{ "ib_send_bw -n 60 h", TEST_SEND_BW, CFG_AUTO64, 60, 60, 1, 60, false },
		{ "ib_send_bw -a h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 100, 512, false },
		{ "ib_send_bw -s 4K -l 8 h", TEST_SEND_BW, 4096, 1000, 128, 8, 512, false },
		{ "ib_send_bw -e h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 100, 512, false },
		{ "ib_send_bw -c UC h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 1, 1000, false },
		{ "ib_send_bw -c UD h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 100, 1000, false },
		{ "ib_send_bw -D 3 h", TEST_SEND_BW, CFG_AUTO64, CFG_AUTO64, 128, 1, 512, true },
		{ "ib_read_bw -n 20001 h", TEST_READ_BW, CFG_AUTO64, 20001, 128, 1, CFG_AUTO, true },
		{ "ib_atomic_bw h", TEST_ATOMIC_BW, CFG_AUTO64, 1000, 128, 100, CFG_AUTO, false },
		{ "ib_write_lat h", TEST_WRITE_LAT, CFG_AUTO64, 1000, CFG_AUTO, CFG_AUTO, CFG_AUTO, false },
		/* what others bound, and what wins */
		{ "ib_write_bw -Q 1024 h", TEST_WRITE_BW, CFG_AUTO64, 5000, 128, 128, CFG_AUTO, false },
		{ "ib_write_bw -Q 64 -n 50 -t 60 h", TEST_WRITE_BW, CFG_AUTO64, 50, 50, 50, CFG_AUTO, false },
		{ "ib_write_bw -t 15000 -D 1 h", TEST_WRITE_BW, CFG_AUTO64, CFG_AUTO64, 15000, 1, CFG_AUTO, true },
		{ "ib_write_bw -r 64 h", TEST_WRITE_BW, CFG_AUTO64, 5000, 128, 1, CFG_AUTO, false },
		{ "ib_send_bw -r 4001 h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 1, 1000, false },
		{ "ib_send_bw -r 63 h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 1, 64, false },
		{ "ib_send_bw -c UC -r 512 h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 1, 1000, false },
		{ "ib_send_lat -r 1 h", TEST_SEND_LAT, CFG_AUTO64, 1000, CFG_AUTO, CFG_AUTO, 2, false },
		{ "ib_send_bw -s 64k h", TEST_SEND_BW, 64, 1000, 128, 100, 512, false },
		{ "ib_send_bw -s 1.5K h", TEST_SEND_BW, 1024, 1000, 128, 100, 512, false },
		{ "ib_send_bw -n 10 -n 20 h", TEST_SEND_BW, CFG_AUTO64, 20, 20, 1, 20, false },
		{ "ib_send_bw -D 3 -n 20 h", TEST_SEND_BW, CFG_AUTO64, CFG_AUTO64, 128, 1, 512, true },
		{ "ib_send_bw -s 64 -a h", TEST_SEND_BW, CFG_AUTO64, 1000, 128, 100, 512, false },
		{ "ib_send_bw --run_infinitely -a h", TEST_SEND_BW, CFG_AUTO64, CFG_AUTO64, 128, 1, 512, true },
		{ "ib_write_bw --write_with_imm -e h", TEST_WRITE_BW, CFG_AUTO64, 5000, 128, 100, 512, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct dropin d;

		strcpy(line, cases[i].line);
		assert_int_equal(read_line(&d, cases[i].test, line), 0);
		assert_string_equal(d.cfg.host, "h");
		assert_int_equal(d.cfg.like, LIKE_PERFTEST);
		plan_like_defaults(&d.cfg);
		assert_int_equal(d.cfg.size_bytes, cases[i].size);
		assert_int_equal(d.cfg.messages, cases[i].messages);
		assert_int_equal(d.cfg.depth, cases[i].depth);
		assert_int_equal(d.cfg.signal_interval, cases[i].signal);
		if (kind_family(cases[i].test) == FAMILY_SEND)
			assert_int_equal(d.cfg.recv_depth, cases[i].recv);
		assert_int_equal(d.no_peak, cases[i].no_peak);
	}
}

/* The other side must have what perftest calls symmetric, and nothing else. */
static void test_expected(void **state)
{
	char line[] = "ib_send_bw -s 1M -t 16 --iters=100 --bidirect -x 1 --report_gbits";
	struct dropin d;

	(void)state;
	assert_int_equal(read_line(&d, TEST_SEND_BW, line), 0);
	assert_null(d.cfg.host);
	assert_true(d.cfg.given.size_bytes && d.cfg.given.messages && d.cfg.given.bidir);
	assert_false(d.cfg.given.depth || d.cfg.given.gid_index);
	assert_int_equal(d.cfg.size_bytes, 1 << 20);
	assert_int_equal(d.cfg.depth, 16);
	assert_true(d.gbits && d.cfg.one_test);
}

/* The target of a one-sided test need not have the same, but for -b and --reversed. */
static void test_expected_one_sided(void **state)
{
	static const struct {
		const char *line;
		enum test test;
		bool expected;
	} cases[] = {
		{ "ib_write_bw -n 100 -s 64", TEST_WRITE_BW, false },
		{ "ib_write_bw -n 100 -s 64 -b", TEST_WRITE_BW, true },
		{ "ib_write_bw -n 100 -s 64 --reversed", TEST_WRITE_BW, true },
		{ "ib_write_bw -n 100 -s 64 --write_with_imm", TEST_WRITE_BW, true },
		{ "ib_write_lat -n 100 -s 64", TEST_WRITE_LAT, true },
		{ "ib_read_lat -n 100 -s 64", TEST_READ_LAT, false },
		{ "ib_read_bw -n 100 -s 64", TEST_READ_BW, false },
		{ "ib_send_lat -n 100 -s 64", TEST_SEND_LAT, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct dropin d;

		strcpy(line, cases[i].line);
		assert_int_equal(read_line(&d, cases[i].test, line), 0);
		assert_int_equal(d.cfg.given.messages, cases[i].expected);
		assert_int_equal(d.cfg.given.size_bytes, cases[i].expected);
	}
}

/* Also above what is sent inline, and options that have no effect. */
static void test_taken(void **state)
{
	static const struct {
		const char *line;
		enum test test;
	} cases[] = {
		{ "ib_write_bw -I 64 h", TEST_WRITE_BW },
		{ "ib_send_lat -I 64 -s 4096 h", TEST_SEND_LAT },
		{ "ib_read_lat --perform_warm_up h", TEST_READ_LAT },
		{ "ib_write_lat --report_gbits h", TEST_WRITE_LAT },
		{ "ib_read_lat --report-both --disable_pcie_relaxed h", TEST_READ_LAT },
		{ "ib_send_bw -R -S 1 h", TEST_SEND_BW },
		{ "ib_send_bw -R -L 1 h", TEST_SEND_BW },
		{ "ib_send_bw --reversed -b h", TEST_SEND_BW },
		{ "ib_read_bw -e -X 1 --reversed h", TEST_READ_BW },
		{ "ib_write_lat --latency_gap 10 h", TEST_WRITE_LAT },
		{ "ib_write_bw --use-null-mr --mr_per_qp h", TEST_WRITE_BW },
		{ "ib_send_lat --mr_per_qp h", TEST_SEND_LAT },
		{ "ib_read_lat --use-null-mr h", TEST_READ_LAT },
		/* values that change nothing, and what perftest's program takes without effect */
		{ "ib_send_bw -L 64 --pkey_index 0 --flow_label 0 --dlid 0 h", TEST_SEND_BW },
		{ "ib_write_bw -q 2 --flow_label=1,0x2 h", TEST_WRITE_BW },
		{ "ib_write_bw -R --flow_label 1 h", TEST_WRITE_BW },
		{ "ib_write_bw -R --pkey_index 1 h", TEST_WRITE_BW },
		{ "ib_read_bw --data_validation --data_validation_debug h", TEST_READ_BW },
		{ "ib_send_bw --vlan_en --tcp --flows 2 --source_mac 0 h", TEST_SEND_BW },
		{ "ib_send_bw --inline_recv 64 -M ff12::1 h", TEST_SEND_BW },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct dropin d;

		strcpy(line, cases[i].line);
		assert_int_equal(read_line(&d, cases[i].test, line), 0);
	}
}

/* perftest binds no thread, but to a node that is named. */
static void test_placement(void **state)
{
	char none[] = "ib_send_bw h", numa[] = "ib_send_bw --numa_node 1 h";
	struct dropin d;

	(void)state;
	assert_int_equal(read_line(&d, TEST_SEND_BW, none), 0);
	assert_string_equal(d.cfg.pin, "none");
	assert_int_equal(read_line(&d, TEST_SEND_BW, numa), 0);
	assert_string_equal(d.cfg.pin, "numa:1");
}

/* What follows the number of a limit is not looked at. */
static void test_limits(void **state)
{
	char line[] = "ib_write_bw -w 100M -y abc h";
	struct dropin d;

	(void)state;
	assert_int_equal(read_line(&d, TEST_WRITE_BW, line), 0);
	assert_true(d.limit_bw == 100 && d.limit_msgrate == 0);
}

/* What the devices bound; without the drop-in programs these values are refused. */
static void test_lowered(void **state)
{
	struct limits client = { .active_mtu_bytes = 4096, .max_init_rd_atomic = 16,
				 .max_rd_atomic = 8 };
	struct limits server = client;
	char unknown[] = "ib_send_bw -m 1500 h", read[] = "ib_read_bw -o 4000 -m 8192 h";
	struct dropin d;

	(void)state;
	server.active_mtu_bytes = 1024;
	assert_int_equal(read_line(&d, TEST_SEND_BW, unknown), 0);
	plan_lower(&d.cfg, &client, &server);
	assert_int_equal(d.cfg.mtu_bytes, CFG_AUTO);
	assert_int_equal(read_line(&d, TEST_READ_BW, read), 0);
	plan_lower(&d.cfg, &client, &server);
	assert_int_equal(d.cfg.outstanding, 8);
	assert_int_equal(d.cfg.mtu_bytes, 1024);
	d.cfg.outstanding = 200;
	d.cfg.lower = false;
	plan_lower(&d.cfg, &client, &server);
	assert_int_equal(d.cfg.outstanding, 200);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *told;
	} cases[] = {
		{ "ib_send_bw -n 10k", "not a whole number" },
		{ "ib_send_bw -s k", "between 1 and" },
		{ "ib_send_bw -s -1", "not a whole number" },
		{ "ib_send_bw -s 0", "between 1 and" },
		{ "ib_send_bw -n 18446744073709551616", "not a whole number" },
		{ "ib_send_bw -w -5", "not negative" },
		{ "ib_send_bw -w nan", "not negative" },
		{ "ib_send_bw --output=latency", "not in ib_send_bw" },
		{ "ib_send_bw -c SRD", "SRD: allowed: RC, UC, UD, XRC, DC" },
		{ "ib_send_bw -c rc", "allowed: RC" },
		{ "ib_send_bw -H", "--hdr" },
		{ "ib_send_bw -O", "verbench run" },
		{ "ib_send_bw --use_rocm=0", "NVIDIA" },
		{ "ib_send_bw --pkey_index 65536", "between 0 and 65535" },
		{ "ib_send_bw --dlid 1", "LID" },
		{ "ib_send_bw -L 0", "allowed: 1..255" },
		{ "ib_send_bw --latency_gap 0 -G", "no raw Ethernet" },
		{ "ib_send_bw -X 1", "only with event" },
		{ "ib_send_bw --numa_node 0 --pin_cores 1", "exclude each other" },
		{ "ib_send_bw --use-null-mr", "--use-null-mr: not in ib_send_bw" },
		{ "ib_send_bw --no", "unrecognized" },
		{ "ib_send_bw a b", "more than one host" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128];
		struct dropin d;

		strcpy(line, cases[i].line);
		assert_int_equal(read_line(&d, TEST_SEND_BW, line), -EINVAL);
		if (!strstr(err_text(), cases[i].told))
			fail_msg("%s: %s", cases[i].line, err_text());
	}
}

/* All in one run; an option of vb_* has the name that it has here, or is said to be theirs. */
static void test_refused_all(void **state)
{
	static const char *const told[] = {
		"-H (--report-histogrm): --hdr FILE has",
		"unrecognized option '--nothing'",
		"-n (--iters) 10k: not a whole number",
		"--payload_file_path: the payload is fixed; --verify checks it",
		"--use_rocm: only NVIDIA's: --gpu; else use perftest",
		"-e (--events): not in ib_write_bw without --write_with_imm",
	};
	char line[] = "ib_write_bw -H --nothing 5 -n 10k --payload_file_path f --use_rocm 0 -H -e h";
	struct dropin d;
	const char *text = d.wrong.text;

	(void)state;
	assert_int_equal(read_line(&d, TEST_WRITE_BW, line), -EINVAL);
	assert_true(d.refused);
	assert_int_equal(d.wrong.n, sizeof(told) / sizeof(told[0]));
	for (size_t i = 0; i < d.wrong.n; i++, text += strlen(text) + 1)
		assert_int_equal(strncmp(text, told[i], strlen(told[i])), 0);
}

static void test_bandwidth(void **state)
{
	struct dropin d = { .gbits = true };
	const struct dropin_run run = { .asked = &d, .messages = 1000 };
	struct row rows[2];
	const struct dropin_result one = { .own = &rows[1] };
	const struct dropin_result both = { .own = &rows[1], .other = &rows[0] };

	(void)state;
	for (int i = 0; i < 2; i++) {
		row_init(&rows[i]);
		rows[i].messages = 1000 + (uint64_t)i;
		rows[i].bandwidth_gbit_s = 10 + i;
		rows[i].bandwidth_mib_s = 1000 + i;
		rows[i].message_rate_per_s = 2e6;
	}
	assert_true(dropin_bw(&run, &one).average == 11 && dropin_bw(&run, &one).peak == 11);
	assert_true(dropin_bw(&run, &both).average == 21 && dropin_bw(&run, &both).msg_rate == 4);
	assert_int_equal(dropin_bw(&run, &both).iters, 1001);
	d.gbits = false;
	d.no_peak = true;
	assert_true(dropin_bw(&run, &both).average == 2001 && dropin_bw(&run, &both).peak == 0);
	row_init(&rows[1]);
	assert_true(dropin_bw(&run, &one).average == 0 && dropin_bw(&run, &one).iters == 0);
}

/* Each column is a number, also of a percentile that has too few samples. */
static void test_latency(void **state)
{
	struct row row;
	const struct dropin_result r = { .own = &row };
	struct dropin_lat lat;

	(void)state;
	row_init(&row);
	row.lat_samples = 10;
	row.lat_min_ns = 1000;
	row.lat_mean_ns = 2500;
	row.lat_max_ns = 9000;
	row.lat_stdev_ns = 300;
	row.window_ns = 1000000;
	lat = dropin_lat(&r);
	assert_true(lat.min == 1 && lat.max == 9 && lat.average == 2.5 && lat.stdev == 0.3);
	assert_true(lat.typical == 2.5 && lat.p99 == 9 && lat.p99_9 == 9);
	assert_true(fabs(lat.tps - 10000) < 1e-6);
	row.lat_p50_ns = 2000;
	row.lat_p99_ns = 8000;
	lat = dropin_lat(&r);
	assert_true(lat.typical == 2 && lat.p99 == 8 && lat.p99_9 == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_expected),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_expected_one_sided), cmocka_unit_test(test_taken),
		cmocka_unit_test(test_bandwidth), cmocka_unit_test(test_latency),
		cmocka_unit_test(test_limits),	  cmocka_unit_test(test_lowered),
		cmocka_unit_test(test_refused_all), cmocka_unit_test(test_placement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
