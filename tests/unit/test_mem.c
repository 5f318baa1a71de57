/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory: which pages it is made of, and the errors of mapping and registering it. The test
 * takes two hugepages from the kernel if none are free and the tester may.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/err.h"
#include "place/hugepages.h"
#include "device/mem.h"

#define MIB (UINT64_C(1) << 20)

static int refuse_relaxed; /* errno for relaxed ordering */
static int refuse_advice;  /* an errno */
static uint64_t advised;   /* bytes that the device was to map */

/* As a device, one call for each region. */
static int advise(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		  struct ibv_sge *sges, uint32_t n)
{
	(void)pd;
	assert_int_equal(advice, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	assert_int_equal(flags, IBV_ADVISE_MR_FLAG_FLUSH);
	assert_int_equal(n, 1);
	advised += sges->length;
	return refuse_advice;
}

/* Registers what it is given, if every page of it is there; the pages of the second half too. */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				unsigned int access)
{
	static struct ibv_mr mr;

	(void)pd;
	(void)iova;
	if (access & IBV_ACCESS_RELAXED_ORDERING && refuse_relaxed) {
		errno = refuse_relaxed;
		return NULL;
	}
	mr.addr = addr;
	mr.length = length;
	return &mr;
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	assert_non_null(mr);
	return 0;
}

static struct layout of_bytes(uint64_t bytes, enum hugepages_use use)
{
	return (struct layout) { .total_bytes = bytes, .region_bytes = bytes, .hugepages = use };
}

/* The line of this mapping in smaps that begins with key, in kB. */
static uint64_t smaps_kb(const void *at, const char *key)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	bool here = false;
	uint64_t kb = UINT64_MAX;

	assert_non_null(file);
	while (kb == UINT64_MAX && fgets(line, sizeof(line), file)) {
		unsigned long long start, end;

		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			here = (uintptr_t)at >= start && (uintptr_t)at < end;
		else if (here && !strncmp(line, key, strlen(key)))
			kb = strtoull(line + strlen(key), NULL, 10);
	}
	fclose(file);
	return kb;
}

static void small_pages(void **state)
{
	const struct layout lay = of_bytes(8 * MIB, HUGEPAGES_OFF);
	struct mem mem;

	(void)state;
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, sysconf(_SC_PAGESIZE));
	assert_int_equal(smaps_kb(mem.base, "KernelPageSize:") * 1024, mem.page_bytes);
	assert_int_equal(smaps_kb(mem.base, "AnonHugePages:"), 0);
	assert_true(smaps_kb(mem.base, "Rss:") >= 8 * 1024);
	assert_true(mem.base[0] == 0 && mem.base[8 * MIB - 1] == 0);
	mem_close(&mem);
	assert_null(mem.base);
}

/* Where a driver refuses an optional right, the memory is registered without it. */
static void relaxed(void **state)
{
	const struct layout lay = of_bytes(4096, HUGEPAGES_OFF);
	struct mem mem;

	(void)state;
	assert_int_equal(mem_open(&mem, NULL, &lay, IBV_ACCESS_LOCAL_WRITE), 0);
	assert_false(mem.relaxed);
	mem_close(&mem);
	assert_int_equal(mem_open(&mem, NULL, &lay, IBV_ACCESS_RELAXED_ORDERING), 0);
	assert_true(mem.relaxed);
	mem_close(&mem);
	refuse_relaxed = EOPNOTSUPP;
	assert_int_equal(mem_open(&mem, NULL, &lay, IBV_ACCESS_RELAXED_ORDERING), 0);
	assert_false(mem.relaxed);
	mem_close(&mem);
	refuse_relaxed = ENOMEM;
	assert_int_equal(mem_open(&mem, NULL, &lay, IBV_ACCESS_RELAXED_ORDERING), -ENOMEM);
	refuse_relaxed = 0;
}

/* All bytes, whatever the regions are; what the device does not map is no memory. */
static void prefetched(void **state)
{
	struct verbs_context ctx = { .sz = sizeof(ctx), .advise_mr = advise,
				     .context.abi_compat = __VERBS_ABI_IS_EXTENDED };
	struct ibv_pd pd = { .context = &ctx.context };
	struct layout lay = of_bytes(12 * MIB, HUGEPAGES_OFF);
	struct mem mem;

	(void)state;
	lay.buffers = BUFFERS_ODP;
	assert_int_equal(mem_open(&mem, &pd, &lay, IBV_ACCESS_ON_DEMAND), 0);
	assert_int_equal(advised, 0);
	mem_close(&mem);
	lay.buffers = BUFFERS_PREFETCH;
	for (uint32_t regions = 1; regions <= 3; regions++) {
		advised = 0;
		lay.region_bytes = lay.total_bytes / regions;
		assert_int_equal(mem_open(&mem, &pd, &lay, IBV_ACCESS_ON_DEMAND), 0);
		assert_int_equal(advised, lay.total_bytes);
		assert_int_equal(mem.n_mrs, regions > 1 ? regions : 0);
		mem_close(&mem);
	}
	refuse_advice = EOPNOTSUPP;
	assert_int_equal(mem_open(&mem, &pd, &lay, IBV_ACCESS_ON_DEMAND), -EOPNOTSUPP);
	assert_null(mem.base);
	refuse_advice = 0;
}

