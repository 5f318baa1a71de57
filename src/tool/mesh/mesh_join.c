/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how agents join the root, at both ends. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"
#include "wire/ctl_socket.h"
#include "wire/proto.h"

#define LOOK_MS 50

/* ---- the agent */

/* How far the root's clock is ahead, by the ping with the shortest way there and back. */
static int compare_clocks(struct ctl *root, int64_t *ahead_ns)
{
	uint64_t shortest_ns = UINT64_MAX;
	int rc = 0;

	for (uint32_t i = 0; i < MESH_PINGS && !rc; i++) {
		const uint64_t sent_ns = clock_ns();
		uint64_t there_ns = 0, way_ns;
		json_t *msg = NULL;

		rc = ctl_send(root, proto_plain("mesh_ping"), MESH_SEND_MS);
		if (!rc)
			rc = ctl_recv(root, "mesh_pong", &msg, MESH_SEND_MS);
		way_ns = clock_ns() - sent_ns;
		if (!rc)
			rc = mesh_wire_read_time(&there_ns, msg);
		json_decref(msg);
		if (rc || way_ns >= shortest_ns)
			continue;
		shortest_ns = way_ns;
		*ahead_ns = (int64_t)(there_ns - sent_ns - way_ns / 2);
	}
	return rc;
}

static int say_hello(struct ctl *root, uint32_t timeout_ms)
{
	struct proto_hello hello;
	json_t *msg = NULL;
	int rc = ctl_send(root, proto_hello(), timeout_ms);

	if (!rc)
		rc = ctl_recv(root, "hello", &msg, timeout_ms);
	if (!rc)
		rc = proto_read_hello(&hello, msg);
	json_decref(msg);
	return rc;
}

/* What the root tells all when the last agent has come, or its time is over. */
static int await_nodes(const struct mesh *mesh, struct ctl *root, struct mesh_node *nodes)
{
	const uint32_t timeout_ms = 2 * mesh->cfg.connect_timeout_ms + MESH_SEND_MS;
	json_t *msg = NULL;
	int rc;

	root->admitted = true;
	rc = ctl_recv(root, "mesh_nodes", &msg, timeout_ms);
	if (!rc)
		rc = mesh_wire_read_nodes(nodes, mesh->rank.size, msg);
	json_decref(msg);
	return rc;
}

int mesh_join(const struct mesh *mesh, uint32_t port, struct ctl *root, struct mesh_node *nodes,
	      int64_t *ahead_ns)
{
	const uint32_t timeout_ms = mesh->cfg.connect_timeout_ms;
	const struct ctl_dial dial = {
		.host = mesh->root.host,
		.port = mesh->root.port,
		.timeout_ms = timeout_ms,
		.signals_fd = signals_fd(),
		.from = mesh->cfg.bind,
		.start = "verbench mesh --ranks 0/N",
		.open = mesh->tls != NULL,
	};
	struct mesh_join own = { .rank = mesh->rank.rank, .size = mesh->rank.size, .port = port,
				 .fingerprint = mesh_fingerprint(mesh) };
	int rc = ctl_dial(root, &dial);

	mesh_name(mesh, own.name, sizeof(own.name));
	if (!rc && mesh->tls)
		rc = ctl_prove(root, mesh->tls, false, timeout_ms);
	if (!rc)
		rc = say_hello(root, timeout_ms);
	if (!rc)
		rc = ctl_send(root, mesh_wire_join(&own), timeout_ms);
	if (!rc)
		rc = compare_clocks(root, ahead_ns);
	return rc ? rc : await_nodes(mesh, root, nodes);
}

/* ---- the root: one agent, on a thread of its own */

static int answer_hello(const struct mesh_root *r, struct ctl *ctl)
{
	const uint32_t timeout_ms = r->mesh->cfg.connect_timeout_ms;
	struct proto_hello hello;
	json_t *msg = NULL;
	int rc = ctl_recv(ctl, "hello", &msg, timeout_ms);

	if (!rc)
		rc = proto_read_hello(&hello, msg);
	json_decref(msg);
	return rc ? rc : ctl_send(ctl, proto_hello(), timeout_ms);
}

static int answer_pings(const struct mesh_root *r, struct ctl *ctl)
{
	int rc = 0;

	for (uint32_t i = 0; i < MESH_PINGS && !rc; i++) {
		rc = ctl_recv(ctl, "mesh_ping", NULL, r->mesh->cfg.connect_timeout_ms);
		if (!rc)
			rc = ctl_send(ctl, mesh_wire_time("mesh_pong", clock_ns()), MESH_SEND_MS);
	}
	return rc;
}

