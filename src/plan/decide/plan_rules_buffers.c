/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Options that cannot be combined with where the buffers of a side are, or with messages without
 * payload. Changes no value.
 */
#include "config.h"
#include "decide/plan.h"

#include <errno.h>

#include "util/err.h"

/* Does the CPU write and poll the last byte of the payload? As plan_marks_payload(). */
static bool marks_payload(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	return kind_pattern(cfg->test, kind.op) == PATTERN_PINGPONG && !kind_has_imm(kind.op) &&
	       (kind_is_silent(kind.op) || kind_is_lossy(kind.tp));
}

/* The buffers of a side, and what that side does. */
struct memory {
	enum side side;
	enum buffers_kind kind, other; /* other: of the other side */
	const char *option, *name;
	enum role role, other_role;
};

static struct memory memory_of(const struct cfg *cfg, enum side side)
{
	const enum side other = kind_other_side(side);
	const enum buffers_kind kind = cfg_buffers(cfg, side);
	const bool peers = kind != cfg_buffers(cfg, SIDE_CLIENT);

	return (struct memory){
		.side = side, .kind = kind, .other = cfg_buffers(cfg, other),
		.option = peers ? "--peer-buffers" : "--buffers", .name = choices_buffers[kind],
		.role = plan_role(cfg, side), .other_role = plan_role(cfg, other),
	};
}

/* A zero-based region, and a window, which is the target's. */
static int rules_scarce(const struct cfg *cfg, const struct memory *m)
{
	if (cfg->mw != MW_NONE && role_sends(m->other_role))
		return err_refuse(m->option, "allowed: none",
				  "%s with --mw %s: no window is bound over a zero-based region",
				  m->name, choices_mw[cfg->mw]);
	if (cfg->flush != FLUSH_NONE && role_sends(m->other_role))
		return err_refuse(m->option, "allowed: host, odp",
				  "%s with --flush: device memory grants no flush", m->name);
	if (cfg->regions)
		return err_option(-EINVAL, "--regions",
				  "and %s %s exclude each other: a zero-based region has addresses of its own",
				  m->option, m->name);
	return 0;
}

/* The memory has no address for the CPU, which cannot access the payload. */
static int rules_no_cpu(const struct cfg *cfg, const struct memory *m)
{
	const char *noun = choices_buffers_noun(m->kind);

	if (marks_payload(cfg))
		return err_set(-EINVAL, "%s %s on %s over %s without --imm: the CPU watches the last byte of the payload, and %s has no address for it; add --imm, or use host or odp",
			       m->option, m->name, kind_test_names[cfg->test],
			       kind_transport_names[cfg->transport], noun);
	if (kind_is_store(cfg_kind(cfg).op) && role_has_loop(m->role))
		return err_set(-EINVAL, "%s %s with --atomic write: the CPU reads its 8 bytes when it posts them, and %s has no address for it; use host or odp",
			       m->option, m->name, noun);
	if (cfg->inline_bytes && cfg->inline_bytes != CFG_AUTO && role_sends(m->role))
		return err_refuse(m->option, "allowed: 0, auto",
				  "%s with -I (--inline) %u: the CPU copies inline data, and %s has no address for it",
				  m->name, cfg->inline_bytes, noun);
	if (cfg->hugepages == HUGEPAGES_ON && choices_buffers_can(m->kind, BUFFERS_OFF_HOST))
		return err_refuse(m->option, "allowed: off, auto",
				  "%s with --hugepages on: %s has no pages of the host", m->name,
				  noun);
	return choices_buffers_can(m->kind, BUFFERS_SCARCE) ? rules_scarce(cfg, m) : 0;
}

/* Requests send zeros, and what arrives is dropped: ibv_alloc_null_mr(3). */
static int rules_null(const struct cfg *cfg, const struct memory *m)
{
	if (cfg->verify)
		return err_set(-EINVAL, "%s null and --verify exclude each other: null memory sends zeros, and keeps nothing that could be compared",
			       m->option);
	if (kind_is_atomic(cfg_kind(cfg).op))
		return err_set(-EINVAL, "%s null on %s: an atomic sends no payload, and its result of 8 bytes is all that would be dropped",
			       m->option, kind_test_names[cfg->test]);
	if (!role_has_loop(m->role) && m->other != BUFFERS_NULL)
		return err_set(-EINVAL, "%s null has no effect on %s: the %s is the target, and what the other side addresses is memory of the host",
			       m->option, kind_test_names[cfg->test], kind_side_names[m->side]);
	return 0;
}

/* Messages without payload, when the loops use the payload or its length. */
static int rules_empty(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	if (marks_payload(cfg))
		return err_option(-EINVAL, "-s (--size)",
				  "0 on %s over %s without --imm: the last byte of the payload counts the rounds; add --imm",
				  kind_test_names[cfg->test], kind_transport_names[kind.tp]);
	if (cfg->bidir && kind_takes_recv(kind.op))
		return err_option(-EINVAL, "-s (--size)",
				  "0 with -b (--both) on %s: a message without payload cannot be told from a credit message of the other direction",
				  kind_test_names[cfg->test]);
	return 0;
}

int plan_rules_buffers(const struct cfg *cfg)
{
	if (cfg->mw != MW_NONE && cfg->regions > 1)
		return err_refuse("--regions", "allowed: 0, 1",
				  "%u with --mw %s: a window is over one region", cfg->regions,
				  choices_mw[cfg->mw]);
	for (enum side side = 0; side < SIDE_COUNT; side++) {
		const struct memory m = memory_of(cfg, side);

		if ((!choices_buffers_can(m.kind, BUFFERS_CPU) && rules_no_cpu(cfg, &m)) ||
		    (m.kind == BUFFERS_NULL && rules_null(cfg, &m)))
			return -EINVAL;
	}
	return cfg->size_bytes ? 0 : rules_empty(cfg);
}
