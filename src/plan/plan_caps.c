/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Checks that one side can give what a resolved plan needs (objects of the device, queues without
 * locks, verbs to post and to poll). What its owner allows is in plan_owner.c. Called by
 * plan_resolve() as its last step, for both sides on both. Refuses, and changes nothing.
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <string.h>

#include "remedy/remedy.h"
#include "util/err.h"
#include "plan/plan_needs.h"

/* Before the depths are chosen: without SRQs there is room for no receive at all. */
int plan_check_sharing(const struct limits *lim, const struct cfg *cfg)
{
	if (cfg_kind(cfg).sharing != SHARING_SRQ || (lim->max_srqs && lim->max_srq_sge))
		return 0;
	return err_set(-EINVAL, "--srq: %s of %s has no shared receive queues (max_srq 0)",
		       lim->device, lim->host);
}

static int check_dc(const struct limits *lim)
{
	switch (lim->dc) {
	case LIMITS_DC_YES:
		return 0;
	case LIMITS_DC_NOT_BUILT:
		return err_set_cause(
			-EINVAL, "driver",
			"-c (--transport) DC: the verbench of %s was built without libmlx5 (configure --with-mlx5dv); what works: verbench check",
			lim->host);
	case LIMITS_DC_NO_LIBRARY:
		return err_set_cause(
			-EINVAL, "driver",
			"-c (--transport) DC: %s has no libmlx5.so.1 (Debian: ibverbs-providers); what works: verbench check",
			lim->host);
	default:
		return err_set(
			-EINVAL,
			"-c (--transport) DC: mlx5dv_is_supported() of libmlx5 says no to %s of %s (driver %s), so it has no DC%s; what works: verbench check",
			lim->device, lim->host, lim->driver[0] ? lim->driver : "unknown",
			lim->emulated ? " (the emulated HCA has it with SOFTHCA_MLX5DV=1, not in the zero-cost mode)" : "");
	}
}

static int check_transport(const struct cfg *cfg, const struct limits *lim)
{
	if (kind_names_dct(cfg->transport))
		return check_dc(lim);
	if (!kind_names_srq(cfg->transport) || lim->xrc)
		return 0;
	return err_set(-EINVAL,
		       "-c (--transport) XRC: %s of %s has no XRC (IBV_DEVICE_XRC); what works: verbench check",
		       lim->device, lim->host);
}

static int check_migration(const struct cfg *cfg, const struct limits *lim)
{
	if (cfg->migrate_after == CFG_AUTO)
		return 0;
	if (lim->apm_stored)
		return err_set(-EINVAL,
			       "--migrate-after: %s of %s (driver %s) says that it has path migration but only stores its state",
			       lim->device, lim->host, lim->driver);
	if (!lim->apm)
		return err_set(-EINVAL,
			       "--migrate-after: %s of %s has no path migration (IBV_DEVICE_AUTO_PATH_MIG)",
			       lim->device, lim->host);
	if (!lim->alt_port)
		return err_set(-EINVAL,
			       "--migrate-after: %s of %s has no other active port that --alternate-port allows; port %u is in use",
			       lim->device, lim->host, lim->port);
	return 0;
}

int plan_check_transport(const struct plan_input *in)
{
	int rc = check_transport(in->cfg, in->client);

	if (!rc)
		rc = check_transport(in->cfg, in->server);
	if (!rc)
		rc = check_migration(in->cfg, in->client);
	return rc ? rc : check_migration(in->cfg, in->server);
}

/* Each thread has its objects: ep/ep.h. */
static int check_objects(const struct plan *plan, const struct limits *lim)
{
	const struct {
		const char *what;
		uint32_t each, most;
	} objects[] = {
		{ "completion queues", kind_takes_recv(plan->work.kind.op) ? 2 : 1, lim->max_cqs },
		{ "memory regions", 1, lim->max_mrs },
		{ "protection domains", 1, lim->max_pds },
		{ "shared receive queues",
		  kind_has_halves(plan->work.kind.tp) ? plan->work.qps :
							plan->work.kind.sharing == SHARING_SRQ,
		  lim->max_srqs },
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i].each && plan->work.threads > objects[i].most / objects[i].each)
			return err_set(
				-EINVAL,
				"--threads %u: %s of %s has %u %s, and each thread takes %u; allowed: 1..%u",
				plan->work.threads, lim->device, lim->host, objects[i].most,
				objects[i].what, objects[i].each,
				objects[i].most / objects[i].each);
	return 0;
}

