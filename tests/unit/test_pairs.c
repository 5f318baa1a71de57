/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* pairs: which pairs a command line names, and the order of their rows. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run/pairs.h"
#include "util/err.h"

/* ---- one operand */

static void operands(void **state)
{
	static const struct {
		const char *text, *host;
		uint32_t port;
		const char *device;
	} good[] = {
		{ "node2", "node2", 0, "" },
		{ "node2:18600", "node2", 18600, "" },
		{ "node2:mlx5_0", "node2", 0, "mlx5_0" },
		{ "node2:18600:mlx5_0", "node2", 18600, "mlx5_0" },
		{ "10.0.0.2:rocep1s0f0", "10.0.0.2", 0, "rocep1s0f0" },
		{ "fe80::1", "fe80::1", 0, "" },
		{ "fe80::1%eth0", "fe80::1%eth0", 0, "" },
		{ "[fe80::1]", "fe80::1", 0, "" },
		{ "[fe80::1]:mlx5_0", "fe80::1", 0, "mlx5_0" },
		{ "[fe80::1]:18600:mlx5_0", "fe80::1", 18600, "mlx5_0" },
	};
	static const char *const bad[] = {
		"", ":mlx5_0", "node2:", "node2:99999", "node2:0", "node2:mlx5_0:18600",
		"node2:18600:", "node2:a/b", "[fe80::1", "node2:18600:mlx5_0:x",
	};
	struct pairs_operand o;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		print_message("  %s\n", good[i].text);
		assert_int_equal(pairs_operand(&o, good[i].text), 0);
		assert_string_equal(o.host.host, good[i].host);
		assert_int_equal(o.host.port, good[i].port);
		assert_string_equal(o.device, good[i].device);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("  %s\n", bad[i]);
		err_clear();
		assert_int_equal(pairs_operand(&o, bad[i]), -EINVAL);
		assert_true(err_text()[0]);
	}
}

/* ---- all of them */

#define WORD(text) (char[]){ text }

static struct cfg cfg_of(const char *device)
{
	return (struct cfg){ .device = device, .tcp_port = 18515 };
}

static void pairs_of_two_nodes(void **state)
{
	char *hosts[] = { WORD("node2:mlx5_0"), WORD("node2:18600:mlx5_1"), WORD("node3") };
	struct cfg cfg = cfg_of("mlx5_4,mlx5_5,mlx5_6"), one = { .n_hosts = 0 };
	struct pairs_list list;

	(void)state;
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, 3), 0);
	assert_int_equal(list.n, 3);
	assert_string_equal(list.pairs[0].name, "node2:mlx5_0");
	assert_string_equal(list.pairs[1].name, "node2:18600:mlx5_1");
	pairs_list_cfg(&list, 1, &one);
	assert_string_equal(one.host, "node2:18600");
	assert_string_equal(one.device, "mlx5_5");
	assert_string_equal(one.peer_device, "mlx5_1");
	/* all are on this host; on node2 there are two */
	assert_string_equal(one.neighbours[SIDE_CLIENT], "1:mlx5_4,mlx5_5,mlx5_6");
	assert_string_equal(one.neighbours[SIDE_SERVER], "1:mlx5_0,mlx5_1");
	pairs_list_cfg(&list, 2, &one);
	assert_string_equal(one.host, "node3:18515");
	assert_null(one.peer_device);
	assert_string_equal(one.neighbours[SIDE_SERVER], "0:");
	pairs_list_free(&list);
}

static void one_for_all(void **state)
{
	char *same[] = { WORD("node2"), WORD("node2"), WORD("node2:18515") };
	struct cfg cfg = cfg_of(NULL), one = { .n_hosts = 0 };
	struct pairs_list list;

	(void)state;
	assert_int_equal(pairs_list_read(&list, &cfg, same, 3), 0);
	assert_string_equal(list.pairs[0].name, "node2");
	assert_string_equal(list.pairs[1].name, "node2#2");
	assert_string_equal(list.pairs[2].name, "node2:18515");
	pairs_list_cfg(&list, 2, &one);
	assert_null(one.device);
	assert_string_equal(one.neighbours[SIDE_SERVER], "2:,,");
	pairs_list_free(&list);

	cfg = cfg_of("mlx5_0,mlx5_1");
	assert_int_equal(pairs_list_read(&list, &cfg, same, 1), 0);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.pairs[1].name, "mlx5_1-node2");
	pairs_list_free(&list);

	/* one pair is no pair of several */
	cfg = cfg_of("mlx5_0");
	one = cfg_of(NULL);
	assert_int_equal(pairs_list_read(&list, &cfg, same, 1), 0);
	assert_int_equal(list.n, 1);
	pairs_list_cfg(&list, 0, &one);
	assert_string_equal(one.device, "mlx5_0");
	assert_null(one.neighbours[SIDE_CLIENT]);
	pairs_list_free(&list);
}

