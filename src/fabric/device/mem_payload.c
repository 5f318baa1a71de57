/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Messages in pieces, and what --verify writes into test memory and looks for in it; see mem.h. The
 * peer may be another build on another machine: what is generated is part of the protocol.
 */
#include "config.h"
#include "device/mem.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "util/err.h"

/* ---- messages in pieces */

#define GAP_BYTES 64u /* looked at in one go */

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

/* ---- payloads */

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Mixing twice keeps the streams of neighbouring buffers from being shifts of each other. */
static uint64_t stream(enum side sender, uint32_t qp, uint32_t index)
{
	return mix(mix((uint64_t)qp << 32 | index) + (uint64_t)sender + 1);
}

/* Little-endian on every host: the two ends need not agree in byte order. */
static uint64_t word(uint64_t seed, uint64_t i)
{
	return htole64(mix(seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15)));
}

void mem_fill(uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
{
	uint64_t seed = stream(sender, qp, index);

	for (uint64_t off = 0; off < len; off += 8) {
		uint64_t w = word(seed, off / 8);

		memcpy(buf + off, &w, len - off < 8 ? len - off : 8);
	}
}

static int mismatch(const uint8_t *got, const uint64_t *want_word, uint64_t off, uint32_t qp,
		    uint32_t index)
{
	const uint8_t *want = (const uint8_t *)want_word;
	uint32_t i = 0;

	while (got[i] == want[i])
		i++;
	return err_set(-EILSEQ, "payload differs: QP %u, buffer %u, byte %llu: expected 0x%02x, got 0x%02x",
		       qp, index, (unsigned long long)(off + i), want[i], got[i]);
}

int mem_check_part(const uint8_t *at, const struct mem_part *part)
{
	const uint64_t seed = stream(part->sender, part->qp, part->index);

	for (uint64_t off = 0; off < part->len; off += 8) {
		uint64_t w = word(seed, (part->from + off) / 8);

		if (memcmp(at + off, &w, part->len - off < 8 ? part->len - off : 8))
			return mismatch(at + off, &w, part->from + off, part->qp, part->index);
	}
	return 0;
}

int mem_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
{
	return mem_check_part(buf, &(struct mem_part){ .sender = sender, .qp = qp, .index = index,
						       .len = len });
}
