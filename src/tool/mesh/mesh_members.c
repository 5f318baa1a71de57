/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns who takes part, at the root: where each agent is in the tree, who has come, who is gone. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"
#include "wire/proto.h"

#define LOOK_MS 100u
#define NAMED 20u /* ranks in a message */

/* ---- who is gone */

/* Is it reached through that one? */
static bool is_below(const struct mesh_root *r, uint32_t rank, uint32_t above)
{
	uint32_t parent = r->members[rank].parent;

	while (parent && parent != LINKS_NONE && parent != above)
		parent = r->members[parent].parent;
	return parent == above && above;
}

/* It and all below look for another parent. */
static void lead_away(struct mesh_root *r, uint32_t rank)
{
	if (!r->members[rank].attached)
		return;
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (!m->attached || (i != rank && !is_below(r, i, rank)))
			continue;
		m->attached = false;
		r->n_attached--;
		m->away_ns = clock_ns();
	}
}

void mesh_members_lose(struct mesh_root *r, uint32_t rank, const char *reason)
{
	struct mesh_member *m = &r->members[rank];
	struct mesh_end end = { .interrupted = false };
	json_t *msg;

	if (m->state == MESH_GONE)
		return;
	snprintf(m->reason, sizeof(m->reason), "%s is gone: %.400s", m->node.name, reason);
	log_error("%s", m->reason);
	r->n_gone++;
	lead_away(r, rank);
	snprintf(end.reason, sizeof(end.reason), "%s", m->reason);
	msg = mesh_wire_end(&end);
	mesh_wire_add_rank(msg, rank);
	links_send_parts(r->links, msg, "ranks");
	ctl_close(&m->ctl);
	mesh_round_gone(r, rank);
}

static void take_gone(struct mesh_root *r, const json_t *msg)
{
	char reason[ROW_TEXT];
	uint32_t rank, by;

	if (mesh_wire_read_gone(&rank, &by, reason, msg) || rank >= r->n)
		return;
	/* it may have another parent by now */
	if (r->members[rank].parent == by)
		mesh_members_lose(r, rank, reason);
}

void mesh_members_lost(struct mesh_root *r, uint32_t id)
{
	if (r->members[id].parent == 0)
		mesh_members_lose(r, id, err_text());
}

/* Those who are away for too long. */
void mesh_members_look(struct mesh_root *r)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - r->looked_ns < LOOK_MS * 1000000u)
		return;
	r->looked_ns = now_ns;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct mesh_member *m = &r->members[i];

		if (m->state != MESH_GONE && m->state != MESH_AWAITED && !m->attached &&
		    now_ns > m->away_ns && now_ns - m->away_ns > r->away_ns)
			mesh_members_lose(r, i, "it has found no place in the control tree in time");
	}
}

/* ---- who has come */

static void take_here(struct mesh_root *r, uint32_t id, const json_t *msg)
{
	const json_t *ranks = json_object_get(msg, "ranks");
	struct mesh_start start;

	if (mesh_wire_read_start(&start, msg))
		return;
	for (size_t i = 0; i < json_array_size(ranks); i++) {
		const uint32_t rank = links_item_rank(json_array_get(ranks, i));
		struct mesh_member *m = rank < r->n ? &r->members[rank] : NULL;

		if (!m || m->state == MESH_GONE || m->state == MESH_AWAITED)
			continue;
		r->n_attached += !m->attached;
		m->attached = true;
		links_route(r->links, rank, id);
		mesh_round_back(r, rank, start.order);
	}
}

void mesh_members_message(struct mesh_root *r, uint32_t id, const json_t *msg)
{
	const char *type = proto_type(msg);

	if (!strcmp(type, "mesh_here"))
		take_here(r, id, msg);
	else if (!strcmp(type, "mesh_gone"))
		take_gone(r, msg);
	else
		mesh_round_message(r, msg);
}

/* ---- where an agent belongs */

/* The next one above that may be there. LINKS_NONE: that has not come yet. */
static uint32_t choose(const struct mesh_root *r, uint32_t rank)
{
	const struct mesh_member *m = &r->members[rank];
	uint32_t parent = mesh_parent_of(r->mesh, rank);

	for (; parent; parent = mesh_parent_of(r->mesh, parent)) {
		const struct mesh_member *p = &r->members[parent];

		if (parent == m->lost || p->state == MESH_GONE)
			continue;
		if (p->state != MESH_AWAITED)
			return parent;
		if (!r->complete)
			return LINKS_NONE;
	}
	return 0;
}

static void place(struct mesh_root *r, uint32_t rank)
{
	struct mesh_member *m = &r->members[rank];
	const uint32_t to = choose(r, rank);
	struct mesh_parent parent = { .rank = to };

	if (to == LINKS_NONE)
		return;
	m->asks = false;
	m->parent = to;
	m->away_ns = clock_ns();
	if (to) {
		snprintf(parent.host, sizeof(parent.host), "%s", r->members[to].node.host);
		parent.port = r->members[to].node.tree_port;
	}
	if (ctl_send(&m->ctl, mesh_wire_parent(&parent), MESH_SEND_MS))
		mesh_members_lose(r, rank, err_text());
	else if (!to)
		links_add(r->links, rank, &m->ctl);
	ctl_close(&m->ctl);
}

/* Those who wait for this one. */
static void place_children(struct mesh_root *r, uint32_t rank)
{
	const uint64_t first = rank * (uint64_t)r->mesh->cfg.fan_out + 1;

	for (uint64_t i = first; rank && i < first + r->mesh->cfg.fan_out && i < r->n; i++)
		if (r->members[i].asks)
			place(r, (uint32_t)i);
}

