/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Checks that one side supports what a plan needs: the transport, requests (--sge, --mw,
 * --buffers), objects of the device, queues without locks, verbs to post and to poll. The queues'
 * lengths and the limits of its owner are in plan_needs.c. Refuses, and changes nothing.
 */
#include "config.h"
#include "decide/plan_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "causes/remedy.h"
#include "util/err.h"

/* Before the depths are chosen: without SRQs no receive fits. */
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
		err_set_cause(-EINVAL, "driver",
			      "the verbench of %s was built without libmlx5 (configure --with-mlx5dv)",
			      lim->host);
		break;
	case LIMITS_DC_NO_LIBRARY:
		err_set_cause(-EINVAL, "driver", "%s has no libmlx5.so.1 (Debian: ibverbs-providers)",
			      lim->host);
		break;
	default:
		err_set(-EINVAL,
			"mlx5dv_is_supported() of libmlx5 says no to %s of %s (driver %s), so it has no DC%s",
			lim->device, lim->host, lim->driver[0] ? lim->driver : "unknown",
			lim->emulated ? " (the emulated HCA has it with SOFTHCA_MLX5DV=1, not in the zero-cost mode)" : "");
	}
	err_wrap(-EINVAL, "-c (--transport) DC");
	return err_advise(-EINVAL, "what works: verbench check");
}

static int check_transport(const struct cfg *cfg, const struct limits *lim)
{
	if (kind_names_dct(cfg->transport))
		return check_dc(lim);
	if (!kind_names_srq(cfg->transport) || lim->xrc)
		return 0;
	return err_advise(err_option(-EINVAL, "-c (--transport)",
				     "XRC: %s of %s has no XRC (IBV_DEVICE_XRC)", lim->device,
				     lim->host),
			  "what works: verbench check");
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
	return check_transport(in->cfg, in->client) || check_transport(in->cfg, in->server) ||
			       check_migration(in->cfg, in->client) ||
			       check_migration(in->cfg, in->server) ? -EINVAL : 0;
}

/* ---- requests and receives */

static int check_sges(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool posts = role_sends(plan->work.role[side]);
	const bool receives = kind_fills_recv(plan->work.kind.op) &&
			      role_sends(plan->work.role[kind_other_side(side)]);
	const uint32_t sges = plan->work.sges;
	const bool reads = kind_access(plan->work.kind.op) == ACCESS_READ;
	const uint32_t most = reads ? lim->max_sge_rd : lim->max_sge;

	if (sges <= 1 || (!posts && !receives))
		return 0;
	if (sges > most)
		return err_set(-EINVAL, "--sge %u: %s of %s takes at most %u elements per %s (%s)",
			       sges, lim->device, lim->host, most,
			       reads ? "read" : "request or receive",
			       reads ? "max_sge_rd" : "max_sge");
	if (posts && plan->work.post_api == APIS_POST_WR && !lim->sge_setters)
		return err_set(-EINVAL,
			       "--sge %u with --post-api wr on %s of %s (driver %s): ibv_wr_set_sge_list and ibv_wr_set_inline_data_list of its provider send wrong lengths in rdma-core before 64; use --post-api send",
			       sges, lim->device, lim->host, lim->driver);
	return 0;
}

static int check_odp(const struct plan *plan, const struct limits *lim, enum side side)
{
	const enum buffers_kind kind = plan_buffers(plan, side);

	if (choices_buffers_can(kind, BUFFERS_ON_DEMAND) && !lim->odp)
		return err_refuse(plan_buffers_option(plan, side), "allowed: host",
				  "%s: %s of %s has no on-demand paging for %s over %s (ibv_query_device_ex)",
				  choices_buffers[kind], lim->device, lim->host,
				  kind_opcode_names[plan->work.kind.op],
				  kind_transport_names[plan->work.kind.tp]);
	if (kind == BUFFERS_PREFETCH && !lim->prefetch)
		return err_refuse(plan_buffers_option(plan, side), "allowed: host, odp",
				  "prefetch: %s of %s (driver %s) maps no pages in advance (ibv_advise_mr)",
				  lim->device, lim->host, lim->driver[0] ? lim->driver : "unknown");
	return 0;
}

