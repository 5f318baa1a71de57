/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Events that a program takes; see event.h. An event has the number of its object. A number is
 * never used again: an event of an object that is gone is dropped.
 */
#include "config.h"
#include "objects/event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/event_pipe.h"
#include "base/hca.h"
#include "objects/cq.h"
#include "objects/srq.h"
#include "transport/fault.h"
#include "transport/progress.h"

/* EAGAIN, of a program that has set O_NONBLOCK: event_pipe.c may be about to put a record back. */
static ssize_t read_record(int fd, void *record, size_t bytes)
{
	ssize_t n;

	progress_sleep();
	n = read(fd, record, bytes);
	if (n >= 0 || errno != EAGAIN)
		return n;
	pthread_mutex_lock(&hca.mutex);
	n = read(fd, record, bytes);
	pthread_mutex_unlock(&hca.mutex);
	return n;
}

struct ibv_comp_channel *event_channel(struct ibv_context *ctx)
{
	struct comp_channel *ch = calloc(1, sizeof(*ch));
	int fds[2];

	if (!ch)
		return NULL;
	if (pipe2(fds, O_CLOEXEC)) {
		free(ch);
		return NULL;
	}
	/* not the read end: the program sets its flags */
	fcntl(fds[1], F_SETFL, O_WRONLY | O_NONBLOCK);
	ch->ib.context = ctx;
	ch->ib.fd = fds[0];
	ch->write_fd = fds[1];
	atomic_fetch_add(&ctx_of(ctx)->channels, 1);
	ctx_hold(ctx);
	return &ch->ib;
}

int event_channel_destroy(struct ibv_comp_channel *ib)
{
	struct comp_channel *ch = container_of(ib, struct comp_channel, ib);

	if (ib->refcnt)
		return EBUSY;
	close(ib->fd);
	close(ch->write_fd);
	atomic_fetch_sub(&ctx_of(ib->context)->channels, 1);
	ctx_drop(ib->context);
	free(ch);
	return 0;
}

static struct cq *take(uint32_t id)
{
	struct cq *cq;

	pthread_mutex_lock(&hca.mutex);
	cq = cq_by_id(id);
	if (cq)
		cq->comp_seen++;
	pthread_mutex_unlock(&hca.mutex);
	return cq;
}

int event_get_cq(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	const int write_fd = container_of(channel, struct comp_channel, ib)->write_fd;
	struct ctx *ctx = ctx_of(channel->context);

	for (;;) {
		struct cq *found;
		uint32_t id;
		ssize_t n;

		n = read_record(channel->fd, &id, sizeof(id));
		if (n != sizeof(id)) {
			if (n >= 0)
				errno = EIO;
			return -1;
		}
		switch (fault_event(ctx)) {
		case FAULT_EVENT_LOST:
			continue;
		case FAULT_EVENT_EXTRA:
			n = write(write_fd, &id, sizeof(id));
			break;
		case FAULT_EVENT_NONE:
			break;
		}
		found = take(id);
		if (!found)
			continue;
		*cq = &found->ib;
		*cq_context = found->ib.cq_context;
		return 0;
	}
}

/* Each returns the counter of the events that the program got; NULL: there is no such object. */
static uint32_t *fill_cq(struct ibv_async_event *event, uint32_t id)
{
	struct cq *cq = cq_by_id(id);

	if (!cq)
		return NULL;
	event->element.cq = &cq->ib;
	return &cq->async_seen;
}

static uint32_t *fill_srq(struct ibv_async_event *event, uint32_t id)
{
	struct srq *srq = hca.srqs;

	while (srq && srq->id != id)
		srq = srq->next;
	if (!srq)
		return NULL;
	event->element.srq = &srq->ib;
	return &srq->async_seen;
}

static uint32_t *fill_qp(struct ibv_async_event *event, uint32_t id)
{
	for (uint32_t i = 0; i < SHM_QPS; i++) {
		struct qp *qp = hca.qp[i];

		if (!qp || qp->id != id)
			continue;
		event->element.qp = &qp->ib;
		return &qp->async_seen;
	}
	return NULL;
}

/* False: the object is unknown. *seen: its counter; NULL: the event is of a port. */
static bool fill(struct ibv_async_event *event, const struct shm_async *e, uint32_t **seen)
{
	event->event_type = e->type;
	switch (event_object(e->type)) {
	case EVENT_OF_CQ:
		return (*seen = fill_cq(event, e->id));
	case EVENT_OF_SRQ:
		return (*seen = fill_srq(event, e->id));
	case EVENT_OF_QP:
		return (*seen = fill_qp(event, e->id));
	case EVENT_OF_PORT:
		break;
	}
	*seen = NULL;
	event->element.port_num = (int)e->id;
	return true;
}

int event_get_async(struct ibv_context *ctx, struct ibv_async_event *event)
{
	for (;;) {
		struct shm_async e;
		uint32_t *seen;
		bool known;
		ssize_t n;

		n = read_record(ctx->async_fd, &e, sizeof(e));
		if (n != sizeof(e)) {
			if (n >= 0)
				errno = EIO;
			return -1;
		}
		pthread_mutex_lock(&hca.mutex);
		known = fill(event, &e, &seen);
		if (known && seen)
			++*seen;
		pthread_mutex_unlock(&hca.mutex);
		if (known)
			return 0;
	}
}
