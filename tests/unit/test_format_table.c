/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * format_table: golden text of the header, the columns of every pattern, and the footnotes. A
 * change of what people see shows here.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/formats.h"

#define TEXT_MAX 65536

static void fill_limits(struct limits *l, const char *host, uint8_t last_byte)
{
	memset(l, 0, sizeof(*l));
	snprintf(l->host, sizeof(l->host), "%s", host);
	snprintf(l->device, sizeof(l->device), "rxe0");
	snprintf(l->driver, sizeof(l->driver), "rdma_rxe");
	snprintf(l->netdev, sizeof(l->netdev), "eth1");
	l->port = 1;
	l->ethernet = true;
	l->n_gids = 1;
	l->gids[0].index = 1;
	l->gids[0].type = GID_ROCE_V2;
	memcpy(l->gids[0].raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0", 15);
	l->gids[0].raw[15] = last_byte;
}

static void fill_run(struct format_run *run, struct plan *plan, struct limits *both)
{
	fill_limits(&both[0], "node1", 1);
	fill_limits(&both[1], "node2.example", 2);
	both[1].rate_mbit_s = 2500;
	snprintf(both[1].firmware, sizeof(both[1].firmware), "1.2.3");
	*plan = (struct plan){
		.work.test = TEST_WRITE_BW,
		.work.pattern = PATTERN_STREAM,
		.work.kind = { .tp = TP_RC, .op = OP_WRITE, .cm = CM_POLL },
		.work.threads = 1,
		.work.qps = 1,
		.work.depth = 128,
		.work.post_list = 1,
		.work.signal_interval = 16,
		.path.mtu_bytes = 1024,
		.path.qp_timeout = 14,
		.path.retry = 7,
		.path.rnr_retry = 6,
		.path.min_rnr_timer = 12,
		.path.client_gid = 1,
		.path.server_gid = 1,
		.n_points = 1,
		.work.walk = WALK_RANDOM,
		.work.hugepages = HUGEPAGES_OFF,
		.points = { { .messages = 5000, .footprint_bytes = 65536 } },
		.n_notes = 1,
		.notes = { "depth: 128, by auto" },
	};
	*run = (struct format_run){
		.plan = plan, .self = &both[0], .peer = &both[1], .side = SIDE_CLIENT,
	};
}

static void fill_row(struct row *row, uint64_t size_bytes)
{
	row_init(row);
	row->size_bytes = size_bytes;
	row->messages = 5000;
	row->bytes = size_bytes * 5000;
	row->window_ns = 4000000;
	row_rates(row);
	snprintf(row->status, sizeof(row->status), "ok");
}

/* What the table prints of n rows; to be freed. */
static char *table(const struct format_run *run, const struct row *rows, size_t n)
{
	char path[] = "/tmp/test_format_table.XXXXXX";
	const int fd = mkstemp(path);
	char *text = calloc(1, TEXT_MAX);
	void *state = NULL;
	FILE *made;

	assert_true(fd >= 0 && text);
	close(fd);
	assert_int_equal(format_table.open(&state, path, false), 0);
	format_table.start(state, run);
	for (size_t i = 0; i < n; i++)
		format_table.row(state, &rows[i]);
	assert_int_equal(format_table.close(state), 0);
	made = fopen(path, "r");
	assert_non_null(made);
	assert_in_range(fread(text, 1, TEXT_MAX, made), 1, TEXT_MAX - 1);
	fclose(made);
	unlink(path);
	return text;
}

static void table_of_bandwidth(void **state)
{
	struct limits both[2];
	struct format_run run;
	struct plan plan;
	struct row rows[3];
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	fill_row(&rows[0], 64);
	fill_row(&rows[1], UINT64_C(1) << 31);
	rows[1].window_ns = 1000000000000;
	row_rates(&rows[1]);
	row_init(&rows[2]);
	rows[2].size_bytes = 4096;
	snprintf(rows[2].status, ROW_NAME, "failed");
	snprintf(rows[2].reason, ROW_TEXT, "node2 said: \033[2Jretries exceeded");
	text = table(&run, rows, 3);
	assert_string_equal(text,
"verbench " PACKAGE_VERSION
", write_bw: write over RC, completions by poll; results of the client\n"
"\n"
"            client                               server\n"
"host        node1                                node2.example\n"
"device      rxe0 port 1                          rxe0 port 1\n"
"driver      rdma_rxe                             rdma_rxe, firmware 1.2.3\n"
"link        Ethernet, eth1                       Ethernet 2.5 Gbit/s, eth1\n"
"address     ::ffff:10.0.0.1 (RoCE v2, index 1)   ::ffff:10.0.0.2 (RoCE v2, index 1)\n"
"settings    qps 1, depth 128, post_list 1, signal_interval 16, inline_bytes 0\n"
"            footprint_bytes 65536, walk random, hugepages off\n"
"            mtu_bytes 1024, qp_timeout 14, retry 7, rnr_retry 6, min_rnr_timer 12, sl 0,"
" tclass 0\n"
"each row    5000 messages per QP\n"
"note        depth: 128, by auto\n"
"\n"
"      bytes    messages      Gbit/s       MiB/s      Mmsg/s\n"
"         64        5000      0.6400      76.294    1.250000\n"
" 2147483648        5000     85.8993   10240.000    5.00e-06\n"
"       4096           -           -           -           - failed [1]\n"
"\n"
"[1] node2 said:  [2Jretries exceeded\n");
	free(text);
}

static void table_of_lossy_bidir(void **state)
{
	struct limits both[2];
	struct format_run run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	plan.work.test = TEST_SEND_BW;
	plan.work.kind = (struct kind){ .tp = TP_UD, .op = OP_SEND, .cm = CM_EVENT };
	plan.work.bidir = true;
	plan.work.recv_depth = 512;
	both[0].emulated = true;
	run.side = SIDE_SERVER; /* self is then the right column */
	for (int i = 0; i < 2; i++) {
		fill_row(&rows[i], 64);
		snprintf(rows[i].direction, ROW_NAME, "%s", i ? "to_client" : "to_server");
		snprintf(rows[i].counted_by, ROW_NAME, "receiver");
		rows[i].sent_messages = 5003;
		rows[i].received_messages = 5000;
		rows[i].lost = 3;
	}
	rows[1].window_ns *= 1000000;
	row_rates(&rows[1]);
	text = table(&run, rows, 2);
	assert_non_null(strstr(text,
"            client                               server\n"
"host        node2.example                        node1\n"
"device      rxe0 port 1                          rxe0 port 1 (emulated)\n"));
	assert_non_null(strstr(text, "\nemulated    these are not results of a real HCA\n"));
	assert_non_null(strstr(text, "recv_depth 512, "));
	assert_null(strstr(text, "qp_timeout"));
	assert_non_null(strstr(text,
"      bytes  direction  counted_by    messages        sent    received        lost"
"      Gbit/s       MiB/s      Mmsg/s\n"
"         64  to_server  receiver          5000        5003        5000           3"
"      0.6400      76.294    1.250000 [1]\n"
"         64  to_client  receiver          5000        5003        5000           3"
"    6.40e-07    7.63e-05    1.25e-06 [1]\n"
"\n"
"[1] lost: sent and never received; the rates are of what was received\n"));
	free(text);
}

static void table_of_latency(void **state)
{
	struct limits both[2];
	struct format_run run;
	struct plan plan;
	struct row rows[2];
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	plan.work.test = TEST_READ_LAT;
	plan.work.pattern = PATTERN_PROBE;
	plan.work.kind.op = OP_READ;
	plan.work.outstanding = 16;
	for (int i = 0; i < 2; i++) {
		fill_row(&rows[i], 8);
		rows[i].lat_samples = 5000;
		rows[i].lat_min_ns = 1234.25;
		rows[i].lat_p50_ns = 2000;
		rows[i].lat_p90_ns = 3000.5;
		rows[i].lat_p99_ns = 99999;
		rows[i].lat_max_ns = 999999999;
		rows[i].lat_mean_ns = 2400;
		rows[i].lat_stdev_ns = 305;
	}
	rows[1].lat_p99_9_ns = 1e6;
	rows[1].lat_p99_99_ns = 1e7;
	rows[1].lat_samples = 100000;
	text = table(&run, rows, 2);
	assert_non_null(strstr(text, ", outstanding 16\n"));
	assert_non_null(strstr(text,
"\nlatency in us; one sample is one request, from its post to its completion (completion)\n"
"      bytes     samples        min        p50        p90        p99      p99.9     p99.99"
"        max       mean      stdev\n"
"          8        5000      1.234      2.000      3.001     99.999          -          -"
" 999999.999      2.400      0.305 [1]\n"
"          8      100000      1.234      2.000      3.001     99.999   1000.000  10000.000"
" 999999.999      2.400      0.305\n"
"\n"
"[1] -: too few samples; needed for p50 20, p90 100, p99 1000, p99.9 10000, p99.99 100000\n"));
	free(text);
}

static void table_without_rows(void **state)
{
	struct limits both[2];
	struct format_run run;
	struct plan plan;
	char *text;

	(void)state;
	fill_run(&run, &plan, both);
	text = table(&run, NULL, 0);
	assert_non_null(strstr(text, "Mmsg/s\nnothing was measured\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_bandwidth),
		cmocka_unit_test(table_of_lossy_bidir),
		cmocka_unit_test(table_of_latency),
		cmocka_unit_test(table_without_rows),
	};

	return cmocka_run_group_tests_name("format_table", tests, NULL, NULL);
}