/* As the root sees it; agents on its own host are reached by its name. */
static void name_host(struct mesh_node *node, const struct ctl *ctl)
{
	const uint8_t *gid = ctl->peer_gid;

	node->host[0] = '\0';
	if (!ranges_loopback(gid))
		inet_ntop(access_is_ipv4(gid) ? AF_INET : AF_INET6,
			  access_is_ipv4(gid) ? gid + 12 : gid, node->host, sizeof(node->host));
}

static int may_join(const struct mesh_root *r, const struct mesh_join *join)
{
	const struct mesh_member *m = &r->members[join->rank];

	if (m->state == MESH_GONE)
		return err_set(-ESTALE, "%s", m->reason);
	if (join->lost == LINKS_NONE && m->state != MESH_AWAITED)
		return err_set(-EEXIST, "%s: rank %u is %s already", join->name, join->rank,
			       m->node.name);
	if (join->lost != LINKS_NONE && m->state == MESH_AWAITED)
		return err_set(-EINVAL, "%s: rank %u has not joined", join->name, join->rank);
	return 0;
}

/* Mail: an agent whose message is checked already. */
void mesh_members_join(struct mesh_root *r, struct links_mail *mail)
{
	struct mesh_member *m = &r->members[mail->rank];
	struct mesh_join join;
	int rc = mesh_wire_read_join(&join, mail->msg);

	json_decref(mail->msg);
	if (!rc)
		rc = may_join(r, &join);
	if (rc) {
		log_error("an agent is refused: %s", err_text());
		ctl_abort(&mail->ctl, rc);
		ctl_close(&mail->ctl);
		return;
	}
	if (m->state == MESH_AWAITED) {
		m->state = MESH_THERE;
		r->joined++;
		m->node.port = join.port;
		m->node.tree_port = join.tree_port;
		snprintf(m->node.name, sizeof(m->node.name), "%s", join.name);
		name_host(&m->node, &mail->ctl);
	}
	lead_away(r, mail->rank);
	links_drop(r->links, mail->rank);
	ctl_close(&m->ctl);
	m->ctl = mail->ctl;
	m->ctl.signals_fd = -1;
	m->lost = join.lost;
	m->asks = true;
	m->away_ns = clock_ns();
	place(r, mail->rank);
	place_children(r, mail->rank);
}

/* ---- all of them, at the beginning */

static int by_name(const void *a, const void *b)
{
	const struct mesh_member *const *x = a, *const *y = b;
	const int order = strcmp((*x)->node.name, (*y)->node.name);

	return order ? order : (*x > *y) - (*x < *y);
}

/* Two agents may run on one host: the first keeps its name. */
static void name_apart(struct mesh_root *r)
{
	struct mesh_member **sorted = must_calloc(r->n, sizeof(*sorted));
	const char *last = "";

	for (uint32_t i = 0; i < r->n; i++)
		sorted[i] = &r->members[i];
	qsort(sorted, r->n, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < r->n; i++) {
		char *name = sorted[i]->node.name;
		const bool twice = !strcmp(name, last);

		if (twice)
			snprintf(name + strnlen(name, ROW_NAME - 12), 12, "#%u",
				 (unsigned int)(sorted[i] - r->members));
		else
			last = name;
	}
	free(sorted);
}

static void tell_missing(struct mesh_root *r)
{
	char text[ERR_TEXT_MAX] = "";
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_AWAITED)
			continue;
		snprintf(m->node.name, sizeof(m->node.name), "rank%u", i);
		m->state = MESH_GONE;
		r->n_gone++;
		snprintf(m->reason, sizeof(m->reason), "%s did not join within %g s (--connect-timeout)",
			 m->node.name, r->mesh->cfg.connect_timeout_ms / 1e3);
		if (n++ < NAMED)
			text_add(text, sizeof(text), ", ", "%u", i);
	}
	if (n > NAMED)
		text_add(text, sizeof(text), " ", "and %u more", n - NAMED);
	if (n)
		log_error("agents did not join within %g s (--connect-timeout): rank %s",
			  r->mesh->cfg.connect_timeout_ms / 1e3, text);
}

/* Until all are there, or it is time. */
static void wait_for_all(struct mesh_root *r, uint64_t until_ns)
{
	while (r->n_attached + r->n_gone < r->n && clock_ns() < until_ns && !signals_asked()) {
		links_work(r->links, LOOK_MS);
		mesh_members_look(r);
	}
}

int mesh_members_all(struct mesh_root *r)
{
	const struct cfg *cfg = &r->mesh->cfg;
	const uint64_t most_ns = cfg->connect_timeout_ms * UINT64_C(1000000);
	const uint32_t least = cfg->min_nodes == CFG_AUTO ? r->n : cfg->min_nodes;

	r->away_ns = most_ns + MESH_AWAY_NS;
	wait_for_all(r, clock_ns() + most_ns);
	tell_missing(r);
	r->complete = true;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->members[i].asks)
			place(r, i);
	if (!signals_asked() && r->joined >= least)
		wait_for_all(r, UINT64_MAX);
	r->away_ns = MESH_AWAY_NS;
	if (signals_asked())
		return err_set(-EINTR, "interrupted while %u of %u agents had joined", r->joined,
			       r->n);
	if (r->joined < least)
		return err_set(-ETIMEDOUT, "%u of %u agents have joined; needed: %u (--min-nodes)",
			       r->joined, r->n, least);
	name_apart(r);
	return 0;
}
