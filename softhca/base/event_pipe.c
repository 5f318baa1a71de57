/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The pipes of events; see event_pipe.h. Peers write to them at any time. */
#include "config.h"
#include "base/event_pipe.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/hca.h"

union record {
	struct shm_async async;
	uint32_t cq;
};

/* Whose events are removed. */
struct gone {
	enum event_object of;
	uint32_t id;
};

enum event_object event_object(uint32_t type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return EVENT_OF_CQ;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return EVENT_OF_SRQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return EVENT_OF_QP;
	default:
		return EVENT_OF_PORT;
	}
}

/* A descriptor that does not block: whether that of the program does is up to the program. */
static int open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/*
 * Each record that stays is read and written again at once, so no more than one is outside the
 * pipe. What peers write meanwhile is left alone.
 */
static void forget(struct event_pipe pipe, size_t bytes,
		   bool (*is_of)(const union record *r, const struct gone *g), const struct gone *g)
{
	union record r;
	int own, pending = 0;

	if (ioctl(pipe.in, FIONREAD, &pending) || !pending)
		return;
	own = open_again(pipe.in);
	if (own < 0)
		return;
	pthread_mutex_lock(&hca.mutex);
	for (size_t n = (size_t)pending / bytes; n; n--)
		if (read(own, &r, bytes) != (ssize_t)bytes ||
		    (!is_of(&r, g) && write(pipe.out, &r, bytes) != (ssize_t)bytes))
			break;
	pthread_mutex_unlock(&hca.mutex);
	close(own);
}

static bool is_completion_of(const union record *r, const struct gone *g)
{
	return r->cq == g->id;
}

void event_forget_cq(struct event_pipe pipe, uint32_t id)
{
	const struct gone gone = { .of = EVENT_OF_CQ, .id = id };

	forget(pipe, sizeof(uint32_t), is_completion_of, &gone);
}

static bool is_async_of(const union record *r, const struct gone *g)
{
	return r->async.id == g->id && event_object(r->async.type) == g->of;
}

void event_forget_async(struct event_pipe pipe, enum event_object of, uint32_t id)
{
	const struct gone gone = { .of = of, .id = id };

	forget(pipe, sizeof(struct shm_async), is_async_of, &gone);
}
