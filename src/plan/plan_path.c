/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The path of the plan: MTU, GIDs, P_Key, service level, and the retry attributes of RC. Called by
 * plan_resolve().
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "config/mcast.h"
#include "remedy/remedy.h"
#include "util/err.h"
#include "util/minmax.h"

static int check_mtu(const struct limits *lim, const struct plan_input *in)
{
	uint32_t active = lim->active_mtu_bytes;

	if (active < 256 || active > 4096 || active & (active - 1))
		return err_set(-EINVAL,
			       "%s of %s reports an MTU of %u bytes, which is not a valid path MTU",
			       lim->device, lim->host, active);
	if (in->cfg->mtu_bytes != CFG_AUTO && in->cfg->mtu_bytes > active)
		return err_set_cause(-EINVAL, lim->ethernet ? remedy_name(REMEDY_MTU) : "path",
				     "-m (--mtu) %u: the active MTU of %s of %s is %u%s%s",
				     in->cfg->mtu_bytes, lim->device, lim->host, active,
				     lim->ethernet ? ": " : "",
				     lim->ethernet ? remedy_text(REMEDY_MTU) : "");
	return 0;
}

static int check_links(const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	int rc;

	/* each reaches only others of its kind: softhca.md */
	if (client->emulated != server->emulated)
		return err_set_cause(
			-EINVAL, "path",
			"%s of %s, the %s, is emulated and %s of %s is not: they cannot reach each other; start both sides with --soft, or none",
			client->emulated ? client->device : server->device,
			client->emulated ? client->host : server->host,
			client->emulated ? "client" : "server",
			client->emulated ? server->device : client->device,
			client->emulated ? server->host : client->host);
	rc = gid_check_links(client, server);
	if (rc)
		return rc;
	/*
	 * RoCE maps the SL to a priority of three bits; IBA vol. 1, annex A16: 8 to 15 are
	 * reserved.
	 */
	if (client->ethernet && in->cfg->sl > 7)
		return err_set(-EINVAL, "-S (--sl) %u: on Ethernet it is a priority; allowed: 0..7",
			       in->cfg->sl);
	return 0;
}

static void choose_mtu(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	/* a port that could do more is news */
	void (*note)(struct plan *plan, const char *fmt, ...) =
		client->active_mtu_bytes == server->active_mtu_bytes ? plan_note :
								       plan_note_figures;

	plan->path.mtu_bytes = in->cfg->mtu_bytes;
	if (in->cfg->mtu_bytes != CFG_AUTO)
		return;
	plan->path.mtu_bytes = min_u32(client->active_mtu_bytes, server->active_mtu_bytes);
	note(plan, "MTU %u: the smaller of client %s (%u) and server %s (%u)",
	     plan->path.mtu_bytes, client->device, client->active_mtu_bytes, server->device,
	     server->active_mtu_bytes);
}

/* Used over RC only. */
static void set_retries(struct plan_path *path, const struct cfg *cfg)
{
	path->qp_timeout = cfg->qp_timeout;
	path->retry = cfg->retry;
	path->rnr_retry = cfg->rnr_retry;
	path->migrate_after = cfg->migrate_after;
	path->min_rnr_timer = cfg->min_rnr_timer;
}

/*
 * Packets of another partition are dropped, and two limited members of one do not accept each
 * other's: IBA vol. 1, 10.9.3. 0: the P_Key is unknown.
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

/* RoCE v2 packets have the addresses of one family. */
static int check_family(const struct mcast_group *group, const struct plan_gid *gid,
			const struct limits *client)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const bool v4 = !memcmp(gid->raw, mapped, sizeof(mapped));
	char text[GID_TEXT_MAX];

	if (!client->ethernet || gid->type != GID_ROCE_V2 || group->v4 == v4)
		return 0;
	return err_set(-EINVAL,
		       "--mcast: the group is IPv%c, but GID %s (index %u) of %s of %s is IPv%c: RoCE v2 needs one family; choose a GID by -x (--gid-index)",
		       group->v4 ? '4' : '6', gid_text(gid->raw, text, sizeof(text)), gid->index,
		       client->device, client->host, v4 ? '4' : '6');
}

/* The group of the receivers as the ports know it. A multicast packet always has a GRH. */
static int resolve_group(struct plan *plan, const struct plan_input *in)
{
	const struct plan_gid *gid = gid_find(in->client, plan->path.client_gid);
	bool both = in->client->rdma_cm && in->server->rdma_cm;
	struct plan_path *path = &plan->path;
	struct mcast_group group;
	uint8_t mgid[16];
	int rc;

	if (!in->cfg->mcast)
		return 0;
	if (!in->server->max_mcast_grps)
		return err_set(-EINVAL, "--mcast: %s of %s has no multicast (max_mcast_grp 0)",
			       in->server->device, in->server->host);
	rc = mcast_parse(&group, in->cfg->mcast);
	if (!rc)
		rc = check_family(&group, gid, in->client);
	if (rc)
		return rc;
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
 * A LID is enough within an InfiniBand subnet, unless a port says that it is not; a given GID or
 * traffic class needs the GRH.
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

int plan_resolve_path(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	struct plan_path *path = &plan->path;
	struct gid_pair pair;
	int rc = check_links(in);

	if (!rc)
		rc = check_mtu(client, in);
	if (!rc)
		rc = check_mtu(server, in);
	if (!rc)
		rc = check_pkeys(client, server);
	if (!rc)
		rc = gid_choose(&pair, client, server);
	if (rc)
		return rc;
	choose_mtu(plan, in);
	path->client_gid = pair.client;
	path->server_gid = pair.server;
	/* the sender of a group takes one GID for all receivers: the reason is that of the first */
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
	choose_route(plan, in);
	set_retries(path, in->cfg);
	return resolve_group(plan, in);
}
