/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * walk: over many plans and footprints, that rings fit the loops, that every buffer is used and
 * lies within the footprint, and that a random walk is a permutation. What auto chooses.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/ep.h"
#include "decide/plan.h"
#include "decide/layout.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define N(a) (sizeof(a) / sizeof((a)[0]))

static struct plan stream_of(enum opcode op)
{
	return (struct plan) {
		.work.pattern = PATTERN_STREAM,
		.work.kind = { .tp = TP_RC, .op = op },
		.work.qps = 1,
		.work.depth = 128,
		.work.recv_depth = kind_takes_recv(op) ? 512 : 0,
		.work.post_list = 1,
		.work.signal_interval = 32,
		.work.walk = WALK_SEQ,
	};
}

static struct walk tx_of(const struct plan *p, uint64_t size, uint64_t footprint)
{
	struct point point = { .size_bytes = size, .server_size_bytes = size,
			       .footprint_bytes = footprint };
	struct walk w;

	layout_walk_tx(&w, p, &point);
	return w;
}

static struct walk rx_of(const struct plan *p, uint64_t size, uint64_t footprint)
{
	struct point point = { .size_bytes = size, .server_size_bytes = size,
			       .footprint_bytes = footprint };
	struct walk w;

	layout_walk_rx(&w, p, &point);
	return w;
}

/* Any bufs messages in a row use all buffers, each inside the share and at a place of its own. */
static void assert_walks(const struct walk *w, uint64_t share)
{
	uint8_t *seen = calloc(w->bufs, 1);

	assert_non_null(seen);
	assert_true(w->bufs >= 1 && w->slots >= w->bufs);
	assert_int_equal(w->slots % w->bufs, 0);
	assert_true(w->bufs * w->stride <= share);
	for (uint32_t i = 0; i < w->bufs; i++) {
		uint64_t off = layout_walk_off(w, i);

		assert_int_equal(off % w->stride, 0);
		assert_true(off / w->stride < w->bufs);
		assert_false(seen[off / w->stride]);
		seen[off / w->stride] = 1;
		assert_int_equal(layout_walk_off(w, i + (uint64_t)w->bufs * 7), off);
	}
	free(seen);
}

static void check_plan(struct plan *p, uint64_t size, uint64_t footprint)
{
	struct point point = { .size_bytes = size, .server_size_bytes = size,
			       .footprint_bytes = footprint };
	const uint32_t group = p->work.post_list > p->work.signal_interval ?
				       p->work.post_list :
				       p->work.signal_interval;
	const bool sends = p->work.kind.op == OP_SEND;
	const uint64_t least = layout_least_bytes(p, &point);
	struct walk tx, rx;

	if (!footprint)
		point.footprint_bytes = layout_auto_bytes(p, &point);
	if (point.footprint_bytes < least)
		return;
	layout_walk_tx(&tx, p, &point);
	layout_walk_rx(&rx, p, &point);
	assert_true(tx.slots >=
		    (p->work.depth < 4096 / p->work.qps ? p->work.depth : 4096 / p->work.qps));
	assert_int_equal(tx.slots % group, 0);
	if (p->work.pattern != PATTERN_STREAM) {
		assert_int_equal(tx.slots % plan_batch(p), 0);
		assert_true(tx.slots >= PLAN_ANSWER_SLOTS);
	}
	assert_true(tx.slots <= 65536 || tx.slots <= 2 * (p->work.depth + group));
	assert_int_equal(tx.order, p->work.walk);
	assert_true(tx.stride >= size && tx.stride % 64 == 0);
	assert_true(size < 4096 || tx.stride % 4096 == 0);
	assert_walks(&tx, point.footprint_bytes / p->work.qps);
	assert_walks(&rx, point.footprint_bytes / p->work.qps);
	if (sends)
		assert_true(rx.slots >=
			    p->work.recv_depth + (p->work.bidir ? PLAN_CREDIT_SLOTS : 0));
	else
		assert_true(rx.order == tx.order && rx.bufs == tx.bufs && rx.slots == tx.slots &&
			    rx.stride == tx.stride);
	if (p->work.kind.op == OP_CMP_SWAP)
		assert_true(tx.slots / tx.bufs >= 2);
	if (p->work.walk == WALK_SAME)
		assert_int_equal(tx.bufs, 1);
}

