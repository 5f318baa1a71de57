/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how many ignored connections the log has; see serve_ignored.h. */
#include "config.h"
#include "serve/serve_ignored.h"

#include <inttypes.h>

#include "util/clock.h"
#include "util/log.h"

#define IGNORED_LINES 10u      /* per IGNORED_NS; the others are only counted */
#define IGNORED_NS 60000000000u

void serve_ignored_flush(struct serve *s)
{
	if (s->ignored > IGNORED_LINES)
		log_note("ignored %" PRIu64 " more connections", s->ignored - IGNORED_LINES);
	s->ignored = 0;
}

void serve_ignored_log(struct serve *s, const char *peer, const char *reason)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - s->ignored_since_ns > IGNORED_NS) {
		serve_ignored_flush(s);
		s->ignored_since_ns = now_ns;
	}
	if (s->ignored++ < IGNORED_LINES)
		log_note("ignored a connection from %s: %s", peer, reason);
}
