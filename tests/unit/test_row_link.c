/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rates of a row: those of a receiver are of the gaps between arrivals, none is more than the
 * link carries, and what is absent has its reason. A link of 1 Mbit/s needs 32.768 ms for 4096
 * bytes.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "row/row_build.h"

#define GAP_NS 32768000u

/* Five messages over UC, and what both sides say of them. */
struct fixture {
	struct plan plan;
	struct point point;
	struct limits limits[2];
	struct result results[2];
	struct row_interval interval;
	struct row_build_in in;
	struct row rows[ROW_BUILD_MAX];
};

static struct fixture f;

static int open_five(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	f.plan = (struct plan){ .work = { .test = TEST_SEND_BW,
					  .kind = { .tp = TP_UC, .op = OP_SEND }, .threads = 1,
					  .qps = 1, .signal_interval = 64,
					  .role = { ROLE_STREAM_TX, ROLE_STREAM_RX } },
				.n_points = 1 };
	f.point = (struct point){ .size_bytes = 4096, .server_size_bytes = 4096, .messages = 5 };
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		f.limits[side] = (struct limits){ .emulated = true, .rate_is_limit = true,
						   .rate_mbit_s = 1 };
		snprintf(f.limits[side].boot_id, sizeof(f.limits[side].boot_id), "one");
		result_clear(&f.results[side]);
	}
	f.results[SIDE_CLIENT].sent = f.results[SIDE_SERVER].received = 5;
	f.results[SIDE_CLIENT].tx_window_ns = 5 * GAP_NS;
	f.results[SIDE_SERVER].rx_window_ns = 4 * GAP_NS;
	f.results[SIDE_SERVER].rx_before = 1;
	f.in = (struct row_build_in){
		.plan = &f.plan, .point = &f.point, .side = SIDE_CLIENT,
		.limits = { &f.limits[0], &f.limits[1] },
		.result = { &f.results[0], &f.results[1] },
		.clock = "", .pin = { "", "" }, .mem = { "", "" },
	};
	return 0;
}

static const struct row *build(void)
{
	assert_int_equal(row_build(f.rows, &f.in), 1);
	assert_int_equal(f.rows[0].status, RESULT_OK);
	return &f.rows[0];
}

static bool has_rates(const struct row *row)
{
	const bool has = !isnan(row->bandwidth_gbit_s);

	assert_int_equal(isnan(row->bandwidth_mib_s), !has);
	assert_int_equal(isnan(row->message_rate_per_s), !has);
	/* the integers stay, so that a reader sees why */
	assert_true(row->messages == 5 && row->window_ns != ROW_NONE);
	return has;
}

static void receivers_rate_is_of_gaps(void **state)
{
	const struct row *row = build();

	(void)state;
	assert_int_equal(row->counted_by, ROW_BY_RECEIVER);
	assert_int_equal(row->messages, 5);
	assert_int_equal(row->bytes, 5 * 4096);
	assert_int_equal(row->window_messages, 4);
	assert_true(has_rates(row));
	assert_true(fabs(row->bandwidth_gbit_s - 0.001) < 1e-12);
	assert_true(fabs(row->message_rate_per_s - 1e9 / GAP_NS) < 1e-9);
	assert_true(fabs(row->bandwidth_pct_of_link - 100) < 1e-9);
	assert_string_equal(row->warning_codes, "");
	/* a copy is no message */
	f.plan.work.kind.op = OP_SEND_IMM;
	f.results[SIDE_SERVER].duplicated = 2;
	f.results[SIDE_SERVER].received = 7;
	assert_int_equal(build()->messages, 5);
	assert_int_equal(f.rows[0].window_messages, 4);
}

static void senders_rate_is_of_messages(void **state)
{
	const struct row *row;

	(void)state;
	f.plan.work.kind.tp = TP_RC;
	row = build();
	assert_int_equal(row->counted_by, ROW_BY_SENDER);
	assert_int_equal(row->window_messages, 5);
	assert_true(fabs(row->bandwidth_gbit_s - 0.001) < 1e-12);
}

