/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Device contexts: opening and closing a device. Called by api/. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <infiniband/verbs.h>

#include "objects/mode.h"

/* The normal mode: messages are carried by the transport. */
extern const struct mode context_normal_mode;

struct ibv_context *context_open(struct ibv_device *dev, const struct mode *mode);
/*
 * Waits until the messages on the link have arrived. A program may destroy the objects of a context
 * after it: as in the kernel, QPs are gone for their peers; the rest ends with the last object.
 */
int context_close(struct ibv_context *ctx);

#endif
