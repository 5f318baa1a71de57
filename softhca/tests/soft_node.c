/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A node: its ports receive at the rate of their link, one message after the other, and its
 * processes share them. The times are those of the record, which a busy machine does not change.
 */
#include "config.h"

#include "t_env.h"

#include <inttypes.h>

#define EVENTS 256
#define SENDERS 4
#define BYTES 1250 /* 1 ms at 10 Mbit/s */

/* A line of the record. */
struct event {
	char name[16];
	uint32_t qpn, number;
	uint64_t bytes, begun_ns, left_ns, due_ns;
};

struct record {
	struct event event[EVENTS];
	uint32_t n;
};

static const char *path_of(const char *what)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/soft_node.%s.%d", what, (int)getpid());
	return path;
}

/* Before the first device is opened. */
static void record_begins(void)
{
	assert_int_equal(setenv("SOFTHCA_RECORD", path_of("record"), 1), 0);
	assert_int_equal(setenv("SOFTHCA_STATS", path_of("stats"), 1), 0);
}

static uint64_t next_number(char **line)
{
	char *field = strsep(line, ",");

	return field ? strtoull(field, NULL, 10) : 0;
}

/* After the last device is closed. */
static void read_record(struct record *r)
{
	FILE *f = fopen(path_of("record"), "re");
	char text[512];

	assert_non_null(f);
	for (r->n = 0; r->n < EVENTS && fgets(text, sizeof(text), f); r->n++) {
		struct event *e = &r->event[r->n];
		char *line = text;

		next_number(&line);
		snprintf(e->name, sizeof(e->name), "%s", strsep(&line, ","));
		e->qpn = (uint32_t)next_number(&line);
		e->number = (uint32_t)next_number(&line);
		e->bytes = next_number(&line);
		next_number(&line);
		e->begun_ns = next_number(&line);
		e->left_ns = next_number(&line);
		e->due_ns = next_number(&line);
	}
	assert_true(r->n < EVENTS);
	fclose(f);
	unlink(path_of("record"));
}

/* A number of the line of that device in the file of counters, which is then removed. */
static uint64_t counted(const char *device, const char *name)
{
	char line[2048], key[32];
	uint64_t n = UINT64_MAX;
	FILE *f = fopen(path_of("stats"), "re");

	assert_non_null(f);
	snprintf(key, sizeof(key), " %s=", name);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, device) && strstr(line, key))
			n = strtoull(strstr(line, key) + strlen(key), NULL, 10);
	fclose(f);
	return n;
}

static const struct event *find(const struct record *r, const char *name, const struct event *like)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->event[i].name, name) && r->event[i].qpn == like->qpn &&
		    r->event[i].number == like->number)
			return &r->event[i];
	fail_msg("no event %s of QP %u, message %u", name, like->qpn, like->number);
	return NULL;
}

static int by_due(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->due_ns < y->due_ns ? -1 : x->due_ns > y->due_ns;
}

/*
 * What arrives at a port (event into), and left at (event out), is received one after the other,
 * and each needs as long as the slower of both sides, from when its first byte is there.
 */
static uint32_t expect_in_turn(struct record *r, const char *out, const char *into,
			       uint64_t bit_s)
{
	uint64_t free_ns = 0;
	uint32_t n = 0;

	qsort(r->event, r->n, sizeof(r->event[0]), by_due);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct event *e = &r->event[i], *from;
		uint64_t work_ns, sent_ns, first_ns, due_ns;

		if (strcmp(e->name, into))
			continue;
		from = find(r, out, e);
		work_ns = from->bytes * 8 * UINT64_C(1000000000) / bit_s;
		sent_ns = from->left_ns - from->begun_ns;
		first_ns = from->left_ns - (sent_ns < work_ns ? sent_ns : work_ns);
		due_ns = (first_ns > free_ns ? first_ns : free_ns) + work_ns;
		assert_in_range(e->due_ns, due_ns - 1, due_ns + 1);
		free_ns = e->due_ns;
		n++;
	}
	return n;
}

/* QP a is on that device, and QP b on softhca0. */
struct sender {
	struct pair a, b;
};

