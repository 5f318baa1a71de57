/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The tables from the program's enums to the codes of verbs. Called where QPs, memory regions and
 * requests are made. Holds no other fact of an opcode or a transport: those are in config/kind.h.
 */
#include "config.h"

#include "verbs/verbs_code.h"

enum ibv_wr_opcode verbs_code_wr(enum opcode op)
{
	static const enum ibv_wr_opcode codes[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ...) [OP_##O] = IBV_WR_##CODE,
#include "config/opcodes.def"
#undef OPCODE
	};

	return codes[op];
}

uint64_t verbs_code_send_op(enum opcode op)
{
	static const uint64_t flags[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ...) [OP_##O] = IBV_QP_EX_WITH_##CODE,
#include "config/opcodes.def"
#undef OPCODE
	};

	return flags[op];
}

int verbs_code_access(enum opcode op)
{
	static const int rights[] = {
		[ACCESS_NONE] = 0,
		[ACCESS_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[ACCESS_READ] = IBV_ACCESS_REMOTE_READ,
		[ACCESS_ATOMIC] = IBV_ACCESS_REMOTE_ATOMIC,
	};

	return rights[kind_access(op)];
}

enum ibv_qp_type verbs_code_qp_type(enum transport tp)
{
	static const enum ibv_qp_type types[TP_COUNT] = {
#define TRANSPORT(T, NAME, SENDER, ...) [TP_##T] = IBV_QPT_##SENDER,
#include "config/transports.def"
#undef TRANSPORT
	};

	return types[tp];
}

uint32_t verbs_code_odp(const struct ibv_device_attr_ex *attr, enum transport tp)
{
	const uint32_t none = 0;
	const uint32_t rc = attr->odp_caps.per_transport_caps.rc_odp_caps;
	const uint32_t uc = attr->odp_caps.per_transport_caps.uc_odp_caps;
	const uint32_t ud = attr->odp_caps.per_transport_caps.ud_odp_caps;
	const uint32_t caps[TP_COUNT] = {
#define TRANSPORT(T, NAME, SENDER, RELIABLE, NAMES, HALVES, CARRIES, GRH, ODP, LOOPS) \
	[TP_##T] = ODP,
#include "config/transports.def"
#undef TRANSPORT
	};

	return caps[tp];
}
