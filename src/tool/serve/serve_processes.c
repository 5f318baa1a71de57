/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of the server's child processes, from fork to wait, and which of them may run a
 * session. Must not send or receive a byte of a connection.
 */
#include "config.h"
#include "serve/serve_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame/command.h"
#include "serve/serve_child.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"

#define LOOK_FIRST_NS 1000000u /* a child that is gone is looked for again after this time, */
#define LOOK_MOST_NS 50000000u /* then after twice that, and so on */
#define FIRST_ROOM 16u
#define GONE_MS 5000u          /* it has closed its end, and does not exit */
#define LAST_WAIT_MS 500       /* for all of them, when the server itself ends */

static void remove_child(struct serve *s, uint32_t i)
{
	s->n--;
	memmove(&s->children[i], &s->children[i + 1], (s->n - i) * sizeof(s->children[0]));
}

static void account_and_remove(struct serve *s, uint32_t i, int wstatus)
{
	struct serve_process *c = &s->children[i];

	account_end(&s->account, &c->entry, c->peer, c->pid, wstatus);
	remove_child(s, i);
}

/* The child says nothing more. It keeps its place until the kernel has destroyed what it had. */
static void let_go(struct serve_process *c)
{
	if (c->gone)
		return;
	close(c->fd);
	c->fd = -1;
	c->gone = true;
	c->gone_ns = c->look_ns = clock_ns();
	c->look_again_ns = LOOK_FIRST_NS;
}

/*
 * A message of the child, whose process is less trusted than the server. 0: there is none now, or
 * it was for the account; -EPIPE: the child has closed its end; -EPROTO: it is not a message.
 */
