/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Processes on the fabric of the emulated HCA. Argument 'join': a process that joins waits for the
 * holder of the join lock, and continues when the holder is killed. 'stopped-join': or when it is
 * stopped for 3 s. 'crowd': hundreds of processes at a time, and the places of killed ones are
 * taken again. 'in-flight': messages on the link arrive although their sender closes
 * the device. No cmocka group: a failed assertion ends its process.
 */
#include "config.h"
#include "t.h"
#include "t_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOINS = 4, CROWD = 260 };

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

/* Waits for a byte of the child. */
static void expect_byte(int fd, char what)
{
	char c;

	t_readable(fd);
	assert_int_equal(read(fd, &c, 1), 1);
	assert_int_equal(c, what);
}

/* The file of the join lock: this process has joined, so it is there. */
static int open_join_lock(void)
{
	static const char *const parents[] = { "/run", "/tmp", "/dev/shm", "/var/tmp" };
	struct stat pids, net;
	char path[128];
	int fd = -1;

	assert_int_equal(stat("/proc/self/ns/pid", &pids) | stat("/proc/self/ns/net", &net), 0);
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]) && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s/softhca-%u/%llx-%llx.lock", parents[i],
			 (unsigned int)geteuid(), (unsigned long long)pids.st_ino,
			 (unsigned long long)net.st_ino);
		fd = open(path, O_RDWR | O_NOFOLLOW);
	}
	assert_true(fd >= 0);
	return fd;
}

/* Takes the join lock as the library does, and never releases it. */
static void hold_join_lock(int out, const void *arg)
{
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int fd = open_join_lock();
	uint32_t turn;

	(void)arg;
	do {
		turn = 0;
		assert_true(pread(fd, &turn, sizeof(turn), 0) >= 0);
		byte.l_start = 8 + (off_t)turn;
	} while (fcntl(fd, F_SETLK, &byte)); /* others join at the same time */
	assert_int_equal(write(out, "h", 1), 1);
	for (;;)
		pause();
}

static void join(int out, const void *arg)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	double *done = (double *)(uintptr_t)arg;

	assert_int_equal(write(out, "j", 1), 1);
	t_open(&p);
	*done = t_now();
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* One process holds the join lock, and others wait for it; done: when each of them has joined. */
static pid_t hold_up(pid_t joins[JOINS], double *done)
{
	pid_t holder;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	ends_well(start(join, fds[1], done));
	expect_byte(fds[0], 'j');
	holder = start(hold_join_lock, fds[1], NULL);
	expect_byte(fds[0], 'h');
	for (int i = 0; i < JOINS; i++)
		joins[i] = start(join, fds[1], &done[i]);
	for (int i = 0; i < JOINS; i++)
		expect_byte(fds[0], 'j');
	return holder;
}

static void test_join(void)
{
	double *done = mmap(NULL, JOINS * sizeof(*done), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0), killed;
	pid_t holder, joins[JOINS];

	assert_ptr_not_equal(done, MAP_FAILED);
	holder = hold_up(joins, done);
	killed = t_now();
	assert_int_equal(kill(holder, SIGKILL), 0);
	for (int i = 0; i < JOINS; i++) {
		ends_well(joins[i]);
		assert_true(done[i] >= killed);
	}
	assert_int_equal(waitpid(holder, NULL, 0), holder);
}

/* The others pass a stopped holder by, and what it does later does them no harm. */
static void test_stopped_join(void)
{
	double *done = mmap(NULL, JOINS * sizeof(*done), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0), stopped = t_now();
	pid_t holder, joins[JOINS];

	assert_ptr_not_equal(done, MAP_FAILED);
	holder = hold_up(joins, done);
	assert_int_equal(kill(holder, SIGSTOP), 0);
	for (int i = 0; i < JOINS; i++) {
		ends_well(joins[i]);
		assert_true(done[i] >= stopped + 3);
	}
	assert_int_equal(kill(holder, SIGCONT), 0);
	test_join();
	assert_int_equal(kill(holder, SIGKILL), 0);
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

/* Has a QP until nobody has the other end of the pipe. */
static void stay(int out, const void *arg)
{
	const int *until = arg;
	struct pair p = t_defaults(IBV_QPT_UD);
	char none;

	close(until[1]);
	t_up(&p);
	assert_in_range(t_fabric()->n_procs, 1, CROWD);
	assert_int_equal(write(out, "j", 1), 1);
	assert_int_equal(read(until[0], &none, 1), 0);
	t_down(&p);
}

static void test_crowd(void)
{
	pid_t crowd[CROWD];
	int joined[2], until[2];

	assert_int_equal(pipe(joined), 0);
	assert_int_equal(pipe(until), 0);
	for (int i = 0; i < CROWD; i++) {
		crowd[i] = start(stay, joined[1], until);
		expect_byte(joined[0], 'j');
	}
	for (int i = 0; i < CROWD; i += 2) {
		assert_int_equal(kill(crowd[i], SIGKILL), 0);
		assert_int_equal(waitpid(crowd[i], NULL, 0), crowd[i]);
	}
	for (int i = 0; i < CROWD; i += 2) {
		crowd[i] = start(stay, joined[1], until);
		expect_byte(joined[0], 'j');
	}
	close(until[1]);
	for (int i = 0; i < CROWD; i++)
		ends_well(crowd[i]);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "join"))
		test_join();
	else if (argc == 2 && !strcmp(argv[1], "stopped-join"))
		test_stopped_join();
	else if (argc == 2 && !strcmp(argv[1], "crowd"))
		test_crowd();
	else if (argc == 2 && !strcmp(argv[1], "in-flight"))
		test_in_flight();
	else
		return 2;
	return 0;
}
