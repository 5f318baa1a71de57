/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * mem: where buffers lie, that none overlap, the rights of each side, and what the pattern
 * catches.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "err.h"
#include "mem.h"

#define MIB (UINT64_C(1) << 20)

static struct plan stream_of(enum transport tp, enum opcode op)
{
	return (struct plan) {
		.pattern = PATTERN_STREAM,
		.kind = { .tp = tp, .op = op },
		.qps = 3,
		.depth = 128,
		.recv_depth = kind_takes_recv(op) ? 512 : 0,
	};
}

static struct mem_layout layout(const struct plan *plan, uint64_t size)
{
	struct point point = { .size_bytes = size };
	struct mem_layout lay;

	mem_layout(&lay, plan, &point);
	return lay;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * Every buffer of every QP, sorted: no two closer than what a message takes, none beyond the end.
 */
static void assert_disjoint(const struct mem_layout *l, uint32_t qps)
{
	size_t n = (size_t)qps * (l->tx_bufs + l->rx_bufs), k = 0;
	uint64_t *off = calloc(n, sizeof(*off));
	uint64_t bytes = l->size_bytes + l->grh_bytes;

	assert_non_null(off);
	for (uint32_t q = 0; q < qps; q++) {
		for (uint32_t i = 0; i < l->tx_bufs; i++)
			off[k++] = mem_tx_off(l, q, i);
		for (uint32_t i = 0; i < l->rx_bufs; i++)
			off[k++] = mem_rx_off(l, q, i);
	}
	qsort(off, n, sizeof(*off), compare);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(off[i] % 64, 0);
		assert_true(off[i] + bytes <= (i + 1 < n ? off[i + 1] : l->total_bytes));
	}
	free(off);
}

static void counts(void **state)
{
	struct plan p = stream_of(TP_RC, OP_SEND);
	struct mem_layout l = layout(&p, 64);

	(void)state;
	assert_int_equal(l.stride, 64);
	assert_int_equal(l.tx_bufs, 128);
	assert_int_equal(l.rx_bufs, 512);
	assert_int_equal(mem_rx_off(&l, 1, 512 + 7), l.qp_bytes + l.rx_off + 7 * 64);
	/* A ring of the next power of two is a multiple of the walk. */
	p.depth = 100;
	assert_int_equal(layout(&p, 64).tx_bufs, 128);
	p = stream_of(TP_RC, OP_WRITE);
	assert_int_equal(layout(&p, 64).rx_bufs, 128);
	/* The data of a write with immediate does not land in the receive's buffer. */
	p = stream_of(TP_RC, OP_WRITE_IMM);
	assert_int_equal(layout(&p, 64).rx_bufs, 128);
	p.pattern = PATTERN_PINGPONG;
	assert_int_equal(layout(&p, 64).tx_bufs, 1);
	assert_int_equal(layout(&p, 64).rx_bufs, 1);
}

static void strides(void **state)
{
	struct plan rc = stream_of(TP_RC, OP_SEND), ud = stream_of(TP_UD, OP_SEND);
	struct plan atomic = stream_of(TP_RC, OP_FETCH_ADD);

	(void)state;
	assert_int_equal(layout(&rc, 1).stride, 64);
	assert_int_equal(layout(&rc, 65).stride, 128);
	assert_int_equal(layout(&rc, 4095).stride, 4096);
	assert_int_equal(layout(&rc, 4096).stride, 4096);
	assert_int_equal(layout(&rc, 4097).stride, 8192);
	assert_int_equal(layout(&ud, 24).stride, 64);
	assert_int_equal(layout(&ud, 25).stride, 128);
	assert_int_equal(layout(&ud, 4096).stride, 8192);
	assert_int_equal(layout(&ud, 1).grh_bytes, 40);
	assert_int_equal(layout(&rc, 1).grh_bytes, 0);
	assert_int_equal(layout(&atomic, 8).size_bytes, 8);
	assert_int_equal(mem_tx_off(&(struct mem_layout) { .qp_bytes = 64, .tx_bufs = 1,
							   .stride = 64 }, 5, 0) % 8, 0);
}

static void disjoint(void **state)
{
	static const uint64_t sizes[] = { 1, 24, 64, 100, 1024, 4096, 5000, 65536, MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (enum opcode op = 0; op < OP_COUNT; op++) {
			struct plan p = stream_of(TP_RC, op);
			struct mem_layout l = layout(&p, sizes[i]);

			assert_disjoint(&l, p.qps);
		}
		struct plan p = stream_of(TP_UD, OP_SEND);
		struct mem_layout l = layout(&p, sizes[i]);

		assert_disjoint(&l, p.qps);
	}
}

