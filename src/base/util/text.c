/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Makes texts printable where they enter or leave the program; reads numbers and small files. */
#include "config.h"
#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DIGITS 15 /* exact in a double, as is 10^EXACT_DIGITS */

const char *text_clean(const char *src, char *text, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && src[i]; i++) {
		const unsigned char c = (unsigned char)src[i];

		text[i] = c < 0x20 || c == 0x7f ? ' ' : c > 0x7f ? '?' : (char)c;
	}
	text[i] = '\0';
	return text;
}

/*
 * Characters without a picture: they order others anew, hide them or end a line (Unicode 15.1:
 * Default_Ignorable_Code_Point, Bidi_Control, line and paragraph separators).
 */
static bool is_invisible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} of[] = {
		{ 0xad, 0xad },     { 0x34f, 0x34f },     { 0x61c, 0x61c },     { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (c >= of[i].first && c <= of[i].last)
			return true;
	return false;
}

/* The length of the UTF-8 character at text if it can be shown; else 0. */
static size_t shown_bytes(const unsigned char *text, size_t len)
{
	const unsigned char first = text[0];
	const size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
			 first < 0xf5 ? 4 : 0;

	uint32_t c = first & (0xffu >> (n + 1));

	if (n == 1)
		return first >= ' ' && first != 0x7f;
	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (text[i] >> 6 != 2)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	/* C1, overlong, surrogates, beyond U+10FFFF: RFC 3629, 4 */
	if ((first == 0xc2 && text[1] < 0xa0) || (first == 0xe0 && text[1] < 0xa0) ||
	    (first == 0xed && text[1] > 0x9f) || (first == 0xf0 && text[1] < 0x90) ||
	    (first == 0xf4 && text[1] > 0x8f))
		return 0;
	return is_invisible(c) ? 0 : n;
}

size_t text_visible(const char *text, size_t len)
{
	size_t i = 0, n;

	while (i < len && (n = shown_bytes((const unsigned char *)text + i, len - i)))
		i += n;
	return i;
}

void text_shown(char *text, size_t len)
{
	for (size_t i = 0; (i += text_visible(text + i, len - i)) < len; i++)
		text[i] = '?';
}

void text_add(char *text, size_t size, const char *between, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	if (len)
		len += (size_t)snprintf(text + len, size - len, "%s", between);
	if (len < size) {
		va_start(ap, fmt);
		len += (size_t)vsnprintf(text + len, size - len, fmt, ap);
		va_end(ap);
	}
	if (len >= size)
		memcpy(text + size - 4, "...", 4);
}

bool text_is_formula(const char *text)
{
	while (*text == TEXT_CSV_MARK)
		text++;
	return *text && strchr("=+-@\t\r", *text);
}

const char *text_unmark(const char *text)
{
	return *text == TEXT_CSV_MARK && text_is_formula(text) ? text + 1 : text;
}

/* ---- numbers */

/* A decimal of few digits: both operands of the quotient are exact, so it is rounded once. */
static bool scan_short(const char *text, double *value)
{
	static const double powers[] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	};
	uint64_t digits = 0;
	int n = 0, decimals = 0;
	bool point = false;

	for (; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || ++n > EXACT_DIGITS)
			return false;
		digits = 10 * digits + (uint64_t)(*text - '0');
		decimals += point;
	}
	if (!n)
		return false;
	*value = (double)digits / powers[decimals];
	return true;
}

int text_scan_number(const char *text, double *value)
{
	double v;
	char *end;

	if (scan_short(text, value))
		return 0;
	/* strtod() also accepts blanks, hexadecimal numbers, "inf" and "nan" */
	if (!*text || text[strspn(text, "0123456789.+-eE")])
		return -EBADMSG;
	v = strtod(text, &end);
	if (*end || end == text || !isfinite(v))
		return -EBADMSG;
	*value = v;
	return 0;
}

int text_scan_percent(const char *text, double *percent)
{
	const size_t len = strspn(text, "0123456789.");
	char number[32];

	if (len >= sizeof(number) || strcmp(text + len, text[len] ? "%" : ""))
		return -EBADMSG;
	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	return text_scan_number(number, percent);
}

bool text_is_plain_number(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return n && n <= EXACT_DIGITS && !text[n] && (text[0] != '0' || n == 1);
}

const char *text_of_number(double value, char *text, size_t size)
{
	if (value >= 0 && value < 1e15 && value == floor(value))
		snprintf(text, size, "%" PRIu64, (uint64_t)value);
	else
		snprintf(text, size, "%.15g", value);
	return text;
}

const char *text_of_bytes(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1024;
	snprintf(text, size, "%.4g %s", value, units[unit]);
	return text;
}

/* ---- files of the kernel */

const char *text_read(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t len = 0;

	if (file) {
		len = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[len] = '\0';
	return text;
}

const char *text_read_line(const char *path, char *text, size_t size)
{
	text_read(path, text, size);
	text[strcspn(text, "\n")] = '\0';
	return text;
}
