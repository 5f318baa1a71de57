/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* GIDs as text. Pure. */
#ifndef GID_TEXT_H
#define GID_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GID_TEXT_MAX 46 /* INET6_ADDRSTRLEN */

/* "::ffff:10.0.0.1" into text (GID_TEXT_MAX bytes are enough). Returns text. */
const char *gid_text(const uint8_t raw[16], char *text, size_t size);

/* As gid_text(), but an IPv4 address is written "10.0.0.1". */
const char *gid_text_address(const uint8_t raw[16], char *text, size_t size);

/* Is it an IPv4 address of RoCE v2? */
bool gid_text_is_v4(const uint8_t raw[16]);

extern const char *const gid_text_types[]; /* "IB", "RoCE v1", "RoCE v2", by enum gid_type */

#endif
