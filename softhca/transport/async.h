/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Async events: each context has a pipe, to which this process and its peers write them. */
#ifndef ASYNC_H
#define ASYNC_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/peer.h"
#include "base/shm.h"

struct ctx;

/* An event of a port of this context. */
void async_port(struct ctx *ctx, uint32_t port, enum ibv_event_type type);
/* An event of a QP of any process. */
void async_qp(struct peer *peer, const struct shm_qp *s, enum ibv_event_type type);
/* An event of a CQ or SRQ of any process; fd: descriptor of the pipe there, id: of the object. */
void async_object(struct peer *peer, int fd, enum ibv_event_type type, uint32_t id);

#endif
