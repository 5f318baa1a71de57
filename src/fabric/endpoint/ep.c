/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Creates and destroys the verbs objects of one thread. Must not post requests or decide: numbers
 * come from the plan.
 */
#include "config.h"

#include "endpoint/ep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <rdma/rdma_cma.h>

#include "verbs/api.h"
#include "verbs/verbs_error.h"
#include "util/err.h"
#include "options/mcast.h"
#include "limits/gid.h"
#include "decide/plan.h"

/*
 * A Q_Key with the top bit set is privileged: a device would send the Q_Key of the QP instead (IBA
 * vol. 1, 10.2.5).
 */
#define QKEY_MASK 0x7fffffffu
enum ibv_mtu ep_mtu(uint32_t bytes)
{
	for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
		if (128u << mtu == bytes)
			return mtu;
	return 0;
}

static int fill_random(void *buf, size_t len)
{
	if (getrandom(buf, len, 0) != (ssize_t)len)
		return verbs_failed(err_code(), "cannot get %zu random bytes", len);
	return 0;
}

static int open_channel(struct ep *ep)
{
	errno = 0;
	ep->channel = ibv_create_comp_channel(ep->dev->ctx);
	if (!ep->channel || fcntl(ep->channel->fd, F_SETFL,
				  fcntl(ep->channel->fd, F_GETFL) | O_NONBLOCK) < 0)
		return verbs_failed(err_code(), "cannot create completion channel on %s",
				    ep->dev->limits.device);
	return 0;
}

static int open_cq(struct ep *ep, struct ibv_cq **cq, uint64_t entries, const struct plan *plan)
{
	static const uint64_t names_peer[SHARING_COUNT] = {
		[SHARING_SRQ] = IBV_WC_EX_WITH_QP_NUM,
		[SHARING_ONE_QP] = IBV_WC_EX_WITH_SRC_QP,
	};
	const int vectors = ep->dev->ctx->num_comp_vectors;
	const struct domain_cq want = {
		.entries = entries,
		.channel = ep->channel,
		.extended = plan->work.poll_api == APIS_POLL_EXTENDED,
		.wc_flags = plan_is_mcast(plan) ? IBV_WC_EX_WITH_SRC_QP :
						  names_peer[plan->work.kind.sharing],
		.vector = vectors > 0 ? ep->comp_vector % (uint32_t)vectors : 0,
	};
	errno = 0;
	*cq = domain_create_cq(&ep->domain, &want);
	if (*cq)
		return 0;
	return verbs_error_create(err_code(), "cannot create %sCQ of %llu entries on %s",
				  want.extended ? "extended " : "", (unsigned long long)entries,
				  ep->dev->limits.device);
}

/* Where the peer's requests go to, and n keys of regions. */
static int publish_memory(struct ep_addr *addr, const struct mem *mem, uint32_t n)
{
	addr->buf_addr = mem->addr;
	addr->rkey = mem->mr ? mem->mr->rkey : 0;
	addr->rkeys = n ? calloc(n, sizeof(*addr->rkeys)) : NULL;
	if (n && !addr->rkeys)
		return err_set(-ENOMEM, "no memory for the keys of %u regions", n);
	addr->n_rkeys = n;
	for (uint32_t i = 0; i < n; i++)
		addr->rkeys[i] = mem->mrs[i]->rkey;
	return 0;
}

static int open_memory(struct ep *ep, const struct plan *plan, const struct point *point,
		       enum side side)
{
	const int access = ep_access(plan, side);
	struct layout lay;
	int rc;

	layout_resolve(&lay, plan, point, side);
	lay.buffers = plan_buffers(plan, side);
	lay.gpu = plan_gpu(plan, side);
	rc = budget_take(ep->dev->budget, lay.total_bytes, "buffers");
	if (!rc)
		rc = mem_open(&ep->mem, ep->domain.pd, &lay, ep_access_memory(plan, side));
	/* in whole pages, which may be huge */
	if (!rc && ep->mem.map_bytes > lay.total_bytes)
		rc = budget_take(ep->dev->budget, ep->mem.map_bytes - lay.total_bytes, "pages");
	if (!rc && plan->work.relaxed_or_fail && !ep->mem.relaxed)
		rc = err_set(-EOPNOTSUPP,
			     "--relaxed-ordering on: %s of %s registers no memory with it (IBV_ACCESS_RELAXED_ORDERING)",
			     ep->dev->limits.device, ep->dev->limits.host);
	if (!rc && lay.buffers == BUFFERS_NULL && role_has_loop(plan->work.role[side]))
		rc = mem_open_null(&ep->mem, ep->domain.pd);
	if (!rc && access & EP_REMOTE_ACCESS)
		rc = publish_memory(&ep->addr, &ep->mem, ep_rkeys(plan, side));
	return rc;
}

