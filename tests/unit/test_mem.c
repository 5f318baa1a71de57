/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * mem: where buffers lie, that none overlap, what pages they are made of, the rights of each side,
 * and what the pattern catches. Of hugepages, two are taken from the kernel for the test if none
 * are free and the tester may.
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
#include "host/hugepages.h"
#include "rdma/mem.h"

#define MIB (UINT64_C(1) << 20)

static struct plan stream_of(enum transport tp, enum opcode op)
{
	return (struct plan) {
		.work.pattern = PATTERN_STREAM,
		.work.kind = { .tp = tp, .op = op },
		.work.qps = 3,
		.work.depth = 128,
		.work.recv_depth = kind_takes_recv(op) ? 512 : 0,
		.work.post_list = 1,
		.work.signal_interval = 32,
		.work.walk = WALK_SEQ,
	};
}

static struct mem_layout layout(const struct plan *plan, uint64_t size)
{
	struct point point = { .size_bytes = size };
	struct mem_layout lay;

	point.footprint_bytes = walk_auto_bytes(plan, &point);
	mem_layout(&lay, plan, &point);
	return lay;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * Every buffer of every QP, sorted: no two closer than what a message takes, none beyond the end.
 */
static void assert_disjoint(const struct mem_layout *l, uint32_t qps)
{
	size_t n = (size_t)qps * (l->tx.bufs + l->rx.bufs), k = 0;
	uint64_t *off = calloc(n, sizeof(*off));
	uint64_t bytes = l->size_bytes + l->grh_bytes;

	assert_non_null(off);
	for (uint32_t q = 0; q < qps; q++) {
		for (uint32_t i = 0; i < l->tx.bufs; i++)
			off[k++] = mem_tx_off(l, q, i);
		for (uint32_t i = 0; i < l->rx.bufs; i++)
			off[k++] = mem_rx_off(l, q, i);
	}
	qsort(off, n, sizeof(*off), compare);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(off[i] % 64, 0);
		assert_true(off[i] + bytes <= (i + 1 < n ? off[i + 1] : l->total_bytes));
	}
	free(off);
}

static void areas(void **state)
{
	struct plan rc = stream_of(TP_RC, OP_SEND), ud = stream_of(TP_UD, OP_SEND);
	struct plan atomic = stream_of(TP_RC, OP_FETCH_ADD);
	struct mem_layout l = layout(&rc, 64);

	(void)state;
	assert_int_equal(l.rx_off, l.tx.bufs * l.tx.stride);
	assert_int_equal(l.qp_bytes, l.rx_off + l.rx.bufs * l.rx.stride);
	assert_int_equal(l.total_bytes, 3 * l.qp_bytes);
	assert_int_equal(mem_rx_off(&l, 1, 7), l.qp_bytes + l.rx_off + 7 * l.rx.stride);
	assert_int_equal(mem_tx_off(&l, 2, l.tx.bufs + 3), 2 * l.qp_bytes + 3 * l.tx.stride);
	assert_int_equal(layout(&ud, 1).grh_bytes, 40);
	assert_int_equal(layout(&rc, 1).grh_bytes, 0);
	assert_int_equal(layout(&atomic, 8).size_bytes, 8);
}

static void disjoint(void **state)
{
	static const uint64_t sizes[] = { 1, 24, 64, 100, 1024, 4096, 5000, 65536, MIB };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (enum opcode op = 0; op < OP_COUNT; op++) {
			struct plan p = stream_of(TP_RC, op);
			struct mem_layout l = layout(&p, sizes[i]);

			assert_disjoint(&l, p.work.qps);
		}
		struct plan p = stream_of(TP_UD, OP_SEND);
		struct mem_layout l = layout(&p, sizes[i]);

		assert_disjoint(&l, p.work.qps);
	}
}

static void bounds(void **state)
{
	struct plan p = stream_of(TP_RC, OP_WRITE);
	struct mem_layout l = layout(&p, 64 * 1024);

	(void)state;
	assert_int_equal(l.total_bytes, 3 * 2 * 8 * MIB);
	l = layout(&p, 64 * MIB);
	assert_int_equal(l.total_bytes, 3 * 2 * 64 * MIB);
	p.work.qps = 1024;
	l = layout(&p, 64 * 1024);
	assert_true(l.tx.bufs >= 1 && l.total_bytes <= 1024 * MIB);
	/* One buffer each is the least, whatever it adds up to; no overflow on the way. */
	l = layout(&p, UINT64_C(1) << 31);
	assert_int_equal(l.tx.bufs, 1);
	assert_int_equal(l.total_bytes, UINT64_C(1024) * 2 << 31);
	p = stream_of(TP_RC, OP_SEND);
	p.work.qps = 4096;
	l = layout(&p, 4096);
	assert_true(l.total_bytes <= 1024 * MIB);
}

/* Registers what it is given, if every page of it is there; the pages of the second half too. */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				unsigned int access)
{
	static struct ibv_mr mr;

	(void)pd;
	(void)iova;
	(void)access;
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

static struct mem_layout of_bytes(uint64_t bytes, enum hugepages_use use)
{
	return (struct mem_layout) { .total_bytes = bytes, .hugepages = use };
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
	const struct mem_layout lay = of_bytes(8 * MIB, HUGEPAGES_OFF);
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
	struct mem_layout lay;
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
	lay.total_bytes = h.page_bytes - 1;
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), 0);
	assert_int_equal(mem.page_bytes, sysconf(_SC_PAGESIZE));
	mem_close(&mem);
}

