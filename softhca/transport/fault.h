/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Injected faults of a device. Counts posting calls, completions and events, and says which of them
 * fails; see config/settings.h for the kinds. Faults at a time end when the device is closed.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

#include "transport/object.h"

enum fault_event { FAULT_EVENT_NONE, FAULT_EVENT_LOST, FAULT_EVENT_EXTRA };

/* The device was opened: sets the timers of its faults. */
void fault_start(struct ctx *ctx);
/* The device is being closed; under hca.mutex. */
void fault_stop(struct ctx *ctx);
/* What happens to this completion event. */
enum fault_event fault_event(struct ctx *ctx);
/* The errno of ibv_query_port(), or 0. */
int fault_query(struct ctx *ctx, uint32_t port);
/* If there are faults; for the functions below. */
int fault_post_slow(struct ctx *ctx);
uint8_t fault_wc_slow(struct ctx *ctx, uint8_t status);

/* The errno of this posting call, or 0. */
static inline int fault_post(struct ctx *ctx)
{
	return __builtin_expect(ctx->settings.n_faults, 0) ? fault_post_slow(ctx) : 0;
}

/* The status of this completion of a send. */
static inline uint8_t fault_wc(struct ctx *ctx, uint8_t status)
{
	return __builtin_expect(ctx->settings.n_faults, 0) ? fault_wc_slow(ctx, status) : status;
}

#endif
