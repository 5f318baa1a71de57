/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how a server is stopped, reloaded and ended; see serve_life.h. Called by serve.c. */
#include "config.h"
#include "serve/serve_life.h"

#include <stdbool.h>

#include "serve/serve_processes.h"
#include "serve/serve_reload.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"

#define MS_NS UINT64_C(1000000)
#define STOP_GRACE_MS 10000u   /* beyond the stall timeout: finish, report, abort */

void serve_life_open(struct serve *s)
{
	notify_open(&s->life.notify);
	s->life.ask_ns = UINT64_MAX;
	s->life.idle_ns = clock_ns();
}

void serve_life_ready(struct serve *s)
{
	notify_send(&s->life.notify, "READY=1");
}

void serve_life_close(struct serve *s)
{
	notify_close(&s->life.notify);
}

/* Sessions may go on for --drain-time; then they are asked, and have time to report. */
static void begin_stop(struct serve *s, uint64_t now_ns)
{
	s->life.stopped_ns = now_ns;
	s->life.ask_ns = now_ns + s->cfg->drain_ms * MS_NS;
	s->stop_by_ns = s->life.ask_ns + (s->cfg->stall_timeout_ms + STOP_GRACE_MS) * MS_NS;
	s->account.stopping = true;
	serve_listen_close(&s->listen);
	notify_send(&s->life.notify, "STOPPING=1");
	if (s->cfg->drain_ms && s->n)
		log_note("stopping: sessions have %g s to end", s->cfg->drain_ms / 1e3);
}

/* A wish to stop that comes again: not the twin of the first one. */
static void stop(struct serve *s, uint64_t now_ns)
{
	if (!s->life.stopped_ns)
		begin_stop(s, now_ns);
	else if (now_ns - s->life.stopped_ns >= SIGNALS_TWIN_MS * MS_NS &&
		 s->how_many == SERVE_MANY)
		s->over = true;
}

/* Is there anything that can be read again? Else a hang-up is what it is: the terminal is gone. */
static bool reloads(const struct serve *s)
{
	return s->how_many == SERVE_MANY &&
	       (s->life.notify.fd >= 0 || s->account.audit.fd >= 0 || s->tls ||
		(s->source && s->source->file->found));
}

static void reload(struct serve *s)
{
	int rc;

	notify_reloading(&s->life.notify);
	rc = serve_reload(s);
	if (rc)
		log_error("reload: %s; the server goes on as before", err_text());
	else
		log_note("reloaded");
	notify_send(&s->life.notify, "READY=1");
}

void serve_life_signals(struct serve *s)
{
	const unsigned int came = signals_take();
	const uint64_t now_ns = clock_ns();

	if (came & SIGNALS_HANGUP && reloads(s) && !s->life.stopped_ns)
		reload(s);
	if (came & SIGNALS_STOP || (came & SIGNALS_HANGUP && !reloads(s)))
		stop(s, now_ns);
}

static uint64_t idle_until(struct serve *s, uint64_t now_ns)
{
	if (s->n)
		s->life.idle_ns = now_ns;
	if (s->cfg->idle_exit_ms == CFG_AUTO || s->life.stopped_ns || s->how_many != SERVE_MANY)
		return UINT64_MAX;
	return s->life.idle_ns + s->cfg->idle_exit_ms * MS_NS;
}

uint64_t serve_life_due(struct serve *s)
{
	const uint64_t now_ns = clock_ns();
	uint64_t next_ns = notify_alive(&s->life.notify, now_ns);

	if (now_ns >= s->life.ask_ns) {
		s->life.ask_ns = UINT64_MAX;
		serve_processes_stop(s);
	}
	if (now_ns >= idle_until(s, now_ns)) {
		log_note("nobody has been connected for %g s: the end", s->cfg->idle_exit_ms / 1e3);
		begin_stop(s, now_ns);
	}
	next_ns = min_u64(next_ns, s->life.ask_ns);
	return min_u64(next_ns, idle_until(s, now_ns));
}
