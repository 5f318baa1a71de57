/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A server in a process of its own, for the tests of those who are no clients. After cmocka.h. */
#ifndef SERVER_H
#define SERVER_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options/options.h"
#include "serve/serve.h"
#include "util/err.h"
#include "util/signals.h"
#include "wire/ctl_socket.h"
#include "wire/proto.h"

#define ANSWER_MS 300000u /* an answer takes milliseconds; machines that test may be busy */
#define STALL_MS 3600000u /* a server that waits for this hangs: the guard ends the test */
#define SHORT_MS 200u
#define GUARD_S 300

struct server {
	pid_t pid;
	FILE *log;
	uint32_t port;
};

/* What the owner allows. */
struct start {
	enum serve_for how_many;
	uint32_t max_sessions, per_host, rate, idle_ms, plan_ms, connect_ms;
};

/* Of the server's process, not of its children. */
static pid_t polled;
static bool poll_fails;

int __real_poll(struct pollfd *p, nfds_t n, int ms);
int __wrap_poll(struct pollfd *p, nfds_t n, int ms);

/* With the least limit that the kernel could have: no more entries than open descriptors. The log
 * polls one. */
int __wrap_poll(struct pollfd *p, nfds_t n, int ms)
{
	bool fails = poll_fails;

	for (nfds_t i = 0; i < n; i++)
		fails |= p[i].fd < 0;
	if (getpid() != polled || n < 3 || !fails)
		return __real_poll(p, n, ms);
	errno = EINVAL;
	return -1;
}

static const struct start usual = {
	.how_many = SERVE_MANY, .max_sessions = 16, .per_host = 8, .rate = 100, .idle_ms = STALL_MS,
	.plan_ms = STALL_MS, .connect_ms = STALL_MS,
};

static void server_start_as(struct server *server, const struct start *how)
{
	struct cfg cfg;
	char line[256] = "";
	int fd[2];

	alarm(GUARD_S);
	memset(&cfg, 0, sizeof(cfg));
	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.max_sessions = how->max_sessions;
	cfg.max_sessions_per_host = how->per_host;
	cfg.max_session_rate = how->rate;
	cfg.max_idle_ms = how->idle_ms;
	cfg.max_plan_ms = how->plan_ms;
	cfg.given.max_idle_ms = true;
	cfg.bind = NULL;
	cfg.tcp_port = 0;
	cfg.connect_timeout_ms = how->connect_ms;
	cfg.stall_timeout_ms = STALL_MS;
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	server->pid = fork();
	assert_true(server->pid >= 0);
	if (!server->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test leaves no server */
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		polled = getpid();
		_exit(signals_init() ? 99 : serve_run(&cfg, how->how_many, NULL));
	}
	close(fd[1]);
	server->log = fdopen(fd[0], "r");
	assert_non_null(server->log);
	/* a build without libseccomp says first that there is no sandbox */
	while (!strstr(line, "waiting for a client on port "))
		assert_non_null(fgets(line, sizeof(line), server->log));
	server->port = (uint32_t)strtoul(strstr(line, "port ") + 5, NULL, 10);
	assert_in_range(server->port, 1, 65535);
}

static void server_start(struct server *server, enum serve_for how_many)
{
	struct start how = usual;

	how.how_many = how_many;
	server_start_as(server, &how);
}

/*
 * SIGTERM: nothing runs that the server waits for. Returns the exit status. *ignored: lines about
 * connections that were none of ours.
 */
static int server_stop(struct server *server, uint32_t *ignored)
{
	char line[1024];
	int wstatus;

	assert_int_equal(kill(server->pid, SIGTERM), 0);
	assert_int_equal(waitpid(server->pid, &wstatus, 0), server->pid);
	assert_true(WIFEXITED(wstatus));
	*ignored = 0;
	while (fgets(line, sizeof(line), server->log))
		*ignored += strstr(line, "ignored a connection from 127.0.0.1 port ") != NULL;
	fclose(server->log);
	return WEXITSTATUS(wstatus);
}

/* From a loopback address that stands for another host; without waiting for the connection. */
static int start_from(const struct server *server, uint32_t address)
{
	const struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr = { htonl(address) } };
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons((uint16_t)server->port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&from, sizeof(from)), 0);
	assert_true(!connect(fd, (const struct sockaddr *)&to, sizeof(to)) || errno == EINPROGRESS);
	return fd;
}

static int silent(const struct server *server)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons((uint16_t)server->port),
					.sin_addr = { htonl(INADDR_LOOPBACK) } };
	const struct timeval patience = { .tv_sec = ANSWER_MS / 1000 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* The server may have closed already, and that is fine. */
static void blurt(int fd, const void *bytes, size_t len)
{
	if (send(fd, bytes, len, MSG_NOSIGNAL) < 0)
		assert_true(errno == EPIPE || errno == ECONNRESET);
}

/* The server hangs up on fd, whatever it says before. */
static void assert_hung_up(int fd)
{
	char sink[4096];
	ssize_t n;

	do
		n = recv(fd, sink, sizeof(sink), 0);
	while (n > 0);
	assert_true(n == 0 || errno == ECONNRESET);
	close(fd);
}

static void assert_serves(const struct server *server)
{
	struct proto_hello hello;
	struct ctl ctl;
	json_t *msg = NULL;

	if (ctl_dial(&ctl, &(struct ctl_dial){ .host = "127.0.0.1", .port = server->port,
					       .timeout_ms = ANSWER_MS, .signals_fd = -1 }) ||
	    ctl_send(&ctl, proto_hello(), ANSWER_MS) ||
	    ctl_recv(&ctl, "hello", &msg, ANSWER_MS))
		fail_msg("%s", err_text());
	assert_int_equal(proto_read_hello(&hello, msg), 0);
	json_decref(msg);
	ctl_close(&ctl);
}

#endif
