/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that is preloaded before the emulated HCA: counts calls of verbs, and writes them to
 * the file COUNT_VERBS when the program ends, "NAME COUNT" on a line. It shows how often a program
 * really calls what it says that it measures. Made by test_setup.py; not part of the build.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova2

enum {
	REG_MR, DEREG_MR, CREATE_CQ, DESTROY_CQ, CREATE_QP, MODIFY_QP, DESTROY_QP, CREATE_AH,
	RDMA_CONNECT, COUNTS
};

static const char *const names[] = {
	"reg_mr", "dereg_mr", "create_cq", "destroy_cq", "create_qp", "modify_qp", "destroy_qp",
	"create_ah", "rdma_connect",
};
static unsigned long counts[COUNTS];

static void *next(const char *name, int count)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	counts[count]++;
	return f;
}

/* name(args), counted, goes on to the next library. */
#define COUNTED(type, name, count, params, ...) \
	type name params \
	{ \
		return ((__typeof__(&name))next(#name, count))(__VA_ARGS__); \
	}

COUNTED(struct ibv_mr *, ibv_reg_mr, REG_MR,
	(struct ibv_pd *pd, void *addr, size_t len, int access), pd, addr, len, access)
COUNTED(struct ibv_mr *, ibv_reg_mr_iova2, REG_MR,
	(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova, unsigned int access), pd, addr,
	len, iova, access)
COUNTED(int, ibv_dereg_mr, DEREG_MR, (struct ibv_mr *mr), mr)
COUNTED(struct ibv_cq *, ibv_create_cq, CREATE_CQ,
	(struct ibv_context *ctx, int cqe, void *arg, struct ibv_comp_channel *ch, int vector), ctx,
	cqe, arg, ch, vector)
COUNTED(int, ibv_destroy_cq, DESTROY_CQ, (struct ibv_cq *cq), cq)
COUNTED(struct ibv_qp *, ibv_create_qp, CREATE_QP,
	(struct ibv_pd *pd, struct ibv_qp_init_attr *attr), pd, attr)
COUNTED(int, ibv_modify_qp, MODIFY_QP,
	(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask), qp, attr, mask)
COUNTED(int, ibv_destroy_qp, DESTROY_QP, (struct ibv_qp *qp), qp)
COUNTED(struct ibv_ah *, ibv_create_ah, CREATE_AH,
	(struct ibv_pd *pd, struct ibv_ah_attr *attr), pd, attr)

COUNTED(int, rdma_connect, RDMA_CONNECT, (struct rdma_cm_id *id, struct rdma_conn_param *param), id,
	param)

__attribute__((destructor)) static void write_counts(void)
{
	const char *path = getenv("COUNT_VERBS");
	unsigned long all = 0;
	FILE *out;

	for (int i = 0; i < COUNTS; i++)
		all += counts[i];
	out = all && path ? fopen(path, "w") : NULL;
	for (int i = 0; out && i < COUNTS; i++)
		fprintf(out, "%s %lu\n", names[i], counts[i]);
	if (out)
		fclose(out);
}
