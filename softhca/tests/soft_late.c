/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Programs that are not linked with libibverbs: they load it late, for themselves, or by way of a
 * plugin, and look its functions up by name, by version too.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "t_env.h"

#undef ibv_query_port
#undef ibv_reg_mr

#define LIBRARY "libibverbs.so.1"

static void *find(void *lib, const char *name, const char *version)
{
	void *f = version ? dlvsym(lib, name, version) : dlsym(lib, name);

	if (!f)
		fail_msg("%s of %s: %s", name, version ? version : "any version", dlerror());
	return f;
}

static void *load(const char *name, int mode)
{
	void *lib = dlopen(name, mode);

	if (!lib)
		fail_msg("%s", dlerror());
	return lib;
}

static void assert_first(struct ibv_device **list)
{
	assert_non_null(list);
	assert_non_null(list[0]);
	assert_string_equal(list[0]->name, "softhca0");
}

/* A plugin has libibverbs for itself, so the search after this library does not find it. */
static void test_plugin(void **state)
{
	__typeof__(&ibv_get_device_list) get = find(RTLD_DEFAULT, "ibv_get_device_list", NULL);
	__typeof__(&ibv_free_device_list) put = find(RTLD_DEFAULT, "ibv_free_device_list", NULL);
	struct ibv_device **list;
	int num = 0;

	(void)state;
	assert_null(dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD));
	/* there is no libibverbs at all */
	list = get(&num);
	assert_true(num >= 1);
	assert_first(list);
	put(list);
	load("librdmacm.so.1", RTLD_NOW | RTLD_LOCAL);
	list = get(&num);
	assert_true(num >= 1);
	assert_first(list);
	assert_null(list[num]);
	put(list);
}

/* As NCCL does it: functions of a handle, of the version in which each came. */
static void test_versions(void **state)
{
	void *lib = load(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	__typeof__(&ibv_get_device_list) get = find(lib, "ibv_get_device_list", "IBVERBS_1.1");
	__typeof__(&ibv_free_device_list) put = find(lib, "ibv_free_device_list", "IBVERBS_1.1");
	struct ibv_context *(*open_device)(struct ibv_device *) =
		find(lib, "ibv_open_device", "IBVERBS_1.1");
	int (*close_device)(struct ibv_context *) = find(lib, "ibv_close_device", "IBVERBS_1.1");
	struct ibv_pd *(*alloc_pd)(struct ibv_context *) = find(lib, "ibv_alloc_pd", "IBVERBS_1.1");
	int (*dealloc_pd)(struct ibv_pd *) = find(lib, "ibv_dealloc_pd", "IBVERBS_1.1");
	struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, uint64_t, unsigned int) =
		find(lib, "ibv_reg_mr_iova2", "IBVERBS_1.8");
	int (*dereg_mr)(struct ibv_mr *) = find(lib, "ibv_dereg_mr", "IBVERBS_1.1");
	const char *(*status)(enum ibv_wc_status) = find(lib, "ibv_wc_status_str", "IBVERBS_1.1");
	struct ibv_device **list = get(NULL);
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	void *buf = malloc(4096);

	(void)state;
	assert_first(list);
	ctx = open_device(list[0]);
	assert_non_null(ctx);
	put(list);
	pd = alloc_pd(ctx);
	assert_non_null(pd);
	mr = reg_mr(pd, buf, 4096, 7 << 20, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(dereg_mr(mr), 0);
	assert_int_equal(dealloc_pd(pd), 0);
	assert_int_equal(close_device(ctx), 0);
	assert_string_equal(status(IBV_WC_SUCCESS), "success");
	free(buf);
	assert_int_equal(dlclose(lib), 0);
}

/* Without a version, and with a path; the functions stay after the handle is closed. */
static void test_names(void **state)
{
	void *lib = load(LIBRARY, RTLD_LAZY);
	__typeof__(&ibv_get_device_list) get = find(lib, "ibv_get_device_list", NULL);
	char path[4096];
	Dl_info info;

	(void)state;
	assert_first(get(NULL));
	assert_true(dladdr(find(lib, "ibv_wc_status_str", NULL), &info));
	snprintf(path, sizeof(path), "%s", info.dli_fname);
	assert_int_equal(dlclose(lib), 0);
	lib = load(path, RTLD_LAZY);
	get = find(lib, "ibv_get_device_list", NULL);
	assert_first(get(NULL));
	assert_null(dlopen("libibverbs.so.none", RTLD_LAZY));
	assert_non_null(dlerror());
}

/*
 * Programs from before libibverbs 1.1: the old functions of libibverbs call the new ones, which are
 * those of the emulated HCA. What they give are structs of their own.
 */
static void test_old(void **state)
{
	void *lib = load(LIBRARY, RTLD_NOW);
	__typeof__(&ibv_get_device_list) get = find(lib, "ibv_get_device_list", "IBVERBS_1.0");
	__typeof__(&ibv_free_device_list) put = find(lib, "ibv_free_device_list", "IBVERBS_1.0");
	__typeof__(&ibv_get_device_name) name = find(lib, "ibv_get_device_name", "IBVERBS_1.0");
	void *(*open_device)(struct ibv_device *) = find(lib, "ibv_open_device", "IBVERBS_1.0");
	int (*close_device)(void *) = find(lib, "ibv_close_device", "IBVERBS_1.0");
	int (*query_device)(void *, struct ibv_device_attr *) =
		find(lib, "ibv_query_device", "IBVERBS_1.0");
	int (*query_port)(void *, uint8_t, void *) = find(lib, "ibv_query_port", "IBVERBS_1.0");
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	struct ibv_device **list;
	void *ctx;
	int num = 0;

	(void)state;
	list = get(&num);
	assert_true(num >= 1);
	assert_string_equal(name(list[0]), "softhca0");
	ctx = open_device(list[0]);
	assert_non_null(ctx);
	put(list);
	assert_int_equal(query_device(ctx, &device), 0);
	assert_int_equal(device.phys_port_cnt, 1);
	assert_int_equal(query_port(ctx, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_int_equal(close_device(ctx), 0);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "late: libibverbs of a plugin", test_plugin, { NULL } },
		{ "late: functions by version", test_versions, { NULL } },
		{ "late: functions by name", test_names, { NULL } },
		{ "late: programs for libibverbs 1.0", test_old, { NULL } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
