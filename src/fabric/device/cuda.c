/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The calls of libcuda.so.1 (CUDA Driver API, cuda.h); see cuda.h. Types and numbers are those of
 * the ABI: CUresult, CUdevice and the attributes are int, CUdeviceptr is 64 bits.
 */
#include "config.h"
#include "device/cuda.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define LIBRARY "libcuda.so.1"

enum { ATTRIBUTE_DMA_BUF_SUPPORTED = 124 }; /* CUdevice_attribute, since CUDA 11.7 */
enum { POINTER_SYNC_MEMOPS = 6 };           /* CUpointer_attribute */
enum { RANGE_HANDLE_DMA_BUF_FD = 1 };       /* CUmemRangeHandleType */

/* member, name in the library, arguments */
#define CALLS(X) \
	X(init, "cuInit", (unsigned int)) \
	X(error_string, "cuGetErrorString", (int, const char **)) \
	X(count, "cuDeviceGetCount", (int *)) \
	X(device, "cuDeviceGet", (int *, int)) \
	X(name, "cuDeviceGetName", (char *, int, int)) \
	X(bus_id, "cuDeviceGetPCIBusId", (char *, int, int)) \
	X(attribute, "cuDeviceGetAttribute", (int *, int, int)) \
	X(retain, "cuDevicePrimaryCtxRetain", (void **, int)) \
	X(release, "cuDevicePrimaryCtxRelease_v2", (int)) \
	X(set_current, "cuCtxSetCurrent", (void *)) \
	X(alloc, "cuMemAlloc_v2", (uint64_t *, size_t)) \
	X(free, "cuMemFree_v2", (uint64_t)) \
	X(set_bytes, "cuMemsetD8_v2", (uint64_t, unsigned char, size_t)) \
	X(synchronize, "cuCtxSynchronize", (void)) \
	X(set_pointer, "cuPointerSetAttribute", (const void *, int, uint64_t)) \
	X(put, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t)) \
	X(get, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))

struct cuda {
	void *library;
#define CALL(member, name, args) int (*member) args;
	CALLS(CALL)
	/* NULL: a driver before CUDA 11.7 */
	int (*export)(void *, uint64_t, size_t, int, unsigned long long);
	int gpu;
	void *context;
	char name_text[CUDA_NAME];
};

static int failed(const struct cuda *c, int code, const char *call)
{
	const char *text = NULL;

	if (c->error_string(code, &text) || !text)
		return err_set(-EIO, "%s: error %d", call, code);
	return err_set(-EIO, "%s: %s", call, text);
}

/* ---- the library */

static int load(struct cuda *c)
{
	static const struct {
		const char *name;
		size_t at;
	} calls[] = {
#define ROW(member, name, args) { name, offsetof(struct cuda, member) },
		CALLS(ROW)
	};

	c->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!c->library)
		return err_set(-ENODEV, "no driver of NVIDIA (%s)", dlerror());
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *call = dlsym(c->library, calls[i].name);

		if (!call)
			return err_set(-ENODEV, LIBRARY " has no %s", calls[i].name);
		memcpy((char *)c + calls[i].at, &call, sizeof(call));
	}
	*(void **)&c->export = dlsym(c->library, "cuMemGetHandleForAddressRange");
	return 0;
}

/* ---- which GPU */

unsigned int cuda_common(const char *a, const char *b)
{
	unsigned int n = 0;

	for (; *a && *a == *b; a++, b++)
		n += *a == '/';
	return n;
}

/* The place of a GPU in sysfs, which has its address in small letters; "": unknown. */
static void find_place(const struct cuda *c, int gpu, char place[PATH_MAX])
{
	char id[32] = "", link[64];

	place[0] = '\0';
	if (c->bus_id(id, sizeof(id), gpu))
		return;
	for (char *p = id; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s", id);
	if (!realpath(link, place))
		place[0] = '\0';
}

static uint32_t nearest(const struct cuda *c, uint32_t count, const char *nic)
{
	char at[PATH_MAX], link[PATH_MAX], place[PATH_MAX];
	uint32_t best = 0;
	unsigned int most = 0;

	if (snprintf(link, sizeof(link), "%s/device", nic) >= (int)sizeof(link) ||
	    !realpath(link, at))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		int gpu;

		if (c->device(&gpu, (int)i))
			continue;
		find_place(c, gpu, place);
		if (cuda_common(at, place) > most) {
			most = cuda_common(at, place);
			best = i;
		}
	}
	return best;
}

