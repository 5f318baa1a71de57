/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connects the QPs of an ep with those of the peer: transitions, and the address handle of UD.
 * Checks the address that the peer sent. See ep.h.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causes/remedy.h"
#include "device/dev.h"
#include "endpoint/ep.h"
#include "limits/gid.h"
#include "limits/gid_text.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "verbs/api.h"
#include "verbs/verbs_error.h"

/*
 * The attributes of each QP transition, by transport. The manual pages list attributes "for
 * connected QPs", but the kernel refuses what a transport does not have (UC has no timeouts and no
 * read counts). So each mask here is the set that the kernel requires.
 */

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
		ah.grh.hop_limit = (uint8_t)in->plan->path.hop_limit;
		ah.grh.flow_label = in->flow_label;
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
	bool used = kind_takes_response(plan->work.kind.op);

	return (uint8_t)min_u32(used ? plan->work.outstanding : 1, min_u32(limit, UINT8_MAX));
}

int ep_access(const struct plan *plan, enum side side)
{
	const bool target = role_sends(plan->work.role[kind_other_side(side)]);

	const bool reads = role_sends(plan->work.role[side]) && kind_fetches(plan->work.kind.op);
	/* on iWARP the answer of a read is a write to the reader's memory: RFC 5040, 5.2 */
	const int sink = reads && plan->path.iwarp ? IBV_ACCESS_REMOTE_WRITE : 0;

	const int needs = api_code_access(plan->work.kind.op) |
			  api_code_flush_access(plan->work.flush);

	return IBV_ACCESS_LOCAL_WRITE | sink | (target ? needs : 0);
}

int ep_access_memory(const struct plan *plan, enum side side)
{
	const int access = ep_access(plan, side);
	const enum buffers_kind kind = plan_buffers(plan, side);
	const bool on_demand = choices_buffers_can(kind, BUFFERS_ON_DEMAND);
	/* auto is for the memory of one side, and not for that of the other */
	const bool by_auto = !plan->work.relaxed_or_fail;
	const bool relaxed = plan->work.relaxed_ordering &&
			     (!by_auto || choices_buffers_can(kind, BUFFERS_RELAXED));
	const int how = (on_demand ? IBV_ACCESS_ON_DEMAND : 0) |
			(relaxed ? IBV_ACCESS_RELAXED_ORDERING : 0);

	if (plan->work.mw == MW_NONE || access == IBV_ACCESS_LOCAL_WRITE)
		return access | how;
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND | how;
}

