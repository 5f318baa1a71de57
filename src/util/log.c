/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the lines on standard error. Called from anywhere outside the measured loops. Must not touch
 * standard output: that is for results.
 */
#include "config.h"
#include "util/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_LINE_MAX 1024

#define STATUS_MAX 80
#define ERASE "\r\033[K" /* ECMA-48: EL, erase in line */

static const char *log_prefix = "verbench";
static _Atomic bool status_shown; /* sessions of several threads write */

/*
 * The whole line in one write(2): the sessions of a server are processes that share the file, and
 * with an unbuffered stdio stream their lines could mix.
 */
__attribute__((format(printf, 1, 0)))
static void log_line(const char *fmt, va_list ap)
{
	const size_t erase = status_shown ? strlen(ERASE) : 0;
	const int saved = errno;
	char line[LOG_LINE_MAX];
	size_t len;
	int n;

	n = snprintf(line, sizeof(line), "%s%s: ", status_shown ? ERASE : "", log_prefix);
	status_shown = false;
	len = n < 0 ? 0 : (size_t)n;
	if (len > sizeof(line) / 2)
		len = sizeof(line) / 2;
	n = vsnprintf(line + len, sizeof(line) - len - 1, fmt, ap);
	if (n > 0)
		len += (size_t)n;
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	/* a message may quote a peer, and this may be a terminal */
	for (size_t i = erase; i < len; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == '\x7f')
			line[i] = '?';
	line[len++] = '\n';
	/* there is no place to report a lost message */
	if (write(STDERR_FILENO, line, len) < 0)
		errno = 0;
	errno = saved;
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(fmt, ap);
	va_end(ap);
}

bool log_has_status(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb"));
}

void log_status(const char *fmt, ...)
{
	char text[STATUS_MAX], line[sizeof(ERASE) + STATUS_MAX];
	va_list ap;

	if (!log_has_status())
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), ERASE "%s", text);
	status_shown = write(STDERR_FILENO, line, strlen(line)) > 0;
}

void log_status_end(void)
{
	if (status_shown && write(STDERR_FILENO, ERASE, strlen(ERASE)) < 0)
		errno = 0; /* there is no place to report it */
	status_shown = false;
}

void log_name(const char *name)
{
	log_prefix = name;
}
