/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ep/verify: what a side accepts as the payload of the other one, and what it does not. Messages
 * are copied from the memory of the client to that of the server by hand.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/verify.h"
#include "device/mem.h"
#include "util/err.h"

#define QPS 2u
#define BUFS 4u
#define DEPTH 8u
#define MTU 1024u
#define SIZE 2500u /* the third packet is a part of one */

/* Both sides of a thread that is not the first one. */
#define FIRST_QP 6u

struct both {
	struct plan plan;
	struct point point;
	struct ep from, to;
	uint64_t counts[QPS], checked;
	struct verify verify; /* of the server */
};

static void open_ep(struct both *b, struct ep *ep, enum side side)
{
	layout_resolve(&ep->mem.layout, &b->plan, &b->point, side);
	ep->mem.base = calloc(1, ep->mem.layout.total_bytes);
	assert_non_null(ep->mem.base);
	assert_int_equal(verify_fill(ep, &b->plan, side, FIRST_QP), 0);
}

static void open_both(struct both *b, struct kind kind, uint64_t size)
{
	*b = (struct both){
		.plan = { .work = { .kind = kind, .qps = QPS, .depth = DEPTH, .threads = 1,
				    .recv_depth = DEPTH, .post_list = 1, .signal_interval = 1,
				    .pattern = PATTERN_STREAM, .walk = WALK_SEQ },
			  .path.mtu_bytes = MTU },
		/* a stride is a multiple of 64, and has room for a GRH */
		.point = { .size_bytes = size, .server_size_bytes = size,
			   .footprint_bytes = QPS * BUFS * ((size + 40 + 63) / 64 * 64) },
	};
	role_resolve(b->plan.work.role, PATTERN_STREAM, kind.op, false);
	open_ep(b, &b->from, SIDE_CLIENT);
	open_ep(b, &b->to, SIDE_SERVER);
	b->verify = (struct verify){ .ep = &b->to, .plan = &b->plan, .side = SIDE_SERVER,
				     .first_qp = FIRST_QP };
}

static void close_both(struct both *b)
{
	free(b->from.mem.base);
	free(b->to.mem.base);
}

static uint8_t *sent_at(const struct both *b, uint32_t qp, uint64_t i)
{
	return b->from.mem.base + layout_tx_off(&b->from.mem.layout, qp, i);
}

static uint8_t *received_at(const struct both *b, uint32_t qp, uint64_t i)
{
	const struct layout *lay = &b->to.mem.layout;

	return b->to.mem.base + layout_rx_off(lay, qp, i) + lay->grh_bytes;
}

/* Message i of a QP comes to receive or buffer at of another. */
static void move(struct both *b, uint32_t qp, uint64_t i, uint32_t to_qp, uint64_t at)
{
	memcpy(received_at(b, to_qp, at), sent_at(b, qp, i), b->point.size_bytes);
}

/* The first n messages of each QP, each to its own place. */
static void move_all(struct both *b, uint64_t n)
{
	for (uint32_t qp = 0; qp < QPS; qp++) {
		for (uint64_t i = 0; i < n; i++)
			move(b, qp, i, qp, i);
		b->counts[qp] = n;
	}
}

static void assert_right(struct both *b, uint64_t checked)
{
	if (verify_check(&b->verify, &b->checked))
		fail_msg("%s", err_text());
	assert_int_equal(b->checked, checked);
}

static void assert_wrong(struct both *b, const char *text)
{
	assert_int_equal(verify_check(&b->verify, &b->checked), -EILSEQ);
	if (!strstr(err_text(), text))
		fail_msg("\"%s\" has no \"%s\"", err_text(), text);
}

static struct kind kind_of(enum transport tp, enum opcode op)
{
	return (struct kind){ .tp = tp, .op = op, .cm = CM_POLL };
}

/* ---- sends */

static void each_send_has_its_receive(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_SEND), SIZE);
	b.verify.received = b.counts;
	assert_right(&b, 0);
	move_all(&b, 3);
	assert_right(&b, QPS * 3);
	/* the last of each buffer */
	move_all(&b, 11);
	assert_right(&b, QPS * BUFS);
	received_at(&b, 1, 10)[SIZE - 1] ^= 1;
	assert_wrong(&b, "QP 7, buffer 2, byte 2499: ");
	/* in another order than over RC */
	move(&b, 1, 1, 1, 10);
	assert_wrong(&b, "QP 7, buffer 2, byte 0: ");
	/* the requests did not begin with the first buffer */
	b.verify.first_slot = 1;
	for (uint32_t qp = 0; qp < QPS; qp++)
		for (uint64_t i = 0; i < 11; i++)
			move(&b, qp, i + 1, qp, i);
	assert_right(&b, QPS * BUFS);
	close_both(&b);
}

