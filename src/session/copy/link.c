/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the posted requests of a copy and the wait for their completions; see link.h. It does not
 * know the meaning of a header.
 */
#include "config.h"
#include "copy/link.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MAGIC 0x76624350u /* "vbCP" */
#define MS_NS 1000000ull
#define POLLS_PER_LOOK 2048u
#define TICK_MS 20          /* a sleeper polls this often, should an event be lost */
#define REASON_MS 500       /* for the peer's reason after a request has failed */
#define RECV_ID (1ull << 32)
#define WRITE_ID (1ull << 33)

_Static_assert(sizeof(struct header) == HEADER_BYTES, "a header has no holes");

/* From host order to network order; and back, as it is the same. */
static struct header swapped(const struct header *h)
{
	struct header out = *h;

	out.magic = htobe32(h->magic);
	out.kind = htobe32(h->kind);
	out.seq = htobe64(h->seq);
	out.off = htobe64(h->off);
	out.len = htobe64(h->len);
	return out;
}

/* ---- requests */

static int post_recv(struct link *l, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)&l->headers[LINK_SLOTS + slot],
		.length = HEADER_BYTES,
		.lkey = l->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = RECV_ID, .sg_list = &sge, .num_sge = 1 }, *bad;
	const int err = ibv_post_recv(l->ep->qps[0], &wr, &bad);

	return err ? err_set(-err, "cannot post a receive: %s", strerror(err)) : 0;
}

int link_open(struct link *l, struct ep *ep, const struct plan *plan,
	      const struct link_watch *watch)
{
	const size_t bytes = 2 * LINK_SLOTS * HEADER_BYTES;
	int rc = 0;

	*l = (struct link){ .ep = ep, .plan = plan, .watch = watch, .over_ns = UINT64_MAX };
	l->headers = aligned_alloc(HEADER_BYTES, bytes);
	if (!l->headers)
		return err_set(-ENOMEM, "no memory for %zu bytes of headers", bytes);
	memset(l->headers, 0, bytes);
	errno = 0;
	l->mr = ibv_reg_mr(ep->domain.pd, l->headers, bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!l->mr) {
		rc = err_code();
		return err_set(rc, "cannot register %zu bytes of headers: %s", bytes,
			       strerror(-rc));
	}
	for (uint32_t i = 0; i < LINK_SLOTS && !rc; i++)
		rc = post_recv(l, i);
	return rc;
}

void link_close(struct link *l)
{
	if (l->mr) {
		const int err = ibv_dereg_mr(l->mr);

		if (err)
			log_note("cannot deregister the headers of a copy: %s", strerror(err));
	}
	free(l->headers);
	*l = (struct link){ 0 };
}

/* ---- completions */

/* Polls what the caller watches, and one more fd at the end; -1: none. */
static int poll_watched(const struct link *l, struct pollfd p[LINK_WATCHED + 1], int more, int ms)
{
	for (int i = 0; i <= LINK_WATCHED; i++)
		p[i] = (struct pollfd){ .fd = i < LINK_WATCHED ? l->watch->fds[i] : more,
					.events = POLLIN };
	return poll(p, LINK_WATCHED + 1, ms);
}

/* Another cause explains more than a failed request: the peer's reason, or that it is gone. */
static int completion_failed(struct link *l, const struct ibv_wc *wc)
{
	const char *what = wc->wr_id & RECV_ID ? "receive" : wc->wr_id & WRITE_ID ? "write" : "send";
	const uint64_t until_ns = clock_ns() + REASON_MS * MS_NS;
	struct pollfd p[LINK_WATCHED + 1];

	while (clock_ns() < until_ns && poll_watched(l, p, -1, TICK_MS) >= 0) {
		const int rc = l->watch->look(l->watch->arg);

		if (rc)
			return rc;
	}
	return err_set(-EIO, "a %s of the copy failed on QP 0x%06x: %s (%d), vendor code 0x%x; %s",
		       what, l->ep->qps[0]->qp_num, verbs_error_status_name(wc->status), wc->status,
		       wc->vendor_err, verbs_error_status(wc->status));
}

static int take(struct link *l, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		return completion_failed(l, wc);
	if (wc->wr_id & RECV_ID)
		l->lens[l->came++ % LINK_SLOTS] = wc->opcode == IBV_WC_RECV ? wc->byte_len : 0;
	else
		l->done++;
	return 0;
}

/* Polls both CQs once. The number of completions, or -errno with an error message. */
static int poll_both(struct link *l)
{
	struct ibv_cq *cqs[] = { l->ep->scq, l->ep->rcq };
	int found = 0;

	for (int i = 0; i < 2; i++) {
		struct ibv_wc wc[LINK_SLOTS];
		const int n = ibv_poll_cq(cqs[i], LINK_SLOTS, wc);

		if (n < 0)
			return err_set(-EIO, "poll of a completion queue of the copy failed");
		for (int k = 0; k < n; k++) {
			const int rc = take(l, &wc[k]);

			if (rc)
				return rc;
		}
		found += n;
	}
	return found;
}

/* ---- waiting */

static int arm(struct link *l)
{
	struct ibv_cq *cqs[] = { l->ep->scq, l->ep->rcq };

	for (int i = 0; i < 2; i++) {
		const int err = l->armed[i] ? 0 : ibv_req_notify_cq(cqs[i], 0);

		if (err)
			return err_set(-EIO, "asking for completion events failed: %s",
				       strerror(err < 0 ? -err : err));
		l->armed[i] = true;
	}
	return 0;
}

