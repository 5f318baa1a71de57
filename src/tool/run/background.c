/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what --background asks for, and the leakage; see background.h. */
#include "config.h"
#include "run/background.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decide/plan.h"
#include "options/options.h"
#include "row/row_build.h"
#include "util/err.h"

const char *const background_names[BACKGROUND_PAIRS] = { "probe", "background" };

/* ---- SIZE[,OPCODE][,QPS] */

enum { SIZE, OPCODE, QPS, PARTS };

static const struct field parts[PARTS] = {
	[SIZE] = { FIELD_OF(struct background, size_bytes), .label = "--background: SIZE",
		   .flags = FIELD_SIZE, .min = 1, .max = 1ull << 31 },
	[OPCODE] = { FIELD_OF(struct background, family), .label = "--background: OPCODE",
		     .names = kind_bulk_names },
	[QPS] = { FIELD_OF(struct background, qps), .label = "--background: QPS",
		  .flags = FIELD_COUNT, .min = 1, .max = 16384 },
};

int background_parse(struct background *b, const char *text)
{
	const char *from = text;
	int next = SIZE, rc = 0;

	*b = (struct background){ .family = FAMILY_WRITE, .qps = 1 };
	for (bool more = true; more && !rc; next++) {
		const size_t len = strcspn(from, ",");
		char part[32];

		if (next == OPCODE && isdigit((unsigned char)*from))
			next = QPS;
		if (next == PARTS || len >= sizeof(part))
			return err_set(-EINVAL, "--background \"%s\": expected SIZE[,OPCODE][,QPS], such as 1M,write,4",
				       text);
		snprintf(part, sizeof(part), "%.*s", (int)len, from);
		rc = field_parse(&parts[next], b, part);
		more = from[len];
		from += len + more;
	}
	return rc;
}

/* ---- the options of the bulk traffic */

void background_cfg(const struct background *b, struct cfg *cfg)
{
	const struct cfg probe = *cfg;
	struct cfg all;

	/* no default of an option is wrong */
	(void)!field_defaults(&options_table, &all);
	/* the groups What, How much and How */
	for (enum cfg_row row = CFG_ROW_transport; row < CFG_ROW_mtu_bytes; row++) {
		const struct field *f = &options_table.rows[row];

		memcpy((char *)cfg + f->off, (const char *)&all + f->off, f->size);
		cfg->given.rows[row] = false;
	}
	cfg->transport = probe.transport;
	cfg->completion = probe.completion;
	/* the target of writes and reads has no completions */
	if (b->family == FAMILY_SEND)
		cfg->peer_completion = probe.peer_completion;
	cfg->spin_us = probe.spin_us;
	cfg->vector = probe.vector;
	cfg->migrate_after = CFG_AUTO;
	cfg->given.migrate_after = false;
	cfg->test = kind_stream_of(b->family);
	cfg->size_bytes = b->size_bytes;
	cfg->given.size_bytes = true;
	cfg->qps = b->qps;
	cfg->duration_ms = CFG_FOREVER;
	/* the probe waits for its first completion */
	cfg->warm_up = 0;
}

/* ---- what cannot be measured */

static int check_probe(const struct cfg *cfg)
{
	const struct {
		bool given;
		const char *what, *why;
	} others[] = {
		{ cfg->bidir, "-b (--both)", "bulk traffic and probe go one way" },
		{ cfg->reverse, "--reverse", "the bulk traffic goes to the server" },
		{ cfg->all_sizes, "-a (--all)", "use a list of sizes: each has a row alone" },
		{ cfg->duration_ms == CFG_FOREVER, "-D (--duration) forever",
		  "the bulk traffic runs until the probe ends" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return err_set(-EINVAL, "%s and --background exclude each other: %s",
				       others[i].what, others[i].why);
	if (!kind_test_is_lat(cfg->test) && cfg->rate_milli == CFG_AUTO64)
		return err_set(-EINVAL, "--background: %s without --rate has no response times; use a latency test, or --rate",
			       kind_test_names[cfg->test]);
	return 0;
}

int background_check(const struct background *b, const struct cfg *cfg)
{
	struct cfg bulk = *cfg;
	int rc = check_probe(cfg);

	if (rc)
		return rc;
	background_cfg(b, &bulk);
	rc = plan_rules(&bulk);
	return rc ? err_wrap(rc, "--background") : 0;
}

/* ---- rows */

void background_name(const struct background *b, struct row *row)
{
	row->background_qps = b ? b->qps : 0;
	if (!b)
		return;
	row->background_bytes = b->size_bytes;
	row->background_opcode = b->family;
}

static struct row_window window_of(const struct row *row)
{
	return (struct row_window){
		.start_ns = row->start_ns,
		.window_ns = row->window_ns == ROW_NONE ? 0 : row->window_ns,
		.slack_ns = row->start_slack_ns,
		/* without slack it is the client's clock; two sessions learn of the start apart */
		.clock = !row->start_slack_ns ? 0 : row->kind == ROW_KIND_BACKGROUND ? 1 : 2,
	};
}

void background_compare(struct row *beside, const struct row *alone, const struct row *bulk)
{
	const struct row_window windows[] = { window_of(beside), window_of(bulk) };
	const bool paced = !isnan(alone->rate_intended_per_s);
	struct row_windows_common c;

	beside->background_gbit_s = bulk->bandwidth_gbit_s;
	(void)row_windows_compare(&c, windows, 2);
	if (c.start_ns != UINT64_MAX && windows[0].window_ns)
		beside->windows_shared_pct =
			100 * fmin(1, (double)c.common_ns / (double)windows[0].window_ns);
	if (!(beside->windows_shared_pct >= ROW_WINDOWS_PERCENT) || beside->status != RESULT_OK ||
	    alone->status != RESULT_OK || bulk->status != RESULT_OK)
		return;
	beside->leakage_p50 = paced ? beside->response_p50_ns / alone->response_p50_ns :
				      beside->lat_p50_ns / alone->lat_p50_ns;
	beside->leakage_p99 = paced ? beside->response_p99_ns / alone->response_p99_ns :
				      beside->lat_p99_ns / alone->lat_p99_ns;
}
