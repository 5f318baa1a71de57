/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Buffers of a topology: what happens when four devices send into one. The times are those of the
 * record.
 */
#include "config.h"

#include "t_env.h"
#include "t_node.h"

#define BYTES 6250 /* 5 ms at 10 Mbit/s */
#define WORK_NS UINT64_C(5000000)
#define ROOM_NS (2 * WORK_NS)
#define COUNT 10
#define SENDERS 4
#define ALL (SENDERS * COUNT)
#define QKEY 0x11
#define BUFFER "node n3 leaf0 10M\ncable n3.0 buffer=12500 full="
/* devices 1 to 4 are on leaf0, the others on leaf1 */
#define TWO_LEAVES "node n3 leaf1,leaf0,leaf0,leaf0,leaf0,leaf1 10M\n"

static const char *const device[] = { "softhca0", "softhca1", "softhca2", "softhca3", "softhca4" };

static void begin(const char *topology)
{
	const char *path = t_node_path("topology");
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fprintf(f, "%s\n", topology);
	fclose(f);
	assert_int_equal(setenv("SOFTHCA_TOPOLOGY", path, 1), 0);
	t_node_begin();
}

static void end(void)
{
	unlink(t_node_path("stats"));
	unlink(t_node_path("topology"));
}

/* From each of four devices to the first one. */
static void up(struct sender s[SENDERS], enum ibv_qp_type type, uint8_t timeout)
{
	for (int i = 0; i < SENDERS; i++) {
		s[i] = (struct sender) { .timeout = timeout };
		t_node_up(&s[i], type, device[i + 1], device[0]);
	}
}

static void down(struct sender s[SENDERS], struct t_record *r)
{
	for (int i = 0; i < SENDERS; i++)
		t_node_down(&s[i]);
	t_node_read(r);
}

static uint64_t of_senders(const char *name)
{
	uint64_t sum = 0;

	for (int i = 0; i < SENDERS; i++)
		sum += t_node_counted(device[i + 1], name);
	return sum;
}

static uint64_t sysfs(int dev, const char *name)
{
	char path[128];
	unsigned long n;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/softhca%d/ports/1/counters/%s", dev, name);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &n), 1);
	fclose(f);
	return n;
}

static uint32_t count(const struct t_record *r, const char *event)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++)
		n += !strcmp(r->event[i].name, event);
	return n;
}

/* From when the first message leaves until the last one arrives at the QPs of these numbers. */
static uint64_t span_ns(const struct t_record *r, uint32_t qpn)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct t_event *e = &r->event[i];

		if (!strcmp(e->name, "sent") && e->begun_ns < first)
			first = e->begun_ns;
		if (!strcmp(e->name, "arrived") && (!qpn || e->qpn == qpn) && e->due_ns > last)
			last = e->due_ns;
	}
	return last - first;
}

static void post_ud(struct sender *s, struct ibv_ah *ah)
{
	struct ibv_send_wr wr = t_wr(&s->a, IBV_WR_SEND, 0);

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = s->b.b.qp->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	assert_int_equal(t_post(&s->a, &wr, BYTES > 4096 ? 4096 : BYTES), 0);
}

static uint64_t received_of(struct sender *s)
{
	struct ibv_wc wc;
	uint64_t n = 0;

	while (ibv_poll_cq(s->b.b.cq, 1, &wc) == 1)
		n += wc.status == IBV_WC_SUCCESS;
	return n;
}

/* What is dropped is what is missing, and each counter knows it. */
static void test_drop_ud(void **state)
{
	static struct sender s[SENDERS];
	struct ibv_ah *ah[SENDERS];
	static struct t_record r;
	const double guard = t_now() + T_GUARD_S;
	uint64_t received = 0, errors;

	(void)state;
	begin(BUFFER "drop");
	up(s, IBV_QPT_UD, 0);
	for (int i = 0; i < SENDERS; i++) {
		struct ibv_ah_attr path = t_path(&s[i].a);

		ah[i] = ibv_create_ah(s[i].a.pd, &path);
		assert_non_null(ah[i]);
		for (int k = 0; k < COUNT; k++)
			assert_int_equal(t_recv(&s[i].b.b, 0, 8192), 0);
	}
	for (int i = 0; i < ALL; i++)
		post_ud(&s[i % SENDERS], ah[i % SENDERS]);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	while (received + sysfs(0, "port_rcv_errors") < ALL && t_now() < guard)
		for (int i = 0; i < SENDERS; i++)
			received += received_of(&s[i]);
	errors = sysfs(0, "port_rcv_errors");
	assert_int_equal(sysfs(0, "port_rcv_packets"), received);
	assert_int_equal(sysfs(0, "port_rcv_data"), received * 1024);
	for (int i = 0; i < SENDERS; i++)
		assert_int_equal(ibv_destroy_ah(ah[i]), 0);
	down(s, &r);
	assert_in_range(errors, 1, ALL - COUNT);
	assert_int_equal(received + errors, ALL);
	assert_int_equal(count(&r, "arrived"), received);
	assert_int_equal(of_senders("sent"), ALL);
	assert_int_equal(of_senders("dropped"), errors);
	assert_int_equal(t_node_counted(device[0], "received_dropped"), errors);
	assert_int_equal(of_senders("paused_ns"), 0);
	end();
}