uint32_t ep_rkeys(const struct plan *plan, enum side side)
{
	const uint32_t n = plan->work.qps * plan->work.regions;

	return n > 1 && ep_access_memory(plan, side) & EP_REMOTE_ACCESS ? n : 0;
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
	a.attr.ah_attr = in->path ? *in->path : ep_attr_path(in);
	a.attr.dest_qp_num = in->peer_qp.qpn;
	a.attr.rq_psn = in->peer_qp.psn;
	a.attr.path_mtu = ep_mtu(in->plan->path.mtu_bytes);
	a.mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (kind_is_lossy(in->plan->work.kind.tp) || in->half == EP_SENDER)
		return a;
	a.attr.max_dest_rd_atomic = rd_atomic(in->plan, in->local->max_rd_atomic);
	a.attr.min_rnr_timer = (uint8_t)in->plan->path.min_rnr_timer;
	a.mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return a;
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

/* ---- transitions */

int ep_modify(struct ep *ep, uint32_t i, enum ep_half half, struct ep_attr *a)
{
	static const char *const states[] = {
		[IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR", [IBV_QPS_RTS] = "RTS",
		[IBV_QPS_SQD] = "SQD",
	};
	struct ibv_qp *qp = half == EP_RECEIVER ? ep->halves.qps[i] : ep->qps[i];
	int err = ibv_modify_qp(qp, &a->attr, a->mask);

	return err ? verbs_failed(-err, "QP %u to %s on %s", i, states[a->attr.qp_state],
				  ep->dev->limits.device) : 0;
}

int ep_complete(const struct ep *ep, struct ibv_wc *wc, uint32_t timeout_ms, const char *what)
{
	const uint64_t until_ns = clock_ns() + (uint64_t)timeout_ms * 1000000u;
	int n;

	while (!(n = ibv_poll_cq(ep->scq, 1, wc)))
		if (clock_ns() > until_ns)
			return err_set(-ETIMEDOUT, "%s: no completion within %u ms", what,
				       timeout_ms);
	if (n < 0)
		return err_set(-EIO, "%s: ibv_poll_cq failed: %d", what, n);
	if (wc->status != IBV_WC_SUCCESS)
		return err_set(-EIO, "%s: %s: %s", what, verbs_error_status_name(wc->status),
			       verbs_error_status(wc->status));
	return 0;
}

/* On RoCE the kernel resolves the MAC address for each address vector: at RTR, or for the AH. */
static int path_failed(const struct ep *ep, int rc, uint32_t gid_index, const struct ep_addr *peer)
{
	char text[GID_TEXT_MAX], address[GID_TEXT_MAX], netdev[PORT_NETDEV_MAX];
	const struct remedy_words words = {
		.address = gid_text_address(peer->gid, address, sizeof(address)),
	};

	if (rc != -ETIMEDOUT && rc != -EHOSTUNREACH && rc != -ENETUNREACH)
		return rc;
	port_netdev(ep->dev, gid_index, netdev);
	return remedy_error(rc, REMEDY_NEIGHBOUR, &words,
			    "address resolution of GID %s failed on netdev %s (%s)",
			    gid_text(peer->gid, text, sizeof(text)),
			    netdev[0] ? netdev : "unknown", strerror(-rc));
}

static int make_ah(struct ep *ep, struct ep_attr_in *in, uint32_t i, struct ibv_ah **ah)
{
	struct ibv_ah_attr path;
	int rc;

	in->flow_label = ep_flow_label(ep, in->plan, i);
	path = ep_attr_path(in);
	errno = 0;
	*ah = ibv_create_ah(ep->domain.pd, &path);
	if (*ah)
		return 0;
	rc = verbs_failed(err_code(), "cannot create AH on %s", ep->dev->limits.device);
	return path_failed(ep, rc, in->gid_index, in->peer);
}

static int open_ahs(struct ep *ep, struct ep_attr_in *in)
{
	const uint32_t n = min_u32(flow_label_count(in->plan->path.flow_label), ep->n_qps);
	int rc = make_ah(ep, in, 0, &ep->ah);

	if (rc || n < 2)
		return rc;
	ep->ahs = calloc(n, sizeof(*ep->ahs));
	if (!ep->ahs)
		return err_set(-ENOMEM, "no memory for %u address handles", n);
	ep->ahs[0] = ep->ah;
	for (ep->n_ahs = 1; ep->n_ahs < n && !rc; ep->n_ahs += !rc)
		rc = make_ah(ep, in, ep->n_ahs, &ep->ahs[ep->n_ahs]);
	return rc;
}

/* What the requests of each DCI name. */
static int open_targets(struct ep *ep, const struct ep_addr *peer)
{
	int rc = 0;

	ep->targets = calloc(ep->n_qps, sizeof(*ep->targets));
	if (!ep->targets)
		return err_set(-ENOMEM, "no memory for %u targets", ep->n_qps);
	for (uint32_t i = 0; !rc && i < ep->n_qps; i++) {
		ep->targets[i] = (struct dc_target){ .ah = ep_ah(ep, i), .key = peer->dc_key,
						     .dctn = peer->qps[i].recv_qpn };
		rc = dc_aim(&ep->targets[i], ep->qps[i]);
	}
	return rc ? err_set(rc, "%s gives a QP that is no DCI", ep->dev->limits.device) : 0;
}

static int check_peer(const struct plan *plan, const struct ep_addr *peer, enum side side)
{
	const uint32_t want = plan_side_qps(plan, kind_other_side(side));
	const enum transport tp = plan->work.kind.tp;

	if (peer->n_qps != want)
		return err_set(-EBADMSG, "the peer has %u QPs, not %u", peer->n_qps, want);
	for (uint32_t i = 0; kind_has_halves(tp) && i < peer->n_qps; i++)
		if (!peer->qps[i].recv_qpn || (kind_names_srq(tp) && !peer->qps[i].srqn))
			return err_set(-EBADMSG, "the peer's endpoint: QP %u has no %s", i,
				       kind_names_srq(tp) ? "XRC_RECV QP or no SRQ" : "DCT");
	if (!plan->path.global_route && (!peer->lid || peer->lid > UINT16_MAX))
		return remedy_error(-EHOSTUNREACH, REMEDY_NO_SM, NULL,
				    "the peer's port has LID %u", peer->lid);
	return 0;
}

static struct ep_attr_in attr_in(const struct ep *ep, const struct plan *plan,
				 const struct ep_addr *peer, enum side side)
{
	return (struct ep_attr_in){ .plan = plan, .local = &ep->dev->limits, .peer = peer,
				    .gid_index = plan_gid_index(plan, side) };
}

int ep_reach(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
{
	struct ep_attr_in in = attr_in(ep, plan, peer, side);
	/* a receiver of a group sends nothing */
	const bool silent = plan_is_mcast(plan) && side == SIDE_SERVER;
	int rc = check_peer(plan, peer, side);

	if (rc || silent || ep->ah ||
	    !(kind_is_datagram(plan->work.kind.tp) || kind_names_dct(plan->work.kind.tp)))
		return rc;
	rc = open_ahs(ep, &in);
	if (!rc && kind_names_dct(plan->work.kind.tp))
		rc = open_targets(ep, peer);
	return rc;
}

/* One QP: to RTR, and to RTS. */
static int connect_qp(struct ep *ep, uint32_t i, const struct ep_attr_in *in)
{
	struct ep_attr rtr = ep_attr_rtr(in), rts = ep_attr_rts(in);
	int rc = ep_modify(ep, i, in->half, &rtr);

	if (rc)
		return path_failed(ep, rc, in->gid_index, in->peer);
	return ep_modify(ep, i, in->half, &rts);
}

/* The QP that sends there reaches the one that receives here, and the other way round. */
static int connect_halves(struct ep *ep, uint32_t i, struct ep_attr_in *in)
{
	int rc;

	in->half = EP_RECEIVER;
	rc = connect_qp(ep, i, in);
	if (rc)
		return rc;
	in->half = EP_SENDER;
	in->peer_qp.qpn = in->peer_qp.recv_qpn;
	return connect_qp(ep, i, in);
}

int ep_connect(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
{
	int rc = ep_reach(ep, plan, peer, side);

	/* datagrams have no connection: rdma_cm only looks the peer up */
	if (plan->path.connect == CONNECT_RDMA_CM && !kind_is_datagram(plan->work.kind.tp))
		return rc;
	return rc ? rc : ep_activate(ep, plan, peer, side);
}

int ep_activate(struct ep *ep, const struct plan *plan, const struct ep_addr *peer, enum side side)
{
	struct ep_attr_in in = attr_in(ep, plan, peer, side);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < ep->n_qps && !ep->connected; i++) {
		in.own = ep->addr.qps[i];
		in.flow_label = ep_flow_label(ep, plan, i);
		/* a datagram QP is connected with none */
		if (peer->n_qps == ep->n_qps)
			in.peer_qp = peer->qps[i];
		/* a DCT has been ready since it got its number */
		in.half = kind_names_dct(plan->work.kind.tp) ? EP_SENDER : EP_WHOLE;
		if (kind_names_srq(plan->work.kind.tp))
			rc = connect_halves(ep, i, &in);
		else
			rc = connect_qp(ep, i, &in);
		if (!rc)
			rc = ep_tick(ep);
	}
	ep->connected = !rc;
	return rc;
}
