/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the sessions that other agents have with this one: a thread for each; see mesh.h. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree/session.h"
#include "util/err.h"
#include "util/log.h"
#include "wire/ctl_socket.h"

struct mesh_serve {
	const struct mesh *mesh;
	int stop_fd;
	int listeners[2];          /* n of them: only on this host two, IPv4 and IPv6 */
	uint32_t n;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	uint32_t sessions;         /* that run, with the lock */
};

struct served {
	struct mesh_serve *serve;
	int fd;
};

/* ---- one session */

static int take(void *arg, const struct event *event)
{
	(void)arg;
	/* the end of the mesh ends what still runs */
	if (event->kind == EVENT_ERROR && event->error->rc != -EINTR)
		log_note("a session with another agent: %s", event->error->text);
	return 0;
}

static int begin(void *arg, enum session_asked what)
{
	(void)arg;
	(void)what;
	return 0;
}

static void serve_one(const struct mesh_serve *s, struct ctl *ctl)
{
	const struct mesh *mesh = s->mesh;
	const struct session_host host = { .events = { .take = take }, .begin = begin };
	int rc = mesh->tls ? ctl_prove(ctl, mesh->tls, true, mesh->cfg.connect_timeout_ms) : 0;
	enum session_end end = SESSION_NO_CLIENT;

	if (!rc)
		end = session_server(&mesh->server, ctl, &host);
	if (end == SESSION_NO_CLIENT || end == SESSION_PERFTEST)
		log_note("a connection from %s is no session: %s", ctl->peer, err_text());
}

static void *session_main(void *arg)
{
	struct served served = *(struct served *)arg;
	struct mesh_serve *s = served.serve;
	struct ctl ctl = CTL_CLOSED;

	free(arg);
	if (ctl_accept(&ctl, served.fd, s->stop_fd))
		log_note("%s", err_text());
	else
		serve_one(s, &ctl);
	ctl_close(&ctl);
	pthread_mutex_lock(&s->lock);
	s->sessions--;
	pthread_cond_broadcast(&s->woken);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* Takes over the descriptor. */
static void start(struct mesh_serve *s, int fd)
{
	struct served *served = malloc(sizeof(*served));
	pthread_attr_t detached;
	pthread_t thread;
	int rc = served ? 0 : ENOMEM;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&s->lock);
	if (served)
		*served = (struct served){ s, fd };
	if (!rc)
		rc = pthread_create(&thread, &detached, session_main, served);
	s->sessions += !rc;
	pthread_mutex_unlock(&s->lock);
	pthread_attr_destroy(&detached);
	if (!rc)
		return;
	log_error("cannot start a thread for a session: %s", strerror(rc));
	free(served);
	close(fd);
}

/* ---- listening */

static void accept_one(struct mesh_serve *s, int listener)
{
	uint8_t peer[16];
	const int fd = ctl_take(listener, peer);

	if (fd < 0)
		return;
	if (mesh_allows(s->mesh, peer))
		start(s, fd);
	else
		close(fd);
}

static void *listen_main(void *arg)
{
	struct mesh_serve *s = arg;
	struct pollfd fds[3] = { { .fd = s->stop_fd, .events = POLLIN } };

	for (uint32_t i = 0; i < s->n; i++)
		fds[1 + i] = (struct pollfd){ .fd = s->listeners[i], .events = POLLIN };
	while (poll(fds, 1 + s->n, -1) >= 0 || errno == EINTR) {
		if (fds[0].revents)
			break;
		for (uint32_t i = 0; i < s->n; i++)
			if (fds[1 + i].revents)
				accept_one(s, s->listeners[i]);
	}
	return NULL;
}

int mesh_listen(const struct mesh *mesh, uint32_t port, int listeners[2], uint32_t *n)
{
	char text[64];
	int rc = ctl_listen(&listeners[0], mesh->only_here ? "127.0.0.1" : mesh->cfg.bind, port);

	*n = !rc;
	if (rc || !mesh->only_here)
		return rc;
	rc = ctl_listen(&listeners[1], "::1", ctl_listens_at(listeners[0], text, sizeof(text)));
	*n += !rc;
	/* a host may have no IPv6; of a port that is chosen the other family may be in use */
	if (rc && !ctl_no_ipv6(rc) && port)
		return rc;
	err_clear();
	return 0;
}

int mesh_serve_open(struct mesh_serve **serve, const struct mesh *mesh, int stop_fd, uint32_t *port)
{
	struct mesh_serve *s = calloc(1, sizeof(*s));
	char text[64];
	int rc;

	*serve = NULL;
	if (!s)
		return err_set(-ENOMEM, "no memory for the sessions of an agent");
	s->mesh = mesh;
	s->stop_fd = stop_fd;
	rc = mesh_listen(mesh, 0, s->listeners, &s->n);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->woken, NULL);
	if (!rc && pthread_create(&s->thread, NULL, listen_main, s))
		rc = err_set(-EAGAIN, "cannot start the thread that serves sessions");
	if (!rc) {
		*port = ctl_listens_at(s->listeners[0], text, sizeof(text));
		*serve = s;
		return 0;
	}
	while (s->n)
		close(s->listeners[--s->n]);
	free(s);
	return rc;
}

void mesh_serve_close(struct mesh_serve *s)
{
	if (!s)
		return;
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&s->lock);
	while (s->sessions)
		pthread_cond_wait(&s->woken, &s->lock);
	pthread_mutex_unlock(&s->lock);
	while (s->n)
		close(s->listeners[--s->n]);
	pthread_cond_destroy(&s->woken);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
