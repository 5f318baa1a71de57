/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Writes completions to the CQ of any process. objects/cq.h reads them. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/peer.h"
#include "base/shm.h"

/* Adds an entry to the CQ of that index in the arena of the peer, with its completion event. */
void completion_push(struct peer *peer, uint32_t idx, const struct shm_cqe *cqe, bool solicited);
/* Raises the completion event if the CQ is armed. The entry must have been written before. */
void completion_notify(struct peer *peer, struct shm_cq *cq, bool solicited);
/* A peer is dead: raises the events of this process that it was about to write. */
void completion_peer_died(uint32_t slot, uint32_t gen);

#endif
