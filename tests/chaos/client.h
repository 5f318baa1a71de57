/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The client of a case of session.c: a test, "copy" or "setup", and what must hold of what both
 * sides leave.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdbool.h>

#include "pair.h"

#define CLIENT_WRONG 320

/*
 * After pair_open(). plan: the command and its options; with --key as the last one both sides have
 * a key. timeouts: those of both sides.
 */
void client_prepare(struct pair *p, const char *plan, const char *timeouts);
/* Both sides have ended. wrong: the rule that what they left breaks; "": none. */
void client_check(const struct pair *p, char wrong[CLIENT_WRONG]);
/* Whether the client has a message why it failed: on standard error, or in a row of setup. */
bool client_says(const struct pair *p);
/* Before pair_close(). */
void client_clean(const struct pair *p);

#endif
