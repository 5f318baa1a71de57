/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A topology: a line that cannot be used is refused with its number; which way messages take. */
#include "config.h"
#include "config/topology.h"

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

/* Freed by the caller. said: what is on stderr. */
static struct topology *load(const char *text, char *said, size_t size)
{
	const int screen = dup(STDERR_FILENO);
	char path[] = "/tmp/test-topology-XXXXXX";
	const int fd = mkstemp(path);
	FILE *messages = tmpfile();
	struct topology *t;

	assert_true(fd >= 0);
	close(fd);
	put(path, text);
	assert_non_null(messages);
	fflush(stderr);
	assert_true(dup2(fileno(messages), STDERR_FILENO) >= 0);
	t = topology_load(path);
	assert_true(dup2(screen, STDERR_FILENO) >= 0);
	close(screen);
	rewind(messages);
	said[fread(said, 1, size - 1, messages)] = '\0';
	fclose(messages);
	unlink(path);
	return t;
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "nod n1 leaf0 1G", "line 1: nod: must be node, uplink, cable, swap or bus" },
		{ "\n\nnode n1 leaf0", "line 3: node: must be node NAMES SWITCH" },
		{ "node n leaf0 1G", "line 1: n: must be a name of at most 32 characters" },
		{ "node n2048 leaf0 1G", "n2048: must be a name" },
		{ "node n[3-1] leaf0 1G", "n[3-1]: must be NAME, or NAME[FIRST-LAST]" },
		{ "node n[0-2048] leaf0 1G", "n[0-2048]: must be NAME, or NAME[FIRST-LAST]" },
		{ "node n[0-1]x leaf0 1G", "n[0-1]x: must be NAME, or NAME[FIRST-LAST]" },
		{ "node n1 leaf0 1G\nnode m[0-1] leaf0 1G", "line 2: m1: must be a node whose number" },
		{ "node n1 a,b,c,d,e,f,g,h,i 1G", "line 1: i: must be one of at most 8 switches" },
		{ "node n1 , 1G", "line 1: node: must be node NAMES SWITCH" },
		{ "node n1 leaf0 1Q", "line 1: 1Q: must be 0, or bit/s from 1k to 100T" },
		{ "node n1 leaf0 1G los=1%", "los=1%: must be bandwidth=, delay=, loss=, down=" },
		{ "node n1 leaf0 1G buffer=1Q", "buffer=1Q: must be 0, or bytes up to 1T" },
		{ "node n1 leaf0 1G buffer=1k full=no", "full=no: must be drop or pause" },
		{ "node n1 leaf0 1G full=drop", "line 1: node: must be with buffer=SIZE" },
		{ "node n1 leaf0 1G buffer=1k full=drop\ncable n1 buffer=0", "line 2: cable: must be with" },
		{ "node n1 leaf0 1G loss=2", "loss=2: must be from 0 to 1" },
		{ "node n1 leaf0 1G delay=5", "delay=5: must be a time" },
		{ "node n1 leaf0 1G down=5s", "down=5s: must be AT+FOR" },
		{ "node n1 leaf0 1G loss=1%,delay=1us", "must be from 0 to 1" },
		{ "bus n1 1G", "line 1: n1: must be a node of a line before" },
		{ "node n1 leaf0 1G\nbus n1 fast", "line 2: fast: must be " },
		{ "uplink leaf0 leaf0 1G", "leaf0: must be another switch" },
		{ "uplink leaf0 spine0", "line 1: uplink: must be uplink SWITCH SWITCH" },
		{ "cable n1 loss=1%", "line 1: n1: must be a node of a line before" },
		{ "node n1 leaf0 1G\ncable n1.8 loss=1%", "line 2: n1.8: must be NODE.DEVICE" },
		{ "node n1 leaf0 1G\ncable m1 loss=1%", "line 2: m1: must be a node" },
		{ "node n1 leaf0 1G\nswap n1 n1.1", "line 2: n1: must be NODE.DEVICE" },
		{ "node n1 leaf0 1G\nswap n1.0 n1.1 n1.2", "line 2: swap: must be swap" },
		{ "node n1 leaf0 1G\nnode n2 leaf1 1G", "no way between leaf0 and leaf1" },
		{ "node n1 leaf0,leaf1 1G\nuplink leaf0 spine0 1G", "no way between leaf0 and leaf1" },
		{ "node n[0-9] leaf0 1G\nuplink leaf0 s0 0\nuplink s0 core 0\nuplink core leaf9 0\n"
		  "node n10 leaf9 1G", "no way between leaf0 and leaf9" },
		{ "node 1 a 1G b c d e f g h i", "line 1: node: must be a line of at most 10 words" },
	};
	char said[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topology *t = load(cases[i][0], said, sizeof(said));

		if (t || !strstr(said, cases[i][1]))
			fail_msg("%s: '%s' is not in: %s", cases[i][0], cases[i][1], said);
	}
}

