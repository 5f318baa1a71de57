/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The numbers that a loop reads: depths, batches, times, what its side does. */
#ifndef WORKER_NUMBERS_H
#define WORKER_NUMBERS_H

#include "loop/state.h"
#include "plan/role.h"
#include "worker/setup.h"

/* Fills w->fixed, w->live and w->control of a zeroed worker; opens and allocates nothing. */
void worker_numbers(struct worker *w, const struct worker_setup *in, enum role role);

#endif
