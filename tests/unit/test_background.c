/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* background: how --background is written, the options of the bulk traffic, and the leakage. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "options/options.h"
#include "run/background.h"
#include "util/err.h"

static void spellings(void **state)
{
	static const struct {
		const char *text;
		uint64_t size_bytes;
		enum test test;
		uint32_t qps;
	} good[] = {
		{ "1M", 1 << 20, TEST_WRITE_BW, 1 },
		{ "64k,read", 64 << 10, TEST_READ_BW, 1 },
		{ "1,4", 1, TEST_WRITE_BW, 4 },
		{ "2G,send,16384", 1ull << 31, TEST_SEND_BW, 16384 },
	};
	static const char *const bad[] = {
		"", ",", "0", "3G", "x", "1M,", "1M,atomic", "1M,write,0", "1M,write,16385",
		"1M,4,write", "1M,4,4", "1M,write,4,4", "1M,write,", "-1",
		"1M,a_word_that_is_longer_than_any_of_these",
	};
	struct background b;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct cfg cfg = { .qps = 7 };

		print_message("  %s\n", good[i].text);
		assert_int_equal(background_parse(&b, good[i].text), 0);
		background_cfg(&b, &cfg);
		assert_int_equal(cfg.size_bytes, good[i].size_bytes);
		assert_int_equal(cfg.test, good[i].test);
		assert_int_equal(cfg.qps, good[i].qps);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("  %s\n", bad[i]);
		err_clear();
		assert_int_equal(background_parse(&b, bad[i]), -EINVAL);
		assert_non_null(strstr(err_text(), "--background"));
	}
}

/* The path and how completions are taken are those of the probe; what it sends is not. */
static void options_of_the_bulk_traffic(void **state)
{
	char line[] = "vb -e --sl 3 -q 5 --imm -s 9 -n 77 --verify --rate 10 --warm-up 5 -d hca --stall-timeout 2 --mtu 512 host";
	char *argv[32], *save = NULL;
	int argc = 0;
	struct background b;
	struct cfg cfg = { .test = TEST_SEND_LAT };

	(void)state;
	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	assert_int_equal(options_parse(&cfg, OPTIONS_TEST, argc, argv), 0);
	assert_int_equal(background_parse(&b, "1M"), 0);
	assert_int_equal(background_check(&b, &cfg), 0);
	background_cfg(&b, &cfg);
	assert_int_equal(cfg.completion, CM_EVENT);
	assert_int_equal(cfg.sl, 3);
	assert_int_equal(cfg.mtu_bytes, 512);
	assert_string_equal(cfg.device, "hca");
	assert_string_equal(cfg.host, "host");
	assert_int_equal(cfg.stall_timeout_ms, 2000);
	assert_int_equal(cfg_kind(&cfg).op, OP_WRITE);
	assert_false(cfg.imm || cfg.verify);
	assert_int_equal(cfg.messages, CFG_AUTO64);
	assert_int_equal(cfg.duration_ms, CFG_FOREVER);
	assert_int_equal(cfg.rate_milli, CFG_AUTO64);
	assert_int_equal(cfg.warm_up, 0);
}

/* ---- the leakage */

static struct row row_of(uint64_t start_ns, uint64_t window_ns, double p50_ns, double p99_ns)
{
	struct row row;

	row_init(&row);
	row.status = RESULT_OK;
	row.kind = ROW_KIND_RESULT;
	row.start_ns = start_ns;
	row.window_ns = window_ns;
	row.start_slack_ns = 0;
	row.lat_p50_ns = p50_ns;
	row.lat_p99_ns = p99_ns;
	return row;
}

static struct row bulk_of(uint64_t start_ns, uint64_t window_ns)
{
	struct row row = row_of(start_ns, window_ns, NAN, NAN);

	row.kind = ROW_KIND_BACKGROUND;
	row.bandwidth_gbit_s = 93.5;
	return row;
}

static void leaks(void **state)
{
	const struct row alone = row_of(5, 100, 1000, 2000), bulk = bulk_of(10, 1000);
	struct row beside = row_of(20, 900, 3000, 22000);

	(void)state;
	background_compare(&beside, &alone, &bulk);
	assert_true(beside.windows_shared_pct == 100 && beside.background_gbit_s == 93.5);
	assert_true(beside.leakage_p50 == 3 && beside.leakage_p99 == 11);
}

/* Of an open loop the response times count: a message that waits for its turn has waited. */
static void leaks_of_an_open_loop(void **state)
{
	struct row alone = row_of(5, 100, 1, 1), beside = row_of(20, 900, 1, 1);
	const struct row bulk = bulk_of(10, 1000);

	(void)state;
	alone.rate_intended_per_s = beside.rate_intended_per_s = 100;
	alone.response_p50_ns = 50;
	beside.response_p50_ns = 200;
	background_compare(&beside, &alone, &bulk);
	assert_true(beside.leakage_p50 == 4 && isnan(beside.leakage_p99));
}

/* Evidence of too little: the figure is not told. */
static void not_at_the_same_time(void **state)
{
	static const struct {
		uint64_t start_ns, window_ns, slack_ns;
		double percent;
		bool leaks;
	} bulks[] = {
		{ 100, 1000, 0, 100, true },   { 0, 1100, 0, 100, true },
		{ 105, 2000, 0, 99.5, true },  { 120, 2000, 0, 98, false },
		{ 0, 1080, 0, 98, false },     { 1100, 50, 0, 0, false },
		/* it began up to 20 ns later: by the other side's clock */
		{ 100, 2000, 20, 98, false },  { 80, 2000, 20, 100, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bulks) / sizeof(bulks[0]); i++) {
		const struct row alone = row_of(0, 1000, 10, 10);
		struct row beside = row_of(100, 1000, 20, 20);
		struct row bulk = bulk_of(bulks[i].start_ns, bulks[i].window_ns);

		print_message("  bulk from %d for %d, slack %d\n", (int)bulks[i].start_ns,
			      (int)bulks[i].window_ns, (int)bulks[i].slack_ns);
		bulk.start_slack_ns = bulks[i].slack_ns;
		background_compare(&beside, &alone, &bulk);
		assert_true(fabs(beside.windows_shared_pct - bulks[i].percent) < 1e-9);
		assert_true(isnan(beside.leakage_p50) != bulks[i].leaks);
	}
}

static void unknown_or_not_ok(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct row alone = row_of(5, 100, 10, 10), beside = row_of(20, 900, 20, 20);
		struct row bulk = bulk_of(10, 1000);

		if (i == 3)
			bulk.start_ns = ROW_NONE;
		else
			(i == 0 ? &alone : i == 1 ? &beside : &bulk)->status = RESULT_INCOMPLETE;
		background_compare(&beside, &alone, &bulk);
		assert_true(isnan(beside.leakage_p50) && isnan(beside.leakage_p99));
		assert_true(isnan(beside.windows_shared_pct) == (i == 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),
		cmocka_unit_test(options_of_the_bulk_traffic),
		cmocka_unit_test(leaks),
		cmocka_unit_test(leaks_of_an_open_loop),
		cmocka_unit_test(not_at_the_same_time),
		cmocka_unit_test(unknown_or_not_ok),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
