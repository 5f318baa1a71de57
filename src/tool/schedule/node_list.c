/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads lists of nodes. */
#include "config.h"
#include "schedule/node_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "util/err.h"

#define BLANKS " \t\r"

/* The end of an item: a comma that is in no bracket. */
static char *find_comma(char *item)
{
	char *end = item;
	bool open = false;

	for (; *end && (open || *end != ','); end++)
		open = *end == '[' || (open && *end != ']');
	return end;
}

/* Without blanks around it. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* The items of a line, which is changed. */
static int add_line(struct node_list *list, char *line)
{
	bool last;
	int rc;

	do {
		char *end = find_comma(line);

		last = !*end;
		*end = '\0';
		rc = node_names_add(list, trim(line));
		line = end + 1;
	} while (!last && !rc);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int check_whole(const struct node_list *list)
{
	const char *twice = NULL;
	char **sorted;

	if (!list->n)
		return err_set(-EINVAL, "no node is named");
	sorted = malloc(list->n * sizeof(*sorted));
	if (!sorted)
		return err_set(-ENOMEM, "no memory for %u nodes", list->n);
	memcpy(sorted, list->names, list->n * sizeof(*sorted));
	qsort(sorted, list->n, sizeof(*sorted), by_name);
	for (uint32_t i = 1; i < list->n && !twice; i++)
		twice = strcmp(sorted[i - 1], sorted[i]) ? NULL : sorted[i];
	free(sorted);
	return twice ? err_set(-EINVAL, "node \"%s\" is named twice", twice) : 0;
}

/* Takes what came of reading: a list that is not good is empty. */
static int conclude(struct node_list *list, int rc, const char *label)
{
	if (!rc) {
		rc = check_whole(list);
		if (rc)
			rc = err_wrap(rc, "%s", label);
	}
	if (rc)
		node_list_free(list);
	return rc;
}

int node_list_parse(struct node_list *list, const char *label, const char *text)
{
	char *copy = strdup(text), *at = copy, *line;
	int rc = 0;

	*list = (struct node_list){ .n = 0 };
	if (!copy)
		return err_set(-ENOMEM, "%s: no memory for a list of nodes", label);
	while (!rc && (line = strsep(&at, "\n"))) {
		line = trim(line);
		if (*line)
			rc = add_line(list, line);
	}
	free(copy);
	if (rc)
		rc = err_wrap(rc, "%s", label);
	return conclude(list, rc, label);
}

int node_list_read(struct node_list *list, const char *path)
{
	struct input in;
	char *line;
	int rc = input_open_regular(&in, path, NODE_LIST_FILE_MAX);

	*list = (struct node_list){ .n = 0 };
	if (rc)
		return rc;
	while (!rc && (line = input_setting(&in))) {
		line[strcspn(line, "#")] = '\0';
		rc = add_line(list, line);
		if (rc)
			rc = err_wrap(rc, "%s:%zu", path, in.line);
	}
	rc = rc ? rc : in.rc;
	input_close(&in);
	return conclude(list, rc, path);
}

void node_list_free(struct node_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct node_list){ .n = 0 };
}
