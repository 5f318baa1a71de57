/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A node: its ports receive at the rate of their link, one message after the other, and its
 * processes share them. The times are those of the record, which a busy machine does not change.
 */
#include "config.h"

#include "t_env.h"
#include "t_node.h"

#define SENDERS 4
#define BYTES 1250 /* 1 ms at 10 Mbit/s */

/* Each of the senders has as much as the port can receive. */
static void test_incast(void **state)
{
	static const char *const device[SENDERS] = { "softhca1", "softhca2", "softhca3", "softhca4" };
	static struct sender s[SENDERS];
	static struct t_record r;
	const uint32_t n = 6;

	(void)state;
	t_node_begin();
	for (int i = 0; i < SENDERS; i++)
		t_node_up(&s[i], IBV_QPT_RC, device[i], "softhca0");
	for (uint32_t i = 0; i < SENDERS * n; i++)
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, BYTES);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], (int)n);
	for (int i = 0; i < SENDERS; i++)
		t_node_down(&s[i]);
	t_node_read(&r);
	assert_int_equal(t_node_in_turn(&r, "sent", "arrived", 10000000), SENDERS * n);
	assert_int_equal(t_node_counted("softhca0", "received"), SENDERS * n);
	assert_int_equal(t_node_counted("softhca0", "received_bytes"), SENDERS * n * BYTES);
	assert_int_equal(t_node_counted("softhca0", "received_busy_ns"), SENDERS * n * 1000000);
	assert_int_equal(t_node_counted("softhca1", "received"), 0);
	unlink(t_node_path("stats"));
}

static void run_writes(enum ibv_qp_type type, uint64_t bit_s)
{
	static struct sender s;
	static struct t_record r;

	t_node_begin();
	t_node_up(&s, type, "softhca1", "softhca0");
	for (int i = 0; i < 5; i++)
		t_node_post(&s, IBV_WR_RDMA_WRITE, BYTES);
	t_node_wait(&s, 5);
	t_node_down(&s); /* waits until all have arrived */
	t_node_read(&r);
	unlink(t_node_path("stats"));
	assert_int_equal(t_node_in_turn(&r, "sent", "arrived", bit_s), 5);
}

/* A slow port receives slowly, from any sender. */
static void test_slow(void **state)
{
	(void)state;
	run_writes(IBV_QPT_RC, 1000000);
}

static void test_slow_uc(void **state)
{
	(void)state;
	run_writes(IBV_QPT_UC, 1000000);
}

/* Reads: the slow port receives the data, or it sends them. */
static void run_reads(const char *device, uint64_t bit_s)
{
	static struct sender s;
	static struct t_record r;

	t_node_begin();
	t_node_up(&s, IBV_QPT_RC, device, "softhca0");
	for (int i = 0; i < 4; i++)
		t_node_post(&s, IBV_WR_RDMA_READ, BYTES);
	t_node_wait(&s, 4);
	t_node_down(&s);
	t_node_read(&r);
	unlink(t_node_path("stats"));
	assert_int_equal(t_node_in_turn(&r, "response", "completed", bit_s), 4);
}

static void test_slow_reader(void **state)
{
	(void)state;
	run_reads("softhca1", 1000000);
}

static void test_slow_read(void **state)
{
	(void)state;
	run_reads("softhca1", 10000000);
}

/* An empty message does not pass the one before it, which the port still receives. */
static void test_order(void **state)
{
	static struct sender s;
	static struct t_record r;

	(void)state;
	t_node_begin();
	t_node_up(&s, IBV_QPT_RC, "softhca1", "softhca0");
	for (int i = 0; i < 12; i++)
		t_node_post(&s, IBV_WR_RDMA_WRITE, i % 3 ? 0 : BYTES);
	t_node_wait(&s, 12);
	t_node_down(&s);
	t_node_read(&r);
	assert_int_equal(t_node_in_turn(&r, "sent", "arrived", 1000000), 12);
	assert_int_equal(t_node_counted("softhca1", "sent"), 12);
	assert_int_equal(t_node_counted("softhca1", "retry_events"), 0);
	unlink(t_node_path("stats"));
}

static unsigned long sysfs(const char *name)
{
	char path[128];
	unsigned long n;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/softhca0/ports/1/counters/%s", name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &n), 1);
	fclose(f);
	return n;
}

