/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of peers by QP number; see peers.h. */
#include "config.h"

#include "loop/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "util/err.h"

#define FREE_QPN UINT32_MAX /* QP numbers have 24 bits: IBA vol. 1, 9.2 */
#define LEAST_SLOTS 4u
#define SPREAD 4u /* slots per peer: devices number QPs in a row, which then have no collision */

int peers_build(struct worker *w, const uint32_t *qpn)
{
	struct worker_share *share = &w->share;
	uint32_t slots = LEAST_SLOTS;

	while (slots < SPREAD * w->fixed.n_qps)
		slots *= 2;
	share->table = calloc(slots, sizeof(*share->table));
	if (!share->table)
		return err_set(-ENOMEM, "cannot allocate a table of %u peers", w->fixed.n_qps);
	share->mask = slots - 1;
	for (uint32_t i = 0; i < slots; i++)
		share->table[i].qpn = FREE_QPN;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		uint32_t at = qpn[i] & share->mask;

		while (share->table[at].qpn != FREE_QPN)
			at = (at + 1) & share->mask;
		share->table[at] = (struct peers_slot){ .qpn = qpn[i], .peer = &w->fixed.peers[i] };
	}
	return 0;
}

void peers_free(struct worker *w)
{
	free(w->share.table);
	w->share.table = NULL;
}

struct peer *peers_search(const struct worker_share *share, uint32_t qpn)
{
	const struct peers_slot *slot = &share->table[qpn & share->mask];

	/* most slots are free, so a row of others ends */
	for (uint32_t at = qpn; slot->qpn != FREE_QPN; slot = &share->table[++at & share->mask])
		if (slot->qpn == qpn)
			return slot->peer;
	return NULL;
}

struct peer *peers_of(const struct worker *w, const struct ibv_wc *wc)
{
	struct peer *peer;

	if (w->share.sharing == SHARING_NONE)
		return state_recv(w, wc->wr_id)->peer;
	peer = peers_find(&w->share, peers_key(w->share.sharing, wc));
	return peer ? peer : w->fixed.peers;
}
