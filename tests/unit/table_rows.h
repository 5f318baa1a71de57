/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A plan of write_bw and its rows, for the tests of tables. */
#ifndef TABLE_ROWS_H
#define TABLE_ROWS_H

#include <string.h>

#include "write/output.h"

static inline void fill_limits(struct limits *l, const char *host, uint8_t last_byte)
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

static struct format_screen screen; /* of the next table */

static inline void fill_run(struct event_plan *run, struct plan *plan, struct limits *both)
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
		.n_notes = 2,
		.notes = { { .text = "depth: 128, by auto" },
			   { .text = "MTU 1024: the server's port has 4096",
			     .changes_figures = true } },
	};
	*run = (struct event_plan){
		.plan = plan, .self = &both[0], .peer = &both[1], .side = SIDE_CLIENT,
	};
	screen = (struct format_screen){ .width = 80 };
}

static inline void fill_row(struct row *row, uint64_t size_bytes)
{
	row_init(row);
	row->size_bytes = size_bytes;
	row->messages = row->window_messages = 5000;
	row->bytes = size_bytes * 5000;
	row->window_ns = 4000000;
	row_rates(row);
	row->bandwidth_pct_of_link = 12.34;
	row->cpu_ns_per_msg = 1234.56;
	row->peer_cpu_ns_per_msg = 78.9;
	row->status = RESULT_OK;
}

#endif
