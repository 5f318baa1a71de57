/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Files that other programs write at the same time, or that an earlier run wrote: their content is
 * never lost. It knows no row and no format.
 *
 * This header: a text file to which runs, sessions of a server and programs on other nodes append
 * lines. A line is one write(2) with O_APPEND under a lock, which is held only for that write. The
 * file is created together with its header line when the first line is written. Under the lock
 *   - the header, or the first line, must be of this version; otherwise no line is added;
 *   - an incomplete last line, left by a crash, is removed, and a note says so;
 *   - a line that was written in part (disk full) is removed again.
 *
 * The lock is flock(2) on the file itself. On NFS the kernel maps it to a lock of the server
 * (flock(2), NFS details; Linux 2.6.12), and rereads the file when it gets the lock, so writers on
 * several nodes do not disturb each other. Mounted with "nolock" or "local_lock=flock" (nfs(5)) it
 * is a lock of this node only; lines that two nodes write at once can then be lost, because
 * O_APPEND does not help on NFS (open(2)). On a file system without locks a note says so.
 *
 * A file that is not regular (a pipe, a device, "-" for standard output) has no lock. Its header is
 * written with the first line.
 */
#ifndef APPEND_H
#define APPEND_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

enum append_start {
	APPEND_ADD,    /* the content of the file stays */
	APPEND_ANEW,   /* the first line replaces a file of this kind, of any version */
	APPEND_FORCE   /* the first line replaces the file, whatever it is */
};

struct append;

/* The kind of lines. Constant. */
struct append_kind {
	const char *what;       /* "CSV" */
	const char *begins;     /* the first bytes of every file of this kind, of any version */
	const char *start_over; /* the option for APPEND_ANEW; NULL: none */
	/*
	 * May lines of this version follow first, the first line without its newline? NULL: yes;
	 * else the reason, written to text.
	 */
	const char *(*refuses)(const struct append *a, const char *first, char *text, size_t size);
};

/* Set the first fields, zero the others. */
struct append {
	const struct append_kind *kind;
	const char *path;    /* as given, borrowed */
	const char *head;    /* the header line with its newline, borrowed; NULL: none */
	const void *arg;     /* for kind->refuses */
	enum append_start start;
	bool open;           /* fd is valid */
	bool regular;
	bool begun;          /* a line or the header was written */
	bool unlocked;       /* the file system has no locks, and a note said so */
	int fd;
};

/*
 * Before anything runs: could a line be added? -errno with an error message that says what to do.
 * Changes nothing.
 */
int append_check(const struct append *a) __attribute__((warn_unused_result));

/*
 * Starts the file over now (APPEND_ANEW, APPEND_FORCE), for the sessions of a server, which then
 * append. To standard output it writes the header, because the sessions cannot look for it there.
 */
int append_prepare(struct append *a) __attribute__((warn_unused_result));

/*
 * Adds a line; its last byte is its newline. -errno with an error message: the line is not in the
 * file, but the next one may be tried.
 */
int append_line(struct append *a, const char *line) __attribute__((warn_unused_result));

/* -errno with an error message: the file system reports only now that a write failed. */
int append_close(struct append *a) __attribute__((warn_unused_result));

#endif
