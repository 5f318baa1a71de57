/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A topology: what the cables between the devices of one node and its switches do to messages. The
 * times are those of the record, which a busy machine does not change.
 */
#include "config.h"

#include "t_env.h"
#include "t_node.h"

#define BYTES 1250 /* 1 ms at 10 Mbit/s, 2 ms at 5 Mbit/s */
#define COUNT 5
#define TOPOLOGY "node n[2-3] leaf0,leaf1,leaf0 10M\nuplink leaf0 spine0 5M\nuplink leaf1 spine0 40M\n"

/* Devices 0 and 2 are on leaf0, device 1 is on leaf1. more: further lines. */
static void begin(const char *more)
{
	const char *path = t_node_path("topology");
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fprintf(f, TOPOLOGY "%s", more);
	fclose(f);
	assert_int_equal(setenv("SOFTHCA_TOPOLOGY", path, 1), 0);
	t_node_begin();
}

static void end(struct sender *s, struct t_record *r)
{
	t_node_down(s);
	t_node_read(r);
	unlink(t_node_path("stats"));
	unlink(t_node_path("topology"));
}

static void expect_rate(const char *a, const char *b, uint64_t bit_s)
{
	static struct sender s;
	static struct t_record r;

	t_node_up(&s, IBV_QPT_RC, a, b);
	for (int i = 0; i < COUNT; i++)
		t_node_post(&s, IBV_WR_RDMA_WRITE, BYTES);
	t_node_wait(&s, COUNT);
	end(&s, &r);
	assert_int_equal(t_node_in_turn(&r, "sent", "arrived", bit_s), COUNT);
}

/* The uplink of leaf0 is the slowest on the way. */
static void test_uplink(void **state)
{
	(void)state;
	begin("");
	expect_rate("softhca0", "softhca1", 5000000);
}

static void test_same_leaf(void **state)
{
	(void)state;
	begin("");
	expect_rate("softhca0", "softhca2", 10000000);
}

/* Device 1 is where device 0 should be. */
static void test_swapped(void **state)
{
	(void)state;
	begin("swap n3.0 n3.1\n");
	expect_rate("softhca2", "softhca1", 10000000);
}

static void test_swapped_other(void **state)
{
	(void)state;
	begin("swap n3.0 n3.1\n");
	expect_rate("softhca2", "softhca0", 5000000);
}

static void test_slow_cable(void **state)
{
	(void)state;
	begin("cable n3.2 bandwidth=1M\n");
	expect_rate("softhca0", "softhca2", 1000000);
}

static void test_slow_cable_back(void **state)
{
	(void)state;
	begin("cable n3.2 bandwidth=1M\n");
	expect_rate("softhca2", "softhca0", 1000000);
}

/* A device that is as fast as memory sends by its uplink, too. */
static void test_fast_cables(void **state)
{
	(void)state;
	begin("cable n3 bandwidth=0\n");
	expect_rate("softhca0", "softhca1", 5000000);
}

/* Two devices share the uplink. */
static void test_shared_uplink(void **state)
{
	static struct sender s[2];
	static struct t_record r;

	(void)state;
	begin("");
	t_node_up(&s[0], IBV_QPT_RC, "softhca0", "softhca1");
	t_node_up(&s[1], IBV_QPT_RC, "softhca2", "softhca1");
	for (int i = 0; i < 2 * COUNT; i++)
		t_node_post(&s[i % 2], IBV_WR_RDMA_WRITE, BYTES);
	t_node_wait(&s[0], COUNT);
	t_node_wait(&s[1], COUNT);
	t_node_down(&s[0]);
	end(&s[1], &r);
	assert_int_equal(t_node_in_turn(&r, "sent", "arrived", 5000000), 2 * COUNT);
}

/* The data of reads take the way back. */
static void test_reads(void **state)
{
	static struct sender s;
	static struct t_record r;

	(void)state;
	begin("");
	t_node_up(&s, IBV_QPT_RC, "softhca0", "softhca1");
	for (int i = 0; i < 4; i++)
		t_node_post(&s, IBV_WR_RDMA_READ, BYTES);
	t_node_wait(&s, 4);
	end(&s, &r);
	assert_int_equal(t_node_in_turn(&r, "response", "completed", 5000000), 4);
}

