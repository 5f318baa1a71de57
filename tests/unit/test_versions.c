/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Versions of libraries by the names of their files, and the providers that are installed. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <infiniband/verbs.h>

#include "verbs/versions.h"

static void version_of_rdma_core(void **state)
{
	(void)state;
	assert_string_equal(versions_core("1.14.44.0"), "44.0");
	assert_string_equal(versions_core("1.3.57.1"), "57.1");
	assert_string_equal(versions_core("1.14.44"), "");
	assert_string_equal(versions_core("1"), "");
	assert_string_equal(versions_core(""), "");
}

static void version_of_a_loaded_library(void **state)
{
	char text[VERSIONS_TEXT];

	(void)state;
	/* so that it is loaded */
	assert_non_null(ibv_node_type_str(IBV_NODE_CA));
	assert_string_equal(versions_loaded("libnothing", text), "");
	/* not a part of a name: libibverb is not libibverbs */
	assert_string_equal(versions_loaded("libibverb", text), "");
	assert_non_null(strchr("0123456789", versions_loaded("libibverbs", text)[0]));
	assert_non_null(strchr(text, '.'));
}

/* Each name is in one of the lists, and a list that does not fit is cut. */
static void providers(void **state)
{
	char with[4096], without[4096], cut[8];

	(void)state;
	versions_providers(with, sizeof(with), 1);
	versions_providers(without, sizeof(without), 0);
	assert_null(strchr(with, '\n'));
	if (strstr(with, "rxe"))
		assert_null(strstr(without, "rxe"));
	assert_int_equal(strncmp(versions_providers(cut, sizeof(cut), 1), with, sizeof(cut) - 1),
			 0);
	assert_true(strlen(cut) < sizeof(cut));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_of_rdma_core),
		cmocka_unit_test(version_of_a_loaded_library),
		cmocka_unit_test(providers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
