/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --like: the defaults of options as another tool has them, so that figures can be laid beside its
 * figures. An option that the user gives counts as given.
 */
#ifndef LIKE_H
#define LIKE_H

#include "config/cfg.h"

/*
 * Replaces each auto for which the other tool has a fixed default. Does nothing with --like none.
 * Does not change given. The two below have no such place in struct cfg.
 */
void like_defaults(struct cfg *cfg);

/* Bytes of buffers that messages of a QP walk over; one buffer if that is more. 0: --like none. */
uint64_t like_qp_bytes(enum like like);

/* The most that a latency test sends inline; UINT32_MAX: --like none. */
uint32_t like_inline_bytes(enum like like, enum family family, enum transport tp);

#endif
