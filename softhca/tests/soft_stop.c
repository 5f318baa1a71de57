/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A peer that is stopped (SIGSTOP), mostly while it has a lock that this process needs: this
 * process ends what it does within seconds, and what the peer does when it goes on does no harm.
 * Argument: how many stops at random moments (default 24).
 */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t_shm.h"

enum { MESSAGE = 2000, FLOOD = T_BUF, RECEIVES = 32 };

/* A process with a QP, and a pipe in each direction. */
struct peer_process {
	pid_t pid;
	int from, to;
	uint32_t qpn;
};

static void make_side(struct pair *p)
{
	t_side(p, &p->a, NULL);
	p->b = p->a; /* what t_wr() names */
	assert_int_equal(t_init(p, &p->a), 0);
}

/* Both processes have one side of a connection. */
static void open_side(struct pair *p)
{
	*p = t_defaults(IBV_QPT_RC);
	t_open(p);
	make_side(p);
}

static void connect_side(struct pair *p, uint32_t qpn)
{
	assert_int_equal(t_rtr(p, &p->a, qpn), 0);
	assert_int_equal(t_rts(p, &p->a), 0);
}

static void close_side(struct pair *p)
{
	t_down_side(&p->a);
	assert_int_equal(ibv_dealloc_pd(p->pd), 0);
	assert_int_equal(ibv_close_device(p->ctx), 0);
}

static void get(int fd, void *data, size_t len)
{
	t_readable(fd);
	assert_int_equal(read(fd, data, len), len);
}

/* Sends to the other side for ever: most of the time it holds a lock of that side. */
static void flood(struct pair *p)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_SEND, 0);
	struct ibv_wc wc;

	for (;;) {
		wr.sg_list = NULL;
		while (ibv_poll_cq(p->a.cq, 1, &wc) > 0)
			continue;
		t_post(p, &wr, FLOOD);
		if (t_state(p->a.qp) != IBV_QPS_RTS)
			pause();
	}
}

/* Waits for a word, then works for itself: what happened to it does not matter to others. */
static void be_idle(int in)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	char c;

	get(in, &c, 1);
	t_up(&p);
	assert_int_equal(t_recv(&p.b, 0, MESSAGE), 0);
	assert_int_equal(t_post(&p, &(struct ibv_send_wr){ .num_sge = 1, .opcode = IBV_WR_SEND,
				.send_flags = IBV_SEND_SIGNALED }, MESSAGE), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_expect(p.b.cq, IBV_WC_SUCCESS);
	t_down(&p);
}

static struct peer_process start(uint32_t qpn, bool floods)
{
	struct peer_process peer;
	int up[2], down[2];
	struct pair p;

	assert_int_equal(pipe(up) | pipe(down), 0);
	peer.pid = fork();
	assert_true(peer.pid >= 0);
	if (peer.pid) {
		close(up[1]);
		close(down[0]);
		peer.from = up[0];
		peer.to = down[1];
		get(peer.from, &peer.qpn, sizeof(peer.qpn));
		return peer;
	}
	alarm(T_GUARD_S); /* the other side may fail */
	open_side(&p);
	connect_side(&p, qpn);
	assert_int_equal(write(up[1], &p.a.qp->qp_num, sizeof(uint32_t)), sizeof(uint32_t));
	if (floods)
		flood(&p);
	be_idle(down[0]);
	exit(0);
}

/* A lock is taken after 1 s from a stopped process: this process waits no longer than the guard. */
static void stop(const struct peer_process *peer)
{
	int status;

	alarm(T_GUARD_S);
	assert_int_equal(kill(peer->pid, SIGSTOP), 0);
	assert_int_equal(waitpid(peer->pid, &status, WUNTRACED), peer->pid);
	assert_true(WIFSTOPPED(status));
}

static void end(const struct peer_process *peer, int how)
{
	int status;

	assert_int_equal(kill(peer->pid, SIGCONT), 0);
	if (how)
		assert_int_equal(kill(peer->pid, how), 0);
	else
		assert_int_equal(write(peer->to, "", 1), 1);
	assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
	if (!how)
		assert_int_equal(status, 0);
	close(peer->from);
	close(peer->to);
}

/* Two QPs of this process: nothing that a peer left behind disturbs them. */
static void check_own(void)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	t_up(&p);
	t_fill(&p.a, 3);
	for (int i = 0; i < 100; i++) {
		struct ibv_send_wr wr = t_wr(&p, IBV_WR_SEND, 0);

		assert_int_equal(t_recv(&p.b, 0, MESSAGE), 0);
		assert_int_equal(t_post(&p, &wr, MESSAGE), 0);
		t_expect(p.a.cq, IBV_WC_SUCCESS);
		t_expect(p.b.cq, IBV_WC_SUCCESS);
	}
	assert_memory_equal(p.a.buf, p.b.buf, MESSAGE);
	t_down(&p);
}

