/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* In place of sandbox_seccomp.c in a build without libseccomp. */
#include "config.h"
#include "service/service.h"

#include <errno.h>

#include "util/err.h"

int sandbox_check(void)
{
	return err_set(-ENOSYS, "this build has no sandbox: it was built without libseccomp");
}

int sandbox_enter(bool emulated)
{
	(void)emulated;
	return sandbox_check();
}
