/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What options may not be combined with: a flat list of condition and sentence, general to
 * specific, applied to the command line and to the plan message alike. Must not change a value,
 * and knows no device: what depends on one stands in plan.c.
 */
#include "config.h"
#include "config/opts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/err.h"
#include "plan/plan.h"
#include "host/topo.h"

/* "RC", "read_bw, read_lat": the names of the bits in mask. */
static const char *mask_text(uint32_t mask, const char *const *names, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (int i = 0; names[i] && len < size; i++) {
		if (mask >> i & 1)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
						names[i]);
	}
	return text;
}

static int check_effect(const struct cfg *cfg, const struct opt *o)
{
	char label[OPT_TEXT_MAX], list[OPT_TEXT_MAX];

	if (o->tests && !(o->tests >> cfg->test & 1))
		return err_set(-EINVAL, "%s has no effect on %s: it is for %s",
			       opt_label(o, label, sizeof(label)), kind_test_names[cfg->test],
			       mask_text(o->tests, kind_test_names, list, sizeof(list)));
	if (o->transports && !(o->transports >> cfg->transport & 1))
		return err_set(-EINVAL, "%s has no effect over %s: it is for %s",
			       opt_label(o, label, sizeof(label)),
			       kind_transport_names[cfg->transport],
			       mask_text(o->transports, kind_transport_names, list, sizeof(list)));
	return 0;
}

static bool is_given(opt_set given, const char *name)
{
	for (size_t i = 0; i < opts_count; i++) {
		if (given >> i & 1 && !strcmp(opts_table[i].name, name))
			return true;
	}
	return false;
}

/*
 * Pairs that say different things about the same, and options that need another to mean
 * anything.
 */
static int check_pairs(const struct cfg *cfg, opt_set given)
{
	static const char *const needs_recv[] = { "recv-depth", "rnr-retry", "min-rnr-timer" };
	struct kind kind = cfg_kind(cfg);

	if (is_given(given, "events") && is_given(given, "completion"))
		return err_set(-EINVAL, "-e (--events) is short for --completion event: it cannot "
			       "stand beside --completion %s",
			       kind_completion_names[cfg->completion]);
	if (is_given(given, "spin") && kind.cm != CM_HYBRID)
		return err_set(-EINVAL, "--spin is of --completion hybrid alone: \"%s\" %s",
			       kind_completion_names[kind.cm],
			       kind.cm == CM_POLL ? "never sleeps" : "sleeps at once");
	if (cfg->qps > 1 && kind_is_lossy(kind.tp) && kind_is_silent(kind.op) &&
	    kind_pattern((enum test)cfg->test) == PATTERN_PINGPONG)
		return err_set(-EINVAL, "-q (--qps) %u for write_lat over UC: after a lost write "
			       "the two sides would wait on different QPs; use --imm, or 1",
			       cfg->qps);
	if (is_given(given, "size") && is_given(given, "all"))
		return err_set(-EINVAL, "-s (--size) and -a (--all) exclude each other: one size "
			       "or all");
	if (is_given(given, "messages") && is_given(given, "duration"))
		return err_set(-EINVAL, "-n (--messages) and -D (--duration) exclude each other: a "
			       "run ends by count or by time");
	if (cfg->csv && cfg->json && !strcmp(cfg->csv, "-") && !strcmp(cfg->json, "-"))
		return err_set(-EINVAL, "--csv - and --json - exclude each other: standard output "
			       "can carry one of them");
	for (size_t i = 0; i < sizeof(needs_recv) / sizeof(needs_recv[0]); i++) {
		if (is_given(given, needs_recv[i]) && !kind_takes_recv(kind.op))
			return err_set(-EINVAL, "--%s has no effect on %s without --imm: a plain "
				       "write takes no receive at the target", needs_recv[i],
				       kind_test_names[cfg->test]);
	}
	if (cfg->inline_bytes != CFG_AUTO && cfg->size_bytes != CFG_AUTO64 && cfg->inline_bytes &&
	    cfg->inline_bytes < cfg->size_bytes)
		return err_set(-EINVAL, "-I (--inline) %u has no effect on messages of %" PRIu64
			       " bytes: none is that small", cfg->inline_bytes, cfg->size_bytes);
	return 0;
}

static int check_placement(const struct cfg *cfg)
{
	int rc = topo_spec_check_pin(cfg->pin, "--pin");

	if (!rc)
		rc = topo_spec_check_mem(cfg->mem, "--mem");
	if (!rc)
		rc = topo_spec_check_pin(cfg->peer_pin, "--peer-pin");
	return rc ? rc : topo_spec_check_mem(cfg->peer_mem, "--peer-mem");
}

int opts_rules(const struct cfg *cfg, opt_set given)
{
	const char *reason = kind_refusal((enum test)cfg->test, cfg_kind(cfg));
	const struct plan_room room = PLAN_NO_ROOM_LIMIT;
	struct plan plan;

	if (reason)
		return err_set(-EINVAL, "%s", reason);
	for (size_t i = 0; i < opts_count; i++) {
		int rc = given >> i & 1 ? check_effect(cfg, &opts_table[i]) : 0;

		if (rc)
			return rc;
	}
	if (check_pairs(cfg, given) || check_placement(cfg))
		return -EINVAL;
	return plan_loops(&plan, cfg, &room);
}
