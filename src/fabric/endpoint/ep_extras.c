/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Memory windows, alternate paths, multicast groups, an SRQ of all QPs; see ep_extras.h. */
#include "config.h"
#include "endpoint/ep_extras.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "limits/gid_text.h"
#include "options/mcast.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "verbs/api.h"
#include "verbs/verbs_error.h"

/* ---- memory windows */

int ep_mw_open(struct ep *ep, const struct plan *plan, enum side side)
{
	const enum ibv_mw_type type = plan->work.mw == MW_TYPE_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;

	if (!(ep_access_memory(plan, side) & IBV_ACCESS_MW_BIND))
		return 0;
	ep->mws = calloc(ep->n_qps, sizeof(struct ibv_mw *));
	if (!ep->mws)
		return err_set(-ENOMEM, "no memory for %u memory windows", ep->n_qps);
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		errno = 0;
		ep->mws[i] = ibv_alloc_mw(ep->domain.pd, type);
		if (!ep->mws[i])
			return verbs_failed(err_code(), "cannot allocate memory window %u of %u of type %s on %s",
					    i, ep->n_qps, choices_mw[plan->work.mw],
					    ep->dev->limits.device);
		ep->addr.qps[i].rkey = ibv_inc_rkey(ep->mws[i]->rkey);
	}
	return 0;
}

/* 0 or an errno. */
static int post_type_2(const struct ep *ep, uint32_t i, const struct ibv_mw_bind_info *info,
		       enum apis_post api)
{
	struct ibv_send_wr wr = {
		.wr_id = i,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = ep->mws[i], .rkey = ep->addr.qps[i].rkey, .bind_info = *info },
	}, *bad;
	struct ibv_qp_ex *const qp = api_wr_qp(ep->qps[i]);

	if (api != APIS_POST_WR)
		return ibv_post_send(ep->qps[i], &wr, &bad);
	ibv_wr_start(qp);
	qp->wr_id = i;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qp, ep->mws[i], wr.bind_mw.rkey, info);
	return ibv_wr_complete(qp);
}

static int post_bind(const struct ep *ep, uint32_t i, const struct plan *plan)
{
	const struct layout *lay = &ep->mem.layout;
	struct ibv_mw_bind bind = {
		.wr_id = i,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mem_mr(&ep->mem, i * lay->qp_bytes),
			.addr = ep->mem.addr + i * lay->qp_bytes,
			.length = lay->qp_bytes,
			.mw_access_flags = (unsigned int)api_code_access(plan->work.kind.op),
		},
	};
	int rc;

	if (plan->work.mw == MW_TYPE_2)
		rc = post_type_2(ep, i, &bind.bind_info, plan->work.post_api);
	else
		rc = ibv_bind_mw(ep->qps[i], ep->mws[i], &bind);
	if (rc)
		return verbs_failed(-rc, "cannot post the bind of memory window %u of type %s", i,
				    choices_mw[plan->work.mw]);
	if (plan->work.mw == MW_TYPE_1 && ep->mws[i]->rkey != ep->addr.qps[i].rkey)
		return err_set(-EIO, "memory window %u of type 1 has R_Key 0x%x, not 0x%x, which the peer was told: the provider does not count R_Keys up; use --mw 2",
			       i, ep->mws[i]->rkey, ep->addr.qps[i].rkey);
	return 0;
}

int ep_mw_bind(struct ep *ep, const struct plan *plan)
{
	struct ibv_wc wc;
	char what[48];
	int rc = 0;

	for (uint32_t i = 0; ep->mws && i < ep->n_qps && !rc; i++) {
		snprintf(what, sizeof(what), "the bind of memory window %u", i);
		rc = post_bind(ep, i, plan);
		if (!rc)
			rc = ep_complete(ep, &wc, plan->stall_timeout_ms, what);
	}
	return rc;
}

void ep_mw_close(struct ep *ep)
{
	for (uint32_t i = 0; ep->mws && i < ep->n_qps; i++)
		if (ep->mws[i])
			verbs_warn("free memory window", ibv_dealloc_mw(ep->mws[i]));
	free(ep->mws);
	ep->mws = NULL;
}

/* ---- alternate path */

#define GID_MAX 256

static bool is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

static bool is_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

static bool is_alike(const struct ibv_gid_entry *a, const struct ibv_gid_entry *b)
{
	return a->gid_type == b->gid_type && is_ipv4(&a->gid) == is_ipv4(&b->gid) &&
	       is_local(&a->gid) == is_local(&b->gid);
}

