/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* ctl.c: frames in pieces, deadlines, aborts, hostile peers. */
#include "config.h"
#include "limits/budget.h"
#include "wire/ctl.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "wire/ctl_inside.h"
#include "util/clock.h"
#include "util/err.h"

#define SHORT_MS 50u
#define LONG_MS 300000u /* of what ends at once */

/* ours: what is tested. theirs: a bare socket. */
struct pair {
	struct ctl ours;
	int theirs;
};

static void pair_open(struct pair *pair)
{
	const struct ctl closed = CTL_CLOSED;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	pair->ours = closed;
	pair->ours.fd = fd[0];
	snprintf(pair->ours.peer, sizeof(pair->ours.peer), "tester");
	pair->theirs = fd[1];
}

static void pair_close(struct pair *pair)
{
	ctl_close(&pair->ours);
	if (pair->theirs >= 0)
		close(pair->theirs);
}

static void say(int fd, const void *bytes, size_t len)
{
	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
}

static void say_head(int fd, uint32_t len)
{
	const uint8_t head[4] = { (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
				  (uint8_t)len };

	say(fd, head, sizeof(head));
}

static void say_frame(int fd, const char *text)
{
	say_head(fd, (uint32_t)strlen(text));
	say(fd, text, strlen(text));
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static void test_byte_by_byte(void **state)
{
	static const char text[] = "{\"type\":\"hello\",\"version\":1}";
	const uint8_t head[4] = { 0, 0, 0, sizeof(text) - 1 };
	struct pair pair;
	json_t *msg = NULL;

	(void)state;
	pair_open(&pair);
	for (size_t i = 0; i < sizeof(head) + sizeof(text) - 1; i++) {
		assert_int_equal(ctl_try_recv(&pair.ours, &msg), 0);
		say(pair.theirs, i < 4 ? (const char *)head + i : text + i - 4, 1);
	}
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 1);
	assert_int_equal(json_integer_value(json_object_get(msg, "version")), 1);
	json_decref(msg);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 0);
	pair_close(&pair);
}

static void test_one_frame_at_a_time(void **state)
{
	struct pair pair;
	json_t *msg;
	char byte;

	(void)state;
	pair_open(&pair);
	say_frame(pair.theirs, "{\"type\":\"one\"}");
	say_frame(pair.theirs, "{\"type\":\"two\"}");
	assert_int_equal(ctl_recv(&pair.ours, "one", &msg, LONG_MS), 0);
	json_decref(msg);
	/* the second is left in the socket, so that poll() tells of it */
	assert_int_equal(recv(pair.ours.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT), 1);
	assert_int_equal(ctl_recv(&pair.ours, NULL, &msg, LONG_MS), 0);
	assert_string_equal(json_string_value(json_object_get(msg, "type")), "two");
	json_decref(msg);
	pair_close(&pair);
}

static void test_heartbeats(void **state)
{
	struct pair pair;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	say_frame(pair.theirs, "{\"type\":\"heartbeat\"}");
	say_frame(pair.theirs, "{\"type\":\"ready\"}");
	say_frame(pair.theirs, "{\"type\":\"heartbeat\"}");
	assert_int_equal(ctl_recv(&pair.ours, "ready", &msg, LONG_MS), 0);
	json_decref(msg);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 1);
	assert_string_equal(json_string_value(json_object_get(msg, "type")), "heartbeat");
	json_decref(msg);
	pair_close(&pair);
}

static void *heartbeats(void *arg)
{
	const int *fd = arg;
	static const char frame[] = "\0\0\0\x14{\"type\":\"heartbeat\"}";

	while (send(*fd, frame, sizeof(frame) - 1, MSG_NOSIGNAL) > 0)
		continue;
	return NULL;
}

static void test_heartbeats_do_not_extend_the_deadline(void **state)
{
	struct pair pair;
	pthread_t thread;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	assert_int_equal(pthread_create(&thread, NULL, heartbeats, &pair.theirs), 0);
	assert_int_equal(ctl_recv(&pair.ours, "ready", &msg, SHORT_MS), -ETIMEDOUT);
	assert_says("while waiting for ready");
	ctl_close(&pair.ours);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pair_close(&pair);
}

/* But where a peer may be busy they do: up to another deadline. */
static void test_heartbeats_of_a_busy_peer(void **state)
{
	struct pair pair;
	pthread_t thread;
	uint64_t t0_ns;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	t0_ns = clock_ns();
	assert_int_equal(ctl_recv_from_living(&pair.ours, "ready", &msg, SHORT_MS, LONG_MS),
			 -ETIMEDOUT);
	assert_true(clock_ns() - t0_ns >= SHORT_MS * 1000000u);
	assert_int_equal(pthread_create(&thread, NULL, heartbeats, &pair.theirs), 0);
	t0_ns = clock_ns();
	/* no silence of a thread that waits for a processor is that long */
	assert_int_equal(ctl_recv_from_living(&pair.ours, "ready", &msg, LONG_MS, 4 * SHORT_MS),
			 -ETIMEDOUT);
	assert_true(clock_ns() - t0_ns >= 4 * SHORT_MS * 1000000u);
	assert_says("only heartbeats from the peer");
	ctl_close(&pair.ours);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pair_close(&pair);
}

