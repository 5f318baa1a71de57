/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test options that were given to a server: what it expects of the tests of its clients. So both
 * sides can be given the same options.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include "plan/plan.h"

/*
 * Compares each test option that is given in server (its own command line) with the client's test:
 * with the value that the client gave, or, where that is auto, with what the plan chose. An auto of
 * the server is every value. An option that the test does not have differs. Options that concern a
 * side itself (device, placement, outputs) are not compared: they are options of a server.
 * 0, or -EINVAL with an error message that has each option that differs and both values.
 */
int expect_check(const struct plan *plan, const struct cfg *server, const struct cfg *test)
	__attribute__((warn_unused_result));

#endif
