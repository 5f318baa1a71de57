/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* ctl_dial.c: connections on the loopback, refused connections, a server that starts late. */
#include "config.h"
#include "wire/ctl_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <netdb.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/clock.h"
#include "util/err.h"

#define SHORT_MS 50u
#define LONG_MS 300000u /* of what ends at once */

/* Sockets made so far: the program's own function, in place of the library's. */
static uint32_t sockets;

int socket(int domain, int type, int protocol)
{
	sockets++;
	return (int)syscall(SYS_socket, domain, type, protocol);
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static uint32_t port_of(int fd)
{
	struct sockaddr_in6 any;
	socklen_t len = sizeof(any);

	memset(&any, 0, sizeof(any));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	return ntohs(any.sin6_port);
}

static int connect_to(struct ctl *ctl, const char *host, uint32_t port, uint32_t timeout_ms,
		      int signals_fd)
{
	return ctl_dial(ctl, &(struct ctl_dial){ .host = host, .port = port,
						 .timeout_ms = timeout_ms,
						 .signals_fd = signals_fd });
}

static int option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

/* The end of the handshake may come later than connect(2) returns. */
static int take_connection(int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	return poll(&p, 1, LONG_MS) == 1 ? accept(listener, NULL, NULL) : -1;
}

/* A port at which nobody listens, and that no other program gets while the socket is open. */
static uint32_t free_port(int *fd)
{
	const struct sockaddr_in any = { .sin_family = AF_INET };
	const int on = 1;

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(*fd >= 0);
	/* ctl_listen() may have it all the same */
	assert_int_equal(setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	assert_int_equal(bind(*fd, (const struct sockaddr *)&any, sizeof(any)), 0);
	return port_of(*fd);
}

static void *big_reader(void *arg)
{
	json_t *msg = NULL;

	return ctl_recv(arg, "big", &msg, LONG_MS) ? NULL : msg;
}

static void test_tcp(void **state)
{
	static const uint8_t loopback[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	json_t *msg = json_pack("{s:s, s:o}", "type", "big", "pad", json_array());
	struct ctl client, server;
	pthread_t thread;
	int listener, fd;
	void *got;

	(void)state;
	assert_int_equal(ctl_listen(&listener, NULL, 0), 0);
	assert_int_equal(connect_to(&client, "127.0.0.1", port_of(listener), LONG_MS, -1), 0);
	fd = take_connection(listener);
	assert_true(fd >= 0);
	assert_int_equal(ctl_accept(&server, fd, -1), 0);
	assert_memory_equal(client.local_gid, loopback, 16);
	assert_memory_equal(server.local_gid, loopback, 16);
	assert_int_equal(strncmp(server.peer, "127.0.0.1 port ", 15), 0);
	/* it never blocks the one who sends, and belongs to no program that is executed */
	assert_true(fcntl(client.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(client.fd, F_GETFD) & FD_CLOEXEC);
	/* a host without power is noticed: data that is not acknowledged, and silence */
	for (int i = 0; i < 2; i++) {
		const int end = i ? server.fd : client.fd;

		assert_int_equal(option(end, IPPROTO_TCP, TCP_USER_TIMEOUT), 15000);
		assert_int_equal(option(end, SOL_SOCKET, SO_KEEPALIVE), 1);
		assert_int_equal(option(end, IPPROTO_TCP, TCP_KEEPIDLE) +
				 option(end, IPPROTO_TCP, TCP_KEEPINTVL) *
				 option(end, IPPROTO_TCP, TCP_KEEPCNT), 15);
	}

	/* larger than the socket buffers: partial writes and reads */
	for (int i = 0; i < 300000; i++)
		json_array_append_new(json_object_get(msg, "pad"), json_integer(100000 + i));
	server.admitted = true;
	assert_int_equal(pthread_create(&thread, NULL, big_reader, &server), 0);
	assert_int_equal(ctl_send(&client, json_incref(msg), LONG_MS), 0);
	assert_int_equal(pthread_join(thread, &got), 0);
	assert_non_null(got);
	assert_true(json_equal(got, msg));
	json_decref(got);
	json_decref(msg);
	ctl_close(&client);
	ctl_close(&client);
	ctl_close(&server);
	close(listener);
}

static void test_port_in_use(void **state)
{
	char port[32];
	int listener, second = -1;

	(void)state;
	assert_int_equal(ctl_listen(&listener, NULL, 0), 0);
	assert_int_equal(ctl_listen(&second, NULL, port_of(listener)), -EADDRINUSE);
	assert_int_equal(second, -1);
	snprintf(port, sizeof(port), "port %u is in use", port_of(listener));
	assert_says(port);
	close(listener);
}

static void test_refused(void **state)
{
	struct ctl ctl;
	uint64_t t0_ns;
	int bound, stop = eventfd(0, EFD_CLOEXEC);
	const uint64_t one = 1;
	uint32_t port;

	(void)state;
	port = free_port(&bound);
	t0_ns = clock_ns();
	sockets = 0;
	assert_int_equal(connect_to(&ctl, "127.0.0.1", port, 4 * SHORT_MS, -1), -ECONNREFUSED);
	assert_true(clock_ns() - t0_ns >= 4 * SHORT_MS * 1000000u);
	/* ten a second */
	assert_in_range(sockets, 1, 3);
	assert_int_equal(ctl.fd, -1);
	assert_says("127.0.0.1: Connection refused");
	assert_says("no server is listening there");
	assert_int_equal(write(stop, &one, sizeof(one)), sizeof(one));
	assert_int_equal(connect_to(&ctl, "127.0.0.1", port, LONG_MS, stop), -EINTR);
	close(bound);
	close(stop);
}

static void count_wait(const void *arg, const struct ctl_dial *dial)
{
	uint32_t *const *told = arg;

	(void)dial;
	++**told;
}

/* Told once, and how to start a server for this client; and not where the server is there. */
static void test_told_waiting(void **state)
{
	uint32_t told = 0, *const counter = &told;
	struct ctl_dial dial = {
		.host = "127.0.0.1", .timeout_ms = 6 * SHORT_MS, .signals_fd = -1,
		.start = "verbench serve -p 1", .waiting = count_wait, .arg = &counter,
	};
	char see[64];
	struct ctl ctl;
	int listener, bound;

	(void)state;
	assert_int_equal(ctl_listen(&listener, NULL, 0), 0);
	dial.port = port_of(listener);
	assert_int_equal(ctl_dial(&ctl, &dial), 0);
	ctl_close(&ctl);
	close(listener);
	assert_int_equal(told, 0);
	dial.port = free_port(&bound);
	assert_int_equal(ctl_dial(&ctl, &dial), -ECONNREFUSED);
	assert_int_equal(told, 1);
	assert_string_equal(err_cause(), "NO_SERVER_HERE");
	snprintf(see, sizeof(see), "; see: ss -ltn 'sport = :%u'; remedy: ", dial.port);
	assert_says(see);
	assert_says(": \"verbench serve -p 1\"");
	dial.waiting = NULL;
	/* another address than that of a server which serves its own host only */
	dial.host = "127.0.0.2";
	assert_int_equal(ctl_dial(&ctl, &dial), -ECONNREFUSED);
	assert_string_equal(err_cause(), "NO_SERVER");
	assert_says(": \"verbench serve -p 1 --allow 127.0.0.1\"");
	dial.from = "127.0.0.3";
	assert_int_equal(ctl_dial(&ctl, &dial), -ECONNREFUSED);
	assert_says(": \"verbench serve -p 1 --allow 127.0.0.3\"");
	/* a server with a key serves all hosts */
	dial.open = true;
	assert_int_equal(ctl_dial(&ctl, &dial), -ECONNREFUSED);
	assert_says(": \"verbench serve -p 1\"");
	close(bound);
}

/* As of a process that got no processor until the time was over: what it begins then counts. */
static void test_dials_late(void **state)
{
	struct ctl_dial dial = { .host = "127.0.0.1", .timeout_ms = 0, .signals_fd = -1 };
	struct ctl ctl;
	int listener;

	(void)state;
	assert_int_equal(ctl_listen(&listener, NULL, 0), 0);
	dial.port = port_of(listener);
	assert_int_equal(ctl_dial(&ctl, &dial), 0);
	ctl_close(&ctl);
	close(listener);
	assert_int_equal(ctl_dial(&ctl, &dial), -ECONNREFUSED);
	assert_string_equal(err_cause(), "NO_SERVER_HERE");
}

/* All of 127.0.0.0/8 is this host: ip(8). */
static void test_own_address(void **state)
{
	struct ctl client, server;
	struct ctl_dial dial = { .host = "127.0.0.1", .timeout_ms = LONG_MS, .signals_fd = -1 };
	int listener, fd;

	(void)state;
	assert_int_equal(ctl_listen(&listener, "127.0.0.3", 0), 0);
	dial.port = port_of(listener);
	dial.from = "127.0.0.2";
	dial.host = "127.0.0.3";
	assert_int_equal(ctl_dial(&client, &dial), 0);
	fd = take_connection(listener);
	assert_true(fd >= 0);
	assert_int_equal(ctl_accept(&server, fd, -1), 0);
	assert_int_equal(strncmp(server.peer, "127.0.0.2 port ", 15), 0);
	ctl_close(&client);
	ctl_close(&server);

	/* it listens on no other address */
	dial.host = "127.0.0.1";
	dial.timeout_ms = SHORT_MS;
	assert_int_equal(ctl_dial(&client, &dial), -ECONNREFUSED);
	close(listener);

	dial.from = "198.51.100.1"; /* RFC 5737: of no host */
	assert_int_equal(ctl_dial(&client, &dial), -EADDRNOTAVAIL);
	assert_says("from 198.51.100.1 (127.0.0.1: Cannot assign requested address): --bind takes an address of this host");
	dial.from = "::1";
	assert_true(ctl_dial(&client, &dial) < 0);
	assert_says("--bind takes an address of this host of the same family");
	dial.from = "localhost";
	assert_int_equal(ctl_dial(&client, &dial), -EINVAL);
	assert_says("--bind \"localhost\": not an address");
	assert_int_equal(ctl_listen(&listener, "198.51.100.1", 0), -EADDRNOTAVAIL);
	assert_says("cannot listen on 198.51.100.1 TCP port 0");
}

static void test_unknown_host(void **state)
{
	struct addrinfo *list;
	char reason[128];
	struct ctl ctl;

	(void)state;
	/* no resolver is asked: not a name (RFC 1035, 2.3.4: labels have 63 octets at most) */
	assert_int_equal(connect_to(&ctl, "01234567890123456789012345678901234567890123456789"
				     "01234567890123456789.invalid", 1, LONG_MS, -1),
			 -EHOSTUNREACH);
	assert_says("host 0123456789");
	/* the resolver's own reason */
	assert_int_not_equal(getaddrinfo("fe80::1%nonesuch", "1", NULL, &list), 0);
	snprintf(reason, sizeof(reason), "host fe80::1%%nonesuch: %s: ",
		 gai_strerror(getaddrinfo("fe80::1%nonesuch", "1", NULL, &list)));
	assert_int_equal(connect_to(&ctl, "fe80::1%nonesuch", 1, LONG_MS, -1), -EHOSTUNREACH);
	assert_says(reason);
	assert_string_equal(err_cause(), "NO_NAME");
	assert_int_equal(connect_to(&ctl, "silent.test", 1, SHORT_MS, -1), -EHOSTUNREACH);
	assert_string_equal(err_cause(), "NO_DNS");
}

struct late {
	uint32_t port;
	int fd;
};

static void *late_server(void *arg)
{
	struct late *late = arg;
	int listener;

	if (ctl_listen(&listener, NULL, late->port))
		return NULL;
	late->fd = take_connection(listener);
	close(listener);
	return NULL;
}

static void test_client_first(void **state)
{
	struct late late = { .fd = -1 };
	struct ctl ctl;
	pthread_t thread;
	int bound;

	(void)state;
	late.port = free_port(&bound);
	assert_int_equal(connect_to(&ctl, "127.0.0.1", late.port, 2 * SHORT_MS, -1),
			 -ECONNREFUSED);
	assert_int_equal(pthread_create(&thread, NULL, late_server, &late), 0);
	assert_int_equal(connect_to(&ctl, "127.0.0.1", late.port, LONG_MS, -1), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(late.fd);
	close(bound);
	ctl_close(&ctl);
}

int __real_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **list);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **list);

/*
 * The program's (Makefile.am): a host of two addresses, of which nobody listens at the first, and
 * one for which no DNS server answers.
 */
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		       struct addrinfo **list)
{
	const bool two = host && !strcmp(host, "two.test");
	int rc;

	if (host && !strcmp(host, "silent.test"))
		return EAI_AGAIN;
	rc = __real_getaddrinfo(two ? "127.0.0.2" : host, service, hints, list);
	if (!rc && two)
		rc = __real_getaddrinfo("127.0.0.1", service, hints, &(*list)->ai_next);
	return rc;
}

/* Why a connection has ended is said, not only that it has. */
static void test_reset(void **state)
{
	const struct linger at_once = { .l_onoff = 1 };
	json_t *msg = NULL;
	struct ctl ctl;
	int listener, fd;

	(void)state;
	assert_int_equal(ctl_listen(&listener, "127.0.0.1", 0), 0);
	assert_int_equal(connect_to(&ctl, "127.0.0.1", port_of(listener), LONG_MS, -1), 0);
	fd = take_connection(listener);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	assert_int_equal(ctl_recv(&ctl, "hello", &msg, LONG_MS), -ECONNRESET);
	assert_says("Connection reset by peer");
	ctl_close(&ctl);
	close(listener);
}

static void test_second_address(void **state)
{
	static const uint8_t loopback[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	struct ctl ctl;
	int listener, fd;

	(void)state;
	assert_int_equal(ctl_listen(&listener, "127.0.0.1", 0), 0);
	assert_int_equal(connect_to(&ctl, "two.test", port_of(listener), LONG_MS, -1), 0);
	assert_memory_equal(ctl.peer_gid, loopback, 16);
	fd = take_connection(listener);
	assert_true(fd >= 0);
	ctl_close(&ctl);
	close(fd);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_port_in_use),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_told_waiting),
		cmocka_unit_test(test_dials_late),
		cmocka_unit_test(test_own_address), cmocka_unit_test(test_unknown_host),
		cmocka_unit_test(test_client_first),
		cmocka_unit_test(test_second_address), cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
