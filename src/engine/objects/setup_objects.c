/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Measures the objects that are made and destroyed by turns: PDs, MRs, CQs (and their resize), SRQs
 * and address handles; see measure.h. setup_mw.c has the memory windows.
 */
#include "config.h"
#include "objects/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limits/gid.h"
#include "objects/rounds.h"
#include "place/hugepages.h"
#include "util/minmax.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define REASON 160

/* ---- by turns */

/* The operations of each kind, as its rows name them. */
static const char *const operations_of[][2] = {
	[OBJECT_PD] = { "ibv_alloc_pd", "ibv_dealloc_pd" },
	[OBJECT_MR] = { "ibv_reg_mr", "ibv_dereg_mr" },
	[OBJECT_CQ] = { "ibv_create_cq", "ibv_destroy_cq" },
	[OBJECT_SRQ] = { "ibv_create_srq", "ibv_destroy_srq" },
	[OBJECT_AH] = { "ibv_create_ah", "ibv_destroy_ah" },
	[OBJECT_MW_1] = { "ibv_alloc_mw (type 1)", "ibv_dealloc_mw (type 1)" },
	[OBJECT_MW_2] = { "ibv_alloc_mw (type 2)", "ibv_dealloc_mw (type 2)" },
};

struct turns {
	struct recipe *recipe;
	void *made;
};

static void *make(const struct setup_run *run, struct recipe *x)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = x->entries, .max_sge = 1 } };

	switch (x->kind) {
	case OBJECT_PD:
		return ibv_alloc_pd(run->dev->ctx);
	case OBJECT_MR:
		return ibv_reg_mr(run->pd, x->base, x->bytes, x->access);
	case OBJECT_CQ:
		return ibv_create_cq(run->dev->ctx, (int)x->entries, NULL, NULL, 0);
	case OBJECT_SRQ:
		return ibv_create_srq(run->pd, &srq);
	case OBJECT_AH:
		return ibv_create_ah(run->pd, &x->path);
	case OBJECT_MW_1:
		return ibv_alloc_mw(run->pd, IBV_MW_TYPE_1);
	case OBJECT_MW_2:
		return ibv_alloc_mw(run->pd, IBV_MW_TYPE_2);
	}
	return NULL;
}

static int destroy(enum object kind, void *made)
{
	switch (kind) {
	case OBJECT_PD:
		return ibv_dealloc_pd(made);
	case OBJECT_MR:
		return ibv_dereg_mr(made);
	case OBJECT_CQ:
		return ibv_destroy_cq(made);
	case OBJECT_SRQ:
		return ibv_destroy_srq(made);
	case OBJECT_AH:
		return ibv_destroy_ah(made);
	case OBJECT_MW_1:
	case OBJECT_MW_2:
		return ibv_dealloc_mw(made);
	}
	return 0;
}

static int call(struct rounds *r, uint32_t step, uint32_t i)
{
	struct turns *turns = r->arg;

	(void)i;
	if (step)
		return destroy(turns->recipe->kind, turns->made);
	turns->made = make(r->run, turns->recipe);
	return turns->made ? 0 : -1;
}

int setup_by_turns(struct setup_run *run, const struct setup_row *row, struct recipe *recipe,
		   const char *reason)
{
	const char *const *operations = operations_of[recipe->kind];
	const struct step steps[] = { { .operation = operations[0] },
				      { .operation = operations[1] } };
	struct turns turns = { .recipe = recipe };
	struct rounds rounds = {
		.run = run,
		.row = *row,
		.steps = steps,
		.n_steps = 2,
		.n = 1,
		.pinned_bytes = recipe->bytes,
		.call = call,
		.arg = &turns,
	};

	if (!reason)
		return rounds_run(&rounds);
	rounds_without(&rounds, SETUP_UNSUPPORTED, reason);
	return 0;
}

int setup_pd(struct setup_run *run, const struct measure *m)
{
	const struct setup_row row = rounds_row(m->name);

	return setup_by_turns(run, &row, &(struct recipe){ .kind = OBJECT_PD }, NULL);
}

/* ---- CQs and SRQs, by entries */

static const uint32_t cq_entries[] = { 16, 256, 4096, 65536 }, srq_entries[] = { 256, 4096 };

/* By turns: to many entries, and back. */
static const struct step resizes[] = {
	{ "ibv_resize_cq", .entries = 4096 },
	{ "ibv_resize_cq", .entries = 256 },
};

static int measure_entries(struct setup_run *run, const char *measurement, enum object kind,
			   uint32_t entries, uint64_t most)
{
	struct recipe recipe = { .kind = kind, .entries = entries };
	struct setup_row row = rounds_row(measurement);
	char reason[REASON];

	row.entries = entries;
	snprintf(reason, sizeof(reason), "%s has at most %" PRIu64 " entries",
		 run->dev->limits.device, most);
	if (!most)
		snprintf(reason, sizeof(reason), "the device has no shared receive queues");
	return setup_by_turns(run, &row, &recipe, entries > most ? reason : NULL);
}

static int call_resize(struct rounds *r, uint32_t step, uint32_t i)
{
	(void)i;
	return ibv_resize_cq(r->arg, (int)resizes[step].entries);
}

