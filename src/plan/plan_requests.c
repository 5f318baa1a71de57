/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the options ask of each request and receive (--sge, --solicited, -s 0, --mw, --buffers):
 * which of them exclude each other, and whether the devices can do it. Called by plan_rules() and
 * plan_resolve(). Refuses, and changes nothing.
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <inttypes.h>

#include "util/err.h"

/* Does the CPU write and watch the last byte of the payload? As plan_marks_payload(). */
static bool marks_payload(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	return kind_pattern(cfg->test) == PATTERN_PINGPONG && !kind_has_imm(kind.op) &&
	       (kind_is_silent(kind.op) || kind_is_lossy(kind.tp));
}

/* Device memory has no address on this host: what the CPU does with the payload is impossible. */
static int rules_device(const struct cfg *cfg)
{
	if (marks_payload(cfg))
		return err_set(-EINVAL, "--buffers device on %s over %s without --imm: the CPU watches the last byte of the payload, and device memory has no address for it; add --imm, or use host or odp",
			       kind_test_names[cfg->test], kind_transport_names[cfg->transport]);
	if (cfg->inline_bytes && cfg->inline_bytes != CFG_AUTO)
		return err_set(-EINVAL, "--buffers device with -I (--inline) %u: the CPU copies inline data, and device memory has no address for it; allowed: 0, auto",
			       cfg->inline_bytes);
	if (cfg->mw != MW_NONE)
		return err_set(-EINVAL, "--buffers device with --mw %s: no window is bound over a zero-based region; allowed: none",
			       choices_mw[cfg->mw]);
	if (cfg->hugepages == HUGEPAGES_ON)
		return err_set(-EINVAL, "--buffers device with --hugepages on: device memory has no pages of the host; allowed: off, auto");
	return 0;
}

/* Messages without payload, where the loops look at the payload or at its length. */
static int rules_empty(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	if (marks_payload(cfg))
		return err_set(-EINVAL, "-s (--size) 0 on %s over %s without --imm: the last byte of the payload counts the rounds; add --imm",
			       kind_test_names[cfg->test], kind_transport_names[kind.tp]);
	if (cfg->bidir && kind_takes_recv(kind.op))
		return err_set(-EINVAL, "-s (--size) 0 with -b (--both) on %s: a message without payload cannot be told from a credit message of the other direction",
			       kind_test_names[cfg->test]);
	return 0;
}

/* ibv_req_notify_cq(3): solicited completions are those of receives. */
static int rules_solicited(const struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);

	if (kind.cm == CM_POLL)
		return err_set(-EINVAL, "--solicited has no effect with --completion poll, only with event and hybrid");
	if (!kind_takes_recv(kind.op))
		return err_set(-EINVAL, "--solicited has no effect on %s without --imm: a plain write makes no completion at the target",
			       kind_test_names[cfg->test]);
	if (kind_pattern(cfg->test) == PATTERN_PINGPONG && cfg->solicited > 1)
		return err_set(-EINVAL, "--solicited %u on %s: one message is under way, so each must wake the other side; allowed: 1",
			       cfg->solicited, kind_test_names[cfg->test]);
	return 0;
}

int plan_rules_requests(const struct cfg *cfg)
{
	if (cfg->sges > 1 && cfg->size_bytes != CFG_AUTO64 && cfg->size_bytes < cfg->sges)
		return err_set(-EINVAL,
			       "--sge %u with -s (--size) %" PRIu64 ": each piece has one byte at least",
			       cfg->sges, cfg->size_bytes);
	if (cfg->disturb != DISTURB_NONE && cfg->locks == LOCKS_OFF)
		return err_set(-EINVAL, "--disturb %s with --locks off: another thread uses the queues of the measuring thread, too; use --locks on or auto",
			       choices_disturb[cfg->disturb]);
	if (cfg->buffers == BUFFERS_DEVICE && rules_device(cfg))
		return -EINVAL;
	if (cfg->solicited != CFG_AUTO && rules_solicited(cfg))
		return -EINVAL;
	return cfg->size_bytes ? 0 : rules_empty(cfg);
}

static bool posts_pieces(const struct plan *plan, enum side side)
{
	return role_sends(plan->work.role[side]);
}

static bool receives_pieces(const struct plan *plan, enum side side)
{
	return kind_fills_recv(plan->work.kind.op) &&
	       role_sends(plan->work.role[kind_other_side(side)]);
}

