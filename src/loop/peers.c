/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of peers by QP number; see peers.h. */
#include "config.h"

#include "loop/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "util/err.h"

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
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		uint32_t at = qpn[i] & share->mask;

		while (share->table[at])
			at = (at + 1) & share->mask;
		w->fixed.peers[i].qpn = qpn[i];
		share->table[at] = &w->fixed.peers[i];
	}
	/* so that the loop need not look for NULL: no key of a free slot is that of peer 0 */
	for (uint32_t i = 0; i < slots; i++)
		if (!share->table[i])
			share->table[i] = w->fixed.peers;
	return 0;
}

void peers_free(struct worker *w)
{
	free(w->share.table);
	w->share.table = NULL;
}

struct peer *peers_search(const struct worker_share *share, uint32_t qpn)
{
	for (uint32_t i = 0; i <= share->mask; i++) {
		struct peer *peer = peers_first(share, qpn + i);

		if (peer->qpn == qpn)
			return peer;
	}
	return NULL;
}

struct peer *peers_of(const struct worker *w, const struct ibv_wc *wc)
{
	struct peer *peer;

	if (w->share.sharing == SHARING_NONE)
		return state_recv(w, wc->wr_id)->peer;
	peer = peers_search(&w->share, peers_key(w->share.sharing, wc));
	return peer ? peer : w->fixed.peers;
}
