/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Where buffers lie: areas of each QP, none overlap, all within the bounds. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "decide/layout.h"

#define MIB (UINT64_C(1) << 20)

static struct plan stream_of(enum transport tp, enum opcode op)
{
	return (struct plan) {
		.work.pattern = PATTERN_STREAM,
		.work.kind = { .tp = tp, .op = op },
		.work.qps = 3,
		.work.depth = 128,
		.work.recv_depth = kind_takes_recv(op) ? 512 : 0,
		.work.post_list = 1,
		.work.signal_interval = 32,
		.work.walk = WALK_SEQ,
	};
}

static struct layout layout(const struct plan *plan, uint64_t size)
{
	struct point point = { .size_bytes = size, .server_size_bytes = size };
	struct layout lay;

	point.footprint_bytes = layout_auto_bytes(plan, &point);
	layout_resolve(&lay, plan, &point, SIDE_CLIENT);
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
static void assert_disjoint(const struct layout *l, uint32_t qps)
{
	size_t n = (size_t)qps * (l->tx.bufs + l->rx.bufs), k = 0;
	uint64_t *off = calloc(n, sizeof(*off));
	uint64_t bytes = pieces_span(&l->rx_pieces) + l->grh_bytes;

	assert_non_null(off);
	for (uint32_t q = 0; q < qps; q++) {
		for (uint32_t i = 0; i < l->tx.bufs; i++)
			off[k++] = layout_tx_off(l, q, i);
		for (uint32_t i = 0; i < l->rx.bufs; i++)
			off[k++] = layout_rx_off(l, q, i);
	}
	qsort(off, n, sizeof(*off), compare);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(off[i] % 64, 0);
		assert_true(off[i] + bytes <= (i + 1 < n ? off[i + 1] : l->total_bytes));
	}
	free(off);
}

static void areas(void **state)
{
	struct plan rc = stream_of(TP_RC, OP_SEND), ud = stream_of(TP_UD, OP_SEND);
	struct plan atomic = stream_of(TP_RC, OP_FETCH_ADD);
	struct layout l = layout(&rc, 64);

	(void)state;
	assert_int_equal(l.rx_off, l.tx.bufs * l.tx.stride);
	assert_int_equal(l.qp_bytes, l.rx_off + l.rx.bufs * l.rx.stride);
	assert_int_equal(l.total_bytes, 3 * l.qp_bytes);
	assert_int_equal(layout_rx_off(&l, 1, 7), l.qp_bytes + l.rx_off + 7 * l.rx.stride);
	assert_int_equal(layout_tx_off(&l, 2, l.tx.bufs + 3), 2 * l.qp_bytes + 3 * l.tx.stride);
	assert_int_equal(layout(&ud, 1).grh_bytes, 40);
	assert_int_equal(layout(&rc, 1).grh_bytes, 0);
	assert_int_equal(layout(&atomic, 8).tx_pieces.bytes, 8);
}

/* What a side sends from tx and receives into rx; of a read, what is taken, and what it took. */
static void own_sizes(void **state)
{
	static const struct { enum opcode op; uint64_t tx, rx; } want[] = {
		{ OP_SEND, 64, 5000 }, { OP_WRITE, 64, 5000 }, { OP_READ, 5000, 64 },
	};
	struct point point = { .size_bytes = 64, .server_size_bytes = 5000 };

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct plan plan = stream_of(TP_RC, want[i].op);
		struct layout client, server;

		point.footprint_bytes = layout_auto_bytes(&plan, &point);
		layout_resolve(&client, &plan, &point, SIDE_CLIENT);
		layout_resolve(&server, &plan, &point, SIDE_SERVER);
		assert_int_equal(client.tx_pieces.bytes, want[i].tx);
		assert_int_equal(client.rx_pieces.bytes, want[i].rx);
		assert_int_equal(server.tx_pieces.bytes, want[i].rx);
		assert_int_equal(server.rx_pieces.bytes, want[i].tx);
		/* both know where the buffers of the other one are */
		assert_memory_equal(&client.tx, &server.tx, sizeof(client.tx));
		assert_memory_equal(&client.rx, &server.rx, sizeof(client.rx));
		assert_int_equal(client.rx_off, server.rx_off);
		assert_true(client.tx.stride >= 5000 && client.rx.stride >= 5000);
	}
}

static void disjoint(void **state)
{
	static const uint64_t sizes[] = { 1, 24, 64, 100, 1024, 4096, 5000, 65536, MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (enum opcode op = 0; op < OP_COUNT; op++) {
			struct plan p = stream_of(TP_RC, op);
			struct layout l = layout(&p, sizes[i]);

			assert_disjoint(&l, p.work.qps);
		}
		struct plan p = stream_of(TP_UD, OP_SEND);
		struct layout l = layout(&p, sizes[i]);

		assert_disjoint(&l, p.work.qps);
	}
}

