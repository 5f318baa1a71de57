/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Allocation for commands that are not servers: if it fails the program prints an error and exits
 * with the status of a failed run. A server refuses one session instead, and does not use these.
 */
#ifndef MUST_H
#define MUST_H

#include <stddef.h>
#include <stdio.h>

#define MUST_EXIT 1 /* COMMAND_FAILED of frame/command.h */

/* Of another function that gives memory: exits if it is NULL, else returns it. */
void *must_have(void *memory);

/* Never NULL. Zeroed; n may be 0. */
void *must_calloc(size_t n, size_t size);
/* n is at least 1. */
void *must_realloc(void *old, size_t n, size_t size);
char *must_strdup(const char *text);

/* A stream whose bytes are in *text, owned, after must_close(). */
FILE *must_memstream(char **text, size_t *len);
void must_close(FILE *memstream);

/* Appends to the text *to, which is owned; NULL: it is empty. */
void must_appendf(char **to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
