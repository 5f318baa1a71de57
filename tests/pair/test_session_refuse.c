/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions that must not begin: what the devices, the ports or the server's owner do not allow is
 * refused by name, on both sides with the same message, at once, and nothing stays open.
 */
#include "config.h"
#include "agree/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "place/hugepages.h"
#include "pair.h"
#include "verbs.h"

#define REFUSED 2
#define FAILED 1

/* Who finds out says it, the other repeats it and ends alike. */
static void run_refused(struct pair *p, int status, const char *message)
{
	pair_run(p);
	pair_assert_ended(p, status, status, 0);
	pair_assert_told(&p->client, message);
	pair_assert_told(&p->server, message);
	pair_assert_has(p->err, message);
	assert_int_equal(p->admitted, 1);
	assert_int_equal(verbs_open_objects(), 0);
}

static void run_args(struct pair *p, const char *args, int status, const char *message)
{
	pair_args(p, args, "");
	run_refused(p, status, message);
}

/* The client alone: what its own device lacks is found before it connects. */
static void run_alone(struct pair *p, const char *args, int status, const char *message)
{
	pair_args(p, args, "");
	pair_join(pair_start(p, SIDE_CLIENT));
	assert_int_equal(p->client.status, status);
	pair_assert_told(&p->client, message);
	assert_int_equal(verbs_open_objects(), 0);
}

static void test_numbers(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	server->mtu = IBV_MTU_1024;
	run_args(p, "write_bw -m 2048", REFUSED, "-m (--mtu) 2048: the active MTU of pair1 of ");
	run_args(p, "send_bw -c UD -s 1025", REFUSED,
		 "-s (--size) 1025 over UD: a datagram is one packet, at most the MTU of 1024 ");
	client->max_inline_bytes = 100;
	run_args(p, "write_bw -I 101 -s 8", REFUSED, "-I (--inline) 101: pair0 of ");
	client->max_inline_bytes = 220;
	client->in_blocks = true;
	client->attr.max_qp_wr = 256;
	run_args(p, "write_bw -t 65 -I 64 -s 8", REFUSED,
		 "holds 64 requests per queue with 64 bytes inline each and ");
	client->in_blocks = false;
	client->attr.max_qp_wr = 4096;
	server->max_inline_bytes = 60;
	run_args(p, "write_lat -I 61 -s 8", REFUSED, "-I (--inline) 61: pair1 of ");
	server->attr.max_qp_wr = 100;
	run_args(p, "write_bw -b -t 101", REFUSED, "-t (--depth) 101 on 1 QPs: pair1 of ");
	run_args(p, "send_bw -t 8 -r 101", REFUSED, "-r (--recv-depth) 101 on 1 QPs: pair1 of ");
	server->attr.max_qp_wr = 4096;
	server->attr.max_cqe = 100;
	run_args(p, "write_bw -b -t 34 -q 3", REFUSED, "-t (--depth) 34 on 3 QPs: pair1 of ");
	server->attr.max_cqe = 65536;
	client->attr.max_qp = 2;
	run_args(p, "write_bw -q 3", REFUSED, "-q (--qps) 3: pair0 of ");
	client->max_msg_bytes = 1 << 20;
	run_args(p, "write_bw -s 2M", REFUSED,
		 "-s (--size) 2097152: the longest message is 1048576");
	run_args(p, "write_bw -s 64k -q 2 --footprint 100k", REFUSED,
		 "--footprint 102400 does not hold a message of 65536 bytes for each of 2 QPs: ");
}

/* Each side finds its own entry of the partition, and prefers full membership. */
static void test_pkeys(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT);
	struct verbs_device *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	client->pkeys[1] = 0x0456;
	client->pkeys[2] = 0x8456;
	run_args(
		p, "write_bw --pkey 0x8456 -n 10", REFUSED,
		"--pkey 0x8456: port 1 of pair1 has no entry of this partition; its P_Key table: 0x8123");
	run_alone(p, "write_bw --pkey-index 3", REFUSED,
		  "--pkey-index 3: port 1 of pair0 has no P_Key there, of 4 entries");
	run_alone(p, "write_bw --pkey-index 4", REFUSED, "of pair0 has no P_Key there");
	run_args(p, "write_bw --pkey-index 1", REFUSED, "they are different partitions");
	server->pkeys[3] = 0x0456;
	client->pkeys[2] = 0;
	run_args(p, "write_bw --pkey 0x456", REFUSED, "P_Key 0x0456 of pair0 of ");
	run_args(p, "write_bw --pkey 0x456", REFUSED, "both are limited members of the partition");
	client->pkeys[0] = server->pkeys[0] = 0x0123;
	run_args(p, "write_bw", REFUSED, "both are limited members of the partition");
	server->pkeys[0] = 0xffff;
	run_args(p, "write_bw", REFUSED, "they are different partitions; choose one that both have by --pkey");
}

/* Both sides draw on one pool; whether it has enough is this machine's matter. */
static void test_hugepages(void **state)
{
	struct pair *p = *state;
	struct hugepages h;

	hugepages_read(&h);
	if (h.page_bytes && h.free >= hugepages_pages(UINT64_C(4) << 30, h.page_bytes))
		skip();
	run_args(p, "write_bw -s 64 --footprint 1G --hugepages on", REFUSED, "--hugepages on: ");
}