static void test_silence(void **state)
{
	struct pair pair;
	json_t *msg;
	uint64_t t0_ns;

	(void)state;
	pair_open(&pair);
	say(pair.theirs, "\0\0", 2);
	t0_ns = clock_ns();
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, SHORT_MS), -ETIMEDOUT);
	assert_true(clock_ns() - t0_ns >= SHORT_MS * 1000000u);
	assert_string_equal(err_text(),
			    "no answer from the peer tester within 50 ms while waiting for limits");
	pair_close(&pair);
}

static void test_peer_gone(void **state)
{
	struct pair pair;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	close(pair.theirs);
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, LONG_MS), -ECONNRESET);
	assert_string_equal(err_text(), "the peer tester is gone (connection closed while waiting "
					"for limits)");
	pair.theirs = -1;
	pair_close(&pair);

	pair_open(&pair);
	say(pair.theirs, "\0\0\0\x0c{\"ty", 8);
	close(pair.theirs);
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, LONG_MS), -ECONNRESET);
	assert_says("closed in the middle of a message");
	pair.theirs = -1;
	pair_close(&pair);
}

static void test_abort(void **state)
{
	struct pair pair;
	json_t *msg;
	char long_abort[900];

	(void)state;
	pair_open(&pair);
	say_frame(pair.theirs,
		  "{\"type\":\"abort\",\"reason\":\"no\\u001b[2Jdevice\\nfound \xc2\x9b\"}");
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, LONG_MS), -ECONNABORTED);
	assert_string_equal(err_text(), "the peer tester reports: no [2Jdevice found ??");
	assert_string_equal(err_cause(), "");
	say_frame(pair.theirs, "{\"type\":\"refuse\",\"reason\":\"no\",\"cause\":\"NO\\u001b_SM\"}");
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EPERM);
	assert_string_equal(err_cause(), "NO _SM");
	say_frame(pair.theirs, "{\"type\":\"abort\"}");
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -ECONNABORTED);
	memset(long_abort, 'x', sizeof(long_abort));
	memcpy(long_abort, "{\"type\":\"abort\",\"reason\":\"", 26);
	strcpy(long_abort + 800, "\"}");
	say_frame(pair.theirs, long_abort);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -ECONNABORTED);
	assert_true(strlen(err_text()) < ERR_TEXT_MAX);
	assert_says("reports: xxx");
	pair_close(&pair);
}

static void *abort_thread(void *arg)
{
	(void)err_set_cause(-EIO, "HEAT", "disk \"A\"\n on fire");
	(void)err_on_side(-EIO, "server");
	(void)err_advise(-EIO, "remedy: water");
	ctl_abort(arg, -ECONNRESET);
	/* the error stays */
	return strdup(strcmp(err_cause(), "HEAT") ? "another cause" : err_text());
}

static void test_abort_is_delivered(void **state)
{
	const struct ctl closed = CTL_CLOSED;
	struct ctl other = closed;
	struct pair pair;
	pthread_t thread;
	struct err err;
	json_t *msg;
	void *kept;

	(void)state;
	pair_open(&pair);
	other.fd = pair.theirs;
	/* unread data at the aborting side must not turn the abort into a reset */
	assert_int_equal(ctl_send(&pair.ours, json_pack("{s:s}", "type", "late"), LONG_MS), 0);
	assert_int_equal(pthread_create(&thread, NULL, abort_thread, &other), 0);
	assert_int_equal(ctl_recv(&pair.ours, "ready", &msg, LONG_MS), -ECONNABORTED);
	assert_string_equal(err_text(), "the peer tester reports: on the server, "
					"disk \"A\"  on fire; remedy: water");
	assert_string_equal(err_cause(), "HEAT");
	err = err_keep();
	assert_string_equal(err.side, "server");
	assert_string_equal(err.text + err.said, "on the server, disk \"A\"  on fire");
	assert_string_equal(err.text + err.bare, "disk \"A\"  on fire");
	assert_string_equal(err.advice, "remedy: water");
	ctl_close(&pair.ours);
	assert_int_equal(pthread_join(thread, &kept), 0);
	assert_string_equal(kept, "on the server, disk \"A\"\n on fire; remedy: water");
	free(kept);
	pair_close(&pair);
}