/* By time: those of the first completion, and those after the end, are in no rate. */
static void senders_window_by_time(void **state)
{
	(void)state;
	f.plan.work.kind.tp = TP_RC;
	f.results[SIDE_CLIENT].tx_outside = 2;
	f.results[SIDE_CLIENT].tx_window_ns = 3 * GAP_NS;
	assert_int_equal(build()->messages, 5);
	assert_int_equal(f.rows[0].bytes, 5 * 4096);
	assert_int_equal(f.rows[0].window_messages, 3);
	assert_true(fabs(f.rows[0].bandwidth_gbit_s - 0.001) < 1e-12);
	/* what a peer may claim */
	f.results[SIDE_CLIENT].tx_outside = 6;
	assert_int_equal(build()->window_messages, 0);
}

/* Of the slices of the side and direction that the counts are of. */
static void unsteady_of_the_counting_side(void **state)
{
	const struct steady slow = { 20, 1, 80, 120, 0.9, 1, 2 };
	const struct steady even = { 30, 0, 99, 101, 0, 3, 0 };
	struct row sum, other;

	(void)state;
	assert_int_equal(build()->slices, ROW_NONE);
	f.results[SIDE_CLIENT].tx_slices = f.results[SIDE_SERVER].tx_slices = slow;
	f.results[SIDE_CLIENT].rx_slices = slow;
	f.results[SIDE_SERVER].rx_slices = even;
	assert_string_equal(build()->warning_codes, "");
	assert_int_equal(f.rows[0].slices, 30);
	assert_int_equal(f.rows[0].slices_outliers_mild, 3);
	sum = other = f.rows[0];
	f.plan.work.kind.tp = TP_RC;
	assert_string_equal(build()->warning_codes, "unsteady");
	assert_int_equal(f.rows[0].slices, 20);
	assert_int_equal(f.rows[0].slices_outliers_severe, 2);
	assert_true(f.rows[0].slices_first_pct == 80 && f.rows[0].slices_last_pct == 120);
	assert_true(f.rows[0].slices_correlation == 0.9);
	assert_non_null(strstr(f.rows[0].warnings, "80.0 % of the mean, of its last 120.0 %"));
	/* a sum has it of either direction, once */
	row_warn_other(&sum, &other);
	assert_string_equal(sum.warning_codes, "");
	row_warn_other(&sum, &f.rows[0]);
	row_warn_other(&sum, &f.rows[0]);
	assert_string_equal(sum.warning_codes, "unsteady");
}

/* More came than were sent, and nothing tells duplicates from others. */
static void losses_that_nobody_knows(void **state)
{
	(void)state;
	assert_int_equal(build()->lost, 0);
	f.results[SIDE_SERVER].received = 4;
	assert_int_equal(build()->lost, 1);
	f.results[SIDE_SERVER].received = 6;
	assert_int_equal(build()->lost, ROW_NONE);
	f.plan.work.kind.op = OP_SEND_IMM;
	f.results[SIDE_SERVER].duplicated = 2;
	assert_int_equal(build()->lost, 1);
}

/* All had come before the thread looked, or there is one only. */
static void no_gap_no_rate(void **state)
{
	const struct row *row;

	(void)state;
	f.results[SIDE_SERVER].rx_before = 5;
	f.results[SIDE_SERVER].rx_window_ns = 300;
	f.limits[SIDE_SERVER].rate_mbit_s = 0;
	row = build();
	assert_int_equal(row->window_messages, 0);
	assert_false(has_rates(row));
	assert_string_equal(row->warning_codes, "short_window no_gap");
	assert_non_null(strstr(row->warnings, "no rate: the receiver saw no two messages arrive"));
	/* a sender that has sent nothing has a rate: 0 */
	f.plan.work.kind.tp = TP_RC;
	f.results[SIDE_CLIENT].sent = f.results[SIDE_SERVER].received = 0;
	assert_true(build()->message_rate_per_s == 0);
	assert_null(strstr(f.rows[0].warning_codes, "no_gap"));
}

