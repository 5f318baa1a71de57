/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The kind selected by the options. */
#include "config.h"
#include "options/cfg.h"

/* The rows of a family give one opcode for any options: tests/unit/test_options checks it. */
static enum opcode opcode_of(const struct cfg *cfg)
{
	const enum family family = kind_family(cfg->test);
	const bool chosen[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, IMM, COMPARES, WHEN, ...) \
		[OP_##O] = family == FAMILY_##FAMILY && (WHEN),
#include "options/opcodes.def"
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

enum completion cfg_completion(const struct cfg *cfg, enum side side)
{
	const bool own = side == SIDE_CLIENT || cfg->peer_completion == CM_SAME;

	return own ? cfg->completion : cfg->peer_completion;
}

const char *cfg_refusal(const struct cfg *cfg)
{
	const char *refusal = NULL;

	for (enum side side = 0; side < SIDE_COUNT && !refusal; side++) {
		struct kind kind = cfg_kind(cfg);

		kind.cm = cfg_completion(cfg, side);
		refusal = kind_refusal(cfg->test, kind);
	}
	return refusal;
}

enum apis_post cfg_post_api(const struct cfg *cfg)
{
	if (cfg->post_api != APIS_POST_AUTO)
		return (enum apis_post)cfg->post_api;
	/* ibv_post_send() cannot address the target of DC */
	if (kind_names_dct(cfg->transport) || kind_needs_wr(opcode_of(cfg)))
		return APIS_POST_WR;
	return APIS_POST_SEND;
}

enum buffers_kind cfg_buffers(const struct cfg *cfg, enum side side)
{
	if (side == SIDE_SERVER && cfg->peer_buffers != BUFFERS_SAME)
		return cfg->peer_buffers;
	if (side == SIDE_SERVER && cfg->peer_gpu != CFG_AUTO)
		return BUFFERS_CUDA;
	return cfg->buffers == BUFFERS_HOST && cfg->gpu != CFG_AUTO ? BUFFERS_CUDA : cfg->buffers;
}

uint32_t cfg_gpu(const struct cfg *cfg, enum side side)
{
	const bool own = side == SIDE_CLIENT || cfg->peer_gpu == CFG_AUTO;

	if (cfg_buffers(cfg, side) != BUFFERS_CUDA)
		return CFG_AUTO;
	return own ? cfg->gpu : cfg->peer_gpu;
}
