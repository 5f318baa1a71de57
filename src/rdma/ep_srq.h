/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The shared receive queue of an endpoint: all its QPs take their receives from it. Its events come
 * on the async channel of the device, which dev_async() reads: it counts them in ep->srq_events.
 */
#ifndef EP_SRQ_H
#define EP_SRQ_H

#include <stdint.h>

#include "rdma/ep.h"

/*
 * Creates ep->srq for so many receives of sges buffers each; ep->domain is open. Errors, each with an
 * error message: -EINVAL if the device has less room, else those of verbs.
 */
int ep_srq_open(struct ep *ep, uint64_t receives, uint32_t sges)
	__attribute__((warn_unused_result));

/*
 * Asks for one event when fewer than limit receives are left; after the receives are posted, and
 * again after each event. 0: for none. Does nothing without an SRQ. Errors of verbs, with an error
 * message.
 */
int ep_srq_arm(struct ep *ep, uint32_t limit) __attribute__((warn_unused_result));

/*
 * After an error, before ep_close(): takes the QPs to the error state, waits until each has taken
 * its last receive (IBV_EVENT_QP_LAST_WQE_REACHED), and takes the completions that are left. A QP
 * that is destroyed before could leave a receive of the SRQ half used: IBA vol. 1, 10.2.9.4. The
 * wait ends after 100 ms: the rxe driver of Linux 6.1 never raises the event. Does nothing without
 * an SRQ.
 */
void ep_srq_drain(struct ep *ep);

/* All QPs are destroyed before. Accepts an ep without an SRQ. */
void ep_srq_close(struct ep *ep);

#endif