static void test_send_finds_the_abort(void **state)
{
	struct pair pair;
	int rc;

	(void)state;
	pair_open(&pair);
	say_frame(pair.theirs, "{\"type\":\"heartbeat\"}");
	say_frame(pair.theirs, "{\"type\":\"abort\",\"reason\":\"link is down\"}");
	close(pair.theirs);
	pair.theirs = -1;
	rc = ctl_send(&pair.ours, json_pack("{s:s}", "type", "ready"), LONG_MS);
	assert_int_equal(rc, -ECONNABORTED);
	assert_says("link is down");
	pair_close(&pair);
}

static void test_send_has_a_deadline(void **state)
{
	struct pair pair;
	json_t *msg = json_pack("{s:s, s:o}", "type", "big", "pad", json_array());
	json_t *pad = json_object_get(msg, "pad");

	(void)state;
	for (int i = 0; i < 400000; i++)
		json_array_append_new(pad, json_integer(123456));
	pair_open(&pair);
	assert_int_equal(ctl_send(&pair.ours, msg, SHORT_MS), -ETIMEDOUT);
	assert_says("takes no more data");
	/* half a frame went out: nothing may follow */
	assert_int_equal(ctl_send(&pair.ours, json_pack("{s:s}", "type", "x"), SHORT_MS),
			 -ECONNRESET);
	pair_close(&pair);
}

static void test_stop_interrupts(void **state)
{
	struct pair pair;
	const uint64_t one = 1;
	json_t *msg;
	int stop = eventfd(0, EFD_CLOEXEC);

	(void)state;
	pair_open(&pair);
	pair.ours.signals_fd = stop;
	assert_int_equal(write(stop, &one, sizeof(one)), sizeof(one));
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, LONG_MS), -EINTR);
	assert_says("while waiting for limits");
	assert_int_equal(ctl_send(&pair.ours, json_pack("{s:s}", "type", "x"), LONG_MS), 0);
	pair_close(&pair);
	close(stop);
}

static void test_what_is_no_frame(void **state)
{
	static const char *const bad[] = {
		"[]", "{}", "1", "\"type\"", "{\"type\":1}", "{\"type\":\"a\"", "{\"type\":\"a\"}x",
		"{\"type\":\"a\",\"type\":\"b\"}", "{\"type\":\"a\\u0000b\"}",
		"{\"type\":\"\xff\"}", "nul",
	};
	struct pair pair;
	json_t *msg = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		pair_open(&pair);
		say_frame(pair.theirs, bad[i]);
		assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
		assert_null(msg);
		pair_close(&pair);
	}
	pair_open(&pair);
	say_head(pair.theirs, 0);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	pair_close(&pair);
	pair_open(&pair);
	say(pair.theirs, "GET / HTTP/1.1\r\n\r\n", 18);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	assert_says("is another program, not verbench: what it sends begins with \"GET \"");
	pair_close(&pair);
	pair_open(&pair);
	say(pair.theirs, "GE\x7fT", 4);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	assert_says("a frame of 1195736916 bytes");
	pair_close(&pair);
	pair_open(&pair);
	say_frame(pair.theirs, "{\"type\":\"a\\u001bb\"}");
	assert_int_equal(ctl_recv(&pair.ours, "limits", &msg, LONG_MS), -EBADMSG);
	assert_string_equal(err_text(), "the peer tester sent \"a b\" while waiting for limits");
	pair_close(&pair);
}

/* What perftest sends first, as far as it has come. */
static void test_perftest(void **state)
{
	static const struct {
		const char *bytes, *told;
		size_t len;
		int rc;
	} cases[] = {
		{ "6.06\0\0\0\0\0\0\0\0\0\0\0\0", "is perftest 6.06, not", 16, -EPROTOTYPE },
		{ "5.96", "is perftest 5.96, not", 4, -EPROTOTYPE },
		{ "10.1.2\0", "is perftest 10.1.2, not", 7, -EPROTOTYPE },
		{ "6.29\x1b[31mevil and much longer than a version", "is perftest 6.29 [31mevil a, not", 40, -EPROTOTYPE },
		{ ".606", "is another program", 4, -EBADMSG },
		{ "6.0x", "is another program", 4, -EBADMSG },
		{ "6..0", "is another program", 4, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair pair;
		json_t *msg;

		pair_open(&pair);
		say(pair.theirs, cases[i].bytes, cases[i].len);
		assert_int_equal(ctl_recv(&pair.ours, "hello", &msg, LONG_MS), cases[i].rc);
		assert_non_null(strstr(err_text(), cases[i].told));
		pair_close(&pair);
	}
}

static void test_memory_follows_what_came(void **state)
{
	struct pair pair;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	say_head(pair.theirs, CTL_FRAME_SMALL + 1);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	pair_close(&pair);

	/* heartbeats do not lift it: only the plan does */
	pair_open(&pair);
	for (uint32_t i = 0; i < 20; i++) {
		say_frame(pair.theirs, "{\"type\":\"heartbeat\"}");
		assert_int_equal(ctl_try_recv(&pair.ours, &msg), 1);
		json_decref(msg);
	}
	say_head(pair.theirs, CTL_FRAME_SMALL + 1);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	pair_close(&pair);

	pair_open(&pair);
	pair.ours.admitted = true;
	say_head(pair.theirs, CTL_FRAME_MAX);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 0);
	assert_true(pair.ours.in_cap <= 8192);
	pair_close(&pair);

	pair_open(&pair);
	pair.ours.admitted = true;
	say_head(pair.theirs, CTL_FRAME_MAX + 1);
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -EBADMSG);
	pair_close(&pair);
}