/* How long a message waits for those before it, at most, at a port that receives all of them. */
static uint64_t longest_wait_ns(const struct t_record *r, uint64_t bit_s)
{
	uint64_t free_ns = 0, longest_ns = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct t_event *e = &r->event[i];
		const uint64_t work_ns = t_node_work_ns(e, bit_s);
		const uint64_t first_ns = t_node_first_ns(e, work_ns);

		if (strcmp(e->name, "sent"))
			continue;
		if (free_ns > first_ns + longest_ns)
			longest_ns = free_ns - first_ns;
		free_ns = (free_ns > first_ns ? free_ns : first_ns) + work_ns;
	}
	return longest_ns;
}

static void expect_waits(const struct t_record *r, const char *device, uint64_t bit_s)
{
	const uint64_t waited_ns = t_node_counted(device, "received_wait_max_ns");

	/* the record has whole nanoseconds */
	assert_in_range(waited_ns + 2, longest_wait_ns(r, bit_s), longest_wait_ns(r, bit_s) + 4);
}

/* A message to a group arrives at each port that has members, at the rate of this port. */
static void test_group(void **state)
{
	const union ibv_gid group = { .raw = { 0xff, 0x1e, [15] = 0x77 } };
	static struct sender s[2];
	static struct t_record r;
	struct ibv_send_wr wr;
	struct ibv_ah_attr path;
	struct ibv_ah *ah;

	(void)state;
	t_node_begin();
	t_node_up(&s[0], IBV_QPT_UD, "softhca0", "softhca1");
	t_node_up(&s[1], IBV_QPT_UD, "softhca0", "softhca2");
	s[0].a.gid = group;
	path = t_path(&s[0].a);
	ah = ibv_create_ah(s[0].a.pd, &path);
	assert_non_null(ah);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ibv_attach_mcast(s[i].b.b.qp, &group, 0), 0);
		for (uint32_t k = 0; k < 6; k++)
			assert_int_equal(t_recv(&s[i].b.b, k * 4096, 4096), 0);
	}
	for (int k = 0; k < 6; k++) {
		wr = t_wr(&s[0].a, IBV_WR_SEND, 0);
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = 0xffffff;
		wr.wr.ud.remote_qkey = 0x11;
		assert_int_equal(t_post(&s[0].a, &wr, BYTES), 0);
	}
	t_node_wait(&s[0], 6);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 6; k++)
			t_expect(s[i].b.b.cq, IBV_WC_SUCCESS);
		assert_int_equal(ibv_detach_mcast(s[i].b.b.qp, &group, 0), 0);
	}
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_node_down(&s[0]);
	t_node_down(&s[1]);
	t_node_read(&r);
	assert_int_equal(t_node_counted("softhca1", "received"), 6);
	assert_int_equal(t_node_counted("softhca2", "received"), 6);
	assert_int_equal(t_node_counted("softhca1", "received_busy_ns"), 60000000);
	assert_int_equal(t_node_counted("softhca2", "received_busy_ns"), 6000000);
	expect_waits(&r, "softhca1", 1000000);
	expect_waits(&r, "softhca2", 10000000);
	unlink(t_node_path("stats"));
}

/* Sends ten messages to itself, in a process of its own. */
static void send_apart(void)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct pair p = t_defaults(IBV_QPT_RC);

		t_up(&p);
		for (int i = 0; i < 10; i++) {
			struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);

			assert_int_equal(t_post(&p, &wr, 64), 0);
			assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
		}
		t_down(&p);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The port of a node counts for all its processes, also after they have ended. */
static void test_shared(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	assert_int_equal(sysfs("port_xmit_packets"), 0);
	send_apart();
	assert_int_equal(sysfs("port_xmit_packets"), 10);
	assert_int_equal(sysfs("port_rcv_data"), 10 * 64 / 4);
	t_down(&p);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "node: four into one", test_incast, { "SOFTHCA_LINK=bandwidth=10M" } },
		{ "node: slow receiver", test_slow,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: slow receiver, UC", test_slow_uc,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: slow receiver, the sender has no link", test_slow,
		  { "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: slow receiver, the sender has no link, UC", test_slow_uc,
		  { "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: slow reader", test_slow_reader,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_1=bandwidth=1M" } },
		{ "node: slow answer to a read", test_slow_read,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: empty messages keep their order", test_order,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_0=bandwidth=1M" } },
		{ "node: messages to a group", test_group,
		  { "SOFTHCA_LINK=bandwidth=10M", "SOFTHCA_LINK_1=bandwidth=1M" } },
		{ "node: shared port", test_shared, { "SOFTHCA_LINK=bandwidth=1G" } },
	};

	if (setenv("SOFTHCA_NODE", "n3", 1) || setenv("SOFTHCA_DEVICES", "5", 1))
		return 1;
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