static int check_locks(const struct plan *plan, const struct limits *lim, enum side side)
{
	static const char *const missing[] = {
		[0] = ("neither thread domains (ibv_alloc_td) nor CQs for one thread (ibv_create_cq_ex)"),
		[LOCKS_OFF_CQ] = "no thread domains (ibv_alloc_td, ibv_alloc_parent_domain)",
		[LOCKS_OFF_QP] = "no CQs for one thread (ibv_create_cq_ex), or its provider locks them in ibv_poll_cq all the same (some do not with --poll-api extended)",
	};

	if (plan->work.locks != LOCKS_OFF || !role_has_loop(plan->work.role[side]) ||
	    lim->unlocked >= LOCKS_OFF_ALL)
		return 0;
	return err_set(-EINVAL,
		       "--locks off: %s of %s has %s; auto leaves out the locks that it can",
		       lim->device, lim->host, missing[lim->unlocked]);
}

static int check_apis(const struct plan *plan, const struct limits *lim, enum side side)
{
	if (!role_has_loop(plan->work.role[side]))
		return 0;
	if (plan->work.post_api == APIS_POST_WR && !lim->post_wr)
		return err_set(
			-EINVAL,
			"--post-api wr: %s of %s makes no QPs for ibv_wr_* (ibv_create_qp_ex); allowed: send, auto",
			lim->device, lim->host);
	if (plan->work.poll_api == APIS_POLL_EXTENDED && !lim->poll_extended)
		return err_set(
			-EINVAL,
			"--poll-api extended: %s of %s makes no CQs for ibv_start_poll (ibv_create_cq_ex); allowed: classic",
			lim->device, lim->host);
	return 0;
}

/*
 * RFC 5040 and 5041 have neither; RFC 7306 adds them, but no device here has it. erdma has
 * immediate data of its own.
 */
static int check_iwarp(const struct plan *plan, const struct limits *lim)
{
	const struct plan_work *work = &plan->work;
	const char *what = NULL;

	if (!plan->path.iwarp)
		return 0;
	if (kind_is_lossy(work->kind.tp) || kind_has_halves(work->kind.tp))
		what = kind_transport_names[work->kind.tp];
	else if (kind_is_atomic(work->kind.op))
		what = "atomics";
	else if (kind_has_imm(work->kind.op) && !lim->iwarp_imm)
		what = "immediate data";
	if (what)
		return err_set(-EINVAL, "iWARP: %s of %s has no %s; it has RC with send, write and read",
			       lim->device, lim->host, what);
	if (work->kind.sharing != SHARING_NONE)
		return err_set(-EINVAL, "iWARP: %s of %s: --srq and --one-qp need credits with immediate data, and those of iWARP are without",
			       lim->device, lim->host);
	/* the passive side may send only after the active one has (RFC 5044, 7.1) */
	if (work->check_by == CHECK_BY_SERVER)
		return err_set_cause(
			-EINVAL, "path",
			"iWARP: %s of %s: the server may send only after a message of the client has come",
			lim->device, lim->host);
	if (work->bidir && !kind_takes_recv(work->kind.op))
		return err_set(-EINVAL, "iWARP: -b (--both) of %s on %s of %s: the server would have to send before a message of the client has come",
			       kind_test_names[work->test], lim->device, lim->host);
	return 0;
}

static int check_connect(const struct plan *plan, const struct limits *lim)
{
	const bool joins = plan_is_mcast(plan) && plan->path.mcast_join == MCAST_JOIN_CM;
	const char *option = joins ? "--mcast-join cm" : "-R (--cm)";

	if (plan->path.iwarp && plan->path.connect == CONNECT_TCP)
		return err_set_cause(-EINVAL, remedy_name(REMEDY_IWARP),
				     "iWARP: needs -R (--cm): %s of %s: %s", lim->device, lim->host,
				     remedy_text(REMEDY_IWARP));
	if (plan->path.connect == CONNECT_TCP && !joins)
		return 0;
	if (lim->transport_type == LIMITS_OTHER)
		return err_set(
			-EINVAL,
			"%s: rdma_cm connects InfiniBand, RoCE and iWARP, and %s of %s is none of them (transport unspecified)",
			option, lim->device, lim->host);
	if (lim->rdma_cm)
		return 0;
	return err_set_cause(-EINVAL, remedy_name(REMEDY_NO_RDMA_CM), "%s: %s has no rdma_cm: %s",
			     option, lim->host, remedy_text(REMEDY_NO_RDMA_CM));
}

/* What the depths do not tell: credits, answers, and the queues that QPs share. */
static int check_needs(const struct plan *plan, const struct limits *lim, enum side side)
{
	const struct plan_needs needs = plan_needs(plan, side);

	return plan_needs_check(&needs, plan, lim);
}

int plan_caps(const struct plan *plan, const struct limits *lim, enum side side)
{
	int rc = check_objects(plan, lim);

	if (!rc)
		rc = check_locks(plan, lim, side);
	if (!rc)
		rc = check_apis(plan, lim, side);
	if (!rc)
		rc = check_iwarp(plan, lim);
	if (!rc)
		rc = check_connect(plan, lim);
	if (!rc)
		rc = check_needs(plan, lim, side);
	return rc ? rc : plan_owner(plan, lim, side);
}
