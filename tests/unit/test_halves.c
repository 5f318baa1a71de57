/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ep/halves: the domain, SRQs and QPs that receive over XRC, on a device in memory that fails when
 * it is told to. What has been made is destroyed, and nothing else. calloc() of the program is
 * this file's (Makefile.am).
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/ep.h"
#include "util/err.h"

#define N 3u
#define DOMAIN_FILE -1

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

enum step { NOTHING, DOMAIN, SRQ, SRQ_NUMBER, QP };

static struct {
	struct verbs_context ctx;
	struct ibv_device device;
	struct ibv_pd pd;
	struct ibv_cq cq;
	struct ibv_xrcd xrcd;
	struct ibv_srq srqs[N];
	struct ibv_qp qps[N];
	uint32_t n_domains, n_srqs, n_qps, open; /* made; not yet destroyed */
	enum step fails;
	uint32_t callocs, no_memory_at; /* the call, from 1; 0: none */
	struct halves_want want;
	struct halves halves;
} f;

void *__wrap_calloc(size_t n, size_t size)
{
	return ++f.callocs == f.no_memory_at ? NULL : __real_calloc(n, size);
}

static bool fails(enum step step)
{
	errno = f.fails == step ? EPERM : 0;
	return errno;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *ctx, struct ibv_xrcd_init_attr *attr)
{
	assert_int_equal(attr->fd, DOMAIN_FILE);
	f.xrcd.context = ctx;
	if (fails(DOMAIN))
		return NULL;
	f.n_domains++;
	f.open++;
	return &f.xrcd;
}

static int close_xrcd(struct ibv_xrcd *xrcd)
{
	assert_ptr_equal(xrcd, &f.xrcd);
	f.open--;
	return 0;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr)
{
	assert_int_equal(attr->srq_type, IBV_SRQT_XRC);
	assert_int_equal(attr->comp_mask, IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			 IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD);
	assert_ptr_equal(attr->xrcd, &f.xrcd);
	assert_ptr_equal(attr->cq, &f.cq);
	assert_int_equal(attr->attr.max_wr, f.want.receives ? f.want.receives : 1);
	assert_int_equal(attr->attr.max_sge, f.want.sges);
	if (fails(SRQ))
		return NULL;
	f.open++;
	f.srqs[f.n_srqs].context = ctx;
	return &f.srqs[f.n_srqs++];
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	*number = 50 + (uint32_t)(srq - f.srqs);
	return fails(SRQ_NUMBER) ? EPERM : 0;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
	assert_int_equal(attr->qp_type, IBV_QPT_XRC_RECV);
	assert_ptr_equal(attr->xrcd, &f.xrcd);
	if (fails(QP))
		return NULL;
	f.open++;
	f.qps[f.n_qps].context = ctx;
	return &f.qps[f.n_qps++];
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	assert_true(qp >= f.qps && qp < f.qps + f.n_qps);
	f.open--;
	return 0;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	assert_true(srq >= f.srqs && srq < f.srqs + f.n_srqs);
	f.open--;
	return 0;
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

static int open_device(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	strcpy(f.device.name, "dev0");
	f.ctx = (struct verbs_context){ .sz = sizeof(f.ctx), .open_xrcd = open_xrcd,
					.close_xrcd = close_xrcd, .create_srq_ex = create_srq_ex,
					.get_srq_num = get_srq_num, .create_qp_ex = create_qp_ex };
	f.ctx.context.device = &f.device;
	f.ctx.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	f.pd.context = &f.ctx.context;
	f.want = (struct halves_want){ .tp = TP_XRC, .pd = &f.pd, .cq = &f.cq, .n = N,
				       .receives = 64, .sges = 2 };
	return 0;
}

static int open_halves(void)
{
	int rc = halves_open(&f.halves, &f.want);

	for (uint32_t i = 0; i < N && !rc; i++)
		rc = halves_make(&f.halves, &f.want, i);
	return rc;
}

static void close_halves(void)
{
	halves_close(&f.halves);
	assert_int_equal(f.open, 0);
	assert_null(f.halves.qps);
	halves_close(&f.halves);
}

static void each_qp_has_its_srq(void **state)
{
	(void)state;
	assert_int_equal(open_halves(), 0);
	assert_int_equal(f.n_domains, 1);
	assert_int_equal(f.open, 1 + 2 * N);
	for (uint32_t i = 0; i < N; i++) {
		assert_ptr_equal(f.halves.srqs[i], &f.srqs[i]);
		assert_ptr_equal(f.halves.qps[i], &f.qps[i]);
		assert_int_equal(f.halves.srqns[i], 50 + i);
	}
	/* the QPs go first, each once */
	assert_true(halves_destroy_qp(&f.halves, 1));
	assert_false(halves_destroy_qp(&f.halves, 1));
	assert_false(halves_destroy_qp(&f.halves, N));
	assert_int_equal(f.open, 2 * N);
	close_halves();
	assert_false(halves_destroy_qp(&f.halves, 0));
}

/* An SRQ of no receives is refused by devices. */
static void who_receives_nothing_has_an_srq_of_one(void **state)
{
	(void)state;
	f.want.receives = 0;
	assert_int_equal(open_halves(), 0);
	close_halves();
}

static void what_cannot_be_made_is_named(void **state)
{
	static const char *const what[] = {
		[DOMAIN] = "cannot open an XRC domain on dev0: ",
		[SRQ] = "cannot create an XRC SRQ on dev0: ",
		[SRQ_NUMBER] = "cannot get the number of an XRC SRQ on dev0: ",
		[QP] = "cannot create an XRC_RECV QP on dev0: ",
	};

	for (enum step step = DOMAIN; step <= QP; step++) {
		open_device(state);
		f.fails = step;
		assert_int_equal(open_halves(), -EPERM);
		if (strncmp(err_text(), what[step], strlen(what[step])))
			fail_msg("\"%s\" does not begin with \"%s\"", err_text(), what[step]);
		assert_int_equal(f.n_qps, 0);
		close_halves();
	}
}

static void no_memory(void **state)
{
	for (uint32_t at = 1; at <= 3; at++) {
		open_device(state);
		f.no_memory_at = at;
		assert_int_equal(open_halves(), -ENOMEM);
		assert_string_equal(err_text(), "no memory for 3 SRQs");
		assert_int_equal(f.n_srqs, 0);
		close_halves();
	}
}

#define TEST(name) cmocka_unit_test_setup(name, open_device)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_qp_has_its_srq),
		TEST(who_receives_nothing_has_an_srq_of_one),
		TEST(what_cannot_be_made_is_named),
		TEST(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
