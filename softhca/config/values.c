/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Numbers with units; see values.h. */
#include "config.h"
#include "config/values.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "config/profile.h"

#define MAX_BIT_S 100e12 /* as the texts of keys and VALUES_TIME say */
#define MAX_NS 1000000e9
#define MAX_BYTES 0x1p40

struct unit {
	const char *name; /* NULL: the end of a table */
	double factor;
};

static const struct unit rates[] = {
	{ "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 }, { NULL, 0 },
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
};

/* Only 0 needs no unit. */
static const struct unit no_time[] = { { "", 1 }, { NULL, 0 } };

static const struct unit chances[] = { { "", 1 }, { "%", 0.01 }, { NULL, 0 } };

static const struct unit sizes[] = {
	{ "", 1 }, { "k", 0x1p10 }, { "M", 0x1p20 }, { "G", 0x1p30 }, { "T", 0x1p40 }, { NULL, 0 },
};

/* "50us": a decimal number from 0 to max and its unit. */
static int scaled(const char *text, const struct unit *unit, double max, double *value)
{
	char *end;

	/* strtod() also takes signs, "nan", "inf" and 0x10 */
	if (!isdigit((unsigned char)*text) || (text[0] == '0' && tolower(text[1]) == 'x'))
		return -EINVAL;
	errno = 0;
	*value = strtod(text, &end);
	while (unit->name && strcmp(unit->name, end) != 0)
		unit++;
	*value *= unit->factor;
	return errno || !unit->name || *value > max ? -EINVAL : 0;
}

int values_rate(const char *text, uint64_t *bit_s)
{
	double v;

	if (scaled(text, rates, MAX_BIT_S, &v) || (v > 0 && v < 1000))
		return -EINVAL;
	*bit_s = (uint64_t)(v + 0.5);
	return 0;
}

int values_time(const char *text, uint64_t *ns)
{
	double v;

	if (scaled(text, times, MAX_NS, &v) && scaled(text, no_time, 0, &v))
		return -EINVAL;
	*ns = (uint64_t)(v + 0.5);
	return 0;
}

int values_chance(const char *text, uint32_t *of)
{
	double v;

	if (scaled(text, chances, 1, &v))
		return -EINVAL;
	*of = v >= 1 ? UINT32_MAX : (uint32_t)(v * 4294967296.0);
	return 0;
}

int values_bytes(const char *text, uint64_t *bytes)
{
	double v;

	if (scaled(text, sizes, MAX_BYTES, &v))
		return -EINVAL;
	*bytes = (uint64_t)v;
	return 0;
}

uint32_t values_either(uint32_t a, uint32_t b)
{
	const uint64_t all = UINT64_C(1) << 32;

	if (a == UINT32_MAX || b == UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)(all - (uint64_t)((unsigned __int128)(all - a) * (all - b) >> 32));
}

int values_count(const char *text, uint64_t min, uint64_t max, uint64_t *n)
{
	char *end;

	/* strtoull() also takes blanks and signs */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno || *end || *n < min || *n > max ? -EINVAL : 0;
}

int values_node(const char *name, uint32_t *number)
{
	const char *digits = name + strlen(name);
	uint64_t n;

	while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (values_count(digits, 0, SETTINGS_NODES - 1, &n))
		return -EINVAL;
	*number = (uint32_t)n;
	return 0;
}
