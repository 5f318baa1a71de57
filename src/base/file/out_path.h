/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The path of a results file, examined without opening it: which file it is and whether it can be
 * written. Also the system calls that every format needs, and the lock of a file between programs:
 * flock(2) on the file itself; append.h describes its limits on NFS. Nothing here creates a file.
 */
#ifndef OUT_PATH_H
#define OUT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The file that a path means, after all links are followed. A file that does not exist yet is
 * identified by its directory and name.
 */
struct out_path {
	bool exists;
	struct stat st;      /* of the file, or of the directory it would be created in */
	char *path;          /* with the links at its end resolved; owned */
	const char *name;    /* the last component of path */
};

/*
 * "-" is standard output. -errno with an error message that begins with the path: the directory
 * does not exist, the path is invalid, or it is a link that belongs to another user (except root).
 * Call out_path_free() in every case.
 */
int out_path_find(struct out_path *f, const char *path) __attribute__((warn_unused_result));
void out_path_free(struct out_path *f);

/* Are both the same file? False for devices: /dev/null can be given twice. */
bool out_path_same(const struct out_path *a, const struct out_path *b);

/*
 * May this process write the file, or create it? read: also read it. replace: its directory must
 * allow a new file in any case. -errno with an error message. Changes nothing.
 */
int out_path_check(const struct out_path *f, bool read, bool replace)
	__attribute__((warn_unused_result));

/*
 * Opens an existing file that is not regular: a pipe, a device; "-": standard output, which the
 * caller does not close. Does not wait for a reader of a pipe: -ENXIO. Returns the descriptor, or
 * -errno without an error message.
 */
int out_path_open_stream(const char *path) __attribute__((warn_unused_result));

/* Reads size bytes from this offset, fewer if the file ends. -errno without an error message. */
ssize_t out_path_read(int fd, char *text, size_t size, off_t at);

/*
 * Writes all of it, in one write(2) if the system accepts that, to standard output after the text
 * already printed. -errno without an error message; *written is the number of bytes written.
 */
int out_path_write(int fd, const char *text, size_t len, size_t *written)
	__attribute__((warn_unused_result));

/* strerror(), with a clearer text for a pipe without a reader. */
const char *out_path_strerror(int rc);

/* Sets the message "write WHAT to PATH: REASON"; what: "CSV". Returns rc. */
int out_path_fail(int rc, const char *what, const char *path);

/*
 * Waits for the lock of a file, up to 2 s. *none: the file system has no locks; one note said so.
 * -errno with an error message.
 */
int out_lock(int fd, const char *path, const char *what, bool *none)
	__attribute__((warn_unused_result));
void out_unlock(int fd, bool none);

/* Is fd the file at path? False if another program has replaced or removed it. */
bool out_is_current(int fd, const char *path);

/* ---- out_replace.c: a file whose readers see either the old content or all of the new one */

/*
 * Writes a new file beside path and renames it to path when it is complete. A file that is not
 * regular ("-" is standard output, a pipe, a device) is written directly. -errno without an error
 * message (out_path_strerror()); errors of the path itself, such as -EINVAL, with one.
 */
int out_replace(const char *path, const char *text, size_t len)
	__attribute__((warn_unused_result));

/* The first bytes of a file that may be replaced. Constant. */
struct out_replace_kind {
	const char *what;    /* "page of verbench": for messages */
	const char *begins;
	size_t len;          /* of begins, which may hold any bytes */
};

/*
 * Before anything is computed: could the file be written? A file of another kind is refused, unless
 * force is set or it is empty. -errno with an error message. Changes nothing.
 */
int out_replace_check(const char *path, const struct out_replace_kind *kind, bool force)
	__attribute__((warn_unused_result));

/*
 * For a path that does not end in a link: the link itself would be replaced. The new file has the
 * permissions of the old one, and is on disk before the rename. -errno without an error message:
 * path is unchanged.
 */
int out_replace_file(const char *path, const char *text, size_t len)
	__attribute__((warn_unused_result));

/* The same, but only this user may read and write the new file: 0600 less the umask. */
int out_replace_private(const char *path, const char *text, size_t len)
	__attribute__((warn_unused_result));

/*
 * Removes lines from a file to which other programs may append (append.h): under its lock the file
 * is read whole, and replaced by the lines that stay. Set all fields.
 */
struct out_edit {
	const char *what;    /* "CSV" */
	const char *path;
	/*
	 * text has *len bytes, followed by a '\0'. 0: the file stays as it is. 1: text, with the
	 * new *len, replaces it. -errno with an error message: nothing is changed.
	 */
	int (*change)(void *arg, char *text, size_t *len);
	void *arg;
};

/* The file must be regular and exist. -errno with an error message: the file is unchanged. */
int out_edit(const struct out_edit *edit) __attribute__((warn_unused_result));

#endif
