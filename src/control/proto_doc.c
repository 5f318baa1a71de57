/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Makes the tables of docs/protocol.md: see proto.h. Called by gendoc and by the test. */
#include "config.h"
#include "control/proto.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"

#define LINE_MAX_TEXT 4096
#define BEGIN "<!-- fields: "
#define END "<!-- end -->"

/* The part that a line begins, or NULL: *rc is -EBADMSG for an unknown one. */
static const struct proto_part *part_of(const char *line, int *rc)
{
	char name[64];

	if (strncmp(line, BEGIN, strlen(BEGIN)))
		return NULL;
	if (sscanf(line + strlen(BEGIN), "%63s -->", name) != 1)
		name[0] = '\0';
	for (const struct proto_part *part = proto_parts; part->name; part++)
		if (!strcmp(name, part->name))
			return part;
	*rc = err_set(-EBADMSG, "the document has a table of unknown fields: %.64s", name);
	return NULL;
}

int proto_doc(FILE *out, FILE *in)
{
	const struct proto_part *inside = NULL;
	char line[LINE_MAX_TEXT];
	int rc = 0;

	while (!rc && fgets(line, sizeof(line), in)) {
		if (inside && strncmp(line, END, strlen(END)))
			continue;
		fputs(line, out);
		inside = inside ? NULL : part_of(line, &rc);
		if (inside)
			field_doc(out, inside->table, FIELD_WIRE);
	}
	if (!rc && inside)
		rc = err_set(-EBADMSG, "the document has no end of the table of %s", inside->name);
	return !rc && fflush(out) ? -errno : rc;
}
