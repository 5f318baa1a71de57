/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The order of a copy: agree, connect, move the file; and the external events that end it. copy
 * moves the windows.
 */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "copy/copy_files.h"
#include "copy/link.h"
#include "verbs/verbs_error.h"
#include "wire/proto.h"
#include "util/err.h"

#define COPIED "copied" /* type of the message */

/* The state of a side once the plan is agreed. */
struct work {
	struct task *t;
	const struct copy_file *file;
	struct ep ep;
	struct ep_addr peer;
	struct link link;
	struct link_watch watch;
	struct copy_progress progress;
	struct transfer transfer;
	bool peer_is_done; /* it has sent COPIED */
};

/* ---- external events that end a copy */

/*
 * While the windows move, the peer sends only abort on this connection. At the end COPIED may
 * arrive before this side has seen the last RDMA operations.
 */
static int read_peer(struct work *w)
{
	struct ctl *ctl = w->t->agree->ctl;
	json_t *msg = NULL;
	int rc = ctl_try_recv(ctl, &msg);

	if (rc <= 0)
		return rc;
	if (!w->peer_is_done && !strcmp(proto_type(msg), COPIED))
		w->peer_is_done = true;
	else if (strcmp(proto_type(msg), "heartbeat") != 0)
		rc = agree_unexpected(w->t->agree, msg, "during a copy");
	json_decref(msg);
	return rc < 0 ? rc : 0;
}

static int look(void *arg)
{
	struct work *w = arg;
	struct agree *a = w->t->agree;
	struct pollfd user = { .fd = a->ctl->signals_fd, .events = POLLIN };
	enum ibv_event_type event;
	int rc = read_peer(w);

	if (rc)
		return rc;
	if (poll(&user, 1, 0) > 0)
		return err_set(-EINTR, "%s on the %s", ctl_stop_reason(a->ctl, "interrupted"),
			       kind_side_names[a->side]);
	rc = dev_async(&a->own->dev, &event);
	return rc <= 0 ? rc : err_set(-EIO, "%s reports %s", a->own->dev.limits.device,
				      verbs_error_event(event));
}

/* The server ends a session that is silent for too long: this keeps the copy alive. */
static void works(void *arg)
{
	const struct work *w = arg;

	ctl_alive(w->t->agree->ctl);
}

static void report_moved(void *arg, uint64_t bytes, uint64_t of_bytes)
{
	const struct work *w = arg;
	const struct event_moved moved = { bytes, of_bytes };

	event_tell(&w->t->host->events, &(struct event){ EVENT_MOVED, .moved = &moved });
}

/* ---- the two sides */

static void open_work(struct work *w, struct task *t, const struct copy_file *file)
{
	struct agree *a = t->agree;

	*w = (struct work){
		.t = t,
		.file = file,
		.watch = {
			.fds = { a->ctl->fd, a->ctl->signals_fd, a->own->dev.ctx->async_fd },
			.look = look,
			.works = works,
			.arg = w,
		},
		.progress = { report_moved, w },
		.transfer = {
			.link = &w->link,
			.point = &a->plan.points[0],
			.file = file,
			.progress = &w->progress,
		},
	};
}

static int open_endpoint(struct work *w)
{
	struct agree *a = w->t->agree;
	int rc = ep_open(&w->ep, &a->own->dev, &a->plan, &a->plan.points[0], a->side);

	return rc ? rc : link_open(&w->link, &w->ep, &a->plan, &w->watch);
}

static int send_endpoint(const struct work *w)
{
	const struct agree *a = w->t->agree;

	return ctl_send(a->ctl, proto_endpoint(&w->ep.addr), a->plan.stall_timeout_ms);
}

