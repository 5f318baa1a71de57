/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages for people: one line each on standard error, "verbench: " in front. Never results. */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

/* What a user should know and what is no error: a server waits, a client was refused. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line on the terminal that the next one replaces, cut to 79 characters. Nothing when standard
 * error is no terminal. What log_note() and log_error() print erases it.
 */
bool log_has_status(void);
void log_status(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases it: before anything is written to standard output. */
void log_status_end(void);

/* Name put in front of every line (the name the program was called by); not copied. */
void log_name(const char *name);

#endif
