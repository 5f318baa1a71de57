/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Path migration (APM) of the QPs of an endpoint over RC: the alternate path leads from another
 * port of this device to another port of the peer's. Both sides load it and ask for REARM; a QP
 * becomes ARMED when messages of both directions have shown that the other side is ready; then one
 * side asks for MIGRATED, and the other one follows with the next message. Sources:
 * ibv_modify_qp(3), InfiniBand Architecture Specification vol. 1, 17.2.8.
 */
#ifndef APM_H
#define APM_H

#include <stdbool.h>
#include <stdint.h>

#include "ep/ep.h"

/*
 * Fills ep->addr.alt_gid and alt_lid: the GID of the alternate port that is of the same type,
 * family and scope as that of the path. -EINVAL with an error message: there is none.
 */
int apm_address(struct ep *ep, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/* The QPs are in RTS: loads the alternate path to peer, and asks for REARM. Errors of verbs. */
int apm_load(struct ep *ep, const struct plan *plan, const struct ep_addr *peer)
	__attribute__((warn_unused_result));

/* 1: every QP is armed, or has migrated already; 0: not yet; or errors of verbs. */
int apm_ready(const struct ep *ep) __attribute__((warn_unused_result));

/* Asks every QP for MIGRATED; those that have migrated stay. Errors of verbs. */
int apm_migrate(struct ep *ep) __attribute__((warn_unused_result));

#endif