enum what { STOP_QP, STOP_CQ, STOP_FABRIC };

static struct lock *lock_of(struct shm_arena *arena, const struct pair *p, enum what what)
{
	return what == STOP_QP ? &arena->qp[p->a.qp->handle].lock :
	       what == STOP_CQ ? &arena->cq[p->a.cq->handle].lock : &t_fabric()->lock;
}

/*
 * The peer is stopped and has that lock: the same as if it were stopped inside the section. To
 * write the lock here makes it so each time.
 */
static void stopped_with(enum what what)
{
	struct pair p, own = t_defaults(IBV_QPT_RC);
	struct peer_process peer;
	struct ibv_send_wr wr;
	struct shm_arena *arena;

	open_side(&p);
	arena = t_arena();
	peer = start(p.a.qp->qp_num, false);
	connect_side(&p, peer.qpn);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	stop(&peer);
	atomic_store(&lock_of(arena, &p, what)->owner, t_owner(peer.pid));
	/* what takes the lock: a completion, a new QP, and the end of all */
	if (what == STOP_FABRIC) {
		t_up(&own);
		t_down(&own);
	} else if (what == STOP_CQ) {
		wr.sg_list = &(struct ibv_sge){ (uintptr_t)p.a.buf, 8, 1 }; /* a wrong key */
		assert_int_equal(t_post(&p, &wr, 8), 0);
		t_expect(p.a.cq, IBV_WC_LOC_PROT_ERR);
	} else {
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

		assert_int_equal(ibv_modify_qp(p.a.qp, &attr, IBV_QP_STATE), 0);
	}
	/* the peer is dead to this process, though it only stands still */
	t_down_side(&p.a);
	make_side(&p);
	connect_side(&p, peer.qpn);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	assert_int_equal(t_post(&p, &wr, 8), 0);
	t_expect(p.a.cq, IBV_WC_RETRY_EXC_ERR);
	end(&peer, 0);
	check_own();
	close_side(&p);
}

static void test_qp_lock(void **state)
{
	(void)state;
	stopped_with(STOP_QP);
}

static void test_cq_lock(void **state)
{
	(void)state;
	stopped_with(STOP_CQ);
}

static void test_fabric_lock(void **state)
{
	(void)state;
	stopped_with(STOP_FABRIC);
}

enum phase { PHASE_DESTROY, PHASE_RECEIVE, PHASE_ERROR, PHASES };

static void receive(struct pair *p, double seconds)
{
	double until = t_now() + seconds;
	struct ibv_wc wc[RECEIVES];

	while (t_now() < until) {
		int n = ibv_poll_cq(p->a.cq, RECEIVES, wc);

		assert_true(n >= 0);
		for (int i = 0; i < n; i++)
			(void)t_recv(&p->a, 0, T_BUF);
	}
}

/* The peer floods this process, is stopped after us microseconds, and goes on later. */
static void stopped_at(enum phase phase, unsigned int us)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct peer_process peer;
	struct pair p;

	open_side(&p);
	for (int i = 0; i < RECEIVES; i++)
		assert_int_equal(t_recv(&p.a, 0, T_BUF), 0);
	peer = start(p.a.qp->qp_num, true);
	connect_side(&p, peer.qpn);
	receive(&p, us * 1e-6);
	stop(&peer);
	if (phase == PHASE_RECEIVE)
		receive(&p, 0.01);
	if (phase == PHASE_ERROR)
		assert_int_equal(ibv_modify_qp(p.a.qp, &attr, IBV_QP_STATE), 0);
	if (phase != PHASE_RECEIVE) {
		close_side(&p);
		check_own();
	}
	assert_int_equal(kill(peer.pid, SIGCONT), 0);
	check_own();
	if (phase == PHASE_RECEIVE) {
		receive(&p, 0.01);
		close_side(&p);
		check_own();
	}
	end(&peer, SIGKILL);
}

static unsigned int stops = 24;

static void test_random(void **state)
{
	(void)state;
	srand(1);
	for (unsigned int i = 0; i < stops; i++)
		stopped_at(i % PHASES, 500 + (unsigned int)rand() % 5000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_qp_lock),
		cmocka_unit_test(test_cq_lock),
		cmocka_unit_test(test_fabric_lock),
		cmocka_unit_test(test_random),
	};

	if (argc > 1)
		stops = (unsigned int)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests_name("a stopped peer", tests, NULL, NULL);
}
