/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Injected faults; see fault.h. */
#include "config.h"
#include "transport/fault.h"

#include "base/clock.h"
#include "transport/async.h"
#include "transport/progress.h"

static const struct settings_fault *find(struct ctx *ctx, enum settings_fault_kind kind,
					 uint64_t n)
{
	for (uint32_t i = 0; i < ctx->settings.n_faults; i++)
		if (ctx->settings.fault[i].kind == kind && ctx->settings.fault[i].n == n)
			return &ctx->settings.fault[i];
	return NULL;
}

int fault_post_slow(struct ctx *ctx)
{
	const struct settings_fault *f = find(ctx, SETTINGS_FAULT_POST,
					      atomic_fetch_add(&ctx->posts, 1) + 1);

	return f ? (int)f->value : 0;
}

uint8_t fault_wc_slow(struct ctx *ctx, uint8_t status)
{
	const struct settings_fault *f = find(ctx, SETTINGS_FAULT_WC,
					      atomic_fetch_add(&ctx->completions, 1) + 1);

	return f ? (uint8_t)f->value : status;
}

int fault_query(struct ctx *ctx, uint32_t port)
{
	const struct settings_fault *f = find(ctx, SETTINGS_FAULT_QUERY, port);

	return f ? (int)f->value : 0;
}

enum fault_event fault_event(struct ctx *ctx)
{
	uint64_t n;

	if (!ctx->settings.n_faults)
		return FAULT_EVENT_NONE;
	n = atomic_fetch_add(&ctx->events, 1) + 1;
	if (find(ctx, SETTINGS_FAULT_EVENT_LOST, n))
		return FAULT_EVENT_LOST;
	return find(ctx, SETTINGS_FAULT_EVENT_EXTRA, n) ? FAULT_EVENT_EXTRA : FAULT_EVENT_NONE;
}

/*
 * The timer has the number of the context, and not its address: the context may be closed before
 * the timer expires. idx: that number; epoch: index of the fault; arg: 0 for its begin, 1 for its
 * end.
 */
static void set_timer(const struct timer *timer, uint64_t due_ns, uint32_t end)
{
	struct timer t = *timer;

	t.due_ns = due_ns;
	t.arg = end;
	(void)progress_at(&t);
}

static void occur(struct ctx *ctx, const struct timer *t)
{
	const struct settings_fault *f = &ctx->settings.fault[t->epoch];

	if (f->kind == SETTINGS_FAULT_ASYNC) {
		async_port(ctx, 1, f->value);
		return;
	}
	if (t->arg)
		ctx->ports_down &= ~(1u << f->value);
	else
		ctx->ports_down |= 1u << f->value;
	atomic_store(&hca_port(hca.slot, ctx->dev, f->value)->down, !t->arg);
	async_port(ctx, f->value, t->arg ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
	if (!t->arg)
		set_timer(t, clock_now() + f->for_ns, 1);
}

static void on_timer(const struct timer *t)
{
	pthread_mutex_lock(&hca.mutex);
	for (struct ctx *c = hca.ctxs; c; c = c->next)
		if (c->id == t->idx)
			occur(c, t);
	pthread_mutex_unlock(&hca.mutex);
}

void fault_start(struct ctx *ctx)
{
	uint64_t now = clock_now();
	bool any = false;

	for (uint32_t i = 0; i < ctx->settings.n_faults; i++) {
		const struct settings_fault *f = &ctx->settings.fault[i];
		struct timer t = { .run = on_timer, .idx = ctx->id, .epoch = i };

		if (f->kind != SETTINGS_FAULT_DOWN && f->kind != SETTINGS_FAULT_ASYNC)
			continue;
		/* its end must not bring up a port that the profile has not active */
		if (f->kind == SETTINGS_FAULT_DOWN && ctx->profile->port_state != IBV_PORT_ACTIVE)
			continue;
		set_timer(&t, now + f->at_ns, 0);
		any = true;
	}
	/*
	 * if an earlier timer of a closed context is set, progress_at() does not start the thread
	 */
	if (any)
		(void)progress_start();
}

void fault_stop(struct ctx *ctx)
{
	for (uint32_t port = 1; port <= SHM_PORTS; port++)
		if (ctx->ports_down >> port & 1)
			atomic_store(&hca_port(hca.slot, ctx->dev, port)->down, 0);
}
