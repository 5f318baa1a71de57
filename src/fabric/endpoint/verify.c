/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Filling and checking of test buffers; see verify.h. Message i is in buffer i + first_slot of
 * the walk, modulo the buffers of its area, on either side (of a send, receive i is in buffer i):
 * in which order the walk takes them does not matter here, and what went to a wrong place has a
 * wrong pattern.
 */
#include "config.h"
#include "endpoint/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/mem.h"
#include "util/err.h"

/*
 * Which of the sender's buffers is a message from? Found by its first word, in a sorted list of the
 * first words of all that it may be: the receives of a check are as many as the buffers.
 */
struct head {
	uint64_t word;
	uint32_t qp, buf;
};

/* Set the first four fields, zero the others. */
struct heads {
	enum side sender;
	uint32_t first_qp;       /* QP 0 here is this one of the sender's threads */
	uint32_t bufs;           /* of the sender, per QP */
	uint64_t len;            /* bytes of the pattern in a message */
	struct head *all; /* owned */
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

/* The buffers of n_qps QPs, from qp on. -ENOMEM with an error message. */
static int heads_list(struct heads *heads, uint32_t qp, uint32_t n_qps)
{
	const uint32_t bufs = heads->bufs, n = bufs * n_qps;
	const uint64_t bytes = heads->len < sizeof(uint64_t) ? heads->len : sizeof(uint64_t);

	heads->all = calloc(n, sizeof(*heads->all));
	if (!heads->all)
		return err_set(-ENOMEM, "cannot allocate a list of %u buffers", n);
	heads->n = n;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t of = qp + i / bufs, b = i % bufs;
		uint8_t head[sizeof(uint64_t)];

		mem_fill(head, bytes, heads->sender, heads->first_qp + of, b);
		heads->all[i] = (struct head){ first_word(head, bytes), of, b };
	}
	qsort(heads->all, n, sizeof(*heads->all), compare_heads);
	return 0;
}

