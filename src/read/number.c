/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns numbers as text; see number.h. Pure. */
#include "config.h"
#include "read/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DIGITS 15 /* a decimal of so many is exact in a double, and so is 10^EXACT_DIGITS */

/* A decimal of few digits: both numbers of the quotient are exact, so it is rounded once. */
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

int number_scan(const char *text, double *value)
{
	double v;
	char *end;

	if (scan_short(text, value))
		return 0;
	/* strtod() also takes blanks, hexadecimal numbers, "inf" and "nan" */
	if (!*text || text[strspn(text, "0123456789.+-eE")])
		return -EBADMSG;
	v = strtod(text, &end);
	if (*end || end == text || !isfinite(v))
		return -EBADMSG;
	*value = v;
	return 0;
}

bool number_is_plain(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return n && n <= EXACT_DIGITS && !text[n] && (text[0] != '0' || n == 1);
}

const char *number_text(double value, char *text, size_t size)
{
	if (value >= 0 && value < 1e15 && value == floor(value))
		snprintf(text, size, "%" PRIu64, (uint64_t)value);
	else
		snprintf(text, size, "%.15g", value);
	return text;
}