/* Events are acked at once: there are few of them. The channel does not block. */
static int take_events(struct link *l)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(l->ep->channel, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		l->armed[cq == l->ep->rcq] = false;
	}
	return errno == EAGAIN ? 0 :
		err_set(-EIO, "waiting for completion events failed: %s", strerror(errno));
}

/* Looks at what is watched; with an armed channel it sleeps until something happens. */
static int look(struct link *l, bool sleep)
{
	struct pollfd p[LINK_WATCHED + 1];
	bool readable = false;
	int rc = 0;

	if (poll_watched(l, p, sleep ? l->ep->channel->fd : -1, sleep ? TICK_MS : 0) < 0)
		return errno == EINTR ? 0 : err_set(-errno, "cannot poll: %s", strerror(errno));
	for (int i = 0; i < LINK_WATCHED; i++)
		readable |= p[i].revents != 0;
	l->watch->works(l->watch->arg);
	if (readable)
		rc = l->watch->look(l->watch->arg);
	if (!rc && p[LINK_WATCHED].revents)
		rc = take_events(l);
	return rc;
}

static bool may_sleep(const struct link *l, uint64_t waited_ns)
{
	const struct plan_work *work = &l->plan->work;

	return l->ep->channel && (work->kind.cm != CM_HYBRID ||
				  waited_ns > (uint64_t)work->spin_us * 1000u);
}

/* Sleeps, unless something came before the CQs were armed: that makes no event. */
static int sleep_once(struct link *l)
{
	const int rc = arm(l), found = rc ? rc : poll_both(l);

	return found ? found : look(l, true);
}

/* Polls until the count is at least that. */
static int wait_until(struct link *l, const uint64_t *count, uint64_t least, uint64_t ms,
		      const char *what)
{
	const bool by_event = l->ep->channel && l->plan->work.kind.cm != CM_HYBRID;
	const uint64_t since_ns = clock_ns();
	uint32_t polls = 0;
	int rc = 0;

	while (rc >= 0 && *count < least) {
		uint64_t now_ns;

		rc = poll_both(l);
		if (rc || (!by_event && ++polls % POLLS_PER_LOOK))
			continue;
		now_ns = clock_ns();
		if (now_ns >= l->over_ns)
			return err_set(-ETIMEDOUT, "the copy takes too long: less than 1 MB/s");
		if (now_ns - since_ns >= ms * MS_NS)
			return err_set(-ETIMEDOUT, "no %s from the peer within %" PRIu64 " ms",
				       what, ms);
		rc = may_sleep(l, now_ns - since_ns) ? sleep_once(l) : look(l, false);
	}
	return rc < 0 ? rc : 0;
}

static int wait_sends(struct link *l, uint64_t most)
{
	return wait_until(l, &l->done, l->posted < most ? 0 : l->posted - most,
			  l->plan->stall_timeout_ms, "acknowledgement of a send");
}

int link_drain(struct link *l)
{
	return wait_sends(l, 0);
}

/* Receives complete in the order in which they were posted: their slots come in turn. */
int link_receive(struct link *l, struct header *h, uint64_t extra_ms)
{
	const uint32_t slot = l->taken % LINK_SLOTS;
	int rc;

	/* here too: of a fast peer the next header is always there, and nobody waits */
	l->watch->works(l->watch->arg);
	rc = wait_until(l, &l->came, l->taken + 1, l->plan->stall_timeout_ms + extra_ms,
			"message about the copy");
	if (rc)
		return rc;
	*h = swapped(&l->headers[LINK_SLOTS + slot]);
	if (l->lens[slot] != HEADER_BYTES || h->magic != MAGIC)
		return err_set(-EBADMSG, "the peer sent %u bytes that are no header of a copy",
			       l->lens[slot]);
	l->taken++;
	return post_recv(l, slot);
}

int link_send(struct link *l, const struct header *h, const struct link_write *write)
{
	struct header *own;
	struct ibv_sge sges[2];
	struct ibv_send_wr wrs[2] = { { 0 } }, *bad;
	int rc = wait_sends(l, LINK_SLOTS - 1);

	if (rc)
		return rc;
	own = &l->headers[l->posted % LINK_SLOTS];
	*own = swapped(h);
	own->magic = htobe32(MAGIC);
	sges[1] = (struct ibv_sge){ (uintptr_t)own, HEADER_BYTES, l->mr->lkey };
	wrs[1].opcode = IBV_WR_SEND;
	wrs[1].send_flags = IBV_SEND_SIGNALED;
	wrs[1].sg_list = &sges[1];
	wrs[1].num_sge = 1;
	if (write) {
		sges[0] = (struct ibv_sge){ l->ep->mem.addr + write->local_off,
					    write->len, l->ep->mem.mr->lkey };
		wrs[0].wr_id = WRITE_ID;
		wrs[0].opcode = IBV_WR_RDMA_WRITE;
		wrs[0].sg_list = &sges[0];
		wrs[0].num_sge = 1;
		wrs[0].wr.rdma.remote_addr = write->remote_addr;
		wrs[0].wr.rdma.rkey = write->rkey;
		wrs[0].next = &wrs[1];
	}
	rc = ibv_post_send(l->ep->qps[0], &wrs[write ? 0 : 1], &bad);
	if (rc)
		return err_set(-rc, "cannot post a send: %s", strerror(rc));
	l->posted++;
	return 0;
}
