/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how agents find their place in the tree, at both ends; mesh_members.c chooses it. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "tree/join_file.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"
#include "wire/ctl_socket.h"
#include "wire/proto.h"

#define TRIES 8 /* to find a parent that is there */
#define FILE_LOOK_MS 100  /* between two looks into the file of --join */
#define FILE_TRY_MS 1000u /* where nobody answers for so long it is read again */

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

/* ---- the form of the tree: a heap whose top is the root; the agent of rank 0 is a leaf of it */

uint32_t mesh_parent_of(const struct mesh *mesh, uint32_t rank)
{
	return rank ? (rank - 1) / mesh->cfg.fan_out : 0;
}

bool mesh_has_children(const struct mesh *mesh, uint32_t rank)
{
	return rank && rank * (uint64_t)mesh->cfg.fan_out + 1 < mesh->rank.size;
}

/* ---- both ends */

static int answer_hello(const struct mesh *mesh, struct ctl *ctl)
{
	const uint32_t timeout_ms = mesh->cfg.connect_timeout_ms;
	struct proto_hello hello;
	json_t *msg = NULL;
	int rc = ctl_recv(ctl, "hello", &msg, timeout_ms);

	if (!rc)
		rc = proto_read_hello(&hello, msg);
	json_decref(msg);
	return rc ? rc : ctl_send(ctl, proto_hello(), timeout_ms);
}

/* ---- the agent, before it has a parent */

static int say_join(const struct mesh *mesh, const struct mesh_join *own, struct ctl *root,
		    uint32_t timeout_ms)
{
	struct mesh_join join = *own;

	join.fingerprint = mesh_fingerprint(mesh);
	mesh_name(mesh, join.name, sizeof(join.name));
	return ctl_send(root, mesh_wire_join(&join), timeout_ms);
}

/* The root says it when the parent has come, or is waited for no longer. */
static int await_parent(const struct mesh *mesh, struct ctl *root, struct mesh_parent *parent)
{
	const uint32_t timeout_ms = 2 * mesh->cfg.connect_timeout_ms + MESH_SEND_MS;
	json_t *msg = NULL;
	int rc = ctl_recv(root, "mesh_parent", &msg, timeout_ms);

	if (!rc)
		rc = mesh_wire_read_parent(parent, msg);
	json_decref(msg);
	return rc;
}

static int connect_to(const struct mesh *mesh, struct ctl *ctl, const struct hosts_one *to,
		      uint32_t timeout_ms)
{
	const struct ctl_dial dial = {
		.host = to->host,
		.port = to->port,
		.timeout_ms = timeout_ms,
		.signals_fd = signals_fd(),
		.from = mesh->cfg.bind,
		.start = "verbench mesh --ranks 0/N",
		.open = mesh->tls != NULL,
	};

	return ctl_dial(ctl, &dial);
}

static int greet(const struct mesh *mesh, struct ctl *ctl, uint32_t timeout_ms)
{
	const int rc = mesh->tls ? ctl_prove(ctl, mesh->tls, false, timeout_ms) : 0;

	return rc ? rc : say_hello(ctl, timeout_ms);
}

static int dial(const struct mesh *mesh, struct ctl *ctl, const struct hosts_one *to,
		uint32_t timeout_ms)
{
	const int rc = connect_to(mesh, ctl, to, timeout_ms);

	return rc ? rc : greet(mesh, ctl, timeout_ms);
}

/* A look into the file of --join: connects to where it says that rank 0 is. */
static int try_file(const struct mesh *mesh, struct mesh_found *place)
{
	struct hosts_one root;
	int rc = join_file_read(mesh->cfg.join, &root);

	if (rc)
		return rc;
	rc = connect_to(mesh, &place->up, &root, FILE_TRY_MS);
	if (!rc)
		place->root = root;
	return rc ? err_wrap(rc, "rank 0 that has written it may have ended") : 0;
}

/* Until rank 0 of this run has written the file. Where nobody answers the file is an old one. */
static int dial_by_file(const struct mesh *mesh, struct mesh_found *place, uint32_t timeout_ms)
{
	const uint64_t until_ns = clock_ns() + timeout_ms * UINT64_C(1000000);
	struct pollfd stop = { .fd = signals_fd(), .events = POLLIN };
	int rc;

	do {
		rc = try_file(mesh, place);
		if (rc && rc != -EINTR && poll(&stop, 1, FILE_LOOK_MS) > 0)
			rc = err_set(-EINTR, "interrupted while waiting for rank 0");
	} while (rc && rc != -EINTR && clock_ns() < until_ns);
	if (!rc)
		rc = greet(mesh, &place->up, timeout_ms);
	return rc ? err_wrap(rc, "--join %s", mesh->cfg.join) : 0;
}

