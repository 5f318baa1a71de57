/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The value of an option as a list: "64,4k", "2:8M:*2", "poll,event", "on,off". Each of its words is
 * a value of the option, checked as on a command line.
 */
#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "config/options_scan.h"
#include "util/field.h"

#define LIST_MAX 100000u /* values of an option, and cells of a sweep */

/* Words in the spelling of options_value(); owned. */
struct list {
	char **words;
	uint32_t n;
};

/*
 * Reads text as the values of an option; word: how the option was typed, with its row. A number:
 * values and ranges, FIRST:LAST (every number; of powers of two, each), FIRST:LAST:+STEP,
 * FIRST:LAST:*FACTOR. A bool: on, off. --test: names of tests. Of other texts only the places of
 * threads and memory are lists: a comma before a letter separates them. -EINVAL with an error
 * message that has option, value and range; *list is then empty.
 */
int list_read(struct list *list, const struct options_word *word, const char *text)
	__attribute__((warn_unused_result));

/* Is the text a list, by its form? Nothing is checked. */
bool list_is(const struct field *row, const char *text);

/* "on", "off", "on,off", ...: what may follow a bool. */
bool list_is_switch(const char *text);

/* Adds a copy of a word. -ENOMEM with an error message. */
int list_add(struct list *list, const char *word) __attribute__((warn_unused_result));

/* Accepts a zeroed one. */
void list_free(struct list *list);

#endif
