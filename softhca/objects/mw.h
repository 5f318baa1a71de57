/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Memory windows: allocating them, and ibv_bind_mw(3). */
#ifndef MW_H
#define MW_H

#include <infiniband/verbs.h>

struct ibv_mw *mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type);
int mw_dealloc(struct ibv_mw *mw);
/* ibv_bind_mw(3): posts the bind request of a type 1 window. */
int mw_post_bind(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

#endif
