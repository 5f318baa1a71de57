/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A stand-in for libcuda.so.1, the driver of NVIDIA GPUs, for tests without one: the calls that
 * device/cuda.c makes. An address of its memory is a page that no processor may touch, of a file in
 * memory; copies use a second mapping of this file, and a dmabuf is its descriptor. So what the CPU
 * must not touch is SIGSEGV, which no real GPU shows.
 *
 * FAKE_CUDA is what is missing, words separated by commas:
 *   gpu        there is none
 *   dmabuf     the device does not have the attribute
 *   export     cuMemGetHandleForAddressRange fails
 *   map        the descriptor cannot be mapped
 *   copy       copies fail
 *   memory     there is no room
 * and peer: the address can be registered, as with nvidia_peermem; the CPU may touch it then.
 * Built with BEFORE_CUDA_11_7, it has no cuMemGetHandleForAddressRange.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GPUS 2
#define BLOCKS 64

enum {
	SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201, NOT_SUPPORTED = 801,
};

struct block {
	uint8_t *at, *copies; /* NULL: free */
	size_t bytes;
	int fd;
};

static struct {
	pthread_mutex_t lock;
	struct block all[BLOCKS];
	int retained[GPUS];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The context of a thread: its GPU, from 1. */
static __thread uintptr_t current;

static bool is_missing(const char *what)
{
	const char *p = getenv("FAKE_CUDA");
	const size_t len = strlen(what);

	for (; p && *p; p += *p == ',') {
		const size_t n = strcspn(p, ",");

		if (n == len && !memcmp(p, what, len))
			return true;
		p += n;
	}
	return false;
}

int cuInit(unsigned int flags);
int cuGetErrorString(int code, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *gpu, int n);
int cuDeviceGetName(char *name, int len, int gpu);
int cuDeviceGetPCIBusId(char *id, int len, int gpu);
int cuDeviceGetAttribute(int *value, int attribute, int gpu);
int cuDevicePrimaryCtxRetain(void **context, int gpu);
int cuDevicePrimaryCtxRelease_v2(int gpu);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(uint64_t *addr, size_t bytes);
int cuMemFree_v2(uint64_t addr);
int cuMemsetD8_v2(uint64_t addr, unsigned char value, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuPointerSetAttribute(const void *value, int attribute, uint64_t addr);

int cuInit(unsigned int flags)
{
	if (flags)
		return INVALID_VALUE;
	return is_missing("gpu") ? NO_DEVICE : SUCCESS;
}

int cuGetErrorString(int code, const char **text)
{
	*text = code == NO_DEVICE ? "no CUDA-capable device is detected" :
		code == OUT_OF_MEMORY ? "out of memory" :
		code == INVALID_CONTEXT ? "invalid device context" :
		code == NOT_SUPPORTED ? "operation not supported" : "invalid argument";
	return SUCCESS;
}

int cuDeviceGetCount(int *count)
{
	*count = GPUS;
	return SUCCESS;
}

int cuDeviceGet(int *gpu, int n)
{
	*gpu = n;
	return n >= 0 && n < GPUS ? SUCCESS : INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int len, int gpu)
{
	snprintf(name, (size_t)len, "stand-in %d", gpu);
	return SUCCESS;
}

int cuDeviceGetPCIBusId(char *id, int len, int gpu)
{
	snprintf(id, (size_t)len, "FFFF:%02X:00.0", 0x1b + gpu);
	return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int gpu)
{
	(void)gpu;
	*value = attribute == 124 && !is_missing("dmabuf");
	return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int gpu)
{
	pthread_mutex_lock(&state.lock);
	state.retained[gpu]++;
	pthread_mutex_unlock(&state.lock);
	*context = (void *)((uintptr_t)gpu + 1);
	return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int gpu)
{
	int rc;

	pthread_mutex_lock(&state.lock);
	rc = state.retained[gpu] ? SUCCESS : INVALID_CONTEXT;
	state.retained[gpu] -= rc == SUCCESS;
	pthread_mutex_unlock(&state.lock);
	return rc;
}

int cuCtxSetCurrent(void *context)
{
	current = (uintptr_t)context;
	return SUCCESS;
}

static bool in_context(void)
{
	return current && state.retained[current - 1];
}

int cuCtxSynchronize(void)
{
	return in_context() ? SUCCESS : INVALID_CONTEXT;
}

/* ---- memory */

/* Not at the begin of a page, as of a driver that has many blocks in one. */
#define INTO_PAGE 512

static int make(struct block *b, size_t bytes)
{
	const int access = is_missing("peer") ? PROT_READ | PROT_WRITE : PROT_NONE;

	b->bytes = bytes + INTO_PAGE;
	b->fd = memfd_create("gpu", MFD_CLOEXEC);
	if (b->fd < 0 || ftruncate(b->fd, (off_t)b->bytes))
		return OUT_OF_MEMORY;
	b->copies = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	b->at = mmap(NULL, b->bytes, access, MAP_SHARED, b->fd, 0);
	if (b->copies == MAP_FAILED || b->at == MAP_FAILED)
		return OUT_OF_MEMORY;
	/* new memory of a GPU has what others left */
	memset(b->copies, 0xa5, b->bytes);
	return SUCCESS;
}

int cuMemAlloc_v2(uint64_t *addr, size_t bytes)
{
	struct block *b = NULL;
	int rc = in_context() ? OUT_OF_MEMORY : INVALID_CONTEXT;

	if (rc == INVALID_CONTEXT || is_missing("memory") || !bytes)
		return rc;
	pthread_mutex_lock(&state.lock);
	for (int i = 0; i < BLOCKS && !b; i++)
		if (!state.all[i].at)
			b = &state.all[i];
	if (b)
		rc = make(b, bytes);
	if (!rc)
		*addr = (uintptr_t)b->at + INTO_PAGE;
	pthread_mutex_unlock(&state.lock);
	return rc;
}

/* The block that has all of these bytes. */
static struct block *find(uint64_t addr, size_t bytes)
{
	for (int i = 0; i < BLOCKS; i++) {
		struct block *b = &state.all[i];
		const uint64_t off = addr - (uintptr_t)b->at;

		if (b->at && off <= b->bytes && bytes <= b->bytes - off)
			return b;
	}
	return NULL;
}

int cuMemFree_v2(uint64_t addr)
{
	struct block *b;

	if (!in_context())
		return INVALID_CONTEXT;
	pthread_mutex_lock(&state.lock);
	b = find(addr, 1);
	if (b) {
		munmap(b->at, b->bytes);
		munmap(b->copies, b->bytes);
		close(b->fd);
		*b = (struct block){ 0 };
	}
	pthread_mutex_unlock(&state.lock);
	return b ? SUCCESS : INVALID_VALUE;
}

/* Where the copies find these bytes; NULL: they are not of one block. */
static uint8_t *engine(uint64_t addr, size_t bytes)
{
	const struct block *b;
	uint8_t *at = NULL;

	pthread_mutex_lock(&state.lock);
	b = find(addr, bytes);
	if (b)
		at = b->copies + (addr - (uintptr_t)b->at);
	pthread_mutex_unlock(&state.lock);
	return at;
}

static int can_copy(const void *at)
{
	return !in_context() ? INVALID_CONTEXT : !at || is_missing("copy") ? INVALID_VALUE : SUCCESS;
}

int cuMemsetD8_v2(uint64_t addr, unsigned char value, size_t bytes)
{
	uint8_t *at = engine(addr, bytes);

	if (!in_context() || !at)
		return in_context() ? INVALID_VALUE : INVALID_CONTEXT;
	memset(at, value, bytes);
	return SUCCESS;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	uint8_t *at = engine(to, bytes);
	const int rc = can_copy(at);

	if (!rc)
		memcpy(at, from, bytes);
	return rc;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	const uint8_t *at = engine(from, bytes);
	const int rc = can_copy(at);

	if (!rc)
		memcpy(to, at, bytes);
	return rc;
}

int cuPointerSetAttribute(const void *value, int attribute, uint64_t addr)
{
	if (!in_context())
		return INVALID_CONTEXT;
	return value && attribute == 6 && engine(addr, 1) ? SUCCESS : INVALID_VALUE;
}

#ifndef BEFORE_CUDA_11_7
/* A descriptor that only readers can map. */
static int reader(int fd)
{
	char name[32];
	int only;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	only = open(name, O_RDONLY | O_CLOEXEC);
	close(fd);
	return only;
}

/*
 * Moves these pages of a block into a file of their own: a dmabuf begins with the range that was
 * asked for, and has nothing else. -1: it cannot.
 */
static int move(const struct block *b, uint64_t off, size_t bytes)
{
	const int access = is_missing("peer") ? PROT_READ | PROT_WRITE : PROT_NONE;
	const int fd = memfd_create("dmabuf", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)bytes) ||
	    pwrite(fd, b->copies + off, bytes, 0) != (ssize_t)bytes ||
	    mmap(b->copies + off, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED ||
	    mmap(b->at + off, bytes, access, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return -1;
	return is_missing("map") ? reader(fd) : fd;
}

int cuMemGetHandleForAddressRange(void *handle, uint64_t addr, size_t bytes, int type,
				  unsigned long long flags);

int cuMemGetHandleForAddressRange(void *handle, uint64_t addr, size_t bytes, int type,
				  unsigned long long flags)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct block *b;
	int fd = -1;

	if (!in_context())
		return INVALID_CONTEXT;
	if (is_missing("export"))
		return NOT_SUPPORTED;
	if (type != 1 || flags || addr % page || bytes % page)
		return INVALID_VALUE;
	pthread_mutex_lock(&state.lock);
	b = find(addr, bytes);
	if (b)
		fd = move(b, addr - (uintptr_t)b->at, bytes);
	pthread_mutex_unlock(&state.lock);
	memcpy(handle, &fd, sizeof(fd));
	return fd < 0 ? INVALID_VALUE : SUCCESS;
}
#endif
