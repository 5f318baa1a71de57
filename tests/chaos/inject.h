/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lets one call of the library fail, once: test_call_faults.py renames the calls of libverbench.a
 * to the functions of inject.c, which count them. Which call it is says its number in the process,
 * or its place: the stack that leads to it (the numbers of two runs differ, as both sides run at
 * once).
 * Processes that are forked of one another have the same places.
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdbool.h>
#include <stdint.h>

enum inject_what { INJECT_ALLOC, INJECT_CALL };

#define INJECT_NAME 32
#define INJECT_PLACES 8192

/* A stack, and how often it led to a call. */
struct inject_place {
	uint64_t stack;
	uint32_t times;
};

struct inject_places {
	uint32_t n; /* those beyond INJECT_PLACES are lost */
	struct inject_place places[INJECT_PLACES];
};

/* The name of what fails from now on goes there at once; "": nothing has. Borrowed. */
void inject_tell(char name[INJECT_NAME]);

/* The nth call from now on (from 0) of this kind fails. */
void inject_begin(enum inject_what what, uint64_t nth);

/* The nth call from there fails. */
void inject_begin_at(enum inject_what what, uint64_t stack, uint32_t nth);

/* Nothing fails. Adds the places of all calls. */
void inject_record(enum inject_what what, struct inject_places *places);

/* Nothing fails any more, nothing is recorded. */
void inject_end(void);

#endif
