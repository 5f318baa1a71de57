/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Faults on demand: counts what a device does and says when one is due. Settings: cfg.h. */
#ifndef FAULT_H
#define FAULT_H

#include "hca.h"

enum fault_event { FAULT_EVENT_NONE, FAULT_EVENT_LOST, FAULT_EVENT_EXTRA };

/* The timed faults of a device that was just opened; they end when it is closed. */
void fault_start(struct ctx *ctx);
void fault_stop(struct ctx *ctx);
void fault_due(uint32_t ctx_id, uint32_t which, uint32_t phase);
enum fault_event fault_event(struct ctx *ctx);
int fault_post_slow(struct ctx *ctx); /* errno for this call, or 0 */
uint8_t fault_wc_slow(struct ctx *ctx, uint8_t status);

static inline int fault_post(struct ctx *ctx)
{
	return __builtin_expect(ctx->cfg.n_faults, 0) ? fault_post_slow(ctx) : 0;
}

static inline uint8_t fault_wc(struct ctx *ctx, uint8_t status)
{
	return __builtin_expect(ctx->cfg.n_faults, 0) ? fault_wc_slow(ctx, status) : status;
}

#endif
