/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns an agent's place in the control tree; see mesh_relay.h. */
#include "config.h"
#include "mesh/mesh_relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh_up.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/must.h"
#include "util/text.h"
#include "wire/proto.h"

#define DRAIN_NS 2000000000u /* those below an agent have ended by then, or are not waited for */

enum mail { MAIL_PLACE, MAIL_CHILD, MAIL_ROW, MAIL_READY, MAIL_DONE };

struct mesh_relay {
	const struct mesh *mesh;
	struct mesh_relay_host host;
	struct links *links;
	struct mesh_serve *serve;  /* of its children; NULL: it never has any */
	struct mesh_join own;
	uint32_t parent;
	int64_t ahead_ns;
	struct hosts_one root;     /* where rank 0 is; of the joiner while that runs */
	pthread_t joiner;
	bool joining;              /* the thread that looks for a parent runs */
	bool over;
	uint64_t over_ns;          /* clock_ns() */
	struct mesh_up up;
};

/* ---- what is measured, from other threads */

void mesh_relay_row(struct mesh_relay *r, uint64_t order, json_t *msg)
{
	links_post(r->links, &(struct links_mail){ .what = MAIL_ROW, .number = (int64_t)order,
						   .msg = msg, .ctl = CTL_CLOSED });
}

void mesh_relay_ready(struct mesh_relay *r, const struct mesh_start *start)
{
	links_post(r->links, &(struct links_mail){ .what = MAIL_READY, .rank = start->number,
						   .number = (int64_t)start->order,
						   .ctl = CTL_CLOSED });
}

void mesh_relay_done(struct mesh_relay *r, uint64_t order, json_t *msg)
{
	links_post(r->links, &(struct links_mail){ .what = MAIL_DONE, .number = (int64_t)order,
						   .msg = msg, .ctl = CTL_CLOSED });
}

/* ---- the end */

/* The first reason counts. Those below look for another parent. */
static void end(struct mesh_relay *r, int rc)
{
	if (r->over)
		return;
	r->over = true;
	r->over_ns = 0;
	r->host.over(r->host.arg, rc);
}

/* Those below end, too. */
static void end_all(struct mesh_relay *r, int rc)
{
	struct mesh_end why = { .interrupted = rc == -EINTR };

	if (r->over)
		return;
	if (rc)
		text_clean(err_text(), why.reason, sizeof(why.reason));
	links_send_below(r->links, mesh_wire_end(&why));
	end(r, rc);
	r->over_ns = clock_ns();
}

static void take_end(struct mesh_relay *r, const json_t *msg)
{
	struct mesh_end why;
	int rc = mesh_wire_read_end(&why, msg);

	if (!rc && why.reason[0])
		rc = err_set(why.interrupted ? -EINTR : -ECONNABORTED, "the root: %s", why.reason);
	if (json_object_get(msg, "ranks"))
		end(r, rc);
	else
		end_all(r, rc);
}

bool mesh_relay_joined(const struct mesh_relay *r)
{
	return links_have(r->links, LINKS_UP);
}

bool mesh_relay_finished(const struct mesh_relay *r)
{
	return r->over && (!links_have_below(r->links) || clock_ns() - r->over_ns > DRAIN_NS);
}

void mesh_relay_abort(struct mesh_relay *r, int rc)
{
	if (!r->over)
		links_abort(r->links, LINKS_UP, rc);
	end(r, rc);
}

/* ---- down */

static void take_cell(struct mesh_relay *r, json_t *msg)
{
	struct mesh_orders orders;
	const int rc = mesh_wire_read_cell(&orders, r->own.rank, msg);

	if (rc) {
		end(r, rc);
		return;
	}
	mesh_up_count(&r->up, orders.what.order,
		      (uint32_t)json_array_size(json_object_get(msg, "pairs")));
	links_send_parts(r->links, json_incref(msg), "pairs");
	if (!orders.n || !mesh_up_begin(&r->up, orders.what.order))
		return;
	for (uint32_t i = 0; i < orders.n; i++) {
		struct mesh_order *order = &orders.of[i];

		if (!order->host[0])
			snprintf(order->host, sizeof(order->host), "%s", r->root.host);
		r->host.order(r->host.arg, order, r->ahead_ns);
	}
}