/* Messages are lost, so any of the sender's QP may be in a receive. */
static void datagrams_may_be_lost(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_UD, OP_SEND), 512);
	b.verify.received = b.counts;
	move_all(&b, 2);
	move(&b, 0, 3, 0, 1);
	assert_right(&b, QPS * 2);
	move(&b, 1, 1, 0, 1);
	assert_wrong(&b, "QP 6, buffer 1, byte 0: ");
	memset(received_at(&b, 0, 1), 0, 512);
	assert_wrong(&b, "QP 6, buffer 1, byte 0: ");
	close_both(&b);
}

/* A message of which packets were lost leaves its begin to the next one that gets this receive. */
static void a_torn_message_may_be_in_the_next_receive(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_UC, OP_SEND), SIZE);
	b.verify.received = b.counts;
	move_all(&b, BUFS - 1);
	received_at(&b, 0, 0)[0] ^= 1;
	assert_wrong(&b, "QP 6, buffer 0, byte 0: "); /* nothing has come behind it */
	move_all(&b, BUFS + 2);
	received_at(&b, 0, 2)[0] ^= 1;
	assert_right(&b, QPS * (BUFS - 1));
	received_at(&b, 0, 3)[0] ^= 1;
	assert_wrong(&b, "QP 6, buffer 3, byte 0: ");
	close_both(&b);
	/* what is one packet is there or not */
	open_both(&b, kind_of(TP_UC, OP_SEND), MTU);
	b.verify.received = b.counts;
	move_all(&b, BUFS);
	assert_right(&b, QPS * BUFS);
	received_at(&b, 0, 0)[0] ^= 1;
	assert_wrong(&b, "QP 6, buffer 0, byte 0: ");
	close_both(&b);
}

/* Both ways, credit messages take receives, too, and write nothing. */
static void a_receive_may_be_of_a_credit_message(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_SEND), SIZE);
	b.verify.received = b.counts;
	move_all(&b, 3);
	memset(received_at(&b, 0, 1), 0, SIZE);
	assert_wrong(&b, "QP 6, buffer 1, byte 0: ");
	b.plan.work.bidir = true;
	assert_right(&b, QPS * 3 - 1);
	received_at(&b, 0, 1)[SIZE - 1] = 1;
	assert_wrong(&b, "QP 6, buffer 1, byte 0: ");
	close_both(&b);
}

/* ---- a queue that QPs share */

static void open_shared(struct both *b)
{
	struct kind kind = kind_of(TP_RC, OP_SEND);

	kind.sharing = SHARING_SRQ;
	open_both(b, kind, SIZE);
	b->verify.received = b->counts;
	assert_true(b->to.mem.layout.rx.bufs < b->to.mem.layout.rx.slots);
}

/* Receives 0, 1, 2 are the first of QP 0, the first of QP 1, the second of QP 0. */
static void a_shared_receive_takes_any_message(void **state)
{
	struct both b;

	(void)state;
	open_shared(&b);
	b.counts[1] = 3;
	move(&b, 1, 0, 0, 0);
	move(&b, 1, 1, 1, 0);
	move(&b, 1, 2, 0, 1);
	assert_right(&b, 3);
	received_at(&b, 1, 0)[SIZE - 1] ^= 1;
	assert_wrong(&b, "QP 6, buffer 1, byte 0: "); /* whose it was nobody knows */
	close_both(&b);
}

/* One way it is an error, both ways it may have been for a credit message. */
static void a_shared_receive_that_was_not_written(void **state)
{
	struct both b;

	(void)state;
	open_shared(&b);
	move_all(&b, 2);
	memset(received_at(&b, 1, 0), 0, SIZE);
	assert_wrong(&b, "QP 6, buffer 1, byte 0: ");
	b.plan.work.bidir = true;
	assert_right(&b, 3);
	close_both(&b);
}

/* Two messages came to one buffer at the same time: each packet is of either. */
static void two_messages_may_be_mixed(void **state)
{
	struct both b;
	uint8_t *at;

	(void)state;
	open_shared(&b);
	move_all(&b, 2);
	at = received_at(&b, 1, 1);
	memcpy(at + MTU, sent_at(&b, 0, 3) + MTU, MTU);
	assert_right(&b, 4);
	/* the last packet, which is shorter */
	memcpy(at + MTU, sent_at(&b, 1, 1) + MTU, MTU);
	memcpy(at + 2 * MTU, sent_at(&b, 0, 3) + 2 * MTU, SIZE - 2 * MTU);
	assert_right(&b, 4);
	at[SIZE - 1] ^= 1;
	assert_wrong(&b, "QP 6, buffer 3, byte ");
	/* not a packet of another place */
	memcpy(at + MTU, sent_at(&b, 1, 1), MTU);
	assert_wrong(&b, "QP 6, buffer 3, byte ");
	close_both(&b);
}

