/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns list --topology: where each HCA is in the machine. Called by list.c. Opens no device; asks
 * verbs only for names, of devices that hwloc does not know.
 */
#include "config.h"

#include "commands/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "rdma/dev.h"
#include "util/err.h"
#include "util/log.h"
#include "host/topo.h"
#include "host/topo_own.h"

static void print_cores(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	hwloc_bitmap_t cores = hwloc_bitmap_alloc();
	hwloc_obj_t core = NULL;
	char text[TOPO_WHY];

	while ((core = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_CORE, core)))
		if (hwloc_bitmap_intersects(core->cpuset, hca->cpus))
			hwloc_bitmap_set(cores, core->logical_index);
	fprintf(out, "  cores %s", topo_list_text(cores, text, sizeof(text)));
	hwloc_bitmap_free(cores);
}

static void print_lanes(FILE *out, const char *what, const struct topo_lanes *l)
{
	if (l->width)
		fprintf(out, "%sgen %u x%u", what, topo_link_generation(l), l->width);
}

static void print_link(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	const char *text = hwloc_obj_get_info_by_name(hca->dev, TOPO_INFO_LINK);
	struct topo_link link = { .now = { 0 } };
	struct topo_lanes best;
	char busid[32];

	if (t->here)
		topo_link_read(&link, "", topo_busid(hca->pci, busid, sizeof(busid)));
	else if (text)
		topo_link_parse(&link, text);
	if (!link.now.width) {
		fprintf(out, "  PCIe link: unknown\n");
		return;
	}
	best = topo_link_best(&link);
	print_lanes(out, "  PCIe link: ", &link.now);
	fprintf(out, ", %.1f Gbit/s before packet overhead", topo_link_gbit_s(&link.now));
	print_lanes(out, "; device ", &link.device);
	print_lanes(out, "; slot ", &link.slot);
	if (topo_link_gbit_s(&link.now) < topo_link_gbit_s(&best))
		fprintf(out, "; device and slot both allow %.1f", topo_link_gbit_s(&best));
	fputc('\n', out);
}

static void print_irqs(FILE *out, const struct topo_irqs *irqs)
{
	char cpus[TOPO_WHY];

	for (uint32_t i = 0; i < irqs->n; i++) {
		const struct topo_irq *irq = &irqs->irqs[i];

		fprintf(out, "  interrupt %u", irq->number);
		if (irq->vector != TOPO_NONE)
			fprintf(out, ", completion vector %u", irq->vector);
		topo_list_text(irq->cpus, cpus, sizeof(cpus));
		fprintf(out, ": %s%s\n", cpus[0] ? "cpus " : "on no cpu", cpus);
	}
	if (!irqs->n)
		fprintf(out, "  interrupts: unknown\n");
}

static void print_nodes(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	hwloc_obj_t node = NULL;
	char cpus[TOPO_WHY];

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		const uint32_t d = topo_hca_distance(hca, t, node->os_index);

		fprintf(out, "  numa %u: %s", node->os_index,
			topo_near_names[topo_near(hca, node->os_index, TOPO_NONE)]);
		if (d != TOPO_NONE)
			fprintf(out, ", distance %u", d);
		fprintf(out, ", cpus %s\n", topo_list_text(node->cpuset, cpus, sizeof(cpus)));
	}
}

static void print_hca(FILE *out, const struct topo *t, const char *name)
{
	struct topo_hca hca;
	char text[TOPO_WHY];

	topo_hca_find(&hca, t, name, topo_netdev(t, name, text, sizeof(text)));
	fprintf(out, "%s", name);
	if (hca.pci)
		fprintf(out, "  PCI %s", topo_busid(hca.pci, text, sizeof(text)));
	if (hca.known) {
		fprintf(out, "  numa %s", topo_list_text(hca.nodes, text, sizeof(text)));
		print_cores(out, t, &hca);
		fprintf(out, "  cpus %s\n", topo_list_text(hca.cpus, text, sizeof(text)));
		print_nodes(out, t, &hca);
	} else {
		fprintf(out, "  place unknown: %s\n", hca.why);
	}
	if (hca.pci) {
		print_link(out, t, &hca);
		print_irqs(out, &hca.irqs);
	}
	topo_hca_close(&hca);
}

static hwloc_obj_t next_hca(const struct topo *t, hwloc_obj_t dev)
{
	do {
		dev = hwloc_get_next_osdev(t->hw, dev);
	} while (dev && (dev->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !dev->name));
	return dev;
}

static bool is_in(const struct topo *t, const char *name)
{
	hwloc_obj_t dev = NULL;

	while ((dev = next_hca(t, dev)))
		if (!strcmp(dev->name, name))
			return true;
	return false;
}

/* Devices that only verbs knows: emulated ones. Returns how many. */
static int print_others(FILE *out, const struct topo *t)
{
	struct ibv_device **list;
	int n, found = 0;

	if (dev_list(&list, &n)) {
		log_error("%s", err_text());
		return 0;
	}
	for (int i = 0; i < n; i++) {
		const char *name = ibv_get_device_name(list[i]);

		if (is_in(t, name))
			continue;
		print_hca(out, t, name);
		found++;
	}
	if (list)
		ibv_free_device_list(list);
	return found;
}

static int print_xml(FILE *out, struct topo *t)
{
	char *xml;
	int rc = topo_xml(t, &xml);

	if (rc)
		return rc;
	fputs(xml, out);
	free(xml);
	return 0;
}

int list_topology(FILE *out, bool as_xml)
{
	hwloc_obj_t dev = NULL;
	struct topo t;
	int n = 0, rc = topo_open(&t);

	if (!rc && as_xml) {
		rc = print_xml(out, &t);
	} else if (!rc) {
		for (; (dev = next_hca(&t, dev)); n++)
			print_hca(out, &t, dev->name);
		if (t.here)
			n += print_others(out, &t);
		if (!n)
			fprintf(out, "no RDMA devices\n");
	}
	if (rc)
		log_error("%s", err_text());
	topo_close(&t);
	return rc ? COMMAND_FAILED : COMMAND_OK;
}
