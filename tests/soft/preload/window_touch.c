/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that is preloaded before the emulated HCA: it takes away the pages of all registered
 * memory when a queue pair becomes ready, so that the measured window touches each page for the
 * first time, as if verbench had not populated it. Made by test_window.py; not part of the build.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <infiniband/verbs.h>

#undef ibv_reg_mr

#define PAGE 4096u

static struct area {
	uintptr_t begin, end;
} areas[64];
static unsigned int n_areas;

static struct ibv_mr *note(struct ibv_mr *mr)
{
	if (mr && n_areas < sizeof(areas) / sizeof(*areas))
		areas[n_areas++] = (struct area){
			((uintptr_t)mr->addr + PAGE - 1) / PAGE * PAGE,
			((uintptr_t)mr->addr + mr->length) / PAGE * PAGE,
		};
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *base, size_t length, int access)
{
	struct ibv_mr *(*reg)(struct ibv_pd *, void *, size_t, int) =
		dlsym(RTLD_NEXT, "ibv_reg_mr");

	return note(reg(pd, base, length, access));
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *base, size_t length, uint64_t iova,
				unsigned int access)
{
	struct ibv_mr *(*reg)(struct ibv_pd *, void *, size_t, uint64_t, unsigned int) =
		dlsym(RTLD_NEXT, "ibv_reg_mr_iova2");

	return note(reg(pd, base, length, iova, access));
}

/* The emulated HCA keeps registered pages in a file of memory. */
static void take_away(void)
{
	for (unsigned int i = 0; i < n_areas; i++)
		if (areas[i].end > areas[i].begin &&
		    madvise((void *)areas[i].begin, areas[i].end - areas[i].begin, MADV_REMOVE)) {
			perror("MADV_REMOVE");
			abort();
		}
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int (*modify)(struct ibv_qp *, struct ibv_qp_attr *, int) =
		dlsym(RTLD_NEXT, "ibv_modify_qp");

	if (mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTR)
		take_away();
	return modify(qp, attr, mask);
}
