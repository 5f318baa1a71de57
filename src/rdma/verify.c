/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Filling and checking of test buffers; see verify.h. Message i is in buffer i + first_slot of
 * the walk, modulo the buffers of its area, on either side (of a send, receive i is in buffer i):
 * in which order the walk takes them does not matter here, and what went to a wrong place has a
 * wrong pattern.
 */
#include "config.h"

#include "rdma/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "rdma/payload.h"

void verify_fill(const struct ep *ep, const struct plan *plan, enum side side, uint32_t first_qp)
{
	const struct layout *lay = &ep->mem.layout;

	if (kind_is_atomic(plan->work.kind.op))
		return; /* the words count from zero */
	for (uint32_t qp = 0; qp < plan->work.qps; qp++)
		for (uint32_t b = 0; b < lay->tx.bufs; b++)
			payload_fill(ep->mem.base + layout_tx_off(lay, qp, b), lay->size_bytes,
				     side, first_qp + qp, b);
}

/* The last byte of the payload is a counter in these. */
static uint64_t pattern_bytes(const struct plan *plan, uint64_t size_bytes)
{
	return size_bytes - plan_marks_payload(plan);
}

/* The first word of each of the sender's buffers of a QP, or of all, sorted: which one is this? */
struct heads {
	struct head {
		uint64_t word;
		uint32_t qp, buf;
	} *all;
	uint32_t n;
};

static uint64_t first_word(const uint8_t *at, uint64_t len)
{
	uint64_t word = 0;

	memcpy(&word, at, len < sizeof(word) ? len : sizeof(word));
	return word;
}

static int compare_heads(const void *a, const void *b)
{
	const struct head *x = a, *y = b;

	return x->word < y->word ? -1 : x->word > y->word;
}

/* Of n QPs, from qp on. */
static int list_heads(struct heads *heads, const struct verify *v, uint32_t qp, uint32_t n_qps,
		      uint64_t len)
{
	const uint32_t bufs = v->ep->mem.layout.tx.bufs, n = bufs * n_qps;
	const uint64_t bytes = len < sizeof(uint64_t) ? len : sizeof(uint64_t);

	heads->all = calloc(n, sizeof(*heads->all));
	if (!heads->all)
		return err_set(-ENOMEM, "cannot allocate a list of %u buffers", n);
	heads->n = n;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t of = qp + i / bufs, b = i % bufs;
		uint8_t head[sizeof(uint64_t)];

		payload_fill(head, bytes, kind_other_side(v->side), v->first_qp + of, b);
		heads->all[i] = (struct head){ .word = first_word(head, bytes), .qp = of, .buf = b };
	}
	qsort(heads->all, n, sizeof(*heads->all), compare_heads);
	return 0;
}

/* Is this one of the sender's buffers, whichever? */
static bool any_buffer_fits(const struct verify *v, const struct heads *heads, const uint8_t *at,
			    uint64_t len)
{
	const uint64_t word = first_word(at, len);
	uint32_t low = 0, high = heads->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (heads->all[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < heads->n && heads->all[low].word == word; low++)
		if (!payload_check(at, len, kind_other_side(v->side),
				   v->first_qp + heads->all[low].qp, heads->all[low].buf))
			return true;
	return false;
}

static bool untouched(const uint8_t *at, uint64_t len)
{
	return !at[0] && !memcmp(at, at + 1, len - 1);
}

/*
 * Messages that took receives, count of them on this QP, the last of each buffer. Over RC and one
 * way message i took receive i, so the pattern is known; else (losses, credits in between) it must
 * be one of the sender's.
 */
static int check_each_send(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked,
			   const struct heads *heads)
{
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v->plan, lay->size_bytes);
	const uint64_t last = lay->rx.bufs < count ? lay->rx.bufs : count;
	const uint32_t first = v->first_slot;

	for (uint64_t i = count - last; i < count; i++) {
		const uint8_t *at = v->ep->mem.base + layout_rx_off(lay, qp, i) + lay->grh_bytes;
		int rc = 0;

		if (!heads->n || !any_buffer_fits(v, heads, at, len))
			rc = payload_check(at, len, kind_other_side(v->side), v->first_qp + qp,
				       (uint32_t)((i + first) % lay->tx.bufs));
		/* both ways, every receive of this buffer may have gone to a credit message */
		if (rc && v->plan->work.bidir && len && untouched(at, len))
			continue;
		if (rc)
			return rc;
		++*checked;
	}
	return 0;
}

