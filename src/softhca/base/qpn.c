/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The directory of QP numbers; see qpn.h. A number is its index, and above that its generation. */
#include "config.h"
#include "base/qpn.h"

#include <errno.h>

#include "base/hca.h"
#include "base/lock.h"

int qpn_new(uint32_t qp_idx, uint32_t *qpn)
{
	struct shm_fabric *f = hca.fabric;
	int rc = -ENOMEM;

	lock_take(&f->lock);
	for (uint32_t n = 0; n < SHM_QPNS - SHM_QPN_FIRST; n++) {
		uint32_t i = SHM_QPN_FIRST + f->next_qpn++ % (SHM_QPNS - SHM_QPN_FIRST);

		if (atomic_load(&f->dir[i]))
			continue;
		f->dir_gen[i]++;
		*qpn = (uint32_t)f->dir_gen[i] << 16 | i;
		atomic_store(&f->dir[i], UINT64_C(1) << 63 | (uint64_t)f->dir_gen[i] << 40 |
			     (uint64_t)hca.gen << 24 | (uint64_t)hca.slot << 16 | qp_idx);
		rc = 0;
		break;
	}
	lock_drop(&f->lock);
	return rc;
}

void qpn_free(uint32_t qpn)
{
	atomic_store(&hca.fabric->dir[qpn & 0xffff], 0);
}

uint64_t qpn_find(uint32_t qpn)
{
	uint32_t i = qpn & 0xffff;
	uint64_t dir;

	if (i < SHM_QPN_FIRST || i >= SHM_QPNS)
		return 0;
	dir = atomic_load_explicit(&hca.fabric->dir[i], memory_order_acquire);
	return ((dir >> 40) & 0xff) == qpn >> 16 ? dir : 0;
}

void qpn_free_slot(uint32_t slot)
{
	for (uint32_t i = 0; i < SHM_QPNS; i++) {
		uint64_t dir = atomic_load_explicit(&hca.fabric->dir[i], memory_order_relaxed);

		if (dir && qpn_slot(dir) == slot)
			atomic_store(&hca.fabric->dir[i], 0);
	}
}
