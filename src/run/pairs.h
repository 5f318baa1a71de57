/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Several pairs of devices at the same time: a session for each, on a thread of its own, with a
 * common start. Rows go out when all pairs have ended: one of each pair, and their total.
 */
#ifndef RUN_PAIRS_H
#define RUN_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"
#include "run/pairs_list.h"
#include "session/session.h"

struct pairs;

/*
 * list: borrowed until pairs_close(). sink: where everything goes, from one thread at a time; its
 * row gets each row, and no points and endpoints. -errno with an error message.
 */
int pairs_open(struct pairs **pairs, const struct pairs_list *list, const struct session_sink *sink)
	__attribute__((warn_unused_result));

/* Closes the sessions. NULL is accepted. */
void pairs_close(struct pairs *pairs);

/*
 * Connects the pairs that are not connected. -errno with an error message that names a pair: then
 * none is connected, and nothing has run.
 */
int pairs_connect(struct pairs *pairs, const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * Measures one plan on all pairs; they are connected. cfg: that of each, but for hosts and devices.
 * Returns and sets *end as session_run() does, for all pairs together: refused if one is refused,
 * then none has run. The error message names the pair; others that failed by themselves are logged.
 * *end is SESSION_FAILED and 0 is returned: all rows are there, and one of them is not ok. After an
 * error, and after SESSION_FAILED, pairs_connect() is due before the next plan.
 */
int pairs_run(struct pairs *pairs, const struct cfg *cfg, enum session_end *end)
	__attribute__((warn_unused_result));

#endif