/* All cables of the way delay a message, and its acknowledgement. */
static void expect_delay(enum ibv_qp_type type)
{
	static const struct t_event first = { .number = 0 };
	static struct sender s;
	static struct t_record r;
	const struct t_event *sent, *arrived;
	struct t_event like = first;

	begin("uplink leaf0 spine1 0 delay=7ms\ncable n3.0 delay=1ms\ncable n3.1 delay=20ms\n"
	      "uplink leaf1 spine1 0 delay=300ms\nuplink leaf0 leaf1 5M delay=4ms\n");
	t_node_up(&s, type, "softhca0", "softhca1");
	like.qpn = s.a.a.qp->qp_num;
	t_node_post(&s, IBV_WR_RDMA_WRITE, BYTES);
	t_node_wait(&s, 1);
	end(&s, &r);
	sent = t_node_find(&r, "sent", &like);
	arrived = t_node_find(&r, "arrived", &like);
	/* the cable between the leaves is shorter than by a spine */
	assert_in_range(arrived->due_ns - sent->begun_ns, 2000000 + 25000000, 2000000 + 25000001);
	if (type == IBV_QPT_RC)
		assert_int_equal(t_node_find(&r, "completed", &like)->due_ns - arrived->due_ns,
				 25000000);
}

static void test_delay(void **state)
{
	(void)state;
	expect_delay(IBV_QPT_RC);
}

static void test_delay_uc(void **state)
{
	(void)state;
	expect_delay(IBV_QPT_UC);
}

/* All that passes the cable of device 1 is lost, and nothing else. */
static void expect_cut(const char *more, const char *a, const char *b, enum ibv_wc_status status)
{
	static struct t_record r;
	struct sender s = { .timeout = 8 }; /* 1 ms */

	begin(more);
	t_node_up(&s, IBV_QPT_RC, a, b);
	t_node_post(&s, IBV_WR_RDMA_WRITE, BYTES);
	t_expect(s.a.a.cq, status);
	end(&s, &r);
}

#define LOST "cable n3.1 loss=100%\n"

static void test_loss(void **state)
{
	(void)state;
	expect_cut(LOST, "softhca0", "softhca1", IBV_WC_RETRY_EXC_ERR);
}

static void test_loss_back(void **state)
{
	(void)state;
	expect_cut(LOST, "softhca1", "softhca0", IBV_WC_RETRY_EXC_ERR);
}

static void test_loss_elsewhere(void **state)
{
	(void)state;
	expect_cut(LOST, "softhca0", "softhca2", IBV_WC_SUCCESS);
}

static void test_loss_uplink(void **state)
{
	(void)state;
	expect_cut("uplink leaf0 leaf1 0 loss=1\n", "softhca0", "softhca1", IBV_WC_RETRY_EXC_ERR);
}

static enum ibv_port_state state_of(const char *device)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_port_attr port;

	assert_int_equal(setenv("VERBS_DEVICE", device, 1), 0);
	t_open(&p);
	assert_int_equal(ibv_query_port(p.ctx, 1, &port), 0);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
	return port.state;
}

static void test_down(void **state)
{
	(void)state;
	expect_cut("cable n3.1 down=0+1000s\n", "softhca0", "softhca1", IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(state_of("softhca1"), IBV_PORT_DOWN);
	assert_int_equal(state_of("softhca0"), IBV_PORT_ACTIVE);
	unlink(t_node_path("stats")); /* of these devices */
	unlink(t_node_path("record"));
}

static void test_not_yet_down(void **state)
{
	(void)state;
	expect_cut("cable n3.1 down=1000s+1s\n", "softhca0", "softhca1", IBV_WC_SUCCESS);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "topology: uplink", test_uplink, { NULL } },
		{ "topology: same leaf", test_same_leaf, { NULL } },
		{ "topology: swapped devices", test_swapped, { NULL } },
		{ "topology: swapped devices, the other one", test_swapped_other, { NULL } },
		{ "topology: slow cable", test_slow_cable, { NULL } },
		{ "topology: slow cable, from there", test_slow_cable_back, { NULL } },
		{ "topology: fast cables", test_fast_cables, { NULL } },
		{ "topology: shared uplink", test_shared_uplink, { NULL } },
		{ "topology: reads", test_reads, { NULL } },
		{ "topology: delay", test_delay, { NULL } },
		{ "topology: delay, UC", test_delay_uc, { NULL } },
		{ "topology: loss", test_loss, { NULL } },
		{ "topology: loss, from there", test_loss_back, { NULL } },
		{ "topology: loss, elsewhere", test_loss_elsewhere, { NULL } },
		{ "topology: loss of an uplink", test_loss_uplink, { NULL } },
		{ "topology: down", test_down, { NULL } },
		{ "topology: not yet down", test_not_yet_down, { NULL } },
	};

	if (setenv("SOFTHCA_NODE", "n3", 1) || setenv("SOFTHCA_DEVICES", "3", 1))
		return 1;
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
