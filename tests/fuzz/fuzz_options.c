/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Command lines: one word a line; the first byte is the command, the second the test. */
#include "config.h"

#include "options/options.h"
#include "fuzz.h"
#include "decide/plan.h"

#define WORDS 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *at, *argv[WORDS + 2] = { "verbench" };
	struct options_faults faults = { .wrong.n = 0 };
	struct cfg cfg = { .test = (enum test)0 };
	int argc = 1;

	if (size < 2)
		return 0;
	text = fuzz_text(data + 2, size - 2);
	for (at = text; argc <= WORDS && (argv[argc] = fuzz_line(&at)); argc++)
		continue;
	argv[argc] = NULL;
	if (!field_defaults(&options_table, &cfg)) {
		cfg.test = (enum test)(data[1] % TEST_COUNT);
		const struct options_line line = { .argc = argc, .argv = argv };

		if (!options_parse_all(&cfg, (enum options_command)(data[0] % (OPTIONS_CHECK + 1)),
				       &line, &faults))
			(void)!plan_rules(&cfg);
	}
	free(text);
	return 0;
}
