/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where a server listens, and which addresses may connect: options --bind and --allow. A server
 * that stays up listens on loopback only unless --key or --allow says who may ask.
 */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/ranges.h"
#include "config/cfg.h"

#define SERVE_LISTEN_MAX 16u

struct serve_listen {
	uint32_t n;                 /* 0: no more connections are accepted */
	int fds[SERVE_LISTEN_MAX];
	bool limited;               /* allow has who may connect; false: everybody */
	bool stays;                 /* a server of many clients */
	struct ranges allow;
};

/*
 * What the options say; opens nothing. stays: a server of many clients. -EINVAL with an error
 * message. --bind is read by serve_listen_open().
 */
int serve_listen_prepare(struct serve_listen *l, const struct cfg *cfg, bool stays)
	__attribute__((warn_unused_result));

/* Listens. -errno with an error message, and nothing is open. After serve_listen_prepare(). */
int serve_listen_open(struct serve_listen *l, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/*
 * In place of it: n descriptors from first on, which a service manager has opened. --bind and
 * --port are not read. -EINVAL with an error message: one is no listening socket of TCP, or nothing
 * says who may ask.
 */
int serve_listen_adopt(struct serve_listen *l, const struct cfg *cfg, int first, uint32_t n)
	__attribute__((warn_unused_result));

/* --allow anew, for those who come. -EINVAL with an error message: nothing has changed. */
int serve_listen_allow(struct serve_listen *l, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/* The port of all listeners; 0: there is none. */
uint32_t serve_listen_port(const struct serve_listen *l);

void serve_listen_close(struct serve_listen *l);

/*
 * Accepts a connection of listener i, non-blocking; peer_gid: its address, IPv4 mapped. The
 * descriptor, or without an error message -EACCES: it was closed, as --allow does not have it; or
 * another -errno of accept(2).
 */
int serve_listen_accept(const struct serve_listen *l, uint32_t i, uint8_t peer_gid[16])
	__attribute__((warn_unused_result));

/*
 * "port 18515 of 127.0.0.1 and ::1": the end of the log line. Returns text.
 */
const char *serve_listen_text(const struct serve_listen *l, const struct cfg *cfg, char *text,
			      size_t size);

/* Only programs of this host can connect, as no option says who else may. */
bool serve_listen_only_here(const struct serve_listen *l, const struct cfg *cfg);

#endif
