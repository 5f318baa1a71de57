/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Memory behind a descriptor on the emulated HCA: ibv_reg_dmabuf_mr(3). */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 4
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
		IBV_ACCESS_REMOTE_ATOMIC)

/* A file in memory, and what is in it. */
struct file {
	int fd;
	size_t page, bytes;
	uint8_t *at;
};

static void make(struct file *f)
{
	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->bytes = PAGES * f->page;
	f->fd = memfd_create("dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(f->fd >= 0);
	assert_int_equal(ftruncate(f->fd, (off_t)f->bytes), 0);
	f->at = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_ptr_not_equal(f->at, MAP_FAILED);
}

static void drop(struct file *f)
{
	munmap(f->at, f->bytes);
	close(f->fd);
}

static void one_sided(struct pair *p, enum ibv_wr_opcode op, uint64_t to, uint32_t rkey)
{
	struct ibv_send_wr wr = t_wr(p, op, 0);

	wr.wr.rdma.remote_addr = to;
	wr.wr.rdma.rkey = rkey;
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = to;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 2;
	}
	assert_int_equal(t_post(p, &wr, op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : 100), 0);
	t_expect(p->a.cq, IBV_WC_SUCCESS);
}

/* The region begins 64 bytes into the second page, and has addresses of its own. */
static void test_region(void **state)
{
	const uint64_t iova = (UINT64_C(1) << 40) + 64;
	struct pair p = t_defaults(IBV_QPT_RC);
	uint64_t v = 40;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct file f;

	(void)state;
	t_up(&p);
	make(&f);
	mr = ibv_reg_dmabuf_mr(p.pd, f.page + 64, f.page, iova, f.fd, ACCESS);
	assert_non_null(mr);
	assert_int_equal(mr->length, f.page);
	t_fill(&p.a, 3);
	one_sided(&p, IBV_WR_RDMA_WRITE, iova + 16, mr->rkey);
	assert_memory_equal(f.at + f.page + 64 + 16, p.a.buf, 100);
	assert_int_equal(f.at[f.page + 64 + 15], 0);
	memset(p.a.buf, 0, 100);
	one_sided(&p, IBV_WR_RDMA_READ, iova + 16, mr->rkey);
	assert_memory_equal(f.at + f.page + 64 + 16, p.a.buf, 100);
	memcpy(f.at + f.page + 64, &v, 8);
	one_sided(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, iova, mr->rkey);
	memcpy(&v, f.at + f.page + 64, 8);
	assert_int_equal(v, 42);

	/* as the source, and not beyond the end */
	sge = (struct ibv_sge){ iova + f.page - 100, 100, mr->lkey };
	memset(f.at + f.page + 64 + f.page - 100, 0x5a, 100);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 500);
	wr.sg_list = &sge;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(p.b.buf + 500, f.at + f.page + 64 + f.page - 100, 100);
	sge.addr++;
	assert_int_equal(t_post(&p, &wr, 0), 0);
	t_expect(p.a.cq, IBV_WC_LOC_PROT_ERR);

	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, p.a.buf, 64, 0),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	drop(&f);
	t_down(&p);
}

struct ask {
	uint64_t offset, len, iova;
	int fd;
};

static void refused(struct pair *p, struct ask a, int err)
{
	errno = 0;
	assert_null(ibv_reg_dmabuf_mr(p->pd, a.offset, a.len, a.iova, a.fd, ACCESS));
	assert_int_equal(errno, err);
}

static void test_refused(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct file f;

	(void)state;
	t_open(&p);
	make(&f);
	refused(&p, (struct ask){ 0, f.bytes, 0, -1 }, EBADF);
	refused(&p, (struct ask){ 0, f.bytes + 1, 0, f.fd }, EINVAL);
	refused(&p, (struct ask){ f.page, f.bytes, 0, f.fd }, EINVAL);
	refused(&p, (struct ask){ UINT64_MAX - 4095, 4096, 0, f.fd }, EINVAL);
	refused(&p, (struct ask){ 0, 0, 0, f.fd }, EINVAL);
	/* the offset in the page is that of the address */
	refused(&p, (struct ask){ 64, 64, 128, f.fd }, EINVAL);
	/* a file that cannot be written cannot be mapped for it */
	assert_int_equal(munmap(f.at, f.bytes), 0);
	assert_int_equal(fcntl(f.fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	refused(&p, (struct ask){ 0, f.bytes, 0, f.fd }, EOPNOTSUPP);
	close(f.fd);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

/* What no processor may touch cannot be pinned: the kernel's pin_user_pages(). */
static void test_forbidden(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pair p = t_defaults(IBV_QPT_RC);
	void *at = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(at, MAP_FAILED);
	t_open(&p);
	errno = 0;
	assert_null(ibv_reg_mr(p.pd, at, page, ACCESS));
	assert_int_equal(errno, EFAULT);
	assert_int_equal(munmap(at, page), 0);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