static struct topology *takes(const char *text)
{
	char said[1024];
	struct topology *t = load(text, said, sizeof(said));

	assert_string_equal(said, "");
	assert_non_null(t);
	return t;
}

static void test_read(void **state)
{
	struct topology *t = takes("node n[0-3] leaf0,leaf1 200M delay=1us # rails\n"
				   "uplink leaf0 spine0 400M loss=50% buffer=2k\nuplink spine0 leaf1 0\n"
				   "cable n2 bandwidth=0\n"
				   "cable n3.1 loss=25% down=1s+2s buffer=1.5M full=pause\n");
	const struct topology_cable *c;

	(void)state;
	assert_string_equal(t->node[3].name, "n3");
	assert_string_equal(t->node[4].name, "");
	assert_int_equal(t->node[0].leaf[0], t->node[0].leaf[2]);
	assert_int_not_equal(t->node[0].leaf[0], t->node[0].leaf[1]);
	assert_int_equal(t->uplink[0].cable.bit_s, 400000000);
	assert_int_equal(t->uplink[0].cable.loss, UINT32_C(1) << 31);
	c = topology_cable_of(t, &(struct topology_end){ 2, 7 });
	assert_int_equal(c->bit_s, 0);
	assert_int_equal(c->delay_ns, 1000);
	c = topology_cable_of(t, &(struct topology_end){ 3, 1 });
	assert_int_equal(c->bit_s, 200000000);
	assert_int_equal(c->loss, UINT32_C(1) << 30);
	assert_int_equal(c->down_ns, 1000000000);
	assert_int_equal(c->buffer_bytes, 3 << 19);
	assert_int_equal(c->full, TOPOLOGY_PAUSE);
	assert_int_equal(t->uplink[0].cable.buffer_bytes, 2048);
	assert_int_equal(t->node[0].cable[0].buffer_bytes, 0);
	assert_int_equal(c->down_for_ns, 2000000000);
	free(t);
}

/* Four spines: all flows of two devices use one of four ways, and each its own only. */
static void test_ways(void **state)
{
	struct topology *t = takes("node n[0-1] leaf0 0\nnode n2 leaf1 0\n"
				   "uplink leaf0 s0 0\nuplink leaf0 s1 0\nuplink s2 leaf0 0\n"
				   "uplink leaf1 s0 0\nuplink leaf1 s1 0\nuplink s2 leaf1 0\n");
	static const struct topology_end n[] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };
	struct topology_way way, again;
	uint32_t seen[3] = { 0 };

	(void)state;
	assert_true(topology_way(t, &n[0], &n[1], 1, &way));
	assert_int_equal(way.n, 0);
	assert_false(topology_way(t, &n[0], &(struct topology_end){ 9, 0 }, 1, &way));
	for (uint32_t label = 0; label < 300; label++) {
		assert_true(topology_way(t, &n[0], &n[2], label, &way));
		assert_true(topology_way(t, &n[0], &n[2], label, &again));
		assert_memory_equal(&way, &again, sizeof(way));
		assert_int_equal(way.n, 2);
		/* up from leaf0 is the first end of the uplinks 0 and 1, and the second of 2 */
		assert_true(way.pipe[0] / 2 < 3 && way.pipe[1] / 2 == way.pipe[0] / 2 + 3);
		assert_int_equal(way.pipe[0] % 2, way.pipe[0] / 2 == 2);
		assert_int_equal(way.pipe[1] % 2, way.pipe[0] / 2 != 2);
		seen[way.pipe[0] / 2]++;
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(seen[i], 60, 140);
	free(t);
}

/* Another text is another topology; comments and blanks do not count. */
static void test_digest(void **state)
{
	struct topology *a = takes("node n1 leaf0 1G\n"), *b = takes("# 1\n  node n1 leaf0 1G");
	struct topology *c = takes("node n1 leaf0 2G\n");

	(void)state;
	assert_true(a->digest && a->digest == b->digest);
	assert_true(a->digest != c->digest);
	free(a);
	free(b);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_read),
		cmocka_unit_test(test_ways), cmocka_unit_test(test_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
