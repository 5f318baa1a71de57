/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The address of a peer from its first messages; see ep.h. The control connection has named the QPs
 * and the GID of the peer: a message from others is refused, not believed.
 */
#include "config.h"

#include "endpoint/ep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limits/gid_text.h"
#include "verbs/api.h"
#include "device/mem.h"
#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"

#define BATCH 16
#define SENT_NS 1000000000u /* an empty message leaves sooner on any link */

/* A receive for number i of the peer's QPs; it takes the GRH of a message from any of them. */
static int post(struct ep *ep, uint32_t i)
{
	const struct layout *lay = &ep->mem.layout;
	const uint64_t off = layout_rx_off(lay, i, 0);
	struct ibv_sge sge = {
		.addr = ep->mem.addr + off,
		.length = lay->grh_bytes,
		.lkey = mem_mr(&ep->mem, off)->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ep->srq ? ibv_post_srq_recv(ep->srq, &wr, &bad) :
			    ibv_post_recv(ep->qps[ep->n_qps == 1 ? 0 : i], &wr, &bad);

	return err ? verbs_failed(-err, "cannot post a receive for the first message") : 0;
}

int ep_hello_make(struct ep_hello *hello, uint32_t n)
{
	*hello = (struct ep_hello){ .heard = calloc(n, sizeof(*hello->heard)),
				    .news = calloc(n, sizeof(*hello->news)), .n = n, .left = n };
	return hello->heard && hello->news ? 0 :
		err_set(-ENOMEM, "no memory for the first messages of %u QPs", n);
}

void ep_hello_free(struct ep_hello *hello)
{
	free(hello->heard);
	free(hello->news);
	*hello = (struct ep_hello){ 0 };
}

bool ep_hello_mark(struct ep_hello *hello, uint32_t i)
{
	if (hello->heard[i])
		return false;
	hello->heard[i] = true;
	hello->left--;
	return true;
}

int ep_hello_open(struct ep_hello *hello, struct ep *ep, const struct plan *plan,
		  const struct ep_addr *peer)
{
	int rc = ep_activate(ep, plan, peer, SIDE_SERVER);

	for (uint32_t i = 0; i < hello->n && !rc; i++)
		rc = post(ep, i);
	return rc;
}

/* ibv_init_ah_from_wc(3) reads the GRH, also that of IPv4, which is not where it would be. */
int ep_check_source(const struct dev *dev, struct ibv_wc *wc, struct ibv_grh *grh,
		    const struct ep_addr *peer)
{
	const uint8_t port = (uint8_t)dev->limits.port;
	char came[GID_TEXT_MAX], named[GID_TEXT_MAX];
	struct ibv_ah_attr attr = { 0 };

	errno = 0;
	if (ibv_init_ah_from_wc(dev->ctx, port, wc, grh, &attr))
		return verbs_failed(err_code(), "the first message on %s gives no address",
				    dev->limits.device);
	if (attr.is_global && memcmp(attr.grh.dgid.raw, peer->gid, sizeof(peer->gid)))
		return err_set(-EPROTO,
			       "the first message on %s is from GID %s, but the peer named %s",
			       dev->limits.device,
			       gid_text(attr.grh.dgid.raw, came, sizeof(came)),
			       gid_text(peer->gid, named, sizeof(named)));
	if (!attr.is_global && attr.dlid != peer->lid)
		return err_set(-EPROTO,
			       "the first message on %s is from LID %u, but the peer named %u",
			       dev->limits.device, attr.dlid, peer->lid);
	return 0;
}

static int learn(struct ep *ep, struct ibv_wc *wc, const struct ep_addr *peer)
{
	const uint64_t off = layout_rx_off(&ep->mem.layout, (uint32_t)wc->wr_id, 0);
	const uint8_t port = (uint8_t)ep->dev->limits.port;
	struct ibv_grh grh;
	int rc;

	mem_copy_out(&ep->mem, off, &grh, sizeof(grh));
	rc = ep_check_source(ep->dev, wc, &grh, peer);
	if (rc)
		return rc;
	errno = 0;
	ep->ah = ibv_create_ah_from_wc(ep->domain.pd, wc, &grh, port);
	return ep->ah ? 0 : verbs_failed(err_code(), "cannot create AH from the first message on %s",
					 ep->dev->limits.device);
}

static int take(struct ep_hello *hello, struct ep *ep, struct ibv_wc *wc,
		const struct ep_addr *peer)
{
	uint32_t i = 0;
	int rc = 0;

	if (wc->status)
		return err_set(-EIO, "the receive of the first message failed: %s (%d)",
			       ibv_wc_status_str(wc->status), wc->status);
	while (i < peer->n_qps && peer->qps[i].qpn != wc->src_qp)
		i++;
	if (i == peer->n_qps)
		return err_set(-EPROTO,
			       "the first message on QP 0x%06x is from QP 0x%06x, which the peer has not named",
			       wc->qp_num, wc->src_qp);
	if (!ep->ah)
		rc = learn(ep, wc, peer);
	if (rc)
		return rc;
	if (ep_hello_mark(hello, i)) {
		hello->news[hello->n_news++] = i;
		return 0;
	}
	/* again: its receive was for a QP that is still silent */
	return post(ep, (uint32_t)wc->wr_id);
}

int ep_hello_take(struct ep_hello *hello, struct ep *ep, const struct ep_addr *peer)
{
	struct ibv_wc wc[BATCH];
	int n = ibv_poll_cq(ep->rcq, BATCH, wc), rc = 0;

	if (n < 0)
		return err_set(-EIO, "poll of the receive completion queue failed (%d)", n);
	for (int i = 0; i < n && !rc; i++)
		rc = take(hello, ep, &wc[i], peer);
	return rc;
}

static int await_sent(struct ep *ep, api_poll_fn *poll)
{
	const uint64_t end_ns = clock_ns() + SENT_NS;
	struct ibv_wc wc;
	int n;

	while ((n = poll(ep->scq, 1, &wc)) == 0)
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "a first message was not sent within %u ms",
				       SENT_NS / 1000000u);
	if (n < 0)
		return err_set(-EIO, "poll of the send completion queue failed (%d)", n);
	return wc.status ? err_set(-EIO, "send of a first message failed: %s (%d)",
				   ibv_wc_status_str(wc.status), wc.status) : 0;
}

int ep_hello_send(const struct ep_hello *hello, struct ep *ep, const struct plan *plan,
		  const struct ep_addr *peer)
{
	api_post_fn *const request = api_post(plan->work.post_api, ep->qps[0], plan->work.kind.op,
					      0);
	api_poll_fn *const poll = api_poll_sent(plan->work.poll_api, ep->scq);
	int rc = 0;

	for (uint32_t i = 0; i < ep->n_qps && !rc; i++) {
		struct ibv_send_wr wr = {
			.opcode = api_code_wr(plan->work.kind.op),
			.send_flags = IBV_SEND_SIGNALED,
			.wr.ud = { .ah = ep_ah(ep, i),
				   .remote_qpn = peer->qps[peer->n_qps == 1 ? 0 : i].qpn,
				   .remote_qkey = peer->qkey },
		}, *bad;
		int err;

		if (hello->heard[i])
			continue;
		err = request(ep->qps[i], &wr, &bad);
		rc = err ? verbs_failed(-err, "cannot send a first message on QP 0x%06x",
					ep->qps[i]->qp_num) : await_sent(ep, poll);
	}
	return rc;
}
