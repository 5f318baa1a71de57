/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of remedies as error messages. */
#include "config.h"
#include "causes/remedy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"

static const struct {
	const char *name, *cause, *see, *remedy, *text;
} rows[] = {
#define REMEDY(name, cause, see, remedy)           \
	{ #name,                                   \
	  cause,                                   \
	  see,                                     \
	  remedy,                                  \
	  cause "; see: " see "; remedy: " remedy },
#include "causes/remedy.def"
};

const char *remedy_name(enum remedy remedy)
{
	return rows[remedy].name;
}

const char *remedy_text(enum remedy remedy)
{
	return rows[remedy].text;
}

/* The value of a word of n bytes, or NULL. */
static const char *meant(const char *word, size_t n, const struct remedy_words *words,
			 const char *port)
{
	const struct {
		const char *name, *value;
	} known[] = { { "HOST", words->host }, { "ADDRESS", words->address }, { "PORT", port } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == n && !memcmp(known[i].name, word, n))
			return known[i].value;
	return NULL;
}

/* Copies text, with known words replaced by their values. */
static void fill(char *to, size_t size, const char *text, const struct remedy_words *words)
{
	char port[16];
	size_t len = 0, n;

	snprintf(port, sizeof(port), "%u", words->port);
	for (const char *at = text; *at && len < size; at += n) {
		const char *value;

		n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		value = meant(at, n, words, words->port ? port : NULL);
		n += !n;
		len += (size_t)snprintf(to + len, size - len, "%.*s",
					value ? (int)strlen(value) : (int)n, value ? value : at);
	}
}

int remedy_advise(int rc, enum remedy remedy, const struct remedy_words *words)
{
	const struct remedy_words none = { .host = NULL };
	const char *const command = rows[remedy].remedy;
	struct err err = err_keep();

	snprintf(err.cause, sizeof(err.cause), "%s", rows[remedy].name);
	fill(err.see, sizeof(err.see), rows[remedy].see, words ? words : &none);
	snprintf(err.advice, sizeof(err.advice), "remedy: ");
	fill(err.advice + strlen(err.advice), sizeof(err.advice) - strlen(err.advice), command,
	     words ? words : &none);
	err_restore(&err);
	return rc;
}

int remedy_limit(int rc)
{
	if (err_cause()[0])
		return rc;
	if (rc == -EMFILE)
		return remedy_advise(rc, REMEDY_DESCRIPTORS, NULL);
	if (rc == -ENFILE)
		return remedy_advise(rc, REMEDY_OPEN_FILES, NULL);
	return rc == -ENOMEM ? remedy_advise(rc, REMEDY_MEMORY, NULL) : rc;
}

int remedy_error(int rc, enum remedy remedy, const struct remedy_words *words, const char *fmt, ...)
{
	char what[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(rc, "%s: %s", what, rows[remedy].cause);
	return remedy_advise(rc, remedy, words);
}

const char *remedy_command(enum remedy remedy)
{
	return rows[remedy].remedy;
}
