/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Works around a defect of Soft-iWARP (siw). Its kernel driver tells the library at which offset of
 * the device file a queue is to be mapped. The kernel (rdma_user_mmap_entry_insert_range() in
 * drivers/infiniband/core/ib_core_uverbs.c) gives the first free offset of the context, and the
 * library takes offset 0x90000 for "no offset" (SIW_INVAL_UOBJ_KEY in rdma/siw-abi.h, looked at by
 * siw_create_qp() and siw_create_cq() in providers/siw/siw.c of rdma-core). So the queue that
 * happens to lie there cannot be created, and errno is 0: 16 QPs with 512 receives each end at
 * QP 5. A CQ that begins at 0 and holds this offset, 1 MiB, is created before all other objects,
 * which lie above it then.
 */
#ifndef DEV_SIW_H
#define DEV_SIW_H

#include <infiniband/verbs.h>

/*
 * NULL on another device than siw (driver: that of struct limits), and after a failure, which is
 * only noted: most tests run without.
 */
struct ibv_cq *dev_siw_open(struct ibv_context *ctx, const char *driver);

/* After all other objects are destroyed, before the context is closed. Accepts NULL. */
void dev_siw_close(struct ibv_cq *cq);

#endif
