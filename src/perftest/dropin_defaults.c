/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what perftest does where its command line says nothing: see dropin_options.h. The values are
 * those of --like perftest. Called by dropin_options.c.
 */
#include "config.h"
#include "perftest/dropin_options.h"

#define MIN_PEAK_ITERS 20000u /* above it no peak is looked for: force_dependecies() */

void dropin_defaults(struct dropin *d)
{
	struct cfg *cfg = &d->cfg;

	/* each auto becomes perftest's default when a plan is made of it */
	cfg->like = LIKE_PERFTEST;
	/* perftest binds no thread: two of its processes do not meet on one CPU */
	if (!cfg->typed[CFG_ROW_pin].word)
		cfg->pin = "none";
	/* with a duration the count is unknown */
	if (cfg->duration_ms != CFG_AUTO ||
	    (cfg->messages != CFG_AUTO64 && cfg->messages > MIN_PEAK_ITERS))
		d->no_peak = true;
}