/* For all, or for some. */
static void pass_down(struct mesh_relay *r, json_t *msg)
{
	if (json_object_get(msg, "ranks"))
		links_send_parts(r->links, json_incref(msg), "ranks");
	else
		links_send_below(r->links, json_incref(msg));
}

static void take_go(struct mesh_relay *r, json_t *msg)
{
	const json_t *ranks = json_object_get(msg, "ranks");
	const uint32_t lanes = ranks ? 1 : schedule_lanes(r->mesh->schedule);
	struct mesh_start start;
	const int rc = mesh_wire_read_start(&start, msg);

	if (rc) {
		end(r, rc);
		return;
	}
	mesh_up_went(&r->up, ranks ? (uint32_t)json_array_size(ranks) : UINT32_MAX);
	pass_down(r, msg);
	if (!mesh_wire_is_for(r->own.rank, msg))
		return;
	for (uint32_t lane = 0; lane < lanes; lane++, start.order++)
		if (mesh_up_go(&r->up, &start))
			r->host.go(r->host.arg, &start);
}

static void take_from_parent(struct mesh_relay *r, json_t *msg)
{
	const char *type = proto_type(msg);

	if (!strcmp(type, "mesh_cell")) {
		take_cell(r, msg);
	} else if (!strcmp(type, "mesh_go")) {
		take_go(r, msg);
	} else if (!strcmp(type, "mesh_again")) {
		mesh_up_again(&r->up);
	} else if (!strcmp(type, "mesh_end") && !mesh_wire_is_for(r->own.rank, msg)) {
		pass_down(r, msg);
	} else if (!strcmp(type, "mesh_end")) {
		take_end(r, msg);
	}
}

static void take_from_child(struct mesh_relay *r, uint32_t id, json_t *msg)
{
	const char *type = proto_type(msg);
	const json_t *ranks = json_object_get(msg, "ranks");

	if (!strcmp(type, "mesh_here"))
		for (size_t i = 0; i < json_array_size(ranks); i++)
			links_route(r->links, links_item_rank(json_array_get(ranks, i)), id);
	mesh_up_send(&r->up, json_incref(msg));
}

static void take_message(void *arg, uint32_t id, json_t *msg)
{
	struct mesh_relay *r = arg;

	if (r->over)
		return;
	if (id == LINKS_UP)
		take_from_parent(r, msg);
	else
		take_from_child(r, id, msg);
}

/* ---- the place in the tree */

static void *join_main(void *arg)
{
	struct mesh_relay *r = arg;
	struct mesh_found place = { .up = CTL_CLOSED, .root = r->root };
	const int rc = mesh_join(r->mesh, &r->own, &place);

	r->root = place.root;
	links_post(r->links, &(struct links_mail){
		.what = MAIL_PLACE, .rank = place.parent, .number = place.ahead_ns, .rc = rc,
		.msg = rc ? json_string(err_text()) : NULL, .ctl = place.up });
	return NULL;
}

static int begin_joining(struct mesh_relay *r)
{
	const int rc = pthread_create(&r->joiner, NULL, join_main, r);

	r->joining = !rc;
	return rc ? err_set(-EAGAIN, "cannot start the thread that joins the mesh") : 0;
}

static void take_place(struct mesh_relay *r, struct links_mail *mail)
{
	const char *reason = json_string_value(mail->msg);

	pthread_join(r->joiner, NULL);
	r->joining = false;
	if (mail->rc == -ECONNABORTED || mail->rc == -EINTR) {
		end(r, err_set(mail->rc, "%s", reason ? reason : ""));
	} else if (mail->rc) {
		/* the root is gone */
		end_all(r, err_set(mail->rc, "%s", reason ? reason : ""));
	} else if (!r->over) {
		r->parent = mail->rank;
		r->ahead_ns = mail->number;
		links_add(r->links, LINKS_UP, &mail->ctl);
		mesh_up_again(&r->up);
	}
	ctl_close(&mail->ctl);
	json_decref(mail->msg);
}

