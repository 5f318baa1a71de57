/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Writes the machine as XML; see topo_xml.h. Called by commands/list_topo.c. It must write every
 * fact that the choice of a placement reads, so that the XML gives the same placement elsewhere.
 */
#include "config.h"
#include "topo/topo_xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "topo/topo_hca.h"
#include "topo/topo_irq.h"
#include "topo/topo_pcie.h"

static void add_list(hwloc_obj_t obj, const char *name, hwloc_const_bitmap_t set)
{
	char *text = NULL;

	if (!hwloc_bitmap_iszero(set) && hwloc_bitmap_list_asprintf(&text, set) > 0)
		hwloc_obj_add_info(obj, name, text);
	free(text);
}

static void add_device(hwloc_obj_t dev, hwloc_obj_t pci)
{
	char address[32], link_text[128], *irqs_text;
	struct topo_irqs irqs;
	struct topo_pcie link;

	topo_hca_pci_address(pci, address, sizeof(address));
	topo_irq_read(&irqs, "", address);
	irqs_text = topo_irq_text(&irqs);
	if (irqs.n && irqs_text)
		hwloc_obj_add_info(dev, TOPO_INFO_IRQS, irqs_text);
	free(irqs_text);
	topo_irq_free(&irqs);
	topo_pcie_read(&link, "", address);
	if (link.now.width) {
		topo_pcie_text(&link, link_text, sizeof(link_text));
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

int topo_xml_write(struct topo *t, char **xml)
{
	char *text;
	int len;

	if (t->this_host)
		add_facts(t);
	if (hwloc_topology_export_xmlbuffer(t->hw, &text, &len, 0))
		return err_set(-EIO, "cannot write the topology of the machine as XML: %s", strerror(errno));
	*xml = strdup(text);
	hwloc_free_xmlbuffer(t->hw, text);
	return *xml ? 0 : err_set(-ENOMEM, "cannot write the topology of the machine as XML: no memory");
}
