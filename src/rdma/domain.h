/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The domains of one thread: its protection domain, and where the device offers them a thread
 * domain and a parent domain of both, in which a provider leaves out the locks that only several
 * threads need (ibv_alloc_td(3), ibv_alloc_parent_domain(3), ibv_create_cq_ex(3)). Whoever uses
 * them keeps the promise: one thread at a time.
 */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "config/choices.h"

struct domain {
	struct ibv_pd *pd;      /* memory regions and address handles */
	struct ibv_td *td;      /* NULL: none */
	struct ibv_pd *parent;  /* of pd and td; NULL: none */
	unsigned int without;   /* enum locks bits: what has been granted so far */
};

/* What a CQ is to be. */
struct domain_cq {
	uint64_t entries;
	struct ibv_comp_channel *channel; /* NULL: none */
	bool extended; /* for ibv_start_poll(): byte_len, imm_data and vendor_err can be read */
	uint32_t vector; /* below the context's num_comp_vectors */
};

/*
 * wanted: enum locks bits to be tried; what the device refuses stays with locks, and is missing
 * from d->without. -errno when there is no protection domain either, without a sentence.
 */
int domain_open(struct domain *d, struct ibv_context *ctx, unsigned int wanted)
	__attribute__((warn_unused_result));

/*
 * A CQ, without locks if LOCKS_OFF_CQ is in d->without and the device will; else the bit goes. NULL
 * and errno when there is none with locks either.
 */
struct ibv_cq *domain_create_cq(struct domain *d, const struct domain_cq *want);

/*
 * A QP, in the parent domain if there is one and the device will; else the bit goes. As above. ops:
 * IBV_QP_EX_WITH_* to be posted by ibv_wr_*; 0: by ibv_post_send() alone. attr->cap is what it got.
 */
struct ibv_qp *domain_create_qp(struct domain *d, struct ibv_qp_init_attr *attr, uint64_t ops);

/* Which locks the device leaves out when asked to: by trying. Enum locks bits. */
unsigned int domain_probe(struct ibv_context *ctx);

/* Whether QPs of that type can be posted to by these of ibv_wr_*, IBV_QP_EX_WITH_*: by trying. */
bool domain_has_ops(struct ibv_context *ctx, enum ibv_qp_type type, uint64_t ops);

/* Whether CQs can be polled by ibv_start_poll() and so on: by trying. */
bool domain_has_extended(struct ibv_context *ctx);

/* All that was made in it is gone. Accepts a zeroed domain. */
void domain_close(struct domain *d);

#endif