static int check_sges_of(const struct plan *plan, const struct limits *lim, enum side side)
{
	const uint32_t sges = plan->work.sges;
	const bool reads = kind_access(plan->work.kind.op) == ACCESS_READ;
	const uint32_t most = reads ? lim->max_sge_rd : lim->max_sge;

	if (!posts_pieces(plan, side) && !receives_pieces(plan, side))
		return 0;
	if (sges > most)
		return err_set(-EINVAL, "--sge %u: %s of %s takes at most %u elements per %s (%s)",
			       sges, lim->device, lim->host, most,
			       reads ? "read" : "request or receive",
			       reads ? "max_sge_rd" : "max_sge");
	if (sges > 1 && plan->work.post_api == APIS_POST_WR && !lim->sge_setters &&
	    posts_pieces(plan, side))
		return err_set(-EINVAL,
			       "--sge %u with --post-api wr on %s of %s (driver %s): ibv_wr_set_sge_list and ibv_wr_set_inline_data_list of its provider send wrong lengths in rdma-core before 64; use --post-api send",
			       sges, lim->device, lim->host, lim->driver);
	return 0;
}

static int check_sges(const struct plan *plan, const struct plan_input *in)
{
	int rc;

	if (plan->work.sges <= 1)
		return 0;
	rc = check_sges_of(plan, in->client, SIDE_CLIENT);
	return rc ? rc : check_sges_of(plan, in->server, SIDE_SERVER);
}

static int check_odp(const struct plan *plan, const struct limits *lim)
{
	if (plan->work.buffers != BUFFERS_ODP || lim->odp)
		return 0;
	return err_set(-EINVAL, "--buffers odp: %s of %s has no on-demand paging for %s over %s (ibv_query_device_ex); allowed: host",
		       lim->device, lim->host, kind_opcode_names[plan->work.kind.op],
		       kind_transport_names[plan->work.kind.tp]);
}

/* Windows are the target's, one per QP. */
static int check_mw_of(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool has = plan->work.mw == MW_TYPE_1 ? lim->mw_type_1 : lim->mw_type_2;

	if (!role_sends(plan->work.role[kind_other_side(side)]))
		return 0;
	if (!has)
		return err_set(-EINVAL, "--mw %s: %s of %s has no memory windows of type %s",
			       choices_mw[plan->work.mw], lim->device, lim->host,
			       choices_mw[plan->work.mw]);
	if (plan_total_qps(plan) > lim->max_mws)
		return err_set(-EINVAL, "--mw %s on %u QPs: %s of %s has %u memory windows (max_mw), and each QP takes one",
			       choices_mw[plan->work.mw], plan_total_qps(plan), lim->device,
			       lim->host, lim->max_mws);
	return 0;
}

static int check_mw(const struct plan *plan, const struct plan_input *in)
{
	int rc;

	if (plan->work.mw == MW_NONE)
		return 0;
	rc = check_mw_of(plan, in->client, SIDE_CLIENT);
	return rc ? rc : check_mw_of(plan, in->server, SIDE_SERVER);
}

static int check_disturb_of(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool cq = plan->work.disturb == DISTURB_CQ;

	if (!role_has_loop(plan->work.role[side]) || (cq ? lim->resizes_cq : lim->resumes_sq))
		return 0;
	if (!cq)
		return err_set(-EINVAL, "--disturb sq on %s of %s (driver %s): after a drain its requests wait for the next post, which may never come; allowed: cq",
			       lim->device, lim->host, lim->driver);
	return err_set(-EINVAL, "--disturb cq: %s of %s cannot change the size of a CQ (ibv_resize_cq)",
		       lim->device, lim->host);
}

static int check_disturb(const struct plan *plan, const struct plan_input *in)
{
	int rc;

	if (plan->work.disturb == DISTURB_NONE)
		return 0;
	rc = check_disturb_of(plan, in->client, SIDE_CLIENT);
	return rc ? rc : check_disturb_of(plan, in->server, SIDE_SERVER);
}

int plan_check_requests(const struct plan *plan, const struct plan_input *in)
{
	int rc = check_sges(plan, in);

	if (!rc)
		rc = check_odp(plan, in->client);
	if (!rc)
		rc = check_odp(plan, in->server);
	if (!rc)
		rc = check_mw(plan, in);
	return rc ? rc : check_disturb(plan, in);
}
