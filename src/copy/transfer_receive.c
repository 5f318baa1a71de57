/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The receiving side of a copy; see transfer.h. Must not trust an announcement of the peer: each is
 * compared with the only one that is allowed. Called by the session of the server.
 */
#include "config.h"
#include "copy/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "copy/digest.h"
#include "util/clock.h"
#include "util/err.h"

/* What the receiver keeps. */
struct receiving {
	const struct transfer *t;
	struct target *target;
	struct digest digest;
	uint64_t windows, came;
};

static int check_window(const struct receiving *r, const struct header *h)
{
	const uint64_t window = r->t->point->size_bytes, off = r->came * window;
	const uint64_t left = r->came < r->windows ? r->t->file->size_bytes - off : 0;

	if (left && h->seq == r->came && h->off == off && h->len == (left < window ? left : window))
		return 0;
	return err_set(-EBADMSG, "the peer announced window %" PRIu64 ", %" PRIu64 " bytes at %" PRIu64 ", which is not window %" PRIu64 " of %" PRIu64,
		       h->seq, h->len, h->off, r->came, r->windows);
}

static int take_window(struct receiving *r, const struct header *h)
{
	const struct transfer *t = r->t;
	struct ep *ep = t->link->ep;
	const uint64_t slot = r->came % COPY_WINDOWS;
	const uint8_t *bytes = ep->mem.base + layout_rx_off(&ep->mem.layout, 0, slot);
	const struct header free_window = { .kind = HEADER_FREE, .seq = r->came };
	int rc = check_window(r, h);

	if (!rc)
		rc = digest_add(&r->digest, bytes, h->len);
	if (!rc)
		rc = target_write(r->target, h->off, bytes, h->len);
	if (!rc)
		rc = link_send(t->link, &free_window, NULL);
	r->came++;
	if (!rc && t->progress)
		t->progress->moved(t->progress->arg, h->off + h->len, t->file->size_bytes);
	return rc;
}

static int finish(struct receiving *r, const struct header *end, struct copy_report *report)
{
	const struct transfer *t = r->t;
	struct header good = { .kind = HEADER_GOOD, .seq = r->windows, .len = t->file->size_bytes };
	int rc = digest_end(&r->digest, good.sha256);

	if (rc)
		return rc;
	if (end->kind != HEADER_END || r->came != r->windows || end->seq != r->windows ||
	    end->len != t->file->size_bytes)
		return err_set(-EBADMSG, "the peer sent kind %u after %" PRIu64 " of %" PRIu64 " windows",
			       end->kind, r->came, r->windows);
	if (memcmp(end->sha256, good.sha256, sizeof(good.sha256)))
		return err_set(-EILSEQ, "the SHA-256 of what came differs from that of the peer's file");
	digest_text(good.sha256, report->sha256);
	rc = target_commit(r->target);
	if (rc)
		return rc;
	rc = link_send(t->link, &good, NULL);
	if (!rc)
		rc = link_drain(t->link);
	return rc ? err_set(rc, "the file is complete, but the client does not know: %s", err_text()) : 0;
}

static int receive(struct receiving *r, struct copy_report *report)
{
	const struct transfer *t = r->t;
	const uint64_t read_ms = transfer_disk_ms(COPY_WINDOWS * t->point->size_bytes);
	struct header h;
	int rc;

	for (;;) {
		rc = link_receive(t->link, &h, read_ms);
		if (rc)
			return rc;
		if (h.kind != HEADER_WINDOW)
			return finish(r, &h, report);
		rc = take_window(r, &h);
		if (rc)
			return rc;
	}
}

int transfer_receive(const struct transfer *t, struct target *target, struct copy_report *report)
{
	const uint64_t begin_ns = clock_ns();
	struct receiving r = { .t = t, .target = target, .windows = transfer_windows(t) };
	int rc = digest_open(&r.digest);

	link_limit(t->link, transfer_most_ms(t));
	if (!rc)
		rc = receive(&r, report);
	digest_close(&r.digest);
	report->ns = clock_ns() - begin_ns;
	return rc;
}
