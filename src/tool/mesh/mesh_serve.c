/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns connections that others make to this process: a thread for each; see mesh.h. Those that have
 * not shown yet that they may take part are limited: others wait in the queue of the kernel. So
 * that they do not wait for long, the second half of them has less time for it.
 */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/must.h"
#include "wire/ctl_socket.h"

#define STRANGERS 256u
#define HURRY_MS 3000u
#define FULL_MS 10     /* until the next look for room */
#define SPARE 64u      /* sessions beside one with each node */

struct mesh_serve {
	const struct mesh *mesh;
	struct mesh_server server;
	int stop_fd;               /* eventfd, readable: all of it ends */
	int listeners[2];          /* n of them: only on this host two, IPv4 and IPv6 */
	uint32_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	uint32_t served;           /* connections, with the lock */
	uint32_t strangers;        /* of them: those that are limited */
};

struct served {
	struct mesh_serve *serve;
	int fd;
	uint32_t timeout_ms;       /* to prove the key */
};

/* ---- one connection */

static void forget_stranger(struct mesh_serve *s)
{
	pthread_mutex_lock(&s->lock);
	s->strangers--;
	pthread_mutex_unlock(&s->lock);
}

static void serve_one(struct mesh_serve *s, struct ctl *ctl, uint32_t timeout_ms)
{
	const struct mesh *mesh = s->mesh;
	const int rc = mesh->tls ? ctl_prove(ctl, mesh->tls, true, timeout_ms) : 0;

	if (!s->server.brief)
		forget_stranger(s);
	if (rc)
		log_note("a connection from %s is refused: %s", ctl->peer, err_text());
	else
		s->server.serve(s->server.arg, ctl);
	if (s->server.brief)
		forget_stranger(s);
}

static void *connection_main(void *arg)
{
	const struct served served = *(struct served *)arg;
	struct mesh_serve *s = served.serve;
	struct ctl ctl = CTL_CLOSED;

	free(arg);
	if (ctl_accept(&ctl, served.fd, s->stop_fd)) {
		log_note("%s", err_text());
		forget_stranger(s);
	} else {
		serve_one(s, &ctl, served.timeout_ms);
	}
	ctl_close(&ctl);
	pthread_mutex_lock(&s->lock);
	s->served--;
	pthread_cond_broadcast(&s->woken);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Takes over the descriptor. */
static void start(struct mesh_serve *s, int fd)
{
	struct served *served = must_calloc(1, sizeof(*served));
	pthread_t thread;
	int rc;

	*served = (struct served){ s, fd, s->mesh->cfg.connect_timeout_ms };
	pthread_mutex_lock(&s->lock);
	if (s->strangers > STRANGERS / 2)
		served->timeout_ms = min_u32(served->timeout_ms, HURRY_MS);
	rc = pthread_create(&thread, NULL, connection_main, served);
	s->served += !rc;
	s->strangers += !rc;
	pthread_mutex_unlock(&s->lock);
	if (!rc) {
		pthread_detach(thread);
		return;
	}
	log_error("cannot start a thread for a connection: %s", strerror(rc));
	free(served);
	close(fd);
}

/* ---- listening */

static bool has_room(struct mesh_serve *s)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = s->strangers < STRANGERS && s->served < STRANGERS + SPARE + s->mesh->rank.size;
	pthread_mutex_unlock(&s->lock);
	return has;
}

static void accept_all(struct mesh_serve *s, int listener)
{
	uint8_t peer[16];
	int fd;

	while (has_room(s) && (fd = ctl_take(listener, peer)) >= 0) {
		if (mesh_allows(s->mesh, peer))
			start(s, fd);
		else
			close(fd);
	}
}

static void *listen_main(void *arg)
{
	struct mesh_serve *s = arg;
	struct pollfd fds[3] = { { .fd = s->stop_fd, .events = POLLIN } };

	for (uint32_t i = 0; i < s->n; i++)
		fds[1 + i] = (struct pollfd){ .fd = s->listeners[i], .events = POLLIN };
	for (;;) {
		const bool room = has_room(s);

		if (poll(fds, room ? 1 + s->n : 1, room ? -1 : FULL_MS) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			break;
		for (uint32_t i = 0; i < s->n; i++)
			if (room && fds[1 + i].revents)
				accept_all(s, s->listeners[i]);
	}
	return NULL;
}

static int listen_at(struct mesh_serve *s, uint32_t *port)
{
	const struct mesh *mesh = s->mesh;
	const uint32_t asked = *port;
	char text[64];
	int rc = ctl_listen(&s->listeners[0], mesh->only_here ? "127.0.0.1" : mesh->cfg.bind,
			    asked);

	s->n = !rc;
	if (rc)
		return rc;
	*port = ctl_listens_at(s->listeners[0], text, sizeof(text));
	if (!mesh->only_here)
		return 0;
	rc = ctl_listen(&s->listeners[1], "::1", *port);
	s->n += !rc;
	/* a host may have no IPv6; of a port that is chosen the other family may be in use */
	if (rc && !ctl_no_ipv6(rc) && asked)
		return rc;
	err_clear();
	return 0;
}

static void free_serve(struct mesh_serve *s)
{
	while (s->n)
		close(s->listeners[--s->n]);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	pthread_cond_destroy(&s->woken);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int mesh_serve_open(struct mesh_serve **serve, const struct mesh *mesh,
		    const struct mesh_server *server, uint32_t *port)
{
	struct mesh_serve *s = must_calloc(1, sizeof(*s));
	int rc;

	*serve = NULL;
	s->mesh = mesh;
	s->server = *server;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->woken, NULL);
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	rc = s->stop_fd < 0 ? err_set(-errno, "eventfd: %s", strerror(errno)) : listen_at(s, port);
	if (!rc && pthread_create(&s->thread, NULL, listen_main, s))
		rc = err_set(-EAGAIN, "cannot start the thread that takes connections");
	if (rc)
		free_serve(s);
	else
		*serve = s;
	return rc;
}

int mesh_serve_stop_fd(const struct mesh_serve *s)
{
	return s->stop_fd;
}

void mesh_serve_stop(struct mesh_serve *s)
{
	const uint64_t one = 1;

	/* cannot fail: the counter of an eventfd has room for it */
	(void)!write(s->stop_fd, &one, sizeof(one));
}

void mesh_serve_close(struct mesh_serve *s)
{
	if (!s)
		return;
	mesh_serve_stop(s);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&s->lock);
	while (s->served)
		pthread_cond_wait(&s->woken, &s->lock);
	pthread_mutex_unlock(&s->lock);
	free_serve(s);
}
