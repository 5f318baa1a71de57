/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ctl_tls.c: the proof of the key between two sides, with somebody between them who records,
 * replays and changes bytes; a server with several keys.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <openssl/ssl.h>

#include "wire/key.h"
#include "wire/ctl_socket.h"
#include "util/err.h"

#define SHORT_MS 100u
#define LONG_MS 300000u /* of what ends at once */
#define RECORD_MAX 65536u
#define NOWHERE SIZE_MAX
#define MANY_KEYS 1000000

static char dir[] = "/tmp/test_ctl_tls.XXXXXX";
static struct ctl_tls *key_a, *key_b, *both; /* both: those of a server */

static _Atomic int keys_left = MANY_KEYS; /* for so many keys there is memory */
static _Atomic bool forges; /* the first to set its key sets another one */

/* In place of the one of libssl. */
int SSL_SESSION_set1_master_key(SSL_SESSION *session, const unsigned char *key, size_t len)
{
	int (*set)(SSL_SESSION *, const unsigned char *, size_t);
	unsigned char own[KEY_BYTES];

	if (atomic_fetch_sub(&keys_left, 1) <= 0)
		return 0;
	assert_int_equal(len, sizeof(own));
	memcpy(own, key, sizeof(own));
	own[0] ^= atomic_exchange(&forges, false);
	*(void **)&set = dlsym(RTLD_NEXT, "SSL_SESSION_set1_master_key");
	return set(session, own, len);
}

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chdir(dir) || mkdir("d", 0700) || key_make("d/a") || key_make("d/b") ||
	    ctl_tls_open(&key_a, &(struct key_place){ .path = "d/a" }) ||
	    ctl_tls_open(&key_b, &(struct key_place){ .path = "d/b" }) ||
	    ctl_tls_open(&both, &(struct key_place){ .path = "d", .many = true }))
		return -1;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	ctl_tls_close(key_a);
	ctl_tls_close(key_b);
	ctl_tls_close(both);
	unlink("d/a");
	unlink("d/b");
	rmdir("d");
	return chdir("/") || rmdir(dir);
}

static uint32_t port_of(int fd)
{
	struct sockaddr_in6 any;
	socklen_t len = sizeof(any);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	return ntohs(any.sin6_port);
}

/* One side, in a thread of its own: proves the key, and the client sends a message. */
struct side {
	struct ctl ctl;
	const struct ctl_tls *tls; /* NULL: it has no key */
	bool server;
	uint32_t ms;
	const char *say;           /* the client's message */
	char heard[64];            /* the server's */
	char name[KEY_NAME_SIZE];  /* of the client's key, as the server has it */
	int rc;
	char text[ERR_TEXT_MAX];
	pthread_t thread;
};

static int act(struct side *s)
{
	int rc = s->tls ? ctl_prove(&s->ctl, s->tls, s->server, s->ms) : 0;
	json_t *msg = NULL;

	if (!rc && s->server && s->tls)
		snprintf(s->name, sizeof(s->name), "%s",
			 ctl_tls_name(s->tls, ctl_tls_peer(s->ctl.tls)));
	if (!rc && !s->server)
		rc = ctl_send(&s->ctl, json_pack("{s:s, s:s}", "type", "a", "say", s->say), s->ms);
	if (!rc)
		rc = ctl_recv(&s->ctl, s->server ? "a" : "b", &msg, s->ms);
	if (!rc && s->server) {
		snprintf(s->heard, sizeof(s->heard), "%s",
			 json_string_value(json_object_get(msg, "say")));
		rc = ctl_send(&s->ctl, json_pack("{s:s}", "type", "b"), s->ms);
	}
	json_decref(msg);
	return rc;
}

static void *side_main(void *arg)
{
	struct side *s = arg;

	s->rc = act(s);
	snprintf(s->text, sizeof(s->text), "%s", err_text());
	if (s->rc)
		ctl_abort(&s->ctl, s->rc);
	ctl_close(&s->ctl);
	return NULL;
}

static void side_start(struct side *s, int fd)
{
	const struct ctl closed = CTL_CLOSED;

	s->ctl = closed;
	s->ctl.fd = fd;
	snprintf(s->ctl.peer, sizeof(s->ctl.peer), "tester");
	assert_int_equal(pthread_create(&s->thread, NULL, side_main, s), 0);
}

static void side_end(struct side *s)
{
	assert_int_equal(pthread_join(s->thread, NULL), 0);
}

