/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads the file SOFTHCA_CONF: lines of "softhca0 bandwidth=10G ..." or "softhca0 faults wc:...". */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"
#include "config/values.h"

#define BLANKS " \t"

/* What follows "softhca3" of a line; NULL: it begins with no device. */
static char *after_device(char *text, uint32_t *dev)
{
	const size_t name = strlen("softhca");
	const size_t all = strcspn(text, BLANKS);
	uint64_t n;
	char *rest = text + all;

	if (strncmp(text, "softhca", name) != 0)
		return NULL;
	if (*rest)
		*rest++ = '\0';
	if (values_count(text + name, 0, SETTINGS_DEVS - 1, &n))
		return NULL;
	*dev = (uint32_t)n;
	return rest + strspn(rest, BLANKS);
}

static int use(void *arg, const struct line *line)
{
	struct settings *s = (struct settings *)arg;
	struct settings_place at = { .in_file = true };
	char where[PATH_MAX + 32];
	uint32_t dev;
	char *text = after_device(line->text, &dev);

	snprintf(where, sizeof(where), "%s, line %u", line->path, line->number);
	at.where = where;
	if (!text) {
		fprintf(stderr, "softhca: %s: %s: a line must begin with softhca0 to softhca%d\n",
			where, line->text, SETTINGS_DEVS - 1);
		return -EINVAL;
	}
	if (!strncmp(text, "faults", 6) && text[6] && strchr(BLANKS, text[6]))
		return settings_faults(&s->dev[dev], where, text + 7);
	return settings_link(&s->dev[dev], &at, text);
}

int settings_file(struct settings *s, const char *path)
{
	return lines_read("SOFTHCA_CONF=", path, use, s);
}
