/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The machine as hwloc's XML, with what hwloc does not know of it: somebody else can then see what
 * would be chosen here. Called by list_topo.c.
 */
#include "config.h"
#include "host/topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "host/topo_own.h"

static void add_list(hwloc_obj_t obj, const char *name, hwloc_const_bitmap_t set)
{
	char *text = NULL;

	if (!hwloc_bitmap_iszero(set) && hwloc_bitmap_list_asprintf(&text, set) > 0)
		hwloc_obj_add_info(obj, name, text);
	free(text);
}

static void add_device(hwloc_obj_t dev, hwloc_obj_t pci)
{
	char busid[32], link_text[128], *irqs_text;
	struct topo_irqs irqs;
	struct topo_link link;

	topo_busid(pci, busid, sizeof(busid));
	topo_irq_read(&irqs, "", busid);
	irqs_text = topo_irq_text(&irqs);
	if (irqs.n && irqs_text)
		hwloc_obj_add_info(dev, TOPO_INFO_IRQS, irqs_text);
	free(irqs_text);
	topo_irq_free(&irqs);
	topo_link_read(&link, "", busid);
	if (link.now.width) {
		topo_link_text(&link, link_text, sizeof(link_text));
		hwloc_obj_add_info(dev, TOPO_INFO_LINK, link_text);
	}
}

static void add_facts(struct topo *t)
{
	hwloc_obj_t root = hwloc_get_root_obj(t->hw), dev = NULL;

	add_list(root, TOPO_INFO_AFFINITY, t->affinity);
	add_list(root, TOPO_INFO_ISOLATED, t->isolated);
	while ((dev = hwloc_get_next_osdev(t->hw, dev))) {
		const hwloc_obj_osdev_type_t type = dev->attr->osdev.type;

		if ((type == HWLOC_OBJ_OSDEV_OPENFABRICS || type == HWLOC_OBJ_OSDEV_NETWORK) &&
		    dev->parent && dev->parent->type == HWLOC_OBJ_PCI_DEVICE)
			add_device(dev, dev->parent);
	}
}

int topo_xml(struct topo *t, char **xml)
{
	char *text;
	int len;

	if (t->here)
		add_facts(t);
	if (hwloc_topology_export_xmlbuffer(t->hw, &text, &len, 0))
		return err_set(-EIO, "write the machine's topology as XML: %s", strerror(errno));
	*xml = strdup(text);
	hwloc_free_xmlbuffer(t->hw, text);
	return *xml ? 0 : err_set(-ENOMEM, "write the machine's topology as XML: out of memory");
}
