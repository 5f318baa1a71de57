/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sandbox of a session: the system calls that verbs, rdma_cm, hwloc, threads and the files of
 * results need; any other fails with EPERM, so that a library that tries one goes on without it.
 * A session then starts no program, makes no process, listens on no network, sends no signal to
 * others, traces and mounts nothing. It does not know paths: files are what the user of the server
 * may use (--user, the unit of the service manager).
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

/*
 * Can this build and kernel, and may this program (who started it may have set a filter, too)?
 * -errno with an error message.
 */
int sandbox_check(void) __attribute__((warn_unused_result));

/*
 * From now on, for this process and its threads, for good. emulated: it may read and write the
 * memory of other processes, which is how the emulated HCA moves data. -errno with an error
 * message.
 */
int sandbox_enter(bool emulated) __attribute__((warn_unused_result));

#endif
