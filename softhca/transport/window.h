/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Binding and invalidating memory windows. A type 1 window is bound by ibv_bind_mw(3), gets a new
 * key each time and belongs to its PD. A type 2 (2B) window is bound by a work request to a key
 * that the program chooses, and belongs to the QP that it was bound on (IBA vol. 1, 10.6.7).
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "transport/object.h"

/*
 * Executes a bind request. Of the request: raddr, bind_len and bind_access describe the window,
 * rkey is its new key.
 */
enum ibv_wc_status window_bind(struct qp *qp, const struct wqe *w);
/* Executes a local invalidate request. */
enum ibv_wc_status window_invalidate(struct qp *qp, uint32_t key);
/* The same for a QP of any process; 0 or -EINVAL. */
int window_invalidate_remote(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key);
/* The window gives access to nothing, and its region can be deregistered. */
void window_unbind(struct shm_arena *arena, struct shm_mr *s);

#endif
