/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the connections of a node of the tree; see links.h. */
#include "config.h"
#include "tree/links.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/must.h"
#include "wire/proto.h"

#define EVENTS 64
#define AT_ONCE 16 /* messages of a connection that are read before others have their turn */

struct link {
	uint32_t id;
	struct ctl ctl;
	uint64_t heard_ns;
	bool more;           /* what is read already may hold messages: no event tells of them */
	int rc;              /* nothing more can be sent; err says why */
	struct err *err;     /* owned */
	json_t *part;        /* of a message that is sent to several; owned */
	json_t *queue;       /* messages that the other side has no room for yet; owned */
};

struct mail_item {
	struct links_mail mail;
	struct mail_item *next;
};

struct links {
	struct links_host host;
	int epoll_fd, wake_fd;
	struct link **links; /* n of them; owned */
	uint32_t n, room;
	uint32_t n_nodes;
	uint32_t *via;       /* by rank; owned; NULL: nobody is below */
	uint64_t beat_ns;    /* the last heartbeats */
	pthread_mutex_t lock; /* of mail */
	struct mail_item *mail, **mail_end;
};

/* ---- which ones */

static struct link *find(const struct links *l, uint32_t id)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i]->id == id)
			return l->links[i];
	return NULL;
}

bool links_have(const struct links *l, uint32_t id)
{
	return find(l, id);
}

bool links_have_below(const struct links *l)
{
	return l->n > links_have(l, LINKS_UP);
}

static void free_link(struct link *link)
{
	/* close(2) takes it out of the epoll set */
	ctl_close(&link->ctl);
	json_decref(link->part);
	json_decref(link->queue);
	free(link->err);
	free(link);
}

void links_drop(struct links *l, uint32_t id)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->links[i]->id != id)
			continue;
		free_link(l->links[i]);
		l->links[i] = l->links[--l->n];
		break;
	}
	for (uint32_t i = 0; l->via && i < l->n_nodes; i++)
		if (l->via[i] == id)
			l->via[i] = LINKS_NONE;
}

void links_add(struct links *l, uint32_t id, struct ctl *ctl)
{
	struct link *link = must_calloc(1, sizeof(*link));
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = id };
	const struct ctl closed = CTL_CLOSED;

	links_drop(l, id);
	*link = (struct link){ .id = id, .ctl = *ctl, .heard_ns = clock_ns(),
			       .queue = json_array() };
	*ctl = closed;
	link->ctl.signals_fd = -1;
	link->ctl.admitted = true;
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 4;
		l->links = must_realloc(l->links, l->room, sizeof(*l->links));
	}
	l->links[l->n++] = link;
	/* without memory for it the link is silent, and lost by that */
	(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, link->ctl.fd, &event);
}

/* ---- sending */

static void wake(struct links *l)
{
	const uint64_t one = 1;

	/* cannot fail: the counter of an eventfd has room for it */
	(void)!write(l->wake_fd, &one, sizeof(one));
}

static void transmit(struct links *l, struct link *link, json_t *msg)
{
	link->rc = ctl_send(&link->ctl, msg, LINKS_SEND_MS);
	if (!link->rc)
		return;
	link->err = must_calloc(1, sizeof(*link->err));
	*link->err = err_keep();
	wake(l);
}

static bool is_writable(const struct link *link)
{
	struct pollfd p = { .fd = link->ctl.fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

static void watch(struct links *l, struct link *link, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = link->id };

	(void)epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, link->ctl.fd, &event);
}

/* A node that waits for one side is silent for all others: it never waits. */
static void send_to(struct links *l, struct link *link, json_t *msg)
{
	if (link->rc) {
		json_decref(msg);
	} else if (json_array_size(link->queue) || !is_writable(link)) {
		(void)json_array_append_new(link->queue, msg);
		watch(l, link, EPOLLIN | EPOLLOUT);
	} else {
		transmit(l, link, msg);
	}
}

