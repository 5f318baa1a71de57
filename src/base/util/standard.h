/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The descriptors 0 to 2: makes sure that they are open, and writes to them without waiting for the
 * reader. It knows neither the log nor results. The open file description of a descriptor may be
 * shared with other programs (a terminal, the pipe of a script), so its flags are never changed:
 * O_NONBLOCK is set on a description of this program alone.
 */
#ifndef STANDARD_H
#define STANDARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Call first in a program: opens /dev/null on each closed descriptor of 0 to 2, so that no other
 * file gets the number and with it the program's output. It is opened in the wrong direction: reads
 * and writes still fail as before. -errno.
 */
int standard_open(void) __attribute__((warn_unused_result));

/*
 * Opens the pipe or terminal at fd again, non-blocking, under the same number. Where that is not
 * allowed (a pipe of another user), fd stays as it is: standard_write() then polls before it
 * writes, and blocks only if another program fills the pipe in between.
 */
void standard_unshare(int fd);

/*
 * Bytes written, without waiting; -EAGAIN: fd accepts nothing now; -errno. A pipe accepts 4096 or
 * none.
 */
ssize_t standard_write(int fd, const char *text, size_t len);

/* Waits until standard_write() may succeed, at most wait_ms. -ETIMEDOUT, -errno. */
int standard_wait(int fd, uint32_t wait_ms);

/*
 * A stream on fd in which a write waits at most wait_ms; then its text is lost, and later writes do
 * not wait until fd accepts data again. late is called for the first lost text. NULL: no memory.
 * The stream lives as long as the program.
 */
FILE *standard_stream(int fd, uint32_t wait_ms, void (*late)(void));

#endif
