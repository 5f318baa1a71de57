/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What programs do beside verbs: they fork, get signals, end by static destructors, open a device
 * many times, give the list of devices to free(), and ask for what a device does not have.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "t_env.h"

#define CONTEXTS 40
#define BYTES 16384
#define LINK "SOFTHCA_LINK=bandwidth=10G,delay=5us"

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	assert_non_null(list);
	ctx = ibv_open_device(list[0]);
	assert_non_null(ctx);
	ibv_free_device_list(list);
	return ctx;
}

static void talk(struct pair *p)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_SEND, 0);

	assert_int_equal(t_recv(&p->b, 0, 64), 0);
	assert_int_equal(t_post(p, &wr, 64), 0);
	t_expect(p->a.cq, IBV_WC_SUCCESS);
	t_expect(p->b.cq, IBV_WC_SUCCESS);
}

/* qperf does it: libibverbs permits it, since its list is one block. */
static void test_list(void **state)
{
	int num = 0;
	struct ibv_device **list = ibv_get_device_list(&num);

	(void)state;
	assert_true(num >= 1);
	free(list);
}

static void test_contexts(void **state)
{
	struct ibv_context *ctx[CONTEXTS];
	struct ibv_pd *pd[CONTEXTS];
	struct ibv_mr *mr[CONTEXTS];
	uint8_t *buf = malloc(BYTES);

	(void)state;
	for (int i = 0; i < CONTEXTS; i++) {
		ctx[i] = open_first();
		pd[i] = ibv_alloc_pd(ctx[i]);
		mr[i] = ibv_reg_mr(pd[i], buf, BYTES, IBV_ACCESS_LOCAL_WRITE);
		assert_non_null(mr[i]);
		for (int j = 0; j < i; j++)
			assert_true(mr[j]->lkey != mr[i]->lkey &&
				    ctx[j]->async_fd != ctx[i]->async_fd);
	}
	for (int i = 0; i < CONTEXTS; i++) {
		const int at = (i * 7) % CONTEXTS;

		assert_int_equal(ibv_dereg_mr(mr[at]), 0);
		assert_int_equal(ibv_dealloc_pd(pd[at]), 0);
		assert_int_equal(ibv_close_device(ctx[at]), 0);
	}
	free(buf);
}

static int exit_of(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* What the child does; 0 or the number of the first thing that is wrong. */
static int child(uint8_t *buf, int go)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	eventfd_t n;
	void *more[64];

	if (eventfd_read(go, &n)) /* the parent has written something else */
		return 1;
	for (int i = 0; i < BYTES; i++)
		if (buf[i] != 1)
			return 2;
	memset(buf, 3, BYTES);
	for (int i = 0; i < 64; i++) {
		more[i] = malloc((size_t)i * 40 + 1);
		if (!more[i])
			return 3;
		memset(more[i], 5, (size_t)i * 40 + 1);
	}
	for (int i = 0; i < 64; i++)
		free(more[i]);
	t_up(&p);
	t_down(&p);
	return 0;
}

/* The memory of a child is a copy, also where it is registered: on the heap, in its own pages. */
static void run_fork(uint8_t *buf)
{
	struct ibv_context *ctx = open_first();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, buf, BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *part = ibv_reg_mr(pd, buf + 100, 5000, IBV_ACCESS_LOCAL_WRITE);
	const int go = eventfd(0, 0);
	pid_t pid;

	assert_non_null(mr);
	assert_non_null(part);
	memset(buf, 1, BYTES);
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(child(buf, go));
	memset(buf, 2, BYTES);
	assert_int_equal(eventfd_write(go, 1), 0);
	assert_int_equal(exit_of(pid), 0);
	for (int i = 0; i < BYTES; i++)
		assert_int_equal(buf[i], 2);
	close(go);
	assert_int_equal(ibv_dereg_mr(part), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

static void test_fork_heap(void **state)
{
	uint8_t *buf = malloc(BYTES);

	(void)state;
	run_fork(buf);
	free(buf);
}

static void test_fork_pages(void **state)
{
	void *buf = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_int_equal(ibv_fork_init(), 0);
	run_fork(buf);
	munmap(buf, BYTES);
}

/* A child that ends by exit() destroys what it has of its parent, whose objects go on. */
static void test_fork_exit(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	pid_t pid;

	(void)state;
	t_up(&p);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		t_down(&p);
		_exit(0);
	}
	assert_int_equal(exit_of(pid), 0);
	talk(&p);
	t_down(&p);
}

static void *forks(void *arg)
{
	for (int i = 0; i < 10; i++) {
		const pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (exit_of(pid))
			*(bool *)arg = true;
	}
	return NULL;
}

/* Memory is registered while other threads fork. */
static void test_fork_threads(void **state)
{
	struct ibv_context *ctx = open_first();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	uint8_t *buf = malloc(BYTES);
	bool failed[2] = { false, false };
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, forks, &failed[i]), 0);
	for (int i = 0; i < 200; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, buf, BYTES, IBV_ACCESS_LOCAL_WRITE);

		assert_non_null(mr);
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_false(failed[0] || failed[1]);
	free(buf);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* The signals of a program are for its threads: with a link there is a thread of the library. */
