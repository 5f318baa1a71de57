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

#include "util/err.h"
#include "verbs.h"

static struct dev_wish wish_of(enum transport tp)
{
	return (struct dev_wish){
		.device = "pair0", .port = CFG_AUTO, .gid_index = CFG_AUTO, .transport = tp
	};
}

static void open_dev(struct dev *dev, const struct dev_wish *wish)
{
	if (dev_open(dev, wish))
		fail_msg("%s", err_text());
}

static void probe(struct dev *dev, const struct dev_wish *wish)
{
	if (dev_probe(dev, wish))
		fail_msg("%s", err_text());
	/* what it created is gone: the context alone is left */
	assert_int_equal(verbs_open_objects(), 1);
}

/* The device has it in network order. */
static void pkey(void **state)
{
	const struct dev_wish wish = wish_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &wish);
	assert_int_equal(dev.limits.pkey_index, 0);
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	dev_close(&dev);
}

static void one_test_after_another(void **state)
{
	struct dev_wish wish = wish_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &wish);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_true(dev.limits.max_inline_bytes < 220);
	wish.probe_locks = true;
	wish.inline_wanted = 1000;
	wish.transport = TP_UD;
	probe(&dev, &wish);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	assert_int_equal(dev.limits.max_inline_bytes, 220);
	verbs_device(SIDE_CLIENT)->max_inline_bytes = 60;
	verbs_device(SIDE_CLIENT)->td_errno = EOPNOTSUPP;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = EOPNOTSUPP;
	probe(&dev, &wish);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_int_equal(dev.limits.max_inline_bytes, 60);
	verbs_device(SIDE_CLIENT)->td_errno = 0;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = 0;
	probe(&dev, &wish);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	wish = wish_of(TP_RC);
	probe(&dev, &wish);
	assert_int_equal(dev.limits.unlocked, 0);
	/* what does not depend on the test is as it was */
	assert_string_equal(dev.limits.device, "pair0");
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	assert_true(dev.limits.n_gids > 0);
	dev_close(&dev);
}

static void failed_probe(void **state)
{
	const struct dev_wish wish = wish_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &wish);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 0;
	assert_int_equal(dev_probe(&dev, &wish), -EINVAL);
	assert_string_equal(err_text(), "cannot create a RC QP on pair0: Invalid argument");
	assert_int_equal(verbs_open_objects(), 1);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 4096;
	probe(&dev, &wish);
	dev_close(&dev);
	assert_int_equal(verbs_open_objects(), 0);
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
		cmocka_unit_test_setup(one_test_after_another, reset),
		cmocka_unit_test_setup(failed_probe, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
