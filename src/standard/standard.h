/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder standard: the descriptors 0 to 2. It knows neither the log nor results.
 *
 * This header: that they are there, and writing to them without waiting for whoever reads. The open
 * file description of a descriptor may be shared with other programs (a terminal, the pipe of a
 * script), so its flags are never changed: a description of its own has O_NONBLOCK.
 */
#ifndef STANDARD_H
#define STANDARD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * First of all in a program: what is closed of 0 to 2 becomes /dev/null, so that no other file gets
 * the number and with it what is printed. It is opened the wrong way round: as before, what is read
 * or written there fails. -errno.
 */
int standard_open(void) __attribute__((warn_unused_result));

/*
 * A pipe or a terminal at fd is opened once more, non-blocking, and takes the number. Where that is
 * not allowed (a pipe of another user), fd stays as it is: standard_write() then asks before it
 * writes, and waits only if another program fills the pipe between the two.
 */
void standard_unshare(int fd);

/* Bytes written, at once; -EAGAIN: fd takes nothing now; -errno. A pipe takes 4096 or none. */
ssize_t standard_write(int fd, const char *text, size_t len);

/* Waits until standard_write() may succeed, wait_ms at most. -ETIMEDOUT, -errno. */
int standard_wait(int fd, uint32_t wait_ms);

/*
 * A stream on fd in which a write waits wait_ms at most; then its text is lost, and the next writes
 * do not wait until fd takes something again. late is called for the first text that is lost. NULL:
 * no memory. It and its state live as long as the program.
 */
FILE *standard_stream(int fd, uint32_t wait_ms, void (*late)(void));

#endif
