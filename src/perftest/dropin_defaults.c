/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns perftest's defaults: init_perftest_params() and force_dependecies() in
 * src/perftest_parameters.c. Called by dropin_options.c. What is not said here is chosen as for any
 * test of verbench: inline size of latency tests, retries.
 */
#include "config.h"
#include "perftest/dropin_options.h"

#include "util/minmax.h"

#define SIZE_BW 65536u
#define SIZE_LAT 2u
#define ITERS 1000u
#define ITERS_WRITE_BW 5000u
#define DEPTH_BW 128u
#define RECV_DEPTH 512u
#define RECV_DEPTH_LOSSY 16000u   /* over UC and UD a receive for each message, if possible */
#define CQ_MOD 100u
#define SIZE_SIGNAL_ALL 8192u     /* above it each request is signalled */
#define MIN_PEAK_ITERS 20000u     /* above it no peak is looked for */

/* Counts and sizes. */
static void set_amount(struct cfg *cfg, bool stream)
{
	/* over UD it is at most one MTU, which the plan knows */
	const bool fixed = kind_family(cfg->test) == FAMILY_ATOMIC || cfg->all_sizes;

	if (cfg->size_bytes == CFG_AUTO64 && !fixed && !kind_is_datagram(cfg->transport))
		cfg->size_bytes = stream ? SIZE_BW : SIZE_LAT;
	if (cfg->messages == CFG_AUTO64 && cfg->duration_ms == CFG_AUTO)
		cfg->messages = cfg->test == TEST_WRITE_BW ? ITERS_WRITE_BW : ITERS;
}

/* With -l one request of a list is signalled; large messages are signalled one by one. */
static uint32_t signal_interval(const struct cfg *cfg)
{
	const bool event = cfg->completion == CM_EVENT;

	if (cfg->post_list > 1)
		return cfg->post_list;
	if (cfg->size_bytes != CFG_AUTO64 && cfg->size_bytes > SIZE_SIGNAL_ALL && !event &&
	    !cfg->all_sizes)
		return 1;
	return min_u32(CQ_MOD, cfg->depth);
}

static void set_queues(struct cfg *cfg, uint64_t most)
{
	if (cfg->depth == CFG_AUTO)
		cfg->depth = (uint32_t)min_u64(max_u32(DEPTH_BW, cfg->post_list), most);
	if (cfg->signal_interval == CFG_AUTO)
		cfg->signal_interval = signal_interval(cfg);
}

static void set_receives(struct cfg *cfg, uint64_t most)
{
	const struct kind kind = cfg_kind(cfg);

	if (cfg->recv_depth != CFG_AUTO || !kind_takes_recv(kind.op))
		return;
	cfg->recv_depth = (uint32_t)min_u64(RECV_DEPTH, most);
	if (kind_is_lossy(kind.tp) && most != UINT64_MAX)
		cfg->recv_depth = (uint32_t)min_u64(RECV_DEPTH_LOSSY, most);
}

void dropin_defaults(struct dropin *d)
{
	struct cfg *cfg = &d->cfg;
	const bool stream = kind_pattern(cfg->test) == PATTERN_STREAM;
	uint64_t most;

	set_amount(cfg, stream);
	/* with a duration the count is unknown */
	most = cfg->messages == CFG_AUTO64 ? UINT64_MAX : cfg->messages;
	if (stream)
		set_queues(cfg, most);
	set_receives(cfg, most);
	/* one buffer: perftest's messages stay within a page, or use the same buffer */
	if (cfg->walk == WALK_AUTO)
		cfg->walk = WALK_SAME;
	if (cfg->locks == LOCKS_AUTO)
		cfg->locks = LOCKS_ON;
	if (cfg->duration_ms != CFG_AUTO || most > MIN_PEAK_ITERS)
		d->no_peak = true;
}
