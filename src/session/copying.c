/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the order of a copy: agree, connect, move the file; and what ends it from outside. Called by
 * session_client.c and session_server.c. Must not know how a window is moved: that is copy.
 */
#include "config.h"
#include "session/copying.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "copy/transfer.h"
#include "verbs/verbs_error.h"
#include "control/proto.h"
#include "util/err.h"
#include "util/text.h"

#define COPIED "copied" /* type of the message */

/* What a side works with once the plan is agreed. */
struct work {
	struct copying *c;
	const struct copy_file *file;
	struct ep ep;
	struct ep_addr peer;
	struct link link;
	struct link_watch watch;
	struct copy_progress progress;
	struct transfer transfer;
	bool peer_is_done; /* it has said COPIED */
};

/* ---- what ends a copy from outside */

/*
 * While the windows move, the peer says nothing on this connection but abort. At the end COPIED may
 * come before this side has seen what came before it over RDMA.
 */
static int hear_peer(struct work *w)
{
	struct ctl *ctl = w->c->agree->ctl;
	char type[33];
	json_t *msg = NULL;
	int rc = ctl_try_recv(ctl, &msg);

	if (rc <= 0)
		return rc;
	text_clean(json_string_value(json_object_get(msg, "type")), type, sizeof(type));
	json_decref(msg);
	if (!strcmp(type, "heartbeat"))
		return 0;
	if (!w->peer_is_done && !strcmp(type, COPIED)) {
		w->peer_is_done = true;
		return 0;
	}
	return err_set(-EBADMSG, "the peer %s sent '%s' during a copy", ctl->peer, type);
}

static int look(void *arg)
{
	struct work *w = arg;
	struct agree *a = w->c->agree;
	struct pollfd user = { .fd = a->ctl->signals_fd, .events = POLLIN };
	enum ibv_event_type event;
	int rc = hear_peer(w);

	if (rc)
		return rc;
	if (poll(&user, 1, 0) > 0)
		return err_set(-EINTR, "%s on the %s", ctl_stop_reason(a->ctl, "interrupted"),
			       kind_side_names[a->side]);
	rc = dev_async(&a->own->dev, &event);
	return rc <= 0 ? rc : err_set(-EIO, "%s reports %s", a->own->dev.limits.device,
				      verbs_error_event(event));
}

/* The server ends a session that is silent for too long: this tells it that the copy goes on. */
static void works(void *arg)
{
	const struct work *w = arg;

	ctl_alive(w->c->agree->ctl);
}

/* ---- objects and addresses */

static void open_work(struct work *w, struct copying *c, const struct copy_file *file)
{
	struct agree *a = c->agree;

	*w = (struct work){
		.c = c,
		.file = file,
		.watch = {
			.fds = { a->ctl->fd, a->ctl->signals_fd, a->own->dev.ctx->async_fd },
			.look = look,
			.works = works,
			.arg = w,
		},
		.progress = { c->sink->moved, c->sink->arg },
		.transfer = {
			.link = &w->link,
			.point = &a->plan.points[0],
			.file = file,
			.progress = &w->progress,
		},
	};
}

static void close_work(struct work *w)
{
	link_close(&w->link);
	ep_addr_free(&w->peer);
	ep_close(&w->ep);
}

static int open_endpoint(struct work *w)
{
	struct agree *a = w->c->agree;
	int rc = ep_open(&w->ep, &a->own->dev, &a->plan, &a->plan.points[0], a->side);

	return rc ? rc : link_open(&w->link, &w->ep, &a->plan, &w->watch);
}

static int send_endpoint(const struct work *w)
{
	const struct agree *a = w->c->agree;

	return ctl_send(a->ctl, proto_endpoint(&w->ep.addr), a->plan.stall_timeout_ms);
}

static int receive_endpoint(struct work *w)
{
	const struct agree *a = w->c->agree;
	json_t *msg = NULL;
	int rc = ctl_recv(a->ctl, "endpoint", &msg, a->plan.stall_timeout_ms);

	if (!rc)
		rc = proto_read_endpoint(&w->peer, msg, 1);
	json_decref(msg);
	return rc;
}

static int connect_endpoint(struct work *w)
{
	const struct agree *a = w->c->agree;

	return ep_connect(&w->ep, &a->plan, &w->peer, a->side);
}