/* n times part between begin and end. */
static void say_many(int fd, const char *begin, const char *part, uint32_t n, const char *end)
{
	const size_t len = strlen(begin) + n * strlen(part) + strlen(end);
	char *text = malloc(len + 1), *at = text;

	assert_non_null(text);
	at = stpcpy(at, begin);
	while (n--)
		at = stpcpy(at, part);
	strcpy(at, end);
	say_frame(fd, text);
	free(text);
}

/* A peer that has not closed may still send: the kernel would answer that with a reset. */
static void test_linger(void **state)
{
	const uint64_t begin_ns = clock_ns();
	char byte;
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	ctl_linger(fd[0]);
	assert_true(clock_ns() - begin_ns >= 100000000u);
	assert_int_equal(read(fd[1], &byte, 1), 0);
	close(fd[0]);
	close(fd[1]);
}

/* What costs more memory than its text is refused before it is decoded. */
static void test_budget(void **state)
{
	static const struct {
		const char *begin, *part, *end;
		uint32_t n;
		int rc[2]; /* of a peer that is not admitted, and of one that is */
	} cases[] = {
		/* brackets and commas in a text are none, nor is what follows a backslash */
		{ "{\"type\":\"a\",\"t\":\"", "[{,\\\"", "\"}", 9000, { 1, 1 } },
		{ "{\"type\":\"a\",\"t\":[0", ",1", "]}", 900, { 1, 1 } },
		{ "{\"type\":\"a\",\"t\":[0", ",1", "]}", 30000, { -EBADMSG, 1 } },
		{ "{\"type\":\"a\",\"t\":[{}", ",{}", "]}", 20000, { -EBADMSG, 1 } },
		{ "{\"type\":", "[", "", 60000, { -EBADMSG, -EBADMSG } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const bool admitted = i % 2;
		const int rc = cases[i / 2].rc[admitted];
		struct pair pair;
		json_t *msg;

		pair_open(&pair);
		pair.ours.admitted = admitted;
		say_many(pair.theirs, cases[i / 2].begin, cases[i / 2].part, cases[i / 2].n,
			 cases[i / 2].end);
		assert_int_equal(ctl_try_recv(&pair.ours, &msg), rc);
		if (rc > 0)
			json_decref(msg);
		else
			assert_says("too many values or levels");
		pair_close(&pair);
	}
}

/* Of an admitted peer it is memory of the session; what anyone may send is not. */
static void test_memory_of_messages(void **state)
{
	struct memory_budget budget = { .most = 4 << 20 };
	struct pair pair;
	json_t *msg;

	(void)state;
	pair_open(&pair);
	pair.ours.admitted = true;
	pair.ours.budget = &budget;
	say_many(pair.theirs, "{\"type\":\"a\",\"t\":[0", ",1", 30000, "]}");
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 1);
	json_decref(msg);
	assert_int_equal(budget.used, 0);
	assert_in_range(budget.granted, 3 << 20, 4 << 20);
	say_many(pair.theirs, "{\"type\":\"a\",\"t\":[{}", ",{}", 20000, "]}");
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), -ENOMEM);
	assert_says("--max-memory 4194304 of the server's owner");
	assert_says("(a message of the client)");
	budget.most = 0;
	say_frame(pair.theirs, "{\"type\":\"heartbeat\"}");
	assert_int_equal(ctl_try_recv(&pair.ours, &msg), 1);
	json_decref(msg);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_one_frame_at_a_time),
		cmocka_unit_test(test_heartbeats),
		cmocka_unit_test(test_heartbeats_of_a_busy_peer),
		cmocka_unit_test(test_heartbeats_do_not_extend_the_deadline),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_peer_gone),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_abort_is_delivered),
		cmocka_unit_test(test_send_finds_the_abort),
		cmocka_unit_test(test_send_has_a_deadline),
		cmocka_unit_test(test_stop_interrupts),
		cmocka_unit_test(test_what_is_no_frame),
		cmocka_unit_test(test_perftest),
		cmocka_unit_test(test_memory_follows_what_came),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_memory_of_messages),
		cmocka_unit_test(test_linger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