static void fits_the_loops(void **state)
{
	static const enum opcode ops[] = { OP_SEND, OP_WRITE, OP_READ, OP_CMP_SWAP, OP_FETCH_ADD };
	static const uint32_t depths[] = { 1, 7, 128, 1000 }, lists[] = { 1, 3, 16, 96 };
	static const uint32_t signals[] = { 1, 48, 32 }, qps[] = { 1, 3, 200 };
	static const uint64_t sizes[] = { 1, 64, 100, 4095, 4097, 65535 };
	static const uint64_t prints[] = { 0, 64, 4 * KIB, 100 * KIB, 3 * MIB,
					   3 * MIB + 1, 1 << 30 };

	(void)state;
	for (uint32_t n = 0; n < 5u * 4 * 4 * 3 * 3 * 6 * 7 * 3; n += 11) {
		uint32_t k = n;
		struct plan p = stream_of(ops[k % 5]);
		uint64_t size, print;

		k /= 5;
		p.work.depth = depths[k % 4];
		k /= 4;
		p.work.post_list = lists[k % 4];
		k /= 4;
		p.work.signal_interval = signals[k % 3];
		k /= 3;
		p.work.qps = qps[k % 3];
		k /= 3;
		size = kind_is_atomic(p.work.kind.op) ? 8 : sizes[k % 6];
		k /= 6;
		print = prints[k % 7];
		k /= 7;
		p.work.walk = WALK_SEQ + k % 3;
		p.work.bidir = n % 2;
		check_plan(&p, size, print);
	}
}

/* A stretch of rounds goes on without a look at the end of the ring. */
static void fits_the_stretches(void **state)
{
	static const enum opcode ops[] = { OP_SEND, OP_WRITE_IMM, OP_READ, OP_CMP_SWAP };
	static const uint32_t qps[] = { 1, 2, 3, 16, 40 }, recvs[] = { 2, 8, 64, 1000 };
	static const uint64_t prints[] = { 0, 64, 100, 1000, 3 * KIB, 5 * KIB, 100 * KIB, MIB };

	(void)state;
	for (uint32_t n = 0; n < 4u * 5 * 4 * 8 * 3; n++) {
		struct plan p = stream_of(ops[n % 4]);
		uint64_t size = kind_is_atomic(p.work.kind.op) ? 8 : 1 + n % 200;

		p.work.pattern = n % 4 < 2 ? PATTERN_PINGPONG : PATTERN_PROBE;
		p.work.depth = 1;
		p.work.qps = qps[n / 4 % 5];
		p.work.recv_depth = kind_takes_recv(p.work.kind.op) ? recvs[n / 20 % 4] : 0;
		p.work.signal_interval = p.work.pattern == PATTERN_PINGPONG ? plan_batch(&p) : 1;
		p.work.walk = WALK_SEQ + n / 640 % 3;
		check_plan(&p, size, prints[n / 80 % 8] * p.work.qps);
	}
}

static void counts(void **state)
{
	struct plan p = stream_of(OP_WRITE);
	struct walk w;

	(void)state;
	w = tx_of(&p, 64, 3 * MIB);
	assert_int_equal(w.bufs, 49152);
	assert_int_equal(w.slots, 49152);
	assert_int_equal(w.stride, 64);
	/* no room for the depth: the ring goes round the buffers several times */
	w = tx_of(&p, 64 * KIB, 2 * MIB);
	assert_int_equal(w.bufs, 32);
	assert_int_equal(w.slots, 128);
	/* a ring has 65536 slots at most: the buffers are spread, by an odd number of lines */
	w = tx_of(&p, 64, 64 * MIB);
	assert_int_equal(w.slots, 65536);
	assert_int_equal(w.stride, 15 * 64);
	w = tx_of(&p, 4096, 1024 * MIB);
	assert_int_equal(w.slots, 65536);
	assert_int_equal(w.stride, 16384);
	p.work.qps = 1024;
	w = tx_of(&p, 64, 64 * MIB);
	assert_int_equal(w.bufs, 64);
	assert_int_equal(w.slots, 64);
	assert_int_equal(w.stride, 15 * 64);
	/* all rings together are short enough for a cache, each as long as a signal interval */
	w = tx_of(&p, 64 * KIB, 1024 * 64 * KIB);
	assert_int_equal(w.bufs, 1);
	assert_int_equal(w.slots, 32);
	p.work.signal_interval = 1;
	w = tx_of(&p, 64, 1024 * 4 * 64);
	assert_int_equal(w.bufs, 4);
	assert_int_equal(w.slots, 4);
}

