/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The file that the server writes, below the directory that its owner has named. It has no name
 * until it is complete (O_TMPFILE), or where the file system cannot do that a temporary name beside
 * the target, which is removed on every error.
 */
#ifndef TARGET_H
#define TARGET_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "copy/copy.h"

struct target {
	const struct copy_file *file; /* borrowed */
	int dir;                      /* of the file; -1: closed */
	int fd;
	char base[NAME_MAX + 1];      /* its name in dir */
	uint64_t hinted;              /* bytes that the kernel was asked to write to the disk */
	char temporary[32];           /* of the file until it is complete; "": none */
};

/* Can files be written there? -errno with an error message. For the start of a server. */
int target_check_dir(const char *dir) __attribute__((warn_unused_result));

/*
 * Opens a file for file->name below dir. No symbolic link is followed below dir. -EINVAL with an
 * error message: the name leaves dir, a directory is missing, the file exists and is not to be
 * overwritten, or there is no room for it, ...
 */
int target_open(struct target *t, const char *dir, const struct copy_file *file)
	__attribute__((warn_unused_result));

/* The next part of the file. Blocks of zeros become holes. -errno with an error message. */
int target_write(struct target *t, uint64_t off, const uint8_t *bytes, size_t len)
	__attribute__((warn_unused_result));

/* Brings the file to the disk and gives it its name. -errno with an error message. */
int target_commit(struct target *t) __attribute__((warn_unused_result));

/* Makes a temporary name. -errno with an error message. */
int target_temporary(struct target *t) __attribute__((warn_unused_result));

/* Removes what was not committed. Accepts a closed one. */
void target_close(struct target *t);

#define TARGET_CLOSED { .dir = -1, .fd = -1 }

#endif
