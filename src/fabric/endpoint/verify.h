/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Checks that the right bytes were moved. Buffers are filled before a point and checked after it,
 * never in the timed region. The check is of what the buffers hold at the end: the whole last
 * message in each buffer, piece by piece, and that nothing is between the pieces; with atomics the
 * final words, which depend on all requests.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdint.h>

#include "endpoint/ep.h"
#include "decide/plan.h"

struct verify {
	const struct ep *ep;
	const struct plan *plan;
	uint32_t first_slot;      /* of request 0 of each QP in its ring: ring_first() */
	enum side side;
	uint32_t first_qp;        /* of this ep among those of all threads: no two send the same */
	const uint64_t *sent;     /* per QP: requests of this side done; NULL none */
	const uint64_t *received; /* per QP: messages taken by receives; NULL none */
	const uint64_t *peer_sent; /* per QP: requests of the peer done; NULL none */
};

/*
 * Before the point: what this side sends or lets the peer read. first_qp: as above. -ENOMEM with an
 * error message.
 */
int verify_fill(const struct ep *ep, const struct plan *plan, enum side side, uint32_t first_qp)
	__attribute__((warn_unused_result));

/*
 * *checked: messages whose payload was checked, UINT64_MAX when this side checks none.
 * -EILSEQ with an error message: where, expected, got.
 */
int verify_check(const struct verify *v, uint64_t *checked) __attribute__((warn_unused_result));

#endif
