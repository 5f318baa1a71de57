/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Multicast groups; see cm_group.h. */
#include "config.h"
#include "cm/cm_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hca.h"
#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_query.h"

static int handle_new(uint32_t *handle)
{
	uint32_t i = 0, n = hca.cm.n_groups ? 2 * hca.cm.n_groups : 16;
	struct cm_group **groups;

	while (i < hca.cm.n_groups && hca.cm.groups[i])
		i++;
	if (i == hca.cm.n_groups) {
		groups = realloc(hca.cm.groups, n * sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		for (uint32_t k = i; k < n; k++)
			groups[k] = NULL;
		hca.cm.groups = groups;
		hca.cm.n_groups = n;
	}
	*handle = i;
	return 0;
}

/* cma_make_mc_event() */
static void report(struct cm_group *g)
{
	struct rdma_ucm_event_resp *resp = cm_channel_group_event(g, 0);

	if (!resp)
		return;
	resp->param.ud.qp_num = HCA_MCAST_QPN;
	resp->param.ud.qkey = cm_query_qkey(g->id);
	cm_query_ah(g->id, &g->mgid, &resp->param.ud.ah_attr);
}

int cm_group_join(struct cm_id *id, const struct rdma_ucm_join_mcast *cmd, uint32_t *handle)
{
	struct sockaddr_storage addr = { .ss_family = AF_UNSPEC };
	struct cm_group *g;

	memcpy(&addr, &cmd->addr, sizeof(addr));
	if (!cm_addr_size(&addr) || cmd->addr_size != cm_addr_size(&addr) ||
	    cmd->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return -EINVAL;
	if (!id->has_dev || !cm_id_is_ud(id) || cm_addr_is_any(&addr) ||
	    (id->state != CM_ADDR_BOUND && id->state != CM_ADDR_RESOLVED))
		return -EINVAL;
	g = calloc(1, sizeof(*g));
	if (!g || handle_new(&g->handle)) {
		free(g);
		return -ENOMEM;
	}
	hca.cm.groups[g->handle] = g;
	g->id = id;
	g->uid = cmd->uid;
	g->mgid = cm_addr_gid(&addr); /* cma_iboe_set_mgid(), RoCE v2 */
	*handle = g->handle;
	report(g);
	return 0;
}

static void leave(struct cm_group *g)
{
	cm_channel_drop(g->id, g);
	hca.cm.groups[g->handle] = NULL;
	free(g);
}

int cm_group_leave(const struct cm_channel *ch, uint32_t handle, uint32_t *reported)
{
	struct cm_group *g = handle < hca.cm.n_groups ? hca.cm.groups[handle] : NULL;

	if (!g)
		return -ENOENT;
	if (g->id->ch != ch)
		return -EINVAL;
	*reported = g->events_reported;
	leave(g);
	return 0;
}

void cm_group_leave_all(const struct cm_id *id)
{
	for (uint32_t i = 0; i < hca.cm.n_groups; i++)
		if (hca.cm.groups[i] && hca.cm.groups[i]->id == id)
			leave(hca.cm.groups[i]);
}
