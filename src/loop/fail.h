/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What stopped a loop. The loops and their helpers record the first failure here and return -EIO;
 * worker_result.c makes an error message of it after the loop.
 */
#ifndef FAIL_H
#define FAIL_H

#include "loop/state.h"

#define FAIL_COLD __attribute__((cold, noinline, warn_unused_result))

/* All record the failure and return -EIO. err: a positive errno. */
FAIL_COLD int fail_set(struct worker *w, enum fail_what what, int err, uint32_t qp);

/* One of these n completions of that queue has a bad status or a wrong length. */
FAIL_COLD int fail_wc(struct worker *w, const struct ibv_wc *wc, int n, enum fail_cq cq);

/* rc: what the post or the poll returned. */
FAIL_COLD int fail_post(struct worker *w, const struct send_queue *sq, int rc);
FAIL_COLD int fail_poll(struct worker *w, int rc, enum fail_cq cq);

#endif
