/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* GIDs and their types as text, for messages, notes and columns. Pure. */
#include "config.h"
#include "limits/gid_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

const char *const gid_text_types[] = { "IB", "RoCE v1", "RoCE v2", NULL };

/* RoCE v2 (IBA annex A17.4.5.2) carries IPv4 addresses as RFC 4291 2.5.5.2 maps them. */
bool gid_text_is_v4(const uint8_t raw[16])
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(raw, prefix, sizeof(prefix));
}

const char *gid_text(const uint8_t raw[16], char *text, size_t size)
{
	if (!inet_ntop(AF_INET6, raw, text, (socklen_t)size) && size)
		text[0] = '\0';
	return text;
}

const char *gid_text_address(const uint8_t raw[16], char *text, size_t size)
{
	if (!gid_text_is_v4(raw))
		return gid_text(raw, text, size);
	if (!inet_ntop(AF_INET, raw + 12, text, (socklen_t)size) && size)
		text[0] = '\0';
	return text;
}
