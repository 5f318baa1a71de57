/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The path of the plan: MTU, GIDs, P_Key, service level, and the retry attributes of RC.
 */
#include "config.h"
#include "decide/plan_steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "options/mcast.h"
#include "causes/remedy.h"
#include "util/err.h"
#include "util/minmax.h"

static int check_mtu(const struct limits *lim, const struct plan_input *in)
{
	uint32_t active = lim->active_mtu_bytes;

	if (active < 256 || active > 4096 || active & (active - 1))
		return err_set(-EINVAL,
			       "%s of %s reports an MTU of %u bytes, which is not a valid path MTU",
			       lim->device, lim->host, active);
	if (in->cfg->mtu_bytes == CFG_AUTO || in->cfg->mtu_bytes <= active)
		return 0;
	if (lim->ethernet)
		return remedy_error(-EINVAL, REMEDY_MTU, NULL,
				    "-m (--mtu) %u: the active MTU of %s of %s is %u",
				    in->cfg->mtu_bytes, lim->device, lim->host, active);
	return err_set_cause(-EINVAL, "path", "-m (--mtu) %u: the active MTU of %s of %s is %u",
			     in->cfg->mtu_bytes, lim->device, lim->host, active);
}

static int check_links(const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;

	/* each reaches only its own kind: softhca.md */
	if (client->emulated != server->emulated)
		return err_set_cause(
			-EINVAL, "path",
			"%s of %s, the %s, is emulated and %s of %s is not: they cannot reach each other; start both sides with --soft, or none",
			client->emulated ? client->device : server->device,
			client->emulated ? client->host : server->host,
			client->emulated ? "client" : "server",
			client->emulated ? server->device : client->device,
			client->emulated ? server->host : client->host);
	if (gid_check_links(client, server))
		return -EINVAL;
	/*
	 * RoCE maps the SL to a priority of three bits; IBA vol. 1, annex A16: 8 to 15 are
	 * reserved.
	 */
	if (client->ethernet && in->cfg->sl > 7)
		return err_refuse("-S (--sl)", "allowed: 0..7", "%u: on Ethernet it is a priority",
				  in->cfg->sl);
	return 0;
}

static void choose_mtu(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;

	plan->path.mtu_bytes = in->cfg->mtu_bytes;
	if (in->cfg->mtu_bytes != CFG_AUTO)
		return;
	plan->path.mtu_bytes = min_u32(client->active_mtu_bytes, server->active_mtu_bytes);
	plan_note(plan, "MTU %u: the smaller of client %s (%u) and server %s (%u)",
		  plan->path.mtu_bytes, client->device, client->active_mtu_bytes, server->device,
		  server->active_mtu_bytes);
}

/*
 * Packets of another partition are dropped, and two limited members of a partition do not accept
 * each other's packets: IBA vol. 1, 10.9.3. 0: the P_Key is unknown.
 */
static int check_pkeys(const struct limits *client, const struct limits *server)
{
	if (!client->pkey || !server->pkey)
		return 0;
	if ((client->pkey ^ server->pkey) & ~LIMITS_PKEY_FULL)
		return err_set_cause(
			-EINVAL, "path",
			"P_Key 0x%04x of %s of %s and 0x%04x of %s of %s: they are different partitions; choose one that both have by --pkey (verbench list shows them)",
			client->pkey, client->device, client->host, server->pkey, server->device,
			server->host);
	if ((client->pkey | server->pkey) & LIMITS_PKEY_FULL)
		return 0;
	return err_set_cause(
		-EINVAL, "path",
		"P_Key 0x%04x of %s of %s and 0x%04x of %s of %s: both are limited members of the partition, and one must be a full member",
		client->pkey, client->device, client->host, server->pkey, server->device,
		server->host);
}

/* All addresses of a RoCE v2 packet are of one family. */
static int check_family(const struct mcast_group *group, const struct plan_gid *gid,
			const struct limits *client)
{
	const bool v4 = gid_text_is_v4(gid->raw);
	char text[GID_TEXT_MAX];

	if (!client->ethernet || gid->type != GID_ROCE_V2 || group->v4 == v4)
		return 0;
	return err_set(-EINVAL,
		       "--mcast: the group is IPv%c, but GID %s (index %u) of %s of %s is IPv%c: RoCE v2 needs one family; choose a GID by -x (--gid-index)",
		       group->v4 ? '4' : '6', gid_text(gid->raw, text, sizeof(text)), gid->index,
		       client->device, client->host, v4 ? '4' : '6');
}

