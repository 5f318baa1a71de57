/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The three axes of what can be measured, the eight tests made of them, and the list (kinds.def) of
 * what exists. An axis stands here only if it changes the instructions issued per operation; all
 * else (size, depth, QPs, ...) is a number in struct worker.
 */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>
#include <stdint.h>

enum transport { TP_RC, TP_UC, TP_UD, TP_COUNT };

enum opcode {
	OP_SEND,
	OP_SEND_IMM,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_CMP_SWAP,
	OP_FETCH_ADD,
	OP_COUNT
};

enum completion { CM_POLL, CM_EVENT, CM_HYBRID, CM_COUNT };

struct kind {
	enum transport tp;
	enum opcode op;
	enum completion cm;
};

/* opcode family x metric: what a name like vb_send_bw stands for */
enum test {
	TEST_SEND_BW,
	TEST_SEND_LAT,
	TEST_WRITE_BW,
	TEST_WRITE_LAT,
	TEST_READ_BW,
	TEST_READ_LAT,
	TEST_ATOMIC_BW,
	TEST_ATOMIC_LAT,
	TEST_COUNT
};

enum side { SIDE_CLIENT, SIDE_SERVER };

static inline enum side kind_other_side(enum side side)
{
	return side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
}

/* stream: bandwidth. pingpong: latency of send and write. probe: latency of read and atomics. */
enum pattern { PATTERN_STREAM, PATTERN_PINGPONG, PATTERN_PROBE };

/* The spellings used by options, results and messages: indexed by the enum, NULL-terminated. */
extern const char *const kind_transport_names[TP_COUNT + 1];   /* RC UC UD */
extern const char *const kind_opcode_names[OP_COUNT + 1];      /* send send_imm ... fetch_add */
extern const char *const kind_completion_names[CM_COUNT + 1];  /* poll event hybrid */
extern const char *const kind_test_names[TEST_COUNT + 1];      /* send_bw ... atomic_lat */
extern const char *const kind_pattern_names[];                 /* stream pingpong probe */
extern const char *const kind_side_names[];                    /* client server */

enum pattern kind_pattern(enum test test);
bool kind_test_is_lat(enum test test);

/* Is there a row for this kind in kinds.def? */
bool kind_exists(struct kind k);

/*
 * NULL when the test can be run with this kind, else the reason in one sentence ("read over UC:
 * ..."), static text. Sources: InfiniBand Architecture Specification vol. 1, 9.3 and table 35 (what
 * each transport service carries); ibv_post_send(3).
 */
const char *kind_refusal(enum test test, struct kind k);

/* True for the opcodes that take a receive at the target: send, send_imm, write_imm. */
static inline bool kind_takes_recv(enum opcode op)
{
	return op == OP_SEND || op == OP_SEND_IMM || op == OP_WRITE_IMM;
}

static inline bool kind_has_imm(enum opcode op)
{
	return op == OP_SEND_IMM || op == OP_WRITE_IMM;
}

static inline bool kind_is_atomic(enum opcode op)
{
	return op == OP_CMP_SWAP || op == OP_FETCH_ADD;
}

#endif
