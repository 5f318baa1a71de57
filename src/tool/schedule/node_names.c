/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The names of one item of a list. */
#include "config.h"
#include "schedule/node_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/hosts.h"
#include "util/err.h"

#define BRACKETS_MAX 8u /* of one item */
#define DIGITS_MAX 9u

/* One item of a list while its names are made. */
struct item {
	struct node_list *list;
	char name[HOSTS_TEXT]; /* so far */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "[fe80::1]", with or without a port: its bracket is none of numbers. */
static bool is_address(const char *item)
{
	return item[0] == '[' && item[strcspn(item, ":],")] == ':';
}

/* ---- "[001-200,7]" */

struct range {
	uint32_t low, high, width; /* width: characters of the first number */
};

static const char *read_number(uint32_t *number, uint32_t *width, const char *at)
{
	*number = *width = 0;
	for (; is_digit(*at) && *width < DIGITS_MAX; at++, (*width)++)
		*number = 10 * *number + (uint32_t)(*at - '0');
	return *width && !is_digit(*at) ? at : NULL;
}

/* "001-200" or "7". Returns what follows, ',' or ']'; NULL: it is none, or counts down. */
static const char *read_range(struct range *r, const char *at)
{
	const char *first = at;
	uint32_t width;

	at = read_number(&r->low, &r->width, at);
	if (!at)
		return NULL;
	r->high = r->low;
	width = r->width;
	if (*at == '-') {
		first = at + 1;
		at = read_number(&r->high, &width, first);
	}
	/* [1-010], [001-20]: of which width are the names? */
	if (!at || r->high < r->low || width < r->width || (*first == '0' && width != r->width))
		return NULL;
	return *at == ',' || *at == ']' ? at : NULL;
}

/* ---- an item: first how many names it makes, then they are made */

static int refuse(const char *item, const char *at, const char *why)
{
	return err_set(-EINVAL, "\"%.80s\", character %zu: %s", item, (size_t)(at - item) + 1, why);
}

static int check_characters(const char *item)
{
	const char *at = item;

	if (!*item)
		return err_set(-EINVAL, "a name is empty");
	/* ssh would take such a name for an option */
	if (*item == '-')
		return refuse(item, item, "a name does not begin with -");
	while (isalnum((unsigned char)*at) || (*at && strchr("-._:%[],", *at)))
		at++;
	return *at ? refuse(item, at, "allowed: letters, digits and - . _ : % [ ]") : 0;
}

/* The numbers of the bracket that begins at *at, which is then behind it. */
static int count_bracket(uint64_t *numbers, const char *item, const char **at)
{
	const char *next = *at, *from;
	struct range r;

	*numbers = 0;
	do {
		from = next + 1;
		next = read_range(&r, from);
		if (!next)
			return refuse(item, from,
				      "expected a number of at most 9 digits or a range such as 001-200, then , or ]");
		*numbers += r.high - r.low + UINT64_C(1);
	} while (*next == ',');
	*at = next + 1;
	return 0;
}

/* room: names that the list can still take. */
static int count_names(uint64_t *names, const char *item, uint64_t room)
{
	uint32_t brackets = 0;
	uint64_t numbers;

	*names = 1;
	for (const char *at = item; *at && *names <= room;) {
		at += strcspn(at, "[]");
		if (*at == ']')
			return refuse(item, at, "] without [");
		if (!*at)
			break;
		if (brackets++ == BRACKETS_MAX)
			return refuse(item, at, "more than 8 brackets in a name");
		if (count_bracket(&numbers, item, &at))
			return -EINVAL;
		*names = numbers > room ? numbers : *names * numbers;
	}
	if (*names <= room)
		return 0;
	return err_set(-EINVAL, "\"%.80s\": too many nodes; allowed: 1..%u", item, MESH_NODES_MAX);
}

static int add(struct item *item)
{
	struct node_list *list = item->list;
	struct hosts_one host;
	int rc = hosts_parse(&host, item->name, 0);

	if (rc)
		return rc;
	list->names[list->n] = strdup(item->name);
	if (!list->names[list->n])
		return err_set(-ENOMEM, "no memory for %u nodes", list->n + 1);
	list->n++;
	return 0;
}

/* Makes the names that begin with the first len characters of item->name; rest: as counted. */
static int make_names(struct item *item, size_t len, const char *rest)
{
	const char *bracket = !len && is_address(rest) ? rest + strlen(rest) : strchrnul(rest, '[');
	const size_t more = (size_t)(bracket - rest);
	const char *at = bracket, *close;
	struct range r;
	int rc = 0;

	if (len + more + (*bracket ? DIGITS_MAX : 0) >= sizeof(item->name))
		return err_set(-EINVAL, "\"%.20s%.20s...\": the name is too long; allowed: 1..%d characters",
			       item->name, rest, HOSTS_NAME - 1);
	memcpy(item->name + len, rest, more);
	len += more;
	item->name[len] = '\0';
	if (!*bracket)
		return add(item);
	close = strchr(bracket, ']');
	do {
		at = read_range(&r, at + 1);
		for (uint32_t i = r.low; i <= r.high && !rc; i++) {
			const int digits = snprintf(item->name + len, DIGITS_MAX + 1, "%0*u",
						    (int)r.width, i);

			rc = make_names(item, len + (size_t)digits, close + 1);
		}
	} while (at != close && !rc);
	return rc;
}

int node_names_add(struct node_list *list, const char *text)
{
	struct item item = { .list = list };
	uint64_t names = 1;
	char **grown;
	int rc = check_characters(text);

	if (!rc && !is_address(text))
		rc = count_names(&names, text, MESH_NODES_MAX - list->n);
	if (rc)
		return rc;
	grown = reallocarray(list->names, list->n + names, sizeof(*grown));
	if (!grown)
		return err_set(-ENOMEM, "no memory for %" PRIu64 " nodes", list->n + names);
	list->names = grown;
	return make_names(&item, 0, text);
}
