/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the QP by which a peer proves its address; see ep_extras.h. The number is immediate data, so
 * that a datagram needs no memory but for the GRH.
 */
#include "config.h"

#include "endpoint/ep_extras.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "util/err.h"
#include "verbs/verbs_error.h"

#define QKEY_MASK 0x7fffffffu /* those with the top bit are privileged: IBA vol. 1, 10.2.5 */
#define SEND_WR_ID UINT64_MAX

bool proof_is_due(const struct plan *plan)
{
	return kind_is_lossy(plan->work.kind.tp) && !plan_is_mcast(plan);
}

static int fail(const struct ep *ep, const char *what, int rc)
{
	return verbs_failed(rc, "cannot %s for the proof of the peer's address on %s", what,
			    ep->dev->limits.device);
}

static int post(struct proof *p, const struct ep *ep, uint64_t i)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&p->grh[i], .length = sizeof(p->grh[i]),
			       .lkey = p->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;
	const int err = ibv_post_recv(p->qp, &wr, &bad);

	return err ? fail(ep, "post a receive", -err) : 0;
}

static int create(struct proof *p, struct ep *ep)
{
	struct ibv_qp_init_attr attr = {
		.qp_context = &ep->qp_events,
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_recv_wr = PROOF_RECEIVES, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	errno = 0;
	p->mr = ibv_reg_mr(ep->domain.pd, p->grh, sizeof(p->grh), IBV_ACCESS_LOCAL_WRITE);
	if (!p->mr)
		return fail(ep, "register memory", err_code());
	p->cq = ibv_create_cq(ep->dev->ctx, PROOF_RECEIVES + 1, NULL, NULL, 0);
	if (!p->cq)
		return fail(ep, "create a CQ", err_code());
	attr.send_cq = p->cq;
	attr.recv_cq = p->cq;
	p->qp = ibv_create_qp(ep->domain.pd, &attr);
	return p->qp ? 0 : fail(ep, "create a UD QP", err_code());
}

static int ready(struct proof *p, const struct ep *ep, uint32_t qkey)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = (uint16_t)ep->dev->limits.pkey_index,
		.port_num = (uint8_t)ep->dev->limits.port,
		.qkey = qkey,
	};
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR }, rts = { .qp_state = IBV_QPS_RTS };
	int err = ibv_modify_qp(p->qp, &init,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);

	if (!err)
		err = ibv_modify_qp(p->qp, &rtr, IBV_QP_STATE);
	if (!err)
		err = ibv_modify_qp(p->qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err ? fail(ep, "modify the UD QP", -err) : 0;
}

int proof_open(struct proof *p, struct ep *ep, const struct plan *plan)
{
	uint32_t random[2];
	int rc;

	*p = (struct proof){ 0 };
	if (!proof_is_due(plan))
		return 0;
	errno = 0;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return fail(ep, "get random bytes", err_code());
	p->number = random[0];
	p->routed = plan->path.global_route;
	rc = create(p, ep);
	if (!rc)
		rc = ready(p, ep, random[1] & QKEY_MASK);
	for (uint64_t i = 0; i < PROOF_RECEIVES && !rc; i++)
		rc = post(p, ep, i);
	if (rc)
		return rc;
	ep->addr.proof_qpn = p->qp->qp_num;
	ep->addr.proof_qkey = random[1] & QKEY_MASK;
	return 0;
}

static int aim(struct proof *p, const struct ep *ep, const struct plan *plan,
	       const struct ep_addr *peer, enum side side)
{
	const struct ep_attr_in in = { .plan = plan, .local = &ep->dev->limits, .peer = peer,
				       .gid_index = plan_gid_index(plan, side) };
	struct ibv_ah_attr path = ep_attr_path(&in);

	if (p->ah)
		return 0;
	errno = 0;
	p->ah = ibv_create_ah(ep->domain.pd, &path);
	return p->ah ? 0 : fail(ep, "create an AH", err_code());
}

/* 1: something has completed. */
static int poll_cq(struct proof *p, const struct ep *ep, struct ibv_wc *wc)
{
	const int n = ibv_poll_cq(p->cq, 1, wc);

	if (n > 0 && wc->status)
		return err_set(-EIO, "a datagram for the proof of the peer's address on %s failed: %s (%d)",
			       ep->dev->limits.device, ibv_wc_status_str(wc->status), wc->status);
	return n < 0 ? fail(ep, "poll the CQ", -EIO) : n;
}

int proof_send(struct proof *p, const struct ep *ep, const struct plan *plan,
	       const struct ep_addr *peer, enum side side)
{
	struct ibv_send_wr wr = {
		.wr_id = SEND_WR_ID,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(p->number),
	}, *bad;
	int rc = aim(p, ep, plan, peer, side), err;

	if (rc || p->sending)
		return rc;
	wr.wr.ud.ah = p->ah;
	wr.wr.ud.remote_qpn = peer->proof_qpn;
	wr.wr.ud.remote_qkey = peer->proof_qkey;
	err = ibv_post_send(p->qp, &wr, &bad);
	p->sending = !err;
	return err ? fail(ep, "send a datagram", -err) : 0;
}

int proof_take(struct proof *p, const struct ep *ep, const struct ep_addr *peer, uint32_t *number)
{
	struct ibv_wc wc;
	int rc;

	while ((rc = poll_cq(p, ep, &wc)) > 0 && wc.wr_id == SEND_WR_ID)
		p->sending = false;
	if (rc <= 0)
		return rc;
	if (wc.src_qp != peer->proof_qpn)
		return err_set(-EPROTO, "the datagram that proves the peer's address is from QP 0x%06x, but the peer named QP 0x%06x",
			       wc.src_qp, peer->proof_qpn);
	if (wc.wc_flags & IBV_WC_GRH || !p->routed)
		rc = ep_check_source(ep->dev, &wc, &p->grh[wc.wr_id], peer);
	else
		rc = 0;
	*number = ntohl(wc.imm_data);
	if (!rc)
		rc = post(p, ep, wc.wr_id);
	return rc ? rc : 1;
}

void proof_close(struct proof *p)
{
	if (p->qp)
		verbs_warn("destroy QP", ibv_destroy_qp(p->qp));
	if (p->ah)
		verbs_warn("destroy AH", ibv_destroy_ah(p->ah));
	if (p->cq)
		verbs_warn("destroy CQ", ibv_destroy_cq(p->cq));
	if (p->mr)
		verbs_warn("deregister memory", ibv_dereg_mr(p->mr));
	*p = (struct proof){ 0 };
}
