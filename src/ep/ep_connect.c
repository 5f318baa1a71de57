/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connects the QPs of an ep with those of the peer: transitions, and the address handle of UD.
 * Checks the address that the peer sent. See ep.h.
 */
#include "config.h"

#include "ep/ep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remedy/remedy.h"
#include "util/err.h"
#include "limits/gid.h"
#include "limits/gid_text.h"
#include "rdma/port.h"

int ep_modify(struct ep *ep, uint32_t i, enum ep_half half, struct ep_attr *a)
{
	static const char *const states[] = {
		[IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR", [IBV_QPS_RTS] = "RTS",
		[IBV_QPS_SQD] = "SQD",
	};
	struct ibv_qp *qp = half == EP_RECEIVER ? ep->halves.qps[i] : ep->qps[i];
	int err = ibv_modify_qp(qp, &a->attr, a->mask);

	if (err)
		return err_set(-err, "QP %u to %s on %s: %s", i, states[a->attr.qp_state],
			       ep->dev->limits.device, strerror(err));
	return 0;
}

/* On RoCE the kernel resolves the MAC address for each address vector: at RTR, or for the AH. */
static int path_failed(const struct ep *ep, int rc, uint32_t gid_index, const struct ep_addr *peer)
{
	char text[GID_TEXT_MAX], address[GID_TEXT_MAX], netdev[PORT_NETDEV_MAX];
	char advice[REMEDY_TEXT];
	const struct remedy_words words = {
		.address = gid_text_address(peer->gid, address, sizeof(address)),
	};

	if (rc != -ETIMEDOUT && rc != -EHOSTUNREACH && rc != -ENETUNREACH)
		return rc;
	port_netdev(ep->dev, gid_index, netdev);
	return err_set_cause(rc, remedy_name(REMEDY_NEIGHBOUR),
			     "address resolution of GID %s failed on netdev %s (%s): %s",
			     gid_text(peer->gid, text, sizeof(text)),
			     netdev[0] ? netdev : "unknown", strerror(-rc),
			     remedy_fill(advice, REMEDY_NEIGHBOUR, &words));
}

static int open_ah(struct ep *ep, const struct ep_attr_in *in)
{
	struct ibv_ah_attr path = ep_attr_path(in);
	int rc;

	errno = 0;
	ep->ah = ibv_create_ah(ep->domain.pd, &path);
	if (ep->ah)
		return 0;
	rc = err_code();
	rc = err_set(rc, "cannot create AH on %s: %s", ep->dev->limits.device, strerror(-rc));
	return path_failed(ep, rc, in->gid_index, in->peer);
}

/* What the requests of each DCI name. */
static int open_targets(struct ep *ep, const struct ep_addr *peer)
{
	int rc = 0;

	ep->targets = calloc(ep->n_qps, sizeof(*ep->targets));
	if (!ep->targets)
		return err_set(-ENOMEM, "no memory for %u targets", ep->n_qps);
	for (uint32_t i = 0; !rc && i < ep->n_qps; i++) {
		ep->targets[i] = (struct dc_target){ .ah = ep->ah, .key = peer->dc_key,
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
		return err_set_cause(-EHOSTUNREACH, remedy_name(REMEDY_NO_SM),
				     "the peer's port has LID %u: %s", peer->lid,
				     remedy_text(REMEDY_NO_SM));
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
	const struct ep_attr_in in = attr_in(ep, plan, peer, side);
	/* a receiver of a group sends nothing */
	const bool silent = plan_is_mcast(plan) && side == SIDE_SERVER;
	int rc = check_peer(plan, peer, side);

	if (rc || silent || ep->ah ||
	    !(kind_is_datagram(plan->work.kind.tp) || kind_names_dct(plan->work.kind.tp)))
		return rc;
	rc = open_ah(ep, &in);
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
