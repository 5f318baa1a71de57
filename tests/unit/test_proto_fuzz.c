/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * proto.c, ctl.c: no frame, however mutated, does harm (run it under ASan), and each is decoded or
 * refused with an error message.
 */
#include "config.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto_samples.h"
#include "wire/ctl.h"

#define FUZZ_CASES 20000u
#define FUZZ_BYTES 16384u

/* xorshift64*: the same cases on every machine. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

static size_t mutate(char *text, size_t len, uint64_t *seed)
{
	static const char *const bits[] = { "null", "-1", "1e999", "[", "]", "{", "}", "\"", ",",
					    "\\u0000", "99999999999999999999", "0.5", ":", "true" };

	for (uint64_t n = next(seed) % 4; n > 0; n--) {
		const size_t at = next(seed) % len;
		const char *bit = bits[next(seed) % (sizeof(bits) / sizeof(bits[0]))];
		const size_t span = next(seed) % 24, from = next(seed) % len;

		switch (next(seed) % 4) {
		case 0:
			text[at] = (char)next(seed);
			break;
		case 1:
			if (at + strlen(bit) < len)
				memcpy(text + at, bit, strlen(bit));
			break;
		case 2: /* a piece of it elsewhere: whole members get doubled or swapped */
			if (at + span < len && from + span < len)
				memmove(text + at, text + from, span);
			break;
		default: /* a number or a text becomes another of the same length */
			text[at] = "0123456789\" -"[next(seed) % 13];
		}
	}
	return len;
}

static void decode_all(const json_t *msg)
{
	struct plan plan = sample_plan();

	(void)!read_hello(msg);
	(void)!read_limits(msg);
	(void)!read_endpoint(msg);
	(void)!read_done(msg);
	(void)!plan_compare(&plan, msg);
}

static void test_mutated_frames(void **state)
{
	const struct limits limits = sample_limits();
	const struct plan plan = sample_plan();
	const struct result result = sample_result();
	struct ep_qp_id qps[2];
	const struct ep_addr addr = sample_addr(qps, 2);
	json_t *msgs[] = { proto_hello(), proto_limits(&limits), plan_encode(&plan),
			   proto_endpoint(&addr), proto_done(&result) };
	uint64_t seed = 20261120, understood = 0;
	char text[FUZZ_BYTES + 4];

	(void)state;
	json_object_set_new(msgs[2], "type", json_string("agree"));
	for (uint32_t i = 0; i < FUZZ_CASES; i++) {
		size_t len = json_dumpb(msgs[i % 5], text + 4, FUZZ_BYTES, JSON_COMPACT);
		struct ctl ctl = CTL_CLOSED;
		uint32_t claimed;
		json_t *msg;
		int fd[2];

		assert_in_range(len, 1, FUZZ_BYTES);
		len = mutate(text + 4, len, &seed);
		claimed = (uint32_t)(next(&seed) % 16 ? len : len - 1 + next(&seed) % 4);
		for (int b = 0; b < 4; b++)
			text[b] = (char)(claimed >> (24 - 8 * b));
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
		assert_int_equal(send(fd[1], text, len + 4, 0), len + 4);
		close(fd[1]);
		ctl.fd = fd[0];
		if (ctl_try_recv(&ctl, &msg) == 1) {
			understood++;
			decode_all(msg);
			json_decref(msg);
		} else {
			assert_true(err_text()[0] != '\0');
		}
		ctl_close(&ctl);
	}
	/* neither all nor none: the mutations reach the decoders, and the parser */
	assert_in_range(understood, FUZZ_CASES / 4, FUZZ_CASES - FUZZ_CASES / 10);
	for (size_t i = 0; i < 5; i++)
		json_decref(msgs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutated_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
