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

/* Bytes of the character at text, if it is UTF-8 of a character that can be shown; else 0. */
static size_t shown_bytes(const unsigned char *text, size_t len)
{
	const unsigned char first = text[0];
	const size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
			 first < 0xf5 ? 4 : 0;

	if (n == 1)
		return first >= ' ' && first != 0x7f;
	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (text[i] >> 6 != 2)
			return 0;
	/* C1, longer than needed, surrogates, beyond U+10FFFF: RFC 3629, 4 */
	if ((first == 0xc2 && text[1] < 0xa0) || (first == 0xe0 && text[1] < 0xa0) ||
	    (first == 0xed && text[1] > 0x9f) || (first == 0xf0 && text[1] < 0x90) ||
	    (first == 0xf4 && text[1] > 0x8f))
		return 0;
	return n;
}

void text_shown(char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		const size_t n = shown_bytes((const unsigned char *)text + i, len - i);

		if (!n)
			text[i] = '?';
		i += n ? n : 1;
	}
}
