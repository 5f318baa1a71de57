/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the escapes of roff: see roff.h. Called by the makers of man pages. Source: mandoc_char(7),
 * roff(7) of mandoc 1.14.
 */
#include "config.h"
#include "manual/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define COLUMNS 78

/* How c is written where it is meant as it is. */
static const char *escape_of(char c)
{
	switch (c) {
	case '\\':
		return "\\e";
	case '-':
		return "\\-";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	case '`':
		return "\\(ga";
	default:
		return NULL;
	}
}

static void put_literal(FILE *out, char c)
{
	const char *escape = escape_of(c);

	if (escape)
		fputs(escape, out);
	else
		fputc(c, out);
}

void roff_word(FILE *out, const char *word)
{
	while (*word)
		put_literal(out, *word++);
}

/* Does an option begin at p, which begins the text or has c before it? */
static bool begins_option(const char *p, char c)
{
	if (*p != '-' || (isalnum((unsigned char)c) || c == '-' || c == '_'))
		return false;
	return isalpha((unsigned char)p[1]) || (p[1] == '-' && isalpha((unsigned char)p[2]));
}

static size_t option_length(const char *p)
{
	size_t len = 2;

	while (p[1] == '-' && (isalnum((unsigned char)p[len]) || (p[len] == '-' &&
							isalpha((unsigned char)p[len + 1]))))
		len++;
	return len;
}

static void put_bold(FILE *out, const char *text, size_t len)
{
	fputs("\\fB", out);
	for (size_t i = 0; i < len; i++)
		put_literal(out, text[i]);
	fputs("\\fR", out);
}

/* *before: the character before the word, in the text. */
static void put_word(FILE *out, const char *word, size_t len)
{
	char before = ' ';

	for (size_t i = 0; i < len; i++) {
		const char *quote = word[i] == '`' ? memchr(word + i + 1, '`', len - i - 1) : NULL;

		if (quote) {
			put_bold(out, word + i + 1, (size_t)(quote - word) - i - 1);
			i = (size_t)(quote - word);
		} else if (begins_option(word + i, before)) {
			put_bold(out, word + i, option_length(word + i));
			i += option_length(word + i) - 1;
		} else if (word[i] == '-') {
			fputc('-', out); /* a hyphen */
		} else {
			put_literal(out, word[i]);
		}
		before = word[i];
	}
}

/* Up to the next blank that is not between backquotes. */
static size_t word_length(const char *text)
{
	size_t len = 0;
	bool quoted = false;

	for (; text[len] && (quoted || text[len] != ' '); len++)
		quoted ^= text[len] == '`';
	return quoted ? strcspn(text, " ") : len;
}

void roff_text(FILE *out, const char *text)
{
	bool ends = false; /* the last word ended a sentence */
	size_t col = 0;

	while (*text) {
		const size_t len = word_length(text);

		if (col && (col + 1 + len > COLUMNS || (ends && isupper((unsigned char)*text)))) {
			fputc('\n', out);
			col = 0;
		} else if (col) {
			fputc(' ', out);
			col++;
		}
		if (!col && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		put_word(out, text, len);
		ends = len > 1 && text[len - 1] == '.';
		col += len;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