int ep_make_qp(struct ep *ep, uint32_t i, const struct plan *plan, const struct plan_needs *needs)
{
	/* A QP needs a receive CQ even without receives; some providers need a receive slot. */
	struct ibv_qp_init_attr attr = {
		.qp_context = &ep->qp_events,
		.send_cq = ep->scq,
		.recv_cq = ep->rcq ? ep->rcq : ep->scq,
		.srq = ep->srq,
		.qp_type = api_code_qp_type(plan->work.kind.tp),
		.cap = {
			.max_send_wr = (uint32_t)needs->send_wr,
			.max_recv_wr = ep->srq	      ? 0 :
				       needs->recv_wr ? (uint32_t)needs->recv_wr : 1,
			.max_send_sge = needs->send_sges,
			.max_recv_sge = ep->srq ? 0 : needs->recv_sges,
			.max_inline_data = needs->inline_bytes,
		},
	};
	errno = 0;
	ep->qps[i] = domain_create_qp(&ep->domain, &attr,
				      api_send_ops(plan->work.post_api, plan->work.kind.op) |
				      api_bind_ops(plan->work.post_api, plan->work.mw));
	if (!ep->qps[i])
		return verbs_error_create(
			err_code(),
			"cannot create %s QP %u of %u on %s (send queue %u, %sreceive queue %u, inline %u bytes, posted to by %s)",
			kind_transport_names[plan->work.kind.tp], i, ep->n_qps,
			ep->dev->limits.device, attr.cap.max_send_wr, ep->srq ? "shared " : "",
			ep->srq ? (uint32_t)needs->srq_wr : attr.cap.max_recv_wr,
			needs->inline_bytes,
			plan->work.post_api == APIS_POST_WR ? "ibv_wr_*" : "ibv_post_send");
	if (attr.cap.max_inline_data < needs->inline_bytes)
		return err_set(-EINVAL, "%u bytes inline: %s grants %u at depth %u",
			       needs->inline_bytes, ep->dev->limits.device,
			       attr.cap.max_inline_data, plan->work.depth);
	ep->addr.qps[i].qpn = ep->qps[i]->qp_num;
	return 0;
}

/* DCT i: to RTR, where it gets its number. Its address vector has only what is of this side. */
static int ready_dct(struct ep *ep, uint32_t i, const struct ep_attr_in *in)
{
	struct ep_attr rtr;
	struct ep_attr_in own = *in;
	int rc;

	own.peer = &ep->addr;
	own.flow_label = ep_flow_label(ep, in->plan, i);
	rtr = ep_attr_rtr(&own);
	rc = ep_modify(ep, i, EP_RECEIVER, &rtr);
	ep->addr.qps[i].recv_qpn = ep->halves.qps[i]->qp_num;
	return rc;
}

/* The QPs that only receive. */
static int open_halves(struct ep *ep, const struct plan_needs *needs, struct ep_attr_in *in)
{
	const struct halves_want want = {
		.tp = in->plan->work.kind.tp,
		.dc_key = ep->addr.dc_key,
		.pd = ep->domain.pd,
		.cq = ep->rcq ? ep->rcq : ep->scq,
		.n = ep->n_qps,
		.receives = (uint32_t)needs->recv_wr,
		.sges = needs->recv_sges,
	};
	int rc = halves_open(&ep->halves, &want);

	in->half = EP_RECEIVER;
	for (uint32_t i = 0; !rc && i < ep->n_qps; i++) {
		struct ep_attr init = ep_attr_init(in);

		rc = halves_make(&ep->halves, &want, i);
		if (rc)
			return rc;
		ep->addr.qps[i].recv_qpn = ep->halves.qps[i]->qp_num;
		ep->addr.qps[i].srqn = ep->halves.srqns[i];
		rc = ep_modify(ep, i, EP_RECEIVER, &init);
		if (!rc && kind_names_dct(want.tp))
			rc = ready_dct(ep, i, in);
		if (!rc)
			rc = ep_tick(ep);
	}
	return rc;
}

