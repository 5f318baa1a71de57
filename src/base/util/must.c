/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Exits the program when memory is short. */
#include "config.h"
#include "util/must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

static __attribute__((noreturn)) void give_up(void)
{
	log_error("no memory");
	exit(MUST_EXIT);
}

void *must_have(void *memory)
{
	if (!memory)
		give_up();
	return memory;
}

void *must_calloc(size_t n, size_t size)
{
	return must_have(calloc(n ? n : 1, size));
}

void *must_realloc(void *old, size_t n, size_t size)
{
	return must_have(reallocarray(old, n, size));
}

char *must_strdup(const char *text)
{
	return must_have(strdup(text));
}

FILE *must_memstream(char **text, size_t *len)
{
	return must_have(open_memstream(text, len));
}

void must_close(FILE *memstream)
{
	if (fclose(memstream))
		give_up();
}

void must_appendf(char **to, const char *fmt, ...)
{
	const size_t len = *to ? strlen(*to) : 0;
	va_list ap;
	int more;

	va_start(ap, fmt);
	more = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	*to = must_realloc(*to, len + (size_t)more + 1, 1);
	va_start(ap, fmt);
	vsnprintf(*to + len, (size_t)more + 1, fmt, ap);
	va_end(ap);
}
