/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The syntax of lists of flow labels. */
#include "config.h"
#include "decide/flow_label.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

/* The label that text begins with; *end: what follows. Above FLOW_LABEL_MAX: there is none. */
static unsigned long read_label(const char *text, const char **end)
{
	const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	char *after = NULL;
	unsigned long label;

	if (!isdigit((unsigned char)text[0]) || (base == 16 && !isxdigit((unsigned char)text[2])))
		return FLOW_LABEL_MAX + 1ul;
	label = strtoul(text, &after, base);
	*end = after;
	return label;
}

int flow_label_check(const char *list)
{
	const char *end = NULL;

	if (!list)
		return 0;
	if (strlen(list) >= FLOW_LABEL_TEXT)
		return err_set(-EINVAL, "--flow-label: the list has more than %d characters",
			       FLOW_LABEL_TEXT - 1);
	for (const char *text = list;; text = end + 1) {
		if (read_label(text, &end) > FLOW_LABEL_MAX || (*end && *end != ','))
			return err_set(-EINVAL, "--flow-label \"%s\": \"%.*s\" is no flow label; allowed: 0..0xfffff, decimal or 0x, several with \",\" between them",
				       list, (int)strcspn(text, ","), text);
		if (!*end)
			return 0;
	}
}

uint32_t flow_label_count(const char *list)
{
	uint32_t n = list[0] ? 1 : 0;

	for (const char *p = list; *p; p++)
		n += *p == ',';
	return n;
}

uint32_t flow_label_of(const char *list, uint32_t i)
{
	const uint32_t n = flow_label_count(list);
	const char *text = list, *end;

	if (!n)
		return 0;
	for (i %= n; i; i--)
		text += strcspn(text, ",") + 1;
	return (uint32_t)read_label(text, &end);
}