/* For n QPs, each with a PSN. */
static int make_room(struct ep *ep, uint32_t n)
{
	int rc = 0;

	ep->qps = calloc(n, sizeof(*ep->qps));
	ep->addr.qps = calloc(n, sizeof(*ep->addr.qps));
	if (!ep->qps || !ep->addr.qps)
		return err_set(-ENOMEM, "no memory for %u QPs", n);
	ep->n_qps = n;
	ep->addr.n_qps = n;
	for (uint32_t i = 0; !rc && i < n; i++) {
		rc = fill_random(&ep->addr.qps[i].psn, sizeof(ep->addr.qps[i].psn));
		ep->addr.qps[i].psn &= EP_PSN_MASK;
	}
	return rc;
}

static int open_qps(struct ep *ep, const struct plan *plan, enum side side)
{
	struct ep_attr_in in = {
		.plan = plan,
		.local = &ep->dev->limits,
		.gid_index = plan_gid_index(plan, side),
		.access = ep_access(plan, side),
		.qkey = ep->addr.qkey,
		.half = kind_has_halves(plan->work.kind.tp) ? EP_SENDER : EP_WHOLE,
	};
	const struct plan_needs needs = plan_needs(plan, side);
	int rc = make_room(ep, plan_side_qps(plan, side));

	if (rc)
		return rc;
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		struct ep_attr init = ep_attr_init(&in);

		rc = ep_make_qp(ep, i, plan, &needs);
		if (rc)
			return rc;
		rc = ep_modify(ep, i, in.half, &init);
		if (!rc)
			rc = ep_tick(ep);
		if (rc)
			return rc;
	}
	return in.half == EP_SENDER ? open_halves(ep, &needs, &in) : 0;
}

static int fill_addr(struct ep *ep, const struct plan *plan, enum side side)
{
	const struct limits *l = &ep->dev->limits;
	const struct plan_gid *gid = gid_find(l, plan_gid_index(plan, side));
	int rc;

	if (!gid)
		return err_set(-EINVAL, "GID index %u of %s port %u holds no GID",
			       plan_gid_index(plan, side), l->device, l->port);
	memcpy(ep->addr.gid, gid->raw, sizeof(ep->addr.gid));
	ep->addr.lid = l->lid;
	if (kind_names_dct(plan->work.kind.tp)) {
		rc = fill_random(&ep->addr.dc_key, sizeof(ep->addr.dc_key));
		ep->addr.dc_key &= EP_DC_KEY_MAX;
		return rc;
	}
	if (!kind_is_datagram(plan->work.kind.tp))
		return 0;
	if (plan->path.connect == CONNECT_RDMA_CM) {
		/* the one that rdma_cm gives to the peer: there is no call to choose another */
		ep->addr.qkey = RDMA_UDP_QKEY;
		return 0;
	}
	rc = fill_random(&ep->addr.qkey, sizeof(ep->addr.qkey));
	ep->addr.qkey &= QKEY_MASK;
	/* all members of a group have the same */
	if (plan_is_mcast(plan))
		ep->addr.qkey = MCAST_QKEY;
	return rc;
}

/* A side without a loop has no thread that would profit. */
static unsigned int unlocked_wanted(const struct plan *plan, const struct dev *dev, enum side side)
{
	return plan->work.locks != LOCKS_ON && role_has_loop(plan->work.role[side]) ?
		       dev->unlocks :
		       0;
}

/* What dev_probe() found may be used up by now. */
static int check_locks(const struct ep *ep, const struct plan *plan, enum side side)
{
	const unsigned int without = ep->domain.without;

	if (plan->work.locks != LOCKS_OFF || !role_has_loop(plan->work.role[side]) ||
	    without == LOCKS_OFF_ALL)
		return 0;
	return err_set(-EOPNOTSUPP, "--locks off: %s of %s left out only some: %s",
		       ep->dev->limits.device, ep->dev->limits.host, choices_locks[without]);
}

