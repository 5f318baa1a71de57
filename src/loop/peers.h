/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which peer a message is from, where several peers share a receive queue: by the QP number that
 * its completion has, in a table with open addressing. The table is built before the loop.
 */
#ifndef PEERS_H
#define PEERS_H

#include "loop/state.h"

/* Of the peers of the worker; qpn[i] names peer i. -errno with an error message. */
int peers_build(struct worker *w, const uint32_t *qpn) __attribute__((warn_unused_result));

void peers_free(struct worker *w);

/* A number that is not in its own place of the table. NULL: it is of no peer. */
__attribute__((noinline, pure)) struct peer *peers_search(const struct worker_share *share,
							   uint32_t qpn);

/* NULL: no peer has that number. */
static inline struct peer *peers_find(const struct worker_share *share, uint32_t qpn)
{
	const struct peers_slot *const slot = &share->table[qpn & share->mask];

	return __builtin_expect(slot->qpn == qpn, 1) ? slot->peer : peers_search(share, qpn);
}

/* What names the peer in the completion of a receive. */
static inline uint32_t peers_key(enum sharing sharing, const struct ibv_wc *wc)
{
	return sharing == SHARING_ONE_QP ? wc->src_qp : wc->qp_num;
}

/*
 * Of any completion of a receive, also a failed one, which may not name it: then one of those that
 * it can be. Not in the path of a message.
 */
struct peer *peers_of(const struct worker *w, const struct ibv_wc *wc);

#endif