/* May the agent take part? -EINVAL with an error message: no. */
static int check(const struct mesh_root *r, const struct mesh_join *join)
{
	if (join->size != r->n)
		return err_set(-EINVAL, "%s: it is one of %u nodes, and this run has %u",
			       join->name, join->size, r->n);
	if (join->rank >= r->n)
		return err_set(-EINVAL, "%s: rank %u; allowed: 0..%u", join->name, join->rank,
			       r->n - 1);
	if (join->fingerprint != mesh_fingerprint(r->mesh))
		return err_set(-EINVAL, "%s, rank %u: its options or its schedule differ from those of rank 0",
			       join->name, join->rank);
	return 0;
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

/* With the lock. Takes over the connection. */
static int admit(struct mesh_root *r, const struct mesh_join *join, struct ctl *ctl)
{
	struct mesh_member *m = &r->members[join->rank];
	const struct ctl closed = CTL_CLOSED;

	if (m->state != MESH_AWAITED)
		return err_set(-EEXIST, "%s: rank %u is %s already", join->name, join->rank,
			       m->node.name);
	m->state = MESH_IDLE;
	m->ctl = *ctl;
	m->ctl.signals_fd = signals_fd();
	m->ctl.admitted = true;
	m->heard_ns = clock_ns();
	m->node.port = join->port;
	snprintf(m->node.name, sizeof(m->node.name), "%s", join->name);
	name_host(&m->node, ctl);
	*ctl = closed;
	r->joined++;
	return 0;
}

static int talk(struct mesh_root *r, struct ctl *ctl)
{
	struct mesh_join join;
	json_t *msg = NULL;
	int rc = answer_hello(r, ctl);

	if (!rc)
		rc = ctl_recv(ctl, "mesh_join", &msg, r->mesh->cfg.connect_timeout_ms);
	if (!rc)
		rc = mesh_wire_read_join(&join, msg);
	json_decref(msg);
	if (!rc)
		rc = check(r, &join);
	if (!rc)
		rc = answer_pings(r, ctl);
	if (rc)
		return rc;
	pthread_mutex_lock(&r->lock);
	rc = admit(r, &join, ctl);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

/* Beside the root's thread, until it closes the door. */
void mesh_join_serve(void *arg, struct ctl *ctl)
{
	struct mesh_root *r = arg;
	const int rc = talk(r, ctl);

	if (!rc)
		return;
	log_error("an agent is refused: %s", err_text());
	ctl_abort(ctl, rc);
}

/* ---- all of them */

static bool all_joined(struct mesh_root *r)
{
	bool all;

	pthread_mutex_lock(&r->lock);
	all = r->joined == r->n;
	pthread_mutex_unlock(&r->lock);
	return all;
}

/* Two agents may run on one host: from the last on, so that the others still have their names. */
static void name_apart(struct mesh_root *r)
{
	for (uint32_t i = r->n; i-- > 0;) {
		struct mesh_node *node = &r->members[i].node;
		bool twice = !node->name[0];

		for (uint32_t k = 0; k < i && !twice; k++)
			twice = !strcmp(r->members[k].node.name, node->name);
		if (twice)
			snprintf(node->name + strnlen(node->name, ROW_NAME - 12), 12, "#%u", i);
	}
}

static void tell_missing(struct mesh_root *r)
{
	char text[ERR_TEXT_MAX] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_AWAITED)
			continue;
		snprintf(m->node.name, sizeof(m->node.name), "rank%u", i);
		m->state = MESH_GONE;
		snprintf(m->reason, sizeof(m->reason), "%s did not join within %g s (--connect-timeout)",
			 m->node.name, r->mesh->cfg.connect_timeout_ms / 1e3);
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u",
						len ? ", " : "", i);
	}
	if (text[0])
		log_error("agents did not join within %g s (--connect-timeout): rank %.400s",
			  r->mesh->cfg.connect_timeout_ms / 1e3, text);
}

static int tell_nodes(struct mesh_root *r)
{
	struct mesh_node *nodes = calloc(r->n, sizeof(*nodes));

	if (!nodes)
		return err_set(-ENOMEM, "no memory for %u nodes", r->n);
	for (uint32_t i = 0; i < r->n; i++)
		nodes[i] = r->members[i].node;
	for (uint32_t i = 0; i < r->n; i++) {
		struct mesh_member *m = &r->members[i];

		if (m->state != MESH_IDLE)
			continue;
		/* only from now on it is never silent */
		m->heard_ns = clock_ns();
		if (ctl_send(&m->ctl, mesh_wire_nodes(nodes, r->n), MESH_SEND_MS))
			mesh_round_lose(m, err_text());
	}
	free(nodes);
	return 0;
}

int mesh_join_all(struct mesh_root *r)
{
	const struct cfg *cfg = &r->mesh->cfg;
	const uint64_t until_ns = clock_ns() + cfg->connect_timeout_ms * UINT64_C(1000000);
	struct pollfd stop = { .fd = signals_fd(), .events = POLLIN };
	const uint32_t least = cfg->min_nodes == CFG_AUTO ? r->n : cfg->min_nodes;

	while (!all_joined(r) && clock_ns() < until_ns && !signals_asked())
		poll(&stop, 1, LOOK_MS);
	/* from now on members are of this thread alone */
	mesh_serve_close(r->serve);
	r->serve = NULL;
	if (signals_asked())
		return err_set(-EINTR, "interrupted while %u of %u agents had joined", r->joined,
			       r->n);
	tell_missing(r);
	if (r->joined < least)
		return err_set(-ETIMEDOUT, "%u of %u agents have joined; needed: %u (--min-nodes)",
			       r->joined, r->n, least);
	name_apart(r);
	return tell_nodes(r);
}
