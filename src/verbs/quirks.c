/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the table of quirks; see quirks.h. Called by files of rdma. */
#include "config.h"

#include "verbs/quirks.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum quirk quirk;
	const char *driver;
} rows[] = {
#define QUIRK(driver, quirk, source) { quirk, driver },
#include "verbs/quirks.def"
};

bool quirks_has(const char *driver, enum quirk quirk)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].quirk == quirk && !strcmp(rows[i].driver, driver))
			return true;
	return false;
}
