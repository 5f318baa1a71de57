/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the options that only the drop-in programs have: see dropin_own.h. Called by
 * dropin_options.c.
 */
#include "config.h"
#include "perftest/dropin_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define FOREVER_S 5u /* -D of --run_infinitely without -D: DEF_DURATION */

enum own {
	OWN_NO_PEAK, OWN_FOREVER, OWN_WAIT_DESTROY, OWN_LIMIT_BW, OWN_LIMIT_MSGRATE, OWN_GBITS,
	OWN_REPORT_BOTH, OWN_CPU_UTIL, OWN_JSON, OWN_JSON_PATH, OWN_OUTPUT, OWN_COUNT
};

static const char *const names[OWN_COUNT] = {
	[OWN_NO_PEAK] = "noPeak",
	[OWN_FOREVER] = "run_infinitely",
	[OWN_WAIT_DESTROY] = "wait_destroy",
	[OWN_LIMIT_BW] = "limit_bw",
	[OWN_LIMIT_MSGRATE] = "limit_msgrate",
	[OWN_GBITS] = "report_gbits",
	[OWN_REPORT_BOTH] = "report-both",
	[OWN_CPU_UTIL] = "cpu_util",
	[OWN_JSON] = "out_json",
	[OWN_JSON_PATH] = "out_json_file",
	[OWN_OUTPUT] = "output",
};

static enum own find(const struct perftest_option *option)
{
	uint32_t i = 0;

	while (i < OWN_COUNT && strcmp(names[i], option->name))
		i++;
	return (enum own)i;
}

bool dropin_own_known(const struct perftest_option *option)
{
	return option->drop != PERFTEST_OWN || find(option) != OWN_COUNT;
}

static int read_real(const struct perftest_option *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= 0))
		return err_set(-EINVAL, "--%s %s: should be a number that is not negative", option->name, text);
	return 0;
}

/* Which figure is printed alone. */
static int read_output(struct dropin *d, const char *text)
{
	const bool stream = kind_pattern(d->cfg.test) == PATTERN_STREAM;

	d->output = !strcmp(text, "bandwidth")	  ? DROPIN_BANDWIDTH :
		    !strcmp(text, "message_rate") ? DROPIN_MESSAGE_RATE :
						    DROPIN_LATENCY;
	if (stream != (d->output != DROPIN_LATENCY))
		return err_set(-EINVAL, "--output=%s: not in %s", text, d->program);
	return 0;
}

int dropin_own(struct dropin *d, const struct perftest_option *option, const char *text,
	       uint64_t number)
{
	switch (find(option)) {
	case OWN_NO_PEAK:
		d->no_peak = true;
		return 0;
	case OWN_FOREVER:
		d->forever = true;
		return 0;
	case OWN_WAIT_DESTROY:
		d->wait_destroy_s = (uint32_t)number;
		return 0;
	case OWN_LIMIT_BW:
		return read_real(option, text, &d->limit_bw);
	case OWN_LIMIT_MSGRATE:
		return read_real(option, text, &d->limit_msgrate);
	case OWN_GBITS:
		d->gbits = true;
		return 0;
	case OWN_REPORT_BOTH:
		d->report_both = true;
		return 0;
	case OWN_CPU_UTIL:
		d->cpu_util = true;
		return 0;
	case OWN_JSON:
		d->json = true;
		return 0;
	case OWN_JSON_PATH:
		d->json_path = text;
		return 0;
	case OWN_OUTPUT:
		return read_output(d, text);
	default:
		return err_set(-EINVAL, "--%s: %s", option->name, option->help);
	}
}

int dropin_own_rules(struct dropin *d)
{
	if (d->forever && d->cfg.all_sizes)
		return err_set(-EINVAL, "--run_infinitely: not with -a");
	if (d->forever) {
		d->cfg.interval_ms = d->cfg.duration_ms == CFG_AUTO ? FOREVER_S * 1000 :
								       d->cfg.duration_ms;
		d->cfg.duration_ms = CFG_FOREVER;
		d->cfg.messages = CFG_AUTO64;
		d->cfg.given.messages = false;
	}
	return 0;
}
