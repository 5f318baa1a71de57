/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The error message of each thread. The function that knows the cause first calls err_set(); its
 * callers return the code. commands prints the message once, session sends it to the
 * peer and puts it into the row.
 */
#ifndef ERR_H
#define ERR_H

#define ERR_TEXT_MAX 512
#define ERR_CAUSE_MAX 24

/*
 * Sets the message (printf format, cut at ERR_TEXT_MAX; err_text() may be an argument) and returns
 * rc, a negative errno.
 */
int err_set(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The same, with the cause: a name, cut at ERR_CAUSE_MAX, by which code tells it: remedy_name(), or
 * a word of causes_names (check/causes.h). err_set() keeps it if its message has the last one in
 * it.
 */
int err_set_cause(int rc, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Of a call that has failed: -errno, or -EIO if it has set none. Set errno to 0 before the call. */
int err_code(void);

/* The message of this thread, "" if none. Valid until its next err_set() or err_clear(). */
const char *err_text(void);

/* The cause of this message, "" if none is named. Valid as long. */
const char *err_cause(void);

/* Both, for who does something else before the error is told. */
struct err {
	char text[ERR_TEXT_MAX], cause[ERR_CAUSE_MAX];
};
struct err err_keep(void);
void err_restore(const struct err *err);

void err_clear(void);

#endif