static void assert_said(const struct side *s, int rc, const char *part)
{
	if (s->rc != rc || !strstr(s->text, part))
		fail_msg("%d, \"%s\"; expected: %d, \"%s\"", s->rc, s->text, rc, part);
}

/* Who is between the two, and what the client has sent. */
struct between {
	size_t flip;      /* the byte of the client that it changes; NOWHERE: none */
	size_t n;
	uint8_t sent[RECORD_MAX];
};

/* Passes on what has come. False: that side has closed. */
static bool pass(int from, int to, struct between *b)
{
	uint8_t bytes[4096];
	const ssize_t n = recv(from, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n <= 0) {
		shutdown(to, SHUT_WR);
		return false;
	}
	for (ssize_t i = 0; b && i < n; i++) {
		assert_true(b->n < RECORD_MAX);
		b->sent[b->n] = bytes[i];
		if (b->n++ == b->flip)
			bytes[i] ^= 1;
	}
	/* one that has closed misses it */
	if (send(to, bytes, (size_t)n, MSG_NOSIGNAL) < 0)
		assert_true(errno == EPIPE);
	return true;
}

/* A session with somebody between the sides; b may be NULL. */
static void meet(struct side *client, struct side *server, struct between *b)
{
	int near[2], far[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, near), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, far), 0);
	if (b)
		b->n = 0;
	side_start(client, near[0]);
	side_start(server, far[0]);
	for (struct pollfd p[2] = { { .fd = near[1], .events = POLLIN },
				    { .fd = far[1], .events = POLLIN } };
	     p[0].fd >= 0 || p[1].fd >= 0;) {
		assert_true(poll(p, 2, LONG_MS) > 0);
		if (p[0].fd >= 0 && p[0].revents && !pass(near[1], far[1], b))
			p[0].fd = -1;
		if (p[1].fd >= 0 && p[1].revents && !pass(far[1], near[1], NULL))
			p[1].fd = -1;
	}
	side_end(client);
	side_end(server);
	close(near[1]);
	close(far[1]);
}

static void test_same_key(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "Gbit" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };
	struct between b = { .flip = NOWHERE };

	(void)state;
	meet(&client, &server, &b);
	assert_said(&client, 0, "");
	assert_said(&server, 0, "");
	assert_string_equal(server.heard, "Gbit");
	/* nothing that was said can be read between them */
	assert_null(memmem(b.sent, b.n, "Gbit", 4));
	assert_null(memmem(b.sent, b.n, "type", 4));
}

static void test_other_key(void **state)
{
	struct side client = { .tls = key_b, .ms = LONG_MS, .say = "x" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };

	(void)state;
	meet(&client, &server, NULL);
	assert_said(&client, -EACCES, "has a different key, or none");
	assert_said(&server, -EACCES, "has a different key, or none");
}

/* A server with several keys knows whose it is. */
static void test_one_of_several_keys(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct side client = { .tls = i ? key_b : key_a, .ms = LONG_MS, .say = "x" };
		struct side server = { .tls = both, .ms = LONG_MS, .server = true };

		meet(&client, &server, NULL);
		assert_said(&client, 0, "");
		assert_said(&server, 0, "");
		assert_string_equal(server.name, i ? "b" : "a");
	}
}

/* Whoever has seen the identity of a key can send it, but not prove the key. */
static void test_identity_without_key(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "x" };
	struct side server = { .tls = both, .ms = LONG_MS, .server = true };

	(void)state;
	/* the client is the first who sets its key */
	atomic_store(&forges, true);
	meet(&client, &server, NULL);
	assert_false(atomic_load(&forges));
	assert_said(&server, -EACCES, "has a different key, or none");
	assert_said(&client, -EACCES, "has a different key, or none");
}

/* A session whose key is proved goes on without it; no other key can be proved then. */
static void test_forgotten_keys(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "x" };
	struct side server = { .ms = LONG_MS, .server = true };
	struct ctl_tls *tls;

	(void)state;
	assert_int_equal(ctl_tls_open(&tls, &(struct key_place){ .path = "d", .many = true }), 0);
	server.tls = tls;
	ctl_tls_forget(tls);
	meet(&client, &server, NULL);
	assert_said(&server, -EACCES, "has a different key, or none");
	ctl_tls_close(tls);
}

