/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the headers of older versions of rdma-core do not have: ibv_wr_atomic_write() came with
 * version 44. configure looks for it.
 */
#ifndef NEWER_H
#define NEWER_H

#include <infiniband/verbs.h>
#include <stdint.h>

typedef void newer_atomic_write_fn(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr,
				   const void *value);

#ifdef HAVE_STRUCT_IBV_QP_EX_WR_ATOMIC_WRITE
static inline void newer_set_atomic_write(struct ibv_qp_ex *qp, newer_atomic_write_fn *fn)
{
	qp->wr_atomic_write = fn;
}
#else
static inline void newer_set_atomic_write(struct ibv_qp_ex *qp, newer_atomic_write_fn *fn)
{
	(void)qp;
	(void)fn;
}

#define IBV_WC_ATOMIC_WRITE 9
#define IBV_QP_EX_WITH_ATOMIC_WRITE (1 << 12)
#define IBV_WR_ATOMIC_WRITE 15
#endif

/* IB_UVERBS_DEVICE_ATOMIC_WRITE of the kernel, in device_cap_flags_ex */
#define NEWER_DEVICE_ATOMIC_WRITE (UINT64_C(1) << 40)
/* IBV_ODP_SUPPORT_ATOMIC_WRITE */
#define NEWER_ODP_ATOMIC_WRITE (UINT32_C(1) << 7)

#endif
