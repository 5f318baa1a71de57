/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The settings of the emulated HCA: a variable, a key or a value that it does not know is refused,
 * and the message names it with what is allowed.
 */
#include "config.h"
#include "config/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "text_file.h"

static const char *const names[] = {
#define NUMBER(name, set, min, max) "SOFTHCA_" #name,
#define TEXT(name, field) "SOFTHCA_" #name,
#define OTHER(name, set, allowed) "SOFTHCA_" #name,
#define DEVICE(name, set, allowed) "SOFTHCA_" #name, "SOFTHCA_" #name "_I",
#define ELSEWHERE(name) "SOFTHCA_" #name,
#include "config/settings.def"
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* Loads the settings with one variable; freed by the caller. said: what is on stderr. */
static struct settings *load_with(const char *name, const char *value, char *said, size_t size)
{
	struct settings *s = calloc(1, sizeof(*s));
	const int screen = dup(STDERR_FILENO);
	FILE *messages = tmpfile();

	assert_non_null(s);
	assert_non_null(messages);
	assert_int_equal(setenv(name, value, 1), 0);
	fflush(stderr);
	assert_true(dup2(fileno(messages), STDERR_FILENO) >= 0);
	settings_load(s);
	assert_true(dup2(screen, STDERR_FILENO) >= 0);
	close(screen);
	unsetenv(name);
	rewind(messages);
	said[fread(said, 1, size - 1, messages)] = '\0';
	fclose(messages);
	return s;
}

static void refuses(const char *name, const char *value, const char *message)
{
	char said[4096];
	struct settings *s = load_with(name, value, said, sizeof(said));

	if (s->devices || !strstr(said, message))
		fail_msg("%s=%.80s: %u devices, '%s' is not in: %s", name, value, s->devices,
			 message, said);
	/* one message, not one for each device */
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	free(s);
}

static struct settings *takes(const char *name, const char *value)
{
	char said[4096];
	struct settings *s = load_with(name, value, said, sizeof(said));

	assert_string_equal(said, "");
	return s;
}

#define TIME "must be a time from 0 to 1000000s"
#define JITTER "must be exp:TIME or uniform:TIME; TIME: a time from 0 to 1000000s"
#define CHANCE "must be from 0 to 1, or from 0% to 100%"

static void test_variables(void **state)
{
	static const struct {
		const char *name, *value, *message;
	} cases[] = {
		{ "SOFTHCA_LNIK", "loss=1%", "there is no variable SOFTHCA_LNIK;" },
		{ "SOFTHCA_LINK_8", "loss=1%", "there is no variable SOFTHCA_LINK_8;" },
		{ "SOFTHCA_LINK_", "loss=1%", "there is no variable SOFTHCA_LINK_;" },
		{ "SOFTHCA_FABRIC_1", "a", "there is no variable SOFTHCA_FABRIC_1;" },
		{ "SOFTHCA_DEVICES", "abc", "SOFTHCA_DEVICES=abc: must be a number from 0 to 8" },
		{ "SOFTHCA_DEVICES", "4294967297", "must be a number from 0 to 8" },
		{ "SOFTHCA_DEVICES", "9", "must be a number from 0 to 8" },
		{ "SOFTHCA_PORTS", "0", "SOFTHCA_PORTS=0: must be a number from 1 to 2" },
		{ "SOFTHCA_MLX5DV", "yes", "SOFTHCA_MLX5DV=yes: must be a number from 0 to 1" },
		{ "SOFTHCA_MODE", "zero", "SOFTHCA_MODE=zero: must be null" },
		{ "SOFTHCA_AHEAD", "18446744073709551616", "to 18446744073709551615" },
		{ "SOFTHCA_REFLECT", " 1", "SOFTHCA_REFLECT= 1: must be a number from 0" },
		{ "SOFTHCA_CM_TIMEOUT", "0s", "SOFTHCA_CM_TIMEOUT=0s: must be more than 0" },
		{ "SOFTHCA_CM_TIMEOUT", "1e30s", "a time from 0 to 1000000s" },
		{ "SOFTHCA_LINK_1", "loss=1%", "SOFTHCA_LINK_1: there is no device 1: SOFTHCA_DEVICES is 1" },
		{ "SOFTHCA_STATS", "/nowhere/stats", "SOFTHCA_STATS=/nowhere/stats: must be a file that can be written" },
		{ "SOFTHCA_STATS", "/", "must be a file that can be written" },
		{ "SOFTHCA_RECORD", "/nowhere/record", "SOFTHCA_RECORD=/nowhere/record: must be a file that can be written" },
		{ "SOFTHCA_FABRIC", "012345678901234567890123456789012",
		  "must be a text of at most 32 characters" },
		{ "SOFTHCA_NODE", "n", "SOFTHCA_NODE=n: must be a name of at most 32 characters" },
		{ "SOFTHCA_NODE", "n2048", "ends with a number from 0 to 2047" },
		{ "SOFTHCA_NODE", "n7 ", "ends with a number from 0 to 2047" },
		{ "SOFTHCA_NODE", "a b7", "ends with a number from 0 to 2047" },
		{ "SOFTHCA_NODE", "01234567890123456789012345678901x", "at most 32 characters" },
		{ "SOFTHCA_NODE", "012345678901234567890123456789012", "at most 32 characters" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuses(cases[i].name, cases[i].value, cases[i].message);
}

static void test_link(void **state)
{
	static const char *const cases[][2] = {
		{ "los=1%", "there is no key 'los'; allowed: bandwidth, delay, loss" },
		{ "profile=rxe", "there is no key 'profile'" },
		{ "loss", "loss=: " CHANCE },
		{ "loss=nan", "SOFTHCA_LINK: loss=nan: " CHANCE },
		{ "loss=-1%", "loss=-1%: " CHANCE },
		{ "loss=101%", "loss=101%: " CHANCE },
		{ "reorder=0x1p-1", "reorder=0x1p-1: " CHANCE },
		{ "duplicate=inf", "duplicate=inf: " CHANCE },
		{ "bandwidth=nan", "bandwidth=nan: must be 0, or bit/s from 1k to 100T" },
		{ "bandwidth=1e300", "bandwidth=1e300: must be 0, or bit/s from 1k to 100T" },
		{ "bandwidth=999", "bandwidth=999: must be 0, or bit/s from 1k to 100T" },
		{ "bandwidth=101T", "bandwidth=101T: must be 0, or bit/s from 1k to 100T" },
		{ "bandwidth=1e999G", "bandwidth=1e999G: must be 0, or bit/s" },
		{ "delay=inf", "delay=inf: " TIME },
		{ "delay=0x10us", "delay=0x10us: " TIME },
		{ "delay=5", "delay=5: " TIME },
		{ "delay=1000001s", "delay=1000001s: " TIME },
		{ "reorder_by=-1us", "reorder_by=-1us: " TIME },
		{ "jitter=10us", "jitter=10us: " JITTER },
		{ "jitter=normal:10us", "jitter=normal:10us: " JITTER },
		{ "jitter=exp:", "jitter=exp:: " JITTER },
		{ "jitter=exp:-1us", "jitter=exp:-1us: " JITTER },
		{ "jitter=uniform:1000001s", "jitter=uniform:1000001s: " JITTER },
		{ "stall=nan/1s", "stall=nan/1s: must be TIME/PERIOD" },
		{ "stall=1s/1s", "stall=1s/1s: must be TIME/PERIOD" },
		{ "seed=-1", "seed=-1: must be a number from 0 to 18446744073709551615" },
		{ "seed=7x", "seed=7x: must be a number from 0" },
	};
	char longer[700];
	struct settings *s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuses("SOFTHCA_LINK", cases[i][0], cases[i][1]);
	refuses("SOFTHCA_LINK_0", "loss=nan", "SOFTHCA_LINK_0: loss=nan: " CHANCE);
	/* what is behind the 512th character counts, too */
	snprintf(longer, sizeof(longer), "bandwidth=10G,%600sloss=nan", "");
	refuses("SOFTHCA_LINK", longer, "SOFTHCA_LINK: loss=nan: " CHANCE);
	s = takes("SOFTHCA_LINK", "bandwidth=2.3G delay=0.5us,loss=100%,stall=1ms/1s,seed=7");
	assert_int_equal(s->dev[7].bit_s, 2300000000);
	assert_int_equal(s->dev[0].delay_ns, 500);
	assert_int_equal(s->dev[0].loss, UINT32_MAX);
	assert_int_equal(s->dev[0].stall_ns, 1000000);
	assert_int_equal(s->dev[0].period_ns, 1000000000);
	assert_int_equal(s->dev[0].seed, 7);
	free(s);
	s = takes("SOFTHCA_LINK", "jitter=exp:1.5us");
	assert_int_equal(s->dev[0].jitter, SETTINGS_JITTER_EXP);
	assert_int_equal(s->dev[0].jitter_ns, 1500);
	free(s);
	s = takes("SOFTHCA_LINK", "jitter=uniform:1000000s");
	assert_int_equal(s->dev[0].jitter, SETTINGS_JITTER_UNIFORM);
	assert_int_equal(s->dev[0].jitter_ns, UINT64_C(1000000000000000));
	free(s);
	s = takes("SOFTHCA_LINK", "bandwidth=0,delay=0,loss=0.25");
	assert_int_equal(s->dev[0].bit_s, 0);
	assert_int_equal(s->dev[0].loss, UINT32_C(1) << 30);
	assert_int_equal(s->devices, 1);
	free(s);
}

/* The addresses of a port of a device. */
struct addresses {
	uint64_t guid;
	uint8_t gid[16]; /* the second one: RoCE v2 */
	uint32_t lid_step;
};

static struct addresses addresses_of(const struct settings *s, uint32_t dev, uint32_t port)
{
	const struct profile_of of = { .dev = dev, .node = s->node_id };
	struct addresses a = {
		.guid = profile_guid(of, port), .lid_step = profile_lid_step(of, 2, port),
	};

	memcpy(a.gid, s->profile[dev].gid[1].raw[port - 1], sizeof(a.gid));
	return a;
}

/* All ports of some nodes, and those without a node, differ in each address. */
static void test_nodes(void **state)
{
	static const char *const nodes[] = { "", "n0", "n1", "15", "rack2-n16", "n2047" };
	enum { PORTS = SETTINGS_DEVS * 2, ALL = PORTS * (int)(sizeof(nodes) / sizeof(nodes[0])) };
	static struct addresses seen[ALL];
	uint32_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct settings *s = takes("SOFTHCA_NODE", nodes[i]);

		assert_string_equal(s->node, nodes[i]);
		for (uint32_t port = 0; port < PORTS; port++)
			seen[n++] = addresses_of(s, port / 2, port % 2 + 1);
		free(s);
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < i; j++) {
			assert_int_not_equal(seen[i].guid, seen[j].guid);
			assert_int_not_equal(seen[i].lid_step, seen[j].lid_step);
			assert_memory_not_equal(seen[i].gid, seen[j].gid, 16);
		}
	}
}

static void test_faults(void **state)
{
	static const char *const cases[][2] = {
		{ "wx:EIO@1", "SOFTHCA_FAULTS: wx:EIO@1: must be wc:STATUS@N, post:ERRNO@N" },
		{ "post:EBUSY@1", "post:EBUSY@1: must be post:ERRNO@N; N from 1, PORT 1 to 2" },
		{ "wc:FATAL@1", " LOC_LEN_ERR," },
		{ "post:EIO@-1", "post:EIO@-1: must be post:ERRNO@N" },
		{ "post:EIO@0", "post:EIO@0: must be post:ERRNO@N" },
		{ "post:EIO@18446744073709551617", "must be post:ERRNO@N" },
		{ "query:EIO@3", "query:EIO@3: must be query:ERRNO@PORT" },
		{ "event-lostx@1", "event-lostx@1: must be event-lost@N" },
		{ "port-down:3@1s+1s", "port-down:3@1s+1s: must be port-down@T+D" },
		{ "async:PORT_ERR@nan", "async:PORT_ERR@nan: must be async:EVENT@T" },
	};
	struct settings *s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuses("SOFTHCA_FAULTS", cases[i][0], cases[i][1]);
	s = takes("SOFTHCA_FAULTS", "wc:GENERAL_ERR@7,port-down:2@1s+2s,event-extra@3");
	assert_int_equal(s->dev[0].n_faults, 3);
	assert_int_equal(s->dev[0].fault[0].n, 7);
	assert_int_equal(s->dev[0].fault[1].value, 2);
	assert_int_equal(s->dev[0].fault[1].for_ns, 2000000000);
	assert_int_equal(s->dev[0].fault[2].kind, SETTINGS_FAULT_EVENT_EXTRA);
	free(s);
}

/* The name of a file in the folder of the test. */
static const char *in(const char *folder, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put_bytes(const char *path, const char *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* What is read as a file: it ends, and is a text. */
static void test_files(void **state)
{
	static const char nul[] = "softhca0 delay=1us\0\nsofthca0 loss=1%\n";
	static const char *const variables[] = { "SOFTHCA_CONF", "SOFTHCA_PROFILE" };
	char folder[] = "/tmp/test-settings-XXXXXX", *big = malloc(70000);

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_non_null(big);
	memset(big, '\n', 70000);
	assert_int_equal(mkfifo(in(folder, "fifo"), 0600), 0);
	put_bytes(in(folder, "big"), big, 70000);
	put_bytes(in(folder, "nul"), nul, sizeof(nul) - 1);
	for (size_t i = 0; i < 2; i++) {
		const char *name = variables[i];

		refuses(name, "/dev/zero", "/dev/zero: must be a regular file");
		refuses(name, folder, "must be a regular file");
		refuses(name, in(folder, "fifo"), "/fifo: must be a regular file");
		refuses(name, in(folder, "big"), "/big: longer than 65536 bytes");
		refuses(name, in(folder, "nul"), "/nul: has a byte 0: must be a text");
		refuses(name, in(folder, "none"), "/none: No such file or directory");
	}
	unlink(in(folder, "fifo"));
	unlink(in(folder, "big"));
	unlink(in(folder, "nul"));
	assert_int_equal(rmdir(folder), 0);
	free(big);
}

static void test_conf(void **state)
{
	static const char *const cases[][2] = {
		{ "\n# a comment\nsofthca0 loss=nan\n", "/conf, line 3: loss=nan: " CHANCE },
		{ "softhca8 loss=1%\n", "/conf, line 1: softhca8: a line must begin with" },
		{ "softhca4294967296 loss=1%\n", "a line must begin with softhca0 to softhca7" },
		{ "softhca loss=1%\n", "a line must begin with softhca0 to softhca7" },
		{ "softhca1 faults post:EIO@0\n", "/conf, line 1: post:EIO@0: must be" },
	};
	char folder[] = "/tmp/test-settings-XXXXXX";
	struct settings *s;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(in(folder, "conf"), cases[i][0]);
		refuses("SOFTHCA_CONF", in(folder, "conf"), cases[i][1]);
	}
	put(in(folder, "conf"), "softhca0 delay=1us # a\r\n softhca1\tfaults\tpost:EIO@2\r\n"
				"softhca2 profile=/a,seed=3\r\n\r\nsofthca3");
	s = takes("SOFTHCA_CONF", in(folder, "conf"));
	assert_int_equal(s->dev[0].delay_ns, 1000);
	assert_int_equal(s->dev[1].fault[0].n, 2);
	assert_string_equal(s->dev[2].profile, "/a");
	free(s);
	unlink(in(folder, "conf"));
	assert_int_equal(rmdir(folder), 0);
}

/* "softhca --help" has each variable, and no other one. */
static void test_help(void **state)
{
	const char *top = getenv("srcdir");
	char path[4096], *help, *line;
	bool found[NAMES] = { false };
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "%s/softhca/softhca", top ? top : ".");
	help = get(path);
	line = strstr(help, "usage: softhca");
	assert_non_null(line);
	*strstr(line, "\nEND\n") = '\0';
	while ((line = strstr(line, "SOFTHCA_"))) {
		const size_t len = strcspn(line, "=");

		/* in a sentence */
		if (len > strcspn(line, " ,;.\n")) {
			line += len;
			continue;
		}
		for (i = 0; i < NAMES; i++)
			if (strlen(names[i]) == len && !strncmp(names[i], line, len))
				break;
		if (i == NAMES)
			fail_msg("settings.def has no %.*s", (int)len, line);
		found[i] = true;
		line += len;
	}
	for (i = 0; i < NAMES; i++)
		if (!found[i])
			fail_msg("softhca --help has no %s=", names[i]);
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables), cmocka_unit_test(test_link),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_faults),	  cmocka_unit_test(test_files),
		cmocka_unit_test(test_conf),	  cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
