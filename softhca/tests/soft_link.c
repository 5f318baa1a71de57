/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The emulated link: nothing is visible before its time, and the counters of the link agree with
 * the messages that are lost, duplicated and reordered. Argument 'losses': prints the numbers of
 * the messages that are lost.
 */
#include "config.h"

#include "t_env.h"

#include <fcntl.h>

#define MESSAGES 2000
#define ARRIVALS (2 * MESSAGES)

static void recvs(struct pair *p, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(t_recv(&p->b, 0, 4096), 0);
}

/* The data of the write, its completion, and the receive that it takes: none is there early. */
static void expect_times(enum ibv_qp_type type, uint32_t len, double visible_s, double done_s)
{
	struct pair p = t_defaults(type);
	volatile const uint8_t *last;
	bool seen = false, done = false, taken = false;
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	double t0;

	p.timeout = 24; /* 69 s: nothing is lost, and nothing is to be sent twice */
	t_up(&p);
	last = p.b.buf + len - 1;
	memset(p.a.buf, 1, T_BUF);
	recvs(&p, 1);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 0);
	t0 = t_now();
	assert_int_equal(t_post(&p, &wr, len), 0);
	while (!seen || !done || !taken) {
		/* first look, then read the clock: a delay in between is no error */
		seen |= *last == 1;
		done |= ibv_poll_cq(p.a.cq, 1, &wc) == 1;
		taken |= ibv_poll_cq(p.b.cq, 1, &wc) == 1;
		assert_true(t_now() - t0 >= visible_s || (!seen && !taken));
		assert_true(t_now() - t0 >= done_s || !done);
		assert_true(t_now() - t0 < T_GUARD_S);
	}
	t_down(&p);
}

static void test_delay(void **state)
{
	(void)state;
	expect_times(IBV_QPT_RC, 64, 0.1, 0.2);
}

static void test_delay_uc(void **state)
{
	(void)state;
	expect_times(IBV_QPT_UC, 64, 0.1, 0);
}

static void test_bandwidth(void **state)
{
	(void)state;
	expect_times(IBV_QPT_RC, 12500, 0.1, 0.1);
}

static void test_bandwidth_uc(void **state)
{
	(void)state;
	expect_times(IBV_QPT_UC, 12500, 0.1, 0.1);
}

/* The link stands still from its start, which is later than this. */
static void test_stall(void **state)
{
	double t0 = t_now();
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_send_wr wr;

	(void)state;
	p.timeout = 24;
	t_up(&p);
	for (int i = 0; i < 2; i++) {
		wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
		assert_int_equal(t_post(&p, &wr, 8), 0);
		assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
		assert_true(t_now() - t0 >= 0.2);
	}
	t_down(&p);
}

/* Over RC each message arrives once, in order. */
static void test_rc(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	uint32_t sent = 0, done = 0, came = 0;
	double end = t_now() + T_GUARD_S;
	struct ibv_wc wc;

	(void)state;
	p.timeout = 8;
	p.retry = 7;
	t_up(&p);
	recvs(&p, 60);
	while (came < MESSAGES || done < MESSAGES) {
		if (sent < MESSAGES && sent - done < 30 && sent - came < 30) {
			struct ibv_send_wr wr = t_wr(&p, IBV_WR_SEND_WITH_IMM, 0);

			wr.imm_data = sent++;
			assert_int_equal(t_post(&p, &wr, 64), 0);
		}
		while (ibv_poll_cq(p.a.cq, 1, &wc) == 1) {
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			done++;
		}
		while (ibv_poll_cq(p.b.cq, 1, &wc) == 1) {
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_int_equal(wc.imm_data, came);
			came++;
			recvs(&p, 1);
		}
		assert_true(t_now() < end);
	}
	t_none(p.b.cq);
	t_down(&p);
}

static unsigned long counter(const char *name)
{
	char path[128];
	unsigned long n;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/softhca0/ports/1/%s", name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &n), 1);
	fclose(f);
	return n;
}

/* Begins to count; t_down() ends it. A process that had this number may have left its file. */
static void count_into(char path[64])
{
	snprintf(path, 64, "/tmp/soft_link.%d", (int)getpid());
	unlink(path);
	assert_int_equal(setenv("SOFTHCA_STATS", path, 1), 0);
}

