/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder verbs: how verbs are called and what their codes, versions and drivers mean; it has no
 * device of its own.
 *
 * This header: the two ways to post requests and the two ways to poll completions, with one
 * signature each, so that the loops are the same for both. The first way of each is the provider's
 * function and costs the loops nothing; the others are here.
 */
#ifndef API_H
#define API_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "config/choices.h"
#include "config/kind.h"

/*
 * As ibv_post_send(3) and ibv_poll_cq(3): 0 or an errno, with *bad the first request not posted;
 * the number of completions or negative. Of a completion wr_id, status and vendor_err are valid,
 * and for api_poll_came() byte_len and imm_data.
 */
typedef int api_post_fn(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad);
typedef int api_poll_fn(struct ibv_cq *cq, int n, struct ibv_wc *wc);

/*
 * For requests of this opcode, with so many SGEs at most (0, 1, more), on qp, which was made with
 * api_send_ops(): never NULL.
 */
api_post_fn *api_post(enum apis_post api, const struct ibv_qp *qp, enum opcode op, uint32_t sges);

/*
 * For CQs of completions of requests, and of receives; made as domain.h says for that api. With
 * sharing the numbers of the QPs are valid, too: qp_num, or src_qp of SHARING_ONE_QP.
 */
api_poll_fn *api_poll_sent(enum apis_poll api, const struct ibv_cq *cq);
api_poll_fn *api_poll_came(enum apis_poll api, const struct ibv_cq *cq, enum sharing sharing);

/*
 * IBV_QP_EX_WITH_* that a QP needs for requests of this opcode and for credit messages (transports
 * that send them carry them); 0: an ordinary QP will do. ibv_create_qp_ex(3).
 */
uint64_t api_send_ops(enum apis_post api, enum opcode op);

/* The same for binds of memory windows; those of type 1 are not posted. */
uint64_t api_bind_ops(enum apis_post api, enum mw_type type);

#endif
