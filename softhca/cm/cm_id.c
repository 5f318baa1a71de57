/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Identifiers: their tables and their life; see cm.h. */
#include "config.h"
#include "cm/cm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gid.h"
#include "base/hca.h"
#include "cm/cm_channel.h"
#include "cm/cm_group.h"

/* The lowest free handle, as the kernel gives it; librdmacm has tables by handle. -ENOMEM. */
static int handle_new(uint32_t *handle)
{
	uint32_t i = 0, n = hca.cm.n_ids ? 2 * hca.cm.n_ids : 64;
	struct cm_id **ids;

	while (i < hca.cm.n_ids && hca.cm.ids[i])
		i++;
	if (i == hca.cm.n_ids) {
		ids = realloc(hca.cm.ids, n * sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		for (uint32_t k = i; k < n; k++)
			ids[k] = NULL;
		hca.cm.ids = ids;
		hca.cm.n_ids = n;
	}
	*handle = i;
	return 0;
}

struct cm_id *cm_id_create(struct cm_channel *ch, uint16_t ps, uint8_t qp_type)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id || handle_new(&id->handle)) {
		free(id);
		return NULL;
	}
	hca.cm.ids[id->handle] = id;
	id->serial = ++hca.cm.next_serial ? hca.cm.next_serial : ++hca.cm.next_serial;
	id->ch = ch;
	id->ps = ps;
	id->qp_type = qp_type;
	id->at = id->to = gid_of(0);
	id->fd = id->name_fd = -1;
	id->wait = CM_WAIT_NONE;
	id->own.psn = (uint32_t)(clock_now() * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	ch->n_ids++;
	return id;
}

/* Passive identifiers whose request has not come yet. */
static void destroy_embryos(const struct cm_id *listener)
{
	for (uint32_t i = 0; i < hca.cm.n_ids; i++)
		if (hca.cm.ids[i] && hca.cm.ids[i]->listener == listener)
			cm_id_destroy(hca.cm.ids[i]);
}

uint32_t cm_id_destroy(struct cm_id *id)
{
	uint32_t reported = id->events_reported;
	struct cm_id *requests = cm_channel_drop(id, NULL);

	while (requests) {
		struct cm_id *next = requests->wait_next;

		requests->wait_next = NULL;
		cm_id_destroy(requests);
		requests = next;
	}
	if (id->state == CM_LISTEN)
		destroy_embryos(id);
	cm_group_leave_all(id);
	cm_channel_wait_end(id);
	cm_id_close(id, &id->fd);
	cm_id_close(id, &id->name_fd);
	hca.cm.ids[id->handle] = NULL;
	id->ch->n_ids--;
	free(id->request);
	free(id);
	return reported;
}

struct cm_id *cm_id_find(struct cm_channel *ch, uint32_t handle, int *rc)
{
	struct cm_id *id = handle < hca.cm.n_ids ? hca.cm.ids[handle] : NULL;

	*rc = !id ? -ENOENT : id->ch != ch ? -EINVAL : 0;
	return *rc ? NULL : id;
}

int cm_id_watch(struct cm_id *id, int fd, bool wake)
{
	struct epoll_event e = {
		.events = wake ? EPOLLIN : 0,
		.data.u64 = (uint64_t)id->serial << 32 | id->handle,
	};

	if (fd == id->fd)
		id->quiet = false;
	if (!epoll_ctl(id->ch->fd, EPOLL_CTL_ADD, fd, &e))
		return 0;
	if (errno == EEXIST && !epoll_ctl(id->ch->fd, EPOLL_CTL_MOD, fd, &e))
		return 0;
	return -errno;
}

void cm_id_quiet(struct cm_id *id)
{
	epoll_ctl(id->ch->fd, EPOLL_CTL_DEL, id->fd, NULL);
	id->quiet = true;
}

void cm_id_close(struct cm_id *id, int *fd)
{
	if (*fd < 0)
		return;
	epoll_ctl(id->ch->fd, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}
