/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages in pieces into and out of test memory; see mem_copy.h. Called by verify.c. */
#include "config.h"

#include "rdma/mem_copy.h"

#include <string.h>

#include "util/log.h"

#define GAP_BYTES 64u /* looked at, or copied as words, in one go */

/*
 * Copies to and from device memory may have to be of whole words at multiples of 4 (rdma-core,
 * providers/mlx5/verbs.c, mlx5_access_dm()). The layout has a multiple of 64 bytes.
 */
#define WORD_BYTES 4u

static void device_get(const struct mem *mem, uint64_t off, void *to, uint64_t len)
{
	const int err = ibv_memcpy_from_dm(to, mem->dm, off, len);

	if (err) {
		memset(to, 0, len);
		log_note("cannot copy from device memory: %s", strerror(err));
	}
}

static void device_put(const struct mem *mem, uint64_t off, const void *from, uint64_t len)
{
	const int err = ibv_memcpy_to_dm(mem->dm, off, from, len);

	if (err)
		log_note("cannot copy to device memory: %s", strerror(err));
}

/* The next part of a copy that is in one block of words; skip: bytes of the block before it. */
struct part {
	uint64_t off, len; /* of the block */
	uint64_t skip, bytes;
};

static struct part part_of(uint64_t off, uint64_t len)
{
	const uint64_t skip = off % WORD_BYTES;
	const uint64_t most = GAP_BYTES - skip, bytes = len < most ? len : most;

	return (struct part){
		.off = off - skip, .skip = skip, .bytes = bytes,
		.len = (skip + bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES,
	};
}

static void device_in(const struct mem *mem, uint64_t off, const uint8_t *from, uint64_t len)
{
	while (len) {
		const struct part p = part_of(off, len);
		uint32_t words[GAP_BYTES / WORD_BYTES];

		/* the bytes beside it in the first and the last word stay */
		if (p.len != p.bytes)
			device_get(mem, p.off, words, p.len);
		memcpy((uint8_t *)words + p.skip, from, p.bytes);
		device_put(mem, p.off, words, p.len);
		off += p.bytes;
		from += p.bytes;
		len -= p.bytes;
	}
}

static void device_out(const struct mem *mem, uint64_t off, uint8_t *to, uint64_t len)
{
	while (len) {
		const struct part p = part_of(off, len);
		uint32_t words[GAP_BYTES / WORD_BYTES];

		device_get(mem, p.off, words, p.len);
		memcpy(to, (uint8_t *)words + p.skip, p.bytes);
		off += p.bytes;
		to += p.bytes;
		len -= p.bytes;
	}
}

void mem_copy_in(const struct mem *mem, uint64_t off, const void *from, uint64_t len)
{
	if (mem->dm)
		device_in(mem, off, from, len);
	else
		memcpy(mem->base + off, from, len);
}

void mem_copy_out(const struct mem *mem, uint64_t off, void *to, uint64_t len)
{
	if (mem->dm)
		device_out(mem, off, to, len);
	else
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