/* Another key is not the reason then, and nobody shall look for one. */
static void test_no_memory(void **state)
{
	(void)state;
	/* the client is the first who sets its key */
	for (int fails = 0; fails < 2; fails++) {
		struct side client = { .tls = key_a, .ms = LONG_MS, .say = "x" };
		struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };

		atomic_store(&keys_left, fails);
		meet(&client, &server, NULL);
		assert_said(fails ? &server : &client, -ENOMEM, "no memory for TLS with the peer");
	}
	atomic_store(&keys_left, MANY_KEYS);
}

static void test_client_without_key(void **state)
{
	struct side client = { .ms = LONG_MS, .say = "x" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };

	(void)state;
	meet(&client, &server, NULL);
	assert_said(&client, -EACCES, "requires a key: use --key FILE");
	assert_said(&server, -EACCES, "uses no key: a client needs --key FILE");
	assert_string_equal(server.heard, "");
}

static void test_server_without_key(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "x" };
	struct side server = { .ms = LONG_MS, .server = true };

	(void)state;
	meet(&client, &server, NULL);
	assert_said(&client, -EACCES, "has no key: start it with --key FILE");
	assert_said(&server, -EACCES, "uses a key, but this server has none");
}

/* All that a client has sent is sent again, by who has no key. */
static void test_replay(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "again" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };
	struct side second = { .tls = key_a, .ms = LONG_MS, .server = true };
	struct between b = { .flip = NOWHERE };
	int fd[2];

	(void)state;
	meet(&client, &server, &b);
	assert_said(&server, 0, "");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	side_start(&second, fd[0]);
	assert_int_equal(send(fd[1], b.sent, b.n, MSG_NOSIGNAL), b.n);
	shutdown(fd[1], SHUT_WR);
	side_end(&second);
	close(fd[1]);
	assert_said(&second, -EACCES, "bad record mac");
	assert_string_equal(second.heard, "");
}

/* Each byte changed in turn: no server takes another message than the one that was sent. */
static void test_changed_bytes(void **state)
{
	struct between b = { .flip = NOWHERE };
	size_t n, refused = 0;

	(void)state;
	{
		struct side client = { .tls = key_a, .ms = LONG_MS, .say = "whole" };
		struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };

		meet(&client, &server, &b);
		assert_said(&server, 0, "");
		n = b.n;
	}
	for (b.flip = 0; b.flip < n; b.flip += b.flip < 16 || b.flip + 48 > n ? 1 : 11) {
		struct side client = { .tls = key_a, .ms = SHORT_MS, .say = "whole" };
		struct side server = { .tls = key_a, .ms = SHORT_MS, .server = true };

		meet(&client, &server, &b);
		/* the version of the first record is only a shape: RFC 8446, 5.1 */
		if (b.flip == 2)
			continue;
		refused++;
		if (!server.rc || server.heard[0])
			fail_msg("byte %zu of %zu: the server took \"%s\"", b.flip, n,
				 server.heard);
		if (!client.rc)
			fail_msg("byte %zu of %zu: the client is content", b.flip, n);
	}
	assert_true(refused > 60);
}

static void test_silence(void **state)
{
	struct side server = { .tls = key_a, .ms = SHORT_MS, .server = true };
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	side_start(&server, fd[0]);
	side_end(&server);
	close(fd[1]);
	assert_said(&server, -ETIMEDOUT, "within 100 ms while proving the key");
}

static void test_half_a_record(void **state)
{
	static const uint8_t half[] = { 22, 3, 1, 2, 0, 1 };
	struct side server = { .tls = key_a, .ms = SHORT_MS, .server = true };
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(send(fd[1], half, sizeof(half), MSG_NOSIGNAL), sizeof(half));
	side_start(&server, fd[0]);
	side_end(&server);
	close(fd[1]);
	assert_said(&server, -ETIMEDOUT, "within 100 ms while proving the key");
}

/* What a peer sends that has no key, in place of its part of the proof. */
static void hear(struct side *s, const void *bytes, size_t n)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(send(fd[1], bytes, n, MSG_NOSIGNAL), n);
	side_start(s, fd[0]);
	side_end(s);
	close(fd[1]);
}

