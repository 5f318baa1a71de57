/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What receives for an endpoint over XRC: a domain, and for each QP of the endpoint an XRC_RECV QP
 * with an SRQ of its own. The peer's XRC_SEND QP i is connected with XRC_RECV QP i, and names SRQ i
 * in each request, so that receives and credits are per QP, as over RC. Called by ep.c.
 *
 * Sources: ibv_open_xrcd(3), ibv_create_srq_ex(3), ibv_create_qp_ex(3), InfiniBand Architecture
 * Specification vol. 1, annex A14.
 */
#ifndef XRC_H
#define XRC_H

#include <stdint.h>
#include <infiniband/verbs.h>

struct xrc {
	struct ibv_xrcd *xrcd;
	struct ibv_srq **srqs; /* NULL: no XRC */
	uint32_t *srqns;       /* their numbers */
	struct ibv_qp **qps;
	uint32_t n;            /* of both */
};

struct xrc_want {
	struct ibv_pd *pd;     /* of the memory that requests reach */
	struct ibv_cq *cq;     /* of the receives */
	uint32_t n;
	uint32_t receives;     /* per SRQ; 0: none, the SRQ only names the memory */
	uint32_t sges;         /* per receive */
};

/* Creates all objects. Errors of verbs, with an error message; xrc_close() then closes the rest. */
int xrc_open(struct xrc *x, const struct xrc_want *want) __attribute__((warn_unused_result));

/* Before the CQ and the PD are destroyed. Accepts a zeroed or half-opened one. */
void xrc_close(struct xrc *x);

#endif
