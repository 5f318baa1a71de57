/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what needs the topology of the machine, which is this one or that of HWLOC_XMLFILE: list
 * --topology, where each HCA is; and the command place, on which cpus and which memory the
 * measuring threads of the options would be. Opens no device, changes nothing; asks verbs only for
 * names, of devices that hwloc does not know.
 */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/dev_names.h"
#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_placement.h"
#include "util/err.h"
#include "util/log.h"

static void print_distance(FILE *out, uint32_t distance)
{
	if (distance != TOPO_NONE)
		fprintf(out, ", distance %u", distance);
}

/* The distance of each NUMA node from the HCA: what another node would cost. */
static void print_nodes(FILE *out, const char *indent, const struct topo *t,
			const struct topo_hca *hca)
{
	hwloc_obj_t node = NULL;
	char cpus[TOPO_TEXT_MAX];

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		fprintf(out, "%snuma %u: %s", indent, node->os_index,
			topo_near_names[topo_hca_near(hca, node->os_index, TOPO_NONE)]);
		print_distance(out, topo_hca_distance(hca, t, node->os_index));
		fprintf(out, ", cpus %s\n", topo_list_text(node->cpuset, cpus, sizeof(cpus)));
	}
}

static hwloc_obj_t next_hca(const struct topo *t, hwloc_obj_t dev)
{
	do {
		dev = hwloc_get_next_osdev(t->hw, dev);
	} while (dev && (dev->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS || !dev->name));
	return dev;
}

/* ---- list --topology */

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
		print_nodes(out, "  ", t, &hca);
	} else {
		fprintf(out, "  location unknown: %s\n", hca.reason);
	}
	if (hca.pci)
		print_link(out, t, &hca);
	if (hca.pci || hca.irqs.n)
		print_irqs(out, &hca.irqs);
	topo_hca_close(&hca);
}

/* Prints the devices that only verbs know (the emulated HCA) and returns their number. */
static int print_others(FILE *out, const struct topo *t)
{
	struct dev_names others;
	int found = 0;

	if (dev_names(&others, NULL)) {
		log_error("%s", err_text());
		return 0;
	}
	for (int i = 0; i < others.n; i++) {
		const char *name = others.names[i];
		hwloc_obj_t dev = next_hca(t, NULL);

		while (dev && strcmp(dev->name, name))
			dev = next_hca(t, dev);
		if (dev)
			continue;
		print_hca(out, t, name);
		found++;
	}
	free(others.names);
	return found;
}

int topology_list(FILE *out, bool as_xml)
{
	hwloc_obj_t dev = NULL;
	char *xml = NULL;
	struct topo t;
	int n = 0, rc = topo_open(&t);

	if (!rc && as_xml) {
		rc = topo_xml_write(&t, &xml);
		fputs(rc ? "" : xml, out);
		free(xml);
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

/* ---- place */

static void print_device(FILE *out, const struct topo_hca *hca)
{
	char text[TOPO_TEXT_MAX];

	fprintf(out, "device %s: ", hca->name);
	if (hca->pci)
		fprintf(out, "PCI %s, ", topo_hca_pci_address(hca->pci, text, sizeof(text)));
	if (!hca->known) {
		fprintf(out, "location unknown: %s\n", hca->reason);
		return;
	}
	fprintf(out, "numa %s", topo_list_text(hca->nodes, text, sizeof(text)));
	fprintf(out, ", cpus %s\n", topo_list_text(hca->cpus, text, sizeof(text)));
}

static void print_place(FILE *out, const struct topo_place *p, uint32_t i)
{
	fprintf(out, "thread %u: ", i);
	if (p->cpu == TOPO_NONE)
		fprintf(out, "not bound");
	else
		fprintf(out, "cpu %u, core %u, numa %u", p->cpu, p->core, p->node);
	if (p->mem_node != TOPO_NONE)
		fprintf(out, ", memory numa %u", p->mem_node);
	fprintf(out, ", %s", topo_near_names[p->near]);
	print_distance(out, p->distance);
	if (p->mem_distance != p->distance && p->mem_distance != TOPO_NONE)
		fprintf(out, ", memory distance %u", p->mem_distance);
	fprintf(out, ": %s\n", p->reason);
}

static int print_placement(FILE *out, const struct topo *t, const struct topo_hca *hca,
			   const struct cfg *cfg)
{
	const struct topo_request request = {
		.pin = cfg->pin,
		.mem = cfg->mem,
		.pin_label = "--pin",
		.mem_label = "--mem",
		.threads = cfg->threads,
		.events = cfg->completion != CM_POLL,
	};
	struct topo_placement p;
	int rc = topo_placement_choose(&p, t, hca, &request);

	if (rc)
		return rc;
	print_device(out, hca);
	print_nodes(out, "", t, hca);
	for (uint32_t i = 0; i < p.n; i++)
		print_place(out, &p.places[i], i);
	topo_placement_free(&p);
	return 0;
}

/* Adds a name to the list in text. */
static void add_name(char *text, size_t size, const char *name)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

/*
 * A device that is not in the topology can be one that only verbs know: Soft-RoCE, or the emulated
 * HCA. The machine of a file has no verbs.
 */
static int check_device(const struct topo *t, const struct topo_hca *hca, const char *name)
{
	struct dev_names others = { .n = 0 };
	char text[TOPO_TEXT_MAX] = "";
	hwloc_obj_t dev = NULL;
	int rc = 0;

	if (!hca->dev && t->this_host)
		rc = dev_names(&others, name);
	for (int i = 0; i < others.n; i++)
		add_name(text, sizeof(text), others.names[i]);
	free(others.names);
	while (!others.n && (dev = next_hca(t, dev)))
		add_name(text, sizeof(text), dev->name);
	if (rc || hca->dev || others.found)
		return rc;
	return err_set(-EINVAL, "no RDMA device of %s%s is called %.64s; there are: %s",
		       t->this_host ? "this machine" : "the machine in ", t->this_host ? "" : t->source, name,
		       text[0] ? text : "none");
}

static int print_machine(FILE *out, const struct cfg *cfg)
{
	struct topo_hca hca;
	struct topo t;
	char netdev[64];
	int rc = topo_open(&t);

	if (rc)
		return rc;
	topo_hca_netdev(&t, cfg->device, netdev, sizeof(netdev));
	topo_hca_find(&hca, &t, cfg->device, netdev);
	rc = check_device(&t, &hca, cfg->device);
	if (!rc)
		rc = print_placement(out, &t, &hca, cfg);
	topo_hca_close(&hca);
	topo_close(&t);
	return rc;
}

int topology_place(const struct command *cmd, const struct command_line *line)
{
	struct commands_screen screen;
	struct cfg cfg;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	commands_screen_open(&screen);
	rc = print_machine(screen.out, &cfg);
	commands_screen_close(&screen);
	if (!rc)
		return COMMAND_OK;
	command_error(&cfg);
	return rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
}