static void test_placements(void **state)
{
	struct pair *p = *state;

	run_args(p, "write_bw --pin near", REFUSED,
		 "--pin near: pair0 is not in the topology of the machine");
	run_args(p, "write_bw --peer-pin far", REFUSED,
		 "--peer-pin far: pair1 is not in the topology of the machine");
	run_args(p, "write_bw --peer-pin pu:999999", REFUSED,
		 "--peer-pin pu:999999: there is no pu:999999; this machine has ");
	run_args(p, "write_bw --mem 999999", REFUSED, "--mem 999999: there is no NUMA node 999999");
	run_args(p, "write_bw --peer-mem device", REFUSED, "--peer-mem device: pair1 is not ");
	run_args(p, "write_bw --mem local", REFUSED, "--mem local: the threads are not bound: ");
}

static void test_fetching(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	server->attr.max_qp_rd_atom = 3;
	run_args(p, "read_bw -o 4", REFUSED, "-o (--outstanding) 4: pair1 of ");
	client->attr.max_qp_init_rd_atom = 2;
	run_args(p, "read_bw -o 3", REFUSED, "-o (--outstanding) 3: pair0 of ");
	server->attr.max_qp_rd_atom = 0;
	run_args(p, "read_lat", REFUSED, "-o (--outstanding) 1: pair1 of ");
	server->attr.max_qp_rd_atom = 16;
	server->attr.atomic_cap = IBV_ATOMIC_NONE;
	run_args(p, "atomic_lat", REFUSED, "atomic_lat: pair1 of ");
	server->attr.atomic_cap = IBV_ATOMIC_HCA;
	client->attr.atomic_cap = IBV_ATOMIC_NONE;
	run_args(p, "atomic_bw -b", REFUSED, "atomic_bw: pair0 of ");
}