/* What libssl says becomes an error message: alerts and records of RFC 8446. */
static void test_errors_of_libssl(void **state)
{
	static const uint8_t alert[] = { 21, 3, 3, 0, 2, 2, 40 };
	static const uint8_t too_long[] = { 22, 3, 3, 0xff, 0xff, 2, 0 };
	/* a hello of TLS 1.2: without extensions */
	static const uint8_t old[] = { 22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3, [43] = 0, 0, 2, 0, 0x2f,
				       1, 0 };
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "x" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };

	(void)state;
	hear(&client, alert, sizeof(alert));
	assert_said(&client, -EACCES, "has a different key, or none");
	assert_said(&client, -EACCES, "handshake failure");
	hear(&server, too_long, sizeof(too_long));
	assert_said(&server, -EACCES, "(TLS: ");
	hear(&server, old, sizeof(old));
	assert_said(&server, -EACCES, "unsupported protocol");
}

/* A byte of the first message after the proof is another one: the last of what the client sends. */
static void test_changed_message(void **state)
{
	struct side client = { .tls = key_a, .ms = LONG_MS, .say = "whole" };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };
	struct between b = { .flip = NOWHERE };

	(void)state;
	meet(&client, &server, &b);
	assert_said(&server, 0, "");
	/* without the record of close_notify and the like: ctl_close() sends none */
	b.flip = b.n - 1;
	client = (struct side){ .tls = key_a, .ms = LONG_MS, .say = "whole" };
	server = (struct side){ .tls = key_a, .ms = LONG_MS, .server = true };
	meet(&client, &server, &b);
	assert_said(&server, -EBADMSG, "what does not fit the key: bytes were changed on the way");
	assert_said(&server, -EBADMSG, "bad record mac");
	assert_string_equal(server.heard, "");
	assert_true(client.rc != 0);
}

/* Over TCP, so that there is a reset; close(2) of the other side is told as such. */
static void test_gone_while_proving(void **state)
{
	const struct linger now = { .l_onoff = 1 };
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };
	struct ctl_dial dial = { .host = "127.0.0.1", .timeout_ms = LONG_MS, .signals_fd = -1 };

	(void)state;
	for (int reset = 0; reset < 2; reset++) {
		struct ctl peer;
		int listener = -1, fd;

		assert_int_equal(ctl_listen(&listener, NULL, 0), 0);
		dial.port = port_of(listener);
		assert_int_equal(ctl_dial(&peer, &dial), 0);
		/* the end of the handshake may come later than connect(2) returns */
		assert_int_equal(poll(&(struct pollfd){ .fd = listener, .events = POLLIN }, 1,
				      LONG_MS), 1);
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		assert_true(fd >= 0);
		if (reset)
			assert_int_equal(setsockopt(peer.fd, SOL_SOCKET, SO_LINGER, &now,
						    sizeof(now)), 0);
		ctl_close(&peer);
		side_start(&server, fd);
		side_end(&server);
		close(listener);
		assert_said(&server, -ECONNRESET, reset ? "Connection reset by peer while proving" :
							  "connection closed while proving");
	}
}

static void test_interrupted_while_proving(void **state)
{
	struct ctl ctl = CTL_CLOSED;
	int fd[2], stop[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "x", 1), 1);
	ctl.fd = fd[0];
	ctl.signals_fd = stop[0];
	snprintf(ctl.peer, sizeof(ctl.peer), "tester");
	assert_int_equal(ctl_prove(&ctl, key_a, true, LONG_MS), -EINTR);
	assert_string_equal(err_text(), "interrupted while proving the key to the peer tester");
	ctl_close(&ctl);
	close(fd[1]);
	close(stop[0]);
	close(stop[1]);
}

static void test_perftest(void **state)
{
	struct side server = { .tls = key_a, .ms = LONG_MS, .server = true };
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(send(fd[1], "6.06\0\0\0\0\0\0\0\0\0\0\0\0", 16, MSG_NOSIGNAL), 16);
	shutdown(fd[1], SHUT_WR);
	side_start(&server, fd[0]);
	side_end(&server);
	assert_said(&server, -EPROTOTYPE, "is perftest 6.06");
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_other_key),
		cmocka_unit_test(test_one_of_several_keys),
		cmocka_unit_test(test_identity_without_key),
		cmocka_unit_test(test_forgotten_keys),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_client_without_key),
		cmocka_unit_test(test_server_without_key),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_half_a_record),
		cmocka_unit_test(test_errors_of_libssl),
		cmocka_unit_test(test_changed_message),
		cmocka_unit_test(test_gone_while_proving),
		cmocka_unit_test(test_interrupted_while_proving),
		cmocka_unit_test(test_perftest),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
