/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The memory windows of an endpoint (--mw): one per QP, over the buffers of that QP. The region
 * grants no remote right then; the windows do.
 *
 * A window is bound by a request on its QP, which must be connected before; but the peer must know
 * the R_Key before it connects. So the key that the window will have is announced: for type 2 the
 * program chooses it (ibv_post_send(3)), and for type 1 all providers take the next one, as
 * ibv_inc_rkey() gives it; if one does not, ep_mw_bind() says so.
 */
#ifndef EP_MW_H
#define EP_MW_H

#include "ep/ep.h"

/*
 * Allocates the windows if plan and side want some, and announces their keys in ep->addr. QPs and
 * memory are open. Errors of verbs, with an error message.
 */
int ep_mw_open(struct ep *ep, const struct plan *plan, enum side side)
	__attribute__((warn_unused_result));

/*
 * Binds them and waits for the completions. The QPs are in RTS, and nothing is posted to them. -EIO
 * or -ETIMEDOUT with an error message.
 */
int ep_mw_bind(struct ep *ep, const struct plan *plan) __attribute__((warn_unused_result));

/* Before the QPs and the memory: a QP of rxe with a bound window of type 2 is not destroyed. */
void ep_mw_close(struct ep *ep);

#endif
