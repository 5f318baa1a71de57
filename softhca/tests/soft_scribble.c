/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A hostile process of the same user: it writes random numbers into the shared memory of a process
 * that uses the emulated HCA. That process may get errors and wrong data, but it does not crash,
 * and it ends. Arguments: seconds, seed. With the argument "ring": what is written says that the ring
 * of a receive queue is nearly as large as the address space.
 */
#include "config.h"
#include "t.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shm.h"

enum { MESSAGES = 50, BYTES = 4096 };

/* An object of the victim that could not be made is NULL. */

static void make_side(struct pair *p, struct side *s, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = p->type, .srq = srq, .cap = { 16, 16, 2, 2, 64 },
	};

	s->buf = calloc(1, T_BUF);
	s->mr = ibv_reg_mr(p->pd, s->buf, T_BUF, p->access);
	s->cq = ibv_create_cq(p->ctx, 64, NULL, NULL, 0);
	if (!s->cq)
		return;
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = ibv_create_qp(p->pd, &attr);
}

/* What cannot be destroyed stays. */
static void drop_side(struct side *s)
{
	if (s->qp)
		ibv_destroy_qp(s->qp);
	if (s->cq)
		ibv_destroy_cq(s->cq);
	if (s->mr && !ibv_dereg_mr(s->mr))
		free(s->buf);
	*s = (struct side) { 0 };
}

static void receive(struct side *s)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, BYTES, s->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (s->srq)
		ibv_post_srq_recv(s->srq, &wr, &bad);
	else
		ibv_post_recv(s->qp, &wr, &bad);
}

static void talk(struct pair *p)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						  IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct ibv_wc wc[8];

	for (int i = 0; i < MESSAGES; i++) {
		enum ibv_wr_opcode op = p->type == IBV_QPT_UD ? IBV_WR_SEND : ops[i % 4];
		struct ibv_send_wr wr = t_wr(p, op, 0);

		if (i % 4 == 0)
			receive(&p->b);
		t_post(p, &wr, op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : BYTES);
		ibv_poll_cq(p->a.cq, 8, wc);
		ibv_poll_cq(p->b.cq, 8, wc);
	}
}

static void work(struct pair *p)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 32, .max_sge = 2 } };

	struct ibv_srq *srq = rand() % 2 ? ibv_create_srq(p->pd, &init) : NULL;

	p->a = p->b = (struct side) { .srq = NULL };
	p->b.srq = srq;
	make_side(p, &p->a, NULL);
	make_side(p, &p->b, srq);
	if (p->a.qp && p->b.qp && p->a.mr && p->b.mr) {
		t_init(p, &p->a);
		t_init(p, &p->b);
		t_rtr(p, &p->a, p->b.qp->qp_num);
		t_rtr(p, &p->b, p->a.qp->qp_num);
		t_rts(p, &p->a);
		t_rts(p, &p->b);
		talk(p);
		ibv_resize_cq(p->b.cq, 128);
		ibv_attach_mcast(p->b.qp, &p->gid, 0);
		ibv_detach_mcast(p->b.qp, &p->gid, 0);
	}
	drop_side(&p->a);
	drop_side(&p->b);
	if (srq)
		ibv_destroy_srq(srq);
}

static void be_victim(int out, double seconds)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	double end = t_now() + seconds;

	alarm(T_GUARD_S);
	t_open(&p);
	if (write(out, "", 1) != 1)
		_exit(3);
	while (t_now() < end)
		work(&p);
	exit(0);
}

/* Maps a file in memory of the victim. */
static uint8_t *steal(pid_t victim, const char *name, off_t off, size_t bytes)
{
	char dir[64], path[384], to[128];
	const struct dirent *e;
	uint8_t *map = NULL;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)victim);
	d = opendir(dir);
	assert_non_null(d);
	while (!map && (e = readdir(d))) {
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		n = readlink(path, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		if (strncmp(to, name, strlen(name)))
			continue;
		fd = open(path, O_RDWR);
		assert_true(fd >= 0);
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);
		assert_ptr_not_equal(map, MAP_FAILED);
		close(fd);
	}
	closedir(d);
	assert_non_null(map);
	return map;
}

