/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the syntax of JSON in a stream; see json_pull.h. Called by rows_json.c. */
#include "config.h"
#include "read/json_pull.h"

#include <ctype.h>
#include <string.h>

static bool fail(struct json_pull *json, const char *wrong)
{
	json->ended = input_peek(json->in) < 0;
	json->wrong = json->ended ? "the file ends within a value" : wrong;
	return false;
}

int json_pull_peek(struct json_pull *json)
{
	int c = input_peek(json->in);

	while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
		input_next(json->in);
		c = input_peek(json->in);
	}
	return c;
}

bool json_pull_take(struct json_pull *json, char c)
{
	static const struct { char c; const char *wrong; } all[] = {
		{ ':', "a \":\" is missing" }, { '"', "a key in quotes is missing" },
		{ '{', "a \"{\" is missing" }, { '[', "a \"[\" is missing" },
	};
	size_t i = 0;

	if (json_pull_peek(json) == c) {
		input_next(json->in);
		return true;
	}
	while (i + 1 < sizeof(all) / sizeof(all[0]) && all[i].c != c)
		i++;
	return fail(json, all[i].wrong);
}

static void put(struct json_pull *json, size_t *len, char c)
{
	if (*len + 1 < sizeof(json->text))
		json->text[(*len)++] = c;
	else
		json->cut = true;
}

/* Behind "\u". */
static bool read_code(struct json_pull *json, char *c)
{
	unsigned int code = 0;

	for (int i = 0; i < 4; i++) {
		const int digit = input_peek(json->in);

		if (digit < 0 || !isxdigit(digit))
			return fail(json, "a \\u has not four hexadecimal digits");
		input_next(json->in);
		code = 16 * code + (unsigned int)(isdigit(digit) ? digit - '0' :
								   (digit | 32) - 'a' + 10);
	}
	*c = code < 0x20 || code == 0x7f ? ' ' : code > 0x7f ? '?' : (char)code;
	return true;
}

/* Behind '\\'. */
static bool read_escape(struct json_pull *json, char *c)
{
	static const char plain[] = "\"\\/", blanks[] = "bfnrt";
	const int next = input_peek(json->in);

	if (next <= 0 || (next != 'u' && !strchr(plain, next) && !strchr(blanks, next)))
		return fail(json, "an escape that JSON does not have");
	input_next(json->in);
	*c = strchr(blanks, next) ? ' ' : (char)next;
	return next == 'u' ? read_code(json, c) : true;
}

/* Printable ASCII, no quote and no escape: what most texts are made of, so it is taken at once. */
static void take_plain(struct json_pull *json, size_t *len)
{
	struct input *in = json->in;
	const char *from = in->buf + in->at;
	const size_t most = in->n - in->at, room = sizeof(json->text) - 1 - *len;
	size_t n = 0;

	while (n < most && from[n] >= 0x20 && from[n] < 0x7f && from[n] != '"' && from[n] != '\\')
		n++;
	memcpy(json->text + *len, from, n < room ? n : room);
	*len += n < room ? n : room;
	json->cut |= n > room;
	in->at += n;
}

/* Behind the opening quote. */
static bool read_text(struct json_pull *json)
{
	size_t len = 0;
	int next;

	json->cut = false;
	for (take_plain(json, &len); (next = input_peek(json->in)) != '"'; take_plain(json, &len)) {
		char c = next > 0x7f ? '?' : (char)next;

		if (next < 0x20)
			return fail(json, "a control character in a text");
		input_next(json->in);
		if (next == '\\' && !read_escape(json, &c))
			return false;
		put(json, &len, c);
	}
	input_next(json->in);
	json->text[len] = '\0';
	return true;
}

/* A number, true, false or null. */
static bool read_plain(struct json_pull *json, enum json_pull_type *type)
{
	size_t len = 0;
	int c;

	json->cut = false;
	for (c = input_peek(json->in); c > 0 && (isalnum(c) || strchr("+-.", c));
	     c = input_peek(json->in)) {
		put(json, &len, (char)c);
		input_next(json->in);
	}
	json->text[len] = '\0';
	if (!len)
		return fail(json, "a value is missing");
	*type = isalpha((unsigned char)json->text[0]) ? JSON_PULL_WORD : JSON_PULL_NUMBER;
	if (*type == JSON_PULL_WORD && strcmp(json->text, "null") && strcmp(json->text, "true") &&
	    strcmp(json->text, "false"))
		return fail(json, "a word that JSON does not have");
	return true;
}

bool json_pull_value(struct json_pull *json, enum json_pull_type *type)
{
	const int c = json_pull_peek(json);

	if (c == '{' || c == '[') {
		*type = JSON_PULL_OPEN;
		return true;
	}
	if (c != '"')
		return read_plain(json, type);
	*type = JSON_PULL_STRING;
	input_next(json->in);
	return read_text(json);
}

/* The ',' between values, or the end. */
static bool take_comma(struct json_pull *json, bool first, char end, bool *more)
{
	const int c = json_pull_peek(json);

	*more = c != end;
	if (first && c != end)
		return c >= 0 ? true : fail(json, "");
	if (c != ',' && c != end)
		return fail(json, "a \",\" is missing");
	input_next(json->in);
	return true;
}

bool json_pull_key(struct json_pull *json, bool first, bool *more)
{
	if (!take_comma(json, first, '}', more))
		return false;
	if (!*more)
		return true;
	return json_pull_take(json, '"') && read_text(json) && json_pull_take(json, ':');
}

bool json_pull_element(struct json_pull *json, bool first, bool *more)
{
	return take_comma(json, first, ']', more);
}

/* The objects and arrays that are open, the innermost last. */
struct open {
	bool is_object[JSON_PULL_DEPTH], has_value[JSON_PULL_DEPTH];
	size_t depth;
};

/* To the next value within what is open, closing what has no more. */
static bool go_on(struct json_pull *json, struct open *open)
{
	while (open->depth) {
		const size_t i = open->depth - 1;
		bool more;

		if (!(open->is_object[i] ? json_pull_key(json, !open->has_value[i], &more) :
					   json_pull_element(json, !open->has_value[i], &more)))
			return false;
		open->has_value[i] = true;
		if (more)
			return true;
		open->depth--;
	}
	return true;
}

bool json_pull_skip(struct json_pull *json)
{
	struct open open = { .depth = 0 };
	enum json_pull_type type;

	do {
		if (!json_pull_value(json, &type))
			return false;
		if (type == JSON_PULL_OPEN) {
			if (open.depth == JSON_PULL_DEPTH)
				return fail(json, "too many objects and arrays in each other");
			open.is_object[open.depth] = input_next(json->in) == '{';
			open.has_value[open.depth++] = false;
		}
		if (!go_on(json, &open))
			return false;
	} while (open.depth);
	return true;
}
