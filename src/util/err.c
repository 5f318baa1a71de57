/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the message of the last error, one per thread. Called by the function that knows the cause
 * first; read by main, ctl and row. Must not print.
 */
#include "config.h"
#include "util/err.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char err_slot[ERR_TEXT_MAX];

int err_set(int rc, const char *fmt, ...)
{
	/* a copy, because err_text() may be an argument */
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(err_slot, sizeof(err_slot), "%s", text);
	return rc;
}

const char *err_text(void)
{
	return err_slot;
}

void err_clear(void)
{
	err_slot[0] = '\0';
}
