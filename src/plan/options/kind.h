/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What can be measured: transport x opcode x completion x sharing, and the tests. The properties of
 * each are rows of opcodes.def, transports.def and tests.def; kinds.def lists the transports and
 * opcodes that can be combined; each pair has every completion mode, and each that takes receives
 * can share them. An axis is here only if it changes how the operation is issued or awaited;
 * everything else (size, depth, QPs, ...) is a number in the plan. Knows no verbs.
 *
 * The functions at the end query the tables. For a constant kind the compiler evaluates them: the
 * measured loops rely on that (loop/loops.h).
 */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>
#include <stdint.h>

enum transport {
#define TRANSPORT(T, ...) TP_##T,
#include "options/transports.def"
#undef TRANSPORT
	TP_COUNT
};

enum opcode {
#define OPCODE(O, ...) OP_##O,
#include "options/opcodes.def"
#undef OPCODE
	OP_COUNT
};

/* CM_SAME: of --peer-completion, as --completion */
enum completion { CM_POLL, CM_EVENT, CM_HYBRID, CM_COUNT, CM_SAME = CM_COUNT };

/*
 * Which receives a message uses: those of its QP; those of an SRQ, which all QPs of a thread share;
 * or, over UD, those of the receiver's only QP, which serves all QPs of the sender.
 */
enum sharing { SHARING_NONE, SHARING_SRQ, SHARING_ONE_QP, SHARING_COUNT };

struct kind {
	enum transport tp;
	enum opcode op;
	enum completion cm;
	enum sharing sharing;
};

/* opcode family x metric: the meaning of a name like vb_send_bw */
enum test {
#define TEST(T, ...) TEST_##T,
#include "options/tests.def"
#undef TEST
	TEST_COUNT
};

enum family { FAMILY_SEND, FAMILY_WRITE, FAMILY_READ, FAMILY_ATOMIC };

enum side { SIDE_CLIENT, SIDE_SERVER };
#define SIDE_COUNT 2

static inline enum side kind_other_side(enum side side)
{
	return side == SIDE_CLIENT ? SIDE_SERVER : SIDE_CLIENT;
}

/* stream: bandwidth. Latency: probe of what has a response, pingpong of what has none. */
enum pattern { PATTERN_STREAM, PATTERN_PINGPONG, PATTERN_PROBE };

/*
 * What an opcode does to the target's memory at an address that the request names. STORE: an atomic
 * write of one word. FLUSH: a write, and a second request that flushes it. From READ on there is a
 * response besides the acknowledgement; from STORE on only ibv_wr_*() has the call.
 */
enum access {
	ACCESS_NONE, ACCESS_WRITE, ACCESS_READ, ACCESS_ATOMIC, ACCESS_STORE, ACCESS_FLUSH
};

/* kind_takes_response(), as a constant expression */
#define ACCESS_TAKES_RESPONSE(access) ((access) >= ACCESS_READ)

/*
 * What an opcode uses in the target's receive queue: nothing, a receive only, or a receive with its
 * buffer.
 */
enum receive { RECEIVE_NOTHING, RECEIVE_SLOT, RECEIVE_BUFFER };

/* The operations that a transport supports: a bit per enum access. */
enum carries {
	CARRIES_SENDS = 1 << ACCESS_NONE,
	CARRIES_WRITES = CARRIES_SENDS | 1 << ACCESS_WRITE,
	CARRIES_READS = CARRIES_WRITES | 1 << ACCESS_READ | 1 << ACCESS_ATOMIC,
	CARRIES_ALL = CARRIES_READS | 1 << ACCESS_STORE | 1 << ACCESS_FLUSH
};

struct kind_opcode {
	enum family family;
	enum access access;
	enum receive receive;
	bool imm, compares;
};

/* What each request addresses, besides memory. */
enum names {
	NAMES_NOTHING, /* the QP has one peer */
	NAMES_QP,      /* a QP, by address, number and Q_Key: a datagram of one packet */
	NAMES_SRQ,     /* an SRQ, by its number */
	NAMES_DCT,     /* a DCT, by address, number and access key */
};

struct kind_transport {
	bool reliable, halves;
	enum names names;
	unsigned int carries;
	uint32_t grh_bytes;
	enum transport loops;
};

struct kind_test {
	enum family family;
	bool lat;
};

/* In the header, so that a constant index gives a constant result. Use the functions below. */
static const struct kind_opcode kind_opcodes[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, IMM, COMPARES, ...) \
	[OP_##O] = { FAMILY_##FAMILY, ACCESS_##ACCESS, RECEIVE_##RECEIVE, IMM, COMPARES },
#include "options/opcodes.def"
#undef OPCODE
};

