/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Prebuilt receives that several peers share, see ring.h. Built before the loop. */
#include "config.h"

#include "worker/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/recv.h"
#include "worker/setup.h"
#include "util/err.h"

#define LEAST_SLOTS 4u
#define SPREAD 4u /* slots per peer: devices number QPs in a row, which then have no collision */

/* What the SRQ of no endpoint raises. */
static const _Atomic uint64_t no_events;

/* qpn[i] names peer i in a completion. */
static int build_table(struct worker *w, const uint32_t *qpn)
{
	struct worker_share *share = &w->share;
	uint32_t slots = LEAST_SLOTS;

	while (slots < SPREAD * w->fixed.n_qps)
		slots *= 2;
	share->table = calloc(slots, sizeof(*share->table));
	if (!share->table)
		return err_set(-ENOMEM, "cannot allocate a table of %u peers", w->fixed.n_qps);
	share->mask = slots - 1;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		uint32_t at = qpn[i] & share->mask;

		while (share->table[at])
			at = (at + 1) & share->mask;
		w->fixed.peers[i].qpn = qpn[i];
		share->table[at] = &w->fixed.peers[i];
	}
	/* so that the loop need not look for NULL: no key of a free slot is that of peer 0 */
	for (uint32_t i = 0; i < slots; i++)
		if (!share->table[i])
			share->table[i] = w->fixed.peers;
	return 0;
}

static int name_peers(struct worker *w, const struct worker_setup *in)
{
	const uint32_t n = w->fixed.n_qps;
	uint32_t *qpn = calloc(n, sizeof(*qpn));
	int rc;

	if (!qpn)
		return err_set(-ENOMEM, "cannot allocate the numbers of %u QPs", n);
	for (uint32_t i = 0; i < n; i++)
		qpn[i] = w->share.sharing == SHARING_ONE_QP ? in->peer->qps[i].qpn :
							      in->ep->qps[i]->qp_num;
	rc = build_table(w, qpn);
	free(qpn);
	return rc;
}

/* The buffers of the QPs in turn, so that one is used again as late as possible. */
static void build(struct recv_queue *rq, const struct worker_setup *in)
{
	const uint32_t n = in->ep->mem.layout.rx_pieces.n, qps = in->plan->work.qps;
	struct ibv_sge *const sges = (struct ibv_sge *)(rq->ring + rq->slots);

	for (uint32_t i = 0; i < rq->slots; i++) {
		struct ibv_recv_wr *wr = &rq->ring[i];

		wr->wr_id = (uintptr_t)wr;
		wr->next = i + 1 == rq->slots ? NULL : wr + 1;
		ring_receive_buffer(wr, &sges[(size_t)i * n], in, i % qps, i / qps);
	}
}

/* The first n receives; the others wait in the chain. */
static int post(struct worker *w, uint32_t n)
{
	struct recv_queue *const rq = w->fixed.rqs;
	struct worker_share *const share = &w->share;
	struct ibv_recv_wr *const last = &rq->ring[n - 1];
	int rc;

	share->spare = rq->slots - n;
	share->tail = share->spare ? &rq->ring[rq->slots - 1] : &share->chain;
	share->chain.next = last->next;
	last->next = NULL;
	rc = recv_post(rq, rq->ring);
	if (rc)
		return err_set(-rc, "cannot post %u receives on %s: %s", n,
			       rq->has_srq ? "an SRQ" : "a shared QP", strerror(rc));
	return 0;
}

int ring_shared(struct worker *w, const struct worker_setup *in)
{
	const uint32_t posted = ring_receives_posted(in->plan, in->side);
	const uint32_t each = ring_receive_slots(in->plan, in->side, &in->ep->mem.layout);
	struct recv_queue *const rq = w->fixed.rqs;
	int rc;

	w->share.limit = in->plan->work.srq_limit;
	w->share.limit_events = in->ep->srq_events ? &in->ep->srq_events->limit : &no_events;
	w->share.tail = &w->share.chain;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		w->fixed.peers[i].rq = rq;
		if (w->fixed.receives)
			state_expect(w, &w->fixed.peers[i]);
	}
	rq->has_srq = in->ep->srq != NULL;
	if (rq->has_srq)
		rq->srq = in->ep->srq;
	else
		rq->qp = in->ep->qps[0];
	rc = name_peers(w, in);
	if (rc || !posted)
		return rc;
	rq->slots = each * w->fixed.n_qps;
	rq->ring = ring_alloc(in, rq->slots, sizeof(*rq->ring) + in->ep->mem.layout.rx_pieces.n *
							     sizeof(struct ibv_sge));
	if (!rq->ring)
		return -ENOMEM;
	build(rq, in);
	return post(w, posted * w->fixed.n_qps);
}

void ring_shared_free(struct worker *w)
{
	free(w->share.table);
	w->share.table = NULL;
}
