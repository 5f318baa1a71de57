/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the plan of a copy and its two sides; see copy.h. While a window is on the wire, the
 * sender reads the next one, and the receiver writes those before. No announcement of the peer is
 * trusted: each is compared with the only one that is allowed. The only file that uses libcrypto:
 * EVP_DigestInit(3).
 */
#include "config.h"
#include "copy/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <openssl/evp.h>

#include "copy/copy_files.h"
#include "copy/link.h"
#include "decide/layout.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"

#define PAGE_BYTES UINT64_C(4096)
#define DISK_BYTES_PER_MS 10000u
#define COPY_BYTES_PER_MS 1000u

/* ---- the plan */

static int check_size(uint64_t bytes)
{
	if (bytes >= COPY_WINDOW_MIN && bytes <= COPY_WINDOW_MAX)
		return 0;
	return err_option(-EINVAL, "-s (--size)",
			  "%" PRIu64 ": a window of a copy has %u to %u bytes", bytes,
			  COPY_WINDOW_MIN, COPY_WINDOW_MAX);
}

int copy_options(struct cfg *cfg)
{
	if (cfg->size_bytes == CFG_AUTO64)
		cfg->size_bytes = COPY_WINDOW_BYTES;
	cfg->imm = true; /* this kind of write has receives and credits, which carry the sends */
	/* a write and a send for each window, and the last send */
	cfg->depth = 2 * COPY_WINDOWS + 2;
	cfg->recv_depth = 2 * COPY_WINDOWS;
	cfg->signal_interval = 1;
	cfg->messages = 1;
	cfg->footprint_bytes = (cfg->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES *
			       COPY_WINDOWS;
	/* threads that read and write files wait more than they compute */
	cfg->pin = cfg->peer_pin = "none";
	return check_size(cfg->size_bytes);
}

int copy_check_plan(const struct plan *plan)
{
	const struct plan_work *work = &plan->work;
	struct layout lay;

	if (kind_is_lossy(work->kind.tp) || !kind_takes_recv(work->kind.op) ||
	    kind_fills_recv(work->kind.op) || work->bidir ||
	    work->threads != 1 || work->qps != 1 || plan->n_points != 1 ||
	    work->depth < 2 * COPY_WINDOWS + 2 || work->recv_depth < COPY_WINDOWS + 1 ||
	    work->poll_api != APIS_POLL_CLASSIC || work->post_api != APIS_POST_SEND)
		return err_set(-EINVAL, "a copy has one QP of RC, one size, and room for %u windows",
			       COPY_WINDOWS);
	layout_resolve(&lay, plan, &plan->points[0], SIDE_CLIENT);
	if (lay.tx.bufs < COPY_WINDOWS || lay.rx.bufs < COPY_WINDOWS)
		return err_set(-EINVAL, "a copy has %u windows, and the buffers hold %u",
			       COPY_WINDOWS, lay.rx.bufs);
	return check_size(plan->points[0].size_bytes);
}

/* ---- what both sides have */

struct mover {
	const struct transfer *t;
	EVP_MD_CTX *sha;
	uint64_t windows;            /* of the file */
	uint64_t sent, done;         /* written to the peer; written to the file */
	const struct source *source; /* of the sender, with the peer's address */
	const struct ep_addr *peer;
	struct target *target;       /* of the receiver */
};

/* Extra time for a side that reads or writes so much of a file, ms: 10 MB/s at least. */
static uint64_t disk_ms(uint64_t bytes)
{
	return bytes / DISK_BYTES_PER_MS;
}

/* How long the whole copy may take, ms: four stall timeouts, and 1 MB/s at least. */
static uint64_t most_ms(const struct transfer *t)
{
	/* a single wait reaches its own deadline first */
	return 4ull * t->link->plan->stall_timeout_ms + t->file->size_bytes / COPY_BYTES_PER_MS +
	       disk_ms(t->file->size_bytes);
}

/* The announcement of window seq, which is one of the file. */
static struct header announcement(const struct transfer *t, uint64_t seq)
{
	const uint64_t window = t->point->size_bytes, off = seq * window;

	return (struct header){ .kind = HEADER_WINDOW, .seq = seq, .off = off,
				.len = min_u64(t->file->size_bytes - off, window) };
}

static int sha_failed(void)
{
	return err_set(-EIO, "libcrypto cannot compute a SHA-256");
}

static int add_bytes(struct mover *m, const void *bytes, size_t len)
{
	return EVP_DigestUpdate(m->sha, bytes, len) ? 0 : sha_failed();
}

/* What the sender sends at the end, and the receiver sends back: kind is to be set. */
static int make_end(struct mover *m, struct header *h)
{
	unsigned int len = 0;

	*h = (struct header){ .seq = m->windows, .len = m->t->file->size_bytes };
	return EVP_DigestFinal_ex(m->sha, h->sha256, &len) && len == sizeof(h->sha256) ?
		       0 : sha_failed();
}

static void report_sha(struct copy_report *report, const struct header *h)
{
	for (int i = 0; i < COPY_SHA256_BYTES; i++)
		snprintf(report->sha256 + 2 * i, 3, "%02x", h->sha256[i]);
}

/* A window is in the file. */
static void count_done(struct mover *m)
{
	const struct transfer *t = m->t;
	const uint64_t of_bytes = t->file->size_bytes;

	m->done++;
	t->progress->moved(t->progress->arg, min_u64(m->done * t->point->size_bytes, of_bytes),
			   of_bytes);
}

/* ---- the sender */

static int send_window(struct mover *m)
{
	const struct transfer *t = m->t;
	struct ep *ep = t->link->ep;
	const uint64_t slot = m->sent % COPY_WINDOWS;
	const struct header h = announcement(t, m->sent);
	const struct link_write write = {
		.local_off = layout_tx_off(&ep->mem.layout, 0, slot),
		.remote_addr = m->peer->buf_addr + layout_rx_off(&ep->mem.layout, 0, slot),
		.rkey = m->peer->rkey,
		.len = (uint32_t)h.len,
	};
	uint8_t *bytes = ep->mem.base + write.local_off;
	int rc = copy_source_read(m->source, h.off, bytes, h.len);

	if (!rc)
		rc = add_bytes(m, bytes, h.len);
	if (!rc)
		rc = link_send(t->link, &h, &write);
	m->sent++;
	return rc;
}

static int take_free(struct mover *m)
{
	const struct transfer *t = m->t;
	struct header h;
	int rc = link_receive(t->link, &h, disk_ms(COPY_WINDOWS * t->point->size_bytes));

	if (rc)
		return rc;
	if (h.kind != HEADER_FREE || h.seq != m->done)
		return err_set(-EBADMSG, "the peer sent kind %u of window %" PRIu64 " instead of the message that window %" PRIu64 " is free",
			       h.kind, h.seq, m->done);
	count_done(m);
	return 0;
}

/* The SHA-256 goes to the peer, and that of the peer comes back. */
static int compare(struct mover *m, struct copy_report *report)
{
	const struct transfer *t = m->t;
	struct header own, peers;
	int rc = make_end(m, &own);

	own.kind = HEADER_END;
	if (!rc)
		rc = link_send(t->link, &own, NULL);
	if (!rc)
		rc = link_receive(t->link, &peers, disk_ms(t->file->size_bytes));
	if (rc)
		return rc;
	if (peers.kind != HEADER_GOOD || peers.seq != own.seq || peers.len != own.len)
		return err_set(-EBADMSG, "the peer sent kind %u instead of its SHA-256", peers.kind);
	if (memcmp(peers.sha256, own.sha256, sizeof(own.sha256)))
		return err_set(-EILSEQ, "the SHA-256 of the peer differs from that of the file");
	report_sha(report, &own);
	return link_drain(t->link);
}

static int send_file(struct mover *m, struct copy_report *report)
{
	int rc = 0;

	while (!rc && m->done < m->windows)
		rc = m->sent < m->windows && m->sent - m->done < COPY_WINDOWS ? send_window(m) :
										take_free(m);
	if (!rc)
		rc = copy_source_check(m->source);
	return rc ? rc : compare(m, report);
}

/* ---- the receiver */

static int check_window(const struct mover *m, const struct header *h)
{
	if (m->done < m->windows) {
		const struct header next = announcement(m->t, m->done);

		if (h->seq == next.seq && h->off == next.off && h->len == next.len)
			return 0;
	}
	return err_set(-EBADMSG, "the peer announced window %" PRIu64 ", %" PRIu64 " bytes at %" PRIu64 ", which is not window %" PRIu64 " of %" PRIu64,
		       h->seq, h->len, h->off, m->done, m->windows);
}

static int take_window(struct mover *m, const struct header *h)
{
	struct link *link = m->t->link;
	const struct mem *mem = &link->ep->mem;
	const uint8_t *bytes = mem->base + layout_rx_off(&mem->layout, 0, m->done % COPY_WINDOWS);
	const struct header free_window = { .kind = HEADER_FREE, .seq = m->done };
	int rc = check_window(m, h);

	if (!rc)
		rc = add_bytes(m, bytes, h->len);
	if (!rc)
		rc = copy_target_write(m->target, h->off, bytes, h->len);
	if (!rc)
		rc = link_send(link, &free_window, NULL);
	if (!rc)
		count_done(m);
	return rc;
}

static int finish(struct mover *m, const struct header *end, struct copy_report *report)
{
	struct header good;
	int rc = make_end(m, &good);

	good.kind = HEADER_GOOD;
	if (rc)
		return rc;
	if (end->kind != HEADER_END || m->done != m->windows || end->seq != good.seq ||
	    end->len != good.len)
		return err_set(-EBADMSG, "the peer sent kind %u after %" PRIu64 " of %" PRIu64 " windows",
			       end->kind, m->done, m->windows);
	if (memcmp(end->sha256, good.sha256, sizeof(good.sha256)))
		return err_set(-EILSEQ, "the SHA-256 of the received data differs from that of the peer's file");
	report_sha(report, &good);
	rc = copy_target_commit(m->target);
	if (rc)
		return rc;
	rc = link_send(m->t->link, &good, NULL);
	if (!rc)
		rc = link_drain(m->t->link);
	return rc ? err_wrap(rc, "the file is complete, but the client does not know") : 0;
}

static int receive_file(struct mover *m, struct copy_report *report)
{
	const uint64_t read_ms = disk_ms(COPY_WINDOWS * m->t->point->size_bytes);
	struct header h = { .kind = HEADER_WINDOW };
	int rc = 0;

	while (!rc && h.kind == HEADER_WINDOW) {
		rc = link_receive(m->t->link, &h, read_ms);
		if (!rc && h.kind == HEADER_WINDOW)
			rc = take_window(m, &h);
	}
	return rc ? rc : finish(m, &h, report);
}

/* ---- both */

static int move(struct mover *m, struct copy_report *report)
{
	const struct transfer *t = m->t;
	const uint64_t begin_ns = clock_ns();
	int rc;

	t->link->over_ns = begin_ns + most_ms(t) * 1000000u;
	m->windows = t->file->size_bytes / t->point->size_bytes +
		     (t->file->size_bytes % t->point->size_bytes != 0);
	m->sha = EVP_MD_CTX_new();
	if (!m->sha)
		rc = err_set(-ENOMEM, "no memory for a SHA-256");
	else if (!EVP_DigestInit_ex(m->sha, EVP_sha256(), NULL))
		rc = sha_failed();
	else
		rc = m->source ? send_file(m, report) : receive_file(m, report);
	EVP_MD_CTX_free(m->sha);
	report->ns = clock_ns() - begin_ns;
	return rc;
}

int copy_send(const struct transfer *t, const struct source *source, const struct ep_addr *peer,
		  struct copy_report *report)
{
	struct mover m = { .t = t, .source = source, .peer = peer };

	return move(&m, report);
}

int copy_receive(const struct transfer *t, struct target *target, struct copy_report *report)
{
	struct mover m = { .t = t, .target = target };

	return move(&m, report);
}
