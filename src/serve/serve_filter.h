/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Keeps hosts that flood away from the listening sockets, in the kernel: their SYN is dropped by a
 * filter of the socket (socket(7), SO_ATTACH_FILTER), before a connection is made.
 */
#ifndef SERVE_FILTER_H
#define SERVE_FILTER_H

#include "serve/serve_listen.h"
#include "access/strangers.h"

/* Sets or removes the filter, as s says. Where there is none, connections are closed instead. */
void serve_filter_set(const struct serve_listen *l, const struct strangers *s);

/* The socket of an accepted connection has the filter of its listener: removes it. */
void serve_filter_drop(int fd);

#endif
