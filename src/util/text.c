/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a printable text is: see text.h. Called where a text enters or leaves the program. */
#include "config.h"
#include "util/text.h"

const char *text_clean(const char *src, char *text, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && src[i]; i++) {
		const unsigned char c = (unsigned char)src[i];

		text[i] = c < 0x20 || c == 0x7f ? ' ' : c > 0x7f ? '?' : (char)c;
	}
	text[i] = '\0';
	return text;
}