/* ---- writes, reads */

static void writes_have_their_buffers(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_WRITE), SIZE);
	assert_right(&b, UINT64_MAX); /* who has not heard what was written checks nothing */
	b.verify.peer_sent = b.counts;
	move_all(&b, 3);
	assert_right(&b, QPS * 3);
	move_all(&b, 9);
	assert_right(&b, QPS * BUFS);
	memset(received_at(&b, 1, 3), 0, SIZE);
	assert_wrong(&b, "QP 7, buffer 3, byte 0: ");
	close_both(&b);
	/* over UC all that went there may be lost, but not a part of it */
	open_both(&b, kind_of(TP_UC, OP_WRITE), SIZE);
	b.verify.peer_sent = b.counts;
	move_all(&b, 3);
	memset(received_at(&b, 1, 2), 0, SIZE);
	assert_right(&b, QPS * 3 - 1);
	received_at(&b, 1, 2)[SIZE - 1] = 1;
	assert_wrong(&b, "QP 7, buffer 2, byte 0: ");
	close_both(&b);
}

static void reads_have_their_buffers(void **state)
{
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_READ), SIZE);
	assert_right(&b, UINT64_MAX);
	b.verify.sent = b.counts;
	move_all(&b, 5);
	assert_right(&b, QPS * BUFS);
	received_at(&b, 0, 0)[8] ^= 1;
	assert_wrong(&b, "QP 6, buffer 0, byte 8: ");
	close_both(&b);
}

/* ---- pieces */

static void bytes_between_pieces_are_untouched(void **state)
{
	struct both b;
	struct mem *mem = &b.to.mem;
	uint64_t off;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_SEND), 512);
	mem->layout.rx_pieces = (struct pieces){ .n = 2, .bytes = 512, .stride = 320 };
	mem->layout.rx.bufs = 1;
	mem->layout.rx.stride = 640;
	off = layout_rx_off(&mem->layout, 0, 0);
	b.verify.received = b.counts;
	b.counts[0] = 1;
	mem_copy_scatter(mem, off, &mem->layout.rx_pieces, sent_at(&b, 0, 0));
	assert_right(&b, 1);
	mem->base[off + 300] = 1;
	assert_wrong(&b, "QP 6: bytes between pieces 0 and 1 of 2 ");
	close_both(&b);
}

/* ---- atomics */

static void set_word(struct ep *ep, uint64_t off, uint64_t value)
{
	memcpy(ep->mem.base + off, &value, sizeof(value));
}

/* Seven additions of each QP to its four words: all but the last had two. */
static void atomics_count(void **state)
{
	uint64_t sent[QPS] = { 7, 7 };
	struct both b;

	(void)state;
	open_both(&b, kind_of(TP_RC, OP_FETCH_ADD), 8);
	/* more buffers than that fit a cache line each; the words of both sides are these four */
	b.to.mem.layout.tx.bufs = b.to.mem.layout.rx.bufs = BUFS;
	b.verify.peer_sent = sent;
	for (uint32_t qp = 0; qp < QPS; qp++)
		for (uint32_t i = 0; i < BUFS; i++)
			set_word(&b.to, layout_tx_off(&b.to.mem.layout, qp, i), i == 3 ? 1 : 2);
	assert_right(&b, 14);
	set_word(&b.to, layout_tx_off(&b.to.mem.layout, 1, 3), 2);
	assert_wrong(&b, "the target word of QP 7 is 2, not 1");
	/* the one that asked: what the last four have fetched */
	b.verify.peer_sent = NULL;
	b.verify.sent = sent;
	for (uint32_t qp = 0; qp < QPS; qp++)
		for (uint64_t i = 3; i < 7; i++)
			set_word(&b.to, layout_rx_off(&b.to.mem.layout, qp, i), i / BUFS);
	assert_right(&b, QPS * BUFS);
	set_word(&b.to, layout_rx_off(&b.to.mem.layout, 0, 6), 0);
	assert_wrong(&b, "the value fetched of QP 6 is 0, not 1");
	b.verify.sent = NULL;
	assert_right(&b, UINT64_MAX);
	close_both(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_send_has_its_receive),
		cmocka_unit_test(datagrams_may_be_lost),
		cmocka_unit_test(a_torn_message_may_be_in_the_next_receive),
		cmocka_unit_test(a_receive_may_be_of_a_credit_message),
		cmocka_unit_test(a_shared_receive_takes_any_message),
		cmocka_unit_test(a_shared_receive_that_was_not_written),
		cmocka_unit_test(two_messages_may_be_mixed),
		cmocka_unit_test(writes_have_their_buffers),
		cmocka_unit_test(reads_have_their_buffers),
		cmocka_unit_test(bytes_between_pieces_are_untouched),
		cmocka_unit_test(atomics_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
