/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What receives for an endpoint whose QPs only send (XRC, DC): for each of them a QP that only
 * receives, with an SRQ of its own, so that receives and credits are per QP, as over RC. Called by
 * ep.c.
 *
 * XRC: a domain, XRC_RECV QPs and their SRQs. The peer's XRC_SEND QP i is connected with XRC_RECV
 * QP i, and names SRQ i in each request. DC: DCTs. The peer's DCI i names DCT i in each request.
 *
 * Sources: ibv_open_xrcd(3), ibv_create_srq_ex(3), ibv_create_qp_ex(3), InfiniBand Architecture
 * Specification vol. 1, annex A14; mlx5dv_create_qp(3).
 */
#ifndef HALVES_H
#define HALVES_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "config/kind.h"

struct halves {
	struct ibv_xrcd *xrcd; /* XRC */
	struct ibv_srq **srqs; /* NULL: none */
	uint32_t *srqns;       /* XRC: their numbers; else 0 */
	struct ibv_qp **qps;
	uint32_t n;            /* of each */
};

struct halves_want {
	enum transport tp;
	struct ibv_pd *pd;     /* of the memory that requests reach */
	struct ibv_cq *cq;     /* of the receives */
	uint32_t n;
	uint32_t receives;     /* per SRQ; 0: none, the SRQ is only needed */
	uint32_t sges;         /* per receive */
	uint64_t dc_key;       /* DC: what requests to the DCTs must have */
};

/*
 * Makes room for all. Errors of verbs, also of halves_make(), with an error message; halves_close()
 * then closes the rest.
 */
int halves_open(struct halves *h, const struct halves_want *want)
	__attribute__((warn_unused_result));

/* Creates SRQ and QP i: the caller may tell its peer between them that it lives. */
int halves_make(struct halves *h, const struct halves_want *want, uint32_t i)
	__attribute__((warn_unused_result));

/* QP i, before halves_close(). False: there is none. Accepts as that does. */
bool halves_destroy_qp(struct halves *h, uint32_t i);

/* Before the CQ and the PD are destroyed. Accepts a zeroed or half-opened one. */
void halves_close(struct halves *h);

#endif
