/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * serve.c against those who are no clients: after each of them a hello is still answered, and
 * SIGTERM still ends the server. No device is needed: nobody here sends a plan.
 */
#include "config.h"
#include "serve/serve.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "control/ctl.h"
#include "util/err.h"
#include "control/proto.h"
#include "util/signals.h"

#define FLOOD 1000u
#define ANSWER_MS 60000u  /* an answer takes milliseconds; machines that test may be busy */
#define STALL_MS 3600000u /* a server that waits for this hangs: the guard ends the test */
#define GUARD_S 120

struct server {
	pid_t pid;
	FILE *log;
	uint32_t port;
};

static void server_start(struct server *server, enum serve_for how_many)
{
	struct cfg cfg;
	char line[256] = "";
	int fd[2];

	alarm(GUARD_S);
	memset(&cfg, 0, sizeof(cfg));
	cfg.connect_timeout_ms = 2000;
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
		_exit(signals_init() ? 99 : serve_run(&cfg, how_many));
	}
	close(fd[1]);
	server->log = fdopen(fd[0], "r");
	assert_non_null(server->log);
	assert_non_null(fgets(line, sizeof(line), server->log));
	assert_non_null(strstr(line, "waiting for a client on port "));
	server->port = (uint32_t)strtoul(strstr(line, "port ") + 5, NULL, 10);
	assert_in_range(server->port, 1, 65535);
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

static int stranger(const struct server *server)
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

	if (ctl_connect(&ctl, "127.0.0.1", server->port, ANSWER_MS, -1) ||
	    ctl_send(&ctl, proto_hello(), ANSWER_MS) ||
	    ctl_recv(&ctl, "hello", &msg, ANSWER_MS))
		fail_msg("%s", err_text());
	assert_int_equal(proto_read_hello(&hello, msg), 0);
	json_decref(msg);
	ctl_close(&ctl);
}

static void test_noise(void **state)
{
	static const char oversized[] = "\x7f\xff\xff\xff{";
	static const char half[] = "\0\0\1\0{\"type\":\"hel";
	static const char no_json[] = "\0\0\0\5hello";
	static const char no_hello[] = "\0\0\0\x0f{\"type\":\"plan\"}";
	struct server server;
	uint8_t noise[4000];
	uint32_t seed = 1, ignored;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
	server_start(&server, SERVE_MANY);
	assert_serves(&server);

	fd = stranger(&server);
	blurt(fd, noise, sizeof(noise));
	assert_hung_up(fd);
	assert_serves(&server);

	fd = stranger(&server);
	blurt(fd, oversized, sizeof(oversized) - 1);
	assert_hung_up(fd);
	assert_serves(&server);

	fd = stranger(&server);
	blurt(fd, no_json, sizeof(no_json) - 1);
	assert_hung_up(fd);

	fd = stranger(&server);
	blurt(fd, no_hello, sizeof(no_hello) - 1);
	assert_hung_up(fd);

	fd = stranger(&server);
	blurt(fd, half, sizeof(half) - 1);
	shutdown(fd, SHUT_WR);
	assert_hung_up(fd);

	/* half a frame, then silence: others are served meanwhile, and it ends by itself */
	fd = stranger(&server);
	blurt(fd, half, sizeof(half) - 1);
	assert_serves(&server);
	assert_hung_up(fd);

	assert_int_equal(server_stop(&server, &ignored), 0);
	assert_in_range(ignored, 6, 10);
}

static void test_flood_of_silence(void **state)
{
	struct rlimit files;
	struct server server;
	uint32_t ignored;
	int fds[FLOOD];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_cur < FLOOD + 64) {
		files.rlim_cur = files.rlim_max < FLOOD + 64 ? files.rlim_max : FLOOD + 64;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
		if (files.rlim_cur < FLOOD + 64)
			skip();
	}
	server_start(&server, SERVE_MANY);
	for (uint32_t i = 0; i < FLOOD; i++) {
		fds[i] = stranger(&server);
		/* an answer shows that the backlog of the listener is empty again */
		if (i % 50 == 49)
			assert_serves(&server);
	}
	assert_serves(&server);
	assert_int_equal(server_stop(&server, &ignored), 0);
	assert_in_range(ignored, 1, 20);
	for (uint32_t i = 0; i < FLOOD; i++)
		close(fds[i]);
}

static void test_one_client_never_came(void **state)
{
	struct server server;
	uint32_t ignored;
	int fd;

	(void)state;
	server_start(&server, SERVE_ONE_CLIENT);
	fd = stranger(&server);
	blurt(fd, "GET / HTTP/1.0\r\n\r\n", 18);
	assert_hung_up(fd);
	assert_serves(&server);
	fd = stranger(&server);
	assert_int_equal(server_stop(&server, &ignored), 1);
	assert_hung_up(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_flood_of_silence),
		cmocka_unit_test(test_one_client_never_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