/* Both QPs are on one port: what is sent again there is what the link says. */
static void test_sysfs(void **state)
{
	unsigned long again, sent, received, words, naks, retries = 0;
	char path[64], line[1024] = "";
	FILE *f;

	count_into(path);
	test_rc(state);
	naks = counter("hw_counters/packet_seq_err");
	again = counter("hw_counters/local_ack_timeout_err") + naks;
	sent = counter("counters/port_xmit_packets");
	received = counter("counters/port_rcv_packets");
	words = counter("counters/port_rcv_data");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	unlink(path);
	assert_non_null(strstr(line, " retry_events="));
	assert_int_equal(sscanf(strstr(line, " retry_events="), " retry_events=%lu", &retries), 1);
	assert_true(retries > 0);
	assert_int_equal(again, retries);
	assert_true(counter("hw_counters/out_of_sequence") >= naks);
	assert_int_equal(received, MESSAGES);
	assert_int_equal(words, MESSAGES * 64 / 4);
	assert_true(sent > MESSAGES);
	assert_int_equal(counter("hw_counters/out_of_buffer"), 0);
}

struct counters {
	unsigned long sent, lost, duplicated, reordered, retries, messages, bytes, busy_ns;
	unsigned long wait_mean_ns, wait_max_ns;
	unsigned long departed_first_ns, departed_last_ns, arrived_first_ns, arrived_last_ns;
};

struct stream {
	uint16_t order[ARRIVALS]; /* numbers of the messages, in order of arrival */
	uint32_t n;
	uint8_t copies[MESSAGES];
	struct counters counters;
};

static void take(struct pair *p, struct stream *s)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(p->b.cq, 1, &wc) == 1) {
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_true(s->n < ARRIVALS && wc.imm_data < MESSAGES);
		s->order[s->n++] = (uint16_t)wc.imm_data;
		s->copies[wc.imm_data]++;
		recvs(p, 1);
	}
}

static void read_counters(struct counters *t, const char *path)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "pid=%*d device=softhca0 port=1 sent=%lu lost=%lu duplicated=%lu "
				"reordered=%lu retries=%lu messages=%lu bytes=%lu busy_ns=%lu "
				"wait_mean_ns=%lu wait_max_ns=%lu clock=monotonic "
				"departed_first_ns=%lu departed_last_ns=%lu arrived_first_ns=%lu "
				"arrived_last_ns=%lu", &t->sent, &t->lost, &t->duplicated,
				&t->reordered, &t->retries, &t->messages, &t->bytes, &t->busy_ns,
				&t->wait_mean_ns, &t->wait_max_ns, &t->departed_first_ns,
				&t->departed_last_ns, &t->arrived_first_ns, &t->arrived_last_ns),
			 14);
	fclose(f);
	unlink(path);
}

/*
 * Sends all messages over UC, and receives for wait_s, or until so many have arrived. Returns how
 * long it took to send them.
 */
static double stream(struct stream *s, double wait_s, uint32_t arrivals)
{
	char path[64];
	struct pair p = t_defaults(IBV_QPT_UC);
	struct ibv_wc wc;
	double begun, sent_s;

	count_into(path);
	memset(s, 0, sizeof(*s));
	p.depth = p.cqe = 4 * MESSAGES;
	t_up(&p);
	recvs(&p, ARRIVALS);
	begun = t_now();
	for (uint32_t i = 0; i < MESSAGES; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_SEND_WITH_IMM, 0);

		wr.imm_data = i;
		assert_int_equal(t_post(&p, &wr, 64), 0);
	}
	sent_s = t_now() - begun;
	for (uint32_t i = 0; i < MESSAGES; i++)
		assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
	for (begun = t_now(); t_now() < begun + wait_s || s->n < arrivals;) {
		take(&p, s);
		assert_true(t_now() < begun + T_GUARD_S);
	}
	take(&p, s);
	assert_int_equal(ibv_poll_cq(p.a.cq, 1, &wc), 0);
	t_down(&p);
	read_counters(&s->counters, path);
	assert_int_equal(s->counters.sent, MESSAGES);
	return sent_s;
}

/* The counters of the link give the numbers of lost and duplicated messages. */
static void test_unreliable(void **state)
{
	static struct stream s;
	uint32_t lost = 0, copies = 0;

	(void)state;
	stream(&s, 0.3, 0);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		lost += !s.copies[i];
		copies += s.copies[i] > 1 ? s.copies[i] - 1u : 0;
	}
	assert_int_equal(lost, s.counters.lost);
	assert_int_equal(copies, s.counters.duplicated);
	/* 5 % each, within five standard deviations */
	assert_in_range(lost, 50, 150);
	assert_in_range(copies, 45, 150);
	assert_int_equal(s.counters.reordered, 0);
}

