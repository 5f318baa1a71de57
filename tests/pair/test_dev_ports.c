/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Devices with two ports: their GIDs, which of them is chosen, and why none is. */
#include "config.h"
#include "device/dev.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dev_test.h"
#include "util/err.h"
#include "verbs.h"

static struct verbs_device *two_ports(void)
{
	struct verbs_device *vd = verbs_device(SIDE_CLIENT);

	vd->attr.phys_port_cnt = 2;
	return vd;
}

/*
 * The table that is asked for has the entries of all ports, whose tables have lengths of their own;
 * the kernel refuses to write it into none.
 */
static void gids_of_two_ports(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct verbs_device *vd = two_ports();
	struct dev dev;

	(void)state;
	for (size_t i = 1; i < VERBS_GIDS; i++) {
		vd->gids[i].text = "2001:db8::77";
		vd->gids[i].type = IBV_GID_TYPE_ROCE_V2;
		vd->gids[i].port = 2;
	}
	vd->gid_tbl_len[0] = 1;
	test.ib_port = 1;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.n_gids, 1);
	dev_close(&dev);
	/* a port that does not answer keeps nobody from the other one */
	vd->gid_tbl_len[0] = VERBS_GIDS;
	vd->port_errno[1] = EIO;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.n_gids, 1);
	dev_close(&dev);
	vd->port_errno[1] = 0;
	vd->gid_tbl_len[0] = vd->gid_tbl_len[1] = 0;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.n_gids, 0);
	dev_close(&dev);
}

/* A port that cannot be asked does not hide the next one. */
static void the_next_port(void **state)
{
	struct cfg test = test_of(TP_RC);
	const struct dev_request request = { .cfg = &test };
	struct verbs_device *vd = two_ports();
	struct dev dev;

	(void)state;
	vd->port_errno[0] = EIO;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.port, 2);
	dev_close(&dev);
	/* the first error tells why there is none */
	vd->port_errno[1] = EINVAL;
	assert_int_equal(dev_open(&dev, &request), -EIO);
	assert_non_null(strstr(err_text(), "cannot query port 1 of pair0: "));
	/* port 2 alone is in the partition */
	vd->port_errno[0] = vd->port_errno[1] = 0;
	vd->pkeys_2[1] = 0x8001;
	test.pkey = 0x8001;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.port, 2);
	assert_int_equal(dev.limits.pkey_index, 1);
	dev_close(&dev);
	test.pkey = 0x8002;
	assert_int_equal(dev_open(&dev, &request), -EINVAL);
	assert_non_null(strstr(err_text(), "port 1 of pair0 has no entry of this partition"));
}

/* The state of the ports that are asked for tells the cause. */
static void why_no_port_is_active(void **state)
{
	static const struct {
		uint8_t link_layer;
		uint32_t port;
		const char *cause;
	} cases[] = {
		{ IBV_LINK_LAYER_INFINIBAND, 1, "NO_SM" },
		{ IBV_LINK_LAYER_INFINIBAND, 2, "PORT_DOWN" },
		{ IBV_LINK_LAYER_INFINIBAND, CFG_AUTO, "NO_SM" },
		/* iWARP */
		{ IBV_LINK_LAYER_ETHERNET, 1, "NO_GID" },
		{ IBV_LINK_LAYER_ETHERNET, 2, "PORT_DOWN" },
	};
	struct cfg test = test_of(TP_RC);
	const struct dev_request request = { .cfg = &test };
	struct verbs_device *vd = two_ports();
	struct dev dev;

	(void)state;
	vd->state = IBV_PORT_INIT;
	vd->state_2 = IBV_PORT_DOWN;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vd->link_layer = cases[i].link_layer;
		test.ib_port = cases[i].port;
		assert_int_equal(dev_open(&dev, &request), -ENETDOWN);
		assert_string_equal(err_cause(), cases[i].cause);
		assert_non_null(strstr(err_text(), "ports: pair0/1 init, pair0/2 down, pair1/1 active"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(gids_of_two_ports, reset),
		cmocka_unit_test_setup(the_next_port, reset),
		cmocka_unit_test_setup(why_no_port_is_active, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
