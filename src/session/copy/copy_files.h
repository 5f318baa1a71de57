/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The file that the client reads, and the file that the server writes. */
#ifndef COPY_FILES_H
#define COPY_FILES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "copy/copy.h"

struct source {
	int fd; /* -1: closed */
	const char *path; /* borrowed */
	struct stat stat; /* when it was opened */
};

/* -errno with an error message; -EINVAL: it is not a regular file. */
int copy_source_open(struct source *s, const char *path) __attribute__((warn_unused_result));

/* Reads exactly len bytes. -EIO with an error message: the file is shorter by now; -errno. */
int copy_source_read(const struct source *s, uint64_t off, void *buf, size_t len)
	__attribute__((warn_unused_result));

/* After the last byte. -EIO with an error message: the file has changed since it was opened. */
int copy_source_check(const struct source *s) __attribute__((warn_unused_result));

void copy_source_close(struct source *s);

/*
 * The file that the server writes, below the directory that its owner has named. It has no name
 * until it is complete (O_TMPFILE), or where the file system cannot do that a temporary name beside
 * the target, which is removed on every error.
 */
struct target {
	const struct copy_file *file; /* borrowed */
	int dir;                      /* of the file; -1: closed */
	int fd;
	char base[NAME_MAX + 1];      /* its name in dir */
	uint64_t hinted;              /* bytes that the kernel was asked to write to the disk */
	char temporary[32];           /* of the file until it is complete; "": none */
};

/*
 * copy_quota.c: the most that the directory may have, all files below it counted, of whomever.
 * UINT64_MAX: no limit.
 */
struct copy_quota {
	uint64_t bytes, files;
};

/*
 * Is there room for one more file of so many bytes? Returns a descriptor: until it is closed, no
 * other session looks, and the file must then be there with its size. -EINVAL with an error
 * message.
 */
int copy_quota_enter(const char *dir, const struct copy_quota *most, uint64_t bytes)
	__attribute__((warn_unused_result));

/* Can files be written there? -errno with an error message. For the start of a server. */
int copy_target_check_dir(const char *dir) __attribute__((warn_unused_result));

/*
 * Opens a file for file->name below dir; most: NULL: no limit. No symbolic link is followed below
 * dir. -EINVAL with an error message: the name leaves dir, a directory is missing, the file exists
 * and is not to be overwritten, or there is no room for it, ...
 */
int copy_target_open(struct target *t, const char *dir, const struct copy_quota *most,
		     const struct copy_file *file)
	__attribute__((warn_unused_result));

/* The next part of the file. Blocks of zeros become holes. -errno with an error message. */
int copy_target_write(struct target *t, uint64_t off, const uint8_t *bytes, size_t len)
	__attribute__((warn_unused_result));

/* Brings the file to the disk and gives it its name. -errno with an error message. */
int copy_target_commit(struct target *t) __attribute__((warn_unused_result));

/* Removes what was not committed. Accepts a closed one. */
void copy_target_close(struct target *t);

#define TARGET_CLOSED { .dir = -1, .fd = -1 }

#endif
