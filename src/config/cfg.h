/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the user asked for, before any device was looked at: one field per option, filled by opts.c
 * from the command line (client) or from the plan message (server). CFG_AUTO means "the tool
 * chooses"; what it chose stands in struct plan and in the result.
 */
#ifndef CFG_H
#define CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "config/kind.h"

#define CFG_AUTO UINT32_MAX
#define CFG_AUTO64 UINT64_MAX

struct cfg {
	uint32_t test;          /* enum test, from the program's name or the first word */
	const char *host;       /* NULL: server */

	/* local: stay on this side */
	const char *device;     /* NULL: auto */
	uint32_t ib_port;       /* 1.., CFG_AUTO */
	bool soft;              /* on the emulated HCA */
	uint32_t gid_index;     /* CFG_AUTO: chosen as a pair */
	uint32_t tcp_port;
	const char *csv;        /* file, "-" for standard output, NULL: none */
	const char *json;
	uint32_t connect_timeout_ms;
	uint32_t stall_timeout_ms;
	bool topology;          /* of verbench list */
	bool topology_xml;      /* set by opts_parse(): "list --topology xml" */
	bool adds;              /* set by serve.c: several sessions share the files */
	bool help;              /* opts_parse() answers these two itself */
	bool version;

	/* the test: travel to the server in the plan message */
	uint32_t transport;     /* enum transport */
	uint32_t completion;    /* enum completion */
	bool events;            /* -e: short for --completion event */
	uint32_t spin_us;       /* hybrid: empty polls for so long before sleeping */
	bool imm;
	uint32_t atomic;        /* 0: cmp_swap, 1: fetch_add */
	uint64_t size_bytes;    /* CFG_AUTO64: by test */
	bool all_sizes;
	uint64_t messages;      /* per QP; CFG_AUTO64: by test */
	uint32_t duration_s;    /* CFG_AUTO: count messages instead */
	uint32_t depth;
	uint32_t recv_depth;
	uint32_t threads;
	uint32_t qps;           /* of each thread */
	uint32_t post_list;
	uint32_t signal_interval;
	uint32_t inline_bytes;
	uint64_t footprint_bytes; /* of buffers, of a thread; CFG_AUTO64: walk_auto_bytes() */
	uint32_t walk;          /* enum walk_order */
	uint32_t hugepages;     /* enum hugepages_use */
	uint32_t mtu_bytes;
	bool bidir;
	bool verify;
	uint32_t locks;         /* enum locks_wish */
	uint32_t post_api;      /* enum apis_post */
	uint32_t poll_api;      /* enum apis_poll */
	uint32_t outstanding;   /* reads and atomics in flight per QP */
	uint32_t qp_timeout;    /* code: 4.096 us * 2^n; IBA vol. 1, 9.7.6.1.3 */
	uint32_t retry;
	uint32_t rnr_retry;
	uint32_t min_rnr_timer; /* code: IBA vol. 1, table 45 */
	uint32_t sl;
	uint32_t tclass;
	const char *pin, *mem;  /* the client's placement; values of topo.h: auto, ..., SPEC */
	const char *peer_pin, *peer_mem; /* the server's */
};

/* The kind that the options name; valid once the options are parsed. */
struct kind cfg_kind(const struct cfg *cfg);

#endif
