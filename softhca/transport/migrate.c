/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Path migration; see migrate.h. */
#include "config.h"
#include "transport/migrate.h"

#include "base/lock.h"
#include "transport/async.h"

void migrate_reset(struct shm_qp *s)
{
	s->path.port = 1;
	s->path.alt_port = 0;
	s->path.failed = 0;
	atomic_store(&s->path.state, IBV_MIG_MIGRATED);
	atomic_store(&s->path.migrations, 0);
}

/* Both sides want to be armed. */
static void arm(struct shm_qp *s)
{
	uint32_t rearm = IBV_MIG_REARM;

	atomic_compare_exchange_strong(&s->path.state, &rearm, IBV_MIG_ARMED);
}

/* Under the lock of the QP: what peers see of the alternate path. False: it is not armed. */
static bool migrate(struct peer *peer, struct shm_qp *s)
{
	uint32_t armed = IBV_MIG_ARMED;

	if (!s->path.alt_port ||
	    !atomic_compare_exchange_strong(&s->path.state, &armed, IBV_MIG_MIGRATED))
		return false;
	s->path.port = s->path.alt_port;
	s->path.alt_port = 0;
	atomic_fetch_add(&s->path.migrations, 1);
	async_qp(peer, s, IBV_EVENT_PATH_MIG);
	return true;
}

bool migrate_accepts(struct remote *r, const struct msg *m, uint32_t port)
{
	struct shm_path *path = &r->s->path;

	if (port == path->port) {
		if (m->mig_state != IBV_MIG_MIGRATED)
			arm(r->s);
		return true;
	}
	if (m->mig_state != IBV_MIG_MIGRATED)
		return false; /* sent before its sender learned of the migration */
	if (port == path->alt_port && migrate(r->peer, r->s))
		return true;
	/* a QP that waits for the peer to be ready cannot follow it */
	if (atomic_load(&path->state) == IBV_MIG_REARM && !path->failed) {
		path->failed = 1;
		async_qp(r->peer, r->s, IBV_EVENT_PATH_MIG_ERR);
	}
	return false;
}

void migrate_follow_slow(struct qp *qp)
{
	struct ibv_qp_attr *a = &qp->attr;

	qp->migrations = atomic_load(&qp->s->path.migrations);
	a->ah_attr = a->alt_ah_attr;
	a->port_num = a->alt_port_num;
	a->pkey_index = a->alt_pkey_index;
	a->timeout = a->alt_timeout;
	a->alt_port_num = 0;
	qp->port = hca_port(hca.slot, qp->s->dev, a->port_num);
}

bool migrate_now(struct qp *qp)
{
	bool done;

	lock_take_shared(&qp->s->lock);
	done = migrate(qp->self, qp->s);
	lock_drop_shared(&qp->s->lock);
	migrate_follow(qp);
	return done;
}

void migrate_request(struct qp *qp, enum ibv_mig_state state)
{
	if (state == IBV_MIG_MIGRATED && migrate_now(qp))
		return;
	lock_take_shared(&qp->s->lock);
	qp->s->path.failed = 0;
	atomic_store(&qp->s->path.state, state);
	lock_drop_shared(&qp->s->lock);
}

void migrate_arm(struct qp *qp)
{
	if (atomic_load(&qp->s->path.state) == IBV_MIG_REARM &&
	    atomic_load(&qp->dest.s->path.state) != IBV_MIG_MIGRATED)
		arm(qp->s);
}