static void run_rc(const char *topology, uint8_t timeout, struct t_record *r)
{
	static struct sender s[SENDERS];

	begin(topology);
	up(s, IBV_QPT_RC, timeout);
	for (int i = 0; i < ALL; i++)
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, BYTES);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	down(s, r);
}

/* RC sends again what was dropped, until all is there. */
static void test_drop_rc(void **state)
{
	static struct t_record r;

	(void)state;
	run_rc(BUFFER "drop", 15, &r); /* 134 ms */
	assert_int_equal(count(&r, "arrived"), ALL);
	assert_int_equal(of_senders("dropped"), t_node_counted(device[0], "received_dropped"));
	assert_true(of_senders("dropped") > 0);
	assert_true(of_senders("retry_events") > 0);
	end();
}

/* When the first one of these messages and the later ones was posted. */
static uint64_t first_posted_ns(const struct t_record *r, uint32_t from)
{
	uint64_t first_ns = UINT64_MAX;

	for (uint32_t i = from; i < r->n; i++)
		if (!strcmp(r->event[i].name, "arrived")) {
			const uint64_t ns = t_node_find(r, "sent", &r->event[i])->queued_ns;

			first_ns = ns < first_ns ? ns : first_ns;
		}
	return first_ns;
}

/* The time in which the receiver had nothing to do, although messages for it were posted. */
static uint64_t gaps_ns(struct t_record *r, uint64_t work_ns)
{
	uint64_t free_ns = 0, sum_ns = 0;

	qsort(r->event, r->n, sizeof(r->event[0]), t_node_by_due);
	for (uint32_t i = 0; i < r->n; i++) {
		const uint64_t due_ns = r->event[i].due_ns, posted_ns = first_posted_ns(r, i);
		const uint64_t begin_ns = free_ns > posted_ns ? free_ns : posted_ns;

		if (strcmp(r->event[i].name, "arrived"))
			continue;
		if (due_ns > begin_ns + work_ns)
			sum_ns += due_ns - begin_ns - work_ns;
		free_ns = due_ns;
	}
	return sum_ns;
}

/* How long a message waited at most after its last byte would have left without pauses. */
static uint64_t longest_wait_ns(const struct t_record *r, const char *out, const char *into)
{
	uint64_t longest_ns = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct t_event *e = &r->event[i], *from;

		if (strcmp(e->name, into))
			continue;
		from = t_node_find(r, out, e);
		if (from->bytes && e->due_ns > from->left_ns + longest_ns)
			longest_ns = e->due_ns - from->left_ns;
	}
	return longest_ns;
}

/* What waits for longer than the buffers have room for: the ports that send were paused. */
static void expect_held(const struct t_record *r, uint64_t room_ns)
{
	const uint64_t paused_ns = of_senders("paused_ns");

	assert_true(paused_ns + room_ns >= longest_wait_ns(r, "sent", "arrived"));
	assert_int_equal(!of_senders("pauses"), !paused_ns);
}

/* Nothing is lost, and the receiver has no gap while there is something to receive. */
static void expect_paused(struct t_record *r, uint64_t need_ns, uint64_t room_ns)
{
	assert_int_equal(count(r, "arrived"), ALL);
	assert_int_equal(of_senders("sent"), ALL);
	assert_int_equal(of_senders("dropped"), 0);
	assert_int_equal(of_senders("retry_events"), 0);
	expect_held(r, room_ns);
	assert_true(span_ns(r, 0) >= need_ns);
	assert_true(gaps_ns(r, need_ns / ALL) <= need_ns * 3 / 100);
	end();
}

static void test_pause(void **state)
{
	static struct t_record r;

	(void)state;
	run_rc(BUFFER "pause", 0, &r);
	assert_int_equal(sysfs(1, "port_xmit_wait"), t_node_counted(device[1], "paused_ns"));
	assert_int_equal(sysfs(0, "port_xmit_wait"), 0);
	expect_paused(&r, ALL * WORK_NS, ROOM_NS);
}

/* All of them, also those that arrive when their QP is destroyed. */
static void run_uc(const char *topology, struct t_record *r)
{
	static struct sender s[SENDERS];

	begin(topology);
	up(s, IBV_QPT_UC, 0);
	for (int i = 0; i < ALL; i++)
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, BYTES);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	down(s, r);
}

static void test_pause_uc(void **state)
{
	static struct t_record r;

	(void)state;
	run_uc(BUFFER "pause", &r);
	assert_int_equal(count(&r, "arrived"), ALL);
	expect_held(&r, ROOM_NS);
	assert_int_equal(of_senders("dropped"), 0);
	end();
}