/* The MGID of the receivers' group. A multicast packet always has a GRH. */
static int resolve_group(struct plan *plan, const struct plan_input *in)
{
	const struct plan_gid *gid = gid_find(in->client, plan->path.client_gid);
	bool both = in->client->rdma_cm && in->server->rdma_cm;
	struct plan_path *path = &plan->path;
	struct mcast_group group;
	uint8_t mgid[16];

	if (!in->cfg->mcast)
		return 0;
	if (!in->server->max_mcast_grps)
		return err_set(-EINVAL, "--mcast: %s of %s has no multicast (max_mcast_grp 0)",
			       in->server->device, in->server->host);
	if (mcast_parse(&group, in->cfg->mcast) || check_family(&group, gid, in->client))
		return -EINVAL;
	mcast_mgid(mgid, &group,
		   !in->client->ethernet ? MCAST_INFINIBAND :
		   gid->type == GID_ROCE_V2 ? MCAST_ROCE_V2 : MCAST_ROCE_V1, path->pkey);
	snprintf(path->mcast, sizeof(path->mcast), "%s", in->cfg->mcast);
	gid_text(mgid, path->mgid, sizeof(path->mgid));
	path->mcast_join = in->cfg->mcast_join;
	/* Linux 6.1 cannot join IPv6 groups: cma_iboe_join_multicast() takes IPv4 on RoCE v2 */
	both = both && group.v4;
	if (path->mcast_join == MCAST_JOIN_AUTO) {
		path->mcast_join = both ? MCAST_JOIN_CM : MCAST_JOIN_VERBS;
		plan_note(plan, "group joined by %s: %s", choices_mcast_join[path->mcast_join],
			  both	   ? "all sides have rdma_cm" :
			  group.v4 ? "a side has no rdma_cm" :
				     "rdma_cm of Linux joins only IPv4 groups on RoCE v2");
	}
	path->global_route = true;
	return 0;
}

/* A port without a subnet manager has the default prefix, fe80::/64. */
static bool subnets_differ(const struct plan *plan, const struct plan_input *in)
{
	const struct plan_gid *client = gid_find(in->client, plan->path.client_gid);
	const struct plan_gid *server = gid_find(in->server, plan->path.server_gid);

	return memcmp(client->raw, server->raw, 8) != 0;
}

/*
 * A LID is enough within an InfiniBand subnet, unless a port says otherwise; a given GID or traffic
 * class needs the GRH.
 */
static void choose_route(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	struct plan_path *path = &plan->path;
	const bool needed = limits_needs_grh(client) || limits_needs_grh(server);

	path->global_route = needed || client->gid_index != CFG_AUTO ||
			     server->gid_index != CFG_AUTO || path->tclass;
	if (client->ethernet || client->link_unspecified)
		return;
	if (subnets_differ(plan, in)) {
		path->global_route = true;
		plan_note(plan, "GRH: the subnet prefixes differ; a router between them is found only with -R (--cm)");
	} else if (needed) {
		plan_note(plan, "GRH: %s needs it (IBV_QPF_GRH_REQUIRED)",
			  client->grh_required ? client->device : server->device);
	}
}

/*
 * Within an InfiniBand subnet packets are routed by LID, and have no header for these. On RoCE the
 * kernel takes the hop limit of the route (Linux, verbs.c: ib_resolve_unicast_gid_dmac); an address
 * handle that a provider makes by itself may keep that of the option.
 */
static int check_routed(struct plan *plan, const struct plan_input *in)
{
	const struct cfg *cfg = in->cfg;
	const char *option = cfg->flow_label	  ? "--flow-label" :
			     cfg->given.hop_limit ? "--hop-limit" : NULL;

	if (cfg->given.hop_limit && in->client->ethernet && !in->client->emulated)
		plan_note_figures(plan, "--hop-limit: on RoCE, Linux may use that of the IP route in its place");
	if (!option || plan->path.global_route)
		return 0;
	if (!cfg->lower)
		return err_advise(err_option(-EINVAL, option,
					     "has no effect: packets within an InfiniBand subnet have no GRH"),
				  "-x (--gid-index) and --tclass add one");
	plan_note(plan, "%s has no effect, as in perftest: packets have no GRH", option);
	return 0;
}

int plan_resolve_path(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	struct plan_path *path = &plan->path;
	struct gid_pair pair;

	if (check_links(in) || check_mtu(client, in) || check_mtu(server, in) ||
	    check_pkeys(client, server) || gid_choose(&pair, client, server))
		return -EINVAL;
	choose_mtu(plan, in);
	path->client_gid = pair.client;
	path->server_gid = pair.server;
	/* the sender of a group uses one GID for all receivers: the reason is that of the first */
	plan_note(plan, "GID %u of client and %u of server%s%s", pair.client, pair.server,
		  in->cfg->mcast ? "" : ": ", in->cfg->mcast ? "" : pair.reason);
	path->pkey = client->pkey;
	if (in->cfg->pkey != CFG_AUTO)
		plan_note(plan, "P_Key 0x%04x (index %u) of client and 0x%04x (index %u) of server",
			  client->pkey, client->pkey_index, server->pkey, server->pkey_index);
	path->iwarp = client->transport_type == LIMITS_IWARP;
	path->connect = in->cfg->rdma_cm ? CONNECT_RDMA_CM : CONNECT_TCP;
	path->ah = (enum ah_from)in->cfg->ah;
	path->sl = in->cfg->sl;
	path->tclass = in->cfg->tclass;
	path->hop_limit = in->cfg->hop_limit;
	snprintf(path->flow_label, sizeof(path->flow_label), "%s",
		 in->cfg->flow_label ? in->cfg->flow_label : "");
	choose_route(plan, in);
	/* for RC only */
	path->qp_timeout = in->cfg->qp_timeout;
	path->retry = in->cfg->retry;
	path->rnr_retry = in->cfg->rnr_retry;
	path->migrate_after = in->cfg->migrate_after;
	path->min_rnr_timer = in->cfg->min_rnr_timer;
	path->qp_rate_bit_s = in->cfg->qp_rate_bit_s;
	return resolve_group(plan, in) || check_routed(plan, in) ? -EINVAL : 0;
}
