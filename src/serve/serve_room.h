/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which connection gives way to a new one: of those that sent no plan yet, the oldest of the host
 * that has most. A session never does. In the server's process.
 */
#ifndef SERVE_ROOM_H
#define SERVE_ROOM_H

#include "serve/serve_state.h"

/* gid: of the new host. One of s->children, borrowed; NULL: there is room. */
struct serve_process *serve_room_of(struct serve *s, const uint8_t gid[16]);

#endif
