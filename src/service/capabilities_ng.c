/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the capabilities of the program, by libcap-ng; see privilege.h. Called by privilege.c. */
#include "config.h"
#include "service/privilege.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

/* Root, before it becomes another user: nothing that is started later can have a capability. */
int capabilities_bound(void)
{
	capng_clear(CAPNG_SELECT_BOUNDS);
	if (!capng_apply(CAPNG_SELECT_BOUNDS))
		return 0;
	return err_set(-EPERM, "the capabilities cannot be bounded: root of a container needs CAP_SETPCAP");
}

/* To lock more memory than the limit, and to move threads and memory: who started it decides. */
int capabilities_keep_few(void)
{
	static const unsigned int few[] = { CAP_IPC_LOCK, CAP_SYS_NICE };
	bool had[sizeof(few) / sizeof(few[0])];

	if (capng_get_caps_process())
		return err_set(-EPERM, "the capabilities of this process cannot be read");
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		had[i] = capng_have_capability(CAPNG_PERMITTED, few[i]);
	capng_clear(CAPNG_SELECT_CAPS);
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		if (had[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, few[i]);
	if (!capng_apply(CAPNG_SELECT_CAPS))
		return 0;
	return err_set(-EPERM, "the capabilities of this process cannot be given up");
}
