/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Completion channels and completion queues of the devices of verbs.h. A queue that overflows, or
 * is destroyed with events that nobody acknowledged, ends the test program.
 */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/clock.h"
#include "verbs_own.h"

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct verbs_channel *ch;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	ch = verbs_new(sizeof(*ch));
	ch->channel.context = context;
	ch->channel.fd = fds[0];
	ch->write_fd = fds[1];
	return &ch->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct verbs_channel *ch = VERBS_OF(channel, struct verbs_channel, channel);

	if (channel->refcnt)
		return EBUSY;
	close(channel->fd);
	close(ch->write_fd);
	verbs_free(ch);
	return 0;
}

static struct verbs_cq *create(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr)
{
	struct verbs_cq *cq;

	if (!attr->cqe || attr->cqe > (uint32_t)verbs_device_of(context)->attr.max_cqe ||
	    attr->comp_vector) {
		errno = EINVAL;
		return NULL;
	}
	cq = verbs_new(sizeof(*cq));
	cq->cq = (struct ibv_cq){
		.context = context,
		.channel = attr->channel,
		.cq_context = attr->cq_context,
		.cqe = (int)attr->cqe,
	};
	pthread_mutex_init(&cq->cq.mutex, NULL);
	pthread_cond_init(&cq->cq.cond, NULL);
	cq->size = attr->cqe;
	cq->ring = calloc(cq->size, sizeof(*cq->ring));
	if (!cq->ring)
		verbs_die("out of memory");
	if (attr->channel)
		attr->channel->refcnt++;
	return cq;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe > 0 ? (uint32_t)cqe : 0,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	struct verbs_cq *cq = create(context, &attr);

	return cq ? &cq->cq : NULL;
}

struct ibv_cq_ex *verbs_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t known = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
	const struct verbs_device *vd = verbs_device_of(context);
	const bool in_parent = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD;
	struct verbs_cq *cq;

	errno = vd->cq_ex_errno;
	if (!errno && in_parent)
		errno = vd->cq_parent_errno;
	if (attr->comp_mask & ~known || attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS)
		errno = EINVAL;
	cq = errno ? NULL : create(context, attr);
	if (!cq)
		return NULL;
	cq->single = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		     attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	if (in_parent) {
		cq->parent = attr->parent_domain;
		verbs_pd_take(cq->parent);
	}
	return &cq->ex;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct verbs_cq *vcq = VERBS_OF(cq, struct verbs_cq, cq);

	if (vcq->events != cq->comp_events_completed)
		verbs_die("destroying a CQ with %u events taken and %u acknowledged hangs",
			  vcq->events, cq->comp_events_completed);
	if (cq->channel)
		cq->channel->refcnt--;
	if (vcq->parent)
		verbs_pd_drop(vcq->parent);
	pthread_mutex_destroy(&cq->mutex);
	pthread_cond_destroy(&cq->cond);
	free(vcq->ring);
	verbs_free(vcq);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	if (read(channel->fd, cq, sizeof(*cq)) != sizeof(*cq))
		return -1;
	*cq_context = (*cq)->cq_context;
	verbs_lock();
	VERBS_OF(*cq, struct verbs_cq, cq)->events++;
	verbs_unlock();
	return 0;
}

void verbs_push(struct ibv_cq *ibcq, const struct ibv_wc *wc, struct verbs_qp *qp,
		uint64_t freed_to)
{
	struct verbs_cq *cq = VERBS_OF(ibcq, struct verbs_cq, cq);

	if (cq->n == cq->size)
		verbs_die("a CQ of %u entries overflows", cq->size);
	cq->ring[(cq->head + cq->n++) % cq->size] = (struct verbs_cqe){
		.wc = *wc, .qp = qp, .freed_to = freed_to, .at_ns = clock_ns(),
	};
	if (!cq->armed)
		return;
	cq->armed = false;
	if (write(VERBS_OF(ibcq->channel, struct verbs_channel, channel)->write_fd, &ibcq,
		  sizeof(ibcq)) != sizeof(ibcq))
		verbs_die("a completion channel is full");
}

/* Is it still to come? */
static bool is_late(const struct verbs_cq *cq, const struct verbs_cqe *e)
{
	const uint64_t late_ns = verbs_device_of(cq->cq.context)->late_ms * UINT64_C(1000000);

	return late_ns && !(e->wc.opcode & IBV_WC_RECV) && clock_ns() < e->at_ns + late_ns;
}

static int take(struct verbs_cq *cq, int n, struct ibv_wc *wc)
{
	int got = 0;

	if (!cq->n)
		return 0;
	verbs_lock();
	for (; got < n && cq->n; got++) {
		struct verbs_cqe *e = &cq->ring[cq->head];

		if (is_late(cq, e))
			break;
		wc[got] = e->wc;
		if (e->qp && e->wc.opcode & IBV_WC_RECV)
			e->qp->rq_freed = e->freed_to;
		else if (e->qp)
			e->qp->sq_freed = e->freed_to;
		/* the opcode of a failed completion is not defined (ibv_poll_cq(3)) */
		if (wc[got].status)
			wc[got].opcode = (enum ibv_wc_opcode)0x55;
		cq->head = (cq->head + 1) % cq->size;
		cq->n--;
	}
	verbs_unlock();
	return got;
}

int verbs_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct verbs_cq *cq = VERBS_OF(ibcq, struct verbs_cq, cq);
	int got;

	if (cq->single)
		verbs_enter(&cq->inside, "CQ");
	got = take(cq, n, wc);
	if (cq->single)
		verbs_leave(&cq->inside);
	return got;
}

int verbs_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	if (!ibcq->channel || solicited_only)
		return EINVAL;
	verbs_lock();
	VERBS_OF(ibcq, struct verbs_cq, cq)->armed = true;
	verbs_unlock();
	return 0;
}

void verbs_forget_qp(struct verbs_cq *cq, const struct verbs_qp *qp)
{
	for (uint32_t i = 0; i < cq->n; i++) {
		struct verbs_cqe *e = &cq->ring[(cq->head + i) % cq->size];

		if (e->qp == qp)
			e->qp = NULL;
	}
}
