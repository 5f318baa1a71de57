/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Path migration of an endpoint; see apm.h. Called by point/point_apm.c and dev_probe.c. */
#include "config.h"

#include "ep/apm.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"

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

int apm_address(struct ep *ep, const struct plan *plan, enum side side)
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
	return err_set(-err, "QP %u on %s: cannot %s: %s", i, ep->dev->limits.device, what,
		       strerror(err));
}

int apm_load(struct ep *ep, const struct plan *plan, const struct ep_addr *peer)
{
	struct ep_addr to = { .lid = peer->alt_lid };
	const struct ep_attr_in in = {
		.plan = plan, .local = &ep->dev->limits, .peer = &to,
		.gid_index = ep->alt_gid_index,
	};
	struct ibv_qp_attr attr = {
		.path_mig_state = IBV_MIG_REARM,
		.alt_pkey_index = (uint16_t)ep->dev->limits.pkey_index,
		.alt_port_num = (uint8_t)ep->dev->limits.alt_port,
		.alt_timeout = (uint8_t)plan->path.qp_timeout,
	};
	int err = 0;

	memcpy(to.gid, peer->alt_gid, sizeof(to.gid));
	attr.alt_ah_attr = ep_attr_path(&in);
	attr.alt_ah_attr.port_num = attr.alt_port_num;
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		err = ibv_modify_qp(ep->qps[i], &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
		if (err)
			return failed(ep, i, "load an alternate path", err);
	}
	return 0;
}

int apm_ready(const struct ep *ep)
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

int apm_migrate(struct ep *ep)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_MIGRATED };

	for (uint32_t i = 0; i < ep->n_qps; i++) {
		int err = ibv_modify_qp(ep->qps[i], &attr, IBV_QP_PATH_MIG_STATE);

		if (err)
			return failed(ep, i, "migrate", err);
	}
	return 0;
}
