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

#include "command/command.h"
#include "rdma/dev.h"
#include "util/err.h"
#include "util/log.h"
#include "rdma/dev_none.h"
#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_irq.h"
#include "topo/topo_pcie.h"
#include "topo/topo_xml.h"

static void print_cores(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	hwloc_bitmap_t cores = hwloc_bitmap_alloc();
	hwloc_obj_t core = NULL;
	char text[TOPO_TEXT_MAX];

	while ((core = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_CORE, core)))
		if (hwloc_bitmap_intersects(core->cpuset, hca->cpus))
			hwloc_bitmap_set(cores, core->logical_index);
	fprintf(out, "  cores %s", topo_list_text(cores, text, sizeof(text)));
	hwloc_bitmap_free(cores);
}

static void print_rate(FILE *out, const char *what, const struct topo_pcie_rate *rate)
{
	if (rate->width)
		fprintf(out, "%sgen %u x%u", what, topo_pcie_generation(rate), rate->width);
}

static void print_link(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	const char *text = hwloc_obj_get_info_by_name(hca->dev, TOPO_INFO_LINK);
	struct topo_pcie link = { .now = { 0 } };
	struct topo_pcie_rate best;
	char address[32];

	if (t->this_host)
		topo_pcie_read(&link, "", topo_hca_pci_address(hca->pci, address, sizeof(address)));
	else if (text)
		topo_pcie_parse(&link, text);
	if (!link.now.width) {
		fprintf(out, "  PCIe link: unknown\n");
		return;
	}
	best = topo_pcie_best(&link);
	print_rate(out, "  PCIe link: ", &link.now);
	fprintf(out, ", %.1f Gbit/s before packet overhead", topo_pcie_gbit_s(&link.now));
	print_rate(out, "; device ", &link.device);
	print_rate(out, "; slot ", &link.slot);
	if (topo_pcie_gbit_s(&link.now) < topo_pcie_gbit_s(&best))
		fprintf(out, "; device and slot support %.1f Gbit/s", topo_pcie_gbit_s(&best));
	fputc('\n', out);
}

static void print_irqs(FILE *out, const struct topo_irqs *irqs)
{
	char cpus[TOPO_TEXT_MAX];

	for (uint32_t i = 0; i < irqs->n; i++) {
		const struct topo_irq *irq = &irqs->irqs[i];

		fprintf(out, "  interrupt %u", irq->number);
		if (irq->vector != TOPO_NONE)
			fprintf(out, ", completion vector %u", irq->vector);
		topo_list_text(irq->cpus, cpus, sizeof(cpus));
		fprintf(out, ": %s%s\n", cpus[0] ? "cpus " : "no cpu", cpus);
	}
	if (!irqs->n)
		fprintf(out, "  interrupts: unknown\n");
}

static void print_nodes(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	hwloc_obj_t node = NULL;
	char cpus[TOPO_TEXT_MAX];

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		const uint32_t d = topo_hca_distance(hca, t, node->os_index);

		fprintf(out, "  numa %u: %s", node->os_index,
			topo_near_names[topo_hca_near(hca, node->os_index, TOPO_NONE)]);
		if (d != TOPO_NONE)
			fprintf(out, ", distance %u", d);
		fprintf(out, ", cpus %s\n", topo_list_text(node->cpuset, cpus, sizeof(cpus)));
	}
}

static void print_hca(FILE *out, const struct topo *t, const char *name)
{
	struct topo_hca hca;
	char text[TOPO_TEXT_MAX];

	topo_hca_find(&hca, t, name, topo_hca_netdev(t, name, text, sizeof(text)));
	fprintf(out, "%s", name);
	if (hca.pci)
		fprintf(out, "  PCI %s", topo_hca_pci_address(hca.pci, text, sizeof(text)));
	if (hca.known) {
		fprintf(out, "  numa %s", topo_list_text(hca.nodes, text, sizeof(text)));
		print_cores(out, t, &hca);
		fprintf(out, "  cpus %s\n", topo_list_text(hca.cpus, text, sizeof(text)));
		print_nodes(out, t, &hca);
	} else {
		fprintf(out, "  location unknown: %s\n", hca.reason);
	}
	if (hca.pci)
		print_link(out, t, &hca);
	if (hca.pci || hca.irqs.n)
		print_irqs(out, &hca.irqs);
	topo_hca_close(&hca);
}

static hwloc_obj_t next_hca(const struct topo *t, hwloc_obj_t dev)
{
	do {
		dev = hwloc_get_next_osdev(t->hw, dev);
	} while (dev && (dev->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !dev->name));
	return dev;
}

static bool topology_has(const struct topo *t, const char *name)
{
	hwloc_obj_t dev = NULL;

	while ((dev = next_hca(t, dev)))
		if (!strcmp(dev->name, name))
			return true;
	return false;
}

/* Prints the devices that only verbs know (the emulated HCA) and returns their number. */
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

		if (topology_has(t, name))
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
	int rc = topo_xml_write(t, &xml);

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
		if (t.this_host)
			n += print_others(out, &t);
		if (!n && t.this_host)
			fprintf(out, "no RDMA devices: %s\n", remedy_text(dev_none_cause("")));
		else if (!n)
			fprintf(out, "no RDMA devices: %s has none\n", t.source);
	}
	if (rc)
		log_error("%s", err_text());
	topo_close(&t);
	return rc ? COMMAND_FAILED : COMMAND_OK;
}
