/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory of a device: what is allocated and registered, copies of whole words beside the bytes
 * of others, and errors.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"
#include "device/mem.h"

#define BYTES 8256u /* two chunks of 4 KiB and a rest */

/* A device with one piece of memory. */
static struct device {
	struct ibv_device dev;
	struct verbs_context v;
	struct ibv_pd pd;
	struct ibv_dm dm;
	struct ibv_mr mr;
	uint8_t bytes[BYTES];
	bool allocated, registered;
	int alloc_errno, reg_errno, copy_error;
} d;

static int check(uint64_t off, size_t len)
{
	assert_true(d.allocated);
	assert_int_equal(off % 4, 0);
	assert_int_equal(len % 4, 0);
	assert_true(off + len <= BYTES);
	return d.copy_error;
}

static int to_dm(struct ibv_dm *dm, uint64_t off, const void *from, size_t len)
{
	const int rc = check(off, len);

	(void)dm;
	if (!rc)
		memcpy(d.bytes + off, from, len);
	return rc;
}

static int from_dm(void *to, struct ibv_dm *dm, uint64_t off, size_t len)
{
	const int rc = check(off, len);

	(void)dm;
	if (!rc)
		memcpy(to, d.bytes + off, len);
	return rc;
}

static struct ibv_dm *alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr)
{
	assert_ptr_equal(ctx, &d.v.context);
	assert_int_equal(attr->length, BYTES);
	errno = d.alloc_errno;
	if (d.alloc_errno)
		return NULL;
	d.allocated = true;
	memset(d.bytes, 0xee, sizeof(d.bytes));
	d.dm = (struct ibv_dm){ .context = ctx, .memcpy_to_dm = to_dm, .memcpy_from_dm = from_dm };
	return &d.dm;
}

static int free_dm(struct ibv_dm *dm)
{
	(void)dm;
	assert_true(d.allocated);
	assert_false(d.registered);
	d.allocated = false;
	return 0;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t off, size_t len,
				unsigned int access)
{
	assert_ptr_equal(pd, &d.pd);
	assert_ptr_equal(dm, &d.dm);
	assert_int_equal(off, 0);
	assert_int_equal(len, BYTES);
	assert_int_equal(access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	errno = d.reg_errno;
	if (d.reg_errno)
		return NULL;
	d.registered = true;
	return &d.mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	assert_ptr_equal(mr, &d.mr);
	d.registered = false;
	return 0;
}

static int device(void **state)
{
	(void)state;
	memset(&d, 0, sizeof(d));
	strcpy(d.dev.name, "dev1");
	d.v = (struct verbs_context){
		.sz = sizeof(d.v), .alloc_dm = alloc_dm, .free_dm = free_dm,
		.reg_dm_mr = reg_dm_mr,
		.context = { .device = &d.dev, .abi_compat = __VERBS_ABI_IS_EXTENDED },
	};
	d.pd.context = &d.v.context;
	return 0;
}

static int open_mem(struct mem *mem)
{
	const struct layout lay = { .total_bytes = BYTES, .region_bytes = BYTES,
				    .buffers = BUFFERS_DEVICE };

	return mem_open(mem, &d.pd, &lay, IBV_ACCESS_LOCAL_WRITE);
}

static void opened_and_closed(void **state)
{
	struct mem mem;

	(void)state;
	assert_int_equal(open_mem(&mem), 0);
	assert_null(mem.base);
	assert_int_equal(mem.addr, 0);
	assert_int_equal(mem.page_bytes, 0);
	assert_ptr_equal(mem.mr, &d.mr);
	for (uint32_t i = 0; i < BYTES; i++)
		assert_int_equal(d.bytes[i], 0);
	mem_close(&mem);
	assert_false(d.allocated || d.registered);
}

static void failures(void **state)
{
	struct mem mem;

	(void)state;
	d.alloc_errno = ENOMEM;
	assert_int_equal(open_mem(&mem), -ENOMEM);
	assert_string_equal(err_text(), "cannot allocate 8256 bytes of device memory on dev1: Cannot allocate memory");
	d.alloc_errno = 0;
	d.reg_errno = EINVAL;
	assert_int_equal(open_mem(&mem), -EINVAL);
	assert_string_equal(err_text(), "cannot register 8256 bytes of device memory: Invalid argument");
	assert_false(d.allocated);
	d.reg_errno = 0;
	d.copy_error = EFAULT;
	assert_int_equal(open_mem(&mem), -EFAULT);
	assert_string_equal(err_text(), "cannot clear device memory: Bad address");
	assert_false(d.allocated || d.registered);
}

/* Each offset in a word, and lengths from none to several blocks of words. */
static void bytes_beside_a_copy_stay(void **state)
{
	uint8_t in[200], out[200], want[BYTES];
	struct mem mem;

	(void)state;
	assert_int_equal(open_mem(&mem), 0);
	for (uint32_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i + 1);
	for (uint64_t off = 60; off < 68; off++)
		for (uint64_t len = 0; len <= sizeof(in); len++) {
			memset(d.bytes, 0xaa, BYTES);
			memset(want, 0xaa, BYTES);
			memcpy(want + off, in, len);
			mem_copy_in(&mem, off, in, len);
			assert_memory_equal(d.bytes, want, BYTES);
			memset(out, 0, sizeof(out));
			mem_copy_out(&mem, off, out, len);
			assert_memory_equal(out, in, len);
			assert_true(len == sizeof(out) || !out[len]);
		}
	mem_close(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(opened_and_closed, device),
		cmocka_unit_test_setup(failures, device),
		cmocka_unit_test_setup(bytes_beside_a_copy_stay, device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