static void take_lost(void *arg, uint32_t id, int rc)
{
	struct mesh_relay *r = arg;

	if (r->over)
		return;
	if (id != LINKS_UP) {
		mesh_up_send(&r->up, mesh_wire_gone(id, r->own.rank, err_text()));
		return;
	}
	mesh_up_lost(&r->up);
	if (!r->parent && (rc == -ECONNABORTED || rc == -EINTR)) {
		end(r, err_wrap(rc, "the root"));
		return;
	}
	log_note("the parent in the control tree, rank %u, is gone: %s", r->parent, err_text());
	r->own.lost = r->parent;
	rc = begin_joining(r);
	if (rc)
		end(r, rc);
}

/* On a thread of its own. */
static void serve_child(void *arg, struct ctl *ctl)
{
	struct mesh_relay *r = arg;
	const struct ctl closed = CTL_CLOSED;
	uint32_t rank;

	if (mesh_join_child(r->mesh, ctl, &rank)) {
		log_note("a connection from %s is no agent: %s", ctl->peer, err_text());
		return;
	}
	links_post(r->links, &(struct links_mail){ .what = MAIL_CHILD, .rank = rank,
						   .ctl = *ctl });
	*ctl = closed;
}

static void take_mail(void *arg, struct links_mail *mail)
{
	struct mesh_relay *r = arg;

	switch ((enum mail)mail->what) {
	case MAIL_PLACE:
		take_place(r, mail);
		break;
	case MAIL_CHILD:
		links_add(r->links, mail->rank, &mail->ctl);
		break;
	case MAIL_ROW:
		mesh_up_row(&r->up, (uint64_t)mail->number, mail->msg);
		break;
	case MAIL_READY:
		mesh_up_ready(&r->up, &(struct mesh_start){ (uint64_t)mail->number, mail->rank });
		break;
	case MAIL_DONE:
		mesh_up_done(&r->up, (uint64_t)mail->number, mail->msg);
		break;
	}
}

/* ---- */

uint64_t mesh_relay_due_ns(const struct mesh_relay *r)
{
	return min_u64(links_due_ns(r->links), mesh_up_due_ns(&r->up));
}

void mesh_relay_work(struct mesh_relay *r, uint32_t timeout_ms)
{
	const uint64_t due_ns = mesh_relay_due_ns(r), now_ns = clock_ns();
	/* rounded up: with 0 the last millisecond would be a busy loop */
	const uint64_t left_ms = due_ns > now_ns ? (due_ns - now_ns) / 1000000 + 1 : 0;

	links_work(r->links, (uint32_t)min_u64(left_ms, timeout_ms));
	mesh_up_look(&r->up);
	if (mesh_relay_finished(r))
		links_drop(r->links, LINKS_UP);
}

int mesh_relay_fd(const struct mesh_relay *r)
{
	return links_fd(r->links);
}

static int open_serve(struct mesh_relay *r)
{
	const struct mesh_server server = { serve_child, r, true };

	if (!mesh_has_children(r->mesh, r->own.rank))
		return 0;
	return mesh_serve_open(&r->serve, r->mesh, &server, &r->own.tree_port);
}

int mesh_relay_open(struct mesh_relay **relay, const struct mesh *mesh,
		    const struct mesh_relay_host *host, uint32_t port)
{
	struct mesh_relay *r = must_calloc(1, sizeof(*r));
	const struct links_host links = { take_message, take_lost, take_mail, r };
	int rc;

	*r = (struct mesh_relay){
		.mesh = mesh, .host = *host, .root = mesh->root,
		.own = { .rank = mesh->rank.rank, .size = mesh->rank.size, .port = port,
			 .lost = LINKS_NONE },
	};
	rc = links_open(&r->links, &links, mesh->rank.size);
	r->up = (struct mesh_up){ .links = r->links, .rank = mesh->rank.rank };
	if (!rc)
		rc = open_serve(r);
	if (!rc)
		rc = begin_joining(r);
	*relay = r;
	if (!rc)
		return 0;
	mesh_relay_close(r);
	*relay = NULL;
	return rc;
}

void mesh_relay_close(struct mesh_relay *r)
{
	if (!r)
		return;
	mesh_serve_close(r->serve);
	if (r->joining)
		pthread_join(r->joiner, NULL);
	links_close(r->links);
	mesh_up_free(&r->up);
	free(r);
}