#define POOL "/proc/sys/vm/nr_hugepages"

static long pool(void)
{
	FILE *file = fopen(POOL, "re");
	long n = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &n) != 1)
		n = -1;
	fclose(file);
	return n;
}

static void set_pool(long n)
{
	FILE *file = fopen(POOL, "we");

	if (!file)
		return;
	fprintf(file, "%ld", n);
	fclose(file);
}

/* Before the test: *state is what the kernel had, if it was changed. */
static int borrow_hugepages(void **state)
{
	static long before;
	struct hugepages h;

	hugepages_read(&h);
	before = pool();
	*state = NULL;
	if (h.free >= 2 || before < 0)
		return 0;
	set_pool(before + 2);
	*state = &before;
	return 0;
}

static int return_hugepages(void **state)
{
	if (*state)
		set_pool(*(long *)*state);
	return 0;
}

static void hugepages(void **state)
{
	struct layout lay;
	struct mem mem;
	struct hugepages h;

	(void)state;
	hugepages_read(&h);
	if (!h.page_bytes || h.free < 2) {
		print_message("no hugepages are free, and none could be had\n");
		skip();
	}
	lay = of_bytes(h.page_bytes + 1, HUGEPAGES_ON);
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, h.page_bytes);
	assert_int_equal(mem.map_bytes, 2 * h.page_bytes);
	assert_int_equal(mem.mr->length, h.page_bytes + 1);
	assert_int_equal(smaps_kb(mem.base, "KernelPageSize:") * 1024, h.page_bytes);
	mem_close(&mem);
	lay.hugepages = HUGEPAGES_AUTO;
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, h.page_bytes);
	mem_close(&mem);
	/* does not fill one */
	lay.total_bytes = lay.region_bytes = h.page_bytes - 1;
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, sysconf(_SC_PAGESIZE));
	mem_close(&mem);
}

/* More than there are: asked for it is refused, and auto does without. */
static void no_hugepages(void **state)
{
	struct layout lay;
	struct mem mem;
	struct hugepages h;
	char want[64];

	(void)state;
	hugepages_read(&h);
	if (!h.page_bytes || h.free > 8)
		skip();
	lay = of_bytes((h.free + 1) * h.page_bytes, HUGEPAGES_ON);
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), -ENOMEM);
	snprintf(want, sizeof(want), ", but only %u are free (/proc/meminfo); increase ",
		 (unsigned)h.free);
	assert_non_null(strstr(err_text(), want));
	err_clear();
	lay.hugepages = HUGEPAGES_AUTO;
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, sysconf(_SC_PAGESIZE));
	assert_string_equal(err_text(), "");
	mem_close(&mem);
}

static void meminfo(void **state)
{
	static const char text[] = "MemTotal:       24681084 kB\nHugePages_Total:      12\n"
				   "HugePages_Free:       10\nHugePages_Rsvd:        3\n"
				   "HugePages_Surp:        1\nHugepagesize:       2048 kB\n";
	struct hugepages h;

	(void)state;
	hugepages_parse(&h, text, "0\n");
	assert_int_equal(h.page_bytes, 2 * MIB);
	assert_int_equal(h.free, 7);
	hugepages_parse(&h, text, "5\n");
	assert_int_equal(h.free, 11);
	hugepages_parse(&h, "MemTotal: 24681084 kB\n", "");
	assert_int_equal(h.page_bytes, 0);
	assert_int_equal(h.free, 0);
	assert_int_equal(hugepages_pages(1, 2 * MIB), 1);
	assert_int_equal(hugepages_pages(2 * MIB, 2 * MIB), 1);
	assert_int_equal(hugepages_refuse(-EINVAL, "beta", 16 * MIB, &h), -EINVAL);
	assert_string_equal(err_text(), "--hugepages on: the kernel of beta has no hugepages (no Hugepagesize in /proc/meminfo); use --hugepages auto");
	h = (struct hugepages) { .page_bytes = 2 * MIB, .free = 3 };
	assert_int_equal(hugepages_refuse(-EINVAL, "beta", 16 * MIB, &h), -EINVAL);
	assert_string_equal(err_text(), "--hugepages on: 16777216 bytes of test memory on beta need 8 hugepages of 2048 kB, but only 3 are free (/proc/meminfo); increase vm.nr_hugepages by 5 (sysctl), or use --hugepages auto");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pages),
		cmocka_unit_test(relaxed),
		cmocka_unit_test(prefetched),
		cmocka_unit_test_setup_teardown(hugepages, borrow_hugepages, return_hugepages),
		cmocka_unit_test(no_hugepages),
		cmocka_unit_test(meminfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
