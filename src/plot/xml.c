/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the escaping of texts in a page; see xml.h. */
#include "config.h"
#include "plot/xml.h"

void xml_text(FILE *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;

		switch (byte) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			/* as text_clean() of util/text.h, which needs a length */
			fputc(byte > 126 ? '?' : byte < 32 ? ' ' : byte, out);
		}
	}
}
