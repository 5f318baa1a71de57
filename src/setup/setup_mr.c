/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of memory regions, by size, pages and access; see measure.h. Each row has
 * new memory, and small pages are not touched before: the first registration makes them present.
 */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/hugepages.h"
#include "setup/series.h"

#define LEAST_BYTES (UINT64_C(4) << 10)
#define MOST_BYTES (UINT64_C(256) << 20)
#define FACTOR 16u

enum pages { PAGES_SMALL, PAGES_HUGE, PAGES_ODP, PAGES_COUNT };

static const char *const pages_names[] = { "small", "huge", "odp" };

/* The memory that is registered, and how. */
struct region {
	struct ibv_pd *pd;
	void *base;
	uint64_t bytes;
	int access;
};

struct rights {
	const char *name;
	int flags;
};

static const struct rights accesses[] = {
	{ "local", IBV_ACCESS_LOCAL_WRITE },
	{ "remote_write", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE },
	{ "all", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_ATOMIC },
};

#define N_ACCESSES (sizeof(accesses) / sizeof(accesses[0]))

static void *open_mr(void *arg)
{
	const struct region *r = arg;

	return ibv_reg_mr(r->pd, r->base, r->bytes, r->access);
}

static int close_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static bool has_odp(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr = { .orig_attr = { .fw_ver = "" } };

	return !ibv_query_device_ex(ctx, NULL, &attr) &&
	       attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
}

/* The rights that the row names, as far as the device has them. */
static int flags_of(const struct setup_run *run, const struct rights *rights, enum pages pages)
{
	int flags = rights->flags;

	if (flags & IBV_ACCESS_REMOTE_ATOMIC && run->dev->attr.max_mw)
		flags |= IBV_ACCESS_MW_BIND;
	if (flags & IBV_ACCESS_REMOTE_ATOMIC && run->dev->attr.atomic_cap == IBV_ATOMIC_NONE)
		flags &= ~IBV_ACCESS_REMOTE_ATOMIC;
	/* a window on demand paging is not defined: ibv_reg_mr(3) */
	if (pages == PAGES_ODP)
		flags = (flags & ~IBV_ACCESS_MW_BIND) | IBV_ACCESS_ON_DEMAND;
	return flags;
}

static int map_small(struct region *r)
{
	r->base = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->base == MAP_FAILED)
		return -errno;
	/* EINVAL: this kernel makes no huge pages of small ones */
	if (madvise(r->base, r->bytes, MADV_NOHUGEPAGE) && errno != EINVAL) {
		const int err = errno;

		munmap(r->base, r->bytes);
		return -err;
	}
	return 0;
}

/* A row pair for one region. reason: as pair_measure(). */
static int measure(struct setup_run *run, struct region *r, const struct setup_row *row,
		   const char *reason)
{
	const struct pair pair = {
		.make = "ibv_reg_mr",
		.destroy = "ibv_dereg_mr",
		.open = open_mr,
		.close = close_mr,
		.arg = r,
		.pinned_bytes = r->bytes,
	};

	return pair_measure(run, row, &pair, reason);
}

/* Why so many bytes of these pages cannot be had now; NULL: they can. */
static const char *missing(enum pages pages, uint64_t bytes, char *text, size_t size)
{
	const uint64_t have = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct hugepages h;

	if (pages == PAGES_HUGE) {
		hugepages_read(&h);
		if (h.page_bytes && hugepages_pages(bytes, h.page_bytes) <= h.free)
			return NULL;
		snprintf(text, size, "%" PRIu64 " hugepages of %" PRIu64 " KiB are free, %" PRIu64 " are needed: sysctl vm.nr_hugepages",
			 h.free, h.page_bytes >> 10,
			 h.page_bytes ? hugepages_pages(bytes, h.page_bytes) : 0);
		return text;
	}
	/* half of what is free: the other half is for everybody else */
	if (bytes <= have / 2)
		return NULL;
	snprintf(text, size, "this machine has %" PRIu64 " MiB of free memory; twice the size of the region is needed",
		 have >> 20);
	return text;
}

static int measure_one(struct setup_run *run, struct ibv_pd *pd, struct setup_row *row,
		       const struct rights *rights, enum pages pages)
{
	struct region r = { .pd = pd, .bytes = row->size_bytes,
			    .access = flags_of(run, rights, pages) };
	char text[160];
	const char *reason = missing(pages, r.bytes, text, sizeof(text));
	int rc = 0;

	snprintf(row->access, sizeof(row->access), "%s", rights->name);
	if (!reason) {
		rc = pages == PAGES_HUGE ? hugepages_map(&r.base, r.bytes) : map_small(&r);
		if (rc) {
			snprintf(text, sizeof(text), "cannot map the memory: %s", strerror(-rc));
			reason = text;
		}
	}
	if (reason)
		return measure(run, &r, row, reason);
	rc = measure(run, &r, row, NULL);
	munmap(r.base, r.bytes);
	return rc;
}

static int measure_sizes(struct setup_run *run, struct ibv_pd *pd, enum pages pages,
			 uint64_t page_bytes)
{
	const uint64_t most = run->dev->attr.max_mr_size < MOST_BYTES ?
			      run->dev->attr.max_mr_size : MOST_BYTES;
	struct setup_row row;
	int rc = 0;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "mr");
	snprintf(row.pages, sizeof(row.pages), "%s", pages_names[pages]);
	row.page_bytes = page_bytes;
	for (uint64_t bytes = LEAST_BYTES; !rc && bytes <= most; bytes *= FACTOR) {
		row.size_bytes = bytes;
		if (pages == PAGES_HUGE && bytes < page_bytes)
			continue;
		for (size_t i = 0; !rc && i < N_ACCESSES; i++)
			rc = measure_one(run, pd, &row, &accesses[i], pages);
	}
	return rc;
}

/* The pages that the device or the machine does not have at all: one pair of rows for all sizes. */
static int measure_none(struct setup_run *run, enum pages pages, const char *reason)
{
	struct region none = { 0 };
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "mr");
	snprintf(row.pages, sizeof(row.pages), "%s", pages_names[pages]);
	return measure(run, &none, &row, reason);
}

static int measure_pages(struct setup_run *run, struct ibv_pd *pd, enum pages pages)
{
	struct hugepages h;

	hugepages_read(&h);
	if (pages == PAGES_HUGE && !h.page_bytes)
		return measure_none(run, pages, "the kernel has no hugepages");
	if (pages == PAGES_HUGE && !h.free)
		return measure_none(run, pages, "no hugepages are free: sysctl vm.nr_hugepages");
	if (pages == PAGES_ODP && !has_odp(run->dev->ctx))
		return measure_none(run, pages, "the device reports no on-demand paging");
	return measure_sizes(run, pd, pages, pages == PAGES_HUGE ? h.page_bytes :
						     (uint64_t)sysconf(_SC_PAGESIZE));
}

static int measure_all(struct setup_run *run, struct ibv_pd *pd)
{
	int rc = 0;

	for (enum pages pages = 0; !rc && pages < PAGES_COUNT; pages++)
		rc = measure_pages(run, pd, pages);
	return rc;
}

int setup_mr(struct setup_run *run)
{
	return setup_with_pd(run, measure_all);
}
