/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* cuda.c: which GPU is near. The calls of the driver: tests/soft/test_gpu.py. */
#include "config.h"
#include "device/cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ROOT "/sys/devices/pci0000:15"
#define SWITCH ROOT "/0000:15:01.0/0000:16:00.0"
#define NIC SWITCH "/0000:17:02.0/0000:18:00.0"

static void test_near(void **state)
{
	/* from the farthest to the nearest */
	static const char *const gpus[] = {
		"", "/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0",
		ROOT "/0000:15:02.0/0000:19:00.0", SWITCH "/0000:17:00.0/0000:1b:00.0",
	};

	(void)state;
	for (size_t i = 1; i < sizeof(gpus) / sizeof(gpus[0]); i++)
		assert_true(cuda_common(NIC, gpus[i]) > cuda_common(NIC, gpus[i - 1]));
	/* names that begin alike are no folder */
	assert_int_equal(cuda_common(ROOT "/0000:15:01.0/a", ROOT "/0000:15:02.0/a"),
			 cuda_common(ROOT "/x", ROOT "/y"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
