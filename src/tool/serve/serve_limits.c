/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the limits of all sessions together; see serve_state.h. */
#include "config.h"
#include "serve/serve_state.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/access.h"
#include "agree/agree.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"

#define HOUR_MS 3600000u
#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)
#define SLACK_NS SECOND_NS /* a point of just the allowed time ends by itself */
#define GRACE_NS (6 * SECOND_NS) /* a session that is asked to end has this time */
#define BYTES_PER_MS 100000u /* 100 MB/s, as in point/point.c */

/* What is not given, for many clients, and for the one that somebody waits for. */
static const struct {
	size_t off;
	uint32_t many, one;
} auto_times[] = {
	{ offsetof(struct cfg, max_session_ms), 24 * HOUR_MS, CFG_AUTO },
	{ offsetof(struct cfg, max_point_ms), HOUR_MS, 7 * 24 * HOUR_MS },
	{ offsetof(struct cfg, max_stall_ms), HOUR_MS / 12, HOUR_MS },
	{ offsetof(struct cfg, max_idle_ms), HOUR_MS / 12, HOUR_MS },
};

struct rlimit serve_limits_descriptors(void)
{
	struct rlimit files = { .rlim_cur = FD_SETSIZE, .rlim_max = FD_SETSIZE };

	/* no error is possible, nor is there in setrlimit(2) of what is allowed */
	(void)!getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = max_u64(files.rlim_cur, min_u64(FD_SETSIZE, files.rlim_max));
	return files;
}

uint32_t serve_limits_new(const struct cfg *cfg)
{
	return max_u32(SERVE_MAX_NEW, cfg->max_sessions);
}

/* Descriptors of all connections that the server's process may have, and of all else. */
static int make_room(const struct cfg *cfg)
{
	const uint32_t needed = cfg->max_sessions + serve_limits_new(cfg) + SERVE_MAX_OTHER;
	struct rlimit files = serve_limits_descriptors();

	/* the hard limit stays, also for root: whoever set it meant it */
	if (files.rlim_max < needed)
		return err_set(-EINVAL, "--max-sessions %u needs %u descriptors, and the hard limit is %" PRIu64 ": raise that (ulimit -n, LimitNOFILE= of a unit)",
			       cfg->max_sessions, needed, (uint64_t)files.rlim_max);
	files.rlim_cur = max_u64(files.rlim_cur, needed);
	(void)!setrlimit(RLIMIT_NOFILE, &files);
	return 0;
}

int serve_limits_fill(struct cfg *cfg, enum serve_for how_many)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint32_t bits;
	int rc;

	if (cfg->config && how_many != SERVE_MANY)
		return err_set(-EINVAL, "--config is an option of \"verbench serve\"");
	for (size_t i = 0; i < sizeof(auto_times) / sizeof(auto_times[0]); i++) {
		uint32_t *ms = (void *)((char *)cfg + auto_times[i].off);

		if (*ms == CFG_AUTO)
			*ms = how_many == SERVE_MANY ? auto_times[i].many : auto_times[i].one;
	}
	if (!cfg->given.max_idle_ms)
		cfg->max_idle_ms = cfg->max_stall_ms;
	if (cfg->max_total_memory == CFG_AUTO64 && how_many == SERVE_MANY && pages > 0)
		cfg->max_total_memory = (uint64_t)pages * (uint64_t)page_bytes / 2;
	rc = owner_may(cfg->clients_may, &bits);
	return rc ? rc : make_room(cfg);
}

uint32_t serve_limits_sessions(const struct serve *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->children[i].state == SERVE_CHILD_CLIENT;
	return n;
}

/* Sessions that began within the last second are counted as if they came evenly. */
static bool over_rate(struct serve *s, uint64_t now_ns)
{
	const uint64_t each_ns = SECOND_NS / s->cfg->max_session_rate;

	/* rate_ns: when the sessions so far would have ended, one after the other */
	s->rate_ns = max_u64(s->rate_ns, now_ns);
	if (s->rate_ns - now_ns > SECOND_NS - each_ns)
		return true;
	s->rate_ns += each_ns;
	return false;
}

/* A key that has a name stands for its owner, wherever the owner's hosts are. */
static bool same_client(const struct serve_process *a, const struct serve_process *b)
{
	if (a->entry.key[0] || b->entry.key[0])
		return !strcmp(a->entry.key, b->entry.key);
	return flood_same(a->host, b->host);
}

static void tell_busy(const struct serve_process *c, uint32_t n, char *why, size_t size)
{
	if (c->entry.key[0])
		snprintf(why, size, "busy: %u sessions with the key %s are running (--max-sessions-per-host of the server's owner), try again",
			 n, c->entry.key);
	else
		snprintf(why, size, "busy: %u sessions of this host are running (--max-sessions-per-host of the server's owner; an IPv6 host counts by its /64, each user of the server's own host as a host), try again",
			 n);
}

