/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * JSON (RFC 8259) value by value from a file of any length: nothing of it is kept, so the memory is
 * that of one text. What it accepts is JSON but for numbers, whose form the caller checks.
 */
#ifndef JSON_PULL_H
#define JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>

#include "read/input.h"

#define JSON_PULL_TEXT 1024 /* a longer text is cut, and cut says so */
#define JSON_PULL_DEPTH 64  /* of values in a value that is skipped */

enum json_pull_type { JSON_PULL_STRING, JSON_PULL_NUMBER, JSON_PULL_WORD, JSON_PULL_OPEN };

struct json_pull {
	struct input *in;
	char text[JSON_PULL_TEXT]; /* of the value or key that was read last; not ASCII: '?' */
	bool cut;
	const char *wrong;         /* after a failure: what it is; the place is in->line */
	bool ended;                /* the failure is that the file ends */
};

/* The next character that is no blank, which stays the next; -1: the end. */
int json_pull_peek(struct json_pull *json);

/* Takes the character c, or fails. All functions: false is a failure. */
bool json_pull_take(struct json_pull *json, char c) __attribute__((warn_unused_result));

/*
 * Behind '{' or behind a value of an object: the next key into text, and its ':' is taken.
 * *more false: the '}' is taken instead. first: no value came before.
 */
bool json_pull_key(struct json_pull *json, bool first, bool *more)
	__attribute__((warn_unused_result));

/* The same in an array, without a key. */
bool json_pull_element(struct json_pull *json, bool first, bool *more)
	__attribute__((warn_unused_result));

/*
 * A text, a number, or true, false and null into text. JSON_PULL_OPEN: an object or an array begins
 * here, nothing was taken.
 */
bool json_pull_value(struct json_pull *json, enum json_pull_type *type)
	__attribute__((warn_unused_result));

/* A value of any type. */
bool json_pull_skip(struct json_pull *json) __attribute__((warn_unused_result));

#endif
