/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The payload that --verify writes: which errors the check finds, and that it stays the same. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "device/mem.h"
#include "util/err.h"

/* Lengths around the word size; the byte after the end stays as it was. */
static void every_byte_is_checked(void **state)
{
	uint8_t buf[41];

	(void)state;
	for (uint64_t len = 0; len <= 40; len++) {
		memset(buf, 0x5a, sizeof(buf));
		mem_fill(buf, len, SIDE_CLIENT, 2, 7);
		assert_int_equal(buf[len], 0x5a);
		assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), 0);
		for (uint64_t i = 0; i < len; i++) {
			buf[i] ^= 0x10;
			assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), -EILSEQ);
			buf[i] ^= 0x10;
		}
	}
}

static void message(void **state)
{
	uint8_t buf[64];
	char want[128];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_SERVER, 3, 9);
	snprintf(want, sizeof(want), "payload differs: QP 3, buffer 9, byte 21: expected 0x%02x, "
		 "got 0x%02x", buf[21], buf[21] ^ 0xffu);
	buf[21] ^= 0xff;
	buf[22] ^= 0xff;
	buf[40] ^= 0xff;
	assert_int_equal(mem_check(buf, sizeof(buf), SIDE_SERVER, 3, 9), -EILSEQ);
	assert_string_equal(err_text(), want);
}

/* A message that went to the wrong place, or bytes shifted by a word, must not pass. */
static void no_two_alike(void **state)
{
	uint8_t buf[4096];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 0, 0);
	assert_int_equal(mem_check(buf, 8, SIDE_SERVER, 0, 0), -EILSEQ);
	for (uint32_t i = 1; i < 1000; i++) {
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, i, 0), -EILSEQ);
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, 0, i), -EILSEQ);
	}
	for (size_t i = 8; i + 8 <= sizeof(buf); i += 8)
		assert_int_equal(mem_check(buf + i, 8, SIDE_CLIENT, 0, 0), -EILSEQ);
}

/* The peer may run another build or byte order: the payload is part of the protocol. */
static void payload_is_fixed(void **state)
{
	/* From an independent program: the splitmix64 finaliser that mem.c names. */
	static const uint8_t want[8] = {
		0x53, 0x7c, 0x61, 0x4d, 0x37, 0xfe, 0xf9, 0x85,
	};
	uint8_t buf[8];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 1, 2);
	assert_memory_equal(buf, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_is_checked),
		cmocka_unit_test(message),
		cmocka_unit_test(no_two_alike),
		cmocka_unit_test(payload_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
