/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * serve.c against those who are no clients: after each of them a hello is still answered, and
 * SIGTERM still ends the server. And against clients that take slots and say nothing. No plan here
 * can be run.
 */
#include "config.h"
#include "serve/serve.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "options/options.h"
#include "util/clock.h"
#include "wire/ctl_socket.h"
#include "util/err.h"
#include "wire/proto.h"
#include "util/signals.h"
#include "verbs.h"
#include "server.h"

#define FLOOD 1000u

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

	fd = silent(&server);
	blurt(fd, noise, sizeof(noise));
	assert_hung_up(fd);
	assert_serves(&server);

	fd = silent(&server);
	blurt(fd, oversized, sizeof(oversized) - 1);
	assert_hung_up(fd);
	assert_serves(&server);

	fd = silent(&server);
	blurt(fd, no_json, sizeof(no_json) - 1);
	assert_hung_up(fd);

	fd = silent(&server);
	blurt(fd, no_hello, sizeof(no_hello) - 1);
	assert_hung_up(fd);

	fd = silent(&server);
	blurt(fd, half, sizeof(half) - 1);
	shutdown(fd, SHUT_WR);
	assert_hung_up(fd);

	/* half a frame, then silence: others are served meanwhile */
	fd = silent(&server);
	blurt(fd, half, sizeof(half) - 1);
	assert_serves(&server);

	assert_int_equal(server_stop(&server, &ignored), 0);
	assert_hung_up(fd);
	assert_in_range(ignored, 5, 10);
}

/* Half a frame, then silence: it ends by itself. Nobody else is there, who could be late. */
static void test_half_a_frame(void **state)
{
	struct start how = usual;
	struct server server;
	uint32_t ignored;
	int fd;

	(void)state;
	/* not the time in which the server looks for a device, which a busy machine exceeds */
	how.plan_ms = SHORT_MS;
	server_start_as(&server, &how);
	fd = silent(&server);
	blurt(fd, "\0\0\1\0{\"type\":\"hel", 16);
	assert_hung_up(fd);
	assert_int_equal(server_stop(&server, &ignored), 0);
	assert_int_equal(ignored, 1);
}

static void test_flood_of_silence(void **state)
{
	struct rlimit files;
	struct server server;
	uint64_t begun_ns;
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
	begun_ns = clock_ns();
	server_start(&server, SERVE_MANY);
	for (uint32_t i = 0; i < FLOOD; i++) {
		fds[i] = silent(&server);
		/* an answer shows that the backlog of the listener is empty again */
		if (i % 50 == 49)
			assert_serves(&server);
	}
	assert_serves(&server);
	assert_int_equal(server_stop(&server, &ignored), 0);
	/* ten lines in a minute; a busy machine takes longer than that */
	assert_in_range(ignored, 1, 10 * (1 + (clock_ns() - begun_ns) / UINT64_C(60000000000)));
	for (uint32_t i = 0; i < FLOOD; i++)
		close(fds[i]);
}

/*
 * A client that sends a plan, with the longest stall timeout, and then is silent. The device that
 * it names is not there, so its plan is refused; its session goes on. Returns what the server has
 * said.
 */
static const char *silent_client(const struct server *server, struct ctl *ctl, const char *from)
{
	const struct ctl_dial dial = { .host = "127.0.0.1", .port = server->port,
				       .timeout_ms = ANSWER_MS, .signals_fd = -1, .from = from };
	json_t *msg = NULL;

	if (ctl_dial(ctl, &dial) || ctl_send(ctl, proto_hello(), ANSWER_MS) ||
	    ctl_recv(ctl, "hello", &msg, ANSWER_MS))
		fail_msg("%s", err_text());
	json_decref(msg);
	msg = json_pack("{s:s,s:{s:s,s:s,s:i}}", "type", "plan", "options", "test", "send_bw",
			"peer_device", "none-such", "stall_timeout_ms", (int)STALL_MS);
	assert_int_equal(ctl_send(ctl, msg, ANSWER_MS), 0);
	assert_true(ctl_recv(ctl, NULL, &msg, ANSWER_MS) < 0);
	return err_text();
}

#define SILENT 16u

