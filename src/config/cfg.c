/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The kind that the options name. Called by plan_rules.c, which checks it, and by steps of plan. */
#include "config.h"
#include "config/cfg.h"

/* The rows of a family choose one opcode for any options: tests/unit/test_options checks it. */
static enum opcode opcode_of(const struct cfg *cfg)
{
	const enum family family = kind_family(cfg->test);
	const bool chosen[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, IMM, COMPARES, WHEN, ...) \
		[OP_##O] = family == FAMILY_##FAMILY && (WHEN),
#include "config/opcodes.def"
#undef OPCODE
	};
	uint32_t op = 0;

	while (op + 1 < OP_COUNT && !chosen[op])
		op++;
	return (enum opcode)op;
}

struct kind cfg_kind(const struct cfg *cfg)
{
	return (struct kind) {
		.tp = cfg->transport,
		.op = opcode_of(cfg),
		.cm = cfg->completion,
		.sharing = cfg->srq    ? SHARING_SRQ :
			   cfg->one_qp ? SHARING_ONE_QP :
					 SHARING_NONE,
	};
}

enum apis_post cfg_post_api(const struct cfg *cfg)
{
	if (cfg->post_api != APIS_POST_AUTO)
		return (enum apis_post)cfg->post_api;
	/* ibv_post_send() has no place for the target of DC */
	return kind_names_dct(cfg->transport) ? APIS_POST_WR : APIS_POST_SEND;
}