static void bounds(void **state)
{
	struct plan p = stream_of(TP_RC, OP_WRITE);
	struct mem_layout l = layout(&p, 64 * 1024);

	(void)state;
	assert_int_equal(l.tx_bufs * l.stride, 8 * MIB);
	l = layout(&p, MIB);
	assert_int_equal(l.tx_bufs, 8);
	l = layout(&p, 64 * MIB);
	assert_int_equal(l.tx_bufs, 1);
	assert_int_equal(l.total_bytes, 3 * 2 * 64 * MIB);
	p.qps = 1024;
	l = layout(&p, 64 * 1024);
	assert_int_equal(l.tx_bufs, l.rx_bufs);
	assert_true(l.tx_bufs >= 1 && l.total_bytes <= 1024 * MIB);
	/* One buffer each is the least, whatever it adds up to; no overflow on the way. */
	l = layout(&p, UINT64_C(1) << 31);
	assert_int_equal(l.tx_bufs, 1);
	assert_int_equal(l.total_bytes, UINT64_C(1024) * 2 << 31);
	p = stream_of(TP_RC, OP_SEND);
	p.qps = 4096;
	l = layout(&p, 4096);
	assert_true(l.total_bytes <= 1024 * MIB);
}

static void rights(void **state)
{
	static const int remote[OP_COUNT] = {
		[OP_WRITE] = IBV_ACCESS_REMOTE_WRITE, [OP_WRITE_IMM] = IBV_ACCESS_REMOTE_WRITE,
		[OP_READ] = IBV_ACCESS_REMOTE_READ, [OP_CMP_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
		[OP_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
	};

	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++) {
		struct plan p = stream_of(TP_RC, op);
		int target = IBV_ACCESS_LOCAL_WRITE | remote[op];

		assert_int_equal(mem_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
		p.bidir = true;
		assert_int_equal(mem_access(&p, SIDE_CLIENT), target);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
		p.bidir = false;
		p.pattern = PATTERN_PINGPONG;
		assert_int_equal(mem_access(&p, SIDE_CLIENT), target);
		p.pattern = PATTERN_PROBE;
		assert_int_equal(mem_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
	}
}

/* Lengths around the word size; the byte after the end stays as it was. */
static void every_byte_is_checked(void **state)
{
	uint8_t buf[41];

	(void)state;
	for (uint64_t len = 0; len <= 40; len++) {
		memset(buf, 0x5a, sizeof(buf));
		mem_fill(buf, len, SIDE_CLIENT, 2, 7);
		assert_int_equal(buf[len], 0x5a);
		assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), 0);
		for (uint64_t i = 0; i < len; i++) {
			buf[i] ^= 0x10;
			assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), -EILSEQ);
			buf[i] ^= 0x10;
		}
	}
}

static void sentence(void **state)
{
	uint8_t buf[64];
	char want[128];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_SERVER, 3, 9);
	snprintf(want, sizeof(want), "payload differs: QP 3, buffer 9, byte 21: expected 0x%02x, "
		 "got 0x%02x", buf[21], buf[21] ^ 0xffu);
	buf[21] ^= 0xff;
	buf[22] ^= 0xff;
	buf[40] ^= 0xff;
	assert_int_equal(mem_check(buf, sizeof(buf), SIDE_SERVER, 3, 9), -EILSEQ);
	assert_string_equal(err_text(), want);
}

/* A message that went to the wrong place, or bytes shifted by a word, must not pass. */
static void no_two_alike(void **state)
{
	uint8_t buf[4096];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 0, 0);
	assert_int_equal(mem_check(buf, 8, SIDE_SERVER, 0, 0), -EILSEQ);
	for (uint32_t i = 1; i < 1000; i++) {
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, i, 0), -EILSEQ);
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, 0, i), -EILSEQ);
	}
	for (size_t i = 8; i + 8 <= sizeof(buf); i += 8)
		assert_int_equal(mem_check(buf + i, 8, SIDE_CLIENT, 0, 0), -EILSEQ);
}

/* The peer may run another build or byte order: the pattern is part of the protocol. */
static void pattern_is_fixed(void **state)
{
	/* Worked out with an independent program: splitmix64 finaliser as mem.c's comment names. */
	static const uint8_t want[8] = {
		0x53, 0x7c, 0x61, 0x4d, 0x37, 0xfe, 0xf9, 0x85,
	};
	uint8_t buf[8];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 1, 2);
	assert_memory_equal(buf, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(strides),
		cmocka_unit_test(disjoint),
		cmocka_unit_test(bounds),
		cmocka_unit_test(rights),
		cmocka_unit_test(every_byte_is_checked),
		cmocka_unit_test(sentence),
		cmocka_unit_test(no_two_alike),
		cmocka_unit_test(pattern_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
