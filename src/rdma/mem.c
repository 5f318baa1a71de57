/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Maps, registers and frees the test memory of one endpoint. Called by ep.c. Must not know queue
 * pairs or requests.
 */
#include "config.h"

#include "rdma/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/err.h"
#include "host/hugepages.h"
#include "util/log.h"
#include "verbs/verbs_error.h"

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
	int err;

	mem->map_bytes = mem->layout.total_bytes;
	map = mmap(NULL, mem->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (map == MAP_FAILED) {
		err = errno;
		return err_set(-err, "cannot map %llu bytes of test memory: %s",
			       (unsigned long long)mem->map_bytes, strerror(err));
	}
	mem->base = map;
	mem->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	/* EINVAL: this kernel makes no huge pages of small ones */
	if (madvise(map, mem->map_bytes, MADV_NOHUGEPAGE) && errno != EINVAL) {
		err = errno;
		mem_close(mem);
		return err_set(-err, "cannot keep test memory in small pages: %s", strerror(err));
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

/* Of an unknown content when it is new. */
static int clear(struct mem *mem)
{
	static const uint8_t zero[4096];
	const uint64_t bytes = mem->layout.total_bytes;
	int rc = 0;

	for (uint64_t off = 0; off < bytes && !rc; off += sizeof(zero))
		rc = ibv_memcpy_to_dm(mem->dm, off, zero,
				      bytes - off < sizeof(zero) ? bytes - off : sizeof(zero));
	return rc ? err_set(-rc, "cannot clear device memory: %s", strerror(rc)) : 0;
}

/* Zero based: the kernel registers no device memory else (uverbs_std_types_mr.c, DM_MR_REG). */
static int reg_device(struct mem *mem, struct ibv_pd *pd, int access)
{
	const uint64_t bytes = mem->layout.total_bytes;
	int err;

	errno = 0;
	mem->mr = ibv_reg_dm_mr(pd, mem->dm, 0, bytes,
				(unsigned int)access | IBV_ACCESS_ZERO_BASED);
	if (mem->mr)
		return 0;
	err = errno ? errno : EIO;
	return err_set(-err, "cannot register %llu bytes of device memory: %s",
		       (unsigned long long)bytes, strerror(err));
}

/* What max_dm_size promises may be in use: then there is no memory. */
static int open_device(struct mem *mem, struct ibv_pd *pd, int access)
{
	struct ibv_alloc_dm_attr attr = { .length = mem->layout.total_bytes };
	int rc;

	errno = 0;
	mem->dm = ibv_alloc_dm(pd->context, &attr);
	if (!mem->dm) {
		rc = errno ? errno : EIO;
		return err_set(-rc, "cannot allocate %llu bytes of device memory on %s: %s",
			       (unsigned long long)attr.length,
			       ibv_get_device_name(pd->context->device), strerror(rc));
	}
	rc = clear(mem);
	if (!rc)
		rc = reg_device(mem, pd, access);
	if (rc)
		mem_close(mem);
	return rc;
}

/*
 * A device without relaxed ordering ignores the flag: it is of the optional range, libibverbs takes
 * these away on a kernel that does not know them (ibv_reg_mr_iova2()), and drivers mask them
 * (efa_reg_mr(), mana_ib_reg_user_mr(): access_flags &= ~IB_ACCESS_OPTIONAL). Some did not: rxe
 * between Linux commit 02ed253770fb and its fix, the first mana. They refuse the registration.
 */
static int reg_host(struct mem *mem, struct ibv_pd *pd, int access)
{
	const uint64_t bytes = mem->layout.total_bytes;

	mem->relaxed = access & IBV_ACCESS_RELAXED_ORDERING;
	errno = 0;
	mem->mr = ibv_reg_mr(pd, mem->base, bytes, access);
	if (!mem->mr && mem->relaxed && (errno == EINVAL || errno == EOPNOTSUPP)) {
		mem->relaxed = false;
		errno = 0;
		mem->mr = ibv_reg_mr(pd, mem->base, bytes,
				     access & ~(int)IBV_ACCESS_RELAXED_ORDERING);
	}
	return mem->mr ? 0 : errno ? errno : EIO;
}

int mem_open(struct mem *mem, struct ibv_pd *pd, const struct layout *lay, int access)
{
	char text[ERR_TEXT_MAX];
	int err;

	*mem = (struct mem) { .layout = *lay };
	if (lay->buffers == BUFFERS_DEVICE)
		return open_device(mem, pd, access);
	err = map(mem);
	if (err)
		return err;
	touch(mem->base, mem->map_bytes, mem->page_bytes);
	mem->addr = (uintptr_t)mem->base;
	err = reg_host(mem, pd, access);
	if (err) {
		verbs_error_mr(text, sizeof(text), err, lay->total_bytes);
		mem_close(mem);
		return err_set_cause(-err, verbs_error_cause(err), "%s", text);
	}
	return 0;
}

void mem_close(struct mem *mem)
{
	if (mem->mr) {
		int err = ibv_dereg_mr(mem->mr);

		if (err)
			log_note("cannot deregister test memory: %s", strerror(err));
	}
	if (mem->dm) {
		int err = ibv_free_dm(mem->dm);

		if (err)
			log_note("cannot free device memory: %s", strerror(err));
	}
	if (mem->base)
		munmap(mem->base, mem->map_bytes);
	*mem = (struct mem) { 0 };
}