static void up(struct sender *s, enum ibv_qp_type type, const char *device)
{
	union ibv_gid gid;

	s->a = s->b = t_defaults(type);
	s->a.timeout = s->b.timeout = 24; /* 69 s: nothing is lost */
	assert_int_equal(setenv("VERBS_DEVICE", device, 1), 0);
	t_open(&s->a);
	t_side(&s->a, &s->a.a, NULL);
	assert_int_equal(setenv("VERBS_DEVICE", "softhca0", 1), 0);
	t_open(&s->b);
	t_side(&s->b, &s->b.b, NULL);
	s->a.b = s->b.b;
	assert_int_equal(t_init(&s->a, &s->a.a), 0);
	assert_int_equal(t_init(&s->b, &s->b.b), 0);
	/* a path leads to the other device */
	gid = s->a.gid;
	s->a.gid = s->b.gid;
	s->b.gid = gid;
	assert_int_equal(t_rtr(&s->a, &s->a.a, s->b.b.qp->qp_num), 0);
	assert_int_equal(t_rtr(&s->b, &s->b.b, s->a.a.qp->qp_num), 0);
	assert_int_equal(t_rts(&s->a, &s->a.a), 0);
	assert_int_equal(t_rts(&s->b, &s->b.b), 0);
}

static void down(struct sender *s)
{
	s->a.b = (struct side) { 0 };
	t_down_side(&s->a.a);
	t_down_side(&s->b.b);
	assert_int_equal(ibv_dealloc_pd(s->a.pd), 0);
	assert_int_equal(ibv_dealloc_pd(s->b.pd), 0);
	assert_int_equal(ibv_close_device(s->a.ctx), 0);
	assert_int_equal(ibv_close_device(s->b.ctx), 0);
}

static void post(struct sender *s, enum ibv_wr_opcode opcode, uint32_t len)
{
	struct ibv_send_wr wr = t_wr(&s->a, opcode, 0);

	assert_int_equal(t_post(&s->a, &wr, len), 0);
}

static void wait_for(struct sender *s, int n)
{
	while (n--)
		assert_int_equal(t_wait(s->a.a.cq).status, IBV_WC_SUCCESS);
}

/* Each of the senders has as much as the port can receive. */
static void test_incast(void **state)
{
	static const char *const device[SENDERS] = { "softhca1", "softhca2", "softhca3", "softhca4" };
	static struct sender s[SENDERS];
	static struct record r;
	const uint32_t n = 6;

	(void)state;
	record_begins();
	for (int i = 0; i < SENDERS; i++)
		up(&s[i], IBV_QPT_RC, device[i]);
	for (uint32_t i = 0; i < SENDERS * n; i++)
		post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, BYTES);
	for (int i = 0; i < SENDERS; i++)
		wait_for(&s[i], (int)n);
	for (int i = 0; i < SENDERS; i++)
		down(&s[i]);
	read_record(&r);
	assert_int_equal(expect_in_turn(&r, "sent", "arrived", 10000000), SENDERS * n);
	assert_int_equal(counted("softhca0", "received"), SENDERS * n);
	assert_int_equal(counted("softhca0", "received_bytes"), SENDERS * n * BYTES);
	assert_int_equal(counted("softhca0", "received_busy_ns"), SENDERS * n * 1000000);
	assert_int_equal(counted("softhca1", "received"), 0);
	unlink(path_of("stats"));
}

static void run_writes(enum ibv_qp_type type, uint64_t bit_s)
{
	static struct sender s;
	static struct record r;

	record_begins();
	up(&s, type, "softhca1");
	for (int i = 0; i < 5; i++)
		post(&s, IBV_WR_RDMA_WRITE, BYTES);
	wait_for(&s, 5);
	down(&s); /* waits until all have arrived */
	read_record(&r);
	unlink(path_of("stats"));
	assert_int_equal(expect_in_turn(&r, "sent", "arrived", bit_s), 5);
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
	static struct record r;

	record_begins();
	up(&s, IBV_QPT_RC, device);
	for (int i = 0; i < 4; i++)
		post(&s, IBV_WR_RDMA_READ, BYTES);
	wait_for(&s, 4);
	down(&s);
	read_record(&r);
	unlink(path_of("stats"));
	assert_int_equal(expect_in_turn(&r, "response", "completed", bit_s), 4);
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
	static struct record r;

	(void)state;
	record_begins();
	up(&s, IBV_QPT_RC, "softhca1");
	for (int i = 0; i < 12; i++)
		post(&s, IBV_WR_RDMA_WRITE, i % 3 ? 0 : BYTES);
	wait_for(&s, 12);
	down(&s);
	read_record(&r);
	assert_int_equal(expect_in_turn(&r, "sent", "arrived", 1000000), 12);
	assert_int_equal(counted("softhca1", "sent"), 12);
	assert_int_equal(counted("softhca1", "retry_events"), 0);
	unlink(path_of("stats"));
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
		{ "node: shared port", test_shared, { "SOFTHCA_LINK=bandwidth=1G" } },
	};

	if (setenv("SOFTHCA_NODE", "n3", 1) || setenv("SOFTHCA_DEVICES", "5", 1))
		return 1;
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
