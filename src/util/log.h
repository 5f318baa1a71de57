/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages for people: one line each on standard error, "verbench: " in front. Never results. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>

/* What a user should know and what is no error: a server waits, a client was refused. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line that is a record: of any length, and log_serve() does not count it. False: it is lost; the
 * caller counts it.
 */
bool log_record(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line on the terminal that the next one replaces, cut to 79 characters. Nothing when standard
 * error is no terminal. What log_note() and log_error() print erases it.
 */
bool log_has_status(void);
void log_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases it: before anything is written to standard output. */
void log_status_end(void);

/*
 * From now on a line never waits: this program is a server, and whoever reads its standard error
 * may have stopped. Of all its processes together at most per_second lines are written in a second
 * (0: any number); a child process inherits it. A line that nobody takes at once, or that is one
 * too many, is only counted, and the next line that is written is the number of those. Again: only
 * per_second changes. -errno with an error message.
 */
int log_serve(uint32_t per_second) __attribute__((warn_unused_result));
bool log_serves(void); /* was it called? Then nothing else may wait either. */

/* Are there lines that are only counted? Tries to write their number. */
bool log_has_dropped(void);
void log_tell_dropped(void);

/* Name put in front of every line (the name the program was called by); not copied. */
void log_name(const char *name);

#endif