static int resize_cqs(struct setup_run *run, const char *measurement)
{
	struct rounds rounds = { .run = run, .row = rounds_row(measurement), .steps = resizes,
				 .n_steps = N(resizes), .n = 1, .call = call_resize };
	struct ibv_cq *cq;
	int rc, err;

	errno = 0;
	cq = ibv_create_cq(run->dev->ctx, (int)resizes[1].entries, NULL, NULL, 0);
	if (!cq)
		return series_failed(run, 0, "create a CQ to resize");
	rounds.arg = cq;
	rc = rounds_run(&rounds);
	err = ibv_destroy_cq(cq);
	return err && !rc ? series_failed(run, err, "destroy CQ") : rc;
}

int setup_cq(struct setup_run *run, const struct measure *m)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < N(cq_entries); i++)
		rc = measure_entries(run, m->name, OBJECT_CQ, cq_entries[i],
				     run->dev->limits.max_cqe);
	return rc ? rc : resize_cqs(run, m->name);
}

int setup_srq(struct setup_run *run, const struct measure *m)
{
	const struct ibv_device_attr *attr = &run->dev->attr;
	const uint64_t most = attr->max_srq > 0 ? (uint64_t)attr->max_srq_wr : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < N(srq_entries); i++)
		rc = measure_entries(run, m->name, OBJECT_SRQ, srq_entries[i], most);
	return rc;
}

/* Address handles to the server's port: on RoCE the first may wait for address resolution. */
int setup_ah(struct setup_run *run, const struct measure *m)
{
	const struct plan_gid *gid = gid_find(run->peer_limits,
					      plan_gid_index(run->plan, SIDE_SERVER));
	struct ep_addr peer = { .lid = run->peer_limits->lid };
	const struct ep_attr_in in = {
		.plan = run->plan,
		.local = &run->dev->limits,
		.gid_index = plan_gid_index(run->plan, SIDE_CLIENT),
		.peer = &peer,
	};
	struct recipe recipe = { .kind = OBJECT_AH };
	const struct setup_row row = rounds_row(m->name);

	if (!gid)
		return setup_by_turns(run, &row, &recipe, "the GID of the server is unknown");
	memcpy(peer.gid, gid->raw, sizeof(peer.gid));
	recipe.path = ep_attr_path(&in);
	return setup_by_turns(run, &row, &recipe, NULL);
}

/*
 * ---- memory regions, by size, pages and access. Each row has new memory, and small pages are not
 * touched before: the first registration makes them present.
 */

#define LEAST_BYTES (UINT64_C(4) << 10)
#define MOST_BYTES (UINT64_C(256) << 20)
#define FACTOR 16u

enum pages { PAGES_SMALL, PAGES_HUGE, PAGES_ODP, PAGES_COUNT };

static const char *const pages_names[] = { "small", "huge", "odp" };

static const struct rights {
	const char *name;
	int flags;
} accesses[] = {
	{ "local", IBV_ACCESS_LOCAL_WRITE },
	{ "remote_write", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE },
	{ "all", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_ATOMIC },
};

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

static int map_small(struct recipe *r)
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

static int measure_one(struct setup_run *run, struct setup_row *row, const struct rights *rights,
		       enum pages pages)
{
	struct recipe mr = { .kind = OBJECT_MR, .bytes = row->size_bytes,
			     .access = flags_of(run, rights, pages) };
	char text[REASON];
	const char *reason = missing(pages, mr.bytes, text, sizeof(text));
	int rc = 0;

	snprintf(row->access, sizeof(row->access), "%s", rights->name);
	if (!reason)
		rc = pages == PAGES_HUGE ? hugepages_map(&mr.base, mr.bytes) : map_small(&mr);
	if (rc) {
		snprintf(text, sizeof(text), "cannot map the memory: %s", strerror(-rc));
		reason = text;
	}
	rc = setup_by_turns(run, row, &mr, reason);
	if (!reason)
		munmap(mr.base, mr.bytes);
	return rc;
}

/* Why the device or the machine does not have these pages at all; NULL: it has. */
static const char *lacking(const struct setup_run *run, const struct hugepages *h, enum pages pages)
{
	if (pages == PAGES_HUGE && !h->page_bytes)
		return "the kernel has no hugepages";
	if (pages == PAGES_HUGE && !h->free)
		return "no hugepages are free: sysctl vm.nr_hugepages";
	if (pages == PAGES_ODP && !has_odp(run->dev->ctx))
		return "the device reports no on-demand paging";
	return NULL;
}

static int measure_pages(struct setup_run *run, const char *measurement, enum pages pages)
{
	const uint64_t most = min_u64(run->dev->attr.max_mr_size, MOST_BYTES);
	struct setup_row row = rounds_row(measurement);
	struct hugepages h;
	const char *reason;
	int rc = 0;

	hugepages_read(&h);
	reason = lacking(run, &h, pages);
	snprintf(row.pages, sizeof(row.pages), "%s", pages_names[pages]);
	if (reason) /* two rows stand for all sizes */
		return setup_by_turns(run, &row, &(struct recipe){ .kind = OBJECT_MR }, reason);
	row.page_bytes = pages == PAGES_HUGE ? h.page_bytes : (uint64_t)sysconf(_SC_PAGESIZE);
	for (uint64_t bytes = LEAST_BYTES; !rc && bytes <= most; bytes *= FACTOR) {
		row.size_bytes = bytes;
		for (size_t i = 0; !rc && i < N(accesses); i++)
			if (pages != PAGES_HUGE || bytes >= row.page_bytes)
				rc = measure_one(run, &row, &accesses[i], pages);
	}
	return rc;
}

int setup_mr(struct setup_run *run, const struct measure *m)
{
	int rc = 0;

	for (enum pages pages = 0; !rc && pages < PAGES_COUNT; pages++)
		rc = measure_pages(run, m->name, pages);
	return rc;
}
