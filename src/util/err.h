/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sentence that goes with an error. The function that first knows the cause calls err_set();
 * its callers only hand the code on. One slot per thread. main or session prints it once, ctl
 * sends it to the peer, row puts it in the result.
 */
#ifndef ERR_H
#define ERR_H

#define ERR_TEXT_MAX 512

/*
 * Records the sentence (printf format, cut at ERR_TEXT_MAX; err_text() may be an argument) and
 * returns rc, a negative errno.
 */
int err_set(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The sentence of this thread, "" if none. Valid until the next err_set() or err_clear() of it. */
const char *err_text(void);

void err_clear(void);

#endif