static void nothing_is_above_the_link(void **state)
{
	const struct row *row;

	(void)state;
	f.results[SIDE_SERVER].rx_window_ns = 4 * GAP_NS / 100;
	row = build();
	assert_false(has_rates(row));
	assert_true(isnan(row->bandwidth_pct_of_link));
	assert_string_equal(row->warning_codes, "short_window above_link");
	assert_non_null(strstr(row->warnings, "no rate: the counts make 0.1 Gbit/s, more than the link carries"));
	/* the error of a clock is no reason */
	f.results[SIDE_SERVER].rx_window_ns = 4 * GAP_NS - 4 * GAP_NS / 2000;
	assert_true(has_rates(build()));
	f.results[SIDE_SERVER].rx_window_ns = 4 * GAP_NS - 4 * GAP_NS / 500;
	assert_false(has_rates(build()));
	/* the sender's figure, too; and the slower of the links counts */
	f.plan.work.kind.tp = TP_RC;
	f.results[SIDE_CLIENT].tx_window_ns = 3 * GAP_NS;
	assert_false(has_rates(build()));
	f.limits[SIDE_CLIENT].rate_mbit_s = 2;
	assert_false(has_rates(build()));
	f.limits[SIDE_SERVER].rate_mbit_s = 2;
	assert_true(has_rates(build()));
}

static void where_the_rate_is_no_limit(void **state)
{
	static const struct {
		bool is_limit;
		const char *peer_boot;
		bool absent;
	} all[] = {
		{ true, "one", false }, /* perhaps within an HCA */
		{ true, "two", true },
		{ false, "two", false },
	};
	struct limits *client = &f.limits[SIDE_CLIENT], *server = &f.limits[SIDE_SERVER];

	(void)state;
	f.results[SIDE_SERVER].rx_window_ns = GAP_NS;
	assert_false(has_rates(build()));
	/* a client as fast as memory: the port of the server limits as before */
	client->rate_is_limit = false;
	client->rate_mbit_s = 400000;
	assert_false(has_rates(build()));
	client->rate_mbit_s = 0;
	assert_false(has_rates(build()));
	server->rate_is_limit = false;
	assert_true(has_rates(build()));
	assert_string_equal(f.rows[0].warning_codes, "short_window");
	/* the slower rate is none, the other one is, and is not reached */
	server->rate_is_limit = true;
	server->rate_mbit_s = 400;
	client->rate_mbit_s = 1;
	assert_true(has_rates(build()));
	assert_true(isnan(f.rows[0].bandwidth_pct_of_link));
	server->rate_mbit_s = 1;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		client->emulated = server->emulated = false;
		client->rate_is_limit = server->rate_is_limit = all[i].is_limit;
		snprintf(server->boot_id, PLAN_NAME, "%s", all[i].peer_boot);
		assert_int_equal(has_rates(build()), !all[i].absent);
		/* no part of a link is more than all of it */
		assert_true(isnan(f.rows[0].bandwidth_pct_of_link));
		assert_string_equal(f.rows[0].warning_codes, "short_window above_link");
	}
}

/* The counts of an interval come in steps: a sender's by signal intervals, a receiver's by one. */
static void steps_of_an_interval(void **state)
{
	(void)state;
	f.in.interval = &f.interval;
	f.results[SIDE_SERVER].rx_before = 0;
	assert_true(has_rates(build()));
	f.results[SIDE_SERVER].rx_window_ns -= GAP_NS;
	assert_false(has_rates(build()));
	assert_string_equal(f.rows[0].warning_codes, "above_link");
	f.plan.work.kind.tp = TP_RC;
	f.results[SIDE_CLIENT].tx_window_ns = GAP_NS;
	assert_true(has_rates(build()));
	f.plan.work.signal_interval = 2;
	assert_false(has_rates(build()));
	/* a receiver that has its first message only */
	f.plan.work.kind.tp = TP_UC;
	f.results[SIDE_SERVER].rx_before = 5;
	assert_false(has_rates(build()));
	assert_string_equal(f.rows[0].warning_codes, "no_gap");
}

/*
 * A loop that had lost its processor at a cut counts in the next interval what was under way. That
 * is no reason to give no rate, but where it is more than 1 % of the interval.
 */