/* The client sends its endpoint first; the server when it is connected. */
static int connect_work(struct work *w)
{
	struct agree *a = w->t->agree;
	const bool client = a->side == SIDE_CLIENT;
	json_t *msg = NULL;
	int rc = client ? open_endpoint(w) : 0;

	if (!rc && client)
		rc = send_endpoint(w);
	if (!rc)
		rc = ctl_recv(a->ctl, "endpoint", &msg, a->plan.stall_timeout_ms);
	if (!rc)
		rc = proto_read_endpoint(&w->peer, msg, 1, 0);
	json_decref(msg);
	if (!rc && !client)
		rc = open_endpoint(w);
	if (!rc)
		rc = ep_connect(&w->ep, &a->plan, &w->peer, a->side);
	if (!rc && !client)
		rc = send_endpoint(w);
	return rc ? rc : agree_exchange(a, proto_plain(client ? "ready" : "go"),
					client ? "go" : "ready", NULL, a->plan.stall_timeout_ms);
}

/*
 * Each side reports that it waits for no more acknowledgements. Only after both did may a QP be
 * destroyed, or the client continue.
 */
static int meet_at_end(const struct work *w)
{
	const struct agree *a = w->t->agree;
	const uint32_t timeout_ms = a->plan.stall_timeout_ms;
	int rc = ctl_send(a->ctl, proto_plain(COPIED), timeout_ms);

	if (!rc && !w->peer_is_done)
		rc = ctl_recv(a->ctl, COPIED, NULL, timeout_ms);
	return rc ? err_wrap(rc, "the file is complete, but the peer does not end the copy") : 0;
}

/* source: of the client, else NULL; target: of the server, else NULL. */
static int move_file(struct task *t, const struct copy_file *file, const struct source *source,
		     struct target *target)
{
	struct copy_report r = { .file = file };
	struct work w;
	int rc;

	open_work(&w, t, file);
	rc = connect_work(&w);
	if (!rc)
		rc = source ? copy_send(&w.transfer, source, &w.peer, &r) :
			      copy_receive(&w.transfer, target, &r);
	if (!rc)
		rc = meet_at_end(&w);
	/* before the QPs go: requests of the peer fail then, and their errors would hide this */
	if (rc && rc != -ECONNABORTED && rc != -ECONNRESET)
		ctl_abort(t->agree->ctl, rc);
	r.emulated = t->agree->own->dev.limits.emulated || t->agree->peer.emulated;
	if (!rc)
		event_tell(&t->host->events, &(struct event){ EVENT_COPIED, .copied = &r });
	link_close(&w.link);
	ep_addr_free(&w.peer);
	ep_close(&w.ep);
	return rc;
}

int copying_client(struct task *t)
{
	t->started = true;
	return move_file(t, t->copy->file, t->copy->source, NULL);
}

static int open_target(const struct agree *a, struct target *target, const struct copy_file *file)
{
	const struct cfg *owner = a->local;
	const bool limited = owner->max_copy_bytes != CFG_AUTO64 ||
			     owner->max_copy_files != CFG_AUTO;
	const struct copy_quota most = {
		.bytes = owner->max_copy_bytes,
		.files = owner->max_copy_files == CFG_AUTO ? UINT64_MAX : owner->max_copy_files,
	};
	int rc = 0;

	if (!owner->copy_to)
		return err_set(-EINVAL, "this server accepts no files: it was started without --copy-to");
	if (file->overwrite)
		rc = owner_overwrite(owner);
	return rc ? rc : copy_target_open(target, owner->copy_to, limited ? &most : NULL, file);
}

int copying_server(struct task *t, const json_t *msg)
{
	struct target target = TARGET_CLOSED;
	struct agree *a = t->agree;
	struct copy_file file;
	int rc;

	/* its timeouts, until the options of the client are read */
	a->test = *a->local;
	rc = proto_read_file(&file, json_object_get(msg, "file"));
	if (!rc)
		rc = open_target(a, &target, &file);
	if (rc)
		return rc;
	a->file = &file;
	rc = agree_server(a, msg);
	a->file = NULL;
	if (!rc) {
		t->started = true;
		rc = move_file(t, &file, NULL, &target);
	}
	copy_target_close(&target);
	return rc;
}
