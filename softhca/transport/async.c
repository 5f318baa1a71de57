/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Writes async events; see async.h. objects/event.c reads them. */
#include "config.h"
#include "transport/async.h"

#include <unistd.h>

#include "transport/object.h"

void async_port(struct ctx *ctx, uint32_t port, enum ibv_event_type type)
{
	struct shm_async e = { .type = type, .id = port };
	ssize_t n = write(ctx->async_out, &e, sizeof(e));

	(void)n; /* the pipe is full: the program does not read its events */
}

void async_object(struct peer *peer, int fd, enum ibv_event_type type, uint32_t id)
{
	struct shm_async e = { .type = type, .id = id };

	peer_write(peer, fd, &e, sizeof(e));
}

void async_qp(struct peer *peer, const struct shm_qp *s, enum ibv_event_type type)
{
	async_object(peer, s->async_fd, type, s->id);
}
