/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How many descriptors a process may have (RLIMIT_NOFILE). A server has one of each connection, and
 * raises its soft limit. The hard limit stays, also for root: whoever set it meant it. Processes of
 * sessions do not have the raised limit: select(2) in a library does not know descriptors from
 * FD_SETSIZE on.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stdint.h>
#include <sys/resource.h>

/* The soft limit, or FD_SETSIZE where that is less: what descriptors_restore() sets again. */
rlim_t descriptors_usual(void);

/*
 * So many for what, such as "--max-sessions 16". -EINVAL with an error message: the hard limit is
 * too low.
 */
int descriptors_raise(uint32_t needed, const char *what) __attribute__((warn_unused_result));

void descriptors_restore(rlim_t usual);

#endif