static void of_receives(void **state)
{
	struct plan p = stream_of(OP_SEND);
	struct walk w;

	(void)state;
	w = rx_of(&p, 64, 1 * MIB);
	assert_int_equal(w.bufs, 16384);
	assert_int_equal(w.slots, 16384);
	w = rx_of(&p, 64 * KIB, 8 * MIB);
	assert_int_equal(w.bufs, 128);
	assert_int_equal(w.slots, 512);
	p.work.bidir = true;
	w = rx_of(&p, 64 * KIB, 8 * MIB);
	assert_int_equal(w.slots, 640);
	/* the data of a write with immediate does not land in the receive's buffer */
	p = stream_of(OP_WRITE_IMM);
	assert_int_equal(rx_of(&p, 64 * KIB, 8 * MIB).slots, 128);
	p = stream_of(OP_SEND);
	p.work.kind.tp = TP_UD;
	assert_int_equal(rx_of(&p, 24, 1 * MIB).stride, 64);
	assert_int_equal(rx_of(&p, 25, 1 * MIB).stride, 128);
	assert_int_equal(rx_of(&p, 4096, 1 * MIB).stride, 8192);
}

static uint64_t auto_of(const struct plan *p, uint64_t size)
{
	struct point point = { .size_bytes = size, .server_size_bytes = size };

	return layout_auto_bytes(p, &point);
}

static void autos(void **state)
{
	struct plan p = stream_of(OP_WRITE);

	(void)state;
	assert_int_equal(auto_of(&p, 1), 8 * KIB);
	assert_int_equal(auto_of(&p, 64), 8 * KIB);
	assert_int_equal(auto_of(&p, 65), 16 * KIB);
	assert_int_equal(auto_of(&p, 4096), 512 * KIB);
	assert_int_equal(auto_of(&p, 64 * KIB), 8 * MIB);
	assert_int_equal(auto_of(&p, 64 * MIB), 64 * MIB);
	p.work.qps = 8;
	assert_int_equal(auto_of(&p, 4096), 4 * MIB);
	assert_int_equal(auto_of(&p, 64), 64 * KIB);
	p.work.qps = 1024;
	assert_int_equal(auto_of(&p, 64), 2 * MIB);
	assert_int_equal(auto_of(&p, 4096), 128 * MIB);
	assert_int_equal(auto_of(&p, 64 * KIB), 512 * MIB);
	p.work.signal_interval = 1;
	assert_int_equal(auto_of(&p, 64), 256 * KIB);
	/* one buffer each is the least, whatever it adds up to; no overflow on the way */
	assert_int_equal(auto_of(&p, UINT64_C(1) << 31), UINT64_C(1024) << 31);
	p = stream_of(OP_SEND);
	assert_int_equal(auto_of(&p, 4096), 512 * KIB);
	assert_int_equal(auto_of(&p, 64 * KIB), 8 * MIB);
	p.work.walk = WALK_SAME;
	assert_int_equal(auto_of(&p, 16 * KIB), 16 * KIB);
	p.work.pattern = PATTERN_PINGPONG;
	p.work.walk = WALK_SEQ;
	assert_int_equal(auto_of(&p, 2), 8 * KIB);
	assert_int_equal(auto_of(&p, 100 * KIB), 100 * KIB);
}

/* Not the order of before, nor any other steady step: neighbours are far from each other. */
static void random_is_random(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 64, 1000, 4096, 49152, 65536 };

	(void)state;
	for (size_t k = 0; k < N(sizes); k++) {
		struct walk w = { .order = WALK_RANDOM, .regions = 1, .bufs = sizes[k],
				  .slots = sizes[k],
				  .stride = 64 };
		uint32_t steady = 0;

		assert_walks(&w, w.bufs * w.stride);
		for (uint32_t i = 2; i < w.bufs; i++)
			steady += layout_walk_off(&w, i) - layout_walk_off(&w, i - 1) ==
				  layout_walk_off(&w, i - 1) - layout_walk_off(&w, i - 2);
		assert_true(steady <= 4); /* of a true one about 1 is expected */
	}
}

/* The order of the random walk is part of the protocol: both sides reckon it. */
static void random_is_fixed(void **state)
{
	const struct walk w = { .order = WALK_RANDOM, .regions = 1, .bufs = 10, .slots = 10,
				.stride = 1 };
	char order[32] = "";

	(void)state;
	for (uint32_t i = 0; i < w.bufs; i++)
		snprintf(order + i, sizeof(order) - i, "%u", (unsigned)layout_walk_off(&w, i));
	assert_string_equal(order, "1978534026");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_the_loops),   cmocka_unit_test(fits_the_stretches),
		cmocka_unit_test(counts),
		cmocka_unit_test(of_receives),	    cmocka_unit_test(autos),
		cmocka_unit_test(random_is_random), cmocka_unit_test(random_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
