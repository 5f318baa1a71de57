/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the device, the port and the owner of one side allow: with the options, input of the plan.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_MAX_GIDS 64
#define PLAN_NAME 64

enum gid_type { GID_IB, GID_ROCE_V1, GID_ROCE_V2, GID_TYPE_COUNT };

struct plan_gid {
	uint32_t index;
	enum gid_type type;
	uint8_t raw[16];
};

/* Filled by rdma/dev.c; travels in the limits message. */
struct limits {
	char host[PLAN_NAME];
	char device[PLAN_NAME];
	char driver[PLAN_NAME];      /* kernel driver or provider, "" unknown */
	char firmware[PLAN_NAME];
	char netdev[PLAN_NAME];      /* "" unknown */
	uint32_t port;
	bool ethernet;               /* link layer: Ethernet, else InfiniBand */
	bool emulated;
	uint64_t rate_mbit_s;        /* link rate, 0 unknown */
	uint32_t lid;
	uint32_t pkey_index;         /* into the port's P_Key table, of the P_Key that QPs use */
	uint32_t pkey; /* that P_Key; bit 15: full member (IBA vol. 1, 10.9.1); 0 unknown */
	uint32_t active_mtu_bytes;
	uint32_t max_msg_bytes;
	uint32_t max_qps;
	uint32_t max_wr;             /* per queue */
	uint32_t max_cqe;
	uint32_t max_cqs, max_mrs, max_pds; /* UINT32_MAX unknown */
	uint32_t max_rd_atomic;      /* as target (max_qp_rd_atom) */
	uint32_t max_init_rd_atomic; /* as initiator (max_qp_init_rd_atom) */
	uint32_t max_inline_bytes;   /* the largest that a QP of this transport got; probed */
	bool atomics;
	uint32_t unlocked; /* enum locks bits: locks that the provider can leave out; probed */
	bool post_wr; /* QPs for ibv_wr_*() with the test's opcode: probed if the test uses it */
	bool poll_extended;          /* CQs for ibv_start_poll(): likewise */
	uint64_t max_total_bytes;    /* server's own cap on test memory, UINT64_MAX none */
	uint32_t max_threads;        /* server's own cap on measuring threads, UINT32_MAX none */
	uint32_t max_seconds;        /* server's own cap on one point, UINT32_MAX none */
	uint64_t hugepage_bytes;     /* size of a hugepage, 0: the kernel has none */
	uint64_t hugepages_free;     /* at the time of the question */
	uint32_t gid_index;          /* of -x (--gid-index), else CFG_AUTO */
	uint32_t n_gids;
	struct plan_gid gids[PLAN_MAX_GIDS];
};

#endif
