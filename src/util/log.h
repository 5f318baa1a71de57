/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages for people: one line each on standard error, "verbench: " in front. Never results. */
#ifndef LOG_H
#define LOG_H

/* What a user should know and what is no error: a server waits, a client was refused. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Name put in front of every line (the name the program was called by); not copied. */
void log_name(const char *name);

#endif