/* A late message arrives after all that are not late: its delay is longer than the sending. */
static void test_reorder(void **state)
{
	static struct stream s;
	uint32_t highest = 0, late = 0;
	double sent_s;

	(void)state;
	sent_s = stream(&s, 0, MESSAGES);
	assert_int_equal(s.n, MESSAGES);
	for (uint32_t i = 0; i < s.n; i++) {
		assert_int_equal(s.copies[s.order[i]], 1);
		late += s.order[i] < highest;
		highest = s.order[i] > highest ? s.order[i] : highest;
	}
	/* a process that got no processor for so long sent after some of them had arrived */
	if (sent_s > 0.9)
		return;
	/* late messages keep their order; a late last message would not be counted */
	assert_int_equal(late, s.counters.reordered);
	assert_in_range(late, 50, 150);
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ten messages at once: each needs 10 ms of the link, and arrives 100 ms after it has left. */
static void test_counters(void **state)
{
	const uint64_t begun_ns = monotonic_ns(), message_ns = 10000000, delay_ns = 100000000;
	struct pair p = t_defaults(IBV_QPT_RC);
	struct counters t;
	char path[64];

	(void)state;
	count_into(path);
	p.timeout = 24;
	t_up(&p);
	for (int i = 0; i < 10; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);

		assert_int_equal(t_post(&p, &wr, 1250), 0);
	}
	for (int i = 0; i < 10; i++)
		assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
	t_down(&p);
	read_counters(&t, path);
	assert_int_equal(t.messages, 10);
	assert_int_equal(t.retries, 0);
	assert_int_equal(t.bytes, 12500);
	assert_int_equal(t.busy_ns, 10 * message_ns);
	assert_in_range(t.departed_first_ns, begun_ns, monotonic_ns());
	assert_true(t.departed_last_ns - t.departed_first_ns >= 10 * message_ns);
	assert_in_range(t.arrived_first_ns, t.departed_first_ns + message_ns + delay_ns,
			t.departed_first_ns + message_ns + delay_ns + 1);
	assert_in_range(t.arrived_last_ns, t.departed_last_ns + delay_ns,
			t.departed_last_ns + delay_ns + 1);
	/* the i-th waits for i before it, less what passed until it was posted */
	assert_in_range(t.wait_max_ns, 0, 9 * message_ns);
	assert_in_range(t.wait_mean_ns, 0, 9 * message_ns / 2);
	assert_true(t.wait_max_ns + monotonic_ns() - begun_ns >= 9 * message_ns);
}

/* What RC sends is the messages, and those that it sends again. */
static void test_retries(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct counters t;
	char path[64];

	(void)state;
	count_into(path);
	p.timeout = 8;
	p.retry = 7;
	t_up(&p);
	for (int i = 0; i < MESSAGES / 10; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);

		assert_int_equal(t_post(&p, &wr, 64), 0);
		assert_int_equal(t_wait(p.a.cq).status, IBV_WC_SUCCESS);
	}
	t_down(&p);
	read_counters(&t, path);
	assert_in_range(t.lost, 1, MESSAGES / 10);
	/* one at a time: each loss is one retry */
	assert_int_equal(t.retries, t.lost);
	assert_int_equal(t.sent, MESSAGES / 10 + t.retries);
}

static int print_losses(void)
{
	static struct stream s;

	stream(&s, 0.1, 0);
	for (uint32_t i = 0; i < MESSAGES; i++)
		if (!s.copies[i])
			printf("%u ", i);
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "link: delay, RC", test_delay, { "SOFTHCA_LINK=delay=100ms" } },
		{ "link: delay, UC", test_delay_uc, { "SOFTHCA_LINK=delay=100ms" } },
		{ "link: bandwidth, RC", test_bandwidth, { "SOFTHCA_LINK=bandwidth=1M" } },
		{ "link: bandwidth, UC", test_bandwidth_uc, { "SOFTHCA_LINK=bandwidth=1M" } },
		{ "link: stall", test_stall, { "SOFTHCA_LINK=stall=200ms/1000s" } },
		{ "link: loss, copies and reordering, RC", test_rc,
		  { "SOFTHCA_LINK=loss=2%,duplicate=20%,reorder=20%,reorder_by=1ms" } },
		{ "link: losses, in sysfs", test_sysfs, { "SOFTHCA_LINK=loss=2%" } },
		{ "link: jitter and loss, RC", test_rc,
		  { "SOFTHCA_LINK=loss=2%,jitter=exp:100us" } },
		{ "link: counters", test_counters, { "SOFTHCA_LINK=bandwidth=1M,delay=100ms" } },
		{ "link: counters of retries", test_retries, { "SOFTHCA_LINK=loss=10%" } },
		{ "link: losses and copies, UC", test_unreliable,
		  { "SOFTHCA_LINK=loss=5%,duplicate=5%" } },
		{ "link: reordering, UC", test_reorder,
		  { "SOFTHCA_LINK=reorder=5%,reorder_by=1000ms" } },
	};

	if (argc == 2 && !strcmp(argv[1], "losses"))
		return print_losses();
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
