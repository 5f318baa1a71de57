/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Options of a test that a server was given, against those of its client; what the client chooses
 * on the server, and what the owner of the server keeps for himself.
 */
#include "config.h"
#include "agree/session.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define MEASURED 0
#define REFUSED 2

#define DIFFER "server and client have different options: "

static void run(struct pair *p, const char *client, const char *server)
{
	print_message("  %s, server %s\n", client, server);
	pair_args(p, client, server);
	pair_run(p);
	assert_int_equal(verbs_open_objects(), 0);
}

static void run_ok(struct pair *p, const char *client, const char *server)
{
	run(p, client, server);
	pair_assert_ended(p, MEASURED, MEASURED, 1);
}

/* Both sides say the same, each in the words of its command line. */
static void run_refused(struct pair *p, const char *client, const char *server, const char *message)
{
	run(p, client, server);
	pair_assert_ended(p, REFUSED, REFUSED, 0);
	pair_assert_told(&p->client, message);
	pair_assert_told(&p->server, message);
}

static void test_same(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw -n 500", "");
	run_ok(p, "write_bw -n 500 -s 4k -t 64", "-n 500 -s 4k -t 64");
	run_ok(p, "send_bw -n 500 -c UD -s 1k", "-n 500 -c UD -s 1k");
	run_ok(p, "send_lat -n 500 -e", "--completion event");
	run_ok(p, "atomic_bw -n 500 -A cmp_swap", "-A cmp_swap");
	/* the test is not compared, only its options */
	run_ok(p, "write_lat -n 500 -s 64", "-s 64");
}

/* What auto became counts; an auto of the server is every value. */
static void test_auto(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw", "-s 64k -D 1 -t 128 -Q 32 -l 1 --walk seq -m 4096 -I 0");
	run_ok(p, "read_bw -n 500", "-o 16 --hugepages auto --footprint 8M");
	run_ok(p, "write_bw -n 500 -t 64 -s 1k", "-t auto -s auto --walk auto");
	run_refused(p, "write_bw -n 500", "-t 64", DIFFER "-t (--depth): server 64, client 128 (auto)");
	run_refused(p, "write_bw -n 500 -a", "-s 64k", DIFFER "-s (--size): server 64k, client auto");
	run_refused(p, "write_bw", "-n 1000", DIFFER "-n (--messages): server 1000, client auto");
	run_refused(p, "write_bw", "-D 2", DIFFER "-D (--duration): server 2, client 1 (auto)");
}

static void test_different(void **state)
{
	struct pair *p = *state;

	run_refused(p, "write_bw -n 500 -s 4k", "-s 1M -n 500",
		    DIFFER "-s (--size): server 1M, client 4k");
	run_refused(p, "send_bw -n 500 -c UD -s 1k", "-b -c RC",
		    DIFFER "-c (--transport): server RC, client UD; -b (--both): server yes, client no");
	run_refused(p, "send_bw -n 500", "-e", DIFFER "--completion: server event, client poll");
	run_refused(p, "write_bw -n 500", "-A fetch_add",
		    DIFFER "-A (--atomic): server fetch_add, but the client runs write_bw, which has no such option");
	run_refused(p, "write_lat -n 500", "-t 128", "-t (--depth): server 128, but the client runs write_lat");
	run_refused(p, "write_bw -n 500", "-D 5", "-D (--duration): server 5, client auto");
	run_refused(p, "send_bw -n 500 --mcast 239.1.2.3 -c UD", "--mcast 239.1.2.4 -c UD",
		    "--mcast: server 239.1.2.4, client 239.1.2.3");
}

/* The owner's --pin holds unless the client gives --peer-pin; both sides' rows say which. */
static void test_placement(void **state)
{
	struct pair *p = *state;
	char pin[32], cpu[16];
	int first = sched_getcpu();

	snprintf(cpu, sizeof(cpu), "%d", first);
	run_ok(p, "write_bw -n 500", "--pin none");
	assert_string_equal(pair_cell(&p->client, 0, "peer_pin"), "none");
	assert_string_equal(pair_cell(&p->server, 0, "pin"), "none");
	run_ok(p, "send_bw -n 500 --peer-pin none", "--pin numa:99");
	snprintf(pin, sizeof(pin), "--pin pu:%d", first);
	run_ok(p, "send_bw -n 500", pin);
	assert_string_equal(pair_cell(&p->client, 0, "peer_pin"), pin + strlen("--pin "));
	assert_string_equal(pair_cell(&p->client, 0, "peer_cpus"), cpu);
	assert_string_equal(pair_cell(&p->client, 0, "pin"), "auto");
	run_ok(p, "send_bw -n 500 --peer-pin none", pin);
	assert_string_equal(pair_cell(&p->client, 0, "peer_pin"), "none");
	run_refused(p, "send_bw -n 500", "--pin numa:99", "--pin numa:99");
}

/* The server was started without a device of its own. */
static void run_free(struct pair *p, const char *client, int status, const char *message)
{
	print_message("  %s\n", client);
	pair_args(p, client, "");
	p->server.cfg.device = NULL;
	pair_run(p);
	pair_assert_ended(p, status, status, status == MEASURED);
	pair_assert_has(pair_error(&p->client), message);
	pair_assert_has(pair_error(&p->server), message);
}

static void test_peer_device(void **state)
{
	struct pair *p = *state;

	run_free(p, "write_bw -n 500 --peer-device pair1 --peer-ib-port 1", MEASURED, "");
	assert_string_equal(pair_cell(&p->client, 0, "peer_device"), "pair1");
	run_free(p, "write_bw -n 500 --peer-device pair0", MEASURED, "");
	assert_string_equal(pair_cell(&p->client, 0, "peer_device"), "pair0");
	run_free(p, "write_bw -n 500 --peer-device pair7", REFUSED,
		 "no RDMA device is called pair7; there are: pair0, pair1");
	run_free(p, "write_bw -n 500 --peer-device pair1 --peer-port 3", REFUSED,
		 "port 3 does not exist on pair1; ports: ");
	run_free(p, "write_bw -n 500 --peer-gid-index 99", REFUSED, "server: GID index 99 of pair");
}

static void test_owner(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw -n 500 --peer-device pair1", "-d pair1");
	run_refused(p, "write_bw -n 500 --peer-device pair0", "-d pair1",
		    "--peer-device pair0: the owner of the server has chosen pair1 (-d)");
	run_refused(p, "write_bw -n 500 --peer-ib-port 2", "-i 1",
		    "--peer-ib-port 2: the owner of the server has chosen 1 (-i)");
	run_refused(p, "write_bw -n 500 --peer-gid-index 1", "-x 0",
		    "--peer-gid-index 1: the owner of the server has chosen 0 (-x)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_same), TEST(test_auto), TEST(test_different), TEST(test_placement),
		TEST(test_peer_device), TEST(test_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
