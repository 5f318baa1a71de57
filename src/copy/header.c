/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the layout of the sends of a copy: see header.h. Pure. Called by link.c. */
#include "config.h"
#include "copy/header.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "util/err.h"

#define MAGIC 0x76624350u /* "vbCP" */

struct wire {
	uint32_t magic, kind;
	uint64_t seq, off, len;
	uint8_t sha256[COPY_SHA256_BYTES];
};

_Static_assert(sizeof(struct wire) == HEADER_BYTES, "a header has no holes");

void header_encode(uint8_t bytes[HEADER_BYTES], const struct header *h)
{
	struct wire w = {
		.magic = htobe32(MAGIC),
		.kind = htobe32(h->kind),
		.seq = htobe64(h->seq),
		.off = htobe64(h->off),
		.len = htobe64(h->len),
	};

	memcpy(w.sha256, h->sha256, sizeof(w.sha256));
	memcpy(bytes, &w, sizeof(w));
}

int header_decode(struct header *h, const uint8_t bytes[HEADER_BYTES], uint32_t len)
{
	struct wire w;

	memcpy(&w, bytes, sizeof(w));
	if (len != HEADER_BYTES || be32toh(w.magic) != MAGIC)
		return err_set(-EBADMSG, "the peer sent %u bytes that are no header of a copy", len);
	h->kind = be32toh(w.kind);
	h->seq = be64toh(w.seq);
	h->off = be64toh(w.off);
	h->len = be64toh(w.len);
	memcpy(h->sha256, w.sha256, sizeof(h->sha256));
	return 0;
}
