/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Shares pages; see pages.h. Reads the list of mappings (/proc/self/maps) in each call. */
#include "config.h"
#include "base/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hca.h"

#define OWN_NAME "/memfd:vb-softhca-arena"

#define PIECE_BYTES (UINT64_C(4) << 20) /* of in_pieces(); whole huge pages */

/*
 * MADV_POPULATE_WRITE, since Linux 5.14: older headers do not define it, older kernels refuse it.
 */
enum { POPULATE_WRITE = 23 };

enum kind { KIND_OTHER, KIND_ANON, KIND_OURS_SHARED, KIND_FORBIDDEN };

struct area {
	uint64_t start, end, off;
	enum kind kind;
};

uint64_t pages_floor(uint64_t addr)
{
	return addr & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

uint64_t pages_ceil(uint64_t addr)
{
	return pages_floor(addr + (uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Private memory, that a copy can replace. */
static bool is_plain(const char *perms, const char *name)
{
	if (strncmp(perms, "rw", 2) || perms[3] != 'p')
		return false;
	return !*name || !strcmp(name, "[heap]") || !strncmp(name, "[anon:", 6) ||
	       !strncmp(name, OWN_NAME, strlen(OWN_NAME));
}

static bool parse(const char *line, struct area *a)
{
	char perms[8];
	int name = 0;
	const char *n;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &a->start, &a->end,
		   perms, &a->off, &name) < 4)
		return false;
	n = line + name;
	a->kind = KIND_OTHER;
	if (is_plain(perms, n))
		a->kind = KIND_ANON;
	else if (!strncmp(perms, "---", 3))
		a->kind = KIND_FORBIDDEN;
	else if (perms[3] == 's' && !strncmp(n, OWN_NAME, strlen(OWN_NAME)) && a->off == a->start)
		a->kind = KIND_OURS_SHARED;
	return true;
}

/* The mappings that touch [start, end), in order; *list is to be freed. */
static int list_areas(uint64_t start, uint64_t end, struct area **list, uint32_t *n)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint32_t cap = 0;
	char line[512];

	*list = NULL;
	*n = 0;
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		struct area a;

		line[strcspn(line, "\n")] = '\0';
		if (!parse(line, &a) || a.end <= start || a.start >= end)
			continue;
		if (*n == cap) {
			struct area *more = realloc(*list, (cap = cap ? 2 * cap : 8) * sizeof(a));

			if (!more) {
				fclose(f);
				return -ENOMEM;
			}
			*list = more;
		}
		a.off = a.start;
		a.start = a.start > start ? a.start : start;
		a.end = a.end < end ? a.end : end;
		(*list)[(*n)++] = a;
	}
	fclose(f);
	return 0;
}

static bool on_stack(uint64_t start, uint64_t end)
{
	pthread_attr_t attr;
	size_t size = 0;
	void *low = NULL;

	if (pthread_getattr_np(pthread_self(), &attr))
		return true;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	return start < (uintptr_t)low + size && end > (uintptr_t)low;
}

static bool can_share(const struct area *list, uint32_t n, uint64_t start, uint64_t end)
{
	uint64_t at = start;

	for (uint32_t i = 0; i < n; i++) {
		if (list[i].kind == KIND_OTHER || list[i].start != at)
			return false;
		at = list[i].end;
	}
	return at == end;
}

static bool has_forbidden(const struct area *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].kind == KIND_FORBIDDEN)
			return true;
	return false;
}

/*
 * Copies by a system call: pages hold more than the buffer, and a memory checker would report the
 * other bytes if the program copied them.
 */