/* Is the message one of the listed buffers, whichever? Not if none is listed. */
static bool heads_fit(const struct heads *heads, const uint8_t *at)
{
	const uint64_t word = first_word(at, heads->len);
	uint32_t low = 0, high = heads->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (heads->all[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < heads->n && heads->all[low].word == word; low++)
		if (!mem_check(at, heads->len, heads->sender,
				   heads->first_qp + heads->all[low].qp, heads->all[low].buf))
			return true;
	return false;
}

static void heads_free(struct heads *heads)
{
	free(heads->all);
	heads->all = NULL;
	heads->n = 0;
}

/* ---- messages */

/* A check under way. */
struct check {
	const struct verify *v;
	uint64_t *checked;
	uint8_t *scratch; /* of a message; NULL: messages are looked at in place */
};

/* Can the bytes of a message be looked at where they are? */
static bool is_in_place(const struct mem *mem, const struct pieces *p)
{
	return mem->base && p->n == 1;
}

/* NULL with an error message: no memory. */
static uint8_t *alloc_scratch(const struct pieces *p)
{
	uint8_t *scratch = malloc(p->bytes ? p->bytes : 1);

	if (!scratch)
		err_set(-ENOMEM, "cannot allocate %" PRIu64 " bytes for a message", p->bytes);
	return scratch;
}

/*
 * The message whose payload begins at off. -EILSEQ with an error message: something is between its
 * pieces.
 */
static int look(const struct check *c, uint32_t qp, uint64_t off, const uint8_t **message)
{
	const struct mem *mem = &c->v->ep->mem;
	const struct pieces *pieces = &mem->layout.rx_pieces;
	uint32_t torn;

	*message = c->scratch ? c->scratch : mem->base + off;
	if (!c->scratch)
		return 0;
	mem_copy_gather(mem, off, pieces, c->scratch);
	torn = mem_copy_torn(mem, off, pieces);
	return torn ? err_set(-EILSEQ, "QP %u: bytes between pieces %u and %u of %u of a message were written",
			      c->v->first_qp + qp, torn - 1, torn, pieces->n) : 0;
}

int verify_fill(const struct ep *ep, const struct plan *plan, enum side side, uint32_t first_qp)
{
	const struct layout *lay = &ep->mem.layout;
	uint8_t *scratch;

	if (kind_counts(plan->work.kind.op))
		return 0; /* the words count from zero */
	scratch = is_in_place(&ep->mem, &lay->tx_pieces) ? NULL : alloc_scratch(&lay->tx_pieces);
	if (!scratch && !is_in_place(&ep->mem, &lay->tx_pieces))
		return -ENOMEM;
	for (uint32_t qp = 0; qp < plan->work.qps; qp++)
		for (uint32_t b = 0; b < lay->tx.bufs; b++) {
			const uint64_t off = layout_tx_off(lay, qp, b);

			mem_fill(scratch ? scratch : ep->mem.base + off, lay->tx_pieces.bytes, side,
				     first_qp + qp, b);
			if (scratch)
				mem_copy_scatter(&ep->mem, off, &lay->tx_pieces, scratch);
		}
	free(scratch);
	return 0;
}

/* Of a message that arrives: the last byte of the payload is a counter in some. */
static uint64_t pattern_bytes(const struct verify *v)
{
	return v->ep->mem.layout.rx_pieces.bytes - plan_marks_payload(v->plan);
}

static struct heads heads_of(const struct verify *v, uint64_t len)
{
	return (struct heads){ .sender = kind_other_side(v->side), .first_qp = v->first_qp,
				      .bufs = v->ep->mem.layout.tx.bufs, .len = len };
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
static int check_each_send(const struct check *c, uint32_t qp, uint64_t count,
			   const struct heads *heads)
{
	const struct verify *v = c->v;
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v);
	const uint64_t last = lay->rx.bufs < count ? lay->rx.bufs : count;
	const uint32_t first = v->first_slot;
	/* the next receive has this buffer too, and may have the begin of a torn message */
	const bool torn = last == lay->rx.bufs && kind_is_lossy(v->plan->work.kind.tp) &&
			  lay->rx_pieces.bytes > v->plan->path.mtu_bytes;

	for (uint64_t i = count - last + torn; i < count; i++) {
		const uint8_t *at;
		int rc = look(c, qp, layout_rx_off(lay, qp, i) + lay->grh_bytes, &at);

		if (rc)
			return rc;
		if (!heads_fit(heads, at))
			rc = mem_check(at, len, kind_other_side(v->side), v->first_qp + qp,
				       (uint32_t)((i + first) % lay->tx.bufs));
		/* both ways, every receive of this buffer may have gone to a credit message */
		if (rc && v->plan->work.bidir && len && untouched(at, len))
			continue;
		if (rc)
			return rc;
		++*c->checked;
	}
	return 0;
}

static int check_sends(const struct check *c, uint32_t qp, uint64_t count)
{
	const struct verify *v = c->v;
	const uint64_t len = pattern_bytes(v);
	const bool exact = !kind_is_lossy(v->plan->work.kind.tp) && !v->plan->work.bidir;
	struct heads heads = heads_of(v, len);
	int rc = exact || !len ? 0 : heads_list(&heads, qp, 1);

	if (!rc)
		rc = check_each_send(c, qp, count, &heads);
	heads_free(&heads);
	return rc;
}

/*
 * Writes of the peer or own reads: buffer b holds the peer's buffer b once count requests used it.
 */
static int check_buffers(const struct check *c, uint32_t qp, uint64_t count)
{
	const struct verify *v = c->v;
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v);
	const uint64_t used = lay->rx.bufs < count ? lay->rx.bufs : count;
	const uint32_t first = v->first_slot;

	for (uint64_t i = 0; i < used; i++) {
		const uint64_t b = (i + first) % lay->rx.bufs;
		const uint8_t *at;
		int rc = look(c, qp, layout_rx_off(lay, qp, b), &at);

		if (rc)
			return rc;
		if (!len || (kind_is_lossy(v->plan->work.kind.tp) && untouched(at, len)))
			continue; /* over UC every message for it may be lost */
		rc = mem_check(at, len, kind_other_side(v->side), v->first_qp + qp,
				   (uint32_t)b);
		if (rc)
			return rc;
		++*c->checked;
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

	mem_copy_out(&ep->mem, off, &word, sizeof(word));
	return word;
}

/* A word after count atomics: their number, or (compare-and-swap) the turn that is next. */
static uint64_t counted(const struct verify *v, uint64_t count)
{
	const struct walk *w = &v->ep->mem.layout.tx;

	return kind_compares(v->plan->work.kind.op) ? count % (w->slots / w->bufs) : count;
}

static int check_target_words(const struct check *c, uint32_t qp, uint64_t count)
{
	const struct verify *v = c->v;
	const struct layout *lay = &v->ep->mem.layout;
	int rc = 0;

	for (uint32_t b = 0; !rc && b < lay->tx.bufs; b++) {
		uint64_t got = word_at(v->ep, layout_tx_off(lay, qp, b));
		uint64_t n = count / lay->tx.bufs + (b < count % lay->tx.bufs);

		rc = check_word("the target word", v->first_qp + qp, got, counted(v, n));
	}
	*c->checked += count;
	return rc;
}

/* What the last atomics fetched: how often each word had been met before. */
static int check_fetched(const struct check *c, uint32_t qp, uint64_t count)
{
	const struct verify *v = c->v;
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t last = lay->rx.bufs < count ? lay->rx.bufs : count;

	for (uint64_t i = count - last; i < count; i++) {
		uint64_t got = word_at(v->ep, layout_rx_off(lay, qp, i));
		int rc = check_word("the value fetched", v->first_qp + qp, got,
				    counted(v, i / lay->tx.bufs));

		if (rc)
			return rc;
		++*c->checked;
	}
	return 0;
}

static int check_qp(const struct check *c, uint32_t qp)
{
	const struct verify *v = c->v;
	const enum opcode op = v->plan->work.kind.op;
	int rc = 0;

	if (kind_counts(op)) {
		if (v->peer_sent)
			rc = check_target_words(c, qp, v->peer_sent[qp]);
		return rc || !v->sent ? rc : check_fetched(c, qp, v->sent[qp]);
	}
	if (kind_fetches(op))
		return v->sent ? check_buffers(c, qp, v->sent[qp]) : 0;
	if (kind_fills_recv(op))
		return v->received ? check_sends(c, qp, v->received[qp]) : 0;
	return v->peer_sent ? check_buffers(c, qp, v->peer_sent[qp]) : 0;
}

/* One packet of a message: is it of any of the sender's buffers? */
static int check_packet(const struct verify *v, const uint8_t *message, uint64_t from, uint64_t len)
{
	const uint32_t bufs = v->ep->mem.layout.tx.bufs;
	int rc = -EILSEQ;

	for (uint32_t i = 0; i < bufs * v->plan->work.qps && rc; i++)
		rc = mem_check_part(message + from, &(struct mem_part){
			.sender = kind_other_side(v->side),
			.qp = v->first_qp + i / bufs,
			.index = i % bufs,
			.from = from,
			.len = len,
		});
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
 * Sends into a queue that several peers share: any receive may have taken any message, and the
 * first of them were used first (ring_shared() of worker/ring.c has their order).
 */
static int check_shared(const struct check *c)
{
	const struct verify *v = c->v;
	const struct layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v);
	const uint32_t qps = v->plan->work.qps;
	struct heads heads = heads_of(v, len);
	uint64_t count = 0;
	int rc = len ? heads_list(&heads, 0, qps) : 0;

	for (uint32_t qp = 0; qp < qps; qp++)
		count += v->received[qp];
	for (uint64_t i = 0; i < count && i / qps < lay->rx.bufs && !rc; i++) {
		const uint32_t qp = (uint32_t)(i % qps);
		const uint8_t *at;

		rc = look(c, qp, layout_rx_off(lay, qp, i / qps) + lay->grh_bytes, &at);
		/* both ways, every message of this receive may have been a credit message */
		if (!rc && v->plan->work.bidir && len && untouched(at, len))
			continue;
		if (!rc && len && !heads_fit(&heads, at) &&
		    (lay->rx.bufs == lay->rx.slots || check_mixed(v, at, len)))
			rc = mem_check(at, len, kind_other_side(v->side), v->first_qp,
					   (uint32_t)(i % lay->tx.bufs));
		*c->checked += !rc;
	}
	heads_free(&heads);
	return rc;
}

/* Do several peers share the receives of the payload? */
static bool is_shared(const struct verify *v)
{
	return kind_fills_recv(v->plan->work.kind.op) &&
	       plan_side_kind(v->plan, v->side).sharing != SHARING_NONE;
}

/* The payload of sends is looked at where it is received, and so on. */
static bool has_part(const struct verify *v)
{
	const enum opcode op = v->plan->work.kind.op;

	if (kind_counts(op))
		return v->sent || v->peer_sent;
	if (kind_fetches(op))
		return v->sent;
	return kind_fills_recv(op) ? v->received != NULL : v->peer_sent != NULL;
}

int verify_check(const struct verify *v, uint64_t *checked)
{
	const struct layout *lay = &v->ep->mem.layout;
	struct check c = { .v = v, .checked = checked };
	int rc = 0;

	*checked = has_part(v) ? 0 : UINT64_MAX;
	if (!has_part(v))
		return 0;
	if (!is_in_place(&v->ep->mem, &lay->rx_pieces)) {
		c.scratch = alloc_scratch(&lay->rx_pieces);
		if (!c.scratch)
			return -ENOMEM;
	}
	if (is_shared(v))
		rc = check_shared(&c);
	for (uint32_t qp = 0; qp < v->plan->work.qps && !rc && !is_shared(v); qp++)
		rc = check_qp(&c, qp);
	free(c.scratch);
	return rc;
}