static const struct kind_transport kind_transports[TP_COUNT] = {
#define TRANSPORT(T, NAME, SENDER, RELIABLE, NAMES, HALVES, CARRIES, GRH, ODP, LOOPS) \
	[TP_##T] = { RELIABLE, HALVES, NAMES_##NAMES, CARRIES, GRH, TP_##LOOPS },
#include "options/transports.def"
#undef TRANSPORT
};

static const struct kind_test kind_tests[TEST_COUNT] = {
#define TEST(T, NAME, FAMILY, LAT) [TEST_##T] = { FAMILY_##FAMILY, LAT },
#include "options/tests.def"
#undef TEST
};

/* The names in options, results and messages: indexed by the enum, NULL-terminated. */
extern const char *const kind_transport_names[TP_COUNT + 1];   /* RC UC UD XRC DC */
extern const char *const kind_opcode_names[OP_COUNT + 1];      /* send ... write_flush */
extern const char *const kind_completion_names[CM_COUNT + 1];  /* poll event hybrid */
extern const char *const kind_peer_completion_names[];         /* poll event hybrid same */
extern const char *const kind_sharing_names[SHARING_COUNT + 1]; /* own srq one_qp */
extern const char *const kind_test_names[TEST_COUNT + 1];      /* send_bw ... atomic_lat */
extern const char *const kind_bulk_names[];                    /* send write read: of any size */
extern const char *const kind_pattern_names[];                 /* stream pingpong probe */
extern const char *const kind_side_names[];                    /* client server */

/* Does kinds.def have a row for it, or for the transport whose loops it uses? */
bool kind_exists(struct kind k);

/*
 * NULL when the test can be run with this kind, else an error message ("read over UC: ..."), static
 * text. Sources: InfiniBand Architecture Specification vol. 1, 9.3 and table 35 (operations of each
 * transport service); ibv_post_send(3).
 */
const char *kind_refusal(enum test test, struct kind k);

static inline enum family kind_family(enum test test)
{
	return kind_tests[test].family;
}

static inline bool kind_test_is_lat(enum test test)
{
	return kind_tests[test].lat;
}

/* The bandwidth test of the opcodes of a family. */
static inline enum test kind_stream_of(enum family family)
{
	enum test test = (enum test)0;

	while (kind_family(test) != family || kind_test_is_lat(test))
		test++;
	return test;
}

/* The target needs a receive for each message, and gets a completion for it. */
static inline bool kind_takes_recv(enum opcode op)
{
	return kind_opcodes[op].receive != RECEIVE_NOTHING;
}

/* The payload goes to the buffer of a receive, not to an address in the request. */
static inline bool kind_fills_recv(enum opcode op)
{
	return kind_opcodes[op].receive == RECEIVE_BUFFER;
}

static inline bool kind_has_imm(enum opcode op)
{
	return kind_opcodes[op].imm;
}

static inline enum access kind_access(enum opcode op)
{
	return kind_opcodes[op].access;
}

/* Data comes from the target in a response: the initiator sends no payload. */
static inline bool kind_fetches(enum opcode op)
{
	return kind_access(op) == ACCESS_READ || kind_access(op) == ACCESS_ATOMIC;
}

/* The payload is an argument of its call of ibv_wr_*. */
static inline bool kind_is_store(enum opcode op)
{
	return kind_access(op) == ACCESS_STORE;
}

/* A message is two requests: a write, and its flush, which completes. */
static inline bool kind_flushes(enum opcode op)
{
	return kind_access(op) == ACCESS_FLUSH;
}

/* Requests of a message. */
static inline uint32_t kind_requests(enum opcode op)
{
	return kind_flushes(op) ? 2 : 1;
}

/* Only ibv_wr_*() posts it: struct ibv_send_wr has no place for the arguments. */
static inline bool kind_needs_wr(enum opcode op)
{
	return kind_access(op) >= ACCESS_STORE;
}

/* Its payload may be inline. */
static inline bool kind_can_inline(enum opcode op)
{
	return !kind_fetches(op) && !kind_is_store(op);
}

/* Its response takes one of the places that both QPs limit: max_rd_atomic. */
static inline bool kind_takes_response(enum opcode op)
{
	return ACCESS_TAKES_RESPONSE(kind_access(op));
}

static inline enum pattern kind_pattern(enum test test, enum opcode op)
{
	return !kind_test_is_lat(test)	? PATTERN_STREAM :
	       kind_takes_response(op) ? PATTERN_PROBE :
					 PATTERN_PINGPONG;
}

/* An operation on one word of 8 bytes. */
static inline bool kind_is_atomic(enum opcode op)
{
	return kind_access(op) == ACCESS_ATOMIC || kind_is_store(op);
}

/* The words of the target count the operations: from zero, by one, or in turns of swaps. */
static inline bool kind_counts(enum opcode op)
{
	return kind_access(op) == ACCESS_ATOMIC;
}

/* An atomic whose operands must match the current value of the word. */
static inline bool kind_compares(enum opcode op)
{
	return kind_opcodes[op].compares;
}

/*
 * Payload is written to the target's memory without a completion there: only the memory shows it.
 */
static inline bool kind_is_silent(enum opcode op)
{
	return kind_access(op) == ACCESS_WRITE && !kind_takes_recv(op);
}

/* A message may be lost or duplicated; it is never retransmitted. */
static inline bool kind_is_lossy(enum transport tp)
{
	return !kind_transports[tp].reliable;
}

/* Each request addresses its target, and a message is one packet. */
static inline bool kind_is_datagram(enum transport tp)
{
	return kind_transports[tp].names == NAMES_QP;
}

/* XRC: each request addresses an SRQ, which has the receives and the protection domain. */
static inline bool kind_names_srq(enum transport tp)
{
	return kind_transports[tp].names == NAMES_SRQ;
}

/* DC: each request addresses a DCT. */
static inline bool kind_names_dct(enum transport tp)
{
	return kind_transports[tp].names == NAMES_DCT;
}

/* XRC, DC: a QP only sends or only receives, and the receiving one has an SRQ. */
static inline bool kind_has_halves(enum transport tp)
{
	return kind_transports[tp].halves;
}

/* The transport whose loops run, and which has the rows in kinds.def. */
static inline enum transport kind_loops(enum transport tp)
{
	return kind_transports[tp].loops;
}

/* Bytes that precede the payload in a receive buffer. */
static inline uint32_t kind_grh_bytes(enum transport tp)
{
	return kind_transports[tp].grh_bytes;
}

/* Does the transport service support this opcode? kinds.def lists what is built. */
static inline bool kind_carries(enum transport tp, enum opcode op)
{
	return kind_transports[tp].carries >> kind_access(op) & 1;
}

#endif
