/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Faults on demand, see fault.h. */
#include "config.h"
#include "fault.h"

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

static void at(uint32_t dev, uint32_t which, uint32_t phase, uint64_t due_ns)
{
	struct agenda_event e = {
		.due_ns = due_ns, .kind = AGENDA_DEVICE, .idx = dev, .epoch = which, .arg = phase,
	};

	(void)agenda_push(&e);
}

void fault_start(struct ctx *ctx)
{
	uint64_t now = agenda_now();

	for (uint32_t i = 0; i < ctx->cfg.n_faults; i++)
		if (ctx->cfg.fault[i].kind == CFG_FAULT_DOWN ||
		    ctx->cfg.fault[i].kind == CFG_FAULT_ASYNC)
			at(ctx->dev, i, 0, now + ctx->cfg.fault[i].at_ns);
}

static void tell(uint32_t dev, enum ibv_event_type type)
{
	pthread_mutex_lock(&hca.mutex);
	for (struct ctx *c = hca.ctxs; c; c = c->next)
		if (c->dev == dev)
			event_async(c, type, 1);
	pthread_mutex_unlock(&hca.mutex);
}

/* Phase 0: it begins; 1: a port that was down is up again. */
void fault_due(uint32_t dev, uint32_t which, uint32_t phase)
{
	const struct cfg_fault *f = &cfg_dev(dev)->fault[which];
	struct shm_port *port = &hca.fabric->proc[hca.slot].port[dev];

	if (f->kind == CFG_FAULT_ASYNC) {
		tell(dev, f->value);
		return;
	}
	atomic_store(&port->down, !phase);
	tell(dev, phase ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
	if (!phase)
		at(dev, which, 1, agenda_now() + f->for_ns);
}