static int check_sends(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const uint64_t len = pattern_bytes(v->plan, v->ep->mem.layout.size_bytes);
	const bool exact = !kind_is_lossy(v->plan->work.kind.tp) && !v->plan->work.bidir;
	struct heads heads = { 0 };
	int rc = exact || !len ? 0 : list_heads(&heads, v, qp, 1, len);

	if (!rc)
		rc = check_each_send(v, qp, count, checked, &heads);
	free(heads.all);
	return rc;
}

/*
 * Writes of the peer or own reads: buffer b holds the peer's buffer b once count requests used it.
 */
static int check_buffers(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v->plan, lay->size_bytes);
	const uint64_t used = lay->rx.bufs < count ? lay->rx.bufs : count;
	const uint32_t first = v->first_slot;

	for (uint64_t i = 0; i < used; i++) {
		const uint64_t b = (i + first) % lay->rx.bufs;
		const uint8_t *at = v->ep->mem.base + layout_rx_off(lay, qp, b);
		int rc;

		if (!len || (kind_is_lossy(v->plan->work.kind.tp) && untouched(at, len)))
			continue; /* over UC every message for it may be lost */
		rc = payload_check(at, len, kind_other_side(v->side), v->first_qp + qp,
				   (uint32_t)b);
		if (rc)
			return rc;
		++*checked;
	}
	return 0;
}

static int check_word(const char *what, uint32_t qp, uint64_t got, uint64_t want)
{
	if (got == want)
		return 0;
	return err_set(-EILSEQ, "%s of QP %u is %" PRIu64 ", not %" PRIu64, what, qp, got, want);
}

static uint64_t word_at(const struct ep *ep, uint64_t off)
{
	uint64_t word;

	memcpy(&word, ep->mem.base + off, sizeof(word));
	return word;
}

/* A word after count atomics: their number, or (compare-and-swap) the turn that is next. */
static uint64_t counted(const struct verify *v, uint64_t count)
{
	const struct walk *w = &v->ep->mem.layout.tx;

	return kind_compares(v->plan->work.kind.op) ? count % (w->slots / w->bufs) : count;
}

static int check_target_words(const struct verify *v, uint32_t qp, uint64_t count,
			      uint64_t *checked)
{
	const struct layout *lay = &v->ep->mem.layout;
	int rc = 0;

	for (uint32_t b = 0; !rc && b < lay->tx.bufs; b++) {
		uint64_t got = word_at(v->ep, layout_tx_off(lay, qp, b));
		uint64_t n = count / lay->tx.bufs + (b < count % lay->tx.bufs);

		rc = check_word("the target word", v->first_qp + qp, got, counted(v, n));
	}
	*checked += count;
	return rc;
}

/* What the last atomics fetched: how often each word had been met before. */
static int check_fetched(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t last = lay->rx.bufs < count ? lay->rx.bufs : count;

	for (uint64_t i = count - last; i < count; i++) {
		uint64_t got = word_at(v->ep, layout_rx_off(lay, qp, i));
		int rc = check_word("the value fetched", v->first_qp + qp, got,
				    counted(v, i / lay->tx.bufs));

		if (rc)
			return rc;
		++*checked;
	}
	return 0;
}

