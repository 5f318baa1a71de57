/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The kernel's pool of hugepages (Documentation/admin-guide/mm/hugetlbpage.rst); see hugepages.h.
 * It must not change a setting of the kernel.
 */
#include "config.h"

#include "place/hugepages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/err.h"
#include "util/text.h"

#define MEMINFO_BYTES 8192

/* The number after "name:" at the start of a line; 0: no such line. */
static uint64_t number_of(const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, name, len) && text[len] == ':')
			return strtoull(text + len + 1, NULL, 10);
	}
	return 0;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void hugepages_parse(struct hugepages *h, const char *meminfo, const char *overcommit)
{
	const uint64_t more = strtoull(overcommit, NULL, 10);

	h->page_bytes = number_of(meminfo, "Hugepagesize") * 1024; /* "kB" in that file is 1024 */
	h->free = subtract(number_of(meminfo, "HugePages_Free"),
			   number_of(meminfo, "HugePages_Rsvd")) +
		  subtract(more, number_of(meminfo, "HugePages_Surp"));
}

void hugepages_read(struct hugepages *h)
{
	char meminfo[MEMINFO_BYTES], overcommit[32];

	text_read("/proc/meminfo", meminfo, sizeof(meminfo));
	text_read("/proc/sys/vm/nr_overcommit_hugepages", overcommit, sizeof(overcommit));
	hugepages_parse(h, meminfo, overcommit);
}

/*
 * MAP_POPULATE reports no error when the kernel has no page left (limit of a cgroup, NUMA node
 * without hugepages). The first access to a missing page would raise SIGBUS.
 */
static bool is_present(void *map, uint64_t bytes)
{
	const uint64_t pages = hugepages_pages(bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	unsigned char *present = malloc(pages);
	bool all = present && !mincore(map, bytes, present);

	for (uint64_t i = 0; all && i < pages; i++)
		all = present[i] & 1;
	free(present);
	return all;
}

int hugepages_map(void **map, uint64_t bytes)
{
	int fd = memfd_create("verbench", MFD_CLOEXEC | MFD_HUGETLB), err = 0;

	if (fd < 0)
		return -errno;
	*map = MAP_FAILED;
	if (!ftruncate(fd, (off_t)bytes))
		*map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (*map == MAP_FAILED)
		err = errno;
	close(fd);
	if (!err && !is_present(*map, bytes)) {
		munmap(*map, bytes);
		err = ENOMEM;
	}
	return -err;
}

int hugepages_refuse(int code, const char *host, uint64_t bytes, const struct hugepages *h)
{
	uint64_t pages;

	if (!h->page_bytes)
		return err_set(code, "--hugepages on: the kernel of %s has no hugepages (no Hugepagesize in /proc/meminfo); use --hugepages auto",
			       host);
	pages = hugepages_pages(bytes, h->page_bytes);
	return err_set(code, "--hugepages on: %" PRIu64 " bytes of test memory on %s need %" PRIu64 " hugepages of %" PRIu64 " kB, but only %" PRIu64 " are free (/proc/meminfo); increase vm.nr_hugepages by %" PRIu64 " (sysctl), or use --hugepages auto",
		       bytes, host, pages, h->page_bytes / 1024, h->free, subtract(pages, h->free));
}