/* The entry of the alternate port that is like the one of the path; false: none. */
static bool find_gid(const struct ep *ep, uint32_t index, struct ibv_gid_entry *found)
{
	const struct limits *l = &ep->dev->limits;
	struct ibv_gid_entry of_path;

	if (ibv_query_gid_ex(ep->dev->ctx, l->port, index, &of_path, 0))
		return false;
	for (uint32_t i = 0; i < GID_MAX; i++)
		if (!ibv_query_gid_ex(ep->dev->ctx, l->alt_port, i, found, 0) &&
		    is_alike(&of_path, found))
			return true;
	return false;
}

int ep_apm_address(struct ep *ep, const struct plan *plan, enum side side)
{
	const struct limits *l = &ep->dev->limits;
	struct ibv_gid_entry gid;
	struct ibv_port_attr port;

	if (!find_gid(ep, plan_gid_index(plan, side), &gid))
		return err_set(-EINVAL, "port %u of %s has no GID of the type of GID %u of port %u",
			       l->alt_port, l->device, plan_gid_index(plan, side), l->port);
	if (ibv_query_port(ep->dev->ctx, (uint8_t)l->alt_port, &port))
		return err_set(-EIO, "cannot query port %u of %s", l->alt_port, l->device);
	ep->alt_gid_index = gid.gid_index;
	ep->addr.alt_lid = port.lid;
	memcpy(ep->addr.alt_gid, gid.gid.raw, sizeof(ep->addr.alt_gid));
	return 0;
}

static int failed(const struct ep *ep, uint32_t i, const char *what, int err)
{
	return verbs_failed(-err, "QP %u on %s: cannot %s", i, ep->dev->limits.device, what);
}

int ep_apm_load(struct ep *ep, const struct plan *plan, const struct ep_addr *peer)
{
	struct ep_addr to = { .lid = peer->alt_lid };
	struct ep_attr_in in = {
		.plan = plan, .local = &ep->dev->limits, .peer = &to,
		.gid_index = ep->alt_gid_index,
	};
	struct ibv_qp_attr attr = {
		.path_mig_state = IBV_MIG_REARM,
		.alt_pkey_index = (uint16_t)ep->dev->limits.pkey_index,
		.alt_port_num = (uint8_t)ep->dev->limits.alt_port,
		.alt_timeout = (uint8_t)plan->path.qp_timeout,
	};

	memcpy(to.gid, peer->alt_gid, sizeof(to.gid));
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		int err;

		in.flow_label = ep_flow_label(ep, plan, i);
		attr.alt_ah_attr = ep_attr_path(&in);
		attr.alt_ah_attr.port_num = attr.alt_port_num;
		err = ibv_modify_qp(ep->qps[i], &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
		if (err)
			return failed(ep, i, "load an alternate path", err);
	}
	return 0;
}

int ep_apm_ready(const struct ep *ep)
{
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr attr;
		int err = ibv_query_qp(ep->qps[i], &attr, IBV_QP_PATH_MIG_STATE | IBV_QP_PORT,
				       &init);

		if (err)
			return failed(ep, i, "query its path migration state", err);
		if (attr.path_mig_state != IBV_MIG_ARMED &&
		    attr.port_num != ep->dev->limits.alt_port)
			return 0;
	}
	return 1;
}

int ep_apm_migrate(struct ep *ep)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_MIGRATED };

	for (uint32_t i = 0; i < ep->n_qps; i++) {
		int err = ibv_modify_qp(ep->qps[i], &attr, IBV_QP_PATH_MIG_STATE);

		if (err)
			return failed(ep, i, "migrate", err);
	}
	return 0;
}

/* ---- rate of QPs */

int ep_pace(struct ep *ep, const struct plan *plan, enum side side)
{
	const uint64_t rate = plan->path.qp_rate_bit_s;
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = (uint32_t)(rate / 1000) };
	int err = 0;

	if (rate == UINT64_MAX || !role_sends(plan->work.role[side]))
		return 0;
	for (uint32_t i = 0; i < ep->n_qps && !err; i++)
		err = ibv_modify_qp_rate_limit(ep->qps[i], &attr);
	return err ? verbs_failed(-err, "--qp-rate: %s does not pace a QP at %u kbit/s",
				  ep->dev->limits.device, attr.rate_limit) : 0;
}

/* ---- multicast group */

/*
 * The lowest multicast LID: IBA vol. 1, 4.1.3. Only on InfiniBand, where a subnet manager assigns
 * others; the loopback of a port takes it.
 */
#define MLID_FIRST 0xc000u

int ep_mcast_port_of(struct ep_mcast_port *port, const struct plan *plan, const struct dev *dev)
{
	*port = (struct ep_mcast_port){ .mlid = dev->limits.ethernet ? 0 : MLID_FIRST };
	if (inet_pton(AF_INET6, plan->path.mgid, port->mgid.raw) == 1)
		return 0;
	return err_set(-EINVAL, "MGID \"%s\" is no IPv6 address", plan->path.mgid);
}