/* Of those that join again others wait already. */
static uint32_t steps_ms(const struct mesh *mesh, const struct mesh_join *own)
{
	return own->lost == LINKS_NONE ? mesh->cfg.connect_timeout_ms : MESH_AGAIN_MS;
}

static int ask_root(const struct mesh *mesh, const struct mesh_join *own, struct mesh_found *place,
		    struct mesh_parent *parent)
{
	const uint32_t timeout_ms = steps_ms(mesh, own);
	int rc = place->root.host[0] ? dial(mesh, &place->up, &place->root, timeout_ms) :
				       dial_by_file(mesh, place, timeout_ms);

	if (!rc)
		rc = say_join(mesh, own, &place->up, timeout_ms);
	if (!rc)
		rc = compare_clocks(&place->up, &place->ahead_ns);
	return rc ? rc : await_parent(mesh, &place->up, parent);
}

static int ask_parent(const struct mesh *mesh, const struct mesh_join *own,
		      struct mesh_found *place, const struct mesh_parent *parent)
{
	const uint32_t timeout_ms = steps_ms(mesh, own);
	struct hosts_one to = place->root;
	int rc;

	if (parent->host[0])
		snprintf(to.host, sizeof(to.host), "%s", parent->host);
	to.port = parent->port;
	rc = dial(mesh, &place->up, &to, timeout_ms);
	return rc ? rc : ctl_send(&place->up, mesh_wire_child(own->rank), timeout_ms);
}

/* A parent that cannot be reached is lost. */
int mesh_join(const struct mesh *mesh, const struct mesh_join *own, struct mesh_found *place)
{
	const struct ctl closed = CTL_CLOSED;
	struct mesh_join join = *own;
	uint32_t tries = 0;
	int rc;

	place->up = closed;
	/* also after a signal: what is asked first says that it is interrupted */
	do {
		struct mesh_parent parent;

		rc = ask_root(mesh, &join, place, &parent);
		if (rc)
			break;
		place->parent = parent.rank;
		if (!parent.port)
			return 0;
		ctl_close(&place->up);
		rc = ask_parent(mesh, &join, place, &parent);
		join.lost = parent.rank;
		if (rc)
			ctl_close(&place->up);
	} while (rc && ++tries < TRIES && !signals_asked());
	if (rc)
		ctl_close(&place->up);
	return rc;
}

int mesh_join_child(const struct mesh *mesh, struct ctl *ctl, uint32_t *rank)
{
	json_t *msg = NULL;
	int rc = answer_hello(mesh, ctl);

	if (!rc)
		rc = ctl_recv(ctl, "mesh_child", &msg, mesh->cfg.connect_timeout_ms);
	if (!rc)
		rc = mesh_wire_read_rank(rank, msg);
	json_decref(msg);
	if (!rc && *rank >= mesh->rank.size)
		rc = err_set(-EBADMSG, "rank %u; allowed: 0..%u", *rank, mesh->rank.size - 1);
	return rc;
}

/* ---- the root: one agent, on a thread of its own */

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
	if (join->fingerprint != r->fingerprint)
		return err_set(-EINVAL, "%s, rank %u: its options or its schedule differ from those of rank 0",
			       join->name, join->rank);
	return 0;
}

/* The root's thread does the rest. */
static int talk(struct mesh_root *r, struct ctl *ctl)
{
	const struct ctl closed = CTL_CLOSED;
	struct mesh_join join;
	json_t *msg = NULL;
	int rc = answer_hello(r->mesh, ctl);

	if (!rc)
		rc = ctl_recv(ctl, "mesh_join", &msg, r->mesh->cfg.connect_timeout_ms);
	if (!rc)
		rc = mesh_wire_read_join(&join, msg);
	if (!rc)
		rc = check(r, &join);
	if (!rc)
		rc = answer_pings(r, ctl);
	if (rc) {
		json_decref(msg);
		return rc;
	}
	links_post(r->links, &(struct links_mail){ .rank = join.rank, .msg = msg, .ctl = *ctl });
	*ctl = closed;
	return 0;
}

/* Beside the root's thread. */
void mesh_join_serve(void *arg, struct ctl *ctl)
{
	struct mesh_root *r = arg;
	const int rc = talk(r, ctl);

	if (!rc)
		return;
	log_error("an agent is refused: %s", err_text());
	ctl_abort(ctl, rc);
}