static int take_message(struct serve_process *c, struct serve_message *m)
{
	const ssize_t n = recv(c->fd, m, sizeof(*m), MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -EPIPE;
	if (n != (ssize_t)sizeof(*m) || m->kind >= SERVE_GRANTED)
		return -EPROTO;
	m->text[sizeof(m->text) - 1] = '\0';
	if (m->kind != SERVE_RAN)
		return 1;
	return account_take(&c->entry, &m->ran) ? 0 : -EPROTO;
}

/* Does not wait: the kernel may take long to destroy the QPs of a session. why: for the audit. */
static void kill_child(struct serve_process *c, const char *why)
{
	struct serve_message m;

	kill(c->pid, SIGKILL);
	c->killed = true;
	/* what it has told already counts, also when it is gone */
	account_decide(&c->entry, AUDIT_KILLED, why);
	while (!c->gone && recv(c->fd, &m, 1, MSG_DONTWAIT | MSG_PEEK) > 0)
		(void)!take_message(c, &m);
	let_go(c);
}

void serve_processes_kill_all(struct serve *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		kill_child(&s->children[i], "the server ended");
	for (int ms = 0; s->n && ms < LAST_WAIT_MS; ms++) {
		for (uint32_t i = s->n; i-- > 0;)
			if (waitpid(s->children[i].pid, NULL, WNOHANG))
				account_and_remove(s, i, 0);
		if (s->n)
			poll(NULL, 0, 1);
	}
	while (s->n)
		account_and_remove(s, s->n - 1, 0);
	free(s->children);
	free(s->polls);
	s->children = NULL;
	s->polls = NULL;
	s->n = s->room = 0;
}

int serve_processes_grow(struct serve *s)
{
	const uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct serve_process *more;
	struct pollfd *polls;

	if (s->n < s->room)
		return 0;
	more = realloc(s->children, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->children = more;
	polls = realloc(s->polls, 2 * ((size_t)room + SERVE_MAX_OTHER) * sizeof(*polls));
	if (!polls)
		return -ENOMEM;
	s->polls = polls;
	s->room = room;
	return 0;
}

static void add_child(struct serve *s, const struct ctl *ctl, const struct serve_process *child)
{
	struct serve_process *c = &s->children[s->n++];

	*c = *child;
	c->since_ns = clock_ns();
	snprintf(c->peer, sizeof(c->peer), "%s", ctl->peer);
	s->account.totals.connections++;
}

/* Makes room for a new connection, at the cost of who has most. */
static void make_room(struct serve *s, const uint8_t gid[16])
{
	struct serve_process *c = serve_pending_room(s, gid);

	if (!c)
		return;
	serve_refused_log(s, c->peer, "it sent no plan, and other connections wait");
	kill_child(c, "it sent no plan, and other connections wait");
}

int serve_processes_start(struct serve *s, struct ctl *ctl)
{
	const pid_t parent = getpid();
	struct serve_process c = { .pid = 0 };
	int pair[2], rc;

	memcpy(c.host, ctl->peer_gid, sizeof(c.host));
	if (s->knows_users)
		serve_user_host(c.host, ctl);
	make_room(s, c.host);
	if (serve_processes_grow(s))
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fflush(NULL); /* the child must not write the same text again */
	c.pid = fork();
	if (!c.pid) {
		const struct serve_child child = { .cfg = s->cfg, .printer = s->printer,
						   .tls = s->tls, .ctl = ctl, .fd = pair[1],
						   .server = parent, .sandbox = s->sandbox };

		close(pair[0]);
		serve_listen_close(&s->listen);
		account_audit_close(&s->account.audit);
		serve_status_close(&s->status_socket, true);
		notify_close(&s->life.notify);
		for (uint32_t i = 0; i < s->n; i++)
			if (!s->children[i].gone)
				close(s->children[i].fd);
		(void)!setrlimit(RLIMIT_NOFILE, &s->session_descriptors);
		serve_child_run(&child);
	}
	rc = c.pid < 0 ? -errno : 0;
	close(pair[1]);
	c.fd = pair[0];
	if (rc)
		close(pair[0]);
	else
		add_child(s, ctl, &c);
	return rc;
}

/* why: of a refusal; NULL: granted. */
static void answer(struct serve_process *c, const char *why)
{
	struct serve_message m = { .kind = why ? SERVE_REFUSED : SERVE_GRANTED };

	snprintf(m.text, sizeof(m.text), "%s", why ? why : "");
	if (send(c->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		return;
	/* when the child has ended, the end of file on fd tells it */
	if (errno == EPIPE || errno == ECONNRESET)
		return;
	log_error("the session with %s is killed: its process cannot be answered: %s", c->peer,
		  strerror(errno));
	kill_child(c, "its process could not be answered");
}

/*
 * The key that the peer has proved, as its process says. False: it is gone since the process was
 * started, or it was none and the server now asks for one.
 */
static bool take_key(const struct serve *s, struct serve_process *c,
		     const uint8_t key[KEY_ID_BYTES])
{
	const char *name = s->tls ? ctl_tls_name(s->tls, key) : "";

	if (!name)
		return false;
	c->keyed = s->tls;
	memcpy(c->key, key, sizeof(c->key));
	snprintf(c->entry.key, sizeof(c->entry.key), "%s", name);
	return true;
}

/* The peer of a child sent a plan: may the session run? */
static void admit(struct serve *s, struct serve_process *c, const uint8_t key[KEY_ID_BYTES])
{
	const bool taken = s->how_many == SERVE_ONE_CLIENT && serve_limits_sessions(s);
	char why[ERR_TEXT_MAX];
	bool may = false;

	if (c->state != SERVE_CHILD_NEW)
		return;
	c->state = SERVE_CHILD_REJECTED;
	account_begin(&s->account, &c->entry);
	flood_give(&s->floods, c->host);
	if (taken)
		snprintf(why, sizeof(why), "this server serves one client, and another client is served");
	else if (!take_key(s, c, key))
		snprintf(why, sizeof(why), "the keys of the server have changed, and that of this client is none of them");
	else
		may = serve_limits_admit(s, c, why, sizeof(why));
	if (!may) {
		if (!taken)
			log_note("rejected %s: %s", c->peer, why);
		account_decide(&c->entry, AUDIT_REJECTED, why);
		answer(c, why);
		return;
	}
	c->state = SERVE_CHILD_CLIENT;
	if (s->how_many == SERVE_ONE_CLIENT)
		serve_listen_close(&s->listen);
	answer(c, NULL);
}

static void log_end(struct serve *s, const struct serve_process *c, int wstatus)
{
	if (WIFSIGNALED(wstatus))
		log_error("the session with %s was ended by signal %d (%s)", c->peer,
			  WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
	else if (c->perftest && s->how_many == SERVE_ONE_CLIENT)
		log_error("%s", c->reason);
	else if (c->state == SERVE_CHILD_NEW)
		serve_refused_log(s, c->peer,
				  c->reason[0] ? c->reason : "it closed before it sent a plan");
}

static void child_ended(struct serve *s, uint32_t i, int wstatus)
{
	const struct serve_process *c = &s->children[i];

	if (!c->killed)
		log_end(s, c, wstatus);
	if ((c->state == SERVE_CHILD_CLIENT || c->perftest) && s->how_many == SERVE_ONE_CLIENT) {
		s->status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : COMMAND_FAILED;
		s->over = true;
	}
	account_and_remove(s, i, wstatus);
}

/* Of a child that is gone: has its process ended? Then true, and those behind it have moved. */
static bool look_for(struct serve *s, uint32_t i, uint64_t now_ns)
{
	struct serve_process *c = &s->children[i];
	int wstatus = 0;

	if (waitpid(c->pid, &wstatus, WNOHANG)) {
		child_ended(s, i, wstatus);
		return true;
	}
	if (!c->killed && now_ns - c->gone_ns > GONE_MS * 1000000ull) {
		log_error("the session with %s ended, but its process did not exit: killing it",
			  c->peer);
		kill_child(c, "its process did not end");
	}
	c->look_ns = now_ns + c->look_again_ns;
	if (c->look_again_ns < LOOK_MOST_NS)
		c->look_again_ns *= 2;
	return false;
}

/* May it have so many bytes? */
static void allow_memory(struct serve *s, struct serve_process *c, uint64_t bytes)
{
	char why[ERR_TEXT_MAX];
	const bool granted = serve_limits_memory(s, c, bytes, why, sizeof(why));

	if (!granted)
		log_note("rejected %s: %s", c->peer, why);
	answer(c, granted ? NULL : why);
}

/* The loops of a point begin, or have ended: a limit of the point, or of silence, is met then. */
static void note_point(struct serve_process *c, bool begin)
{
	c->point_ns = begin ? clock_ns() : 0;
	if (c->over == SERVE_LIMIT_POINT || c->over == SERVE_LIMIT_SILENT)
		c->asked_ns = 0;
}

static void handle_message(struct serve *s, struct serve_process *c, const struct serve_message *m)
{
	switch (m->kind) {
	case SERVE_ASK_SESSION:
		admit(s, c, m->key);
		break;
	case SERVE_ASK_MEMORY:
		allow_memory(s, c, m->bytes);
		break;
	case SERVE_POINT_BEGINS:
	case SERVE_POINT_ENDED:
		note_point(c, m->kind == SERVE_POINT_BEGINS);
		break;
	case SERVE_NO_CLIENT:
	case SERVE_PERFTEST:
		c->perftest = m->kind == SERVE_PERFTEST;
		snprintf(c->reason, sizeof(c->reason), "%s", m->text);
		break;
	default: /* it is alive */
		break;
	}
}

void serve_processes_receive(struct serve *s, uint32_t i)
{
	struct serve_process *c = &s->children[i];
	struct serve_message m;
	const int rc = take_message(c, &m);

	c->heard_ns = clock_ns();
	if (rc == -EPROTO) {
		log_error("the session with %s is killed: its process sent an invalid message",
			  c->peer);
		kill_child(c, "its process sent what is not a message");
	} else if (rc < 0) {
		let_go(c);
		look_for(s, i, clock_ns());
	} else if (rc) {
		handle_message(s, c, &m);
	}
}

static uint64_t new_ns(const struct serve *s)
{
	return serve_child_plan_ms(s->cfg) * 1000000ull;
}

static uint64_t deadline_of(const struct serve *s, const struct serve_process *c, uint64_t now_ns)
{
	if (c->gone)
		return c->look_ns;
	if (c->state == SERVE_CHILD_CLIENT)
		return s->stop_by_ns ? s->stop_by_ns : serve_limits_until(c);
	if (s->stop_by_ns || (!s->listen.n && c->state == SERVE_CHILD_NEW))
		return now_ns;
	return c->since_ns + new_ns(s);
}

static void expire_child(struct serve *s, struct serve_process *c)
{
	char why[96];

	snprintf(why, sizeof(why), "no hello and plan within %.15gs (--max-plan-time, --connect-timeout)",
		 1e-9 * (double)new_ns(s));
	if (c->state == SERVE_CHILD_CLIENT && !s->stop_by_ns) {
		if (serve_limits_late(c))
			return;
	} else if (c->state == SERVE_CHILD_CLIENT) {
		snprintf(why, sizeof(why), "it did not end in time after the stop");
		log_error("the session with %s did not end in time after the stop", c->peer);
		s->status = COMMAND_FAILED;
		s->over = true;
	} else if (c->state == SERVE_CHILD_NEW && s->listen.n) {
		serve_refused_log(s, c->peer, why);
	}
	kill_child(c, why);
}

uint64_t serve_processes_expire(struct serve *s)
{
	const uint64_t now_ns = clock_ns();
	uint64_t next_ns = flood_expire(&s->floods, now_ns);
	uint32_t i = 0;

	if (s->stop_by_ns && s->stop_by_ns < next_ns)
		next_ns = s->stop_by_ns;

	while (i < s->n) {
		struct serve_process *c = &s->children[i];

		if (!c->gone && deadline_of(s, c, now_ns) <= now_ns)
			expire_child(s, c);
		if (c->gone && c->look_ns <= now_ns && look_for(s, i, now_ns))
			continue;
		next_ns = min_u64(next_ns, deadline_of(s, c, now_ns));
		i++;
	}
	return next_ns;
}

void serve_processes_stop(const struct serve *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].state == SERVE_CHILD_CLIENT && !s->children[i].gone)
			kill(s->children[i].pid, SIGNALS_ASK);
}