static void send_queue(struct links *l, uint32_t id)
{
	struct link *link = find(l, id);

	while (link && !link->rc && json_array_size(link->queue) && is_writable(link)) {
		transmit(l, link, json_incref(json_array_get(link->queue, 0)));
		(void)json_array_remove(link->queue, 0);
	}
	if (link && !json_array_size(link->queue))
		watch(l, link, EPOLLIN);
}

void links_send(struct links *l, uint32_t id, json_t *msg)
{
	struct link *link = find(l, id);

	if (link)
		send_to(l, link, msg);
	else
		json_decref(msg);
}

void links_send_below(struct links *l, json_t *msg)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i]->id != LINKS_UP)
			send_to(l, l->links[i], json_incref(msg));
	json_decref(msg);
}

void links_abort(struct links *l, uint32_t id, int rc)
{
	struct link *link = find(l, id);

	if (link && !link->rc)
		ctl_abort(&link->ctl, rc);
}

/* ---- ways */

void links_route(struct links *l, uint32_t rank, uint32_t id)
{
	if (rank >= l->n_nodes)
		return;
	if (!l->via) {
		l->via = must_calloc(l->n_nodes, sizeof(*l->via));
		memset(l->via, 0xff, l->n_nodes * sizeof(*l->via));
	}
	l->via[rank] = id;
}

uint32_t links_item_rank(const json_t *item)
{
	const json_t *number = json_is_array(item) ? json_array_get(item, 0) : item;
	const json_int_t rank = json_is_integer(number) ? json_integer_value(number) : -1;

	return rank < 0 || rank >= LINKS_UP ? LINKS_NONE : (uint32_t)rank;
}

static void add_part(struct links *l, json_t *item)
{
	const uint32_t rank = links_item_rank(item);
	struct link *link = l->via && rank < l->n_nodes ? find(l, l->via[rank]) : NULL;

	if (!link)
		return;
	if (!link->part)
		link->part = json_array();
	(void)json_array_append(link->part, item);
}

void links_send_parts(struct links *l, json_t *msg, const char *list)
{
	const json_t *items = json_object_get(msg, list);

	for (size_t i = 0; i < json_array_size(items); i++)
		add_part(l, json_array_get(items, i));
	for (uint32_t i = 0; i < l->n; i++) {
		struct link *link = l->links[i];
		json_t *copy = link->part ? json_copy(msg) : NULL;

		if (!copy)
			continue;
		(void)json_object_set_new(copy, list, link->part);
		link->part = NULL;
		send_to(l, link, copy);
	}
	json_decref(msg);
}

/* ---- mail */

void links_post(struct links *l, const struct links_mail *mail)
{
	struct mail_item *item = must_calloc(1, sizeof(*item));

	item->mail = *mail;
	pthread_mutex_lock(&l->lock);
	*l->mail_end = item;
	l->mail_end = &item->next;
	pthread_mutex_unlock(&l->lock);
	wake(l);
}

static struct mail_item *next_mail(struct links *l)
{
	struct mail_item *item;

	pthread_mutex_lock(&l->lock);
	item = l->mail;
	if (item)
		l->mail = item->next;
	if (!l->mail)
		l->mail_end = &l->mail;
	pthread_mutex_unlock(&l->lock);
	return item;
}

static void take_mail(struct links *l)
{
	struct mail_item *item;
	uint64_t count;

	(void)!read(l->wake_fd, &count, sizeof(count));
	while ((item = next_mail(l))) {
		l->host.mail(l->host.arg, &item->mail);
		free(item);
	}
}

/* ---- what comes */

static void lose(struct links *l, uint32_t id, int rc)
{
	links_drop(l, id);
	l->host.lost(l->host.arg, id, rc);
}

