/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads the interrupts of a PCI device; see topo_hca.h. Sources: sysfs and /proc of Linux
 * (Documentation/ABI/testing/sysfs-bus-pci, msi_irqs; Documentation/core-api/irq/irq-affinity.rst).
 */
#include "config.h"
#include "topo/topo_hca.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define PATH_TEXT 512
#define LINE_TEXT 16384 /* /proc/interrupts has a column per cpu */

static int by_number(const void *a, const void *b)
{
	const struct topo_irq *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static struct topo_irq *add_irq(struct topo_irqs *irqs, uint32_t number)
{
	struct topo_irq *more = realloc(irqs->irqs, (irqs->n + 1) * sizeof(*more));
	struct topo_irq *irq;

	if (!more)
		return NULL;
	irqs->irqs = more;
	irq = &more[irqs->n];
	*irq = (struct topo_irq){ .number = number, .vector = TOPO_NONE,
				  .cpus = hwloc_bitmap_alloc() };
	if (!irq->cpus)
		return NULL;
	irqs->n++;
	return irq;
}

/* An empty list (the interrupt has not occurred yet) counts as unreadable. */
static bool read_cpus(struct topo_irq *irq, const char *root, const char *file)
{
	char path[PATH_TEXT], text[4096];

	snprintf(path, sizeof(path), "%s/proc/irq/%u/%s", root, irq->number, file);
	text_read_line(path, text, sizeof(text));
	return text[0] && !hwloc_bitmap_list_sscanf(irq->cpus, text) &&
	       !hwloc_bitmap_iszero(irq->cpus);
}

/*
 * The completion vector in the name of an interrupt. Drivers have no common form for it, nor a
 * common case. These are known, from drivers/net/ethernet and drivers/infiniband/hw of Linux:
 * "mlx5_comp3@pci:0000:81:00.0" (irq_set_name), "irdma-0000:81:00.0-CEQ-3" and "...-AEQCEQ-0"
 * (irdma_cfg_ceq_vector), "bnxt_re-nq-3@pci:..." (bnxt_qplib_nq_start_irq), "hns-ceq-3" and
 * "hns-0000:81:00.0-ceq-3" (__hns_roce_request_irq), "mana_q3@pci:..." (mana_gd_setup_irqs),
 * "efa-comp3@pci:..." (efa_setup_comp_irq).
 */
static uint32_t vector_of(const char *name)
{
	static const char *const words[] = { "comp", "ceq", "-nq", "mana_q" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strcasestr(name, words[i]);

		if (!at)
			continue;
		at += strlen(words[i]);
		at += *at == '-';
		if (isdigit((unsigned char)*at))
			return (uint32_t)strtoul(at, NULL, 10);
	}
	return TOPO_NONE;
}

/* " 24:  0  7  IR-PCI-MSI 1048576-edge  mlx5_comp3@pci:...": the name is the last word. */
static void parse_line(struct topo_irqs *irqs, char *line)
{
	char *end, *name;
	unsigned long number = strtoul(line, &end, 10);

	if (end == line || *end != ':')
		return;
	line[strcspn(line, "\n")] = '\0';
	name = strrchr(line, ' ');
	for (uint32_t i = 0; name && i < irqs->n; i++)
		if (irqs->irqs[i].number == number)
			irqs->irqs[i].vector = vector_of(name + 1);
}

static void read_names(struct topo_irqs *irqs, const char *root)
{
	char path[PATH_TEXT], *line = malloc(LINE_TEXT);
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/interrupts", root);
	f = line && irqs->n ? fopen(path, "re") : NULL;
	while (f && fgets(line, LINE_TEXT, f))
		parse_line(irqs, line);
	if (f)
		fclose(f);
	free(line);
}

void topo_irq_read(struct topo_irqs *irqs, const char *root, const char *pci_address,
		   const char *device)
{
	struct dirent *entry;
	char path[PATH_TEXT];
	DIR *dir;

	if (pci_address)
		snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/msi_irqs", root,
			 pci_address);
	else
		snprintf(path, sizeof(path), "%s/sys/class/infiniband/%s/device/msi_irqs", root,
			 device);
	*irqs = (struct topo_irqs){ 0 };
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct topo_irq *irq;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		irq = add_irq(irqs, (uint32_t)strtoul(entry->d_name, NULL, 10));
		if (irq && !read_cpus(irq, root, "effective_affinity_list") &&
		    !read_cpus(irq, root, "smp_affinity_list"))
			hwloc_bitmap_zero(irq->cpus);
	}
	if (dir)
		closedir(dir);
	if (irqs->n)
		qsort(irqs->irqs, irqs->n, sizeof(*irqs->irqs), by_number);
	read_names(irqs, root);
}

char *topo_irq_text(const struct topo_irqs *irqs)
{
	char *text = NULL, cpus[512], vector[16];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; out && i < irqs->n; i++) {
		const struct topo_irq *irq = &irqs->irqs[i];

		hwloc_bitmap_list_snprintf(cpus, sizeof(cpus), irq->cpus);
		snprintf(vector, sizeof(vector), "%u", irq->vector);
		fprintf(out, "%s%u:%s:%s", i ? " " : "", irq->number,
			irq->vector == TOPO_NONE ? "-" : vector, cpus);
	}
	if (out)
		fclose(out);
	return text;
}

void topo_irq_parse(struct topo_irqs *irqs, const char *text)
{
	char *copy = strdup(text), *save = NULL;

	*irqs = (struct topo_irqs){ 0 };
	for (char *word = copy ? strtok_r(copy, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		char *vector = strchr(word, ':'), *cpus = vector ? strchr(vector + 1, ':') : NULL;
		struct topo_irq *irq;

		if (!cpus)
			continue;
		irq = add_irq(irqs, (uint32_t)strtoul(word, NULL, 10));
		if (!irq)
			break;
		if (isdigit((unsigned char)vector[1]))
			irq->vector = (uint32_t)strtoul(vector + 1, NULL, 10);
		if (hwloc_bitmap_list_sscanf(irq->cpus, cpus + 1))
			hwloc_bitmap_zero(irq->cpus);
	}
	free(copy);
}

void topo_irq_free(struct topo_irqs *irqs)
{
	for (uint32_t i = 0; i < irqs->n; i++)
		hwloc_bitmap_free(irqs->irqs[i].cpus);
	free(irqs->irqs);
	*irqs = (struct topo_irqs){ 0 };
}
