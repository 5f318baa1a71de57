/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The options of perftest that have no counterpart in verbench's: what is printed, and limits. */
#ifndef DROPIN_OWN_H
#define DROPIN_OWN_H

#include "config/perftest.h"
#include "perftest/dropin.h"

/* Is it one that is done? Also of an option that is not of PERFTEST_OWN. */
bool dropin_own_known(const struct perftest_option *option);

/*
 * Takes an option of PERFTEST_OWN. number: its value, if it is a whole number; text is borrowed.
 * -EINVAL with an error message: also one that is not done.
 */
int dropin_own(struct dropin *d, const struct perftest_option *option, const char *text,
	       uint64_t number) __attribute__((warn_unused_result));

/* What excludes each other; after all options are read. -EINVAL with an error message. */
int dropin_own_rules(struct dropin *d) __attribute__((warn_unused_result));

#endif