static int exchange_plain(const struct work *w, const char *send, const char *receive)
{
	const struct agree *a = w->c->agree;
	const uint32_t timeout_ms = a->plan.stall_timeout_ms;
	json_t *msg = NULL;
	int rc = 0;

	if (a->side == SIDE_CLIENT)
		rc = ctl_send(a->ctl, proto_plain(send), timeout_ms);
	if (!rc)
		rc = ctl_recv(a->ctl, receive, &msg, timeout_ms);
	json_decref(msg);
	if (!rc && a->side == SIDE_SERVER)
		rc = ctl_send(a->ctl, proto_plain(send), timeout_ms);
	return rc;
}

static int connect_client(struct work *w)
{
	int rc = open_endpoint(w);

	if (!rc)
		rc = send_endpoint(w);
	if (!rc)
		rc = receive_endpoint(w);
	if (!rc)
		rc = connect_endpoint(w);
	return rc ? rc : exchange_plain(w, "ready", "go");
}

static int connect_server(struct work *w)
{
	int rc = receive_endpoint(w);

	if (!rc)
		rc = open_endpoint(w);
	if (!rc)
		rc = connect_endpoint(w);
	if (!rc)
		rc = send_endpoint(w);
	return rc ? rc : exchange_plain(w, "go", "ready");
}

/*
 * Each side says that it waits for no acknowledgement any more. Not before both have may a QP be
 * destroyed, or the client say what comes next.
 */
static int meet_at_end(const struct work *w)
{
	const struct agree *a = w->c->agree;
	const uint32_t timeout_ms = a->plan.stall_timeout_ms;
	json_t *msg = NULL;
	int rc = ctl_send(a->ctl, proto_plain(COPIED), timeout_ms);

	if (!rc && !w->peer_is_done)
		rc = ctl_recv(a->ctl, COPIED, &msg, timeout_ms);
	json_decref(msg);
	return rc ? err_set(rc, "the file is complete, but the peer does not end the copy: %s",
			    err_text()) : 0;
}

/* Sent before the QPs are destroyed: then requests of the peer fail, and their errors hide it. */
static void tell_peer(struct work *w, int rc)
{
	if (rc && rc != -ECONNABORTED && rc != -ECONNRESET)
		ctl_abort(w->c->agree->ctl, rc, err_text());
}

static void report(const struct work *w, struct copy_report *r)
{
	const struct agree *a = w->c->agree;

	r->file = w->file;
	r->emulated = a->own->dev.limits.emulated || a->peer.emulated;
	w->c->sink->copied(w->c->sink->arg, r);
}

/* ---- the two sides */

int copying_client(struct copying *c, const struct copy_file *file, const struct source *source)
{
	struct copy_report r = { 0 };
	struct work w;
	int rc;

	c->agree->file = file;
	rc = agree_client(c->agree, 1);
	c->agree->file = NULL;
	if (rc)
		return rc;
	c->started = true;
	open_work(&w, c, file);
	rc = connect_client(&w);
	if (!rc)
		rc = transfer_send(&w.transfer, source, &w.peer, &r);
	if (!rc)
		rc = meet_at_end(&w);
	tell_peer(&w, rc);
	if (!rc)
		report(&w, &r);
	close_work(&w);
	return rc;
}

/* After the target is open. */
static int receive_file(struct copying *c, const struct copy_file *file, struct target *target)
{
	struct copy_report r = { 0 };
	struct work w;
	int rc;

	open_work(&w, c, file);
	rc = connect_server(&w);
	if (!rc)
		rc = transfer_receive(&w.transfer, target, &r);
	if (!rc)
		rc = meet_at_end(&w);
	tell_peer(&w, rc);
	if (!rc)
		report(&w, &r);
	close_work(&w);
	return rc;
}

static int open_target(const struct agree *a, struct target *target, const struct copy_file *file)
{
	if (!a->local->copy_to)
		return err_set(-EINVAL, "this server takes no files: its owner has not given it --copy-to");
	return target_open(target, a->local->copy_to, file);
}

int copying_server(struct copying *c, const json_t *msg)
{
	struct target target = TARGET_CLOSED;
	struct copy_file file;
	int rc;

	/* its timeouts, until the options of the client are read */
	c->agree->test = *c->agree->local;
	rc = proto_read_file(&file, json_object_get(msg, "file"));
	if (!rc)
		rc = open_target(c->agree, &target, &file);
	if (rc)
		return rc;
	c->agree->file = &file;
	rc = agree_server(c->agree, msg);
	c->agree->file = NULL;
	if (!rc) {
		c->started = true;
		rc = receive_file(c, &file, &target);
	}
	target_close(&target);
	return rc;
}
