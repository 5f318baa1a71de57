/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* THE option table, and what is made of it: cfg, help, wire. */
#ifndef OPTS_H
#define OPTS_H

#include <stdio.h>
#include <jansson.h>

#include "config/cfg.h"
#include "config/opt.h"

extern const struct opt opts_table[];
extern const size_t opts_count;

/* What the program was called as: decides which options exist and how help reads. */
enum opts_mode { OPTS_TEST, OPTS_SERVE, OPTS_LIST, OPTS_PLACE };

/*
 * Parses argv[1..] for a test (cfg->test set by the caller), for serve, list or place. 0; 1 when
 * --help or --version was asked for and printed on standard output; -EINVAL with a sentence:
 * unknown, duplicate, trailing garbage, out of range (with the range), without effect on this
 * test or transport (by name), test options on a server, illegal kind (kind_refusal). cfg's
 * strings point into argv.
 */
int opts_parse(struct cfg *cfg, enum opts_mode mode, int argc, char **argv)
	__attribute__((warn_unused_result));

/* The test's options (those without OPT_LOCAL) with test and values, as JSON: wire and echo. */
json_t *opts_to_json(const struct cfg *cfg);

/*
 * The server's reading of it: the same checks as for argv; -EINVAL/-EBADMSG with a sentence. Fills
 * test and test options (and the client's stall time-out), leaves the local fields of cfg as they
 * are. A missing member has its default (the peer does not know the option), an unknown one is
 * ignored.
 */
int opts_from_json(struct cfg *cfg, const json_t *obj) __attribute__((warn_unused_result));

/*
 * The rules between options, and between an option and the test: flat list, first offence is the
 * sentence. given: rows that the user has set. Called by opts_parse() and opts_from_json().
 */
int opts_rules(const struct cfg *cfg, opt_set given) __attribute__((warn_unused_result));

/* Man page section "OPTIONS" in mdoc, from the same rows. */
void opts_man(FILE *out);

#endif
