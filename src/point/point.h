/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder point: the steps of one point: endpoints, connections, start, the monitor of the running
 * loops, results. It prints nothing and does not know which point comes next.
 *
 * This header: one point on one side, from new endpoints to the results of both sides. Order of
 * messages (docs/protocol.md): endpoint to the server, endpoint to the client, ready, go, [sent,
 * stop, heartbeat]..., done to the server, done to the client.
 */
#ifndef POINT_H
#define POINT_H

#include "point/point_state.h"

/*
 * How long a side may send nothing, not even a heartbeat, while it sets up or verifies this point:
 * the stall timeout, and 10 ms for each MB of test memory that is mapped, touched, registered or
 * compared.
 */
uint32_t point_silence_ms(const struct plan *plan, const struct point *point);

/*
 * How long it may take to make or end all QPs of this point, however often a heartbeat comes:
 * PLAN_QP_MS for each besides.
 */
uint32_t point_setup_ms(const struct plan *plan, const struct point *point);

/*
 * first: the client's first endpoint message, which the server received before; borrowed. NULL on
 * the client. 0 when both sides have a result, good or bad; else the first error with an error
 * message, and out holds what was measured so far.
 */
int point_run(const struct point_in *in, const json_t *first, struct point_out *out)
	__attribute__((warn_unused_result));

/* What point_run() has put into out; also after an error. */
void point_out_free(struct point_out *out);

#endif
