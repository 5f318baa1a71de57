/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The kind that the options name. Called by plan_rules.c, which checks it, and by plan.c. */
#include "config.h"
#include "config/cfg.h"

static enum opcode opcode_of(const struct cfg *cfg)
{
	switch (kind_family((enum test)cfg->test)) {
	case FAMILY_SEND:
		return cfg->imm ? OP_SEND_IMM : OP_SEND;
	case FAMILY_WRITE:
		return cfg->imm ? OP_WRITE_IMM : OP_WRITE;
	case FAMILY_READ:
		return OP_READ;
	case FAMILY_ATOMIC:
		break;
	}
	return cfg->atomic == ATOMIC_FETCH_ADD ? OP_FETCH_ADD : OP_CMP_SWAP;
}

struct kind cfg_kind(const struct cfg *cfg)
{
	return (struct kind) {
		.tp = cfg->transport,
		.op = opcode_of(cfg),
		.cm = cfg->completion,
	};
}
