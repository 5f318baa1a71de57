/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder api: the functions of libibverbs that the library replaces. Each one hands the call to the
 * emulated HCA or to libibverbs, by the device, and does nothing else. No other folder includes it.
 */
#ifndef API_H
#define API_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define API __attribute__((visibility("default")))

/*
 * A call that is the last thing a function does is a jump, also in a build that is not optimised.
 * clang has no such attribute: there it takes a build that is.
 */
#ifdef __clang__
#define API_JUMPS
#else
#define API_JUMPS __attribute__((optimize("O2")))
#endif

/* The function of libibverbs with this name; NULL: there is no libibverbs, or it is too old. */
void *api_next_if(const char *name);
/* The same, if it must be there: an object of it is. */
void *api_next(const char *name);
/* Whether the device is emulated. */
bool api_emulated(const struct ibv_context *ctx);

/* The argument mode of open(2), which is there only if a file may be made. */
#define API_OPEN_MODE(flags, mode) \
	do { \
		va_list args; \
		va_start(args, flags); \
		if ((flags) & (O_CREAT | O_TMPFILE)) \
			mode = va_arg(args, mode_t); \
		va_end(args); \
	} while (0)

/* no installed header declares it */
int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port, unsigned int index,
		       unsigned int *type);

#endif
