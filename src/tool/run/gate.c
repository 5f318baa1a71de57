/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the gate of several pairs; see pairs.h. */
#include "config.h"
#include "run/pairs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"

#define SECOND_NS 1000000000u
#define LOOK_NS 50000000u /* between two looks at the user's stop */

/* ---- with the lock */

/* All pairs that have not left have come. */
static void open_if_all(struct gate *g)
{
	if (!g->n_waits || g->n_waits + g->n_left < g->list->n)
		return;
	g->ticks = clock_ticks();
	g->opened++;
	g->n_waits = 0;
	memset(g->waits, 0, sizeof(g->waits));
	pthread_cond_broadcast(&g->woken);
}

/* The first reason counts. */
static void cancel(struct gate *g, int rc, const char *reason)
{
	if (g->cancelled)
		return;
	g->cancelled = rc;
	snprintf(g->reason, sizeof(g->reason), "%s", reason);
	pthread_cond_broadcast(&g->woken);
}

/* Returns when it was woken, at until_ns, or after a short time. */
static void sleep_until(struct gate *g, uint64_t until_ns)
{
	const uint64_t now_ns = clock_ns();
	const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += (long)(left_ns < LOOK_NS ? left_ns : LOOK_NS);
	at.tv_sec += at.tv_nsec / SECOND_NS;
	at.tv_nsec %= SECOND_NS;
	pthread_cond_timedwait(&g->woken, &g->lock, &at);
}

/* Names the first pair that has not come. */
static int be_late(struct gate *g, uint32_t pair, uint64_t waited_ns)
{
	const struct pairs_one *pairs = g->list->pairs;
	char text[ERR_TEXT_MAX];
	uint32_t i = 0;

	while (i < g->list->n && (g->waits[i] || g->left[i]))
		i++;
	snprintf(text, sizeof(text),
		 "pair %s was not ready within %.1f s of pair %s (--stall-timeout)",
		 i < g->list->n ? pairs[i].name : "?", (double)waited_ns / 1e9, pairs[pair].name);
	cancel(g, -ECANCELED, text);
	return err_set(-ETIMEDOUT, "%s", text);
}

static int wait_for_all(struct gate *g, uint32_t pair, uint64_t until_ns, int stop_fd)
{
	const uint64_t since_ns = clock_ns(), opened = g->opened;
	struct pollfd stop = { .fd = stop_fd, .events = POLLIN };
	int rc = 0;

	g->waits[pair] = true;
	g->n_waits++;
	open_if_all(g);
	while (g->opened == opened && !rc) {
		if (g->cancelled)
			rc = err_set(g->cancelled, "%s", g->reason);
		else if (poll(&stop, 1, 0) > 0)
			rc = err_set(-EINTR, "interrupted while waiting for the other pairs");
		else if (clock_ns() >= until_ns)
			rc = be_late(g, pair, clock_ns() - since_ns);
		else
			sleep_until(g, until_ns);
	}
	if (rc) {
		g->waits[pair] = false;
		g->n_waits--;
	}
	return rc;
}

/* ---- what pairs call */

int gate_meet(struct gate *g, uint32_t pair, uint64_t until_ns, int stop_fd, uint64_t *ticks)
{
	int rc;

	pthread_mutex_lock(&g->lock);
	rc = g->cancelled ? err_set(g->cancelled, "%s", g->reason) :
			    wait_for_all(g, pair, until_ns, stop_fd);
	if (!rc)
		*ticks = g->ticks;
	pthread_mutex_unlock(&g->lock);
	return rc;
}

void gate_leave(struct gate *g, uint32_t pair, enum gate_exit how, const char *reason)
{
	char text[ERR_TEXT_MAX];

	pthread_mutex_lock(&g->lock);
	g->n_left += !g->left[pair];
	g->left[pair] = true;
	if (how == GATE_DONE) {
		open_if_all(g);
	} else {
		snprintf(text, sizeof(text), "pair %s: %.400s", g->list->pairs[pair].name, reason);
		cancel(g, how == GATE_REFUSED ? -EINVAL : -ECANCELED, text);
	}
	if (g->n_left == g->list->n)
		pthread_cond_broadcast(&g->woken);
	pthread_mutex_unlock(&g->lock);
}

bool gate_all_left(struct gate *g, uint64_t until_ns)
{
	bool all;

	pthread_mutex_lock(&g->lock);
	while (!(all = g->n_left == g->list->n) && clock_ns() < until_ns)
		sleep_until(g, until_ns);
	pthread_mutex_unlock(&g->lock);
	return all;
}

/* ---- before and after */

void gate_reset(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->n_waits = g->n_left = 0;
	memset(g->waits, 0, sizeof(g->waits));
	memset(g->left, 0, sizeof(g->left));
	g->cancelled = 0;
	pthread_mutex_unlock(&g->lock);
}

void gate_open(struct gate *g, const struct pairs_list *list)
{
	pthread_condattr_t clock;

	*g = (struct gate){ .list = list };
	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&g->woken, &clock);
	pthread_condattr_destroy(&clock);
}

void gate_close(struct gate *g)
{
	pthread_cond_destroy(&g->woken);
	pthread_mutex_destroy(&g->lock);
}
