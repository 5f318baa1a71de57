/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the list of the figures of selftest, and their verdicts. */
#include "config.h"
#include "selftest/selftest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/field.h"

/* What the link does is known; a figure may differ from it by so much. */
struct known {
	const char *name, *unit;
	const char *args;        /* of the client */
	const char *link, *after; /* SOFTHCA_LINK: before and after the setting */
	double setting;
	int slower;              /* a slower link has more (1) or less (-1) of it; 0: no link */
	enum rows_column column;
	double truth, scale;     /* in the unit; of the column to the unit */
	double bound;            /* relative; 0: equal */
	const char *key;         /* of the record of the link, which is the truth; NULL: above */
};

static const struct known known[] = {
	{ "write, 64 KiB, polled, on 1 Gbit/s", "Gbit/s",
	  "write_bw -s 64k -D 2 -t 64", "bandwidth=", "M", 1000, -1,
	  ROWS_bandwidth_gbit_s, 1, 1, 0.005, NULL },
	{ "read, 64 KiB, polled, on 1 Gbit/s", "Gbit/s",
	  "read_bw -s 64k -D 2", "bandwidth=", "M", 1000, -1,
	  ROWS_bandwidth_gbit_s, 1, 1, 0.005, NULL },
	{ "send, 64 KiB, by events, on 1 Gbit/s", "Gbit/s",
	  "send_bw -e -s 64k -D 2 -t 64 -r 128", "bandwidth=", "M", 1000, -1,
	  ROWS_bandwidth_gbit_s, 1, 1, 0.005, NULL },
	{ "read, p50 of round trips of 1 ms", "us",
	  "read_lat -n 2000", "delay=", "us", 500, 1,
	  ROWS_lat_p50_ns, 1000, 1e-3, 0.01, NULL },
	{ "send, p50 of half round trips of 1 ms", "us",
	  "send_lat -n 1000", "delay=", "us", 500, 1,
	  ROWS_lat_p50_ns, 500, 1e-3, 0.01, NULL },
	{ "send over UD, messages lost", "",
	  "send_bw -c UD -s 2048 -n 20000 --warm-up 0", "bandwidth=10G,loss=", "%", 2, 0,
	  ROWS_lost, NAN, 1, 0, "lost" },
};

uint32_t selftest_figures(void)
{
	return sizeof(known) / sizeof(known[0]);
}

#define COLUMN(f, ...) FIELD_AT(struct selftest_figure, f), .flags = FIELD_COLUMN, __VA_ARGS__

static const char *const verdict_names[] = { "ok", "wrong", "no_figure", NULL };

static const struct field columns[] = {
	{ "name", COLUMN(name) },
	{ "unit", COLUMN(unit) },
	{ "link", COLUMN(truth) },
	{ "reported", COLUMN(value) },
	{ "error", COLUMN(error) },
	{ "bound", COLUMN(bound) },
	{ "status", COLUMN(verdict, .names = verdict_names) },
	{ "warning_codes", COLUMN(codes) },
};

const struct field_table selftest_table = {
	.what = "figure", .rows = columns, .n = FIELD_COUNT(columns),
};

static enum selftest_verdict judge(const struct selftest_figure *f)
{
	if (isnan(f->error))
		return SELFTEST_NO_FIGURE;
	return fabs(f->error) <= f->bound ? SELFTEST_OK : SELFTEST_WRONG;
}

int selftest_figure(struct selftest_figure *f, uint32_t i, uint32_t inject)
{
	const struct known *k = &known[i];
	struct selftest_pair p = { .args = k->args, .column = k->column };
	int rc;

	snprintf(p.link, sizeof(p.link), "%s%g%s", k->link,
		 k->setting * (1 + k->slower * (double)inject / 100), k->after);
	rc = selftest_pair(&p, k->key);
	if (rc)
		return rc;
	*f = (struct selftest_figure){
		.truth = k->key ? p.link_value : k->truth, .value = p.value * k->scale,
		.bound = k->bound,
	};
	f->error = k->bound > 0 ? f->value / f->truth - 1 : f->value - f->truth;
	f->verdict = judge(f);
	snprintf(f->name, sizeof(f->name), "%s", k->name);
	snprintf(f->unit, sizeof(f->unit), "%s", k->unit);
	snprintf(f->codes, sizeof(f->codes), "%s", p.codes);
	return 0;
}
