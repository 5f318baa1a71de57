/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ep: the attributes of each transition against the kernel's rules, and that limits are refused
 * by name before a device is touched. The table is qp_state_table of
 * drivers/infiniband/core/verbs.c (6.1), written down a second time.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#include "endpoint/ep_extras.h"
#include "endpoint/ep.h"
#include "util/err.h"

enum step { INIT, RTR, RTS, N_STEPS };

/* the rows of QPs that receive */
enum { XRC_RECV = TP_COUNT, DCT, N_ROWS };

/*
 * ib_modify_qp_is_ok(): all of required, nothing but required, optional and the state itself. DC:
 * modify_dci_qp_is_ok() of older kernels, mlx5_ib_modify_dct(). A DCT has no RTS.
 */
static const struct {
	int required, optional;
} rules[N_ROWS][N_STEPS] = {
	[TP_RC] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
		[RTR] = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
		[RTS] = { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC,
			  IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE },
	},
	[TP_UC] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
		[RTR] = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
		[RTS] = { IBV_QP_SQ_PSN,
			  IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_PATH_MIG_STATE },
	},
	[TP_UD] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0 },
		[RTR] = { 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY },
		[RTS] = { IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY },
	},
	[TP_XRC] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
		[RTR] = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
		[RTS] = { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC,
			  IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_PATH_MIG_STATE },
	},
	[XRC_RECV] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0 },
		[RTR] = { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX },
		[RTS] = { IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,
			  IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE },
	},
	[TP_DC] = {
		[INIT] = { IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0 },
		[RTR] = { IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX },
		[RTS] = { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC,
			  IBV_QP_MIN_RNR_TIMER },
	},
	[DCT] = {
		[INIT] = { IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0 },
		[RTR] = { IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0 },
	},
};

static const struct ep_addr peer_addr = {
	.lid = 0x1234,
	.gid = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2 },
};

static const struct limits local = {
	.port = 2, .pkey_index = 3, .max_rd_atomic = 16, .max_init_rd_atomic = 16
};

static struct plan plan_of(enum transport tp, enum opcode op)
{
	struct plan plan = {
		.work.kind = { .tp = tp, .op = op },
		.path.mtu_bytes = 2048,
		.work.outstanding = 9, .work.flush = kind_flushes(op) ? FLUSH_PERSISTENT_MR : 0,
		.path.qp_timeout = 13,
		.path.retry = 6, .path.rnr_retry = 5,
		.path.min_rnr_timer = 12,
		.path.sl = 3,
		.path.tclass = 106,
		.path.hop_limit = 9,
		.path.global_route = true,
	};

	role_resolve(plan.work.role, PATTERN_STREAM, op, false);
	return plan;
}

static struct ep_attr_in in_of(const struct plan *plan)
{
	return (struct ep_attr_in) {
		.plan = plan,
		.local = &local,
		.gid_index = 5,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
		.qkey = 0x12345678,
		.own = { .qpn = 17, .psn = 0xabcdef },
		.peer_qp = { .qpn = 42, .psn = 0x123456 },
		.peer = &peer_addr,
		.flow_label = 0xabcde,
	};
}

static void masks(void **state)
{
	static const enum ibv_qp_state states[N_STEPS] = {
		IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
	};

	(void)state;
	for (int tp = 0; tp < N_ROWS; tp++) {
		struct plan plan = plan_of(tp == XRC_RECV ? TP_XRC : tp == DCT ? TP_DC :
					   (enum transport)tp, OP_SEND);
		const enum step end = tp == DCT ? RTS : N_STEPS;
		struct ep_attr_in in = in_of(&plan);
		struct ep_attr got[N_STEPS];

		in.half = tp >= XRC_RECV ? EP_RECEIVER :
			  kind_has_halves(plan.work.kind.tp) ? EP_SENDER : EP_WHOLE;
		got[INIT] = ep_attr_init(&in);
		got[RTR] = ep_attr_rtr(&in);
		got[RTS] = ep_attr_rts(&in);

		for (enum step s = INIT; s < end; s++) {
			int may = rules[tp][s].required | rules[tp][s].optional | IBV_QP_STATE;

			assert_int_equal(got[s].attr.qp_state, states[s]);
			assert_true(got[s].mask & IBV_QP_STATE);
			assert_int_equal(rules[tp][s].required & ~got[s].mask, 0);
			assert_int_equal(got[s].mask & ~may, 0);
			assert_int_equal(got[s].mask, rules[tp][s].required | IBV_QP_STATE);
		}
	}
}

