/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of options.def, and its JSON: the options of the plan message and the echo in results.
 * A plan message is untrusted: every value passes the checks of the command line.
 */
#include "config.h"
#include "options/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"

const char *const options_command_names[] = {
	[OPTIONS_TEST] = "tests",
	[OPTIONS_COPY] = "copy",
	[OPTIONS_SERVE] = "serve",
	[OPTIONS_LIST] = "list",
	[OPTIONS_PLACE] = "place",
	[OPTIONS_SETUP] = "setup",
	[OPTIONS_PERFTEST_PATH] = "perftest-path",
	[OPTIONS_REPORT] = "report",
	[OPTIONS_RUN] = "run",
	[OPTIONS_CHECK] = "check",
	[OPTIONS_KEY] = "key",
	[OPTIONS_SELFTEST] = "selftest",
	[OPTIONS_MESH] = "mesh",
	NULL,
};

/* The words of options.def. */
enum {
	SEND = 1u << TEST_SEND_BW | 1u << TEST_SEND_LAT,
	WRITE = 1u << TEST_WRITE_BW | 1u << TEST_WRITE_LAT,
	READ = 1u << TEST_READ_BW | 1u << TEST_READ_LAT,
	ATOMIC = 1u << TEST_ATOMIC_BW | 1u << TEST_ATOMIC_LAT,
	BW = 1u << TEST_SEND_BW | 1u << TEST_WRITE_BW | 1u << TEST_READ_BW | 1u << TEST_ATOMIC_BW,
	LAT = (SEND | WRITE | READ | ATOMIC) & ~BW,

	RC = 1u << TP_RC,
	UC = 1u << TP_UC,
	UD = 1u << TP_UD,
	OWN = RC | UC | UD, /* QPs that can have their own receives */
	RELIABLE = RC | 1u << TP_XRC | 1u << TP_DC,

	CLIENT = 1u << OPTIONS_TEST,
	COPY = 1u << OPTIONS_COPY,
	SERVER = 1u << OPTIONS_SERVE,
	LIST = 1u << OPTIONS_LIST,
	PLACE = 1u << OPTIONS_PLACE,
	SETUP = 1u << OPTIONS_SETUP,
	REPORT = 1u << OPTIONS_REPORT,
	RUN = 1u << OPTIONS_RUN,
	CHECK = 1u << OPTIONS_CHECK,
	SELFTEST = 1u << OPTIONS_SELFTEST,
	MESH = 1u << OPTIONS_MESH,
	ONE_PAIR = 1u << 31, /* tests and sweeps have it, mesh does not */
	REMOTE = CLIENT | COPY | SETUP | CHECK,
	WRITERS = CLIENT | SERVER | SETUP, /* of rows */
};

/* The row of an alias has its own name, and the offset of its option. */
#define FIELD(type, field, ...) { FIELD_OF(struct cfg, field), __VA_ARGS__ },
#define ALIAS(alias, field, ...) { .name = #alias, .off = offsetof(struct cfg, field), \
	.size = sizeof(((struct cfg *)0)->field), .flags = FIELD_ALIAS, \
	.type = FIELD_TYPE_OF(((struct cfg *)0)->field), __VA_ARGS__ },
static const struct field rows[] = {
#include "options/options.def"
};

_Static_assert(FIELD_COUNT(rows) == CFG_OPTIONS, "cfg->given has a row per option");

const struct field_table options_table = {
	.what = "options",
	.rows = rows,
	.n = FIELD_COUNT(rows),
};

enum cfg_row options_target(const struct field *option)
{
	const struct field *row = rows;

	while (row->off != option->off || row->flags & FIELD_ALIAS)
		row++;
	return (enum cfg_row)(row - rows);
}

bool options_takes(const struct field *option, enum options_command command)
{
	if (option->flags & FIELD_INTERNAL)
		return false;
	if (option->commands & CLIENT &&
	    (command == OPTIONS_RUN || (command == OPTIONS_MESH && !(option->commands & ONE_PAIR))))
		return true;
	return !option->commands || option->commands >> command & 1;
}

bool options_are_expected(const struct field *option)
{
	return option->flags & FIELD_WIRE && options_takes(option, OPTIONS_TEST) &&
	       !options_takes(option, OPTIONS_SERVE);
}

/* With k, M or G if that is exact. */
static void size_text(uint64_t v, char *text, size_t size)
{
	static const char suffixes[] = "kMG";
	const char *suffix = suffixes;

	if (v % 1024 || !v) {
		snprintf(text, size, "%" PRIu64, v);
		return;
	}
	for (v /= 1024; v % 1024 == 0 && suffix[1]; v /= 1024)
		suffix++;
	snprintf(text, size, "%" PRIu64 "%c", v, *suffix);
}

/* Has the number a name: "auto", "none", "forever", or that of an enum? */
static bool is_word(const struct field *f, uint64_t v)
{
	return f->names || (f->flags & FIELD_FOREVER && v == FIELD_FOREVER_VALUE) ||
	       (f->flags & (FIELD_AUTO | FIELD_NONE) &&
		v == (f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX));
}

const char *options_value(const struct field *f, const struct cfg *cfg, char *text, size_t size)
{
	const uint64_t v = f->type == FIELD_STRING ? 0 : field_integer(f, cfg);

	if (f->type == FIELD_STRING)
		snprintf(text, size, "%s", field_text(f, cfg) ? field_text(f, cfg) : "none");
	else if (f->type == FIELD_BOOL)
		snprintf(text, size, "%s", v ? "yes" : "no");
	else if (f->names)
		snprintf(text, size, "%s", f->names[v]);
	else if (is_word(f, v))
		snprintf(text, size, "%s", v == FIELD_FOREVER_VALUE && f->flags & FIELD_FOREVER ?
						   "forever" :
						   f->flags & FIELD_AUTO ? "auto" : "none");
	else if (f->flags & FIELD_SIZE)
		size_text(v, text, size);
	else if (f->flags & (FIELD_HEX | FIELD_RATE))
		field_number(f, v, text, size);
	else if (f->flags & FIELD_TIME && (v % 1000 || strcmp(f->unit, "ms") ||
					   f->flags & FIELD_PLAIN))
		snprintf(text, size, "%" PRIu64 "%s", v, f->unit);
	else
		snprintf(text, size, "%" PRIu64, f->flags & FIELD_TIME ? v / 1000 : v);
	return text;
}

