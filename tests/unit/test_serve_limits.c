/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which sessions count as those of one client, which ones their key ends, and what the process of a
 * session may say.
 */
#include "config.h"
#include "serve/serve_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/signals.h"
#include "wire/key.h"

#define SESSIONS 16u

/*
 * A server with one session of each address, as many as are admitted; two of a host at most. "#1":
 * user 1 of this host; "@a ::1": the key with the name "a".
 */
static uint32_t count_admitted(const char *const *addresses, uint32_t n)
{
	const struct cfg cfg = {
		.max_sessions = SESSIONS, .max_sessions_per_host = 2, .max_session_rate = 100000,
	};
	struct serve_process children[SESSIONS] = { { .pid = 0 } };
	struct serve s = { .cfg = &cfg, .children = children };
	uint32_t admitted = 0;
	char why[256];

	for (uint32_t i = 0; i < n; i++) {
		struct serve_process *c = &children[s.n++];
		const char *address = addresses[i];

		if (address[0] == '@') {
			c->entry.key[0] = address[1];
			address += 3;
		}
		if (address[0] == '#')
			flood_user(c->host, (uint32_t)atoi(address + 1));
		else if (inet_pton(AF_INET6, address, c->host) != 1)
			fail_msg("%s", address);
		if (!serve_limits_admit(&s, c, why, sizeof(why)))
			continue;
		c->state = SERVE_CHILD_CLIENT;
		admitted++;
	}
	return admitted;
}

/* A host chooses the last 64 bits of its address as it likes, also of one of a link. */
static void test_addresses_of_one_host(void **state)
{
	static const char *const global[] = { "2001:db8::1", "2001:db8::2", "2001:db8::8000:0:0:1" };
	static const char *const local[] = { "fe80::1", "fe80::2", "fe80::8000:0:0:1" };
	static const char *const ipv4[] = { "::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.1" };
	static const char *const users[] = { "#1000", "#1000", "#1000" };

	(void)state;
	assert_int_equal(count_admitted(global, 3), 2);
	assert_int_equal(count_admitted(local, 3), 2);
	assert_int_equal(count_admitted(ipv4, 3), 2);
	assert_int_equal(count_admitted(users, 3), 2);
}

static void test_addresses_of_several_hosts(void **state)
{
	static const char *const global[] = { "2001:db8::1", "2001:db8:0:1::1", "2001:db8:1::1" };
	static const char *const ipv4[] = { "::ffff:192.0.2.1", "::ffff:192.0.2.2", "::ffff:192.0.2.3" };
	static const char *const users[] = { "#0", "#1000", "#4294967294" };

	(void)state;
	assert_int_equal(count_admitted(global, 3), 3);
	assert_int_equal(count_admitted(ipv4, 3), 3);
	assert_int_equal(count_admitted(users, 3), 3);
}

/* A key with a name is one client, whatever its addresses are. */
static void test_named_keys(void **state)
{
	static const char *const one[] = { "@a 2001:db8::1", "@a 2001:db8:1::1", "@a ::ffff:192.0.2.1" };
	static const char *const several[] = { "@a ::1", "@b ::1", "@c ::1", "::1", "::1" };

	(void)state;
	assert_int_equal(count_admitted(one, 3), 2);
	assert_int_equal(count_admitted(several, 5), 5);
}

/* ---- the key of a session */

static char dir[] = "/tmp/test_serve_limits.XXXXXX";

/* One session in a process of its own; its end of the pair is peer. */
struct keyed {
	struct serve s;
	struct serve_process c;
	int peer;
};

