/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Processes join the fabric one at a time, under the join lock, which the kernel releases when its
 * holder is done or dead. A process that has joined leaves an empty file in the meeting place
 * (place.h) whose name says where its descriptor of the fabric is. The next process that joins
 * removes those of dead processes.
 *
 * A holder that is stopped keeps the lock for JOIN_HOLD_NS, and no longer: then the others pass it
 * by, and it begins anew when it goes on. One that is not stopped may have no CPU: among a thousand
 * busy processes for seconds. It keeps the lock for JOIN_LATE_NS.
 */
#ifndef JOIN_H
#define JOIN_H

#include <stdbool.h>
#include <stdint.h>

/* Joining takes milliseconds. */
#define JOIN_HOLD_NS UINT64_C(3000000000)
#define JOIN_LATE_NS UINT64_C(30000000000)

/* The join lock, while this process has it. */
struct join {
	int dir, file;
	uint32_t turn; /* counts the holders that were passed by */
};

/* Waits for the lock; 0 or -errno. -ETIMEDOUT: others had it for two minutes. */
int join_begin(struct join *j);
/* Whether nobody has passed this process by. */
bool join_is_held(const struct join *j);
/*
 * Calls found() with the process and the descriptor of each member until it returns 0, and returns
 * whether it did. A file is removed if found() returns -ENOENT or -EPERM.
 */
bool join_each(const struct join *j, int (*found)(int pid, int fd));
/* From now on others find this process. 0 or -errno. */
int join_publish(const struct join *j, int fd);
void join_end(struct join *j);
/* The process ends: removes its file. */
void join_leave(int fd);

#endif
