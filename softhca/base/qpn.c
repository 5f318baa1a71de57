/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The directory of QP numbers; see qpn.h. A number is its index, and above that its generation. */
#include "config.h"
#include "base/qpn.h"

#include <errno.h>

#include "base/hca.h"
#include "base/lock.h"

/* Takes the entry, also while a process that lost the lock goes on with the same one. */
static bool take(uint32_t i, uint32_t qp_idx, uint32_t *qpn)
{
	struct shm_fabric *f = hca.fabric;
	uint8_t gen = (uint8_t)(f->dir_gen[i] + 1);
	uint64_t free = 0;

	*qpn = (uint32_t)gen << 16 | i;
	if (!atomic_compare_exchange_strong(&f->dir[i], &free,
					    qpn_dir(qp_idx, hca.slot, hca.gen, gen)))
		return false;
	f->dir_gen[i] = gen;
	return true;
}

int qpn_new(uint32_t qp_idx, uint32_t *qpn)
{
	struct shm_fabric *f = hca.fabric;
	int rc = -ENOMEM;

	lock_take_shared(&f->lock);
	for (uint32_t n = 0; rc && n < SHM_QPNS - SHM_QPN_FIRST; n++) {
		uint32_t i = SHM_QPN_FIRST + f->next_qpn++ % (SHM_QPNS - SHM_QPN_FIRST);

		if (!atomic_load(&f->dir[i]) && take(i, qp_idx, qpn))
			rc = 0;
	}
	lock_drop_shared(&f->lock);
	return rc;
}

void qpn_free(uint32_t qpn)
{
	if ((qpn & 0xffff) < SHM_QPNS)
		atomic_store(&hca.fabric->dir[qpn & 0xffff], 0);
}

uint64_t qpn_find(uint32_t qpn)
{
	uint32_t i = qpn & 0xffff;
	uint64_t dir;

	if (i < SHM_QPN_FIRST || i >= SHM_QPNS)
		return 0;
	dir = atomic_load_explicit(&hca.fabric->dir[i], memory_order_acquire);
	return qpn_dir_gen(dir) == qpn >> 16 ? dir : 0;
}

void qpn_free_slot(uint32_t slot)
{
	for (uint32_t i = 0; i < SHM_QPNS; i++) {
		uint64_t dir = atomic_load_explicit(&hca.fabric->dir[i], memory_order_relaxed);

		if (dir && qpn_slot(dir) == slot)
			atomic_compare_exchange_strong(&hca.fabric->dir[i], &dir, 0);
	}
}