static int copy_pages(void *to, uint64_t start, size_t len)
{
	while (len) {
		struct iovec here = { .iov_base = to, .iov_len = len };
		struct iovec there = { .iov_base = (void *)(uintptr_t)start, .iov_len = len };
		ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

		if (n <= 0)
			return -ENOTSUP;
		to = (uint8_t *)to + n;
		start += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

void pages_populate(void *at, uint64_t bytes)
{
	const uint64_t start = pages_floor((uintptr_t)at), page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t end = pages_ceil((uintptr_t)at + bytes);

	if (madvise((void *)(uintptr_t)start, end - start, POPULATE_WRITE))
		for (uint64_t i = start; i < end; i += page)
			__atomic_fetch_or((uint8_t *)(uintptr_t)i, 0, __ATOMIC_RELAXED);
}

/* Of large areas piece by piece: no more than the pages of one piece are there twice. */
static int in_pieces(int (*one)(uint64_t start, uint64_t end), uint64_t start, uint64_t end)
{
	int rc = 0;

	for (uint64_t to; !rc && start < end; start = to) {
		to = end - start > PIECE_BYTES ? start + PIECE_BYTES : end;
		rc = one(start, to);
	}
	return rc;
}

/*
 * Copies the pages to the file and maps it over them. A write of another thread in between is lost.
 */
static int replace(uint64_t start, uint64_t end)
{
	size_t len = end - start;
	void *at = (void *)(uintptr_t)start;
	int rc;
	void *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, hca.arena_fd,
			  (off_t)start);

	if (copy == MAP_FAILED)
		return -ENOTSUP;
	rc = copy_pages(copy, start, len);
	munmap(copy, len);
	if (rc)
		return rc;
	if (mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, hca.arena_fd,
		 (off_t)start) == MAP_FAILED)
		return -ENOTSUP;
	pages_populate(at, len);
	return 0;
}

int pages_share(uint64_t start, uint64_t end)
{
	struct area *list;
	uint32_t n;
	int rc = end > UINT64_C(1) << 47 || on_stack(start, end) ? -ENOTSUP : 0;

	if (rc)
		return rc;
	rc = list_areas(start, end, &list, &n);
	if (!rc && has_forbidden(list, n))
		rc = -EFAULT;
	else if (!rc && !can_share(list, n, start, end))
		rc = -ENOTSUP;
	for (uint32_t i = 0; !rc && i < n; i++)
		if (list[i].kind == KIND_ANON)
			rc = in_pieces(replace, list[i].start, list[i].end);
	free(list);
	return rc;
}

/*
 * Maps the same pages of the file as private: no write is lost. Then a write fault on each page
 * gives the process a copy, which is independent of the file.
 */
static void copy(uint64_t start, uint64_t end)
{
	if (mmap((void *)(uintptr_t)start, end - start, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_FIXED, hca.arena_fd, (off_t)start) == MAP_FAILED)
		return;
	pages_populate((void *)(uintptr_t)start, end - start);
}

/* The pages of the file can then be freed. */
static int restore(uint64_t start, uint64_t end)
{
	copy(start, end);
	fallocate(hca.arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
		  (off_t)(end - start));
	return 0;
}

void pages_unshare(uint64_t start, uint64_t end)
{
	struct area *list;
	uint32_t n;

	if (!list_areas(start, end, &list, &n))
		for (uint32_t i = 0; i < n; i++)
			if (list[i].kind == KIND_OURS_SHARED)
				in_pieces(restore, list[i].start, list[i].end);
	free(list);
}

/* Without malloc(), whose memory may be such pages; it would change that of the parent. */
void pages_copy_all(void)
{
	const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char text[1024];
	size_t have = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, text + have, sizeof(text) - 1 - have)) > 0) {
		char *line = text, *end;
		struct area a;

		have += (size_t)n;
		text[have] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			if (parse(line, &a) && a.kind == KIND_OURS_SHARED)
				copy(a.start, a.end);
			line = end + 1;
		}
		have -= (size_t)(line - text);
		/* a line that is longer is not of these pages */
		have = have < sizeof(text) - 1 ? have : 0;
		memmove(text, line, have);
	}
	if (fd >= 0)
		close(fd);
}

void *pages_alloc(uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

void *pages_zeros(uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);

	return map == MAP_FAILED ? NULL : map;
}

void *pages_map(int fd, uint64_t off, uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)off);

	return map == MAP_FAILED ? NULL : map;
}

void pages_free(void *pages, uint64_t bytes)
{
	munmap(pages, bytes);
}

int pages_file(const char *text, size_t len, bool cloexec)
{
	int fd = memfd_create("softhca-file", cloexec ? MFD_CLOEXEC : 0);

	if (fd < 0 || pwrite(fd, text, len, 0) == (ssize_t)len)
		return fd;
	close(fd);
	return -1;
}