/* A target without a loop sends and receives nothing. */
static int check_null(const struct plan *plan, const struct limits *lim, enum side side)
{
	if (plan_buffers(plan, side) != BUFFERS_NULL || lim->null_mr ||
	    !role_has_loop(plan->work.role[side]))
		return 0;
	return err_refuse(plan_buffers_option(plan, side), "allowed: host",
			  "null: %s of %s (driver %s) has no null memory regions (ibv_alloc_null_mr: EOPNOTSUPP)",
			  lim->device, lim->host, lim->driver[0] ? lim->driver : "unknown");
}

static int check_gpu(const struct plan *plan, const struct limits *lim, enum side side)
{
	const uint32_t gpu = plan_gpu(plan, side);

	if (plan_buffers(plan, side) != BUFFERS_CUDA || !lim->gpu_missing[0])
		return 0;
	if (gpu != UINT32_MAX)
		return err_option(-EINVAL, gpu == plan->work.gpu ? "--gpu" : "--peer-gpu",
				  "%u: %s of %s: %s", gpu, lim->device, lim->host,
				  lim->gpu_missing);
	return err_option(-EINVAL, plan_buffers_option(plan, side), "cuda: %s of %s: %s",
			  lim->device, lim->host, lim->gpu_missing);
}

/* Memory windows belong to the target, one per QP. */
static int check_mw(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool has = plan->work.mw == MW_TYPE_1 ? lim->mw_type_1 : lim->mw_type_2;

	if (plan->work.mw == MW_NONE || !role_sends(plan->work.role[kind_other_side(side)]))
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

static int check_disturb(const struct plan *plan, const struct limits *lim, enum side side)
{
	const bool cq = plan->work.disturb == DISTURB_CQ;

	if (plan->work.disturb == DISTURB_NONE || !role_has_loop(plan->work.role[side]) ||
	    (cq ? lim->resizes_cq : lim->resumes_sq))
		return 0;
	if (!cq)
		return err_refuse("--disturb", "allowed: cq",
				  "sq on %s of %s (driver %s): after a drain its requests wait for the next post, which may never come",
				  lim->device, lim->host, lim->driver);
	return err_set(-EINVAL, "--disturb cq: %s of %s cannot change the size of a CQ (ibv_resize_cq)",
		       lim->device, lim->host);
}

int plan_check_requests(const struct plan *plan, const struct limits *lim, enum side side)
{
	return check_sges(plan, lim, side) || check_odp(plan, lim, side) ||
			       check_null(plan, lim, side) || check_gpu(plan, lim, side) ||
			       check_mw(plan, lim, side) ||
			       check_disturb(plan, lim, side) ? -EINVAL : 0;
}

/* ---- objects of the device */

/* Each thread has its own objects: endpoint/ep.h. */
static int check_objects(const struct plan *plan, const struct limits *lim, enum side side)
{
	const struct {
		const char *what;
		uint32_t each, most;
	} objects[] = {
		{ "completion queues", kind_takes_recv(plan->work.kind.op) ? 2 : 1, lim->max_cqs },
		{ "memory regions",
		  (plan->work.regions ? plan->work.qps * plan->work.regions : 1) +
			  (plan_buffers(plan, side) == BUFFERS_NULL),
		  lim->max_mrs },
		{ "protection domains", 1, lim->max_pds },
		{ "shared receive queues",
		  kind_has_halves(plan->work.kind.tp) ? plan->work.qps :
							plan->work.kind.sharing == SHARING_SRQ,
		  lim->max_srqs },
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		const uint32_t each = objects[i].each, most = each ? objects[i].most / each : 0;

		if (!each || plan->work.threads <= most)
			continue;
		err_set(-EINVAL, "--threads %u: %s of %s has %u %s, and each thread takes %u",
			plan->work.threads, lim->device, lim->host, objects[i].most,
			objects[i].what, each);
		return most ? err_advise(-EINVAL, "allowed: 1..%u", most) :
			      err_advise(-EINVAL, plan->work.regions ?
						  "lower -q (--qps) or --regions" :
						  "lower -q (--qps)");
	}
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
		return err_refuse("--post-api", "allowed: send, auto",
				  "wr: %s of %s makes no QPs for ibv_wr_* (ibv_create_qp_ex)",
				  lim->device, lim->host);
	if (plan->work.poll_api == APIS_POLL_EXTENDED && !lim->poll_extended)
		return err_refuse("--poll-api", "allowed: classic",
				  "extended: %s of %s makes no CQs for ibv_start_poll (ibv_create_cq_ex)",
				  lim->device, lim->host);
	return 0;
}

/*
 * RFC 5040 and 5041 have neither; RFC 7306 adds them, but no device here supports it. erdma has its
 * own immediate data.
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
	if (work->reverse)
		return err_set_cause(
			-EINVAL, "path",
			"iWARP: %s of %s: the server may send only after a message of the client has come",
			lim->device, lim->host);
	if (work->bidir && !kind_takes_recv(work->kind.op))
		return err_set(-EINVAL, "iWARP: -b (--both) of %s on %s of %s: the server would have to send before a message of the client has come",
			       kind_test_names[work->test], lim->device, lim->host);
	return 0;
}

/* The device of a side that sends data paces its QPs: ibv_modify_qp_rate_limit(3). */
static int check_pace(const struct plan *plan, const struct limits *lim, enum side side)
{
	const uint64_t asked = plan->path.qp_rate_bit_s;
	char transports[LIMITS_PACED_TEXT];

	if (asked == UINT64_MAX || !role_sends(plan->work.role[side]))
		return 0;
	if (!lim->max_pace_kbit_s)
		return err_refuse("--qp-rate", "allowed: none",
				  "%" PRIu64 " bit/s: %s of %s (driver %s) paces no QPs (packet_pacing_caps); --rate paces in the loop",
				  asked, lim->device, lim->host,
				  lim->driver[0] ? lim->driver : "unknown");
	limits_paced(lim, transports);
	if (!(lim->paced_transports >> plan->work.kind.tp & 1))
		return err_refuse("--qp-rate", "allowed: none",
				  "%" PRIu64 " bit/s over %s: %s of %s (driver %s) paces only QPs of %s; --rate paces in the loop",
				  asked, kind_transport_names[plan->work.kind.tp], lim->device,
				  lim->host, lim->driver[0] ? lim->driver : "unknown",
				  transports[0] ? transports : "raw Ethernet");
	if (asked < lim->min_pace_kbit_s * UINT64_C(1000) ||
	    asked > lim->max_pace_kbit_s * UINT64_C(1000) || asked % 1000)
		return err_set(-EINVAL,
			       "--qp-rate %" PRIu64 " bit/s: %s of %s takes %u to %u kbit/s, in whole kbit/s (packet_pacing_caps)",
			       asked, lim->device, lim->host, lim->min_pace_kbit_s,
			       lim->max_pace_kbit_s);
	return 0;
}

static int check_connect(const struct plan *plan, const struct limits *lim)
{
	const bool joins = plan_is_mcast(plan) && plan->path.mcast_join == MCAST_JOIN_CM;
	const char *option = joins ? "--mcast-join cm" : "-R (--cm)";

	if (plan->path.iwarp && plan->path.connect == CONNECT_TCP)
		return remedy_error(-EINVAL, REMEDY_IWARP, NULL, "iWARP: needs -R (--cm): %s of %s",
				    lim->device, lim->host);
	if (plan->path.connect == CONNECT_TCP && !joins)
		return 0;
	if (lim->transport_type == LIMITS_OTHER)
		return err_set(
			-EINVAL,
			"%s: rdma_cm connects InfiniBand, RoCE and iWARP, and %s of %s is none of them (transport unspecified)",
			option, lim->device, lim->host);
	if (lim->rdma_cm)
		return 0;
	return remedy_error(-EINVAL, REMEDY_NO_RDMA_CM, NULL, "%s: %s has no rdma_cm", option,
			    lim->host);
}

int plan_caps(const struct plan *plan, const struct limits *lim, enum side side)
{
	return check_objects(plan, lim, side) || check_locks(plan, lim, side) ||
			       check_apis(plan, lim, side) || check_iwarp(plan, lim) ||
			       check_connect(plan, lim) || check_pace(plan, lim, side) ||
			       plan_needs_check(plan, lim, side) || plan_owner(plan, lim, side) ?
		       -EINVAL : 0;
}