bool serve_limits_admit(struct serve *s, struct serve_process *c, char *why, size_t size)
{
	const struct cfg *cfg = s->cfg;
	const uint64_t now_ns = clock_ns();
	const uint32_t n = serve_limits_sessions(s);
	uint32_t of_client = 0;

	for (uint32_t i = 0; i < s->n; i++)
		of_client += s->children[i].state == SERVE_CHILD_CLIENT &&
			     same_client(&s->children[i], c);
	if (n >= cfg->max_sessions)
		snprintf(why, size, "busy: %u sessions are running (--max-sessions of the server's owner), try again",
			 n);
	else if (of_client >= cfg->max_sessions_per_host)
		tell_busy(c, of_client, why, size);
	else if (over_rate(s, now_ns))
		snprintf(why, size, "busy: %u sessions began within one second (--max-session-rate of the server's owner), try again",
			 cfg->max_session_rate);
	else
		c->began_ns = now_ns;
	c->session_ms = cfg->max_session_ms;
	c->point_ms = cfg->max_point_ms;
	c->idle_ms = cfg->max_idle_ms;
	c->stall_ms = cfg->max_stall_ms;
	return c->began_ns;
}

bool serve_limits_memory(struct serve *s, struct serve_process *c, uint64_t bytes, char *why,
			 size_t size)
{
	const uint64_t most = s->cfg->max_total_memory;
	uint64_t all = 0;

	for (uint32_t i = 0; i < s->n; i++)
		all += s->children[i].bytes;
	all -= c->bytes;
	if (bytes > c->bytes && (bytes > most || all > most - bytes)) {
		snprintf(why, size, "--max-total-memory %" PRIu64 " of the server's owner: the test asks for %" PRIu64 ", and other sessions have %" PRIu64,
			 most, bytes, all);
		return false;
	}
	c->bytes = bytes;
	return true;
}

/* since_ns 0: it has not begun. */
static uint64_t end_of(uint64_t since_ns, uint32_t ms)
{
	if (!since_ns || ms == CFG_AUTO)
		return UINT64_MAX;
	return since_ns + ms * MS_NS;
}

/*
 * Between two points a session tells each second that it lives, but not while one call of the
 * kernel registers its memory.
 */
static uint64_t silent_ms(const struct serve_process *c)
{
	return c->idle_ms + 2ull * c->stall_ms + c->bytes / BYTES_PER_MS;
}

/* When it is over a time, and which. */
static uint64_t end_of_all(const struct serve_process *c, enum serve_limit *which)
{
	const uint64_t ends[] = {
		[SERVE_LIMIT_SESSION] = end_of(c->began_ns, c->session_ms),
		[SERVE_LIMIT_POINT] = end_of(c->point_ns ? c->point_ns + SLACK_NS : 0, c->point_ms),
		[SERVE_LIMIT_SILENT] = c->began_ns && !c->point_ns ?
					       max_u64(c->began_ns, c->heard_ns) +
						       silent_ms(c) * MS_NS : UINT64_MAX,
	};

	*which = SERVE_LIMIT_SESSION;
	for (enum serve_limit i = SERVE_LIMIT_POINT; i <= SERVE_LIMIT_SILENT; i++)
		if (ends[i] < ends[*which])
			*which = i;
	return ends[*which];
}

uint64_t serve_limits_until(const struct serve_process *c)
{
	enum serve_limit which;

	if (c->asked_ns)
		return c->asked_ns + GRACE_NS;
	return end_of_all(c, &which);
}

static void tell_limit(const struct serve_process *c, char *why, size_t size)
{
	const bool point = c->over == SERVE_LIMIT_POINT;

	if (c->over == SERVE_LIMIT_KEY)
		snprintf(why, size, "the key%s%s was revoked", c->entry.key[0] ? " " : "",
			 c->entry.key);
	else if (c->over == SERVE_LIMIT_SILENT)
		snprintf(why, size, "--max-idle %.15gs and twice --max-stall %.15gs of the server's owner, without a sign of life between two points",
			 c->idle_ms / 1e3, c->stall_ms / 1e3);
	else
		snprintf(why, size, "%s %.15gs of the server's owner is over",
			 point ? "--max-point-time" : "--max-session-time",
			 (point ? c->point_ms : c->session_ms) / 1e3);
}

static void ask_to_end(struct serve_process *c, enum serve_limit over)
{
	struct serve_message m = { .kind = SERVE_STOP };

	c->over = over;
	c->asked_ns = clock_ns();
	tell_limit(c, m.text, sizeof(m.text));
	/* a child that is gone needs no reason */
	(void)!send(c->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT);
	kill(c->pid, SIGNALS_ASK);
}

bool serve_limits_late(struct serve_process *c)
{
	char why[ERR_TEXT_MAX];
	enum serve_limit over;

	if (!c->asked_ns) {
		end_of_all(c, &over);
		ask_to_end(c, over);
		return true;
	}
	tell_limit(c, why, sizeof(why));
	log_error("the session with %s is killed: %s", c->peer, why);
	account_decide(&c->entry, AUDIT_KILLED, why);
	return false;
}

void serve_limits_keys(struct serve *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct serve_process *c = &s->children[i];

		if (c->state != SERVE_CHILD_CLIENT || c->gone || !c->keyed || !s->tls ||
		    ctl_tls_name(s->tls, c->key) || (c->asked_ns && c->over == SERVE_LIMIT_KEY))
			continue;
		ask_to_end(c, SERVE_LIMIT_KEY);
		log_note("the session with %s is asked to end: its key%s%s was revoked", c->peer,
			 c->entry.key[0] ? " " : "", c->entry.key);
	}
}
