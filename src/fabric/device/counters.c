/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads the counters of a port twice, and lists the differences; see counters.h. */
#include "config.h"
#include "device/counters.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/minmax.h"
#include "util/text.h"

#define MS_NS UINT64_C(1000000)
#define MOST_NS (100 * MS_NS) /* of a reading, and of the wait for new values */
#define MOST 512u             /* counters of a device */
#define FOLDER_TEXT 512

struct counter {
	char name[COUNTERS_NAME];
	char path[FOLDER_TEXT + COUNTERS_NAME];
	enum counters_class class;
	uint64_t before, delta;
	bool known; /* delta is */
};

/* ---- classes */

const struct counters_kind counters_kinds[COUNTERS_CLASSES] = {
#define CLASS(id, word, means) [COUNTERS_##id] = { word, means },
#define NAME(id, name)
#include "device/counters.def"
};

enum counters_class counters_class_of(const char *name)
{
	static const struct {
		const char *name;
		enum counters_class class;
	} names[] = {
#define CLASS(id, word, means)
#define NAME(id, name) { name, COUNTERS_##id },
#include "device/counters.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name))
			return names[i].class;
	return COUNTERS_CLASSES;
}

/* ---- lists */

/* A number without sign and without anything behind it. ionic has all ones for what it lacks. */
static bool scan(const char *text, uint64_t *value)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v == UINT64_MAX)
		return false;
	*value = v;
	return true;
}

const char *counters_next(const char *list, struct counters_item *item)
{
	const char *equals = strchr(list, '=');
	const size_t len = equals ? (size_t)(equals - list) : 0;
	char digits[24];
	size_t n;

	if (!len || len >= sizeof(item->name))
		return NULL;
	n = strspn(equals + 1, "0123456789");
	if (n >= sizeof(digits) || (equals[1 + n] && equals[1 + n] != ' '))
		return NULL;
	snprintf(digits, sizeof(digits), "%.*s", (int)n, equals + 1);
	if (!scan(digits, &item->delta))
		return NULL;
	snprintf(item->name, sizeof(item->name), "%.*s", (int)len, list);
	equals += 1 + n;
	return *equals ? equals + 1 : equals;
}

bool counters_delta(uint64_t before, uint64_t after, uint64_t *delta)
{
	const bool narrow = before <= UINT32_MAX && after < before;

	*delta = narrow ? (uint32_t)(after - before) : after - before;
	return *delta <= (narrow ? INT32_MAX : INT64_MAX);
}

/* ---- reading */

static int compare(const void *a, const void *b)
{
	const struct counter *one = a, *other = b;

	if (one->class != other->class)
		return one->class < other->class ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* The folder of the device may have the counters of its first port again. */
static bool has(const struct counters *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->all[i].name, name))
			return true;
	return false;
}

static void add(struct counters *c, const char *folder, const char *name)
{
	struct counter *one = &c->all[c->n];
	char text[64];

	if (name[0] == '.' || strlen(name) >= sizeof(one->name) || strchr(name, '=') ||
	    !strcmp(name, "lifespan") || c->n == MOST || has(c, name))
		return;
	snprintf(one->path, sizeof(one->path), "%s/%s", folder, name);
	if (!scan(text_read_line(one->path, text, sizeof(text)), &one->before))
		return;
	strcpy(one->name, name);
	one->class = counters_class_of(name);
	c->n++;
}

static void add_folder(struct counters *c, const char *folder, uint64_t until_ns)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && clock_ns() < until_ns && (entry = readdir(dir)))
		add(c, folder, entry->d_name);
	if (dir)
		closedir(dir);
}

/* hw_counters/lifespan, in ms: for so long the kernel repeats what it has read. */
static uint64_t lifespan_ns(const char *folder)
{
	char path[FOLDER_TEXT + 16], text[64];
	uint64_t ms;

	snprintf(path, sizeof(path), "%s/lifespan", folder);
	if (!scan(text_read_line(path, text, sizeof(text)), &ms))
		return 0;
	return min_u64(ms, MOST_NS / MS_NS) * MS_NS;
}

void counters_begin(struct counters *c, const char *folder, uint32_t port)
{
	const uint64_t until_ns = clock_ns() + MOST_NS;
	char path[FOLDER_TEXT];
	uint64_t ns;

	counters_close(c);
	c->all = calloc(MOST, sizeof(*c->all));
	if (!c->all)
		return;
	snprintf(path, sizeof(path), "%s/ports/%" PRIu32 "/counters", folder, port);
	add_folder(c, path, until_ns);
	snprintf(path, sizeof(path), "%s/ports/%" PRIu32 "/hw_counters", folder, port);
	add_folder(c, path, until_ns);
	ns = lifespan_ns(path);
	snprintf(path, sizeof(path), "%s/hw_counters", folder);
	add_folder(c, path, until_ns);
	c->fresh_ns = clock_ns() + max_u64(ns, lifespan_ns(path));
	qsort(c->all, c->n, sizeof(*c->all), compare);
}

static void wait_for_new(const struct counters *c)
{
	const uint64_t now = clock_ns();
	const uint64_t ns = now < c->fresh_ns ? c->fresh_ns - now : 0;

	if (ns)
		poll(NULL, 0, (int)((min_u64(ns, MOST_NS) + MS_NS - 1) / MS_NS));
}

/* "" is also what the whole list is without this one, if it does not fit. */
static void put(char list[COUNTERS_TEXT], const struct counter *one)
{
	const size_t len = strlen(list);
	const int n = snprintf(list + len, COUNTERS_TEXT - len, "%s%s=%" PRIu64, len ? " " : "",
			       one->name, one->delta);

	if (n < 0 || (size_t)n >= COUNTERS_TEXT - len)
		list[len] = '\0';
}

void counters_end(struct counters *c, char list[COUNTERS_TEXT], uint64_t *retransmissions)
{
	uint64_t until_ns, after;
	char text[64];

	list[0] = '\0';
	*retransmissions = UINT64_MAX;
	wait_for_new(c);
	until_ns = clock_ns() + MOST_NS;
	for (size_t i = 0; i < c->n && clock_ns() < until_ns; i++) {
		struct counter *one = &c->all[i];

		if (!scan(text_read_line(one->path, text, sizeof(text)), &after) ||
		    !counters_delta(one->before, after, &one->delta))
			continue;
		if (one->delta)
			put(list, one);
		if (one->class == COUNTERS_RETRANSMISSIONS)
			*retransmissions = one->delta +
				(*retransmissions == UINT64_MAX ? 0 : *retransmissions);
	}
}

void counters_close(struct counters *c)
{
	free(c->all);
	*c = (struct counters){ .n = 0 };
}
