/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What older headers of rdma-core do not have: ibv_wr_atomic_write() came with version 44,
 * ibv_wr_flush() with 45. A provider has the member if it makes a QP with its flag, whatever the
 * headers of this build have: so each is found at run time (limits: device_caps, post_wr).
 */
#ifndef NEWER_H
#define NEWER_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* The end of struct ibv_qp_ex. */
struct newer_qp_ex {
	void (*wr_abort)(struct ibv_qp_ex *qp); /* the last member of older headers */
	void (*wr_atomic_write)(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr,
				const void *value);
	void (*wr_flush)(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, size_t len,
			 uint8_t type, uint8_t level);
};

static inline __attribute__((always_inline)) struct newer_qp_ex *newer_qp_ex(struct ibv_qp_ex *qp)
{
	return (struct newer_qp_ex *)(void *)&qp->wr_abort;
}

/* ibv_wr_atomic_write() of 8 bytes at addr, in this process. */
static inline __attribute__((always_inline)) void
newer_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t addr)
{
	newer_qp_ex(qp)->wr_atomic_write(qp, rkey, remote_addr, (const void *)(uintptr_t)addr);
}

/* The names of the headers, which may have them. */
#define IBV_QP_EX_WITH_FLUSH (1 << 11)
#define IBV_QP_EX_WITH_ATOMIC_WRITE (1 << 12)
#define IBV_WR_FLUSH ((enum ibv_wr_opcode)14)
#define IBV_WR_ATOMIC_WRITE ((enum ibv_wr_opcode)15)
#define IBV_ACCESS_FLUSH_GLOBAL (1 << 8)
#define IBV_ACCESS_FLUSH_PERSISTENT (1 << 9)
#define IBV_FLUSH_GLOBAL 1
#define IBV_FLUSH_PERSISTENT 2
#define IBV_FLUSH_RANGE 0
#define IBV_FLUSH_MR 1

/* IBV_ODP_SUPPORT_FLUSH, IBV_ODP_SUPPORT_ATOMIC_WRITE */
#define NEWER_ODP_FLUSH (UINT32_C(1) << 6)
#define NEWER_ODP_ATOMIC_WRITE (UINT32_C(1) << 7)

#endif
