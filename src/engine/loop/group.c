/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Probes and the filter of a multicast group; see calls.h. In the timed region only the filter, of
 * receivers of a group.
 */
#include "config.h"

#include "loop/calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "loop/recv.h"
#include "util/clock.h"
#include "util/err.h"

#define SENT_NS 1000000000u /* a message of no bytes leaves sooner on any link */

static int bad_completion(const struct ibv_wc *wc, const char *what)
{
	return err_set(-EIO, "%s of a probe of the group failed: %s (%d)", what,
		       ibv_wc_status_str(wc->status), wc->status);
}

int group_send(struct worker *w, uint32_t n)
{
	struct peer *const peer = w->fixed.peers;
	const uint64_t end_ns = clock_ns() + SENT_NS;
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int rc;

	peer->credit_wr->imm_data = htonl(n);
	rc = w->fixed.post_credit(peer->sq->qp, peer->credit_wr, &bad);
	if (rc)
		return err_set(-rc, "cannot post a probe of the group: %s", strerror(rc));
	while ((rc = w->fixed.poll_sent(w->fixed.scq, 1, &wc)) == 0)
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "a probe of the group was not sent within %u ms",
				       SENT_NS / 1000000u);
	if (rc < 0)
		return err_set(-EIO, "poll of the send completion queue failed (%d)", rc);
	return wc.status ? bad_completion(&wc, "send") : 0;
}

int group_take(struct worker *w, uint32_t *probes)
{
	struct recv_queue *const rq = w->fixed.rqs;
	struct ibv_wc wc[STATE_BATCH];
	const int n = w->fixed.poll_came(w->fixed.rcq, STATE_BATCH, wc);

	if (n < 0)
		return err_set(-EIO, "poll of the receive completion queue failed (%d)", n);
	for (int i = 0; i < n; i++) {
		if (wc[i].status)
			return bad_completion(&wc[i], "receive");
		*probes += wc[i].byte_len == w->fixed.credit_bytes;
	}
	rq->taken += (uint64_t)n;
	if (n && recv_repost(w, rq))
		return err_set(-EIO, "cannot post the receives of probes again");
	return 0;
}

/* In place of the provider's function: leaves out what another QP has sent. */
static int poll_filtered(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct worker *const w = cq->cq_context;
	struct recv_queue *const rq = w->fixed.rqs;
	const int came = w->group.poll(cq, n, wc);
	int kept = 0;

	for (int i = 0; i < came; i++)
		if (wc[i].status || wc[i].src_qp == w->group.sender_qpn)
			wc[kept++] = wc[i];
	if (kept >= came)
		return came;
	rq->taken += (uint64_t)(came - kept);
	if (rq->taken >= rq->refill_at && recv_repost(w, rq))
		return -EIO;
	return kept;
}

void group_filter(struct worker *w, uint32_t sender_qpn)
{
	w->group = (struct worker_group){ .poll = w->fixed.poll_came, .sender_qpn = sender_qpn };
	w->fixed.poll_came = poll_filtered;
	w->fixed.rcq->cq_context = w;
}
