/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Builds JSON values and their text. It knows neither columns nor messages.
 *
 * A value is built part by part. If memory for a part is short, the whole value is freed and
 * becomes NULL, and stays NULL whatever is added. So only the code that writes or sends it needs to
 * check. The reference to a part is stolen, also on failure. A part that is NULL is one that could
 * not be allocated.
 */
#ifndef JSON_BUILD_H
#define JSON_BUILD_H

#include <jansson.h>

void json_build_set(json_t **object, const char *key, json_t *value);
void json_build_add(json_t **array, json_t *value);

/* Appends to the array with this key. */
void json_build_add_to(json_t **object, const char *key, json_t *value);

/* Adds all keys of another object, which the caller keeps. */
void json_build_update(json_t **object, json_t *other);

/*
 * As json_dumps(3), with the same flags. NULL also where libjansson 2.14 leaves out what it cannot
 * allocate. The caller frees it with free(3).
 */
char *json_build_text(const json_t *json, size_t flags);

#endif
