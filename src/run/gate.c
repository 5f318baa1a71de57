/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the gate of several pairs; see gate.h. Called by pairs.c. Each pair sleeps on an eventfd of
 * its own, so that it can wait for the user's stop at the same time.
 */
#include "config.h"
#include "run/gate.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"

#define MS_NS 1000000u

struct gate_pair {
	const char *name;
	int wake_fd;
	bool waits, left;
};

struct gate {
	pthread_mutex_t lock;
	struct gate_pair *pairs;
	uint32_t n, n_waits, n_left;
	uint64_t opened;          /* how often it has opened */
	uint64_t ticks;           /* when it opened last */
	int cancelled;            /* -errno of those who wait, 0 */
	char reason[ERR_TEXT_MAX];
};

/* ---- waking; with the lock */

static void wake(const struct gate_pair *p)
{
	const uint64_t one = 1;

	/* fails only by overflow, and it is readable then */
	if (write(p->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static void wake_all(struct gate *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		wake(&g->pairs[i]);
}

/* Everybody who is still there has come. */
static void open_if_all(struct gate *g)
{
	if (!g->n_waits || g->n_waits + g->n_left < g->n)
		return;
	g->ticks = clock_ticks();
	g->opened++;
	g->n_waits = 0;
	for (uint32_t i = 0; i < g->n; i++)
		g->pairs[i].waits = false;
	wake_all(g);
}

/* The first reason counts. */
static void cancel(struct gate *g, int rc, const char *reason)
{
	if (g->cancelled)
		return;
	g->cancelled = rc;
	snprintf(g->reason, sizeof(g->reason), "%s", reason);
	wake_all(g);
}

/* ---- one pair waits */

/* Returns when it was woken, or has waited long enough. Takes what woke it. */
static int sleep_until(int wake_fd, int stop_fd, uint64_t until_ns)
{
	const uint64_t now = clock_ns();
	const uint64_t ms = until_ns > now ? (until_ns - now) / MS_NS + 1 : 0;
	struct pollfd fds[2] = { { .fd = wake_fd, .events = POLLIN },
				 { .fd = stop_fd, .events = POLLIN } };
	uint64_t word;

	if (poll(fds, 2, ms > INT32_MAX ? INT32_MAX : (int)ms) < 0 && errno != EINTR)
		return err_set(-errno, "cannot wait for the other pairs: %s", strerror(errno));
	if (fds[0].revents && read(wake_fd, &word, sizeof(word)) < 0)
		return err_set(-errno, "cannot wait for the other pairs: %s", strerror(errno));
	return !fds[0].revents && fds[1].revents ?
		       err_set(-EINTR, "interrupted while waiting for the other pairs") : 0;
}

/* With the lock: names the first pair that has not come. */
static int be_late(struct gate *g, uint32_t pair, uint64_t waited_ns)
{
	char text[ERR_TEXT_MAX];
	uint32_t i = 0;

	while (i < g->n && (g->pairs[i].waits || g->pairs[i].left))
		i++;
	snprintf(text, sizeof(text),
		 "pair %s was not ready within %.1f s of pair %s (--stall-timeout)",
		 i < g->n ? g->pairs[i].name : "?", (double)waited_ns / 1e9, g->pairs[pair].name);
	cancel(g, -ECANCELED, text);
	return err_set(-ETIMEDOUT, "%s", text);
}

/* With the lock: why the pair waits no longer; 1: it still does. */
static int outcome(struct gate *g, uint32_t pair, uint64_t opened, uint64_t *ticks)
{
	if (g->opened != opened) {
		*ticks = g->ticks;
		return 0;
	}
	if (g->cancelled) {
		g->pairs[pair].waits = false;
		g->n_waits--;
		return err_set(g->cancelled, "%s", g->reason);
	}
	return 1;
}

static int wait_for_all(struct gate *g, uint32_t pair, uint64_t until_ns, int stop_fd,
			uint64_t *ticks)
{
	const uint64_t since_ns = clock_ns(), opened = g->opened;
	int rc;

	g->pairs[pair].waits = true;
	g->n_waits++;
	open_if_all(g);
	while ((rc = outcome(g, pair, opened, ticks)) == 1) {
		int slept;

		if (clock_ns() >= until_ns)
			slept = be_late(g, pair, clock_ns() - since_ns);
		else {
			pthread_mutex_unlock(&g->lock);
			slept = sleep_until(g->pairs[pair].wake_fd, stop_fd, until_ns);
			pthread_mutex_lock(&g->lock);
		}
		/* it may have opened meanwhile: the others are gone on */
		if (slept && g->opened == opened) {
			g->pairs[pair].waits = false;
			g->n_waits--;
			return slept;
		}
	}
	return rc;
}

int gate_meet(struct gate *g, uint32_t pair, uint64_t until_ns, int stop_fd, uint64_t *ticks)
{
	int rc;

	pthread_mutex_lock(&g->lock);
	rc = g->cancelled ? err_set(g->cancelled, "%s", g->reason) :
			    wait_for_all(g, pair, until_ns, stop_fd, ticks);
	pthread_mutex_unlock(&g->lock);
	return rc;
}

/* ---- leaving */

void gate_leave(struct gate *g, uint32_t pair, enum gate_exit how, const char *reason)
{
	char text[ERR_TEXT_MAX];

	pthread_mutex_lock(&g->lock);
	if (!g->pairs[pair].left) {
		g->pairs[pair].left = true;
		g->n_left++;
	}
	if (how == GATE_DONE) {
		open_if_all(g);
	} else {
		snprintf(text, sizeof(text), "pair %s: %.400s", g->pairs[pair].name, reason);
		cancel(g, how == GATE_REFUSED ? -EINVAL : -ECANCELED, text);
	}
	if (g->n_left == g->n)
		wake_all(g);
	pthread_mutex_unlock(&g->lock);
}

bool gate_all_left(struct gate *g, uint32_t pair, uint64_t until_ns)
{
	bool all;
	int rc = 0;

	pthread_mutex_lock(&g->lock);
	while (!(all = g->n_left == g->n) && !rc && clock_ns() < until_ns) {
		pthread_mutex_unlock(&g->lock);
		rc = sleep_until(g->pairs[pair].wake_fd, -1, until_ns);
		pthread_mutex_lock(&g->lock);
	}
	pthread_mutex_unlock(&g->lock);
	return all;
}

/* ---- before and after */

void gate_reset(struct gate *g)
{
	uint64_t word;

	pthread_mutex_lock(&g->lock);
	g->n_waits = g->n_left = 0;
	g->cancelled = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		g->pairs[i].waits = g->pairs[i].left = false;
		/* a wake-up that nobody waited for: there may be none */
		if (read(g->pairs[i].wake_fd, &word, sizeof(word)) < 0)
			continue;
	}
	pthread_mutex_unlock(&g->lock);
}

int gate_open(struct gate **gate, const char *const *names, uint32_t n)
{
	struct gate *g = calloc(1, sizeof(*g));
	int rc = 0;

	*gate = NULL;
	if (g)
		g->pairs = calloc(n, sizeof(*g->pairs));
	if (!g || !g->pairs) {
		free(g);
		return err_set(-ENOMEM, "no memory for %u pairs", n);
	}
	pthread_mutex_init(&g->lock, NULL);
	for (uint32_t i = 0; i < n; i++) {
		g->pairs[i].name = names[i];
		g->pairs[i].wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (g->pairs[i].wake_fd < 0)
			rc = -errno;
	}
	g->n = n;
	if (rc) {
		gate_close(g);
		return err_set(rc, "cannot create an eventfd for each of %u pairs: %s", n,
			       strerror(-rc));
	}
	*gate = g;
	return 0;
}

void gate_close(struct gate *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->pairs[i].wake_fd >= 0)
			close(g->pairs[i].wake_fd);
	pthread_mutex_destroy(&g->lock);
	free(g->pairs);
	free(g);
}
