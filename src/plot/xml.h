/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Texts from anywhere inside a page: of elements, and of attributes in either kind of quotes. */
#ifndef XML_H
#define XML_H

#include <stdio.h>

/*
 * Writes the text with < > & " ' as references. What is no printable ASCII becomes a space or '?'
 * (util/text.h), so nothing of it can be markup.
 */
void xml_text(FILE *out, const char *text);

#endif