/* The cable between the switches is the slowest: a switch holds back the one before it. */
static void test_pause_behind(void **state)
{
	static struct t_record r;

	(void)state;
	run_rc(TWO_LEAVES "uplink leaf0 spine0 10M buffer=12500 full=pause\n"
	       "uplink spine0 leaf1 5M buffer=12500 full=pause", 0, &r);
	/* each of both switches keeps messages, for as long as the last cable needs */
	expect_paused(&r, 2 * ALL * WORK_NS, 10 * ROOM_NS);
}

/* A buffer without full= drops. */
static void test_drop_behind(void **state)
{
	static struct t_record r;

	(void)state;
	run_uc(TWO_LEAVES "uplink leaf0 spine0 0\nuplink spine0 leaf1 5M buffer=12500", &r);
	assert_true(of_senders("dropped") > 0);
	assert_int_equal(of_senders("dropped") + count(&r, "arrived"), ALL);
	assert_int_equal(of_senders("paused_ns"), 0);
	assert_int_equal(t_node_counted(device[0], "received_dropped"), 0);
	end();
}

/* Empty messages keep their order. */
static void test_order(void **state)
{
	static struct sender s[SENDERS];
	static struct t_record r;

	(void)state;
	begin(BUFFER "pause");
	up(s, IBV_QPT_RC, 0);
	for (int i = 0; i < ALL; i++)
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, i / SENDERS % 3 ? 0 : BYTES);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	down(s, &r);
	assert_int_equal(of_senders("sent"), ALL);
	assert_int_equal(of_senders("retry_events"), 0);
	expect_held(&r, ROOM_NS);
	end();
}

/* How long a flow takes from device 1 to a device into which nobody else sends. */
static uint64_t run_victim(const char *topology, struct t_record *r)
{
	static struct sender s[SENDERS], other;
	uint32_t qpn;

	begin(topology);
	up(s, IBV_QPT_RC, 15);
	other = (struct sender) { .timeout = 15 };
	t_node_up(&other, IBV_QPT_RC, device[1], "softhca5");
	qpn = other.a.a.qp->qp_num;
	for (int i = 0; i < ALL; i++) {
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_WRITE, BYTES);
		if (i % SENDERS == 0)
			t_node_post(&other, IBV_WR_RDMA_WRITE, BYTES);
	}
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	t_node_wait(&other, COUNT);
	t_node_down(&other);
	down(s, r);
	return span_ns(r, qpn);
}

/* A port that is paused sends nothing, also to others. */
static void test_victim(void **state)
{
	static struct t_record r;

	(void)state;
	assert_true(run_victim(BUFFER "pause", &r) > 3 * COUNT * WORK_NS);
	expect_held(&r, ROOM_NS);
	end();
}

/* Without a limit it only shares the port that sends. */
static void test_no_victim(void **state)
{
	static struct t_record r;

	(void)state;
	assert_true(run_victim("node n3 leaf0 10M", &r) >= (2 * COUNT - 1) * WORK_NS);
	assert_int_equal(of_senders("paused_ns"), 0);
	end();
}

/* The data of reads wait, and are not dropped. */
static void run_reads(const char *topology, struct t_record *r)
{
	static struct sender s[SENDERS];

	begin(topology);
	for (int i = 0; i < SENDERS; i++) {
		s[i] = (struct sender) { .timeout = 0 };
		t_node_up(&s[i], IBV_QPT_RC, device[0], device[i + 1]);
	}
	for (int i = 0; i < ALL; i++)
		t_node_post(&s[i % SENDERS], IBV_WR_RDMA_READ, BYTES);
	for (int i = 0; i < SENDERS; i++)
		t_node_wait(&s[i], COUNT);
	down(s, r);
	assert_int_equal(count(r, "completed"), ALL);
	assert_int_equal(of_senders("dropped"), 0);
}

static void test_reads_drop(void **state)
{
	static struct t_record r;

	(void)state;
	run_reads(BUFFER "drop", &r);
	assert_int_equal(of_senders("paused_ns"), 0);
	end();
}

static void test_reads_pause(void **state)
{
	static struct t_record r;

	(void)state;
	run_reads(BUFFER "pause", &r);
	assert_true(of_senders("paused_ns") + ROOM_NS >=
		    longest_wait_ns(&r, "response", "completed"));
	end();
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "buffer: drop, UD", test_drop_ud, { NULL } },
		{ "buffer: drop, RC", test_drop_rc, { NULL } },
		{ "buffer: pause", test_pause, { NULL } },
		{ "buffer: pause, UC", test_pause_uc, { NULL } },
		{ "buffer: pause, two switches", test_pause_behind, { NULL } },
		{ "buffer: drop, two switches", test_drop_behind, { NULL } },
		{ "buffer: empty messages", test_order, { NULL } },
		{ "buffer: victim", test_victim, { NULL } },
		{ "buffer: no victim", test_no_victim, { NULL } },
		{ "buffer: drop, reads", test_reads_drop, { NULL } },
		{ "buffer: pause, reads", test_reads_pause, { NULL } },
	};

	if (setenv("SOFTHCA_NODE", "n3", 1) || setenv("SOFTHCA_DEVICES", "6", 1))
		return 1;
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
