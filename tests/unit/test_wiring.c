/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The leaf of each node, and the switches between two, from what ibnetdiscover prints. */
#include "config.h"
#include "wiring/wiring.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "text_file.h"
#include "util/err.h"

#define IDS "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x2c90300a0b0c0\n"
#define SWITCH(guid, name) \
	"\n" IDS "switchguid=0x" guid "(" guid ")\n" \
	"Switch\t36 \"S-" guid "\"\t\t# \"" name "\" enhanced port 0 lid 6 lmc 0\n"
#define DEVICE(guid, name) \
	"\n" IDS "caguid=0x" guid "\nCa\t2 \"H-" guid "\"\t\t# \"" name "\"\n"
#define TO_SWITCH(port, guid, name) \
	"[" port "]\t\"S-" guid "\"[17]\t\t# \"" name "\" lid 3 4xHDR s=4 w=2 v=4\n"
#define TO_DEVICE(port, guid, name) \
	"[" port "][ext 4]\t\"H-" guid "\"[1](2c9030003b2a1) \t\t# \"" name "\" lid 4 4xHDR\n"
#define UP(port, guid, name) \
	"[" port "](2c9030003b2a1) \t\"S-" guid "\"[4]\t\t# lid 4 lmc 0 \"" name "\" lid 6 4xHDR\n"

#define LEAF0 "00000000000000a0"
#define LEAF1 "00000000000000a1"
#define SPINE "00000000000000b0"
#define FAR "00000000000000c0"

static char path[] = "/tmp/wiring-XXXXXX";

static const char fabric[] =
	"#\n# Topology file: generated on Thu Jun  3 16:25:33 2004\n#\n"
	"# Initiated from node 0008f10403960558 port 0008f10403960559\n"
	"\nChassis 1 (guid 0x2c902004049e0)\n\n# Spine Nodes"
	SWITCH(SPINE, "MF0;spine 0:MQM8700/U1")
	TO_SWITCH("1", LEAF0, "leaf \"0\"")
	TO_SWITCH("2", LEAF1, "leaf1")
	"\nNon-Chassis Nodes\n"
	SWITCH(LEAF0, "leaf \"0\"")
	TO_DEVICE("1", "0000000000000001", "n1.here mlx5_0")
	TO_DEVICE("2", "0000000000000002", "n1.here mlx5_1")
	TO_DEVICE("3", "0000000000000003", "n2 HCA-1")
	TO_DEVICE("4", "0000000000000004", "n2 HCA-2")
	TO_SWITCH("36", SPINE, "MF0;spine 0:MQM8700/U1")
	SWITCH(LEAF1, "leaf1")
	TO_SWITCH("36", SPINE, "MF0;spine 0:MQM8700/U1")
	SWITCH(FAR, "far")
	"\n" IDS "rtguid=0xd1\nRt\t2 \"R-00000000000000d1\"\t\t# \"router\"\n"
	UP("1", LEAF0, "leaf \"0\"")
	DEVICE("0000000000000001", "n1.here mlx5_0") UP("1", LEAF0, "leaf \"0\"")
	DEVICE("0000000000000002", "n1.here mlx5_1") UP("1", LEAF1, "leaf1")
	DEVICE("0000000000000003", "n2 HCA-1") UP("1", LEAF0, "leaf \"0\"")
	DEVICE("0000000000000004", "n2 HCA-2") UP("1", LEAF0, "leaf \"0\"") UP("2", LEAF1, "leaf1")
	DEVICE("0000000000000005", "n10 mlx5_0") UP("1", FAR, "far")
	DEVICE("0000000000000006", "alone")
	DEVICE("0000000000000007", "n3 mlx5_0")
	"[1](7) \t\"H-0000000000000006\"[1] (6) \t\t# lid 4 lmc 0 \"alone\" lid 6 4xHDR\n";

static struct wiring *loaded(const char *text)
{
	struct wiring *w;

	put(path, text);
	if (wiring_read(&w, path))
		fail_msg("%s", err_text());
	return w;
}

