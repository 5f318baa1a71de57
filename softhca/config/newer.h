/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What older headers of rdma-core do not have: ibv_wr_atomic_write() came with version 44,
 * ibv_wr_flush() with 45. The last members of struct ibv_qp_ex are described here, so that what is
 * built with older headers has them, too: there is room for them behind those of the header
 * (transport/object.h).
 */
#ifndef NEWER_H
#define NEWER_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct newer_qp_ex {
	void (*wr_abort)(struct ibv_qp_ex *qp); /* the last one of older headers */
	void (*wr_atomic_write)(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr,
				const void *value);
	void (*wr_flush)(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr, size_t len,
			 uint8_t type, uint8_t level);
};

static inline struct newer_qp_ex *newer_qp_ex(struct ibv_qp_ex *qp)
{
	return (struct newer_qp_ex *)(void *)&qp->wr_abort;
}

/* The names of the headers, which may have them. */
#define IBV_WC_FLUSH 8
#define IBV_WC_ATOMIC_WRITE 9
#define IBV_QP_EX_WITH_FLUSH (1 << 11)
#define IBV_QP_EX_WITH_ATOMIC_WRITE (1 << 12)
#define IBV_WR_FLUSH 14
#define IBV_WR_ATOMIC_WRITE 15
#define IBV_ACCESS_FLUSH_GLOBAL (1 << 8)
#define IBV_ACCESS_FLUSH_PERSISTENT (1 << 9)
#define IBV_FLUSH_GLOBAL 1
#define IBV_FLUSH_PERSISTENT 2
#define IBV_FLUSH_RANGE 0
#define IBV_FLUSH_MR 1

/* IB_UVERBS_DEVICE_FLUSH_GLOBAL and so on of the kernel, in device_cap_flags_ex */
#define NEWER_DEVICE_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define NEWER_DEVICE_FLUSH_PERSISTENT (UINT64_C(1) << 39)
#define NEWER_DEVICE_ATOMIC_WRITE (UINT64_C(1) << 40)
/* IBV_ODP_SUPPORT_FLUSH, IBV_ODP_SUPPORT_ATOMIC_WRITE */
#define NEWER_ODP_FLUSH (UINT32_C(1) << 6)
#define NEWER_ODP_ATOMIC_WRITE (UINT32_C(1) << 7)

#endif
