/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What tests of an open device share. The headers of cmocka stand before this one. */
#ifndef DEV_TEST_H
#define DEV_TEST_H

#include "options/options.h"
#include "device/dev.h"
#include "util/err.h"
#include "verbs.h"

/* A test that needs no probe but the smallest QP. */
static inline struct cfg test_of(enum transport tp)
{
	struct cfg cfg = { .device = "pair0" };

	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.device = "pair0";
	cfg.transport = tp;
	cfg.locks = LOCKS_ON;
	cfg.inline_bytes = 0;
	return cfg;
}

static inline void open_dev(struct dev *dev, const struct cfg *test)
{
	const struct dev_request request = { .cfg = test };

	if (dev_open(dev, &request))
		fail_msg("%s", err_text());
}

static inline int reset(void **state)
{
	(void)state;
	verbs_reset();
	err_clear();
	return 0;
}

#endif