static void take_messages(struct links *l, uint32_t id)
{
	int rc = 1;

	for (int i = 0; i < AT_ONCE && rc > 0; i++) {
		/* a message may have cost the connection */
		struct link *link = find(l, id);
		json_t *msg = NULL;

		if (!link)
			return;
		link->more = i == AT_ONCE - 1;
		rc = ctl_try_recv(&link->ctl, &msg);
		link->heard_ns = rc > 0 ? clock_ns() : link->heard_ns;
		if (rc > 0 && strcmp(proto_type(msg), "heartbeat") != 0)
			l->host.message(l->host.arg, id, msg);
		json_decref(msg);
	}
	if (rc < 0)
		lose(l, id, rc);
}

/* Those to which nothing could be sent, and those that are silent. */
static void lose_dead(struct links *l, bool all_heard)
{
	const uint64_t now_ns = clock_ns();

	for (uint32_t i = 0; i < l->n;) {
		struct link *link = l->links[i];

		if (link->rc) {
			const int rc = link->rc;

			err_restore(link->err);
			lose(l, link->id, rc);
		} else if (all_heard && now_ns > link->heard_ns + LINKS_SILENT_NS) {
			lose(l, link->id, err_set(-ETIMEDOUT, "it has been silent for 5 s"));
		} else {
			i++;
			continue;
		}
		i = 0;
	}
}

static void beat(struct links *l)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - l->beat_ns < LINKS_BEAT_NS)
		return;
	l->beat_ns = now_ns;
	for (uint32_t i = 0; i < l->n; i++)
		if (!json_array_size(l->links[i]->queue))
			send_to(l, l->links[i], proto_plain("heartbeat"));
}

static bool any_more(const struct links *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i]->more)
			return true;
	return false;
}

/* One that moves to the place of a lost one has its turn next time. */
static void take_more(struct links *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i]->more)
			take_messages(l, l->links[i]->id);
}

void links_work(struct links *l, uint32_t timeout_ms)
{
	struct epoll_event events[EVENTS];
	const bool more = any_more(l);
	const int n = epoll_wait(l->epoll_fd, events, EVENTS, more ? 0 : (int)timeout_ms);

	for (int i = 0; i < n; i++) {
		if (events[i].data.u32 == LINKS_NONE) {
			take_mail(l);
			continue;
		}
		if (events[i].events & EPOLLOUT)
			send_queue(l, events[i].data.u32);
		if (events[i].events & ~(uint32_t)EPOLLOUT)
			take_messages(l, events[i].data.u32);
		beat(l);
	}
	if (more)
		take_more(l);
	beat(l);
	lose_dead(l, n < EVENTS);
}

int links_fd(const struct links *l)
{
	return l->epoll_fd;
}

uint64_t links_due_ns(const struct links *l)
{
	return any_more(l) ? 0 : l->beat_ns + LINKS_BEAT_NS;
}

/* ---- begin and end */

int links_open(struct links **links, const struct links_host *host, uint32_t n)
{
	struct links *l = must_calloc(1, sizeof(*l));
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = LINKS_NONE };

	*l = (struct links){ .host = *host, .n_nodes = n, .mail_end = &l->mail,
			     .beat_ns = clock_ns() };
	pthread_mutex_init(&l->lock, NULL);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*links = l;
	if (l->epoll_fd >= 0 && l->wake_fd >= 0 &&
	    !epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->wake_fd, &event))
		return 0;
	err_set(-errno, "epoll, eventfd: %s", strerror(errno));
	links_close(l);
	*links = NULL;
	return err_code();
}

void links_close(struct links *l)
{
	struct mail_item *item;

	if (!l)
		return;
	while ((item = next_mail(l))) {
		json_decref(item->mail.msg);
		ctl_close(&item->mail.ctl);
		free(item);
	}
	while (l->n)
		free_link(l->links[--l->n]);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	if (l->wake_fd >= 0)
		close(l->wake_fd);
	pthread_mutex_destroy(&l->lock);
	free(l->links);
	free(l->via);
	free(l);
}