static void refusals(void **state)
{
	static char node[] = "node2";
	char *hosts[PAIRS_MAX + 1] = { WORD("node2:mlx5_0"), WORD("node2:18600:mlx5_1"), WORD("node3") };
	struct cfg cfg = cfg_of("a,b");
	struct pairs_list list;

	(void)state;
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, 3), -EINVAL);
	assert_non_null(strstr(err_text(), "2 devices for 3 operands"));
	cfg = cfg_of("a,,b");
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, 3), -EINVAL);
	cfg = cfg_of(NULL);
	cfg.peer_device = "mlx5_9";
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, 3), -EINVAL);
	assert_non_null(strstr(err_text(), "--peer-device mlx5_9"));
	cfg = cfg_of(NULL);
	cfg.given.tcp_port = true;
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, 3), -EINVAL);
	assert_non_null(strstr(err_text(), "two different ports"));
	cfg = cfg_of(NULL);
	for (size_t i = 0; i <= PAIRS_MAX; i++)
		hosts[i] = node;
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, PAIRS_MAX), 0);
	pairs_list_free(&list);
	assert_int_equal(pairs_list_read(&list, &cfg, hosts, PAIRS_MAX + 1), -EINVAL);
}

/* ---- rows */

struct taken {
	uint32_t n;
	char pair[16][ROW_NAME], reason[16][ROW_TEXT];
	enum result_status status[16];
	uint64_t size_bytes[16];
};

static int take(void *arg, const struct event *event)
{
	const struct row *row = event->row;
	struct taken *t = arg;

	assert_true(t->n < 16);
	memcpy(t->pair[t->n], row->pair, ROW_NAME);
	t->status[t->n] = row->status;
	memcpy(t->reason[t->n], row->reason, ROW_TEXT);
	t->size_bytes[t->n++] = row->size_bytes;
	return 0;
}

static struct row row_of(uint64_t size)
{
	struct row row;

	row_init(&row);
	row.status = RESULT_OK;
	row.size_bytes = size;
	row.messages = row.window_messages = row.bytes = row.window_ns = 1000;
	row.start_ns = row.start_slack_ns = 0;
	row_rates(&row);
	return row;
}

/* By point, whatever pair was first; a pair that ended early has a row all the same. */
static void rows_by_point(void **state)
{
	struct pairs_one pairs[2] = { { .name = "a" }, { .name = "b" } };
	const struct pairs_list list = { .n = 2, .pairs = pairs };
	const struct row rows[2] = { row_of(64), row_of(128) };
	struct taken t = { .n = 0 };
	const struct event_sink events = { take, &t };
	struct pairs_rows all = { .list = &list };

	(void)state;
	pairs_rows_add(&all, 1, &rows[0]);
	pairs_rows_add(&all, 1, &rows[1]);
	pairs_rows_add(&all, 0, &rows[0]);
	pairs_rows_lacks(&all, 0, "the peer is gone");
	pairs_rows_flush(&all, &events);
	assert_int_equal(t.n, 6);
	assert_string_equal(t.pair[0], "a");
	assert_string_equal(t.pair[1], "b");
	assert_string_equal(t.pair[2], "total");
	assert_int_equal(t.status[2], RESULT_OK);
	assert_string_equal(t.pair[3], "a");
	assert_int_equal(t.size_bytes[3], 128);
	assert_int_equal(t.status[3], RESULT_FAILED);
	assert_string_equal(t.reason[3], "the peer is gone");
	assert_int_equal(t.status[4], RESULT_OK);
	assert_int_equal(t.status[5], RESULT_SKIPPED);
	assert_string_equal(t.reason[5], "no total: pair a is failed: the peer is gone");
	/* then there are none */
	t.n = 0;
	pairs_rows_flush(&all, &events);
	assert_int_equal(t.n, 0);
	pairs_rows_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands),    cmocka_unit_test(pairs_of_two_nodes),
		cmocka_unit_test(one_for_all), cmocka_unit_test(refusals),
		cmocka_unit_test(rows_by_point),
	};

	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