static int open_queues(struct ep *ep, const struct plan *plan, enum side side,
		       const struct plan_needs *needs, unsigned int unlocked)
{
	int rc = domain_open(&ep->domain, ep->dev->ctx, unlocked);

	if (rc)
		return verbs_failed(rc, "cannot allocate PD on %s", ep->dev->limits.device);
	if (plan_completion(plan, side) != CM_POLL)
		rc = open_channel(ep);
	if (!rc)
		rc = open_cq(ep, &ep->scq, needs->send_cqe, plan);
	if (!rc && needs->recv_cqe)
		rc = open_cq(ep, &ep->rcq, needs->recv_cqe, plan);
	if (!rc && needs->srq_wr)
		rc = ep_srq_open(ep, needs->srq_wr, needs->recv_sges);
	return rc;
}

int ep_open_bare(struct ep *ep, const struct dev *dev, const struct plan *plan, enum side side,
		 const struct ep_bare *want)
{
	int rc;

	*ep = (struct ep) { .dev = dev };
	rc = fill_addr(ep, plan, side);
	if (!rc)
		rc = open_queues(ep, plan, side, &want->needs, 0);
	return rc ? rc : make_room(ep, want->n_qps);
}

int ep_open(struct ep *ep, const struct dev *dev, const struct plan *plan,
	    const struct point *point, enum side side)
{
	struct plan_needs needs = plan_needs(plan, side);
	int rc = plan_needs_check(plan, &dev->limits, side);

	*ep = (struct ep) { .dev = dev, .comp_vector = ep->comp_vector,
			     .first_qp = ep->first_qp, .pace = ep->pace };
	if (rc)
		return rc;
	rc = fill_addr(ep, plan, side);
	if (!rc)
		rc = budget_take(dev->budget,
				 plan_needs_bytes(&needs, plan_side_qps(plan, side)), "queues");
	if (!rc)
		rc = open_queues(ep, plan, side, &needs, unlocked_wanted(plan, dev, side));
	if (!rc)
		rc = open_memory(ep, plan, point, side);
	if (!rc)
		rc = open_qps(ep, plan, side);
	/* some are granted, and not left out */
	ep->domain.without &= dev->limits.unlocked;
	if (!rc)
		rc = check_locks(ep, plan, side);
	return rc;
}

void ep_addr_free(struct ep_addr *addr)
{
	free(addr->qps);
	free(addr->rkeys);
	addr->qps = NULL;
	addr->rkeys = NULL;
	addr->n_qps = addr->n_rkeys = 0;
}

uint32_t ep_n_made(const struct ep *ep)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ep->n_qps; i++)
		n += !!ep->qps[i];
	for (uint32_t i = 0; ep->halves.qps && i < ep->halves.n; i++)
		n += !!ep->halves.qps[i];
	return n;
}

void ep_close(struct ep *ep)
{
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		if (!ep->qps[i])
			continue;
		verbs_warn("destroy QP", ibv_destroy_qp(ep->qps[i]));
		(void)ep_tick(ep);
	}
	for (uint32_t i = 0; i < ep->n_qps; i++)
		if (halves_destroy_qp(&ep->halves, i))
			(void)ep_tick(ep);
	free(ep->qps);
	ep_srq_close(ep);
	halves_close(&ep->halves);
	free(ep->targets);
	if (ep->ah)
		verbs_warn("destroy AH", ibv_destroy_ah(ep->ah));
	for (uint32_t i = 1; i < ep->n_ahs; i++)
		verbs_warn("destroy AH", ibv_destroy_ah(ep->ahs[i]));
	free(ep->ahs);
	if (ep->scq)
		verbs_warn("destroy send CQ", ibv_destroy_cq(ep->scq));
	if (ep->rcq)
		verbs_warn("destroy receive CQ", ibv_destroy_cq(ep->rcq));
	if (ep->channel)
		verbs_warn("destroy completion channel", ibv_destroy_comp_channel(ep->channel));
	mem_close(&ep->mem);
	domain_close(&ep->domain);
	ep_addr_free(&ep->addr);
	*ep = (struct ep) { 0 };
}
