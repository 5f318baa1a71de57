/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the posted requests of a copy and the wait for their completions; see link.h. Called by
 * transfer_send.c and transfer_receive.c, one thread. Must not know what a header means.
 */
#include "config.h"
#include "copy/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MS_NS 1000000ull
#define POLLS_PER_LOOK 2048u
#define TICK_MS 20          /* a sleeper polls this often, should an event be lost */
#define REASON_MS 500       /* for the peer's reason after a request has failed */
#define RECV_ID (1ull << 32)
#define WRITE_ID (1ull << 33)

/* ---- requests */

static int post_recv(struct link *l, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)l->headers + (LINK_SLOTS + slot) * HEADER_BYTES,
		.length = HEADER_BYTES,
		.lkey = l->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = RECV_ID | slot, .sg_list = &sge, .num_sge = 1 }, *bad;
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

void link_limit(struct link *l, uint64_t ms)
{
	l->over_ns = clock_ns() + ms * MS_NS;
}

/* ---- completions */

/* Another cause explains more than a failed request: the peer's reason, or that it is gone. */
static int completion_failed(struct link *l, const struct ibv_wc *wc)
{
	const char *what = wc->wr_id & RECV_ID ? "receive" : wc->wr_id & WRITE_ID ? "write" : "send";
	const uint64_t until_ns = clock_ns() + REASON_MS * MS_NS;
	struct pollfd p[LINK_WATCHED];

	for (int i = 0; i < LINK_WATCHED; i++)
		p[i] = (struct pollfd){ .fd = l->watch->fds[i], .events = POLLIN };
	while (clock_ns() < until_ns && poll(p, LINK_WATCHED, TICK_MS) >= 0) {
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
	if (!(wc->wr_id & RECV_ID)) {
		l->done++;
		return 0;
	}
	l->slots[l->came % LINK_SLOTS] = (uint8_t)wc->wr_id;
	l->lens[l->came % LINK_SLOTS] = wc->opcode == IBV_WC_RECV ? wc->byte_len : 0;
	l->came++;
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

	for (int i = 0; i < LINK_WATCHED; i++)
		p[i] = (struct pollfd){ .fd = l->watch->fds[i], .events = POLLIN };
	p[LINK_WATCHED] = (struct pollfd){ .fd = sleep ? l->ep->channel->fd : -1,
					   .events = POLLIN };
	if (poll(p, LINK_WATCHED + 1, sleep ? TICK_MS : 0) < 0)
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

/* One wait of a caller. */
struct wait {
	uint64_t ms, until_ns, since_ns;
	uint32_t polls;
};

static struct wait begin(const struct link *l, uint64_t extra_ms)
{
	const uint64_t now_ns = clock_ns();
	struct wait w = { .ms = l->plan->stall_timeout_ms + extra_ms, .since_ns = now_ns };

	w.until_ns = now_ns + w.ms * MS_NS;
	if (l->over_ns < w.until_ns)
		w.until_ns = l->over_ns;
	return w;
}

static bool may_sleep(const struct link *l, const struct wait *w, uint64_t now_ns)
{
	if (l->plan->work.kind.cm == CM_HYBRID)
		return now_ns - w->since_ns > (uint64_t)l->plan->work.spin_us * 1000u;
	return l->plan->work.kind.cm == CM_EVENT;
}

/* Between two polls. */
static int step(struct link *l, struct wait *w, const char *what)
{
	uint64_t now_ns;
	int rc, found;

	if (l->plan->work.kind.cm != CM_EVENT && ++w->polls % POLLS_PER_LOOK)
		return 0;
	now_ns = clock_ns();
	if (now_ns >= w->until_ns)
		return err_set(-ETIMEDOUT, now_ns >= l->over_ns ?
			       "the copy takes too long: less than 1 MB/s" :
			       "no %s from the peer within %llu ms", what,
			       (unsigned long long)w->ms);
	if (!may_sleep(l, w, now_ns))
		return look(l, false);
	rc = arm(l);
	/* what came before the CQ was armed makes no event */
	found = rc ? rc : poll_both(l);
	if (found)
		return found < 0 ? found : 0;
	return look(l, true);
}

static int wait_sends(struct link *l, uint64_t most)
{
	struct wait w = begin(l, 0);
	int rc = 0;

	while (rc >= 0 && l->posted - l->done > most) {
		rc = poll_both(l);
		if (!rc)
			rc = step(l, &w, "acknowledgement of a send");
	}
	return rc < 0 ? rc : 0;
}

int link_drain(struct link *l)
{
	return wait_sends(l, 0);
}

int link_receive(struct link *l, struct header *h, uint64_t extra_ms)
{
	struct wait w = begin(l, extra_ms);
	uint32_t at = l->taken % LINK_SLOTS, slot;
	int rc = 0;

	/* here too: of a fast peer the next header is always there, and nobody waits */
	l->watch->works(l->watch->arg);
	while (rc >= 0 && l->came == l->taken) {
		rc = poll_both(l);
		if (!rc)
			rc = step(l, &w, "word about the copy");
	}
	if (rc < 0)
		return rc;
	slot = l->slots[at];
	rc = header_decode(h, l->headers + (LINK_SLOTS + slot) * HEADER_BYTES, l->lens[at]);
	l->taken++;
	return rc ? rc : post_recv(l, slot);
}

int link_send(struct link *l, const struct header *h, const struct link_write *write)
{
	uint8_t *bytes;
	struct ibv_sge sges[2];
	struct ibv_send_wr wrs[2] = { { 0 } }, *bad;
	int rc = wait_sends(l, LINK_SLOTS - 1);

	if (rc)
		return rc;
	bytes = l->headers + l->posted % LINK_SLOTS * HEADER_BYTES;
	header_encode(bytes, h);
	sges[1] = (struct ibv_sge){ (uintptr_t)bytes, HEADER_BYTES, l->mr->lkey };
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
