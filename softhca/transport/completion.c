/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The producers of a CQ; see completion.h. An overrun puts the CQ into error. */
#include "config.h"
#include "transport/completion.h"

#include <stddef.h>
#include <string.h>

#include "base/alive.h"
#include "base/arena.h"
#include "base/hca.h"
#include "base/lock.h"
#include "transport/async.h"

static void overrun(struct peer *peer, struct shm_cq *cq)
{
	bool first = !cq->overrun;

	cq->overrun = 1;
	lock_drop_shared(&cq->lock);
	if (!first)
		return;
	async_object(peer, cq->async_fd, IBV_EVENT_CQ_ERR, cq->id);
	peer_report_error(peer);
}

/*
 * Without a lock: this side writes the entry and then reads armed; the program arms the CQ and then
 * reads the entries. Each side has a full barrier in between, so one of them sees the other.
 */
void completion_notify(struct peer *peer, struct shm_cq *cq, bool solicited)
{
	uint32_t armed, id = cq->id, writer = hca.self;

	atomic_thread_fence(memory_order_seq_cst);
	armed = atomic_load_explicit(&cq->armed, memory_order_relaxed);
	if (armed < SHM_ARM_SOLICITED || (armed == SHM_ARM_SOLICITED && !solicited))
		return;
	if (!atomic_compare_exchange_strong(&cq->armed, &armed, writer))
		return;
	atomic_fetch_add_explicit(&hca.fabric->irq[cq->dev % SHM_DEVS][cq->vector % SHM_VECTORS],
				  1, memory_order_relaxed);
	peer_write(peer, cq->event_fd, &id, sizeof(id));
	/* not if the program has armed the CQ again */
	atomic_compare_exchange_strong(&cq->armed, &writer, SHM_ARM_NONE);
}

void completion_peer_died(uint32_t slot, uint32_t gen)
{
	struct peer *self = peer_get(hca.slot, hca.gen);

	if (!self)
		return;
	pthread_mutex_lock(&hca.mutex);
	for (uint32_t i = 0; i < SHM_CQS; i++) {
		struct shm_cq *cq = &hca.arena->cq[i];
		uint32_t id, writer = alive_as_owner(slot, gen);

		if (!arena_has_cq(i) ||
		    !atomic_compare_exchange_strong(&cq->armed, &writer, SHM_ARM_NONE))
			continue;
		id = cq->id;
		peer_write(self, cq->event_fd, &id, sizeof(id));
	}
	pthread_mutex_unlock(&hca.mutex);
	peer_put(self);
}

static struct shm_cqe *entry(struct peer *peer, const struct shm_cq *cq, uint32_t i)
{
	return hca_in(peer->arena, cq->ring + (uint64_t)(i & cq->mask) * sizeof(struct shm_cqe),
		      sizeof(struct shm_cqe));
}

/* False: the lock was taken from this process, and the entry belongs to another producer. */
static bool commit(struct shm_cq *cq, struct shm_cqe *c, uint32_t head)
{
	if (!lock_is_held(&cq->lock))
		return false;
	atomic_store_explicit(&c->seq, head + 1, memory_order_release);
	cq->head = head + 1;
	return true;
}

void completion_push(struct peer *peer, uint32_t idx, const struct shm_cqe *cqe, bool solicited)
{
	struct shm_cq *cq = &peer->arena->cq[idx % SHM_CQS];
	struct shm_cqe *to;
	uint32_t head;

	lock_take_shared(&cq->lock);
	head = cq->head;
	to = entry(peer, cq, head);
	if (to && atomic_load_explicit(&to->seq, memory_order_relaxed) == head + 1) {
		/* a producer died after it wrote this entry, and before it wrote head */
		head++;
		to = entry(peer, cq, head);
	}
	if (!to || !lock_is_held(&cq->lock)) {
		lock_drop_shared(&cq->lock);
		return;
	}
	if (cq->overrun ||
	    head - atomic_load_explicit(&cq->tail, memory_order_acquire) >= cq->cap) {
		cq->head = head;
		overrun(peer, cq);
		return;
	}
	memcpy(to, cqe, offsetof(struct shm_cqe, seq));
	if (!commit(cq, to, head))
		return;
	lock_drop_shared(&cq->lock);
	if (cq->event_fd >= 0)
		completion_notify(peer, cq, solicited || cqe->status);
}
