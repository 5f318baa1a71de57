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

/*
 * Sets the message (printf format, cut at ERR_TEXT_MAX; err_text() may be an argument) and returns
 * rc, a negative errno.
 */
int err_set(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The message of this thread, "" if none. Valid until its next err_set() or err_clear(). */
const char *err_text(void);

void err_clear(void);

#endif
