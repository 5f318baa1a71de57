/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The directory of QP numbers in the fabric: which process has the QP of a number, and at which
 * index of its table. An entry has a generation, so that an old number does not find a new QP.
 */
#ifndef QPN_H
#define QPN_H

#include <stdint.h>

#include "base/shm.h"

/* A number for the QP at this index of the table of this process; 0 or -ENOMEM. */
int qpn_new(uint32_t qp_idx, uint32_t *qpn);
void qpn_free(uint32_t qpn);
/* The directory entry of a QP number; 0: there is no such QP. */
uint64_t qpn_find(uint32_t qpn);
/* Frees the numbers of all QPs of a slot; under the lock of the fabric. */
void qpn_free_slot(uint32_t slot);

/* A directory entry: index of the QP, slot and generation of its process, its own generation. */
static inline uint64_t qpn_dir(uint32_t qp_idx, uint32_t slot, uint32_t gen, uint8_t dir_gen)
{
	return UINT64_C(1) << 63 | (uint64_t)dir_gen << (32 + SHM_SLOT_BITS) |
	       (uint64_t)gen << (16 + SHM_SLOT_BITS) | (uint64_t)slot << 16 | qp_idx;
}

static inline uint32_t qpn_slot(uint64_t dir)
{
	return (dir >> 16) & SHM_SLOT_MASK;
}

static inline uint32_t qpn_gen(uint64_t dir)
{
	return (dir >> (16 + SHM_SLOT_BITS)) & 0xffff;
}

/* The generation of the entry, which is in the number, too. */
static inline uint32_t qpn_dir_gen(uint64_t dir)
{
	return (dir >> (32 + SHM_SLOT_BITS)) & 0xff;
}

static inline uint32_t qpn_qp(uint64_t dir)
{
	return dir & 0xffff;
}

#endif
