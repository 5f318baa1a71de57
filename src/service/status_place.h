/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where the Unix socket of a server's status is: serve-PORT.sock in a directory of mode 0700 of the
 * server's user. The directory is the first of $RUNTIME_DIRECTORY (systemd.exec(5)), /run/verbench
 * of root, $XDG_RUNTIME_DIR/verbench, /tmp/verbench-UID.
 */
#ifndef STATUS_PLACE_H
#define STATUS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Listens, non-blocking, with mode 0600; makes the directory, and replaces the socket of a server
 * that is gone. path: size characters. -errno with an error message: the directory is not safe, or
 * another server has the socket.
 */
int status_place_listen(int *fd, char *path, size_t size, uint32_t port)
	__attribute__((warn_unused_result));

/*
 * Connects to it within timeout_ms (-ETIMEDOUT: a server is there and does not accept), and blocks.
 * -EPERM: others than its user could have made the socket. -errno with an error message.
 */
int status_place_connect(int *fd, uint32_t port, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/* Is the program at the other end of the connection of the server's user, or of root? */
bool status_place_is_owner(int fd);

#endif
