/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder out: files that others write at the same time, or that an earlier run has written: what is
 * in them is not lost. It knows no row and no format.
 *
 * This header: a file of lines, to which runs, sessions of a server and programs on other nodes
 * add. A line is one write(2) with O_APPEND under a lock, which is held only for that write. The
 * file is created with its first line, and with its header line. Under the lock
 *   - the header, or the first line, must be of this version: another one gets no line;
 *   - what a crash left behind the last newline is cut off, and a note says so;
 *   - a line that was written in part (the disk is full) is cut off again.
 *
 * The lock is flock(2) on the file itself. On NFS the kernel makes it a lock of the server
 * (flock(2), NFS details; Linux 2.6.12), and takes what others have written when it gets the lock,
 * so writers on several nodes do not disturb each other. Mounted with "nolock" or "local_lock=flock"
 * (nfs(5)) it is a lock of this node only; lines that two nodes write at once can then be lost, for
 * O_APPEND is no help on NFS (open(2)). Where there are no locks at all, a note says so.
 *
 * What is no regular file (a pipe, a device, "-" for standard output) has no lock. Its header is
 * written with the first line.
 */
#ifndef APPEND_H
#define APPEND_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

enum append_start {
	APPEND_ADD,    /* what is in the file stays */
	APPEND_ANEW,   /* the first line replaces a file of this kind, of any version */
	APPEND_FORCE   /* the first line replaces it, whatever it is */
};

struct append;

/* What the lines are. Constant. */
struct append_kind {
	const char *what;       /* "CSV" */
	const char *begins;     /* every file of this kind begins so, of any version */
	const char *start_over; /* the option for APPEND_ANEW, NULL: there is none */
	/*
	 * first: the first line without its newline. May lines of this version follow? NULL: yes;
	 * or why not, written to text.
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
	bool begun;          /* a line was written, or the header */
	bool unlocked;       /* the file system has no locks, and a note said so */
	int fd;
};

/*
 * Before anything runs: could a line be added? -errno with an error message that says what to do.
 * Touches nothing.
 */
int append_check(const struct append *a) __attribute__((warn_unused_result));

/*
 * Starts the file over now (APPEND_ANEW, APPEND_FORCE), for the sessions of a server: they then
 * add. Writes the header to standard output, which has no other place to know it from.
 */
int append_prepare(struct append *a) __attribute__((warn_unused_result));

/*
 * Adds a line; its newline is its last byte. -errno with an error message: it is not in the file.
 * The next one may be tried.
 */
int append_line(struct append *a, const char *line) __attribute__((warn_unused_result));

/* -errno with an error message: the file system reports only now that something is not written. */
int append_close(struct append *a) __attribute__((warn_unused_result));

#endif
