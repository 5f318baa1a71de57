/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory of one endpoint: maps, registers and frees it, copies into and out of it. It knows no
 * queue pairs and no requests.
 */
#include "config.h"
#include "device/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/gpu.h"
#include "place/hugepages.h"
#include "util/err.h"
#include "util/log.h"
#include "verbs/verbs_error.h"

#define ADVISE_BYTES (UINT64_C(1) << 30)

/*
 * The first write to a page of a private mapping costs a fault. All pages are written now, so that
 * no fault falls into the measured time.
 */
static void touch(uint8_t *base, uint64_t len, uint64_t page_bytes)
{
	volatile uint8_t *p = base;

	for (uint64_t off = 0; off < len; off += page_bytes)
		p[off] = 0;
}

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
	int rc;

	mem->map_bytes = mem->layout.total_bytes;
	map = mmap(NULL, mem->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (map == MAP_FAILED)
		return verbs_failed(-errno, "cannot map %llu bytes of test memory",
				    (unsigned long long)mem->map_bytes);
	mem->base = map;
	mem->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	/* EINVAL: this kernel makes no huge pages of small ones */
	if (!madvise(map, mem->map_bytes, MADV_NOHUGEPAGE) || errno == EINVAL)
		return 0;
	rc = verbs_failed(-errno, "cannot keep test memory in small pages");
	mem_close(mem);
	return rc;
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

/* Of an unknown content when it is new. */
static int clear(struct mem *mem)
{
	static const uint8_t zero[4096];
	const uint64_t bytes = mem->layout.total_bytes;
	int rc = 0;

	for (uint64_t off = 0; off < bytes && !rc; off += sizeof(zero))
		rc = ibv_memcpy_to_dm(mem->dm, off, zero,
				      bytes - off < sizeof(zero) ? bytes - off : sizeof(zero));
	return rc ? verbs_failed(-rc, "cannot clear device memory") : 0;
}

/* Zero based: the kernel registers no device memory else (uverbs_std_types_mr.c, DM_MR_REG). */
static int reg_device(struct mem *mem, struct ibv_pd *pd, int access)
{
	const uint64_t bytes = mem->layout.total_bytes;

	errno = 0;
	mem->mr = ibv_reg_dm_mr(pd, mem->dm, 0, bytes,
				(unsigned int)access | IBV_ACCESS_ZERO_BASED);
	return mem->mr ? 0 : verbs_failed(err_code(), "cannot register %llu bytes of device memory",
					  (unsigned long long)bytes);
}

/* What max_dm_size promises may be in use: then there is no memory. */
static int open_device(struct mem *mem, struct ibv_pd *pd, int access)
{
	struct ibv_alloc_dm_attr attr = { .length = mem->layout.total_bytes };
	int rc;

	errno = 0;
	mem->dm = ibv_alloc_dm(pd->context, &attr);
	if (!mem->dm)
		return verbs_failed(err_code(), "cannot allocate %llu bytes of device memory on %s",
				    (unsigned long long)attr.length,
				    ibv_get_device_name(pd->context->device));
	rc = clear(mem);
	if (!rc)
		rc = reg_device(mem, pd, access);
	if (rc)
		mem_close(mem);
	return rc;
}

/* With errno. */
static struct ibv_mr *reg_bytes(const struct mem *mem, struct ibv_pd *pd,
				const struct gpu_part *part, int access)
{
	errno = 0;
	return mem->gpu ? gpu_reg(mem->gpu, pd, part, access) :
			  ibv_reg_mr(pd, mem->base + part->off, part->bytes, access);
}

/*
 * A device without relaxed ordering ignores the flag: it is of the optional range, libibverbs takes
 * these away on a kernel that does not know them (ibv_reg_mr_iova2()), and drivers mask them
 * (efa_reg_mr(), mana_ib_reg_user_mr(): access_flags &= ~IB_ACCESS_OPTIONAL). Some did not: rxe
 * between Linux commit 02ed253770fb and its fix, the first mana. They refuse the registration.
 */
static int reg_part(struct mem *mem, struct ibv_pd *pd, int access, uint32_t i)
{
	const uint64_t bytes = mem->layout.region_bytes;
	const struct gpu_part part = { .off = i * bytes, .bytes = bytes };
	const int strict = access & ~(int)IBV_ACCESS_RELAXED_ORDERING;
	struct ibv_mr **mr = mem->mrs ? &mem->mrs[i] : &mem->mr;

	*mr = reg_bytes(mem, pd, &part, mem->relaxed ? access : strict);
	if (!*mr && mem->relaxed && (errno == EINVAL || errno == EOPNOTSUPP)) {
		mem->relaxed = false;
		*mr = reg_bytes(mem, pd, &part, strict);
	}
	if (*mr)
		return 0;
	return mem->gpu ? gpu_refuse(mem->gpu, err_code()) : verbs_error_mr(err_code(), bytes);
}

static int reg_all(struct mem *mem, struct ibv_pd *pd, int access)
{
	const uint32_t n = (uint32_t)(mem->layout.total_bytes / mem->layout.region_bytes);
	int rc = 0;

	mem->relaxed = access & IBV_ACCESS_RELAXED_ORDERING;
	if (n > 1)
		mem->mrs = calloc(n, sizeof(struct ibv_mr *));
	if (n > 1 && !mem->mrs)
		return err_set(-ENOMEM, "no memory for %u memory regions", n);
	mem->n_mrs = mem->mrs ? n : 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = reg_part(mem, pd, access, i);
	return rc;
}

static int open_host(struct mem *mem, struct ibv_pd *pd, int access)
{
	int rc = map(mem);

	if (rc)
		return rc;
	touch(mem->base, mem->map_bytes, mem->page_bytes);
	mem->addr = (uintptr_t)mem->base;
	rc = reg_all(mem, pd, access);
	if (rc)
		mem_close(mem);
	return rc;
}

/* A request has no more than ADVISE_BYTES, whose length has 32 bits. */
static int prefetch(const struct mem *mem, struct ibv_pd *pd)
{
	const uint64_t bytes = mem->layout.region_bytes;
	int rc = 0;

	for (uint64_t off = 0, len; off < mem->layout.total_bytes && !rc; off += len) {
		struct ibv_sge sge = { .addr = mem->addr + off, .lkey = mem_mr(mem, off)->lkey };

		len = bytes - off % bytes < ADVISE_BYTES ? bytes - off % bytes : ADVISE_BYTES;
		sge.length = (uint32_t)len;
		rc = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				   IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
	}
	return rc ? verbs_failed(-rc, "cannot map %llu bytes of test memory in advance (ibv_advise_mr)",
				 (unsigned long long)mem->layout.total_bytes) : 0;
}

static int open_prefetched(struct mem *mem, struct ibv_pd *pd, int access)
{
	int rc = open_host(mem, pd, access);

	if (rc)
		return rc;
	rc = prefetch(mem, pd);
	if (rc)
		mem_close(mem);
	return rc;
}

static int open_gpu(struct mem *mem, struct ibv_pd *pd, int access)
{
	const struct gpu_ask ask = { .n = mem->layout.gpu, .bytes = mem->layout.total_bytes };
	int rc = gpu_open(&mem->gpu, pd->context->device, &ask);

	if (rc)
		return rc;
	mem->addr = gpu_addr(mem->gpu);
	rc = reg_all(mem, pd, access);
	if (rc)
		mem_close(mem);
	return rc;
}

int mem_open_null(struct mem *mem, struct ibv_pd *pd)
{
	errno = 0;
	mem->null = ibv_alloc_null_mr(pd);
	return mem->null ? 0 : verbs_failed(err_code(), "cannot allocate a null memory region on %s",
					    ibv_get_device_name(pd->context->device));
}

void mem_close(struct mem *mem)
{
	if (mem->null)
		verbs_warn("free the null memory region", ibv_dereg_mr(mem->null));
	if (mem->mr)
		verbs_warn("deregister test memory", ibv_dereg_mr(mem->mr));
	for (uint32_t i = 0; i < mem->n_mrs; i++)
		if (mem->mrs[i])
			verbs_warn("deregister a part of test memory", ibv_dereg_mr(mem->mrs[i]));
	free(mem->mrs);
	if (mem->dm)
		verbs_warn("free device memory", ibv_free_dm(mem->dm));
	gpu_close(mem->gpu);
	if (mem->base)
		munmap(mem->base, mem->map_bytes);
	*mem = (struct mem) { 0 };
}

/* ---- into and out of it */

#define BLOCK_BYTES 64u /* copied as words in one go */

/*
 * Copies to and from device memory may have to be of whole words at multiples of 4 (rdma-core,
 * providers/mlx5/verbs.c, mlx5_access_dm()). The layout has a multiple of 64 bytes.
 */
#define WORD_BYTES 4u

static void device_get(const struct mem *mem, uint64_t off, void *to, uint64_t len)
{
	const int err = ibv_memcpy_from_dm(to, mem->dm, off, len);

	if (err)
		memset(to, 0, len);
	verbs_warn("copy from device memory", err);
}

static void device_put(const struct mem *mem, uint64_t off, const void *from, uint64_t len)
{
	verbs_warn("copy to device memory", ibv_memcpy_to_dm(mem->dm, off, from, len));
}

/* The next part of a copy that is in one block of words; skip: bytes of the block before it. */
struct part {
	uint64_t off, len; /* of the block */
	uint64_t skip, bytes;
};

static struct part part_of(uint64_t off, uint64_t len)
{
	const uint64_t skip = off % WORD_BYTES;
	const uint64_t most = BLOCK_BYTES - skip, bytes = len < most ? len : most;

	return (struct part){
		.off = off - skip, .skip = skip, .bytes = bytes,
		.len = (skip + bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES,
	};
}

static void device_in(const struct mem *mem, uint64_t off, const uint8_t *from, uint64_t len)
{
	while (len) {
		const struct part p = part_of(off, len);
		uint32_t words[BLOCK_BYTES / WORD_BYTES];

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
		uint32_t words[BLOCK_BYTES / WORD_BYTES];

		device_get(mem, p.off, words, p.len);
		memcpy(to, (uint8_t *)words + p.skip, p.bytes);
		off += p.bytes;
		to += p.bytes;
		len -= p.bytes;
	}
}

static void gpu_in(const struct mem *mem, uint64_t off, const uint8_t *from, uint64_t len)
{
	if (gpu_put(mem->gpu, off, from, len))
		log_note("%s", err_text());
}

static void gpu_out(const struct mem *mem, uint64_t off, uint8_t *to, uint64_t len)
{
	if (!gpu_get(mem->gpu, off, to, len))
		return;
	memset(to, 0, len);
	log_note("%s", err_text());
}

static void host_in(const struct mem *mem, uint64_t off, const uint8_t *from, uint64_t len)
{
	memcpy(mem->base + off, from, len);
}

static void host_out(const struct mem *mem, uint64_t off, uint8_t *to, uint64_t len)
{
	memcpy(to, mem->base + off, len);
}

/* What each row of options/buffers.def needs here. */
static const struct {
	int (*open)(struct mem *mem, struct ibv_pd *pd, int access);
	void (*in)(const struct mem *mem, uint64_t off, const uint8_t *from, uint64_t len);
	void (*out)(const struct mem *mem, uint64_t off, uint8_t *to, uint64_t len);
} kinds[] = {
	[BUFFERS_HOST] = { open_host, host_in, host_out },
	[BUFFERS_ODP] = { open_host, host_in, host_out },
	[BUFFERS_PREFETCH] = { open_prefetched, host_in, host_out },
	[BUFFERS_DEVICE] = { open_device, device_in, device_out },
	[BUFFERS_CUDA] = { open_gpu, gpu_in, gpu_out },
	[BUFFERS_NULL] = { open_host, host_in, host_out },
};

int mem_open(struct mem *mem, struct ibv_pd *pd, const struct layout *lay, int access)
{
	*mem = (struct mem) { .layout = *lay };
	return kinds[lay->buffers].open(mem, pd, access);
}

void mem_copy_in(const struct mem *mem, uint64_t off, const void *from, uint64_t len)
{
	kinds[mem->layout.buffers].in(mem, off, from, len);
}

void mem_copy_out(const struct mem *mem, uint64_t off, void *to, uint64_t len)
{
	kinds[mem->layout.buffers].out(mem, off, to, len);
}
