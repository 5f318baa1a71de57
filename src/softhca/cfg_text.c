/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The settings of a device as text, for its firmware version; the reverse of cfg.c. */
#include "config.h"
#include "cfg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A unit and how many of the smallest it is; ends with a NULL name, the largest is first. */
struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit rates[] = {
	{ "T", 1000000000000 }, { "G", 1000000000 }, { "M", 1000000 }, { "k", 1000 }, { "", 1 },
	{ NULL, 0 },
};

static const struct unit times[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }, { NULL, 0 },
};

/* What does not fit is cut, and the end says so. */
__attribute__((format(printf, 2, 3)))
static void add(char text[CFG_TEXT], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + len, CFG_TEXT - len, fmt, ap);
	va_end(ap);
	if (n >= (int)(CFG_TEXT - len))
		memcpy(text + CFG_TEXT - 4, "...", 4);
}

/* " name=10G" */
static void add_value(char text[CFG_TEXT], const char *name, uint64_t value, const struct unit *u)
{
	while (u[1].name && value < u->factor)
		u++;
	add(text, "%s%.12g%s", name, (double)value / (double)u->factor, u->name);
}

static void add_chance(char text[CFG_TEXT], const char *name, uint32_t of)
{
	if (of)
		add(text, " %s=%.4g%%", name, 100.0 * of / 4294967296.0);
}

static bool has_link(const struct cfg_dev *d)
{
	return d->bit_s || d->delay_ns || d->loss || d->duplicate || d->reorder || d->stall_ns;
}

/* What changes every figure comes first: it is never cut. */
static void add_link(char text[CFG_TEXT], const struct cfg_dev *d)
{
	if (d->bit_s)
		add_value(text, " bandwidth=", d->bit_s, rates);
	if (d->delay_ns)
		add_value(text, " delay=", d->delay_ns, times);
	if (d->n_faults)
		add(text, " faults");
	add_chance(text, "loss", d->loss);
	if (d->stall_ns) {
		add_value(text, " stall=", d->stall_ns, times);
		add_value(text, "/", d->period_ns, times);
	}
	add_chance(text, "duplicate", d->duplicate);
	add_chance(text, "reorder", d->reorder);
}

void cfg_text(uint32_t dev, char text[CFG_TEXT])
{
	const struct cfg_dev *d = cfg_dev(dev);

	strcpy(text, "emulated");
	if (cfg_null())
		add(text, " null");
	else if (has_link(d))
		add(text, " link");
	else
		add(text, " link as fast as memory");
	add_link(text, d);
}
