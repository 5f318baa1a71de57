/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * One result, one line of CSV, one JSON object. The keys, their types, units and meaning stand in
 * one table (row.c); the formatters, the schema document and the reader are made from it. A figure
 * that was not measured is absent: NAN or ROW_NONE here, an empty cell in CSV, null in JSON, "-" in
 * the table.
 */
#ifndef ROW_H
#define ROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROW_SCHEMA 1
#define ROW_NONE UINT64_MAX
#define ROW_NAME 64
#define ROW_TEXT 512
#define ROW_DIGITS 9       /* significant digits of a ROW_F64 in CSV and JSON */

struct row {
	/* what */
	uint64_t schema;
	char tool_version[ROW_NAME], test[ROW_NAME], transport[ROW_NAME], opcode[ROW_NAME],
		completion[ROW_NAME], pattern[ROW_NAME], role[ROW_NAME];
	char direction[ROW_NAME];     /* to_server, to_client, both: which way the payload went */
	char counted_by[ROW_NAME];    /* sender, receiver: whose counts and window these are */
	char time[ROW_NAME];          /* when the point ended, UTC, RFC 3339 */
	/* where */
	char host[ROW_NAME], peer_host[ROW_NAME], device[ROW_NAME], peer_device[ROW_NAME];
	uint64_t port, peer_port;
	char gid[ROW_NAME], peer_gid[ROW_NAME];
	uint64_t gid_index, peer_gid_index;
	char driver[ROW_NAME], peer_driver[ROW_NAME], firmware[ROW_NAME],
		peer_firmware[ROW_NAME], netdev[ROW_NAME];
	char link_layer[ROW_NAME];
	double link_gbit_s;
	char cpus[ROW_TEXT], nodes[ROW_TEXT], mem_nodes[ROW_TEXT];
	uint64_t hca_node, distance, mem_distance;
	char placement[ROW_NAME];     /* near, far, unknown */
	char peer_cpus[ROW_TEXT], peer_nodes[ROW_TEXT], peer_mem_nodes[ROW_TEXT];
	char peer_placement[ROW_NAME];
	uint64_t emulated;            /* 1: not a real HCA's figures */
	/* how */
	char walk[ROW_NAME];
	uint64_t size_bytes, threads, qps, depth, recv_depth, post_list, signal_interval, spin_us,
		inline_bytes, footprint_bytes, walk_buffers, page_bytes, peer_page_bytes, mtu_bytes,
		outstanding, qp_timeout, retry, rnr_retry, min_rnr_timer, sl, tclass, bidir;
	char post_api[ROW_NAME], poll_api[ROW_NAME];
	char locks[ROW_NAME], peer_locks[ROW_NAME]; /* on off_cq off_qp off; "" no loop there */
	char pin[ROW_NAME], mem[ROW_NAME], peer_pin[ROW_NAME], peer_mem[ROW_NAME];
	/* raw */
	uint64_t messages, bytes, window_ns;
	uint64_t sent_messages, received_messages; /* by the sender's and by the receiver's count */
	uint64_t lost, duplicated, out_of_order;
	uint64_t polls, empty_polls, events, spurious_events, credit_stalls;
	uint64_t qp_messages_min, qp_messages_max;
	double qp_fairness;
	double thread_rate_min_per_s, thread_rate_max_per_s, thread_fairness;
	uint64_t verified_messages;
	char clock[ROW_NAME];
	/* figures */
	double bandwidth_gbit_s, bandwidth_mib_s, message_rate_per_s;
	char lat_kind[ROW_NAME];      /* half_rtt, completion; "" no latency */
	uint64_t lat_samples;
	double lat_min_ns, lat_p50_ns, lat_p90_ns, lat_p99_ns, lat_p99_9_ns, lat_p99_99_ns,
		lat_max_ns, lat_mean_ns, lat_stdev_ns;
	/* cost */
	uint64_t cpu_ns;
	double cpu_ns_per_msg;
	double harness_ns_per_msg, harness_lat_ns;
	uint64_t voluntary_switches, involuntary_switches;
	/* status */
	char status[ROW_NAME];        /* ok, incomplete, skipped, failed */
	char reason[ROW_TEXT];
	char warnings[ROW_TEXT];
};

enum row_type { ROW_STR, ROW_U64, ROW_F64 };

/* One key. The type of a string's field is an array: size is its sizeof. */
struct row_key {
	const char *name;
	enum row_type type;
	size_t off;
	size_t size;
	const char *unit;   /* "ns", "bytes", "" */
	const char *help;   /* one line: meaning, formula, source */
};

extern const struct row_key row_keys[];
extern const size_t row_n_keys;

/* Everything absent, schema and tool version set. */
void row_init(struct row *row);

/*
 * bandwidth_gbit_s = bytes*8/window_ns, bandwidth_mib_s = bytes/2^20/(window_ns/1e9),
 * message_rate_per_s = messages/(window_ns/1e9); absent when the window is (ROW_NONE or 0).
 */
void row_rates(struct row *row);

/*
 * A cell's text as in CSV, unquoted, on one line: "" when absent. Returns text. size >= ROW_TEXT
 * cuts nothing. Numbers never have an exponent.
 */
const char *row_cell(const struct row *row, const struct row_key *key, char *text, size_t size);

/*
 * src in printable ASCII: control characters become spaces, bytes beyond ASCII '?'. Names and
 * reasons come from the peer too, and must break neither a line of CSV, nor JSON, nor a terminal.
 * Returns text.
 */
const char *row_clean(const char *src, char *text, size_t size);

/* The document of the keys, Markdown: docs/schema.md is its output. */
void row_schema(FILE *out);

#endif
