/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Finds peers, when the loops have not found them at once; see state.h. */
#include "config.h"

#include "loop/state.h"

struct peer *state_peer_search(const struct worker_share *share, uint32_t qpn)
{
	for (uint32_t i = 0; i <= share->mask; i++) {
		struct peer *peer = state_peer_first(share, qpn + i);

		if (peer->qpn == qpn)
			return peer;
	}
	return NULL;
}

struct peer *state_peer(const struct worker *w, const struct ibv_wc *wc)
{
	struct peer *peer;

	if (w->share.sharing == SHARING_NONE)
		return state_recv(w, wc->wr_id)->peer;
	peer = state_peer_search(&w->share, state_peer_key(w->share.sharing, wc));
	return peer ? peer : w->fixed.peers;
}
