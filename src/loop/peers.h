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

/*
 * The peer in that number's own place of the table, which has another number if it is not the one:
 * then peers_search() finds it.
 */
static inline struct peer *peers_first(const struct worker_share *share, uint32_t qpn)
{
	return share->table[qpn & share->mask];
}

/* NULL: no peer has that number. */
__attribute__((noinline, pure)) struct peer *peers_search(const struct worker_share *share,
							   uint32_t qpn);

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
