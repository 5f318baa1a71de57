/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory of one endpoint: where each buffer lies, the mapping and its memory region, and the
 * pattern that --verify writes and checks. Opened by ep.c. Must not know queue pairs or requests.
 */
#include "config.h"

#include "mem.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "err.h"
#include "log.h"
#include "why.h"

#define AREA_MAX_BYTES (UINT64_C(8) << 20)
#define TOTAL_MAX_BYTES (UINT64_C(1) << 30)
#define LINE_BYTES UINT64_C(64)
#define PAGE_BYTES UINT64_C(4096)

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * A buffer per slot of the request ring, which is the next power of two of depth, so that the
 * ring is a multiple of the walk over the buffers and no buffer is in two requests at once; fewer
 * (halved) when an area would outgrow the caches and tables that a test of that size is about.
 */
static uint32_t count_bufs(uint32_t depth, uint64_t stride)
{
	uint64_t n = 1;

	while (n < depth)
		n *= 2;
	while (n > 1 && n * stride > AREA_MAX_BYTES)
		n /= 2;
	return (uint32_t)n;
}

static void set_totals(struct mem_layout *lay, uint32_t qps)
{
	lay->rx_off = lay->tx_bufs * lay->stride;
	lay->qp_bytes = lay->rx_off + lay->rx_bufs * lay->stride;
	lay->total_bytes = lay->qp_bytes * qps;
}

void mem_layout(struct mem_layout *lay, const struct plan *plan, const struct point *point)
{
	bool two_sided = plan->kind.op == OP_SEND || plan->kind.op == OP_SEND_IMM;
	bool one_each = plan->pattern == PATTERN_PINGPONG;
	uint64_t bytes;

	memset(lay, 0, sizeof(*lay));
	lay->size_bytes = kind_is_atomic(plan->kind.op) ? 8 : point->size_bytes;
	lay->grh_bytes = plan->kind.tp == TP_UD ? MEM_GRH_BYTES : 0;
	bytes = lay->size_bytes + lay->grh_bytes;
	lay->stride = round_up(bytes ? bytes : 1,
			       lay->size_bytes >= PAGE_BYTES ? PAGE_BYTES : LINE_BYTES);
	lay->tx_bufs = one_each ? 1 : count_bufs(plan->depth, lay->stride);
	lay->rx_bufs = one_each ? 1 : count_bufs(two_sided ? plan->recv_depth : plan->depth,
						 lay->stride);
	set_totals(lay, plan->qps);
	while (lay->total_bytes > TOTAL_MAX_BYTES && (lay->tx_bufs > 1 || lay->rx_bufs > 1)) {
		lay->tx_bufs = lay->tx_bufs > 1 ? lay->tx_bufs / 2 : 1;
		lay->rx_bufs = lay->rx_bufs > 1 ? lay->rx_bufs / 2 : 1;
		set_totals(lay, plan->qps);
	}
}

/*
 * A page of a private mapping costs a fault at its first write: all of them now, none in the
 * window.
 */
static void touch(uint8_t *base, uint64_t len)
{
	volatile uint8_t *p = base;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (uint64_t off = 0; off < len; off += page)
		p[off] = 0;
}

int mem_open(struct mem *mem, struct ibv_pd *pd, const struct mem_layout *lay, int access)
{
	char text[ERR_TEXT_MAX];
	void *map;
	int err;

	*mem = (struct mem) { .layout = *lay };
	map = mmap(NULL, lay->total_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (map == MAP_FAILED) {
		err = errno;
		return err_set(-err, "map %llu bytes of test memory: %s",
			       (unsigned long long)lay->total_bytes, strerror(err));
	}
	mem->base = map;
	touch(mem->base, lay->total_bytes);
	errno = 0;
	mem->mr = ibv_reg_mr(pd, mem->base, lay->total_bytes, access);
	if (!mem->mr) {
		err = errno ? errno : EIO;
		why_mr(text, sizeof(text), err, lay->total_bytes);
		mem_close(mem);
		return err_set(-err, "%s", text);
	}
	return 0;
}

void mem_close(struct mem *mem)
{
	if (mem->mr) {
		int err = ibv_dereg_mr(mem->mr);

		if (err)
			log_note("deregister test memory: %s", strerror(err));
	}
	if (mem->base)
		munmap(mem->base, mem->layout.total_bytes);
	*mem = (struct mem) { 0 };
}

int mem_access(const struct plan *plan, enum side side)
{
	/* In a ping-pong both sides write, in both directions both are targets. */
	bool target = side == SIDE_SERVER || plan->bidir || plan->pattern == PATTERN_PINGPONG;
	int access = IBV_ACCESS_LOCAL_WRITE;

	if (!target)
		return access;
	switch (plan->kind.op) {
	case OP_WRITE:
	case OP_WRITE_IMM:
		return access | IBV_ACCESS_REMOTE_WRITE;
	case OP_READ:
		return access | IBV_ACCESS_REMOTE_READ;
	case OP_CMP_SWAP:
	case OP_FETCH_ADD:
		return access | IBV_ACCESS_REMOTE_ATOMIC;
	case OP_SEND:
	case OP_SEND_IMM:
	case OP_COUNT:
		break;
	}
	return access;
}

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
	return err_set(-EILSEQ, "payload differs: QP %u, buffer %u, byte %llu: expected 0x%02x, "
		       "got 0x%02x", qp, index, (unsigned long long)(off + i), want[i], got[i]);
}

int mem_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
{
	uint64_t seed = stream(sender, qp, index);

	for (uint64_t off = 0; off < len; off += 8) {
		uint64_t w = word(seed, off / 8);

		if (memcmp(buf + off, &w, len - off < 8 ? len - off : 8))
			return mismatch(buf + off, &w, off, qp, index);
	}
	return 0;
}