static void test_signals(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct timespec limit = { .tv_sec = T_GUARD_S };
	sigset_t set;

	(void)state;
	t_up(&p);
	talk(&p);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	assert_int_equal(sigtimedwait(&set, NULL, &limit), SIGUSR1);
	t_down(&p);
}

static void test_refused(void **state)
{
	struct ibv_context *ctx = open_first();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex attr;

	(void)state;
	assert_int_equal(ibv_query_device_ex(ctx, NULL, &attr), 0);
	assert_int_equal(attr.phys_port_cnt_ex, 1);
	assert_int_equal(ibv_query_rt_values_ex(ctx, &values), EOPNOTSUPP);
	assert_null(ibv_import_pd(ctx, 0));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_import_mr(pd, 0));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_import_dm(ctx, 0));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* Descriptors of this process. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Connects a of one device to b of the other. */
static void connect_across(struct pair *p, struct pair *q)
{
	t_open(p);
	t_open(q);
	t_side(p, &p->a, NULL);
	t_side(q, &q->b, NULL);
	assert_int_equal(t_init(p, &p->a), 0);
	assert_int_equal(t_init(q, &q->b), 0);
	assert_int_equal(t_rtr(p, &p->a, q->b.qp->qp_num), 0);
	assert_int_equal(t_rtr(q, &q->b, p->a.qp->qp_num), 0);
	assert_int_equal(t_rts(p, &p->a), 0);
	assert_int_equal(t_rts(q, &q->b), 0);
}

static void post_to(struct side *s, enum ibv_wc_status status)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, 8, s->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;

	assert_int_equal(ibv_post_send(s->qp, &wr, &bad), 0);
	t_expect(s->cq, status);
}

/* One object of each kind that holds no other object of the device. */
static void *make(struct ibv_context *ctx, int kind)
{
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_alloc_dm_attr dm = { .length = 64 };
	struct ibv_td_init_attr td = { 0 };

	switch (kind) {
	case 0: return ibv_alloc_pd(ctx);
	case 1: return ibv_create_comp_channel(ctx);
	case 2: return ibv_create_cq(ctx, 16, NULL, NULL, 0);
	case 3: return ibv_open_xrcd(ctx, &xrcd);
	case 4: return ibv_alloc_dm(ctx, &dm);
	default: return ibv_alloc_td(ctx, &td);
	}
}

static int destroy(void *object, int kind)
{
	switch (kind) {
	case 0: return ibv_dealloc_pd(object);
	case 1: return ibv_destroy_comp_channel(object);
	case 2: return ibv_destroy_cq(object);
	case 3: return ibv_close_xrcd(object);
	case 4: return ibv_free_dm(object);
	default: return ibv_dealloc_td(object);
	}
}

/*
 * The garbage collector of Python does it: the tests of rdma-core 56 close a device before they
 * destroy its objects. The device lasts until the last of them.
 */
