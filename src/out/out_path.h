/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A file of results by its path, before and without opening it: which file it is, whether it can
 * be written. And the calls of the system that every format needs. Nothing here creates a file.
 */
#ifndef OUT_PATH_H
#define OUT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Which file a path means, through all links. A file that does not exist yet is its directory and
 * its name.
 */
struct out_path {
	bool exists;
	struct stat st;      /* of the file, or of the directory that it would be in */
	char *path;          /* without links at its end; owned */
	const char *name;    /* the last part of path */
};

/*
 * "-" is standard output. -errno with an error message that begins with the path: the directory
 * does not exist, the path is none, or it is a link that belongs to another user (but root).
 * out_path_free() is due in every case.
 */
int out_path_find(struct out_path *f, const char *path) __attribute__((warn_unused_result));
void out_path_free(struct out_path *f);

/* Both are one file. Not of devices: /dev/null takes everything twice. */
bool out_path_same(const struct out_path *a, const struct out_path *b);

/*
 * May this process write the file, or create it? read: and read it. replace: its directory must
 * take a new file in any case. -errno with an error message. Touches nothing.
 */
int out_path_check(const struct out_path *f, bool read, bool replace)
	__attribute__((warn_unused_result));

/*
 * Opens what exists and is no regular file: a pipe, a device. Does not wait for a reader of a pipe:
 * -ENXIO. The descriptor, or -errno without an error message.
 */
int out_path_open_stream(const char *path) __attribute__((warn_unused_result));

/*
 * Writes all of it, in one write(2) where the system takes it. -errno without an error message;
 * *written is how much was written.
 */
int out_path_write(int fd, const char *text, size_t len, size_t *written)
	__attribute__((warn_unused_result));

/* "No such file or directory", and better words for a pipe that nobody reads. */
const char *out_path_strerror(int rc);

#endif