/* ---- JSON */

/* The name of the option, with '_' for '-'; for a time with its unit: "stall_timeout_ms"; "rate_milli". */
static const char *key_of(const struct field *f, char *key, size_t size)
{
	const char *const unit = f->flags & FIELD_TIME ? f->unit : "milli";
	const bool scaled = f->flags & (FIELD_TIME | FIELD_RATE);
	char name[FIELD_TEXT_MAX];

	snprintf(key, size, "%s%s%s", field_option(f, name, sizeof(name)), scaled ? "_" : "",
		 scaled ? unit : "");
	for (char *p = strchr(key, '-'); p; p = strchr(p, '-'))
		*p = '_';
	return key;
}

static json_t *value_json(const struct field *f, const struct cfg *cfg)
{
	const uint64_t v = f->type == FIELD_STRING ? 0 : field_integer(f, cfg);
	char text[FIELD_TEXT_MAX];

	if (f->type == FIELD_STRING)
		return field_text(f, cfg) ? json_string(field_text(f, cfg)) : json_null();
	if (f->type == FIELD_BOOL)
		return json_boolean(v);
	if (is_word(f, v))
		return json_string(options_value(f, cfg, text, sizeof(text)));
	return json_integer((json_int_t)v);
}

json_t *options_to_json(const struct cfg *cfg)
{
	json_t *json = json_pack("{s:s}", "test", kind_test_names[cfg->test]);
	char key[FIELD_TEXT_MAX];

	for (size_t i = 0; json && i < options_table.n; i++) {
		const struct field *f = &rows[i];

		if (!(f->flags & FIELD_WIRE))
			continue;
		if (json_object_set_new(json, key_of(f, key, sizeof(key)), value_json(f, cfg))) {
			json_decref(json);
			return NULL;
		}
	}
	return json;
}

/* A number goes through the text parser, so the checks and the messages are those of argv. */
static int read_value(const struct field *f, void *obj, const json_t *v)
{
	const bool number = (f->type == FIELD_U32 || f->type == FIELD_U64) && !f->names;
	char text[32], key[FIELD_TEXT_MAX];

	if (f->type == FIELD_BOOL && json_is_boolean(v))
		return json_is_true(v) ? field_parse(f, obj, NULL) : 0;
	if (f->type == FIELD_STRING && json_is_null(v))
		return 0;
	if (json_is_string(v) && (f->type == FIELD_STRING || f->names ||
				  f->flags & (FIELD_AUTO | FIELD_NONE)))
		return field_parse(f, obj, json_string_value(v));
	if (json_is_integer(v) && number) {
		if (f->flags & FIELD_RATE && json_integer_value(v) > 0)
			field_number(f, (uint64_t)json_integer_value(v), text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT "%s",
				 json_integer_value(v), f->flags & FIELD_TIME ? f->unit : "");
		return field_parse(f, obj, text);
	}
	return err_set(-EBADMSG, "option \"%s\" in the plan message has a wrong JSON type",
		       key_of(f, key, sizeof(key)));
}

/* *given: the value is not the default. */
static int read_option(const struct field *f, void *obj, const json_t *v, bool *given)
{
	const struct field_table one = { .what = "option", .rows = f, .n = 1 };
	const char *def_text, *text;
	uint64_t def;
	int rc = field_defaults(&one, obj);

	*given = false;
	if (rc || !v)
		return rc;
	if (f->type == FIELD_STRING) {
		def_text = field_text(f, obj);
		rc = read_value(f, obj, v);
		text = field_text(f, obj);
		*given = text != def_text && (!text || !def_text || strcmp(text, def_text));
		return rc;
	}
	def = field_integer(f, obj);
	rc = read_value(f, obj, v);
	*given = field_integer(f, obj) != def;
	return rc;
}

static int read_test(struct cfg *cfg, const json_t *json)
{
	const char *name = json_string_value(json_object_get(json, "test"));

	if (!name)
		return err_set(-EBADMSG, "the plan message names no test");
	for (int i = 0; kind_test_names[i]; i++) {
		if (strcmp(name, kind_test_names[i]))
			continue;
		cfg->test = (enum test)i;
		return 0;
	}
	return err_set(-EINVAL, "the plan message names the test \"%.32s\", which this side does not know",
		       name);
}

int options_from_json(struct cfg *cfg, const json_t *json)
{
	struct cfg read = *cfg;
	char key[FIELD_TEXT_MAX];
	int rc = read_test(&read, json);

	for (size_t i = 0; !rc && i < options_table.n; i++) {
		const struct field *f = &rows[i];

		read.given.rows[i] = false;
		if (f->flags & FIELD_WIRE) {
			read.typed[i] = (struct cfg_typed){ .word = NULL };
			rc = read_option(f, &read,
					 json_object_get(json, key_of(f, key, sizeof(key))),
					 &read.given.rows[i]);
		}
	}
	if (!rc)
		*cfg = read;
	return rc;
}

bool options_same_name(const char *option, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char a = option[i] == '_' ? '-' : option[i];
		const char b = name[i] == '_' ? '-' : name[i];

		if (a != b || !a)
			return false;
	}
	return !option[len];
}