static void test_close_first(void **state)
{
	int before;

	(void)state;
	assert_int_equal(ibv_close_device(open_first()), 0); /* what the library opens once */
	before = descriptors();
	for (int kind = 0; kind < 6; kind++) {
		struct ibv_context *ctx = open_first();
		void *object = make(ctx, kind);

		assert_non_null(object);
		assert_int_equal(ibv_close_device(ctx), 0);
		assert_true(descriptors() > before);
		assert_int_equal(destroy(object, kind), 0);
		assert_int_equal(descriptors(), before);
	}
}

/* As the kernel destroys it: peers find that the QP is gone, and the program can destroy it. */
static void test_close_with_qp(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC), q = t_defaults(IBV_QPT_RC);

	(void)state;
	connect_across(&p, &q);
	for (int i = 0; i < 2; i++)
		assert_int_equal(t_recv(&p.a, 0, 64), 0);
	post_to(&q.b, IBV_WC_SUCCESS);
	assert_int_equal(ibv_close_device(p.ctx), 0);
	post_to(&q.b, IBV_WC_RETRY_EXC_ERR);
	t_down_side(&q.b);
	assert_int_equal(ibv_dealloc_pd(q.pd), 0);
	assert_int_equal(ibv_close_device(q.ctx), 0);
	t_down_side(&p.a);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
}

/* An object of the program with a static destructor, which runs after main(). */
static struct pair kept;

__attribute__((destructor)) static void leave(void)
{
	if (!kept.ctx)
		return;
	talk(&kept);
	t_down(&kept);
	printf("closed after main\n");
	fflush(stdout);
}

static void test_destructor(void **state)
{
	const char *command = "\"$(readlink -f /proc/$PPID/exe)\" leave";
	char line[64] = "";
	FILE *f = popen(command, "re");

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(pclose(f), 0);
	assert_string_equal(line, "closed after main\n");
}

/* kB of a line of /proc/self/status. */
static uint64_t status_kb(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t kb = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = strtoull(line + strlen(name), NULL, 10);
	fclose(f);
	assert_true(kb > 0);
	return kb;
}

/* Registered pages are not there twice, neither at the registration nor at its end. */
static void test_memory(void **state)
{
	enum { LARGE = 96 << 20, ROOM_KB = 32 << 10 };
	struct pair p = t_defaults(IBV_QPT_RC);
	uint8_t *buf = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	struct ibv_mr *mr;
	uint64_t before_kb;

	(void)state;
	assert_ptr_not_equal(buf, MAP_FAILED);
	t_up(&p);
	memset(buf, 1, LARGE);
	before_kb = status_kb("VmRSS:");
	mr = ibv_reg_mr(p.pd, buf, LARGE, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_in_range(status_kb("VmHWM:"), 1, before_kb + ROOM_KB);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_in_range(status_kb("VmHWM:"), 1, before_kb + ROOM_KB);
	assert_int_equal(buf[0] + buf[LARGE / 2] + buf[LARGE - 1], 3);
	t_down(&p);
	munmap(buf, LARGE);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "process: the list of devices is given to free()", test_list, { NULL } },
		{ "process: many contexts of one device", test_contexts, { NULL } },
		{ "process: fork, registered memory on the heap", test_fork_heap, { NULL } },
		{ "process: fork, registered pages", test_fork_pages, { NULL } },
		{ "process: fork, with a link", test_fork_heap, { LINK } },
		{ "process: a child destroys the objects of its parent", test_fork_exit, { NULL } },
		{ "process: memory of a registration", test_memory, { NULL } },
		{ "process: threads that fork", test_fork_threads, { NULL } },
		{ "process: signals", test_signals, { LINK } },
		{ "process: what the device does not have", test_refused, { NULL } },
		{ "process: a device is closed before its objects", test_close_first, { NULL } },
		{ "process: a device is closed before its QPs", test_close_with_qp, { NULL } },
		{ "process: the same, with a link", test_close_with_qp, { LINK } },
		{ "process: static destructors", test_destructor, { NULL } },
		{ "process: static destructors, with a link", test_destructor, { LINK } },
	};

	if (argc == 2 && !strcmp(argv[1], "leave")) {
		kept = t_defaults(IBV_QPT_RC);
		t_up(&kept);
		return 0;
	}
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