static int choose(struct cuda *c, uint32_t n, const char *nic)
{
	int count = 0, code = c->init(0);
	char id[32] = "", model[CUDA_NAME] = "";

	if (code)
		return err_wrap(failed(c, code, "cuInit"), "no GPU");
	code = c->count(&count);
	if (code)
		return failed(c, code, "cuDeviceGetCount");
	if (count < 1)
		return err_set(-ENODEV, "no GPU (cuDeviceGetCount: 0)");
	if (n == CUDA_NEAREST)
		n = nearest(c, (uint32_t)count, nic);
	if (n >= (uint32_t)count)
		return err_set(-ENODEV, "no GPU %u: CUDA numbers them 0..%d here", n, count - 1);
	code = c->device(&c->gpu, (int)n);
	if (code)
		return failed(c, code, "cuDeviceGet");
	if (c->bus_id(id, sizeof(id), c->gpu) || c->name(model, sizeof(model), c->gpu))
		return err_set(-ENODEV, "GPU %u has no name", n);
	snprintf(c->name_text, sizeof(c->name_text), "%.16s %.40s", id, model);
	return 0;
}

/* ---- open and close */

static int enter(const struct cuda *c)
{
	const int code = c->set_current(c->context);

	return code ? failed(c, code, "cuCtxSetCurrent") : 0;
}

static int retain(struct cuda *c)
{
	const int code = c->retain(&c->context, c->gpu);

	if (!code)
		return enter(c);
	c->context = NULL;
	return failed(c, code, "cuDevicePrimaryCtxRetain");
}

int cuda_open(struct cuda **cuda, uint32_t n, const char *nic)
{
	struct cuda *c = calloc(1, sizeof(*c));
	int rc = c ? load(c) : err_set(-ENOMEM, "no memory for a GPU");

	if (!rc)
		rc = choose(c, n, nic);
	if (!rc)
		rc = retain(c);
	if (rc) {
		cuda_close(c);
		c = NULL;
	}
	*cuda = c;
	return rc;
}

void cuda_close(struct cuda *c)
{
	if (!c)
		return;
	if (c->context) {
		(void)c->set_current(NULL);
		(void)c->release(c->gpu);
	}
	/* the driver stays: it has threads */
	if (c->library)
		dlclose(c->library);
	free(c);
}

const char *cuda_name(const struct cuda *c)
{
	return c->name_text;
}

/* ---- memory */

/*
 * SYNC_MEMOPS: a copy ends before the call does, as the documents of GPUDirect RDMA ask for memory
 * that a NIC uses.
 */
static int prepare(const struct cuda *c, uint64_t addr, uint64_t bytes)
{
	const unsigned int yes = 1;
	int code = c->set_pointer(&yes, POINTER_SYNC_MEMOPS, addr);

	if (code)
		return failed(c, code, "cuPointerSetAttribute");
	code = c->set_bytes(addr, 0, bytes);
	if (!code)
		code = c->synchronize();
	return code ? failed(c, code, "cuMemsetD8") : 0;
}

int cuda_alloc(struct cuda *c, uint64_t bytes, uint64_t *addr)
{
	int rc = enter(c), code;

	if (rc)
		return rc;
	code = c->alloc(addr, bytes);
	if (code) {
		failed(c, code, "cuMemAlloc");
		return err_wrap(-ENOMEM, "%llu bytes of GPU memory", (unsigned long long)bytes);
	}
	rc = prepare(c, *addr, bytes);
	if (rc)
		cuda_free(c, *addr);
	return rc;
}

void cuda_free(struct cuda *c, uint64_t addr)
{
	if (!c->set_current(c->context))
		(void)c->free(addr);
}

int cuda_export(struct cuda *c, uint64_t addr, uint64_t bytes, int *fd)
{
	int has = 0, code, rc = enter(c);

	*fd = -1;
	if (rc)
		return rc;
	if (!c->export)
		return err_set(-EOPNOTSUPP, LIBRARY " has no cuMemGetHandleForAddressRange (CUDA 11.7)");
	if (c->attribute(&has, ATTRIBUTE_DMA_BUF_SUPPORTED, c->gpu) || !has)
		return err_set(-EOPNOTSUPP, "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0: open kernel modules of the driver have it");
	code = c->export(fd, addr, bytes, RANGE_HANDLE_DMA_BUF_FD, 0);
	if (!code)
		return 0;
	*fd = -1;
	return failed(c, code, "cuMemGetHandleForAddressRange");
}

int cuda_put(const struct cuda *c, uint64_t addr, const void *from, uint64_t bytes)
{
	int rc = enter(c), code;

	if (rc)
		return rc;
	code = c->put(addr, from, bytes);
	return code ? failed(c, code, "cuMemcpyHtoD") : 0;
}

int cuda_get(const struct cuda *c, uint64_t addr, void *to, uint64_t bytes)
{
	int rc = enter(c), code;

	if (rc)
		return rc;
	code = c->get(to, addr, bytes);
	return code ? failed(c, code, "cuMemcpyDtoH") : 0;
}
