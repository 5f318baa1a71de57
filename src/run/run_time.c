/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how long a cell takes. Called by run_cells.c and run_dry.c. Knows no device. */
#include "config.h"
#include "run/run_sweep.h"

#include <math.h>

#define CELL_NS 10e6         /* to agree on a plan */
#define POINT_NS 25e6        /* queue pairs, memory, threads, the overhead of the loop */
#define QP_NS 0.3e6          /* to make and to connect a queue pair more */
#define BUFFER_NS 4.0        /* to make and to register a byte of the buffers, on both sides, */
#define CACHED (8u << 20)    /* as long as they fit into caches, */
#define MEMORY_NS 10.0       /* and beyond it */
#define BUFFER_MAX (8u << 20) /* of a QP: plan/walk.c */
#define BUFFERS 128u
#define BYTE_NS 0.8          /* 10 Gbit/s: nobody knows the link yet */
#define MESSAGE_NS 1000.0
#define ROUND_NS 20000.0     /* of a latency test */
#define ALL_FIRST 2u         /* --all */
#define ALL_LAST (8u << 20)
#define MTU 4096u

static uint64_t size_of(const struct cfg *cfg)
{
	if (cfg->size_bytes != CFG_AUTO64)
		return cfg->size_bytes;
	if (kind_test_is_lat(cfg->test) || kind_is_atomic(cfg_kind(cfg).op))
		return 8;
	return kind_is_datagram(cfg->transport) ? MTU : 65536;
}

static double point_ns(const struct cfg *cfg, uint64_t size)
{
	const bool lat = kind_test_is_lat(cfg->test);
	const double messages = cfg->messages != CFG_AUTO64 ? (double)cfg->messages :
				lat ? 1000 : 5000;
	double ns = (double)size * BYTE_NS;

	if (cfg->duration_ms == CFG_FOREVER)
		return INFINITY;
	if (cfg->duration_ms != CFG_AUTO)
		return (double)cfg->duration_ms * 1e6;
	if (ns < (lat ? ROUND_NS : MESSAGE_NS))
		ns = lat ? ROUND_NS : MESSAGE_NS;
	return ns * messages * cfg->qps * cfg->threads;
}

static double footprint_ns(double bytes)
{
	if (bytes <= CACHED)
		return bytes * BUFFER_NS;
	return CACHED * BUFFER_NS + (bytes - CACHED) * MEMORY_NS;
}

/* All that is not the window: more with large messages, whose buffers are made for each point. */
static double around_ns(const struct cfg *cfg, uint64_t size)
{
	const double qps = (double)cfg->qps * cfg->threads;
	const uint64_t bytes = kind_test_is_lat(cfg->test) ? size : BUFFERS * size;

	return POINT_NS + qps * QP_NS +
	       (cfg->footprint_bytes != CFG_AUTO64 ?
			cfg->threads * footprint_ns((double)cfg->footprint_bytes) :
			qps * BUFFER_NS * (double)(bytes < BUFFER_MAX ? bytes : BUFFER_MAX));
}

double run_time_ns(const struct cfg *cfg, uint32_t *points, bool *exact)
{
	const uint64_t last = kind_is_datagram(cfg->transport) ? MTU : ALL_LAST;
	double ns = CELL_NS;

	*exact = cfg->duration_ms != CFG_AUTO;
	*points = 0;
	if (!cfg->all_sizes) {
		*points = 1;
		return ns + around_ns(cfg, size_of(cfg)) + point_ns(cfg, size_of(cfg));
	}
	for (uint64_t size = ALL_FIRST; size <= last; size *= 2) {
		ns += around_ns(cfg, size) + point_ns(cfg, size);
		++*points;
	}
	return ns;
}
