/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Faults on demand, see fault.h. */
#include "config.h"
#include "fault.h"

#include "engine.h"
#include "event.h"
#include "agenda.h"

static const struct cfg_fault *counted(struct ctx *ctx, enum cfg_fault_kind kind, uint64_t n)
{
	for (uint32_t i = 0; i < ctx->cfg.n_faults; i++)
		if (ctx->cfg.fault[i].kind == kind && ctx->cfg.fault[i].n == n)
			return &ctx->cfg.fault[i];
	return NULL;
}

int fault_post_slow(struct ctx *ctx)
{
	const struct cfg_fault *f = counted(ctx, CFG_FAULT_POST,
					    atomic_fetch_add(&ctx->posts, 1) + 1);

	return f ? (int)f->value : 0;
}

uint8_t fault_wc_slow(struct ctx *ctx, uint8_t status)
{
	const struct cfg_fault *f = counted(ctx, CFG_FAULT_WC,
					    atomic_fetch_add(&ctx->completions, 1) + 1);

	return f ? (uint8_t)f->value : status;
}

enum fault_event fault_event(struct ctx *ctx)
{
	uint64_t n;

	if (!ctx->cfg.n_faults)
		return FAULT_EVENT_NONE;
	n = atomic_fetch_add(&ctx->events, 1) + 1;
	if (counted(ctx, CFG_FAULT_EVENT_LOST, n))
		return FAULT_EVENT_LOST;
	return counted(ctx, CFG_FAULT_EVENT_EXTRA, n) ? FAULT_EVENT_EXTRA : FAULT_EVENT_NONE;
}

/* An event of the agenda names its context by number: the context may be closed when it is due. */
static void at(const struct ctx *ctx, uint32_t which, uint32_t phase, uint64_t due_ns)
{
	struct agenda_event e = {
		.due_ns = due_ns, .kind = AGENDA_DEVICE, .idx = ctx->id, .epoch = which,
		.arg = phase,
	};

	(void)agenda_push(&e);
}

void fault_start(struct ctx *ctx)
{
	uint64_t now = agenda_now();
	bool any = false;

	for (uint32_t i = 0; i < ctx->cfg.n_faults; i++) {
		if (ctx->cfg.fault[i].kind != CFG_FAULT_DOWN &&
		    ctx->cfg.fault[i].kind != CFG_FAULT_ASYNC)
			continue;
		at(ctx, i, 0, now + ctx->cfg.fault[i].at_ns);
		any = true;
	}
	/* it may have been stopped with events of closed contexts before these */
	if (any)
		(void)engine_start();
}

static struct shm_port *port_of(const struct ctx *ctx)
{
	return &hca.fabric->proc[hca.slot].port[ctx->dev];
}

void fault_stop(struct ctx *ctx)
{
	if (ctx->port_down)
		atomic_store(&port_of(ctx)->down, 0);
}

/* Phase 0: it begins; 1: a port that was down is up again. */
static void due(struct ctx *ctx, uint32_t which, uint32_t phase)
{
	const struct cfg_fault *f = &ctx->cfg.fault[which];

	if (f->kind == CFG_FAULT_ASYNC) {
		event_async(ctx, f->value, 1);
		return;
	}
	ctx->port_down = !phase;
	atomic_store(&port_of(ctx)->down, !phase);
	event_async(ctx, phase ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, 1);
	if (!phase)
		at(ctx, which, 1, agenda_now() + f->for_ns);
}

void fault_due(uint32_t ctx_id, uint32_t which, uint32_t phase)
{
	pthread_mutex_lock(&hca.mutex);
	for (struct ctx *c = hca.ctxs; c; c = c->next)
		if (c->id == ctx_id)
			due(c, which, phase);
	pthread_mutex_unlock(&hca.mutex);
}
