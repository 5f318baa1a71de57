/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Events; see event.h. An event has the number of its object. A number is never used again: an
 * event of an object that was destroyed is dropped, as the kernel does.
 */
#include "config.h"
#include "objects/event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hca.h"
#include "objects/cq.h"
#include "objects/srq.h"
#include "transport/fault.h"
#include "transport/progress.h"

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

		progress_sleep();
		n = read(channel->fd, &id, sizeof(id));
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

static bool fill_cq(struct ibv_async_event *event, uint32_t id)
{
	struct cq *cq = cq_by_id(id);

	if (!cq)
		return false;
	cq->async_seen++;
	event->element.cq = &cq->ib;
	return true;
}

static bool fill_srq(struct ibv_async_event *event, uint32_t id)
{
	struct srq *srq = hca.srqs;

	while (srq && srq->id != id)
		srq = srq->next;
	if (!srq)
		return false;
	srq->async_seen++;
	event->element.srq = &srq->ib;
	return true;
}

static bool fill_qp(struct ibv_async_event *event, uint32_t id)
{
	for (uint32_t i = 0; i < SHM_QPS; i++) {
		struct qp *qp = hca.qp[i];

		if (!qp || qp->id != id)
			continue;
		qp->async_seen++;
		event->element.qp = &qp->ib;
		return true;
	}
	return false;
}

static bool fill(struct ibv_async_event *event, const struct shm_async *e)
{
	event->event_type = e->type;
	switch (e->type) {
	case IBV_EVENT_CQ_ERR:
		return fill_cq(event, e->id);
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return fill_srq(event, e->id);
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return fill_qp(event, e->id);
	default:
		event->element.port_num = (int)e->id;
		return true;
	}
}

int event_get_async(struct ibv_context *ctx, struct ibv_async_event *event)
{
	for (;;) {
		struct shm_async e;
		bool known;
		ssize_t n;

		progress_sleep();
		n = read(ctx->async_fd, &e, sizeof(e));
		if (n != sizeof(e)) {
			if (n >= 0)
				errno = EIO;
			return -1;
		}
		pthread_mutex_lock(&hca.mutex);
		known = fill(event, &e);
		pthread_mutex_unlock(&hca.mutex);
		if (known)
			return 0;
	}
}