/* More than there are: asked for it is refused, and auto does without. */
static void no_hugepages(void **state)
{
	struct mem_layout lay;
	struct mem mem;
	struct hugepages h;
	char want[64];

	(void)state;
	hugepages_read(&h);
	if (!h.page_bytes || h.free > 8)
		skip();
	lay = of_bytes((h.free + 1) * h.page_bytes, HUGEPAGES_ON);
	assert_int_equal(mem_open(&mem, NULL, &lay, 0), -ENOMEM);
	snprintf(want, sizeof(want), ", %u are free there (/proc/meminfo); raise ",
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
	assert_string_equal(err_text(), "--hugepages on: the kernel of beta has none (no "
			    "Hugepagesize in /proc/meminfo); use --hugepages auto");
	h = (struct hugepages) { .page_bytes = 2 * MIB, .free = 3 };
	assert_int_equal(hugepages_refuse(-EINVAL, "beta", 16 * MIB, &h), -EINVAL);
	assert_string_equal(err_text(), "--hugepages on: 16777216 bytes of test memory on beta "
			    "take 8 hugepages of 2048 kB, 3 are free there (/proc/meminfo); raise "
			    "vm.nr_hugepages by 5 (sysctl), or use --hugepages auto");
}

static void rights(void **state)
{
	static const int remote[OP_COUNT] = {
		[OP_WRITE] = IBV_ACCESS_REMOTE_WRITE, [OP_WRITE_IMM] = IBV_ACCESS_REMOTE_WRITE,
		[OP_READ] = IBV_ACCESS_REMOTE_READ, [OP_CMP_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
		[OP_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
	};

	(void)state;
	for (enum opcode op = 0; op < OP_COUNT; op++) {
		struct plan p = stream_of(TP_RC, op);
		enum role *role = p.work.role;
		int target = IBV_ACCESS_LOCAL_WRITE | remote[op];

		role_resolve(role, PATTERN_STREAM, op, false);
		assert_int_equal(mem_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_STREAM, op, true);
		assert_int_equal(mem_access(&p, SIDE_CLIENT), target);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_PINGPONG, op, false);
		assert_int_equal(mem_access(&p, SIDE_CLIENT), target);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
		role_resolve(role, PATTERN_PROBE, op, false);
		assert_int_equal(mem_access(&p, SIDE_CLIENT), IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(mem_access(&p, SIDE_SERVER), target);
	}
}

/* Lengths around the word size; the byte after the end stays as it was. */
static void every_byte_is_checked(void **state)
{
	uint8_t buf[41];

	(void)state;
	for (uint64_t len = 0; len <= 40; len++) {
		memset(buf, 0x5a, sizeof(buf));
		mem_fill(buf, len, SIDE_CLIENT, 2, 7);
		assert_int_equal(buf[len], 0x5a);
		assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), 0);
		for (uint64_t i = 0; i < len; i++) {
			buf[i] ^= 0x10;
			assert_int_equal(mem_check(buf, len, SIDE_CLIENT, 2, 7), -EILSEQ);
			buf[i] ^= 0x10;
		}
	}
}

static void sentence(void **state)
{
	uint8_t buf[64];
	char want[128];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_SERVER, 3, 9);
	snprintf(want, sizeof(want), "payload differs: QP 3, buffer 9, byte 21: expected 0x%02x, "
		 "got 0x%02x", buf[21], buf[21] ^ 0xffu);
	buf[21] ^= 0xff;
	buf[22] ^= 0xff;
	buf[40] ^= 0xff;
	assert_int_equal(mem_check(buf, sizeof(buf), SIDE_SERVER, 3, 9), -EILSEQ);
	assert_string_equal(err_text(), want);
}

/* A message that went to the wrong place, or bytes shifted by a word, must not pass. */
static void no_two_alike(void **state)
{
	uint8_t buf[4096];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 0, 0);
	assert_int_equal(mem_check(buf, 8, SIDE_SERVER, 0, 0), -EILSEQ);
	for (uint32_t i = 1; i < 1000; i++) {
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, i, 0), -EILSEQ);
		assert_int_equal(mem_check(buf, 8, SIDE_CLIENT, 0, i), -EILSEQ);
	}
	for (size_t i = 8; i + 8 <= sizeof(buf); i += 8)
		assert_int_equal(mem_check(buf + i, 8, SIDE_CLIENT, 0, 0), -EILSEQ);
}

/* The peer may run another build or byte order: the pattern is part of the protocol. */
static void pattern_is_fixed(void **state)
{
	/* Worked out with an independent program: splitmix64 finaliser as mem.c's comment names. */
	static const uint8_t want[8] = {
		0x53, 0x7c, 0x61, 0x4d, 0x37, 0xfe, 0xf9, 0x85,
	};
	uint8_t buf[8];

	(void)state;
	mem_fill(buf, sizeof(buf), SIDE_CLIENT, 1, 2);
	assert_memory_equal(buf, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(areas),
		cmocka_unit_test(disjoint),
		cmocka_unit_test(bounds),
		cmocka_unit_test(small_pages),
		cmocka_unit_test_setup_teardown(hugepages, borrow_hugepages, return_hugepages),
		cmocka_unit_test(no_hugepages),
		cmocka_unit_test(meminfo),
		cmocka_unit_test(rights),
		cmocka_unit_test(every_byte_is_checked),
		cmocka_unit_test(sentence),
		cmocka_unit_test(no_two_alike),
		cmocka_unit_test(pattern_is_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