/* A process that does nothing. It ends with the test, also when that fails. */
static pid_t wait_for_signal(void)
{
	const pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void read_keys(struct keyed *k)
{
	ctl_tls_close(k->s.tls);
	assert_int_equal(ctl_tls_open(&k->s.tls, &(struct key_place){ .path = "d", .many = true }),
			 0);
}

static void assert_told(const struct keyed *k, enum serve_message_kind kind, const char *part)
{
	struct serve_message m;

	assert_int_equal(recv(k->peer, &m, sizeof(m), MSG_DONTWAIT), sizeof(m));
	assert_int_equal(m.kind, kind);
	assert_non_null(strstr(m.text, part));
}

/* A new session, whose peer has proved this key. */
static void ask(struct keyed *k, const struct cfg *cfg, const struct key *key)
{
	struct serve_message m = { .kind = SERVE_ASK_SESSION };
	int pair[2];

	memcpy(m.key, key->id, sizeof(m.key));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	k->c = (struct serve_process){ .pid = wait_for_signal(), .fd = pair[0] };
	k->s.cfg = cfg;
	k->s.children = &k->c;
	k->s.n = 1;
	k->peer = pair[1];
	assert_int_equal(send(k->peer, &m, sizeof(m), 0), sizeof(m));
	serve_processes_receive(&k->s, 0);
}

/* Which signal has ended it. */
static int end(const struct keyed *k, int sig)
{
	int wstatus;

	kill(k->c.pid, sig);
	assert_int_equal(waitpid(k->c.pid, &wstatus, 0), k->c.pid);
	close(k->c.fd);
	close(k->peer);
	return WTERMSIG(wstatus);
}

static void test_a_key_that_is_revoked(void **state)
{
	const struct cfg cfg = {
		.max_sessions = 1, .max_sessions_per_host = 1, .max_session_rate = 100000,
	};
	struct keyed k = { .peer = -1 };
	struct serve_message none;
	struct keys a;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir) || mkdir("d", 0700) || key_make("d/a") || key_make("d/b"), 0);
	assert_int_equal(key_read(&a, &(struct key_place){ .path = "d/a" }), 0);
	read_keys(&k);
	ask(&k, &cfg, a.rows);
	assert_told(&k, SERVE_GRANTED, "");
	assert_string_equal(k.c.entry.key, "a");
	/* it is there under another name; then it is gone */
	assert_int_equal(rename("d/a", "d/c"), 0);
	read_keys(&k);
	serve_limits_keys(&k.s);
	assert_int_equal(k.c.asked_ns, 0);
	assert_int_equal(unlink("d/c"), 0);
	read_keys(&k);
	serve_limits_keys(&k.s);
	assert_told(&k, SERVE_STOP, "the key a was revoked");
	serve_limits_keys(&k.s);
	assert_int_equal(recv(k.peer, &none, sizeof(none), MSG_DONTWAIT), -1);
	/* it does not end in time */
	assert_false(serve_limits_late(&k.c));
	assert_string_equal(k.c.entry.reason, "the key a was revoked");
	assert_int_equal(end(&k, 0), SIGNALS_ASK);
	/* one whose proof began before */
	ask(&k, &cfg, a.rows);
	assert_told(&k, SERVE_REFUSED, "that of this client is none of them");
	assert_int_equal(end(&k, SIGKILL), SIGKILL);
	/* a server that needs no key any more revokes none */
	ctl_tls_close(k.s.tls);
	k.s.tls = NULL;
	ask(&k, &cfg, a.rows);
	assert_told(&k, SERVE_GRANTED, "");
	serve_limits_keys(&k.s);
	assert_int_equal(end(&k, SIGKILL), SIGKILL);
	key_forget(&a);
	assert_int_equal(unlink("d/b") || rmdir("d") || chdir("/") || rmdir(dir), 0);
}

/* The process of a session sends a record of so many bytes. True: it is killed for it. */
static bool is_killed(const struct serve_message *m, size_t len)
{
	const struct cfg cfg = { .max_sessions = 1 };
	struct serve_process c = { .pid = wait_for_signal() };
	struct serve s = { .cfg = &cfg, .children = &c, .n = 1 };
	int pair[2], wstatus;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	c.fd = pair[0];
	assert_int_equal(send(pair[1], m, len, 0), len);
	serve_processes_receive(&s, 0);
	close(pair[1]);
	if (!c.killed)
		close(pair[0]);
	kill(c.pid, c.killed ? 0 : SIGTERM);
	assert_int_equal(waitpid(c.pid, &wstatus, 0), c.pid);
	assert_true(WIFSIGNALED(wstatus));
	assert_int_equal(WTERMSIG(wstatus), c.killed ? SIGKILL : SIGTERM);
	return c.killed;
}

static void test_messages(void **state)
{
	struct serve_message m = { .kind = SERVE_RAN };

	(void)state;
	assert_false(is_killed(&m, sizeof(m)));
	assert_true(is_killed(&m, sizeof(m) - 1));
	assert_true(is_killed(&m, 1));
	memset(&m.ran.interrupted, 7, 1);
	assert_true(is_killed(&m, sizeof(m)));
	memset(&m.ran, 0, sizeof(m.ran));
	memset(m.ran.host, 'a', sizeof(m.ran.host));
	assert_true(is_killed(&m, sizeof(m)));
	m.kind = SERVE_ALIVE;
	assert_false(is_killed(&m, sizeof(m)));
	m.kind = SERVE_GRANTED;
	assert_true(is_killed(&m, sizeof(m)));
	m.kind = 77;
	assert_true(is_killed(&m, sizeof(m)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_one_host),
		cmocka_unit_test(test_addresses_of_several_hosts),
		cmocka_unit_test(test_named_keys),
		cmocka_unit_test(test_a_key_that_is_revoked),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
