/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What can be run, and the facts of opcodes, transports and tests, written a second time from the
 * specification and from the codes of verbs, against the rows of kinds.def, opcodes.def,
 * transports.def and tests.def; and that every refusal says what and why.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "options/kind.h"
#include "verbs/api.h"

/*
 * IBA vol. 1, table 35, and ibv_post_send(3): all of them over RC, XRC, DC; over UC no responses,
 * hence no reads and atomics; over UD sends alone. Annex A19 over RC: rxe, the only driver that has
 * it, has no others. Completions can be taken either way.
 */
static bool spec_allows(enum transport tp, enum opcode op)
{
	bool is_send = op == OP_SEND || op == OP_SEND_IMM;
	bool is_write = op == OP_WRITE || op == OP_WRITE_IMM;

	if (op == OP_ATOMIC_WRITE || op == OP_WRITE_FLUSH)
		return tp == TP_RC;
	return tp == TP_RC || tp == TP_XRC || tp == TP_DC || is_send ||
	       (tp == TP_UC && is_write);
}

static void test_matrix(void **state)
{
	int legal = 0;

	(void)state;
	for (int tp = 0; tp < TP_COUNT; tp++) {
		for (int op = 0; op < OP_COUNT; op++) {
			for (int cm = 0; cm < CM_COUNT; cm++) {
				struct kind k = { .tp = tp, .op = op, .cm = cm };

				assert_int_equal(kind_exists(k), spec_allows(k.tp, k.op));
				legal += kind_exists(k);
			}
		}
	}
	assert_int_equal(legal, 87);
}

/* Of one opcode, by its work request: ibv_post_send(3), ibv_reg_mr(3), ibv_create_qp_ex(3). */
static void check_opcode(enum opcode op)
{
	const enum ibv_wr_opcode code = api_code_wr(op);
	const bool send = code == IBV_WR_SEND || code == IBV_WR_SEND_WITH_IMM;
	const bool write = code == IBV_WR_RDMA_WRITE || code == IBV_WR_RDMA_WRITE_WITH_IMM;
	const bool read = code == IBV_WR_RDMA_READ;
	const bool atomic =
		code == IBV_WR_ATOMIC_CMP_AND_SWP || code == IBV_WR_ATOMIC_FETCH_AND_ADD;
	const bool imm = code == IBV_WR_SEND_WITH_IMM || code == IBV_WR_RDMA_WRITE_WITH_IMM;
	const bool store = code == IBV_WR_ATOMIC_WRITE, flush = op == OP_WRITE_FLUSH;
	const uint64_t second = flush ? UINT64_C(1) << 11 : 0;
	const int rights = write || store ? IBV_ACCESS_REMOTE_WRITE :
			   read ? IBV_ACCESS_REMOTE_READ :
			   atomic ? IBV_ACCESS_REMOTE_ATOMIC : 0;

	assert_int_equal(send + write + read + atomic + store, 1);
	assert_int_equal(kind_has_imm(op), imm);
	assert_int_equal(kind_takes_recv(op), send || imm);
	assert_int_equal(kind_fills_recv(op), send);
	assert_int_equal(kind_fetches(op), read || atomic);
	assert_int_equal(kind_takes_response(op), read || atomic || store || flush);
	assert_int_equal(kind_is_atomic(op), atomic || store);
	assert_int_equal(kind_counts(op), atomic);
	assert_int_equal(kind_is_store(op), store);
	assert_int_equal(kind_flushes(op), flush);
	assert_int_equal(kind_needs_wr(op), store || flush);
	assert_int_equal(kind_can_inline(op), send || write);
	assert_int_equal(kind_compares(op), code == IBV_WR_ATOMIC_CMP_AND_SWP);
	assert_int_equal(kind_is_silent(op), code == IBV_WR_RDMA_WRITE && !flush);
	assert_int_equal(api_code_access(op), rights);
	/* the flags are numbered as the codes, without those that the kernel has in between */
	assert_int_equal(api_code_send_op(op), UINT64_C(1) << (store ? 12 : (int)code) | second);
	assert_int_equal(strstr(kind_opcode_names[op], "_imm") != NULL, imm);
	assert_int_equal(kind_opcodes[op].family, send ? FAMILY_SEND : write ? FAMILY_WRITE :
						  read ? FAMILY_READ : FAMILY_ATOMIC);
}

/*
 * RC, XRC and DC acknowledge and send again; XRC and DC have QPs of one direction; UD alone is a
 * datagram, and has room for a GRH. DC is a QP type of the driver: mlx5dv_create_qp(3).
 */
static void check_transport(enum transport tp)
{
	const enum ibv_qp_type type = api_code_qp_type(tp);
	static const char *const names[] = {
		[IBV_QPT_RC] = "RC", [IBV_QPT_UC] = "UC", [IBV_QPT_UD] = "UD",
		[IBV_QPT_XRC_SEND] = "XRC", [IBV_QPT_DRIVER] = "DC",
	};

	assert_true((type >= IBV_QPT_RC && type <= IBV_QPT_XRC_SEND) || type == IBV_QPT_DRIVER);
	assert_string_equal(kind_transport_names[tp], names[type]);
	assert_int_equal(kind_is_lossy(tp), type == IBV_QPT_UC || type == IBV_QPT_UD);
	assert_int_equal(kind_names_srq(tp), type == IBV_QPT_XRC_SEND);
	assert_int_equal(kind_names_dct(tp), type == IBV_QPT_DRIVER);
	assert_int_equal(kind_has_halves(tp), type == IBV_QPT_XRC_SEND || type == IBV_QPT_DRIVER);
	assert_int_equal(kind_loops(tp), type == IBV_QPT_DRIVER ? TP_RC : tp);
	assert_int_equal(kind_is_datagram(tp), type == IBV_QPT_UD);
	assert_int_equal(kind_grh_bytes(tp), type == IBV_QPT_UD ? sizeof(struct ibv_grh) : 0);
}