int ep_mcast_address(struct ep_addr *addr, const struct ep_mcast_port *port)
{
	struct ep_qp_id *all = calloc(1, sizeof(*all));

	if (!all)
		return err_set(-ENOMEM, "no memory for the address of a group");
	all->qpn = MCAST_QPN;
	*addr = (struct ep_addr){ .lid = port->mlid, .qkey = MCAST_QKEY, .n_qps = 1, .qps = all };
	memcpy(addr->gid, port->mgid.raw, sizeof(addr->gid));
	return 0;
}

int ep_mcast_attach(struct ep *ep, const struct ep_mcast_port *port)
{
	char text[GID_TEXT_MAX];
	int err;

	ep->mgid = port->mgid;
	ep->mlid = port->mlid;
	errno = 0;
	err = ibv_attach_mcast(ep->qps[0], &ep->mgid, ep->mlid);
	ep->attached = !err;
	return err ? verbs_failed(err < 0 ? err_code() : -err,
				  "cannot attach QP 0x%06x to the group of MGID %s on %s",
				  ep->qps[0]->qp_num, gid_text(ep->mgid.raw, text, sizeof(text)),
				  ep->dev->limits.device) : 0;
}

void ep_mcast_detach(struct ep *ep)
{
	const int err = ep->attached ? ibv_detach_mcast(ep->qps[0], &ep->mgid, ep->mlid) : 0;

	/* teardown goes on after an error, and must not hide the error that led to it */
	if (err)
		log_note("cannot detach QP 0x%06x from the multicast group: %s",
			 ep->qps[0]->qp_num, strerror(err < 0 ? EIO : err));
	ep->attached = false;
}

/* ---- the SRQ of all QPs */

#define MS_NS 1000000u
#define LAST_WQE_NS (100u * MS_NS)
#define BATCH 32

int ep_srq_open(struct ep *ep, uint64_t receives, uint32_t sges)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = (uint32_t)receives, .max_sge = sges },
	};

	ep->srq_events = calloc(1, sizeof(*ep->srq_events));
	if (!ep->srq_events)
		return err_set(-ENOMEM, "no memory for the events of an SRQ");
	attr.srq_context = ep->srq_events;
	errno = 0;
	ep->srq = ibv_create_srq(ep->domain.pd, &attr);
	if (ep->srq)
		return 0;
	return verbs_error_create(err_code(), "cannot create an SRQ of %llu receives on %s",
				  (unsigned long long)receives, ep->dev->limits.device);
}

int ep_srq_arm(struct ep *ep, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };
	int err = ep->srq && limit ? ibv_modify_srq(ep->srq, &attr, IBV_SRQ_LIMIT) : 0;

	if (!err)
		return 0;
	return verbs_failed(err < 0 ? err_code() : -err,
			    "cannot set the limit of the SRQ on %s to %u receives",
			    ep->dev->limits.device, limit);
}

/* Until every QP has reported its last receive, or for LAST_WQE_NS. */
static void await_last(struct ep *ep)
{
	const uint64_t end = clock_ns() + LAST_WQE_NS;
	struct pollfd p = { .fd = ep->dev->ctx->async_fd, .events = POLLIN };
	enum ibv_event_type event;
	uint64_t now;

	while (atomic_load(&ep->srq_events->last_wqe) < ep->n_qps && (now = clock_ns()) < end) {
		if (poll(&p, 1, (int)((end - now + MS_NS - 1) / MS_NS)) < 0 && errno != EINTR)
			return;
		if (dev_async(ep->dev, &event) < 0)
			return;
	}
}

static void discard(struct ibv_cq *cq)
{
	struct ibv_wc wc[BATCH];

	/* at most what the CQ holds: no QP adds to it any more */
	for (int left = cq->cqe; left > 0 && ibv_poll_cq(cq, BATCH, wc) > 0; left -= BATCH)
		continue;
}

void ep_srq_drain(struct ep *ep)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };

	/* while some are missing, none has been connected */
	if (!ep->srq || !ep->n_qps || !ep->qps[ep->n_qps - 1])
		return;
	for (uint32_t i = 0; i < ep->n_qps; i++)
		if (ibv_modify_qp(ep->qps[i], &error, IBV_QP_STATE))
			log_note("cannot take QP %u to the error state: %s", i, strerror(errno));
	await_last(ep);
	if (ep->rcq)
		discard(ep->rcq);
}

void ep_srq_close(struct ep *ep)
{
	if (ep->srq)
		verbs_warn("destroy SRQ", ibv_destroy_srq(ep->srq));
	ep->srq = NULL;
	free(ep->srq_events);
	ep->srq_events = NULL;
}