/* As many buffers in each memory region as in any other, but for one; none is in two regions. */
static void regions(void **state)
{
	static const enum opcode ops[] = { OP_SEND, OP_WRITE, OP_FETCH_ADD };

	(void)state;
	for (size_t i = 0; i < 3 * 40; i++) {
		struct plan plan = stream_of(TP_RC, ops[i % 3]);
		struct layout l;

		plan.work.regions = (uint32_t)(1 + i / 3);
		plan.work.walk = i % 2 ? WALK_RANDOM : WALK_SEQ;
		l = layout(&plan, i % 3 == 2 ? 8 : 100);
		assert_int_equal(l.qp_bytes, l.region_bytes * plan.work.regions);
		assert_true(l.tx.bufs >= plan.work.regions && l.rx.bufs >= plan.work.regions);
		assert_disjoint(&l, 3);
		for (uint32_t r = 0; r < plan.work.regions; r++) {
			uint32_t n = 0, most = (l.tx.bufs - 1) / plan.work.regions + 1;

			for (uint32_t b = 0; b < l.tx.bufs; b++)
				n += layout_tx_off(&l, 0, b) / l.region_bytes == r;
			assert_in_range(n, l.tx.bufs / plan.work.regions, most);
		}
	}
}

static void bounds(void **state)
{
	struct plan p = stream_of(TP_RC, OP_WRITE);
	struct layout l = layout(&p, 64 * 1024);

	(void)state;
	assert_int_equal(l.total_bytes, 3 * 2 * 8 * MIB);
	l = layout(&p, 64 * MIB);
	assert_int_equal(l.total_bytes, 3 * 2 * 64 * MIB);
	p.work.qps = 1024;
	l = layout(&p, 64 * 1024);
	assert_true(l.tx.bufs >= 1 && l.total_bytes <= 1024 * MIB);
	/* One buffer each is the least, whatever it adds up to; no overflow on the way. */
	l = layout(&p, UINT64_C(1) << 31);
	assert_int_equal(l.tx.bufs, 1);
	assert_int_equal(l.total_bytes, UINT64_C(1024) * 2 << 31);
	p = stream_of(TP_RC, OP_SEND);
	p.work.qps = 4096;
	l = layout(&p, 4096);
	assert_true(l.total_bytes <= 1024 * MIB);
}

/*
 * --sge: pieces of every size that add up to the message, in order, none adjacent to the next, all
 * within the buffer; only where a side gathers or scatters.
 */
static void pieces(void **state)
{
	static const uint64_t sizes[] = { 32, 33, 63, 64, 128, 256, 4096, 5000, 65535, MIB };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		for (uint32_t n = 2; n <= 32; n++) {
			struct plan p = stream_of(TP_UD, OP_SEND);
			struct layout l;
			uint64_t from = 0, end = 0;

			p.work.sges = n;
			l = layout(&p, sizes[s]);
			assert_int_equal(l.tx_pieces.n, n);
			assert_int_equal(l.rx_pieces.n, n);
			for (uint32_t i = 0; i < n; i++) {
				const uint64_t len = pieces_len(&l.tx_pieces, i);

				assert_in_range(len, sizes[s] / n, sizes[s] / n + 1);
				assert_int_equal(pieces_from(&l.tx_pieces, i), from);
				assert_true(!i || pieces_at(&l.tx_pieces, i) > end);
				from += len;
				end = pieces_at(&l.tx_pieces, i) + len;
			}
			assert_int_equal(from, sizes[s]);
			assert_int_equal(layout_tx_last(&l), end - 1);
			assert_int_equal(layout_rx_last(&l), 40 + end - 1);
			assert_true(40 + end <= l.rx.stride);
		}
	}
}

static void pieces_by_opcode(void **state)
{
	static const uint32_t want[OP_COUNT][2] = { /* gathered, scattered */
		[OP_SEND] = { 4, 4 }, [OP_SEND_IMM] = { 4, 4 }, [OP_WRITE] = { 4, 1 },
		[OP_WRITE_IMM] = { 4, 1 }, [OP_READ] = { 1, 4 }, [OP_CMP_SWAP] = { 1, 1 },
		[OP_FETCH_ADD] = { 1, 1 }, [OP_ATOMIC_WRITE] = { 1, 1 },
		[OP_WRITE_FLUSH] = { 4, 1 },
	};

	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++) {
		struct plan p = stream_of(TP_RC, op);
		struct layout l;

		p.work.sges = kind_is_atomic(op) ? 1 : 4;
		l = layout(&p, 100);
		assert_int_equal(l.tx_pieces.n, want[op][0]);
		assert_int_equal(l.rx_pieces.n, want[op][1]);
		/* what the peer addresses is the same on both sides */
		assert_true(kind_fills_recv(op) || l.tx.bufs == l.rx.bufs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas),
		cmocka_unit_test(own_sizes),
		cmocka_unit_test(disjoint),
		cmocka_unit_test(regions),
		cmocka_unit_test(bounds),
		cmocka_unit_test(pieces),
		cmocka_unit_test(pieces_by_opcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
