/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Option tables as JSON: the payload of the plan message and the echo in results. Called by opts.c.
 * What is read may come from anyone: every value passes the checks of the command line.
 */
#include "config.h"
#include "config/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/err.h"

static void key_of(const struct opt *o, char *key, size_t size)
{
	snprintf(key, size, "%s", o->name);
	for (char *p = strchr(key, '-'); p; p = strchr(p, '-'))
		*p = '_';
}

static bool travels(const struct opt *o)
{
	return o->flags & OPT_SHARED || !(o->flags & (OPT_LOCAL | OPT_SHORTHAND));
}

static const char *string_of(const struct opt *o, const void *obj)
{
	return *(const char *const *)(const void *)((const char *)obj + o->off);
}

static json_t *value_json(const struct opt *o, const void *obj)
{
	uint64_t v = opt_value(o, obj);
	bool special = v == (o->type == OPT_U32 ? UINT32_MAX : UINT64_MAX);

	if (o->type == OPT_STR)
		return string_of(o, obj) ? json_string(string_of(o, obj)) : json_null();
	if (o->type == OPT_BOOL)
		return json_boolean(v);
	if (o->names)
		return json_string(o->names[v]);
	if (special && o->flags & (OPT_AUTO | OPT_NONE))
		return json_string(o->flags & OPT_AUTO ? "auto" : "none");
	return json_integer((json_int_t)v);
}

json_t *opt_json(const struct opt_table *t, const void *obj)
{
	json_t *json = json_object();
	char key[OPT_TEXT_MAX];

	for (size_t i = 0; json && i < t->n; i++) {
		if (!travels(&t->rows[i]))
			continue;
		key_of(&t->rows[i], key, sizeof(key));
		if (json_object_set_new(json, key, value_json(&t->rows[i], obj))) {
			json_decref(json);
			return NULL;
		}
	}
	return json;
}

/* Numbers go through the text reader, so that range and sentence are those of the command line. */
static int read_value(const struct opt *o, void *obj, const json_t *v)
{
	char text[32];

	if (o->type == OPT_BOOL && json_is_boolean(v))
		return json_is_true(v) ? opt_read(o, obj, "") : 0;
	if (o->type == OPT_STR && json_is_null(v))
		return 0;
	if (o->type != OPT_BOOL && json_is_string(v) &&
	    (o->type == OPT_STR || o->names || o->flags & (OPT_AUTO | OPT_NONE)))
		return opt_read(o, obj, json_string_value(v));
	if (o->type != OPT_BOOL && o->type != OPT_STR && !o->names && json_is_integer(v)) {
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT "%s", json_integer_value(v),
			 o->flags & OPT_TIME ? "ms" : "");
		return opt_read(o, obj, text);
	}
	return err_set(-EBADMSG, "--%s in the message has a wrong JSON type", o->name);
}

/* *bit is cleared when the value is the one that the row has by default. */
static int read_member(const struct opt *o, void *obj, const json_t *v, opt_set *bit)
{
	const char *def_text = o->type == OPT_STR ? string_of(o, obj) : NULL;
	uint64_t def = opt_value(o, obj);
	const char *text;
	int rc = read_value(o, obj, v);

	if (rc)
		return rc;
	text = o->type == OPT_STR ? string_of(o, obj) : NULL;
	if (opt_value(o, obj) == def && (text == def_text || (def_text && !strcmp(text, def_text))))
		*bit = 0;
	return 0;
}

int opt_json_read(const struct opt_table *t, void *obj, const json_t *json, opt_set *differs)
{
	char key[OPT_TEXT_MAX];
	opt_set set = 0;

	if (!json_is_object(json))
		return err_set(-EBADMSG, "the options in the message are not a JSON object");
	for (size_t i = 0; i < t->n; i++) {
		const struct opt_table row = { .rows = &t->rows[i], .n = 1 };
		opt_set bit = (opt_set)1 << i;
		const json_t *v;
		int rc;

		if (t->rows[i].flags & OPT_LOCAL && !travels(&t->rows[i]))
			continue;
		rc = opt_defaults(&row, obj);
		key_of(&t->rows[i], key, sizeof(key));
		v = travels(&t->rows[i]) ? json_object_get(json, key) : NULL;
		if (!rc && v)
			rc = read_member(&t->rows[i], obj, v, &bit);
		if (rc)
			return rc;
		set |= v ? bit : 0;
	}
	*differs = set;
	return 0;
}
