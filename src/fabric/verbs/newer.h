/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the headers of older versions of rdma-core do not have: ibv_wr_atomic_write() came with
 * version 44. configure looks for it; without it no device has it (limits: atomic_writes).
 */
#ifndef NEWER_H
#define NEWER_H

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef HAVE_STRUCT_IBV_QP_EX_WR_ATOMIC_WRITE
#define NEWER_ATOMIC_WRITE 1
#else
#define NEWER_ATOMIC_WRITE 0
#define IBV_QP_EX_WITH_ATOMIC_WRITE (1 << 12)
#define IBV_WR_ATOMIC_WRITE ((enum ibv_wr_opcode)15)
#endif

/* ibv_wr_atomic_write() of 8 bytes at addr, in this process. Without it, never called. */
static inline __attribute__((always_inline)) void
newer_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t addr)
{
#ifdef HAVE_STRUCT_IBV_QP_EX_WR_ATOMIC_WRITE
	ibv_wr_atomic_write(qp, rkey, remote_addr, (const void *)(uintptr_t)addr);
#else
	(void)qp;
	(void)rkey;
	(void)remote_addr;
	(void)addr;
#endif
}

/* IB_UVERBS_DEVICE_ATOMIC_WRITE of the kernel, in device_cap_flags_ex: ibv_query_device_ex(3) */
#define NEWER_DEVICE_ATOMIC_WRITE (UINT64_C(1) << 40)
/* IBV_ODP_SUPPORT_ATOMIC_WRITE */
#define NEWER_ODP_ATOMIC_WRITE (UINT32_C(1) << 7)

#endif
