/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Texts that come from the peer, a device or a file, made safe for a terminal, CSV and JSON. Pure.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/*
 * Copies src to text as printable ASCII, cut to size - 1 characters (size is at least 1): a control
 * character becomes a space, a byte beyond ASCII '?'. src and text may be the same. Returns text.
 */
const char *text_clean(const char *src, char *text, size_t size);

/*
 * Writes '?' over each byte of a control character: C0, DEL, C1 (U+0080 to U+009F, which a terminal
 * obeys as it does ESC: ECMA-48, 5.3), and over each byte that is not UTF-8. The length stays.
 */
void text_shown(char *text, size_t len);

#endif
