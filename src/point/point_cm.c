/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Connects the threads of a point by rdma_cm, while the control connection may bring an abort.
 * Called by point_threads.c. Does nothing in a plan without --cm.
 */
#include "config.h"

#include "point/point_state.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "point/point.h"
#include "util/clock.h"
#include "util/err.h"

#define MS_NS 1000000ull

static bool by_cm(const struct point_state *s)
{
	return s->in->plan->path.connect == CONNECT_RDMA_CM;
}

int point_cm_open(struct point_state *s)
{
	const struct point_in *in = s->in;
	int rc;

	if (!by_cm(s))
		return 0;
	rc = cm_links_open(&s->cm, in->plan, in->dev, in->side);
	for (uint32_t i = 0; !rc && i < in->plan->work.threads; i++) {
		s->cm.pairs[i] = (struct cm_pair){ &s->threads[i].ep, &s->threads[i].peer };
		if (in->side == SIDE_SERVER)
			cm_links_publish(&s->cm, &s->threads[i].ep.addr);
	}
	return rc;
}

static bool stopped(const struct ctl *ctl)
{
	struct pollfd p = { .fd = ctl->signals_fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/*
 * Something has come beside the events of rdma_cm. The client's ready may overtake the last message
 * of rdma_cm, which takes another way.
 */
static int take_message(struct point_state *s, bool *ready)
{
	struct ctl *ctl = s->in->peers->ctl[0];
	const char *type;
	json_t *msg;
	int rc;

	if (stopped(ctl))
		return err_set(-EINTR, "%s while connecting to the peer %s by rdma_cm",
			       ctl_stop_reason(ctl, "interrupted"), ctl->peer);
	rc = ctl_try_recv(ctl, &msg);
	if (rc <= 0)
		return rc;
	type = json_string_value(json_object_get(msg, "type"));
	rc = 0;
	if (s->in->side == SIDE_SERVER && !*ready && !strcmp(type, "ready"))
		*ready = true;
	else if (strcmp(type, "heartbeat"))
		rc = err_set(-EBADMSG, "the peer %s sent a message out of order while connecting by rdma_cm",
			     ctl->peer);
	json_decref(msg);
	return rc;
}

int point_cm_connect(struct point_state *s, bool *ready)
{
	const struct point_in *in = s->in;
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + (point_silence_ms(in->plan, in->point) +
					     (uint64_t)cm_links_allowance_ms(in->plan)) * MS_NS,
		.fds = { in->peers->ctl[0]->fd, in->peers->ctl[0]->signals_fd },
	};
	int rc = 0;

	*ready = false;
	while (by_cm(s) && !rc) {
		rc = cm_links_connect(&s->cm, &wait);
		if (rc > 0)
			return 0;
		if (!rc)
			rc = take_message(s, ready);
	}
	return rc;
}
