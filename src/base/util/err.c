/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The last error of each thread. Prints nothing. */
#include "config.h"
#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PREFIX_MAX (ERR_TEXT_MAX / 2) /* a prefix leaves room for the message */

static _Thread_local struct err slot;
static _Thread_local char told[ERR_TEXT_MAX];

__attribute__((format(printf, 2, 0)))
static void set(const char *cause, const char *fmt, va_list ap)
{
	/* a copy, because err_text() may be an argument */
	struct err err = { .said = 0 };

	vsnprintf(err.text, sizeof(err.text), fmt, ap);
	snprintf(err.cause, sizeof(err.cause), "%s", cause);
	slot = err;
}

int err_set(int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set("", fmt, ap);
	va_end(ap);
	return rc;
}

int err_set_cause(int rc, const char *cause, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(cause, fmt, ap);
	va_end(ap);
	return rc;
}

/* Both offsets keep their place, unless the text is cut before it. */
static void put_in_front(const char *prefix)
{
	const struct err inner = slot;
	const size_t len = strlen(prefix);
	size_t end;

	snprintf(slot.text, sizeof(slot.text), "%s%.*s", prefix,
		 (int)(sizeof(slot.text) - len) - 1, inner.text);
	end = strlen(slot.text);
	slot.said = !slot.said ? 0 : slot.said + len < end ? slot.said + len : len;
	slot.bare = slot.bare + len < end ? slot.bare + len : len;
	if (slot.bare + strlen(slot.option) > end)
		slot.option[0] = '\0';
}

int err_wrap(int rc, const char *fmt, ...)
{
	char prefix[PREFIX_MAX + 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(prefix, PREFIX_MAX, fmt, ap);
	va_end(ap);
	strcat(prefix, ": ");
	put_in_front(prefix);
	return rc;
}

int err_on_side(int rc, const char *side)
{
	char prefix[ERR_SIDE_MAX + 16];

	snprintf(slot.side, sizeof(slot.side), "%s", side);
	snprintf(prefix, sizeof(prefix), "on the %s, ", slot.side);
	put_in_front(prefix);
	return rc;
}

int err_advise(int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(slot.advice, sizeof(slot.advice), fmt, ap);
	va_end(ap);
	return rc;
}

__attribute__((format(printf, 2, 0)))
static void set_about(const char *option, const char *fmt, va_list ap)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	err_set(0, "%s%s%s", option, text[0] == ':' ? "" : " ", text);
	snprintf(slot.option, sizeof(slot.option), "%s", option);
}

int err_option(int rc, const char *option, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_about(option, fmt, ap);
	va_end(ap);
	return rc;
}

int err_refuse(const char *option, const char *advice, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_about(option, fmt, ap);
	va_end(ap);
	return err_advise(-EINVAL, "%s", advice);
}

void err_rename(const char *option)
{
	const struct err before = slot;

	snprintf(slot.text + slot.bare, sizeof(slot.text) - slot.bare, "%s%s", option,
		 before.text + before.bare + strlen(before.option));
	snprintf(slot.option, sizeof(slot.option), "%s", option);
}

int err_code(void)
{
	return errno ? -errno : -EIO;
}

const char *err_tell(const struct err *err, char text[ERR_TEXT_MAX])
{
	const int n = snprintf(text, ERR_TEXT_MAX, "%s%s%s%s", err->text,
			       err->see[0] ? "; see: " : "", err->see,
			       err->advice[0] ? "; " : "");

	if (n < ERR_TEXT_MAX)
		snprintf(text + n, (size_t)(ERR_TEXT_MAX - n), "%s", err->advice);
	return text;
}

const char *err_text(void)
{
	return err_tell(&slot, told);
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
	slot = (struct err){ .text = "" };
}
