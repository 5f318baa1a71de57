/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes the text of /proc/interrupts; see api_irq.h. The form is that of show_interrupts() in
 * kernel/irq/proc.c. An interrupt is a completion event: a device interrupts only for a CQ that was
 * armed. Events are counted in the fabric, so each process sees those of all. The vectors are
 * spread over the CPUs, and nothing runs there: an event wakes its reader directly.
 */
#include "config.h"
#include "api/api_irq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api_sysfs_files.h"
#include "base/fabric.h"
#include "base/hca.h"
#include "base/pages.h"

#define INTERRUPTS "/proc/interrupts"
#define IRQS "/proc/irq/"
#define PCI_DEFAULT "0000:c1:00.0"

static bool has_irqs(uint32_t dev)
{
	return dev < hca_settings()->devices && hca_profile(dev)->irq_name[0];
}

static bool any_irqs(void)
{
	bool any = false;

	for (uint32_t i = 0; i < SHM_DEVS; i++)
		any |= has_irqs(i);
	return any;
}

static uint32_t count(uint32_t dev, uint32_t vector)
{
	return hca.joined ? atomic_load(&hca.fabric->irq[dev][vector % SHM_VECTORS]) : 0;
}

/* "mlx5_comp%d@pci:{pci}" */
static void put_name(FILE *out, uint32_t dev, uint32_t vector)
{
	const struct profile *p = hca_profile(dev);
	const char *at = p->irq_name;

	for (; *at; at++) {
		if (!strncmp(at, "%d", 2)) {
			fprintf(out, "%u", vector);
			at++;
		} else if (!strncmp(at, "{pci}", 5)) {
			fputs(p->pci[0] ? p->pci : PCI_DEFAULT, out);
			at += 4;
		} else {
			fputc(*at, out);
		}
	}
	fputc('\n', out);
}

/* cpus: columns of the table. */
static void put_device(FILE *out, uint32_t dev, uint32_t cpus)
{
	for (uint32_t v = 0; v < hca_profile(dev)->vectors; v++) {
		fprintf(out, "%u:", api_sysfs_irq(dev, v));
		for (uint32_t i = 0; i < cpus; i++)
			fprintf(out, " %10u", i == v % cpus ? count(dev, v) : 0);
		fprintf(out, "  softhca-MSI %u-edge      ", v);
		put_name(out, dev, v);
	}
}

/* The numbers of the CPUs in the head of the table, "CPU0 CPU1": how many, and that of one. */
static uint32_t cpus_of(const char *head, uint32_t index, uint32_t *number)
{
	const char *end = strchr(head, '\n');
	uint32_t n = 0;

	while ((head = strstr(head, "CPU")) && (!end || head < end)) {
		head += 3;
		if (n++ == index)
			*number = (uint32_t)strtoul(head, NULL, 10);
	}
	return n;
}

/* The lines of the kernel; to be freed. */
static char *real_text(void)
{
	char *text = NULL, part[4096];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int fd = hca.fixed.libc.open(INTERRUPTS, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while (out && fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		fwrite(part, 1, (size_t)n, out);
	if (fd >= 0)
		close(fd);
	if (out && fclose(out))
		return NULL;
	return text;
}

static char *all_text(const char *real)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	uint32_t number = 0, cpus = cpus_of(real, 0, &number);

	if (!out)
		return NULL;
	fputs(real, out);
	for (uint32_t i = 0; i < SHM_DEVS; i++)
		if (has_irqs(i))
			put_device(out, i, cpus ? cpus : 1);
	return fclose(out) ? NULL : text;
}

static int open_text(const char *text, int flags)
{
	return text ? pages_file(text, strlen(text), flags & O_CLOEXEC) : -1;
}

static int open_interrupts(int flags)
{
	char *real = real_text(), *all;
	int fd;

	/* what other processes have counted */
	fabric_look();
	all = real ? all_text(real) : NULL;
	fd = open_text(all, flags);
	free(real);
	free(all);
	return fd;
}

/* "1000003/smp_affinity_list": the vector; UINT32_MAX: none. */
static uint32_t vector_of(const char *path)
{
	char *end;
	const unsigned long number = strtoul(path, &end, 10);

	if (end == path || (strcmp(end, "/smp_affinity_list") != 0 &&
			    strcmp(end, "/effective_affinity_list") != 0))
		return UINT32_MAX;
	for (uint32_t i = 0; i < SHM_DEVS; i++)
		if (has_irqs(i) && number >= api_sysfs_irq(i, 0) &&
		    number < api_sysfs_irq(i, (uint32_t)hca_profile(i)->vectors))
			return (uint32_t)(number - api_sysfs_irq(i, 0));
	return UINT32_MAX;
}

static int open_cpus(uint32_t vector, int flags)
{
	char *real = real_text(), text[16];
	uint32_t number = 0, n = real ? cpus_of(real, 0, &number) : 0;

	if (n)
		cpus_of(real, vector % n, &number);
	free(real);
	snprintf(text, sizeof(text), "%u\n", number);
	return open_text(text, flags);
}

bool api_irq_open(const char *path, int flags, int *fd)
{
	uint32_t vector;

	if (!path || strncmp(path, "/proc/i", 7) != 0)
		return false;
	if (!strcmp(path, INTERRUPTS)) {
		if (!any_irqs() || (flags & O_ACCMODE) != O_RDONLY)
			return false;
		*fd = open_interrupts(flags);
		return true;
	}
	if (strncmp(path, IRQS, strlen(IRQS)) != 0)
		return false;
	vector = vector_of(path + strlen(IRQS));
	if (vector == UINT32_MAX)
		return false;
	*fd = open_cpus(vector, flags);
	return true;
}