static void what_was_under_way_at_a_cut(void **state)
{
	static const struct {
		uint32_t depth;
		uint64_t ahead; /* of 1000 messages */
		bool absent;
	} all[] = {
		{ 8, 8, false }, { 8, 10, true }, { 128, 10, false }, { 128, 12, true },
	};

	(void)state;
	f.in.interval = &f.interval;
	f.plan.work.signal_interval = 1;
	f.results[SIDE_CLIENT].sent = f.results[SIDE_SERVER].received = 1000;
	f.results[SIDE_SERVER].rx_before = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
			/* over UC the arrivals count, over RC the requests that are done */
			f.plan.work.kind.tp = side == SIDE_SERVER ? TP_UC : TP_RC;
			f.plan.work.depth = side == SIDE_CLIENT ? all[i].depth : 1;
			f.plan.work.recv_depth = side == SIDE_SERVER ? all[i].depth : 1;
			f.results[SIDE_CLIENT].tx_window_ns = (1000 - all[i].ahead) * GAP_NS;
			f.results[SIDE_SERVER].rx_window_ns = (1000 - all[i].ahead) * GAP_NS;
			assert_int_equal(row_build(f.rows, &f.in), 1);
			assert_int_equal(isnan(f.rows[0].bandwidth_gbit_s), all[i].absent);
		}
	}
	/* of the whole point nothing was before */
	f.in.interval = NULL;
	assert_int_equal(row_build(f.rows, &f.in), 1);
	assert_true(isnan(f.rows[0].bandwidth_gbit_s));
}

/* A direction without a rate leaves no sum. */
static void sum_of_both_directions(void **state)
{
	(void)state;
	f.plan.work.bidir = true;
	f.plan.work.role[SIDE_CLIENT] = f.plan.work.role[SIDE_SERVER] = ROLE_STREAM_BOTH;
	f.results[SIDE_CLIENT] = f.results[SIDE_SERVER];
	f.results[SIDE_CLIENT].sent = f.results[SIDE_SERVER].sent = 5;
	f.results[SIDE_CLIENT].start_slack_ns = 0;
	f.results[SIDE_CLIENT].rx_start_ns = f.results[SIDE_SERVER].rx_start_ns = 7;
	assert_int_equal(row_build(f.rows, &f.in), ROW_BUILD_MAX);
	assert_int_equal(f.rows[2].status, RESULT_OK);
	assert_int_equal(f.rows[2].messages, 10);
	assert_int_equal(f.rows[2].window_messages, 8);
	assert_true(fabs(f.rows[2].bandwidth_gbit_s - 0.002) < 1e-12);
	assert_true(fabs(f.rows[2].bandwidth_pct_of_link - 100) < 1e-9);
	f.results[SIDE_CLIENT].rx_window_ns /= 2;
	f.results[SIDE_SERVER].rx_window_ns /= 2;
	assert_int_equal(row_build(f.rows, &f.in), ROW_BUILD_MAX);
	assert_int_equal(f.rows[2].status, RESULT_SKIPPED);
	assert_string_equal(f.rows[2].reason, "no sum: a direction has no figure");
	assert_int_equal(f.rows[2].window_messages, ROW_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(receivers_rate_is_of_gaps, open_five),
		cmocka_unit_test_setup(senders_rate_is_of_messages, open_five),
		cmocka_unit_test_setup(senders_window_by_time, open_five),
		cmocka_unit_test_setup(unsteady_of_the_counting_side, open_five),
		cmocka_unit_test_setup(losses_that_nobody_knows, open_five),
		cmocka_unit_test_setup(no_gap_no_rate, open_five),
		cmocka_unit_test_setup(nothing_is_above_the_link, open_five),
		cmocka_unit_test_setup(where_the_rate_is_no_limit, open_five),
		cmocka_unit_test_setup(steps_of_an_interval, open_five),
		cmocka_unit_test_setup(what_was_under_way_at_a_cut, open_five),
		cmocka_unit_test_setup(sum_of_both_directions, open_five),
	};

	return cmocka_run_group_tests_name("row_link", tests, NULL, NULL);
}
