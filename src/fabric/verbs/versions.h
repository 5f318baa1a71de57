/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which libraries of rdma-core this process has, and which providers libibverbs finds. */
#ifndef VERSIONS_H
#define VERSIONS_H

#include <stddef.h>

#define VERSIONS_TEXT 64
#define VERSIONS_DRIVERS "/etc/libibverbs.d" /* what libibverbs of a distribution reads */

/*
 * The version of a library that is loaded, from the name of its file: "1.14.44.0" for "libibverbs"
 * of rdma-core 44.0. "" if it is not loaded or its name has no version. Returns text.
 */
const char *versions_loaded(const char *library, char text[VERSIONS_TEXT]);

/* The same without its first two parts: "44.0", as rdma-core numbers its libraries. */
const char *versions_core(const char *version);

/*
 * The names in the files of VERSIONS_DRIVERS, in order, with blanks between them; have: those whose
 * library is beside libibverbs, or not. Cut to size. Returns text.
 */
const char *versions_providers(char *text, size_t size, int have);

#endif
