/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is read of an opened device, and what dev_probe() finds out for one test after another while
 * the device stays open.
 */
#include "config.h"
#include "rdma/dev.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "config/options.h"
#include "util/err.h"
#include "verbs.h"

/* A test that needs no probe but the smallest QP. */
static struct cfg test_of(enum transport tp)
{
	struct cfg cfg = { .device = "pair0" };

	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.device = "pair0";
	cfg.transport = tp;
	cfg.locks = LOCKS_ON;
	cfg.inline_bytes = 0;
	return cfg;
}

static void open_dev(struct dev *dev, const struct cfg *test)
{
	const struct dev_wish wish = { .cfg = test };

	if (dev_open(dev, &wish))
		fail_msg("%s", err_text());
}

static void probe(struct dev *dev, const struct cfg *test)
{
	if (dev_probe(dev, test, SIDE_CLIENT))
		fail_msg("%s", err_text());
	/* what it created is gone: the context alone is left */
	assert_int_equal(verbs_open_objects(), 1);
}

/* The device has it in network order. */
static void pkey(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.pkey_index, 0);
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	dev_close(&dev);
}

/* The forms of a node GUID; one that no device has. */
static void guid(void **state)
{
	static const char *const names[] = { "pair0", "0002:c903:00ab:cd00",
					     "0002:C903:00AB:CD00", "0x0002c90300abcd00" };
	static const char *const others[] = { "pair", "0002:c903:00ab:cd0f", "0x2c90300abcd00",
					      "0x0002c90300abcd0x", "" };
	struct cfg test = test_of(TP_RC);
	const struct dev_wish wish = { .cfg = &test };
	struct dev dev;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test.device = names[i];
		open_dev(&dev, &test);
		assert_string_equal(dev.limits.device, "pair0");
		dev_close(&dev);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		test.device = others[i];
		assert_int_equal(dev_open(&dev, &wish), -EINVAL);
	}
}

static void one_test_after_another(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_true(dev.limits.max_inline_bytes < 220);
	test.locks = LOCKS_AUTO;
	test.inline_bytes = 1000;
	test.transport = TP_UD;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	assert_int_equal(dev.limits.max_inline_bytes, 220);
	verbs_device(SIDE_CLIENT)->max_inline_bytes = 60;
	verbs_device(SIDE_CLIENT)->td_errno = EOPNOTSUPP;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = EOPNOTSUPP;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_int_equal(dev.limits.max_inline_bytes, 60);
	verbs_device(SIDE_CLIENT)->td_errno = 0;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = 0;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	test = test_of(TP_RC);
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	/* what does not depend on the test is as it was */
	assert_string_equal(dev.limits.device, "pair0");
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	assert_true(dev.limits.n_gids > 0);
	dev_close(&dev);
}

static void failed_probe(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 0;
	assert_int_equal(dev_probe(&dev, &test, SIDE_CLIENT), -EINVAL);
	assert_string_equal(err_text(), "cannot create a RC QP on pair0: Invalid argument");
	assert_int_equal(verbs_open_objects(), 1);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 4096;
	probe(&dev, &test);
	dev_close(&dev);
	assert_int_equal(verbs_open_objects(), 0);
}

/* Length, elements and inline data of a queue are tried together, as the test asks for them. */
static void queues(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	verbs_device(SIDE_CLIENT)->in_blocks = true;
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 4096;
	test.test = TEST_WRITE_BW;
	open_dev(&dev, &test);
	/* what is wanted fits; more was not tried */
	assert_int_equal(dev.limits.max_send_wr, 4096);
	test.depth = 2000;
	probe(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 4096 * 64 / 192);
	assert_int_equal(dev.limits.max_recv_wr, 4096);
	test.inline_bytes = 64;
	probe(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 4096 * 64 / 256);
	assert_true(dev.limits.max_inline_bytes >= 64);
	/* this side posts nothing: it needs no such queue, and no inline data */
	assert_int_equal(dev_probe(&dev, &test, SIDE_SERVER), 0);
	assert_int_equal(dev.limits.max_send_wr, 4096);
	/* auto asks for no more of the one than leaves the other */
	test.test = TEST_WRITE_LAT;
	test.depth = test.inline_bytes = CFG_AUTO;
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 256;
	assert_int_equal(dev_probe(&dev, &test, SIDE_CLIENT), 0);
	dev_close(&dev);
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 256);
	assert_true(dev.limits.max_inline_bytes >= 76 && dev.limits.max_inline_bytes < 140);
	dev_close(&dev);
}

static int reset(void **state)
{
	(void)state;
	verbs_reset();
	err_clear();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(pkey, reset),
		cmocka_unit_test_setup(guid, reset),
		cmocka_unit_test_setup(one_test_after_another, reset),
		cmocka_unit_test_setup(failed_probe, reset),
		cmocka_unit_test_setup(queues, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
