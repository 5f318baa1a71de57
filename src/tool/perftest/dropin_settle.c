/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what follows from all options of a perftest command line together: which of two wins, which
 * values others bound, and the defaults. Source: force_dependecies() in src/perftest_parameters.c.
 * What the devices bound is lowered when a plan is made (plan_lower()). Parses nothing.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "decide/plan.h"
#include "options/label.h"
#include "options/options.h"
#include "util/err.h"
#include "util/log.h"

#define MIN_PEAK_ITERS 20000u /* above it no peak is looked for */
#define FOREVER_S 5u          /* -D of --run_infinitely without -D: DEF_DURATION */
#define RX_DEPTH 512u         /* DEF_RX_SEND: as if it were not given */

/* What perftest does not pass on to rdma_cm. */
static int drop_with_cm(struct cfg *cfg)
{
	static const enum cfg_row rows[] = {
		CFG_ROW_sl, CFG_ROW_hop_limit, CFG_ROW_flow_label, CFG_ROW_pkey_index,
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !rc; i++) {
		const struct field *f = &options_table.rows[rows[i]];
		char typed[LABEL_MAX];

		if (!cfg->typed[rows[i]].word)
			continue;
		log_note("%s has no effect with -R, as in perftest: rdma_cm chooses it",
			 label_row(cfg, rows[i], typed));
		rc = f->def ? field_parse(f, cfg, f->def) : 0;
	}
	cfg->flow_label = NULL;
	return rc;
}

/* What two options of perftest mean together: one of them, where ours exclude each other. */
static int settle(struct dropin *d)
{
	struct cfg *cfg = &d->cfg;

	if (d->forever) {
		cfg->all_sizes = false;
		cfg->given.all_sizes = false;
	}
	if (cfg->all_sizes) {
		cfg->size_bytes = CFG_AUTO64;
		cfg->given.size_bytes = false;
	}
	if (cfg->duration_ms != CFG_AUTO && cfg->given.messages) {
		cfg->messages = CFG_AUTO64;
		cfg->given.messages = false;
	}
	if (d->numa[0] && cfg->typed[CFG_ROW_pin].word)
		return err_set(-EINVAL, "--numa_node and --pin_cores exclude each other, as in perftest");
	if (cfg->bidir)
		cfg->reverse = cfg->given.reverse = false;
	if (cfg->rdma_cm && drop_with_cm(cfg))
		return -EINVAL;
	if (!d->forever)
		return 0;
	cfg->interval_ms = cfg->duration_ms == CFG_AUTO ? FOREVER_S * 1000 : cfg->duration_ms;
	cfg->duration_ms = CFG_FOREVER;
	cfg->messages = CFG_AUTO64;
	cfg->given.messages = false;
	return 0;
}

/*
 * The target of a one-sided bandwidth test does not know what its client does, nor that of a
 * latency test that reads: perftest's ignores these options there, and scripts give it others.
 */
static void expect_less(struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);
	const bool passive = kind_takes_response(kind.op) ||
			     (kind_is_silent(kind.op) && cfg->test != TEST_WRITE_LAT);

	if (!passive || cfg->bidir || cfg->reverse)
		return;
	cfg->given.all_sizes = cfg->given.size_bytes = false;
	cfg->given.messages = cfg->given.duration_ms = false;
}

/*
 * What perftest does where its command line says nothing, as with --like perftest: counts, depths,
 * buffers. Values that the user has given stay.
 */
static void set_defaults(struct dropin *d)
{
	struct cfg *cfg = &d->cfg;

	/* each auto becomes perftest's default when a plan is made of it */
	cfg->like = LIKE_PERFTEST;
	cfg->lower = true;
	/* perftest binds no thread: two of its processes do not meet on one CPU */
	if (!cfg->typed[CFG_ROW_pin].word)
		cfg->pin = d->numa[0] ? d->numa : "none";
	/* with a duration the count is unknown */
	if (cfg->duration_ms != CFG_AUTO ||
	    (cfg->messages != CFG_AUTO64 && cfg->messages > MIN_PEAK_ITERS))
		d->no_peak = true;
}

static void lower(uint32_t *value, uint64_t most)
{
	if (*value != CFG_AUTO && *value > most)
		*value = (uint32_t)most;
}

/*
 * The depths that the count bounds, and what the depth bounds. perftest says nothing of it; the
 * lines of the settings show the values.
 */
static void lower_depths(struct cfg *cfg)
{
	struct cfg full = *cfg;

	if (!kind_takes_recv(cfg_kind(cfg).op) ||
	    (kind_is_lossy(cfg->transport) && cfg->recv_depth == RX_DEPTH))
		cfg->recv_depth = CFG_AUTO;
	plan_like_defaults(&full);
	lower(&cfg->depth, full.messages);
	lower(&cfg->recv_depth, full.messages);
	/* an odd depth of receives hangs perftest */
	if (cfg->recv_depth != CFG_AUTO && !cfg->all_sizes)
		cfg->recv_depth += cfg->recv_depth % 2;
	full = *cfg;
	plan_like_defaults(&full);
	lower(&cfg->signal_interval, full.depth);
}

/*
 * Only PP is what a device does by ibv_modify_qp_rate_limit(); there the limit is in kbit/s,
 * whatever --rate_units says. Without a type it is HW, the static rate of an address.
 */
static int settle_rate(struct dropin *d)
{
	const char *type = d->rate_type ? d->rate_type : "HW";

	if (d->rate_limit < 0)
		return 0;
	if (!strcmp(type, "SW"))
		return err_set(-EINVAL, "--rate_limit_type SW is not available; vb_* programs have --rate N, in messages per second");
	if (strcmp(type, "PP") != 0)
		return err_set(-EINVAL, "--rate_limit needs --rate_limit_type=PP, the pacing of the device; %s, the static rate of an address%s, is not available",
			       type, d->rate_type ? "" : " and the default");
	if (d->rate_limit > (double)UINT32_MAX || d->rate_limit != floor(d->rate_limit))
		return err_set(-EINVAL, "--rate_limit %.15g: with PP it is in kbit/s; allowed: whole numbers from 0 (no limit) to %u",
			       d->rate_limit, UINT32_MAX);
	if (d->rate_units)
		log_note("--rate_units has no effect with PP, as in perftest: kbit/s");
	d->cfg.qp_rate_bit_s = d->rate_limit > 0 ? (uint64_t)d->rate_limit * 1000 : CFG_AUTO64;
	return 0;
}

int dropin_settle(struct dropin *d)
{
	int rc = settle(d);

	if (!rc)
		rc = settle_rate(d);
	expect_less(&d->cfg);
	set_defaults(d);
	lower_depths(&d->cfg);
	return rc;
}
