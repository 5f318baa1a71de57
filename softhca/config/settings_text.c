/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The settings of a device as text; see settings.h. Called by objects/device.c. */
#include "config.h"
#include "config/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A unit, and its size in the smallest unit. A table begins with the largest unit. */
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

/* Text that does not fit is cut, and then ends with "...". */
__attribute__((format(printf, 2, 3)))
static void add(char text[SETTINGS_TEXT], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + len, SETTINGS_TEXT - len, fmt, ap);
	va_end(ap);
	if (n >= (int)(SETTINGS_TEXT - len))
		memcpy(text + SETTINGS_TEXT - 4, "...", 4);
}

/* " name=10G" */
static void add_value(char text[SETTINGS_TEXT], const char *name, uint64_t value,
		      const struct unit *u)
{
	while (u[1].name && value < u->factor)
		u++;
	add(text, "%s%.12g%s", name, (double)value / (double)u->factor, u->name);
}

static void add_chance(char text[SETTINGS_TEXT], const char *name, uint32_t of)
{
	if (of)
		add(text, " %s=%.4g%%", name, 100.0 * of / 4294967296.0);
}

static bool has_link(const struct settings_dev *d)
{
	return d->bit_s || d->delay_ns || d->loss || d->duplicate || d->reorder || d->stall_ns ||
	       d->jitter_ns;
}

/* Bandwidth and delay change every measured value: they come first, so they are never cut. */
static void add_link(char text[SETTINGS_TEXT], const struct settings_dev *d)
{
	if (d->bit_s)
		add_value(text, " bandwidth=", d->bit_s, rates);
	if (d->delay_ns)
		add_value(text, " delay=", d->delay_ns, times);
	if (d->jitter_ns)
		add_value(text, d->jitter == SETTINGS_JITTER_EXP ? " jitter=exp:" :
								  " jitter=uniform:",
			  d->jitter_ns, times);
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

void settings_text(const struct settings *s, uint32_t dev, char text[SETTINGS_TEXT])
{
	const struct settings_dev *d = &s->dev[dev];

	strcpy(text, "emulated");
	if (profile_is_set(&s->profile[dev]))
		add(text, " %s", s->profile[dev].name);
	if (s->null)
		add(text, " null");
	else if (has_link(d))
		add(text, " link");
	else
		add(text, " link as fast as memory");
	add_link(text, d);
	if (s->profile[dev].firmware[0])
		add(text, " firmware=%s", s->profile[dev].firmware);
}
