/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The file that the client reads. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct source {
	int fd; /* -1: closed */
	const char *path; /* borrowed */
	struct stat stat; /* when it was opened */
};

/* -errno with an error message; -EINVAL: it is not a regular file. */
int source_open(struct source *s, const char *path) __attribute__((warn_unused_result));

/* Reads exactly len bytes. -EIO with an error message: the file is shorter by now; -errno. */
int source_read(const struct source *s, uint64_t off, void *buf, size_t len)
	__attribute__((warn_unused_result));

/* After the last byte. -EIO with an error message: the file has changed since it was opened. */
int source_check(const struct source *s) __attribute__((warn_unused_result));

void source_close(struct source *s);

#endif
