/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --soft: the program starts itself again with the emulated HCA (libvb-softhca.so) preloaded. Knows
 * where that library is, but not what is in it.
 */
#ifndef PRELOAD_H
#define PRELOAD_H

/*
 * Returns 0 in the process that already runs with the library, else only on error: -errno with an
 * error message (-ENOENT: the library is not where it was installed or built). argv is main's.
 */
int preload_enter(char **argv) __attribute__((warn_unused_result));

/*
 * Where the library is. 0; -ENOENT with an error message. path has PATH_MAX bytes.
 */
int preload_find(char *path) __attribute__((warn_unused_result));

#endif
