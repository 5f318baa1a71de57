/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages in pieces into and out of test memory; see mem_copy.h. Called by verify.c. */
#include "config.h"

#include "rdma/mem_copy.h"

#include <string.h>

#define GAP_BYTES 64u /* looked at in one go */

void mem_copy_in(const struct mem *mem, uint64_t off, const void *from, uint64_t len)
{
	memcpy(mem->base + off, from, len);
}

void mem_copy_out(const struct mem *mem, uint64_t off, void *to, uint64_t len)
{
	memcpy(to, mem->base + off, len);
}

void mem_copy_scatter(const struct mem *mem, uint64_t off, const struct pieces *p,
		      const uint8_t *message)
{
	for (uint32_t i = 0; i < p->n; i++)
		mem_copy_in(mem, off + pieces_at(p, i), message + pieces_from(p, i),
			    pieces_len(p, i));
}

void mem_copy_gather(const struct mem *mem, uint64_t off, const struct pieces *p, uint8_t *message)
{
	for (uint32_t i = 0; i < p->n; i++)
		mem_copy_out(mem, off + pieces_at(p, i), message + pieces_from(p, i),
			     pieces_len(p, i));
}

uint32_t mem_copy_torn(const struct mem *mem, uint64_t off, const struct pieces *p)
{
	static const uint8_t zero[GAP_BYTES];
	uint8_t gap[GAP_BYTES];

	for (uint32_t i = 0; i + 1 < p->n; i++) {
		uint64_t from = off + pieces_at(p, i) + pieces_len(p, i);
		const uint64_t end = off + pieces_at(p, i + 1);

		while (from < end) {
			const uint64_t len = end - from < GAP_BYTES ? end - from : GAP_BYTES;

			mem_copy_out(mem, from, gap, len);
			if (memcmp(gap, zero, len))
				return i + 1;
			from += len;
		}
	}
	return 0;
}
