/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Diagnostics: one line each on standard error, "verbench: " in front. Results never pass here. */
#ifndef LOG_H
#define LOG_H

/* For the person who runs it: waiting, turned away, not undone. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Name put in front of every line (the name the program was called by); not copied. */
void log_name(const char *name);

#endif