static void test_slots(void **state)
{
	struct ctl ctl[SILENT + 1];
	struct start how = usual;
	struct server server;
	uint32_t ignored;

	(void)state;
	how.max_sessions = 8;
	how.per_host = 6;
	server_start_as(&server, &how);
	for (uint32_t i = 0; i < SILENT; i++) {
		const char *said = silent_client(&server, &ctl[i], "127.0.0.1");

		if (strstr(said, "6 sessions of this host are running (--max-sessions-per-host of the server's owner"))
			assert_in_range(i, 6, SILENT - 1);
		else
			assert_true(i < 6 && !strstr(said, "busy"));
	}
	/* others are served at once */
	assert_null(strstr(silent_client(&server, &ctl[SILENT], "127.0.0.2"), "busy"));
	ctl_close(&ctl[SILENT]);
	assert_null(strstr(silent_client(&server, &ctl[SILENT], "127.0.0.3"), "busy"));
	for (uint32_t i = 0; i < SILENT + 1; i++)
		ctl_close(&ctl[i]);
	assert_serves(&server);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

static void test_all_slots(void **state)
{
	struct ctl ctl[3];
	struct start how = usual;
	struct server server;
	uint32_t ignored;

	(void)state;
	how.max_sessions = 2;
	how.per_host = 2;
	server_start_as(&server, &how);
	for (uint32_t i = 0; i < 2; i++)
		assert_null(strstr(silent_client(&server, &ctl[i], "127.0.0.1"), "busy"));
	assert_non_null(strstr(silent_client(&server, &ctl[2], "127.0.0.2"),
			       "2 sessions are running (--max-sessions of the server's owner)"));
	for (uint32_t i = 0; i < 3; i++)
		ctl_close(&ctl[i]);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

/* So many sessions in a second; a client that gets no processor for so long is not too fast. */
static void test_rate(void **state)
{
	struct start how = usual;
	struct server server;
	struct ctl ctl;
	uint32_t ignored, busy = 0;

	(void)state;
	how.per_host = 16;
	how.rate = 1;
	server_start_as(&server, &how);
	for (uint32_t i = 0; !busy; i++) {
		const char *said = silent_client(&server, &ctl, "127.0.0.1");

		busy = strstr(said, "1 sessions began within one second (--max-session-rate") != NULL;
		ctl_close(&ctl);
		assert_true(i || !busy);
	}
	assert_int_equal(server_stop(&server, &ignored), 0);
}

/* A client asks for silence of an hour, and the owner allows less. */
static void test_idle(void **state)
{
	struct start how = usual;
	struct server server;
	struct ctl ctl;
	json_t *msg = NULL;
	uint32_t ignored;

	(void)state;
	how.idle_ms = SHORT_MS;
	server_start_as(&server, &how);
	assert_null(strstr(silent_client(&server, &ctl, "127.0.0.1"), "busy"));
	assert_int_equal(ctl_recv(&ctl, NULL, &msg, ANSWER_MS), -ECONNABORTED);
	assert_non_null(strstr(err_text(), "--max-idle 0.2s of the server's owner: no plan came"));
	ctl_close(&ctl);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

/* The only child of the server's process. */
static pid_t child_of(const struct server *server)
{
	char path[64];
	FILE *f;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", server->pid, server->pid);
	for (int ms = 0; !pid && ms < (int)ANSWER_MS; ms++) {
		f = fopen(path, "r");
		if (!f)
			return 0;
		if (fscanf(f, "%d", &pid) != 1)
			pid = 0;
		fclose(f);
		poll(NULL, 0, 1);
	}
	return pid;
}

/*
 * The kernel can take long to destroy what a session had. Here its process stays for as long as it
 * is traced: its parent does not see that it has ended before the tracer does (ptrace(2)).
 */
static void test_child_that_stays(void **state)
{
	struct server server;
	uint32_t ignored;
	pid_t child;
	int fd;

	(void)state;
	server_start(&server, SERVE_MANY);
	fd = silent(&server);
	child = child_of(&server);
	if (!child || ptrace(PTRACE_SEIZE, child, NULL, NULL)) {
		server_stop(&server, &ignored);
		close(fd);
		skip();
	}
	close(fd);
	assert_serves(&server);
	assert_serves(&server);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, __WALL), child);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

/* Who connects and is silent has this time only. */
static void test_time_without_a_plan(void **state)
{
	struct start how = usual;
	struct server server;
	uint32_t ignored;
	char line[1024] = "";
	int fd;

	(void)state;
	how.plan_ms = SHORT_MS;
	server_start_as(&server, &how);
	fd = silent(&server);
	while (!strstr(line, "no hello and plan within 0.2s (--max-plan-time"))
		assert_non_null(fgets(line, sizeof(line), server.log));
	assert_hung_up(fd);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

/* A host that floods is left out, and the others are served. */
static void test_flood_of_one_host(void **state)
{
	enum { OTHER = 0x7f000002, N = 100 };
	struct server server;
	uint32_t ignored;
	char line[1024] = "", byte;
	int fds[N + 1];

	(void)state;
	server_start(&server, SERVE_MANY);
	for (uint32_t i = 0; i < N; i++)
		fds[i] = start_from(&server, OTHER);
	while (!strstr(line, "blocking 127.0.0.2 for 5 s"))
		assert_non_null(fgets(line, sizeof(line), server.log));
	assert_serves(&server);
	fds[N] = start_from(&server, OTHER);
	assert_serves(&server);
	/* the SYN was dropped, or the connection was closed: an answer to others came since */
	assert_true(recv(fds[N], &byte, 1, MSG_DONTWAIT) <= 0);
	assert_int_equal(server_stop(&server, &ignored), 0);
	for (uint32_t i = 0; i <= N; i++)
		close(fds[i]);
}

/* Who opens one connection too many loses the oldest; docs/serve.md has the number, 10. */
static void test_connections_of_one_host(void **state)
{
	enum { OTHER = 0x7f000002, N = 11 };
	struct server server;
	uint32_t ignored;
	char line[1024] = "", byte;
	struct pollfd oldest = { .events = POLLIN };
	int fds[N];

	(void)state;
	server_start(&server, SERVE_MANY);
	for (uint32_t i = 0; i < N; i++)
		fds[i] = start_from(&server, OTHER);
	while (!strstr(line, "it sent no plan, and other connections wait"))
		assert_non_null(fgets(line, sizeof(line), server.log));
	oldest.fd = fds[0];
	assert_int_equal(poll(&oldest, 1, ANSWER_MS), 1);
	assert_serves(&server);
	for (uint32_t i = 1; i < N; i++)
		assert_true(recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	assert_int_equal(server_stop(&server, &ignored), 0);
	for (uint32_t i = 0; i < N; i++)
		close(fds[i]);
}

/* Another user of this host, who keeps N connections open until the test ends. */
static pid_t other_user(const struct server *server, uint32_t n)
{
	int done[2];
	char byte;
	const pid_t pid = pipe(done) ? -1 : fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setuid(65534))
			_exit(1);
		for (uint32_t i = 0; i < n; i++)
			silent(server);
		(void)!write(done[1], "x", 1);
		pause();
	}
	close(done[1]);
	assert_int_equal(read(done[0], &byte, 1), 1);
	close(done[0]);
	return pid;
}

/* A user who floods from 127.0.0.1 loses connections of his own. */
static void test_users_of_this_host(void **state)
{
	struct start how = usual;
	struct server server;
	uint32_t ignored;
	char byte;
	pid_t pid;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	how.plan_ms = how.connect_ms = STALL_MS;
	server_start_as(&server, &how);
	fd = silent(&server);
	pid = other_user(&server, 3 * 64);
	/* the server has taken all of them before */
	assert_serves(&server);
	assert_true(recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
	close(fd);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(server_stop(&server, &ignored), 0);
}

static void test_one_client_never_came(void **state)
{
	struct server server;
	uint32_t ignored;
	int fd;

	(void)state;
	server_start(&server, SERVE_ONE_CLIENT);
	fd = silent(&server);
	blurt(fd, "GET / HTTP/1.0\r\n\r\n", 18);
	assert_hung_up(fd);
	assert_serves(&server);
	fd = silent(&server);
	assert_int_equal(server_stop(&server, &ignored), 1);
	assert_hung_up(fd);
}

/* A server that cannot wait is deaf: it ends, and says why. */
static void test_error_of_poll(void **state)
{
	struct server server;
	char line[1024] = "";
	int wstatus;

	(void)state;
	poll_fails = true;
	server_start(&server, SERVE_MANY);
	poll_fails = false;
	while (!strstr(line, strerror(EINVAL)))
		assert_non_null(fgets(line, sizeof(line), server.log));
	assert_int_equal(waitpid(server.pid, &wstatus, 0), server.pid);
	assert_true(WIFEXITED(wstatus));
	assert_int_equal(WEXITSTATUS(wstatus), 1);
	fclose(server.log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_of_poll),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_half_a_frame),
		cmocka_unit_test(test_flood_of_silence),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_all_slots),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_time_without_a_plan),
		cmocka_unit_test(test_flood_of_one_host),
		cmocka_unit_test(test_connections_of_one_host),
		cmocka_unit_test(test_child_that_stays),
		cmocka_unit_test(test_users_of_this_host),
		cmocka_unit_test(test_one_client_never_came),
	};

	verbs_reset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
