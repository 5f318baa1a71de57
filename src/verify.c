/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Filling and checking of test buffers; see verify.h. The order of messages in buffers is ring.h's.
 */
#include "config.h"

#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "err.h"
#include "ring.h"

void verify_fill(const struct ep *ep, const struct plan *plan, enum side side, uint32_t first_qp)
{
	const struct mem_layout *lay = &ep->mem.layout;

	if (kind_is_atomic(plan->kind.op))
		return; /* the words count from zero */
	for (uint32_t qp = 0; qp < plan->qps; qp++)
		for (uint32_t b = 0; b < lay->tx_bufs; b++)
			mem_fill(ep->mem.base + mem_tx_off(lay, qp, b), lay->size_bytes, side,
				 first_qp + qp, b);
}

/* The last byte of the payload is a counter in these. */
static uint64_t pattern_bytes(const struct plan *plan, uint64_t size_bytes)
{
	bool flagged = plan->pattern == PATTERN_PINGPONG && !kind_has_imm(plan->kind.op) &&
		       (plan->kind.op == OP_WRITE || plan->kind.tp != TP_RC);

	return size_bytes - flagged;
}

static bool any_buffer_fits(const struct verify *v, const uint8_t *at, uint64_t len, uint32_t qp)
{
	for (uint32_t b = 0; b < v->ep->mem.layout.tx_bufs; b++)
		if (!mem_check(at, len, kind_other_side(v->side), v->first_qp + qp, b))
			return true;
	return false;
}

static bool untouched(const uint8_t *at, uint64_t len)
{
	return !at[0] && !memcmp(at, at + 1, len - 1);
}

/*
 * Messages that took receives, count of them on this QP. Over RC and one way, message i is in
 * receive slot i, so the pattern is known; else (losses, credits in between) it must be one of the
 * sender's.
 */
static int check_sends(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const struct mem_layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v->plan, lay->size_bytes);
	const uint32_t slots = ring_recv_slots(v->plan, v->side), ring = ring_slots(v->plan);
	const bool exact = v->plan->kind.tp == TP_RC && !v->plan->bidir;
	uint64_t last = slots < lay->rx_bufs ? slots : lay->rx_bufs;

	if (last > count)
		last = count;
	for (uint64_t i = count - last; i < count; i++) {
		const uint8_t *at =
			v->ep->mem.base + mem_rx_off(lay, qp, i % slots) + lay->grh_bytes;
		int rc = mem_check(at, len, kind_other_side(v->side), v->first_qp + qp,
				   (uint32_t)(i % ring) % lay->tx_bufs);

		/* both ways, every receive of this buffer may have gone to a credit message */
		if (rc && v->plan->bidir && len && untouched(at, len))
			continue;
		/*
		 * buffers shared by slots hold the later message; without exact order any may be
		 * there
		 */
		if (rc && (!exact || slots % lay->rx_bufs))
			rc = any_buffer_fits(v, at, len, qp) ? 0 : rc;
		if (rc)
			return rc;
		++*checked;
	}
	return 0;
}

/*
 * Writes of the peer or own reads: buffer b holds the peer's buffer b once count requests used it.
 */
static int check_buffers(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const struct mem_layout *lay = &v->ep->mem.layout;
	const uint64_t len = pattern_bytes(v->plan, lay->size_bytes);
	uint64_t used = ring_slots(v->plan) < lay->rx_bufs ? ring_slots(v->plan) : lay->rx_bufs;

	if (used > count)
		used = count;
	for (uint64_t b = 0; b < used; b++) {
		const uint8_t *at = v->ep->mem.base + mem_rx_off(lay, qp, b);
		int rc;

		if (!len || (v->plan->kind.tp != TP_RC && untouched(at, len)))
			continue; /* over UC every message for it may be lost */
		rc = mem_check(at, len, kind_other_side(v->side), v->first_qp + qp,
			       (uint32_t)b % lay->tx_bufs);
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

/* The word after count atomics: their number, or (compare-and-swap) the ring slot that is next. */
static uint64_t counted(const struct plan *plan, uint64_t count)
{
	return plan->kind.op == OP_FETCH_ADD ? count : count % ring_slots(plan);
}

static int check_target_word(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	uint64_t got = word_at(v->ep, mem_tx_off(&v->ep->mem.layout, qp, 0));

	*checked += count;
	return check_word("the target word", v->first_qp + qp, got, counted(v->plan, count));
}

/* What the last atomics fetched: the count before each. */
static int check_fetched(const struct verify *v, uint32_t qp, uint64_t count, uint64_t *checked)
{
	const struct mem_layout *lay = &v->ep->mem.layout;
	const uint32_t ring = ring_slots(v->plan);
	uint64_t last = ring < lay->rx_bufs ? ring : lay->rx_bufs;

	if (ring % lay->rx_bufs && ring > lay->rx_bufs)
		last = 1;
	if (last > count)
		last = count;
	for (uint64_t i = count - last; i < count; i++) {
		uint64_t got = word_at(v->ep, mem_rx_off(lay, qp, i % ring));
		int rc = check_word("the value fetched", v->first_qp + qp, got,
				    counted(v->plan, i));

		if (rc)
			return rc;
		++*checked;
	}
	return 0;
}

static int check_qp(const struct verify *v, uint32_t qp, uint64_t *checked)
{
	const enum opcode op = v->plan->kind.op;
	int rc = 0;

	if (kind_is_atomic(op)) {
		if (v->peer_sent)
			rc = check_target_word(v, qp, v->peer_sent[qp], checked);
		return rc || !v->sent ? rc : check_fetched(v, qp, v->sent[qp], checked);
	}
	if (op == OP_READ)
		return v->sent ? check_buffers(v, qp, v->sent[qp], checked) : 0;
	if (op == OP_SEND || op == OP_SEND_IMM)
		return v->received ? check_sends(v, qp, v->received[qp], checked) : 0;
	return v->peer_sent ? check_buffers(v, qp, v->peer_sent[qp], checked) : 0;
}

/* The payload of sends is looked at where it is received, and so on. */
static bool has_part(const struct verify *v)
{
	const enum opcode op = v->plan->kind.op;

	if (kind_is_atomic(op))
		return v->sent || v->peer_sent;
	if (op == OP_READ)
		return v->sent;
	return op == OP_SEND || op == OP_SEND_IMM ? v->received != NULL : v->peer_sent != NULL;
}

int verify_check(const struct verify *v, uint64_t *checked)
{
	*checked = has_part(v) ? 0 : UINT64_MAX;
	if (!has_part(v))
		return 0;
	for (uint32_t qp = 0; qp < v->plan->qps; qp++) {
		int rc = check_qp(v, qp, checked);

		if (rc)
			return rc;
	}
	return 0;
}
