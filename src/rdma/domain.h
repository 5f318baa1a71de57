/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The domains of one thread: its protection domain, and, if the device supports them, a thread
 * domain and a parent domain of both. For objects in a thread domain a provider leaves out locks
 * that only several threads need (ibv_alloc_td(3), ibv_alloc_parent_domain(3),
 * ibv_create_cq_ex(3)). The caller promises that one thread at a time uses the objects.
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
	unsigned int without;   /* enum locks bits: the locks that are left out so far */
};

/* The CQ to create. */
struct domain_cq {
	uint64_t entries;
	struct ibv_comp_channel *channel; /* NULL: none */
	bool extended; /* for ibv_start_poll(): byte_len, imm_data and vendor_err can be read */
	uint64_t wc_flags; /* extended: IBV_WC_EX_* to be read besides these */
	uint32_t vector; /* below the context's num_comp_vectors */
};

/*
 * wanted: enum locks bits to try; those that the device refuses are missing from d->without.
 * -errno, without an error message, if the protection domain cannot be created.
 */
int domain_open(struct domain *d, struct ibv_context *ctx, unsigned int wanted)
	__attribute__((warn_unused_result));

/*
 * Creates a CQ: without locks if LOCKS_OFF_CQ is in d->without and the device agrees, else with
 * locks, and the bit is cleared. NULL and errno if neither can be created.
 */
struct ibv_cq *domain_create_cq(struct domain *d, const struct domain_cq *want);

/*
 * Creates a QP: in the parent domain if there is one and the device agrees, else outside, and
 * LOCKS_OFF_QP is cleared. ops: IBV_QP_EX_WITH_* of the requests that ibv_wr_* posts; 0: a QP for
 * ibv_post_send() only. attr->cap: the capabilities that the QP got. NULL and errno as above.
 */
struct ibv_qp *domain_create_qp(struct domain *d, struct ibv_qp_init_attr *attr, uint64_t ops);

/* Which locks the device can leave out, enum locks bits. Tries it. */
unsigned int domain_probe(struct ibv_context *ctx);

/* Can QPs of that type be created with these send operations, IBV_QP_EX_WITH_*? Tries it. */
bool domain_has_ops(struct ibv_context *ctx, enum ibv_qp_type type, uint64_t ops);

/* Can the size of a CQ (extended: for ibv_start_poll()) be changed? Tries it. */
bool domain_can_resize(struct ibv_context *ctx, bool extended);

/* Can CQs be created for ibv_start_poll()? Tries it. */
bool domain_has_extended(struct ibv_context *ctx);

/* All objects in it are destroyed before. Accepts a zeroed domain. */
void domain_close(struct domain *d);

#endif