static int check_qp(const struct verify *v, uint32_t qp, uint64_t *checked)
{
	const enum opcode op = v->plan->work.kind.op;
	int rc = 0;

	if (kind_is_atomic(op)) {
		if (v->peer_sent)
			rc = check_target_words(v, qp, v->peer_sent[qp], checked);
		return rc || !v->sent ? rc : check_fetched(v, qp, v->sent[qp], checked);
	}
	if (kind_fetches(op))
		return v->sent ? check_buffers(v, qp, v->sent[qp], checked) : 0;
	if (kind_fills_recv(op))
		return v->received ? check_sends(v, qp, v->received[qp], checked) : 0;
	return v->peer_sent ? check_buffers(v, qp, v->peer_sent[qp], checked) : 0;
}

/* One packet of a message: is it of any of the sender's buffers? */
static int check_packet(const struct verify *v, const uint8_t *message, uint64_t from, uint64_t len)
{
	const uint32_t bufs = v->ep->mem.layout.tx.bufs;
	int rc = -EILSEQ;

	for (uint32_t i = 0; i < bufs * v->plan->work.qps && rc; i++)
		rc = payload_check_part(message + from, from, len, kind_other_side(v->side),
					v->first_qp + i / bufs, i % bufs);
	return rc;
}

/*
 * Two receives with the same buffer: messages of two QPs may have come at the same time, packet by
 * packet, and either can have been the last.
 */
static int check_mixed(const struct verify *v, const uint8_t *at, uint64_t len)
{
	const uint32_t mtu = v->plan->path.mtu_bytes;
	int rc = len > mtu && mtu ? 0 : -EILSEQ;

	for (uint64_t from = 0; from < len && !rc; from += mtu)
		rc = check_packet(v, at, from, len - from < mtu ? len - from : mtu);
	return rc;
}

/*
 * Sends into a queue that several peers share: any receive may have taken any message, and the first
 * of them were used first (loop/ring_shared.c has their order).
 */
static int check_shared(const struct verify *v, uint64_t *checked)
{
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v->plan, lay->size_bytes);
	const uint32_t qps = v->plan->work.qps;
	struct heads heads = { 0 };
	uint64_t count = 0;
	int rc = len ? list_heads(&heads, v, 0, qps, len) : 0;

	for (uint32_t qp = 0; qp < qps; qp++)
		count += v->received[qp];
	for (uint64_t i = 0; i < count && i / qps < lay->rx.bufs && !rc; i++) {
		const uint8_t *at = v->ep->mem.base + lay->grh_bytes +
				    layout_rx_off(lay, (uint32_t)(i % qps), i / qps);

		/* both ways, every message of this receive may have been a credit message */
		if (v->plan->work.bidir && len && untouched(at, len))
			continue;
		if (len && !any_buffer_fits(v, &heads, at, len) &&
		    (lay->rx.bufs == lay->rx.slots || check_mixed(v, at, len)))
			rc = payload_check(at, len, kind_other_side(v->side), v->first_qp,
					   (uint32_t)(i % lay->tx.bufs));
		*checked += !rc;
	}
	free(heads.all);
	return rc;
}

/* The payload of sends is looked at where it is received, and so on. */
static bool has_part(const struct verify *v)
{
	const enum opcode op = v->plan->work.kind.op;

	if (kind_is_atomic(op))
		return v->sent || v->peer_sent;
	if (kind_fetches(op))
		return v->sent;
	return kind_fills_recv(op) ? v->received != NULL : v->peer_sent != NULL;
}

int verify_check(const struct verify *v, uint64_t *checked)
{
	*checked = has_part(v) ? 0 : UINT64_MAX;
	if (!has_part(v))
		return 0;
	if (kind_fills_recv(v->plan->work.kind.op) &&
	    plan_side_kind(v->plan, v->side).sharing != SHARING_NONE)
		return check_shared(v, checked);
	for (uint32_t qp = 0; qp < v->plan->work.qps; qp++) {
		int rc = check_qp(v, qp, checked);

		if (rc)
			return rc;
	}
	return 0;
}
