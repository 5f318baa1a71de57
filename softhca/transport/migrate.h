/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Automatic path migration of connected QPs (IBA vol. 1, 17.2.8). A QP has an alternate path, and a
 * state: REARM after the program asked for it, ARMED when a message has shown that the peer is
 * ready too, MIGRATED at the start and after a migration. A QP that is armed goes over to its
 * alternate path
 *   - when the program asks for it,
 *   - when its retries are used up, as with a port that is down,
 *   - when a message of the peer comes that has migrated.
 * Each of these raises IBV_EVENT_PATH_MIG. A message on another port is dropped. If its sender has
 * migrated and the QP is not armed yet, it raises IBV_EVENT_PATH_MIG_ERR, once.
 *
 * The responder runs in the process of the peer, and changes only what is shared (struct shm_path);
 * the owner follows before it next sends.
 */
#ifndef MIGRATE_H
#define MIGRATE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/message.h"
#include "transport/object.h"

/* The QP has port 1, no alternate path, and the state MIGRATED. */
void migrate_reset(struct shm_qp *s);

/*
 * The responder, under the lock of the QP: whether a message on this port is on the path of the QP.
 * Arms the QP, or migrates it.
 */
bool migrate_accepts(struct remote *r, const struct msg *m, uint32_t port);

/* All below: under the lock of the send queue. */

/* The program asks for REARM or MIGRATED. */
void migrate_request(struct qp *qp, enum ibv_mig_state state);
/* Goes over to the alternate path. False: the QP is not armed. */
bool migrate_now(struct qp *qp);
/* The peer has executed a request: it may be ready. */
void migrate_arm(struct qp *qp);
void migrate_follow_slow(struct qp *qp);

/* Takes over what messages of the peer have changed. */
static inline void migrate_follow(struct qp *qp)
{
	if (__builtin_expect(atomic_load_explicit(&qp->s->path.migrations, memory_order_acquire) !=
			     qp->migrations, 0))
		migrate_follow_slow(qp);
}

#endif
