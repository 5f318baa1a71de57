/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the message of the last error and its cause, one per thread. Called by the function that
 * knows the cause first; read by main, ctl and row. Must not print.
 */
#include "config.h"
#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* So much of a message is in one that goes on with it, also if that is cut. */
#define PART 100

static _Thread_local struct err slot;

/* What goes on with the last message has its cause. */
static bool goes_on(const char *text)
{
	char part[PART];

	snprintf(part, sizeof(part), "%.*s", PART - 1, slot.text);
	return part[0] && strstr(text, part);
}

int err_set(int rc, const char *fmt, ...)
{
	/* a copy, because err_text() may be an argument */
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!goes_on(text))
		slot.cause[0] = '\0';
	snprintf(slot.text, sizeof(slot.text), "%s", text);
	return rc;
}

int err_set_cause(int rc, const char *cause, const char *fmt, ...)
{
	struct err err;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, ap);
	va_end(ap);
	snprintf(err.cause, sizeof(err.cause), "%s", cause);
	slot = err;
	return rc;
}

int err_code(void)
{
	return errno ? -errno : -EIO;
}

const char *err_text(void)
{
	return slot.text;
}

const char *err_cause(void)
{
	return slot.cause;
}

struct err err_keep(void)
{
	return slot;
}

void err_restore(const struct err *err)
{
	slot = *err;
}

void err_clear(void)
{
	slot.text[0] = slot.cause[0] = '\0';
}