static uint32_t word(void)
{
	switch (rand() % 4) {
	case 0:
		return (uint32_t)rand() % 8;
	case 1:
		return UINT32_MAX - (uint32_t)rand() % 8;
	case 2:
		return 1u << rand() % 32;
	default:
		return (uint32_t)rand() << 16 ^ (uint32_t)rand();
	}
}

static void scribble(uint8_t *map, size_t bytes)
{
	uint32_t value = word();

	memcpy(map + ((size_t)rand() << 12 ^ (size_t)rand()) % (bytes / 4) * 4, &value, 4);
}

/* The rows that are in use change as objects come and go, so the first ones. */
static void scribble_arena(uint8_t *arena)
{
	static const struct {
		size_t off, bytes;
	} where[] = {
		{ offsetof(struct shm_arena, mr), 4096 * sizeof(struct shm_mr) },
		{ offsetof(struct shm_arena, qp), 2048 * sizeof(struct shm_qp) },
		{ offsetof(struct shm_arena, cq), 2048 * sizeof(struct shm_cq) },
		{ offsetof(struct shm_arena, srq), 1024 * sizeof(struct shm_srq) },
		{ SHM_HEAP_OFF, 256 << 10 },
	};
	size_t i = (size_t)rand() % (sizeof(where) / sizeof(where[0]));

	scribble(arena + where[i].off, where[i].bytes);
}

/* The first parts of the fabric are used most. */
static void scribble_fabric(uint8_t *fabric)
{
	scribble(fabric, rand() % 2 ? offsetof(struct shm_fabric, group) :
				      sizeof(struct shm_fabric));
}

/* Who destroys an SRQ frees the ring that its row names. */
static int ring(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 32, .max_sge = 2 } };
	struct pair p = t_defaults(IBV_QPT_RC);
	struct shm_arena *arena;
	struct ibv_srq *srq;

	alarm(T_GUARD_S);
	t_open(&p);
	srq = ibv_create_srq(p.pd, &init);
	assert_non_null(srq);
	arena = (void *)steal(getpid(), "/memfd:vb-softhca-arena", (off_t)SHM_ARENA_OFF,
			      SHM_HEAP_OFF);
	for (size_t i = 0; i < SHM_SRQS; i++)
		arena->srq[i].rq.stride = arena->srq[i].rq.mask = UINT32_MAX - 1;
	return ibv_destroy_srq(srq) ? 1 : 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 3;
	uint8_t *fabric, *arena;
	int fds[2], status;
	pid_t victim, gone;
	unsigned int seed;
	char c;

	if (argc > 1 && !strcmp(argv[1], "ring"))
		return ring();
	seed = argc > 2 ? (unsigned int)strtoul(argv[2], NULL, 10) : 1;
	srand(seed);
	assert_int_equal(pipe(fds), 0);
	victim = fork();
	assert_true(victim >= 0);
	if (!victim)
		be_victim(fds[1], seconds);
	assert_int_equal(read(fds[0], &c, 1), 1);
	fabric = steal(victim, "/memfd:vb-softhca-fabric", 0, sizeof(struct shm_fabric));
	arena = steal(victim, "/memfd:vb-softhca-arena", (off_t)SHM_ARENA_OFF,
		      SHM_HEAP_OFF + (1 << 20));
	while (!(gone = waitpid(victim, &status, WNOHANG))) {
		for (int i = 0; i < 200; i++) {
			scribble_arena(arena);
			scribble_fabric(fabric);
		}
	}
	assert_int_equal(gone, victim);
	if (WIFSIGNALED(status))
		printf("the victim ended by signal %d, seed %u\n", WTERMSIG(status), seed);
	return status ? 1 : 0;
}
