/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The attributes of each QP transition, by transport. Pure: ep.c and ep_connect.c pass them to
 * ibv_modify_qp(). The manual pages list attributes "for connected QPs", but the kernel refuses
 * what a transport does not have (UC has no timeouts and no read counts). So each mask here is the
 * set that the kernel requires.
 */
#include "config.h"

#include "ep/ep.h"

#include <string.h>

#include "verbs/verbs_code.h"
#include "util/minmax.h"

#define HOP_LIMIT 64

struct ibv_ah_attr ep_attr_path(const struct ep_attr_in *in)
{
	struct ibv_ah_attr ah = {
		.dlid = (uint16_t)in->peer->lid,
		.sl = (uint8_t)in->plan->path.sl,
		.port_num = (uint8_t)in->local->port,
	};

	if (in->plan->path.global_route) {
		ah.is_global = 1;
		memcpy(ah.grh.dgid.raw, in->peer->gid, sizeof(ah.grh.dgid.raw));
		ah.grh.sgid_index = (uint8_t)in->gid_index;
		ah.grh.hop_limit = HOP_LIMIT;
		ah.grh.traffic_class = (uint8_t)in->plan->path.tclass;
	}
	return ah;
}

/*
 * RC needs both counts for every opcode. The plan has checked that the initiator and the target of
 * reads or atomics can do work.outstanding. A count that is not used is kept legal.
 */
static uint8_t rd_atomic(const struct plan *plan, uint32_t limit)
{
	bool used = kind_fetches(plan->work.kind.op);

	return (uint8_t)min_u32(used ? plan->work.outstanding : 1, min_u32(limit, UINT8_MAX));
}

int ep_access(const struct plan *plan, enum side side)
{
	const bool target = role_sends(plan->work.role[kind_other_side(side)]);

	const bool reads = role_sends(plan->work.role[side]) && kind_fetches(plan->work.kind.op);
	/* on iWARP the answer of a read is a write to the reader's memory: RFC 5040, 5.2 */
	const int sink = reads && plan->path.iwarp ? IBV_ACCESS_REMOTE_WRITE : 0;

	return IBV_ACCESS_LOCAL_WRITE | sink | (target ? verbs_code_access(plan->work.kind.op) : 0);
}

int ep_access_memory(const struct plan *plan, enum side side)
{
	const int access = ep_access(plan, side);
	const int how = (plan->work.buffers == BUFFERS_ODP ? IBV_ACCESS_ON_DEMAND : 0) |
			(plan->work.relaxed_ordering ? IBV_ACCESS_RELAXED_ORDERING : 0);

	if (plan->work.mw == MW_NONE || access == IBV_ACCESS_LOCAL_WRITE)
		return access | how;
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | how;
}

/*
 * Of DC, mlx5 takes its own sets, and nothing more: modify_dci_qp_is_ok() and mlx5_ib_modify_dct()
 * in drivers/infiniband/hw/mlx5/qp.c of the kernel.
 */
static bool is_dci(const struct ep_attr_in *in)
{
	return kind_names_dct(in->plan->work.kind.tp) && in->half == EP_SENDER;
}

struct ep_attr ep_attr_init(const struct ep_attr_in *in)
{
	struct ep_attr a = {
		.attr = {
			.qp_state = IBV_QPS_INIT,
			.pkey_index = (uint16_t)in->local->pkey_index,
			.port_num = (uint8_t)in->local->port,
		},
		.mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT,
	};

	if (kind_is_datagram(in->plan->work.kind.tp)) {
		a.attr.qkey = in->qkey;
		a.mask |= IBV_QP_QKEY;
	} else if (!is_dci(in)) {
		a.attr.qp_access_flags = (unsigned int)in->access;
		a.mask |= IBV_QP_ACCESS_FLAGS;
	}
	return a;
}

/* What of RTR does not depend on who tells the addresses. */
static void set_target(struct ep_attr *a, const struct ep_attr_in *in)
{
	a->attr.path_mtu = ep_mtu(in->plan->path.mtu_bytes);
	a->mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (kind_is_lossy(in->plan->work.kind.tp) || in->half == EP_SENDER)
		return;
	a->attr.max_dest_rd_atomic = rd_atomic(in->plan, in->local->max_rd_atomic);
	a->attr.min_rnr_timer = (uint8_t)in->plan->path.min_rnr_timer;
	a->mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

/*
 * A DCI has no address: the kernels that take one ignore it, others refuse it. That of a DCT is for
 * its answers, and has only what this side chooses.
 */
static struct ep_attr dc_rtr(const struct ep_attr_in *in)
{
	struct ep_attr a = {
		.attr = {
			.qp_state = IBV_QPS_RTR,
			.path_mtu = ep_mtu(in->plan->path.mtu_bytes),
		},
		.mask = IBV_QP_STATE | IBV_QP_PATH_MTU,
	};

	if (is_dci(in))
		return a;
	a.attr.ah_attr = ep_attr_path(in);
	a.attr.min_rnr_timer = (uint8_t)in->plan->path.min_rnr_timer;
	a.mask |= IBV_QP_AV | IBV_QP_MIN_RNR_TIMER;
	return a;
}

struct ep_attr ep_attr_rtr(const struct ep_attr_in *in)
{
	struct ep_attr a = { .attr = { .qp_state = IBV_QPS_RTR }, .mask = IBV_QP_STATE };

	if (kind_is_datagram(in->plan->work.kind.tp))
		return a;
	if (kind_names_dct(in->plan->work.kind.tp))
		return dc_rtr(in);
	a.attr.ah_attr = ep_attr_path(in);
	a.attr.dest_qp_num = in->peer_qp.qpn;
	a.attr.rq_psn = in->peer_qp.psn;
	set_target(&a, in);
	return a;
}

struct ep_attr ep_attr_rtr_cm(const struct ep_attr_in *in, const struct ibv_qp_attr *given)
{
	struct ep_attr a = {
		.attr = {
			.qp_state = IBV_QPS_RTR,
			.ah_attr = given->ah_attr,
			.dest_qp_num = given->dest_qp_num,
			.rq_psn = given->rq_psn,
		},
		.mask = IBV_QP_STATE,
	};

	set_target(&a, in);
	return a;
}

struct ep_attr ep_attr_rts_cm(const struct ep_attr_in *in, const struct ibv_qp_attr *given)
{
	struct ep_attr_in with = *in;

	with.own.psn = given->sq_psn;
	return ep_attr_rts(&with);
}

struct ep_attr ep_attr_rts(const struct ep_attr_in *in)
{
	struct ep_attr a = {
		.attr = { .qp_state = IBV_QPS_RTS, .sq_psn = in->own.psn },
		.mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
	};

	if (kind_is_lossy(in->plan->work.kind.tp))
		return a;
	a.attr.timeout = (uint8_t)in->plan->path.qp_timeout;
	a.mask |= IBV_QP_TIMEOUT;
	if (in->half != EP_RECEIVER) {
		a.attr.retry_cnt = (uint8_t)in->plan->path.retry;
		a.attr.rnr_retry = (uint8_t)in->plan->path.rnr_retry;
		a.attr.max_rd_atomic = rd_atomic(in->plan, in->local->max_init_rd_atomic);
		a.mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return a;
}