static void test_facts(void **state)
{
	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++)
		check_opcode(op);
	for (enum transport tp = 0; tp < TP_COUNT; tp++) {
		check_transport(tp);
		for (enum opcode op = 0; op < OP_COUNT; op++)
			assert_int_equal(kind_carries(tp, op), spec_allows(tp, op));
	}
	assert_int_equal(OP_COUNT, 9);
	assert_int_equal(TP_COUNT, 5);
	assert_int_equal(TEST_COUNT, 8);
}

static void test_outside(void **state)
{
	(void)state;
	assert_false(kind_exists((struct kind){ .tp = TP_COUNT }));
	assert_false(kind_exists((struct kind){ .op = OP_COUNT }));
	assert_false(kind_exists((struct kind){ .cm = CM_COUNT }));
	assert_non_null(kind_refusal(TEST_SEND_BW, (struct kind){ .tp = TP_COUNT }));
}

static bool of_family(enum test test, enum opcode op)
{
	const char *name = kind_opcode_names[op];

	if (test == TEST_ATOMIC_BW || test == TEST_ATOMIC_LAT)
		return op == OP_CMP_SWAP || op == OP_FETCH_ADD || op == OP_ATOMIC_WRITE;
	return !strncmp(kind_test_names[test], name, strcspn(name, "_"));
}

static void check_refusal(enum test test, struct kind k)
{
	const char *message = kind_refusal(test, k);
	bool unseen = test == TEST_WRITE_LAT && k.op == OP_WRITE && k.cm != CM_POLL;
	char start[64];

	if (!of_family(test, k.op)) {
		assert_non_null(message);
	} else if (!spec_allows(k.tp, k.op)) {
		assert_non_null(message);
		snprintf(start, sizeof(start), "%s over %s: ", kind_opcode_names[k.op],
			 kind_transport_names[k.tp]);
		assert_memory_equal(message, start, strlen(start));
		assert_true(strlen(message) > strlen(start));
	} else if (unseen) {
		assert_non_null(strstr(message, "write_imm"));
	} else {
		assert_null(message);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	for (int test = 0; test < TEST_COUNT; test++) {
		for (int i = 0; i < TP_COUNT * OP_COUNT * CM_COUNT; i++) {
			struct kind k = { .tp = i / CM_COUNT / OP_COUNT, .cm = i % CM_COUNT,
					  .op = i / CM_COUNT % OP_COUNT };

			check_refusal(test, k);
		}
	}
}

static void test_patterns(void **state)
{
	(void)state;
	assert_int_equal(kind_pattern(TEST_SEND_BW, OP_SEND), PATTERN_STREAM);
	assert_int_equal(kind_pattern(TEST_ATOMIC_BW, OP_CMP_SWAP), PATTERN_STREAM);
	assert_int_equal(kind_pattern(TEST_SEND_LAT, OP_SEND), PATTERN_PINGPONG);
	assert_int_equal(kind_pattern(TEST_WRITE_LAT, OP_WRITE), PATTERN_PINGPONG);
	assert_int_equal(kind_pattern(TEST_WRITE_LAT, OP_WRITE_IMM), PATTERN_PINGPONG);
	assert_int_equal(kind_pattern(TEST_WRITE_LAT, OP_WRITE_FLUSH), PATTERN_PROBE);
	assert_int_equal(kind_pattern(TEST_WRITE_BW, OP_WRITE_FLUSH), PATTERN_STREAM);
	assert_int_equal(kind_pattern(TEST_READ_LAT, OP_READ), PATTERN_PROBE);
	assert_int_equal(kind_pattern(TEST_ATOMIC_LAT, OP_FETCH_ADD), PATTERN_PROBE);
	for (int test = 0; test < TEST_COUNT; test++)
		assert_int_equal(kind_test_is_lat(test),
				 strstr(kind_test_names[test], "_lat") != NULL);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(kind_transport_names[TP_UD], "UD");
	assert_string_equal(kind_opcode_names[OP_WRITE_IMM], "write_imm");
	assert_string_equal(kind_completion_names[CM_EVENT], "event");
	assert_string_equal(kind_pattern_names[PATTERN_PROBE], "probe");
	assert_string_equal(kind_side_names[SIDE_SERVER], "server");
	assert_null(kind_transport_names[TP_COUNT]);
	assert_null(kind_opcode_names[OP_COUNT]);
	assert_null(kind_completion_names[CM_COUNT]);
	assert_null(kind_test_names[TEST_COUNT]);
	assert_null(kind_pattern_names[PATTERN_PROBE + 1]);
	assert_null(kind_side_names[SIDE_SERVER + 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),   cmocka_unit_test(test_facts),
		cmocka_unit_test(test_outside),  cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
