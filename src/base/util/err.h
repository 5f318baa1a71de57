/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The error message of each thread. The function that detects an error calls err_set(); its callers
 * return the code. The commands print the message once; a session sends it to the peer and writes
 * it into the row.
 */
#ifndef ERR_H
#define ERR_H

#include <stddef.h>

#define ERR_TEXT_MAX 512
#define ERR_CAUSE_MAX 24
#define ERR_SIDE_MAX 8
#define ERR_SEE_MAX 192
#define ERR_ADVICE_MAX 256
#define ERR_OPTION_MAX 40

/*
 * Sets the message (printf format, cut at ERR_TEXT_MAX; err_text() may be an argument) and returns
 * rc, a negative errno.
 */
int err_set(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Like err_set(), and records a machine-readable cause: remedy_name(), or a name of enum
 * check_cause (check/check.h), cut at ERR_CAUSE_MAX.
 */
int err_set_cause(int rc, const char *cause, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts a prefix and ": " in front of the last message, which keeps its cause. The prefix is cut at
 * half of ERR_TEXT_MAX; no argument may be err_text(). Returns rc.
 */
int err_wrap(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "on the SIDE, " in front of the last message: the side that failed. Returns rc. */
int err_on_side(int rc, const char *side);

/* Adds advice to the last message; err_text() appends it. Returns rc. */
int err_advise(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Sets a message about an option of the command line, "-r (--recv-depth)": it begins with this
 * name, and a blank unless fmt begins with ":". The side that has the command line replaces it by
 * the name that the user typed (options/label.h). Returns rc.
 */
int err_option(int rc, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with advice: "allowed: RC, UD". Returns -EINVAL. */
int err_refuse(const char *option, const char *advice, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts another name of the option into the message of this thread, which is about one. */
void err_rename(const char *option);

/*
 * The code of a failed call: -errno, or -EIO if errno is not set. Set errno to 0 before the call.
 */
int err_code(void);

/*
 * The message of this thread with its advice, "" if none. Valid until its next err_set() or
 * err_text().
 */
const char *err_text(void);

/* The cause of this message, "" if none. Valid until the next err_set(). */
const char *err_cause(void);

/* A saved error, for callers that do something else before they print it. */
struct err {
	char text[ERR_TEXT_MAX];     /* without the fields below */
	char see[ERR_SEE_MAX];       /* a command that shows the cause; "": none */
	char advice[ERR_ADVICE_MAX]; /* "remedy: ...", "allowed: ..."; "": none */
	char cause[ERR_CAUSE_MAX];
	char side[ERR_SIDE_MAX];     /* err_on_side(); "": none */
	char option[ERR_OPTION_MAX]; /* err_option(): the text at bare begins with it; "": none */
	size_t said;                 /* offset in text of the peer's own message; 0: no peer */
	size_t bare;                 /* offset of the message without its prefixes */
};
struct err err_keep(void);
void err_restore(const struct err *err);

/* The whole message, as err_text() returns it. Returns text. */
const char *err_tell(const struct err *err, char text[ERR_TEXT_MAX]);

void err_clear(void);

#endif
