/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Programs that load libibverbs or libmlx5 themselves and look its functions up by dlsym() (NCCL,
 * MVAPICH, DPDK): they must find the functions of this library first; see api.h.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "api/api.h"

static bool is_replaced(const char *file)
{
	const char *name = strrchr(file, '/');

	name = name ? name + 1 : file;
	return !strncmp(name, "libibverbs.so", 13) || !strncmp(name, "libmlx5.so", 10);
}

/*
 * The handle of the program: a preloaded library is the first that is looked at through it, then
 * come the libraries that are loaded with RTLD_GLOBAL. Each other call is the last thing that the
 * function does, so that it is a jump: libc looks at the caller, for its RUNPATH.
 */
API API_JUMPS void *dlopen(const char *file, int mode)
{
	__typeof__(&dlopen) next = dlsym(RTLD_NEXT, "dlopen");

	if (file && is_replaced(file)) {
		if (!next(file, mode | RTLD_GLOBAL))
			return NULL;
		file = NULL;
	}
	return next(file, mode);
}
