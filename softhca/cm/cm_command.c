/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Channels as descriptors of the program, and the commands that it writes; see cm_command.h. */
#include "config.h"
#include "cm/cm_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fabric.h"
#include "cm/cm_channel.h"
#include "cm/cm_conn.h"
#include "cm/cm_handlers.h"
#include "cm/cm_receive.h"
#include "cm/cm_table.h"

enum { READY = 16 }; /* descriptors of one call of epoll_wait() */

/* The program has the event: its objects count it, as the program will acknowledge it. */
static void report(struct cm_request *r, struct cm_event *e)
{
	e->id->events_reported++;
	if (e->group)
		e->group->events_reported++;
	if (e->request) {
		e->request->listener = NULL;
		cm_receive_more(e->id);
	}
	cm_handlers_reply(r, r->c.get_event.response, &e->resp, sizeof(e->resp));
	free(e);
}

/* The identifier of an event of epoll; NULL: destroyed meanwhile, or in another channel. */
static struct cm_id *ready_id(const struct cm_channel *ch, uint64_t data)
{
	uint32_t handle = (uint32_t)data;
	struct cm_id *id = handle < hca.cm.n_ids ? hca.cm.ids[handle] : NULL;

	return id && id->ch == ch && id->serial == data >> 32 ? id : NULL;
}

static void take_ready(struct cm_channel *ch, const struct epoll_event *ready, int n)
{
	struct cm_id *id;

	for (int i = 0; i < n; i++) {
		id = ready_id(ch, ready[i].data.u64);
		if (id)
			cm_receive_ready(id);
	}
	while ((id = cm_channel_expired(ch)))
		cm_conn_expired(id);
	cm_channel_arm(ch);
}

/*
 * Waits without the lock, as poll(2) is a cancellation point. A process that was stopped waits on,
 * as in the kernel's write(2) of this command; epoll_wait(2) would end with EINTR (signal(7)).
 */
static int wait_ready(int fd, struct epoll_event *ready)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const bool nonblocking = fcntl(fd, F_GETFL) & O_NONBLOCK;
	int n;

	do {
		n = poll(&p, 1, nonblocking ? 0 : -1);
		if (n > 0)
			n = epoll_wait(fd, ready, READY, 0);
		/* another thread may have taken what was ready */
	} while (!n && !nonblocking);
	return n > 0 ? n : n ? -errno : -EAGAIN;
}

static int get_event(struct cm_request *r, int fd)
{
	struct epoll_event ready[READY];
	struct cm_event *e;
	int n;

	for (;;) {
		pthread_mutex_lock(&hca.cm.lock);
		if (cm_table_at(fd) != r->ch) {
			pthread_mutex_unlock(&hca.cm.lock);
			return -EBADF;
		}
		e = cm_channel_next(r->ch);
		if (e)
			report(r, e);
		cm_channel_arm(r->ch);
		pthread_mutex_unlock(&hca.cm.lock);
		if (e)
			return 0;
		n = wait_ready(fd, ready);
		if (n < 0)
			return n;
		pthread_mutex_lock(&hca.cm.lock);
		if (cm_table_at(fd) == r->ch)
			take_ready(r->ch, ready, n);
		pthread_mutex_unlock(&hca.cm.lock);
	}
}

ssize_t cm_command_run(int fd, const void *buf, size_t len)
{
	const struct cm_handler *h;
	struct cm_request r;
	int rc = cm_handlers_parse(&r, buf, len, &h);

	if (rc)
		return rc;
	pthread_mutex_lock(&hca.cm.lock);
	r.ch = cm_table_at(fd);
	if (r.ch && h) {
		rc = cm_handlers_run(&r, h);
		cm_channel_arm(r.ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
	if (!r.ch)
		return -EBADF;
	if (!h)
		rc = get_event(&r, fd);
	return rc ? rc : (ssize_t)len;
}

/* In the child of a fork(): the sockets are those of the parent. */
static void forget(void)
{
	for (uint32_t i = 0; i < hca.cm.n_ids; i++) {
		struct cm_id *id = hca.cm.ids[i];

		if (id && id->fd >= 0)
			close(id->fd);
		if (id && id->name_fd >= 0)
			close(id->name_fd);
	}
	for (int fd = 0; hca.cm.channels && fd < CM_TABLE_SIZE; fd++)
		if (hca.cm.channels[fd])
			close(atomic_load(&hca.cm.channels[fd])->timer_fd);
}

static int start(void)
{
	_Atomic(struct cm_channel *) *channels;

	if (hca.cm.channels)
		return 0;
	channels = calloc(CM_TABLE_SIZE, sizeof(*channels));
	if (!channels)
		return -ENOMEM;
	hca.cm.forget = forget;
	hca.cm.pid = getpid();
	atomic_store_explicit(&hca.cm.channels, channels, memory_order_release);
	return 0;
}

int cm_command_open(void)
{
	struct cm_channel *ch = NULL;
	int rc;

	fabric_watch_fork();
	/* other nodes find the addresses of this one */
	rc = hca_settings()->node_id ? fabric_look() : 0;
	if (rc)
		return rc;
	pthread_mutex_lock(&hca.cm.lock);
	rc = start();
	if (!rc)
		rc = cm_channel_open(&ch);
	if (!rc && ch->fd >= CM_TABLE_SIZE) {
		close(ch->fd);
		cm_channel_close(ch);
		rc = -EMFILE;
	}
	if (!rc) {
		rc = ch->fd;
		atomic_store(&hca.cm.channels[rc], ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
	return rc;
}

void cm_command_close(int fd)
{
	struct cm_channel *ch;

	if (getpid() != hca.cm.pid)
		return;
	pthread_mutex_lock(&hca.cm.lock);
	ch = cm_table_at(fd);
	if (ch) {
		atomic_store(&hca.cm.channels[fd], NULL);
		for (uint32_t i = 0; ch->n_ids && i < hca.cm.n_ids; i++)
			if (hca.cm.ids[i] && hca.cm.ids[i]->ch == ch)
				cm_id_destroy(hca.cm.ids[i]);
		cm_channel_close(ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
}
