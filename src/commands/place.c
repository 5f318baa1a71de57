/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command place: on which cpus and which memory the measuring threads of the options would
 * be, on this machine or on the machine of HWLOC_XMLFILE. Opens no device, changes nothing.
 */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/dev.h"
#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"
#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_placement.h"

static void print_distance(FILE *out, uint32_t distance)
{
	if (distance != TOPO_NONE)
		fprintf(out, ", distance %u", distance);
}

/* The distance of each NUMA node from the HCA: what another node would cost. */
static void print_nodes(FILE *out, const struct topo *t, const struct topo_hca *hca)
{
	hwloc_obj_t node = NULL;
	char cpus[TOPO_TEXT_MAX];

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		fprintf(out, "numa %u: %s", node->os_index,
			topo_near_names[topo_hca_near(hca, node->os_index, TOPO_NONE)]);
		print_distance(out, topo_hca_distance(hca, t, node->os_index));
		fprintf(out, ", cpus %s\n", topo_list_text(node->cpuset, cpus, sizeof(cpus)));
	}
}

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
	print_nodes(out, t, hca);
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
	struct ibv_device **list = NULL;
	char text[TOPO_TEXT_MAX] = "";
	hwloc_obj_t dev = NULL;
	int n = 0, rc = 0;
	bool found = hca->dev;

	if (!found && t->this_host)
		rc = dev_list(&list, &n);
	for (int i = 0; i < n; i++) {
		found |= dev_is_called(list[i], name);
		add_name(text, sizeof(text), ibv_get_device_name(list[i]));
	}
	if (list)
		ibv_free_device_list(list);
	while (!n && (dev = hwloc_get_next_osdev(t->hw, dev)))
		if (dev->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS && dev->name)
			add_name(text, sizeof(text), dev->name);
	if (rc || found)
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

int place_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	char *text = NULL;
	FILE *screen;
	size_t len;
	int status, rc;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	screen = open_memstream(&text, &len);
	rc = screen ? print_machine(screen, &cfg) : err_set(-ENOMEM, "no memory for the text");
	if (screen && !fclose(screen))
		screen_fold(stdout, text, screen_columns());
	free(text);
	if (!rc)
		return COMMAND_OK;
	command_error(&cfg);
	return rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
}
