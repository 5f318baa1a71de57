/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Builds JSON values so that no part is lost silently. */
#include "config.h"
#include "file/json_build.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 1024

static void keep(json_t **json, int rc)
{
	if (!rc)
		return;
	json_decref(*json);
	*json = NULL;
}

void json_build_set(json_t **object, const char *key, json_t *value)
{
	keep(object, json_object_set_new(*object, key, value));
}

void json_build_add(json_t **array, json_t *value)
{
	keep(array, json_array_append_new(*array, value));
}

void json_build_add_to(json_t **object, const char *key, json_t *value)
{
	keep(object, json_array_append_new(json_object_get(*object, key), value));
}

void json_build_update(json_t **object, json_t *other)
{
	keep(object, json_object_update(*object, other));
}

/* ---- as text */

struct text {
	char *bytes;
	size_t len, size;
	bool lost;
};

static bool grow(struct text *t, size_t size)
{
	char *bytes = realloc(t->bytes, size);

	if (!bytes)
		return false;
	t->bytes = bytes;
	t->size = size;
	return true;
}

/* libjansson ignores the return value for a key, so it is kept. */
static int add_bytes(const char *bytes, size_t n, void *arg)
{
	struct text *t = arg;

	if (t->len + n >= t->size && !grow(t, 2 * (t->len + n) + FIRST_SIZE))
		t->lost = true;
	if (t->lost)
		return -1;
	memcpy(t->bytes + t->len, bytes, n);
	t->len += n;
	t->bytes[t->len] = '\0';
	return 0;
}

char *json_build_text(const json_t *json, size_t flags)
{
	struct text t = { .bytes = NULL };

	if (!json_dump_callback(json, add_bytes, &t, flags) && !t.lost)
		return t.bytes;
	free(t.bytes);
	return NULL;
}
