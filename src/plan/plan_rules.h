/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The rules between options. */
#ifndef PLAN_RULES_H
#define PLAN_RULES_H

#include "config/cfg.h"

/*
 * Refuses options that have no effect, that exclude each other, or that no device can run together:
 * after options_parse() on the client, after options_from_json() on the server. Needs cfg->given.
 * 0, or -EINVAL with an error message: the first rule that is broken, general rules first. Knows no
 * device; what depends on one is in plan_resolve().
 */
int plan_rules(const struct cfg *cfg) __attribute__((warn_unused_result));

/*
 * The same for "verbench serve", whose options are about itself and about the tests of its clients
 * (expect.h): refuses them if no test can have them together. Then the error message is that
 * of the first test that has the options.
 */
int plan_rules_server(const struct cfg *cfg) __attribute__((warn_unused_result));

#endif
