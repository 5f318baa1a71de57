/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Texts in markup: see plot.h. */
#include "config.h"
#include "pictures/plot.h"

#include <stdarg.h>
#include <string.h>

void plot_text(FILE *out, const char *text)
{
	static const char special[] = "<>&\"'";
	static const char *const references[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;" };

	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;
		const char *at = strchr(special, *c);

		/* as text_clean() of util/text.h, which needs a length */
		if (at)
			fputs(references[at - special], out);
		else
			fputc(byte > 126 ? '?' : byte < 32 ? ' ' : byte, out);
	}
}

void plot_html(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (const char *c = fmt; *c; c++) {
		if (*c != '%')
			fputc(*c, out);
		else if (*++c == '%')
			fputc('%', out);
		else if (*c == 's')
			plot_text(out, va_arg(ap, const char *));
		else if (*c == 'u')
			fprintf(out, "%u", va_arg(ap, unsigned int));
		else if (*c == 'z' && *++c)
			fprintf(out, "%zu", va_arg(ap, size_t));
		else if (*c == '.' && (c += 2))
			fprintf(out, "%.*f", c[-1] - '0', va_arg(ap, double));
	}
	va_end(ap);
}
