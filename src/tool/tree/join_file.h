/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The file of --join, where the root says where it listens, one line:
 *
 *   verbench mesh 1 HOST:PORT JOB
 *
 * It is never seen half written. A root that was killed leaves it behind: then JOB says that it is
 * of another run, or nobody answers there. JOB is one word from the environment, of the launcher or
 * VERBENCH_JOB; "-", not known, is that of any run.
 */
#ifndef JOIN_FILE_H
#define JOIN_FILE_H

#include <stdbool.h>

#include "options/hosts.h"

/*
 * Before anything runs: can there be such a file? writes: this process may write it, and replaces
 * with force a file of something else. -errno, -EINVAL with an error message.
 */
int join_file_check(const char *path, bool writes, bool force)
	__attribute__((warn_unused_result));

/* The root listens: *line is owned then. -errno with an error message. */
int join_file_write(const char *path, const struct hosts_one *own, char **line)
	__attribute__((warn_unused_result));
/* At its end, if it still has this line, which is freed. Accepts NULL. */
void join_file_remove(const char *path, char *line);

/*
 * -errno with an error message: there is none yet, it is of another job (-ESTALE), or it is
 * something else (-EINVAL).
 */
int join_file_read(const char *path, struct hosts_one *root) __attribute__((warn_unused_result));

#endif