static void values_rc(void **state)
{
	struct plan plan = plan_of(TP_RC, OP_READ);
	struct ep_attr_in in = in_of(&plan);
	struct ibv_qp_attr init = ep_attr_init(&in).attr, rtr = ep_attr_rtr(&in).attr,
			   rts = ep_attr_rts(&in).attr;

	(void)state;
	assert_int_equal(init.port_num, 2);
	assert_int_equal(init.pkey_index, 3);
	assert_int_equal(init.qp_access_flags, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	assert_int_equal(rtr.path_mtu, IBV_MTU_2048);
	assert_int_equal(rtr.dest_qp_num, 42);
	assert_int_equal(rtr.rq_psn, 0x123456);
	assert_int_equal(rtr.max_dest_rd_atomic, 9);
	assert_int_equal(rtr.min_rnr_timer, 12);
	assert_int_equal(rts.sq_psn, 0xabcdef);
	assert_int_equal(rts.timeout, 13);
	assert_int_equal(rts.retry_cnt, 6);
	assert_int_equal(rts.rnr_retry, 5);
	assert_int_equal(rts.max_rd_atomic, 9);
}

static void values_path(void **state)
{
	struct plan plan = plan_of(TP_UC, OP_WRITE);
	struct ep_attr_in in = in_of(&plan);
	struct ibv_ah_attr ah = ep_attr_rtr(&in).attr.ah_attr;

	(void)state;
	assert_int_equal(ah.port_num, 2);
	assert_int_equal(ah.sl, 3);
	assert_int_equal(ah.is_global, 1);
	assert_memory_equal(ah.grh.dgid.raw, peer_addr.gid, 16);
	assert_int_equal(ah.grh.sgid_index, 5);
	assert_int_equal(ah.grh.hop_limit, 9);
	assert_int_equal(ah.grh.traffic_class, 106);
	assert_int_equal(ah.grh.flow_label, 0xabcde);
	plan.path.global_route = false;
	ah = ep_attr_path(&in);
	assert_int_equal(ah.is_global, 0);
	assert_int_equal(ah.dlid, 0x1234);
}

static void values_ud(void **state)
{
	struct plan plan = plan_of(TP_UD, OP_SEND);
	struct ep_attr_in in = in_of(&plan);

	(void)state;
	assert_int_equal(ep_attr_init(&in).attr.qkey, 0x12345678);
	assert_int_equal(ep_attr_rts(&in).attr.sq_psn, 0xabcdef);
}

/* The answers of a DCT go out as this side wants it; a DCI has no address. */
static void values_dc(void **state)
{
	struct plan plan = plan_of(TP_DC, OP_READ);
	struct ep_attr_in in = in_of(&plan);
	struct ibv_qp_attr rtr;

	(void)state;
	in.half = EP_RECEIVER;
	rtr = ep_attr_rtr(&in).attr;
	assert_int_equal(ep_attr_init(&in).attr.qp_access_flags,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	assert_int_equal(rtr.min_rnr_timer, 12);
	assert_int_equal(rtr.path_mtu, IBV_MTU_2048);
	assert_int_equal(rtr.ah_attr.grh.sgid_index, 5);
	assert_int_equal(rtr.ah_attr.grh.traffic_class, 106);
	assert_int_equal(rtr.ah_attr.port_num, 2);
	in.half = EP_SENDER;
	assert_int_equal(ep_attr_rtr(&in).attr.path_mtu, IBV_MTU_2048);
	assert_int_equal(ep_attr_rts(&in).attr.max_rd_atomic, 9);
	assert_int_equal(ep_attr_rts(&in).attr.timeout, 13);
}

/*
 * The role that is not used stays within what the device allows: RC demands the attribute all the
 * same.
 */
static void rd_atomic(void **state)
{
	struct limits weak = { .port = 1, .max_rd_atomic = 16, .max_init_rd_atomic = 4 };
	struct plan plan = plan_of(TP_RC, OP_SEND);
	struct ep_attr_in in = in_of(&plan);

	(void)state;
	assert_int_equal(ep_attr_rtr(&in).attr.max_dest_rd_atomic, 1);
	assert_int_equal(ep_attr_rts(&in).attr.max_rd_atomic, 1);
	plan.work.kind.op = OP_ATOMIC_WRITE;
	assert_int_equal(ep_attr_rts(&in).attr.max_rd_atomic, 9);
	plan.work.kind.op = OP_CMP_SWAP;
	assert_int_equal(ep_attr_rts(&in).attr.max_rd_atomic, 9);
	in.local = &weak;
	assert_int_equal(ep_attr_rtr(&in).attr.max_dest_rd_atomic, 9);
	assert_int_equal(ep_attr_rts(&in).attr.max_rd_atomic, 4);
}

static void mtu(void **state)
{
	(void)state;
	assert_int_equal(ep_mtu(256), IBV_MTU_256);
	assert_int_equal(ep_mtu(512), IBV_MTU_512);
	assert_int_equal(ep_mtu(1024), IBV_MTU_1024);
	assert_int_equal(ep_mtu(2048), IBV_MTU_2048);
	assert_int_equal(ep_mtu(4096), IBV_MTU_4096);
	assert_int_equal(ep_mtu(0), 0);
	assert_int_equal(ep_mtu(128), 0);
	assert_int_equal(ep_mtu(1500), 0);
	assert_int_equal(ep_mtu(8192), 0);
}

/* No context: anything that reached the device would crash. */
static void limits_by_name(void **state)
{
	struct dev dev = { .limits = { .device = "rxe7", .max_qps = 100, .max_wr = 1000,
				       .max_send_wr = 1000, .max_recv_wr = 1000,
				       .max_cqe = 2048 } };
	struct plan plan = plan_of(TP_RC, OP_SEND);
	struct point point = { .size_bytes = 64, .server_size_bytes = 64 };
	struct ep ep;

	(void)state;
	plan.work.depth = 128;
	plan.work.recv_depth = 512;
	plan.work.qps = 101;
	assert_int_equal(ep_open(&ep, &dev, &plan, &point, SIDE_CLIENT), -EINVAL);
	assert_string_equal(err_text(), "101 QPs: rxe7 has at most 100");
	plan.work.qps = 14;
	assert_int_equal(ep_open(&ep, &dev, &plan, &point, SIDE_SERVER), -EINVAL);
	/* 14 * 16 of credits fit, 14 * 512 do not */
	assert_non_null(strstr(err_text(), "14 QPs of receive depth 512"));
	assert_non_null(strstr(err_text(), "7168"));
	plan.work.qps = 17;
	assert_int_equal(ep_open(&ep, &dev, &plan, &point, SIDE_CLIENT), -EINVAL);
	assert_non_null(strstr(err_text(), "17 QPs of depth 128"));
	assert_non_null(strstr(err_text(), "2176"));
	assert_non_null(strstr(err_text(), "rxe7 has at most 2048"));
	plan.work.qps = 1;
	plan.work.depth = 1001;
	assert_int_equal(ep_open(&ep, &dev, &plan, &point, SIDE_CLIENT), -EINVAL);
	assert_non_null(strstr(err_text(), "depth 1001"));
	/* A write takes no receives: the receive depth is of no concern, the GID is next. */
	plan = plan_of(TP_RC, OP_WRITE);
	plan.work.qps = 14;
	plan.work.depth = 128;
	plan.work.recv_depth = 512;
	plan.path.server_gid = 3;
	assert_int_equal(ep_open(&ep, &dev, &plan, &point, SIDE_SERVER), -EINVAL);
	assert_non_null(strstr(err_text(), "GID index 3 of rxe7"));
	ep_close(&ep);
}

static void close_of_nothing(void **state)
{
	struct ep ep = { 0 };
	struct dev dev = { 0 };
	struct mem mem = { 0 };

	(void)state;
	ep_close(&ep);
	ep_close(&ep);
	dev_close(&dev);
	mem_close(&mem);
}

static void rights(void **state)
{
	static const int remote[OP_COUNT] = {
		[OP_WRITE] = IBV_ACCESS_REMOTE_WRITE, [OP_WRITE_IMM] = IBV_ACCESS_REMOTE_WRITE,
		[OP_READ] = IBV_ACCESS_REMOTE_READ, [OP_CMP_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
		[OP_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
		[OP_ATOMIC_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[OP_WRITE_FLUSH] = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_FLUSH_PERSISTENT,
	};

	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++) {
		struct plan p = plan_of(TP_RC, op);
		enum role *role = p.work.role;
		int target = IBV_ACCESS_LOCAL_WRITE | remote[op];

		role_resolve(role, PATTERN_STREAM, op, false);
		assert_int_equal(ep_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(ep_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_STREAM, op, true);
		assert_int_equal(ep_access(&p, SIDE_CLIENT), target);
		assert_int_equal(ep_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_PINGPONG, op, false);
		assert_int_equal(ep_access(&p, SIDE_CLIENT), target);
		assert_int_equal(ep_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_PROBE, op, false);
		assert_int_equal(ep_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(ep_access(&p, SIDE_SERVER), target);
	}
}

/* With windows the region grants no remote right, and only that of a target can be bound to. */
static void rights_of_windows(void **state)
{
	struct plan p = plan_of(TP_RC, OP_READ);

	(void)state;
	role_resolve(p.work.role, PATTERN_STREAM, OP_READ, false);
	assert_int_equal(ep_access_memory(&p, SIDE_SERVER),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	p.work.mw = MW_TYPE_2;
	assert_int_equal(ep_access_memory(&p, SIDE_SERVER),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	assert_int_equal(ep_access_memory(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
	p.work.buffers = BUFFERS_ODP;
	assert_int_equal(ep_access_memory(&p, SIDE_CLIENT),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	assert_int_equal(ep_access(&p, SIDE_SERVER),
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
}

/* Relaxed ordering by auto is of the side whose memory it is for. */
static void rights_of_each_memory(void **state)
{
	const int odp = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND;
	const int relaxed = IBV_ACCESS_RELAXED_ORDERING;
	struct plan p = plan_of(TP_RC, OP_SEND);

	(void)state;
	role_resolve(p.work.role, PATTERN_STREAM, OP_SEND, false);
	p.work.buffers = BUFFERS_ODP;
	p.work.relaxed_ordering = true;
	assert_int_equal(ep_access_memory(&p, SIDE_CLIENT), odp);
	assert_int_equal(ep_access_memory(&p, SIDE_SERVER), IBV_ACCESS_LOCAL_WRITE | relaxed);
	p.work.relaxed_or_fail = true;
	assert_int_equal(ep_access_memory(&p, SIDE_CLIENT), odp | relaxed);
}

/* What is left to be destroyed when making them has failed. */
static void only_qps_that_are_made_count(void **state)
{
	struct ibv_qp qp, *qps[] = { &qp, &qp, NULL }, *halves[] = { &qp, NULL, NULL };
	struct ep ep = { .qps = qps, .n_qps = 3 };

	(void)state;
	assert_int_equal(ep_n_made(&ep), 2);
	ep.halves.qps = halves;
	ep.halves.n = 3;
	assert_int_equal(ep_n_made(&ep), 3);
}

/* Two ports in place of the library's: the second has a link-local GID before one that is not. */
int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	static const char *const gids[2][2] = { { "fd80::1", NULL }, { "fe80::2", "fd80::2" } };

	(void)ctx;
	(void)flags;
	(void)size;
	if (port < 1 || port > 2 || index > 1 || !gids[port - 1][index])
		return ENODATA;
	*entry = (struct ibv_gid_entry){ .gid_index = index, .port_num = port,
					 .gid_type = IBV_GID_TYPE_ROCE_V2 };
	return inet_pton(AF_INET6, gids[port - 1][index], entry->gid.raw) == 1 ? 0 : EINVAL;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *ctx, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)ctx;
	(void)port;
	(void)attr; /* zeroed by the caller */
	return 0;
}

static void the_alternate_gid_is_alike(void **state)
{
	static struct ibv_context ctx;
	static struct dev dev = { .ctx = &ctx, .limits = { .port = 1, .alt_port = 2 } };
	const struct plan plan = plan_of(TP_RC, OP_SEND);
	struct ep ep = { .dev = &dev };

	(void)state;
	assert_int_equal(ep_apm_address(&ep, &plan, SIDE_CLIENT), 0);
	assert_int_equal(ep.alt_gid_index, 1);
}

/* Before an address handle is made for it. */
static void a_peer_of_other_qps_is_refused(void **state)
{
	const struct ep_addr peer = { .n_qps = 2 };
	struct plan plan = plan_of(TP_UD, OP_SEND);
	static struct dev dev;
	struct ep ep = { .dev = &dev };

	(void)state;
	plan.work.qps = 1;
	assert_int_equal(ep_reach(&ep, &plan, &peer, SIDE_CLIENT), -EBADMSG);
	assert_string_equal(err_text(), "the peer has 2 QPs, not 1");
	assert_null(ep.ah);
	/* also of a connection that rdma_cm makes */
	plan.work.kind.tp = TP_RC;
	plan.path.connect = CONNECT_RDMA_CM;
	assert_int_equal(ep_connect(&ep, &plan, &peer, SIDE_CLIENT), -EBADMSG);
}

static void assert_refused(const struct plan *plan, const struct ep_addr *peer, int rc,
			   const char *text)
{
	static struct dev dev;
	struct ep ep = { .dev = &dev };

	assert_int_equal(ep_reach(&ep, plan, peer, SIDE_CLIENT), rc);
	assert_non_null(strstr(err_text(), text));
}

/* Each half must be there, and on InfiniBand the port must have a LID. */
static void a_peer_that_cannot_be_reached_is_refused(void **state)
{
	struct ep_qp_id qps[2] = { { .recv_qpn = 5, .srqn = 6 }, { .recv_qpn = 7 } };
	struct ep_addr peer = { .n_qps = 2, .qps = qps, .lid = 1 };
	struct plan plan = plan_of(TP_XRC, OP_SEND);
	struct dev dev = { 0 };
	struct ep ep = { .dev = &dev };

	(void)state;
	plan.work.qps = 2;
	assert_refused(&plan, &peer, -EBADMSG, "QP 1 has no XRC_RECV QP or no SRQ");
	qps[1] = (struct ep_qp_id){ .srqn = 8 };
	assert_refused(&plan, &peer, -EBADMSG, "QP 1 has no XRC_RECV QP or no SRQ");
	qps[1].recv_qpn = 7;
	assert_int_equal(ep_reach(&ep, &plan, &peer, SIDE_CLIENT), 0);
	plan.path.global_route = false;
	assert_int_equal(ep_reach(&ep, &plan, &peer, SIDE_CLIENT), 0);
	peer.lid = 0;
	assert_refused(&plan, &peer, -EHOSTUNREACH, "the peer's port has LID 0: ");
	peer.lid = 0x10000;
	assert_refused(&plan, &peer, -EHOSTUNREACH, "the peer's port has LID 65536: ");
	peer.lid = 0xffff;
	plan.work.kind.tp = TP_RC;
	qps[1] = (struct ep_qp_id){ 0 };
	assert_int_equal(ep_reach(&ep, &plan, &peer, SIDE_CLIENT), 0);
	plan.work.kind.tp = TP_DC;
	assert_refused(&plan, &peer, -EBADMSG, "QP 1 has no DCT");
}

static struct ibv_ah made_ah;

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	(void)pd;
	(void)attr;
	return &made_ah;
}

/* What ibv_modify_qp() got last, and how many calls succeed before one fails. */
static struct ibv_qp *moved;
static int moves_left;

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)attr;
	(void)mask;
	moved = qp;
	return moves_left-- ? 0 : EINVAL;
}

/* Over XRC a QP that receives and one that sends: each step of both. */
static void a_half_that_is_not_connected_is_an_error(void **state)
{
	static struct ibv_context ctx;
	static struct ibv_qp sends = { .context = &ctx }, receives = { .context = &ctx };
	struct ibv_qp *sending[] = { &sends }, *receiving[] = { &receives };
	struct ep_qp_id own = { .qpn = 1 }, id = { .qpn = 5, .recv_qpn = 6, .srqn = 7 };
	const struct ep_addr peer = { .n_qps = 1, .qps = &id };
	struct plan plan = plan_of(TP_XRC, OP_SEND);
	struct dev dev = { .ctx = &ctx, .limits.device = "dev0" };
	struct ep ep = { .dev = &dev, .n_qps = 1, .qps = sending, .halves.qps = receiving,
			 .addr.qps = &own };

	(void)state;
	plan.work.qps = 1;
	for (int steps = 0; steps < 4; steps++) {
		moves_left = steps;
		assert_int_equal(ep_activate(&ep, &plan, &peer, SIDE_CLIENT), -EINVAL);
		assert_non_null(strstr(err_text(), steps % 2 ? "QP 0 to RTS on dev0: " :
							       "QP 0 to RTR on dev0: "));
		assert_ptr_equal(moved, steps < 2 ? &receives : &sends);
		assert_false(ep.connected);
	}
	moves_left = 4;
	assert_int_equal(ep_activate(&ep, &plan, &peer, SIDE_CLIENT), 0);
	assert_true(ep.connected);
}

/* The sender of a group has its address; its receivers answer nobody, over UD all others do. */
static void a_receiver_of_a_group_has_no_address(void **state)
{
	struct ep_qp_id qp = { .qpn = 5 };
	struct ep_addr peer = { .n_qps = 1, .qps = &qp };
	struct plan plan = plan_of(TP_UD, OP_SEND);

	(void)state;
	plan.work.qps = 1;
	for (int group = 0; group < 2; group++)
		for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
			static struct dev dev;
			struct ep ep = { .dev = &dev };

			snprintf(plan.path.mcast, sizeof(plan.path.mcast), "%s",
				 group ? "239.1.2.3" : "");
			assert_int_equal(ep_reach(&ep, &plan, &peer, side), 0);
			assert_ptr_equal(ep.ah, group && side == SIDE_SERVER ? NULL : &made_ah);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_alternate_gid_is_alike),
		cmocka_unit_test(a_peer_of_other_qps_is_refused),
		cmocka_unit_test(a_peer_that_cannot_be_reached_is_refused),
		cmocka_unit_test(a_half_that_is_not_connected_is_an_error),
		cmocka_unit_test(a_receiver_of_a_group_has_no_address),
		cmocka_unit_test(only_qps_that_are_made_count),
		cmocka_unit_test(rights), cmocka_unit_test(rights_of_windows),
		cmocka_unit_test(rights_of_each_memory),
		cmocka_unit_test(masks), cmocka_unit_test(values_rc),
		cmocka_unit_test(values_path),
		cmocka_unit_test(values_ud), cmocka_unit_test(values_dc),
		cmocka_unit_test(rd_atomic),
		cmocka_unit_test(mtu),
		cmocka_unit_test(limits_by_name),
		cmocka_unit_test(close_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
