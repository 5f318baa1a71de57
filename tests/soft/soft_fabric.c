/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Processes on the fabric of the emulated HCA. Argument 'join': a process that joins waits for the
 * holder of the join lock, and continues when the holder is killed. 'in-flight': messages on the
 * link arrive although their sender closes the device. No cmocka group: a failed assertion ends its
 * process.
 */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOINS = 4 };

static pid_t start(void (*child)(int pipe, const void *arg), int pipe, const void *arg)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	child(pipe, arg);
	_exit(0);
}

static void ends_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Waits for a byte of the child, at most 10 s. */
static void expect_byte(int fd, char what)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char c;

	assert_int_equal(poll(&in, 1, 10000), 1);
	assert_int_equal(read(fd, &c, 1), 1);
	assert_int_equal(c, what);
}

/*
 * Takes the join lock as the library does, waits until a process connects, and never releases it.
 */
static void hold_join_lock(int out, const void *arg)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int n, fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct pollfd lock = { .fd = fd, .events = POLLIN };

	(void)arg;
	n = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, "vb-softhca/%u/%s/join",
		     (unsigned int)getuid(), getenv("SOFTHCA_FABRIC"));
	assert_int_equal(bind(fd, (struct sockaddr *)&addr,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)),
			 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(write(out, "h", 1), 1);
	assert_int_equal(poll(&lock, 1, 10000), 1);
	assert_int_equal(write(out, "w", 1), 1);
	for (;;)
		pause();
}

static void join(int out, const void *arg)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)arg;
	(void)out;
	t_open(&p);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* More processes than the queue of the holder has room for: the others wait in connect(). */
static void test_join(void)
{
	pid_t holder, joins[JOINS];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	holder = start(hold_join_lock, fds[1], NULL);
	expect_byte(fds[0], 'h');
	for (int i = 0; i < JOINS; i++)
		joins[i] = start(join, fds[1], NULL);
	expect_byte(fds[0], 'w');
	for (int i = 0; i < JOINS; i++)
		assert_int_equal(waitpid(joins[i], NULL, WNOHANG), 0);
	assert_int_equal(kill(holder, SIGKILL), 0);
	for (int i = 0; i < JOINS; i++)
		ends_well(joins[i]);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
}

/* Sends one message to that QP, and closes the device as soon as the send completes. */
static void send_and_go(int out, const void *arg)
{
	const uint32_t *qpn = arg;
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_ah_attr path;
	struct ibv_send_wr wr;
	struct ibv_ah *ah;

	(void)out;
	t_up(&p);
	path = t_path(&p);
	ah = ibv_create_ah(p.pd, &path);
	assert_non_null(ah);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = *qpn;
	wr.wr.ud.remote_qkey = 0x11;
	t_fill(&p.a, 7);
	assert_int_equal(t_post(&p, &wr, 1001), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	t_down(&p);
}

static void test_in_flight(void)
{
	struct pair p;
	struct ibv_wc wc;
	uint32_t qpn;
	double t0;

	assert_int_equal(setenv("SOFTHCA_LINK", "delay=100ms", 1), 0);
	p = t_defaults(IBV_QPT_UD);
	t_up(&p);
	assert_int_equal(t_recv(&p.b, 0, 2000), 0);
	qpn = p.b.qp->qp_num;
	t0 = t_now();
	ends_well(start(send_and_go, -1, &qpn));
	assert_true(t_now() - t0 >= 0.1);
	assert_int_equal(ibv_poll_cq(p.b.cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, 1001 + 40);
	t_fill(&p.a, 7);
	assert_memory_equal(p.b.buf + 40, p.a.buf, 1001);
	t_down(&p);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "join"))
		test_join();
	else if (argc == 2 && !strcmp(argv[1], "in-flight"))
		test_in_flight();
	else
		return 2;
	return 0;
}
