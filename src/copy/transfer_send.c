/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sending side of a copy; see transfer.h. While a window is on the wire, the next one is read,
 * and the peer writes the ones before. Called by the session of the client.
 */
#include "config.h"
#include "copy/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "copy/digest.h"
#include "util/clock.h"
#include "util/err.h"

#define DISK_BYTES_PER_MS 10000u
#define COPY_BYTES_PER_MS 1000u

uint64_t transfer_windows(const struct transfer *t)
{
	const uint64_t bytes = t->file->size_bytes, window = t->point->size_bytes;

	return bytes / window + (bytes % window ? 1 : 0);
}

uint64_t transfer_disk_ms(uint64_t bytes)
{
	return bytes / DISK_BYTES_PER_MS;
}

uint64_t transfer_most_ms(const struct transfer *t)
{
	/* a single wait reaches its own deadline first */
	return 4ull * t->link->plan->stall_timeout_ms + t->file->size_bytes / COPY_BYTES_PER_MS +
	       transfer_disk_ms(t->file->size_bytes);
}

/* What the sender keeps. */
struct sending {
	const struct transfer *t;
	const struct source *source;
	const struct ep_addr *peer;
	struct digest digest;
	uint64_t windows, sent, freed;
};

static int send_window(struct sending *s)
{
	const struct transfer *t = s->t;
	struct ep *ep = t->link->ep;
	const uint64_t window = t->point->size_bytes, off = s->sent * window;
	const uint64_t left = t->file->size_bytes - off, slot = s->sent % COPY_WINDOWS;
	const struct header h = {
		.kind = HEADER_WINDOW,
		.seq = s->sent,
		.off = off,
		.len = left < window ? left : window,
	};
	const struct link_write write = {
		.local_off = layout_tx_off(&ep->mem.layout, 0, slot),
		.remote_addr = s->peer->buf_addr + layout_rx_off(&ep->mem.layout, 0, slot),
		.rkey = s->peer->rkey,
		.len = (uint32_t)h.len,
	};
	uint8_t *bytes = ep->mem.base + write.local_off;
	int rc = source_read(s->source, off, bytes, h.len);

	if (!rc)
		rc = digest_add(&s->digest, bytes, h.len);
	if (!rc)
		rc = link_send(t->link, &h, &write);
	s->sent++;
	return rc;
}

static int take_free(struct sending *s)
{
	const struct transfer *t = s->t;
	struct header h;
	int rc = link_receive(t->link, &h,
			      transfer_disk_ms(COPY_WINDOWS * t->point->size_bytes));

	if (rc)
		return rc;
	if (h.kind != HEADER_FREE || h.seq != s->freed)
		return err_set(-EBADMSG, "the peer sent kind %u of window %" PRIu64 " instead of the word that window %" PRIu64 " is free",
			       h.kind, h.seq, s->freed);
	s->freed++;
	if (t->progress) {
		const uint64_t bytes = s->freed * t->point->size_bytes;

		t->progress->moved(t->progress->arg,
				   bytes < t->file->size_bytes ? bytes : t->file->size_bytes,
				   t->file->size_bytes);
	}
	return 0;
}

static int send_windows(struct sending *s)
{
	int rc = 0;

	while (!rc && s->freed < s->windows)
		rc = s->sent < s->windows && s->sent - s->freed < COPY_WINDOWS ? send_window(s) :
										 take_free(s);
	return rc ? rc : source_check(s->source);
}

/* The SHA-256 goes to the peer, and that of the peer comes back. */
static int compare(struct sending *s, struct copy_report *report)
{
	const struct transfer *t = s->t;
	struct header own = { .kind = HEADER_END, .seq = s->windows, .len = t->file->size_bytes };
	struct header peers;
	int rc = digest_end(&s->digest, own.sha256);

	if (!rc)
		rc = link_send(t->link, &own, NULL);
	if (!rc)
		rc = link_receive(t->link, &peers, transfer_disk_ms(t->file->size_bytes));
	if (rc)
		return rc;
	if (peers.kind != HEADER_GOOD || peers.seq != own.seq || peers.len != own.len)
		return err_set(-EBADMSG, "the peer sent kind %u instead of its SHA-256", peers.kind);
	if (memcmp(peers.sha256, own.sha256, sizeof(own.sha256)))
		return err_set(-EILSEQ, "the SHA-256 of the peer differs from that of the file");
	digest_text(own.sha256, report->sha256);
	return link_drain(t->link);
}

int transfer_send(const struct transfer *t, const struct source *source, const struct ep_addr *peer,
		  struct copy_report *report)
{
	const uint64_t begin_ns = clock_ns();
	struct sending s = {
		.t = t, .source = source, .peer = peer, .windows = transfer_windows(t),
	};
	int rc = digest_open(&s.digest);

	link_limit(t->link, transfer_most_ms(t));
	if (!rc)
		rc = send_windows(&s);
	if (!rc)
		rc = compare(&s, report);
	digest_close(&s.digest);
	report->ns = clock_ns() - begin_ns;
	return rc;
}
