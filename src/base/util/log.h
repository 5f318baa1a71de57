/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Messages for people: one line each on standard error, prefixed with "verbench: ". Never results.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>

/* Information that is not an error: a server waits, a client was refused. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line that is a record: of any length, and not counted by log_serve(). False: it is lost; the
 * caller counts it.
 */
bool log_record(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A status line on the terminal that the next one replaces, cut to 79 characters. Does nothing if
 * standard error is not a terminal. log_note() and log_error() erase it.
 */
bool log_has_status(void);
void log_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases the status line: call it before writing to standard output. */
void log_status_end(void);

/*
 * From now on a line never waits: this program is a server, and the reader of its standard error
 * may have stopped. All its processes together write at most per_second lines per second (0: no
 * limit); a child process inherits the limit. A line that cannot be written at once, or exceeds the
 * limit, is only counted, and the next line that is written gives the number of those. A second
 * call changes only per_second. -errno with an error message.
 */
int log_serve(uint32_t per_second) __attribute__((warn_unused_result));
bool log_serves(void); /* was log_serve() called? Then nothing else may wait either. */

/* Are there dropped lines whose number was not written yet? The second one tries to write it. */
bool log_has_dropped(void);
void log_tell_dropped(void);

/* Prefix of every line (the name the program was called by); not copied. */
void log_name(const char *name);

#endif