static void test_caps_of_server(void **state)
{
	struct pair *p = *state;

	static const struct {
		const char *client, *server, *words;
	} cases[] = {
		{ "write_bw -D 61", "--max-point-time 60",
		  "--max-point-time 60s of the server's owner: the test asks for -D (--duration) 61" },
		{ "write_bw --threads 3", "--max-threads 2",
		  "--max-threads 2 of the server's owner: the test asks for --threads 3" },
		{ "write_bw --threads 3 -q 7", "--max-qps 20",
		  "--max-qps 20 of the server's owner: the test asks for 21 queue pairs" },
		{ "write_bw -s 1G -t 1 -q 16", "",
		  "--max-memory 8589934592 of the server's owner: the test asks for " },
		/* where the requests, not the buffers, take the memory */
		{ "send_bw -s 8 -q 60 -t 64 -r 1024 --footprint 64k", "--max-memory 4M",
		  "--max-memory 4194304 of the server's owner: the test asks for " },
		{ "write_bw --stall-timeout 11s", "--max-stall 10s",
		  "--max-stall 10s of the server's owner: the test asks for --stall-timeout 11" },
		{ "write_bw --peer-pin none", "--clients-may mem,sl",
		  "--clients-may mem,sl of the server's owner: the test asks for --peer-pin" },
		{ "write_bw --peer-mem local", "--clients-may pin",
		  "--clients-may pin of the server's owner: the test asks for --peer-mem" },
		{ "write_bw --hugepages on", "--clients-may none",
		  "--clients-may none of the server's owner: the test asks for --hugepages" },
		{ "write_bw --tclass 32", "--clients-may none",
		  "--clients-may none of the server's owner: the test asks for --sl or --tclass" },
		{ "write_bw -c UC -b", "--clients-may ud",
		  "--clients-may ud of the server's owner: the test asks for what makes the server send over UC" },
		{ "send_lat -c UD", "--clients-may uc",
		  "--clients-may uc of the server's owner: the test asks for what makes the server send over UD" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_args(p, cases[i].client, cases[i].server);
		run_refused(p, REFUSED, cases[i].words);
	}
	/* what the server only receives is no traffic of its own */
	pair_args(p, "send_bw -c UD -n 10 --stall-timeout 5", "--clients-may none");
	pair_run(p);
	pair_assert_ended(p, 0, 0, 1);
}

static void test_gids(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	run_args(p, "write_bw -x 3", REFUSED, "client: GID index 3 of pair0 port 1 holds no GID");
	pair_args(p, "write_bw", "-x 2");
	run_refused(p, REFUSED, "server: GID index 2 of pair1 port 1 holds no GID");
	server->gids[0].text = "2001:db8::2";
	run_args(p, "write_bw", REFUSED, "IPv4 against IPv6");
	client->gids[0].text = "fe80::1";
	run_args(p, "write_bw", REFUSED, "link-local against routable");
	client->gids[0].text = "2001:db8::1";
	client->gids[0].type = IBV_GID_TYPE_ROCE_V1;
	run_args(p, "write_bw", REFUSED, "types differ");
	server->gids[0].text = NULL;
	run_args(p, "write_bw", REFUSED, "server: pair1 port 1 (Ethernet) has no GID: its network interface has no address");
	server->link_layer = IBV_LINK_LAYER_INFINIBAND;
	run_args(p, "write_bw", REFUSED, "they cannot reach each other");
}

/* These devices have neither: that is found before anything is measured. */
static void test_apis(void **state)
{
	struct pair *p = *state;

	run_args(p, "write_bw --post-api wr", REFUSED, "--post-api wr: pair0 of ");
	run_args(p, "write_bw --post-api wr", REFUSED,
		 " makes no QPs for ibv_wr_* (ibv_create_qp_ex); allowed: send, auto");
	run_args(p, "send_lat --poll-api extended", REFUSED, "--poll-api extended: pair0 of ");
}

static void test_transports(void **state)
{
	struct pair *p = *state;

	run_args(p, "send_bw -c XRC", REFUSED, "-c (--transport) XRC: pair0 of ");
	run_args(p, "read_lat -c XRC --post-api wr", REFUSED,
		 " has no XRC (IBV_DEVICE_XRC); what works: verbench check");
}

static void test_devices(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	run_alone(p, "write_bw -d pair7", REFUSED,
		  "no RDMA device is called pair7; there are: pair0, pair1");
	pair_args(p, "write_bw", "-d mlx5_0");
	run_refused(p, REFUSED, "no RDMA device is called mlx5_0");
	run_alone(p, "write_bw -i 2", REFUSED, "port 2 does not exist on pair0");
	server->state = IBV_PORT_DOWN;
	run_args(p, "write_bw", FAILED, "no active port of pair1; ports: ");
	server->state = IBV_PORT_ACTIVE;
	server->open_errno = EACCES;
	run_args(p, "write_bw", FAILED, "open device pair1: Permission denied");
	server->open_errno = 0;
	client->open_errno = EPERM;
	run_alone(p, "write_bw", FAILED, "open device pair0: Operation not permitted");
	client->absent = server->absent = true;
	run_args(p, "write_bw", FAILED, "no RDMA device found: ");
}

/*
 * The limits do not tell everything: what fails once the point begins, on either side. The server
 * knows of a point when the client's endpoint comes.
 */
static void check_object(struct pair *p, enum side side, const char *message)
{
	const struct pair_side *const at = side == SIDE_CLIENT ? &p->client : &p->server;

	pair_args(p, "write_bw -n 10", "");
	pair_run(p);
	assert_int_equal(p->client.status, FAILED);
	assert_int_equal(p->server.status, FAILED);
	assert_int_equal(p->client.csv.n_rows, 1);
	assert_int_equal(p->server.csv.n_rows, side == SIDE_SERVER);
	pair_assert_told(&p->client, message);
	pair_assert_told(&p->server, message);
	pair_assert_has(pair_cell(at, 0, "reason"), message);
	pair_assert_has(pair_cell(&p->client, 0, "reason"), message);
	assert_string_equal(pair_cell(at, 0, "status"), "incomplete");
	assert_string_equal(pair_cell(at, 0, "messages"), "");
	assert_string_equal(pair_cell(at, 0, "bandwidth_gbit_s"), "");
	assert_int_equal(verbs_open_objects(), 0);
}

static void test_objects(void **state)
{
	static const enum side sides[] = { SIDE_CLIENT, SIDE_SERVER };

	for (int i = 0; i < 2; i++) {
		struct verbs_device *device = verbs_device(sides[i]);

		device->mr_errno = ENOMEM;
		check_object(*state, sides[i], "register 16 MiB of memory: ");
		device->mr_errno = 0;
		device->qp_errno = ENOMEM;
		check_object(*state, sides[i], device->name);
		/* the kernel pins the memory of queues, too */
		check_object(*state, sides[i], "RLIMIT_MEMLOCK is ");
		device->qp_errno = 0;
	}
}

static void move_address(void *arg)
{
	(void)arg;
	verbs_device(SIDE_SERVER)->gids[0].text = "::ffff:10.0.0.99";
}

/* The address is gone between two points: the rows of the first are there. */
static void test_nobody_answers(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->fault =
		(struct verbs_fault){ .what = VERBS_CALL, .message = 4, .call = move_address };
	pair_args(p, "write_lat -a -n 5 --warm-up 0", "");
	pair_run(p);
	pair_assert_ended(p, FAILED, FAILED, 2);
	pair_assert_has(pair_error(&p->client), "address resolution of GID ::ffff:10.0.0.2 failed");
	pair_assert_has(pair_error(&p->server), "address resolution of GID ::ffff:10.0.0.2 failed");
	assert_string_equal(pair_cell(&p->client, 0, "status"), "ok");
	assert_string_equal(pair_cell(&p->server, 0, "status"), "ok");
	assert_string_equal(pair_cell(&p->server, 1, "status"), "incomplete");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers), TEST(test_pkeys), TEST(test_hugepages), TEST(test_placements),
		TEST(test_fetching), TEST(test_caps_of_server), TEST(test_gids),
		TEST(test_apis), TEST(test_devices), TEST(test_objects), TEST(test_nobody_answers),
		TEST(test_transports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