static void expect_leaf(const struct wiring *w, const char *node, const char *device,
			const char *name)
{
	const uint32_t leaf = wiring_leaf(w, node, device);

	if (!name)
		assert_int_equal(leaf, WIRING_NONE);
	else
		assert_string_equal(leaf == WIRING_NONE ? "none" : wiring_name(w, leaf), name);
}

/* With and without domains, by the names of devices of today and of before. */
static void test_leaves(void **state)
{
	struct wiring *w = loaded(fabric);

	(void)state;
	assert_int_equal(wiring_switches(w), 4);
	expect_leaf(w, "n1", "mlx5_0", "leaf \"0\"");
	expect_leaf(w, "n1.here", "mlx5_1", "leaf1");
	expect_leaf(w, "n1.there", "mlx5_1", NULL);
	expect_leaf(w, "n1", NULL, NULL);
	expect_leaf(w, "n1", "other", NULL);
	expect_leaf(w, "n2", "mlx5_0", "leaf \"0\"");
	expect_leaf(w, "n2.here", "ibp0", "leaf \"0\"");
	expect_leaf(w, "n2", "mlx5_1", NULL); /* two ports, two switches */
	expect_leaf(w, "n10", "", "far");
	expect_leaf(w, "n", NULL, NULL);
	expect_leaf(w, "alone", NULL, NULL);
	expect_leaf(w, "n3", NULL, NULL);
	wiring_free(w);
}

static void test_hops(void **state)
{
	struct wiring *w = loaded(fabric);
	const uint32_t near = wiring_leaf(w, "n1", "mlx5_0"), other = wiring_leaf(w, "n1", "mlx5_1");
	const uint32_t far = wiring_leaf(w, "n10", NULL);
	uint32_t hops[4];

	(void)state;
	wiring_hops(w, near, hops);
	assert_int_equal(hops[near], 1);
	assert_int_equal(hops[other], 3);
	assert_int_equal(hops[far], 0);
	wiring_hops(w, other, hops);
	assert_int_equal(hops[near], 3);
	wiring_free(w);
}

/* A text that is refused, and what its message has. */
static const struct {
	const char *text, *message;
} wrong[] = {
	{ "", ": no switch with devices" },
	{ SWITCH(LEAF0, "leaf0"), ": no switch with devices" },
	{ "node n1 leaf0\n", ":1: \"node n1 leaf0\": expected what ibnetdiscover prints" },
	{ "[1]\t\"S-" LEAF0 "\"[1]\n", ":1: a port before" },
	{ "Switch\t36 \"S-12\"\t\t# \"leaf0\"\n", ":1: expected a GUID" },
	{ "Switch\t36 \"X-" LEAF0 "\"\t\t# \"leaf0\"\n", ":1: expected a GUID" },
	{ "Switch\t36 \"S-" LEAF0 "\"\t\t\n", ":1: expected a GUID" },
	{ "Ca\t2 \"H-" LEAF0 "\"\t\t# \"n1\n", ":1: expected a GUID" },
	{ "Ca\t1 \"H-" LEAF0 "\"\t\t# \"n1\"\n[1] to nowhere\n", ":2: expected where" },
	{ "Ca\t1 \"H-" LEAF0 "\"\t\t# \"n1\"\n" UP("1", LEAF1, "leaf1"),
	  ":2: the cable leads to S-" LEAF1 },
	{ "Ca\t1 \"H-" LEAF0 "\"\t\t# \"n1\"\n\nCa\t1 \"H-" LEAF0 "\"\t\t# \"n1\"\n",
	  ":3: H-" LEAF0 " is in line 1, too" },
};

static void test_wrong(void **state)
{
	struct wiring *w;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		put(path, wrong[i].text);
		assert_int_equal(wiring_read(&w, path), -EINVAL);
		assert_null(w);
		if (!strstr(err_text(), wrong[i].message))
			fail_msg("%s: not \"%s\"", wrong[i].message, err_text());
		assert_true(!strncmp(err_text(), path, strlen(path)));
	}
	assert_int_equal(wiring_read(&w, "/nowhere"), -ENOENT);
}

static int begin(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int end(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
