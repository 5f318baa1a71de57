/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory of one endpoint: where each buffer lies, the mapping and its memory region, and the
 * pattern that --verify writes and checks. Opened by ep.c. Must not know queue pairs or requests.
 */
#include "config.h"

#include "rdma/mem.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/err.h"
#include "host/hugepages.h"
#include "util/log.h"
#include "rdma/verbs_code.h"
#include "rdma/verbs_error.h"

static uint64_t area_bytes(const struct walk *w)
{
	return w->bufs * w->stride;
}

void mem_layout(struct mem_layout *lay, const struct plan *plan, const struct point *point)
{
	memset(lay, 0, sizeof(*lay));
	lay->size_bytes = kind_is_atomic(plan->work.kind.op) ? 8 : point->size_bytes;
	lay->grh_bytes = kind_grh_bytes(plan->work.kind.tp);
	lay->hugepages = plan->work.hugepages;
	walk_tx(&lay->tx, plan, point);
	walk_rx(&lay->rx, plan, point);
	lay->rx_off = area_bytes(&lay->tx);
	lay->qp_bytes = lay->rx_off + area_bytes(&lay->rx);
	lay->total_bytes = lay->qp_bytes * plan->work.qps;
}

/*
 * A page of a private mapping costs a fault at its first write: all of them now, none in the
 * window.
 */
static void touch(uint8_t *base, uint64_t len, uint64_t page_bytes)
{
	volatile uint8_t *p = base;

	for (uint64_t off = 0; off < len; off += page_bytes)
		p[off] = 0;
}

/* The host's name in the sentence: where this process runs. */
static int map_huge(struct mem *mem)
{
	const uint64_t bytes = mem->layout.total_bytes;
	struct hugepages h;
	void *map = NULL;
	int rc = -ENOMEM;

	hugepages_read(&h);
	if (h.page_bytes) {
		mem->map_bytes = hugepages_pages(bytes, h.page_bytes) * h.page_bytes;
		rc = hugepages_map(&map, mem->map_bytes);
	}
	if (rc)
		return hugepages_refuse(-ENOMEM, "this host", bytes, &h);
	mem->base = map;
	mem->page_bytes = h.page_bytes;
	return 0;
}

static int map_small(struct mem *mem)
{
	void *map;
	int err;

	mem->map_bytes = mem->layout.total_bytes;
	map = mmap(NULL, mem->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (map == MAP_FAILED) {
		err = errno;
		return err_set(-err, "map %llu bytes of test memory: %s",
			       (unsigned long long)mem->map_bytes, strerror(err));
	}
	mem->base = map;
	mem->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	/* EINVAL: a kernel that joins none */
	if (madvise(map, mem->map_bytes, MADV_NOHUGEPAGE) && errno != EINVAL) {
		err = errno;
		mem_close(mem);
		return err_set(-err, "keep test memory in small pages: %s", strerror(err));
	}
	return 0;
}

static int map(struct mem *mem)
{
	struct hugepages h;

	switch (mem->layout.hugepages) {
	case HUGEPAGES_ON:
		return map_huge(mem);
	case HUGEPAGES_AUTO:
		hugepages_read(&h);
		if (h.page_bytes && mem->layout.total_bytes >= h.page_bytes && h.free &&
		    !map_huge(mem))
			return 0;
		err_clear();
		break;
	case HUGEPAGES_OFF:
	case HUGEPAGES_COUNT:
		break;
	}
	return map_small(mem);
}

int mem_open(struct mem *mem, struct ibv_pd *pd, const struct mem_layout *lay, int access)
{
	char text[ERR_TEXT_MAX];
	int err;

	*mem = (struct mem) { .layout = *lay };
	err = map(mem);
	if (err)
		return err;
	touch(mem->base, mem->map_bytes, mem->page_bytes);
	errno = 0;
	mem->mr = ibv_reg_mr(pd, mem->base, lay->total_bytes, access);
	if (!mem->mr) {
		err = errno ? errno : EIO;
		verbs_error_mr(text, sizeof(text), err, lay->total_bytes);
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
		munmap(mem->base, mem->map_bytes);
	*mem = (struct mem) { 0 };
}

int mem_access(const struct plan *plan, enum side side)
{
	const bool target = role_sends(plan->work.role[kind_other_side(side)]);

	return IBV_ACCESS_LOCAL_WRITE | (target ? verbs_code_access(plan->work.kind.op) : 0);
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
