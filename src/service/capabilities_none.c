/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * In place of capabilities_ng.c in a build without libcap-ng: a change from root to another user
 * clears all capabilities (capabilities(7)); others keep theirs.
 */
#include "config.h"
#include "service/privilege.h"

int capabilities_bound(void)
{
	return 0;
}

int capabilities_keep_few(void)
{
	return 0;
}
