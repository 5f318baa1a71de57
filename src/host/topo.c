/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Loads the machine and finds an HCA in it. Called by session.c, place.c and list_topo.c. Must not
 * bind anything, and must not ask verbs: a machine that one is not on is as good as this one.
 */
#include "config.h"
#include "host/topo.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "host/topo_own.h"

const char *const topo_near_names[] = {
	[TOPO_UNKNOWN] = "unknown", [TOPO_NEAR] = "near", [TOPO_FAR] = "far", NULL
};

const char *topo_first_line(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "re");

	text[0] = '\0';
	if (!f)
		return text;
	if (!fgets(text, (int)size, f))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(f);
	return text;
}

const char *topo_list_text(hwloc_const_bitmap_t set, char *text, size_t size)
{
	int len = hwloc_bitmap_list_snprintf(text, size, set);

	if (len >= (int)size && size > 4)
		memcpy(text + size - 4, "...", 4);
	return text;
}

/* Kernel lists of cpus have hwloc's own format. */
static void read_list(hwloc_bitmap_t set, const char *path)
{
	char text[4096];
	hwloc_bitmap_t more = hwloc_bitmap_alloc();

	topo_first_line(path, text, sizeof(text));
	if (more && text[0] && text[0] != '(' && !hwloc_bitmap_list_sscanf(more, text))
		hwloc_bitmap_or(set, set, more);
	hwloc_bitmap_free(more);
}

static void parse_info(hwloc_bitmap_t set, hwloc_obj_t obj, const char *name)
{
	const char *text = hwloc_obj_get_info_by_name(obj, name);

	if (text && hwloc_bitmap_list_sscanf(set, text))
		hwloc_bitmap_zero(set);
}

/*
 * A process that nobody has restricted may run on all cpus but those of isolcpus=, which the kernel
 * keeps for who asks for them: those may be used. A mask that lacks more was set by somebody, and
 * is all there is.
 */
static void set_usable(struct topo *t)
{
	hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(t->hw);
	hwloc_bitmap_t both = hwloc_bitmap_alloc();

	hwloc_bitmap_or(both, t->affinity, t->isolated);
	if (hwloc_bitmap_isincluded(allowed, both))
		hwloc_bitmap_copy(t->usable, allowed);
	else
		hwloc_bitmap_and(t->usable, allowed, t->affinity);
	/* offline cpus may stand in an allowed set, and are in no object */
	hwloc_bitmap_and(t->usable, t->usable, hwloc_topology_get_topology_cpuset(t->hw));
	hwloc_bitmap_free(both);
}

static void ask_system(struct topo *t)
{
	if (hwloc_get_cpubind(t->hw, t->affinity, HWLOC_CPUBIND_THREAD))
		hwloc_bitmap_copy(t->affinity, hwloc_topology_get_allowed_cpuset(t->hw));
	read_list(t->isolated, "/sys/devices/system/cpu/isolated");
	read_list(t->isolated, "/sys/devices/system/cpu/nohz_full");
}

static int load(struct topo *t, const char *xml)
{
	hwloc_obj_t root;
	int err;

	errno = 0;
	if (hwloc_topology_init(&t->hw)) {
		t->hw = NULL;
		return err_set(-ENOMEM, "start hwloc: %s", strerror(errno ? errno : ENOMEM));
	}
	topo_leave_out_gpus(t->hw);
	if (hwloc_topology_set_io_types_filter(t->hw, HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    hwloc_topology_set_flags(t->hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	    (xml && hwloc_topology_set_xmlbuffer(t->hw, xml, (int)strlen(xml) + 1)) ||
	    hwloc_topology_load(t->hw)) {
		err = errno ? errno : EINVAL;
		/* -EINVAL is for what the user asked of a machine */
		return err_set(err == EINVAL ? -EIO : -err, "load the machine's topology: %s%s%s",
			       strerror(err),
			       getenv("HWLOC_XMLFILE") ? "; HWLOC_XMLFILE is " : "",
			       getenv("HWLOC_XMLFILE") ? getenv("HWLOC_XMLFILE") : "");
	}
	t->here = hwloc_topology_is_thissystem(t->hw);
	root = hwloc_get_root_obj(t->hw);
	hwloc_bitmap_copy(t->affinity, hwloc_topology_get_allowed_cpuset(t->hw));
	if (t->here) {
		ask_system(t);
	} else {
		parse_info(t->isolated, root, TOPO_INFO_ISOLATED);
		if (hwloc_obj_get_info_by_name(root, TOPO_INFO_AFFINITY))
			parse_info(t->affinity, root, TOPO_INFO_AFFINITY);
	}
	set_usable(t);
	return 0;
}

int topo_open_xml(struct topo *t, const char *xml)
{
	int rc;

	*t = (struct topo){ .affinity = hwloc_bitmap_alloc(), .isolated = hwloc_bitmap_alloc(),
			    .usable = hwloc_bitmap_alloc() };
	rc = t->affinity && t->isolated && t->usable ? load(t, xml) :
		err_set(-ENOMEM, "load the machine's topology: out of memory");
	if (rc)
		topo_close(t);
	return rc;
}

int topo_open(struct topo *t)
{
	return topo_open_xml(t, NULL);
}

void topo_close(struct topo *t)
{
	if (t->hw)
		hwloc_topology_destroy(t->hw);
	hwloc_bitmap_free(t->affinity);
	hwloc_bitmap_free(t->isolated);
	hwloc_bitmap_free(t->usable);
	*t = (struct topo){ 0 };
}

/* ---- nodes */

hwloc_obj_t topo_node_obj(const struct topo *t, uint32_t node)
{
	return node == TOPO_NONE ? NULL : hwloc_get_numanode_obj_by_os_index(t->hw, node);
}

/* The tightest node around the cpu; of several as tight (fast memory beside DRAM) the first. */
uint32_t topo_node_of_cpu(const struct topo *t, uint32_t cpu)
{
	hwloc_obj_t node = NULL, best = NULL;

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		if (!best || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset))
			best = node;
	}
	return best ? best->os_index : TOPO_NONE;
}

static uint32_t distance_in(const struct hwloc_distances_s *d, hwloc_obj_t from, hwloc_obj_t to)
{
	int i = hwloc_distances_obj_index((struct hwloc_distances_s *)d, from);
	int j = hwloc_distances_obj_index((struct hwloc_distances_s *)d, to);

	if (i < 0 || j < 0)
		return TOPO_NONE;
	return (uint32_t)d->values[(unsigned)i * d->nbobjs + (unsigned)j];
}

uint32_t topo_distance(const struct topo *t, uint32_t from_node, uint32_t to_node)
{
	hwloc_obj_t from = topo_node_obj(t, from_node), to = topo_node_obj(t, to_node);
	struct hwloc_distances_s *d[1];
	uint32_t value = TOPO_NONE;
	unsigned n = 1;

	if (!from || !to)
		return TOPO_NONE;
	if (!hwloc_distances_get_by_type(t->hw, HWLOC_OBJ_NUMANODE, &n, d,
					 HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) && n) {
		value = distance_in(d[0], from, to);
		hwloc_distances_release(t->hw, d[0]);
	}
	/* a single node has no table, and is at the distance that every table gives to itself */
	return value == TOPO_NONE && from == to ? 10 : value;
}

uint32_t topo_hca_distance(const struct topo_hca *hca, const struct topo *t, uint32_t node)
{
	uint32_t least = TOPO_NONE;
	unsigned near;

	if (!hca->known)
		return TOPO_NONE;
	hwloc_bitmap_foreach_begin(near, hca->nodes)
		uint32_t d = topo_distance(t, node, near);

		least = d < least ? d : least;
	hwloc_bitmap_foreach_end();
	return least;
}

enum topo_near topo_near(const struct topo_hca *hca, uint32_t node, uint32_t mem_node)
{
	if (!hca->known || (node == TOPO_NONE && mem_node == TOPO_NONE))
		return TOPO_UNKNOWN;
	if (node != TOPO_NONE && !hwloc_bitmap_isset(hca->nodes, node))
		return TOPO_FAR;
	if (mem_node != TOPO_NONE && !hwloc_bitmap_isset(hca->nodes, mem_node))
		return TOPO_FAR;
	return TOPO_NEAR;
}

/* ---- the HCA */

const char *topo_busid(hwloc_obj_t pci, char *text, size_t size)
{
	const struct hwloc_pcidev_attr_s *a = &pci->attr->pcidev;

	snprintf(text, size, "%04x:%02x:%02x.%x", (unsigned)a->domain, a->bus, a->dev, a->func);
	return text;
}

static hwloc_obj_t find_osdev(const struct topo *t, const char *name, hwloc_obj_osdev_type_t type)
{
	hwloc_obj_t obj = NULL;

	while (name && name[0] && (obj = hwloc_get_next_osdev(t->hw, obj)))
		if (obj->attr->osdev.type == type && obj->name && !strcmp(obj->name, name))
			return obj;
	return NULL;
}

static hwloc_obj_t pci_of(hwloc_obj_t dev)
{
	while (dev && dev->type != HWLOC_OBJ_PCI_DEVICE)
		dev = dev->parent;
	return dev;
}

/* A software device is in the topology too (as of no bus); its netdev may tell more. */
static hwloc_obj_t find_dev(const struct topo *t, const char *name, const char *netdev)
{
	hwloc_obj_t dev = find_osdev(t, name, HWLOC_OBJ_OSDEV_OPENFABRICS), by_netdev;

	if (dev && pci_of(dev))
		return dev;
	by_netdev = find_osdev(t, netdev, HWLOC_OBJ_OSDEV_NETWORK);
	if (!by_netdev && !dev)
		by_netdev = find_osdev(t, name, HWLOC_OBJ_OSDEV_NETWORK);
	return by_netdev ? by_netdev : dev;
}

/*
 * Firmware without tables leaves its buses at the root, near to everything, which is true where
 * there is one node and says nothing elsewhere.
 */
static void locate(struct topo_hca *hca, const struct topo *t)
{
	hwloc_obj_t at;

	if (!hca->dev) {
		snprintf(hca->why, sizeof(hca->why), "%s is not in the machine's topology",
			 hca->name);
		return;
	}
	hca->pci = pci_of(hca->dev);
	at = hwloc_get_non_io_ancestor_obj(t->hw, hca->dev);
	if (!hca->pci) {
		snprintf(hca->why, sizeof(hca->why), "%s is on no bus: a virtual device",
			 hca->name);
	} else if (!at || hwloc_bitmap_iszero(at->nodeset)) {
		snprintf(hca->why, sizeof(hca->why), "%s is near no NUMA node", hca->name);
	} else if (at->type == HWLOC_OBJ_MACHINE &&
		   hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE) > 1) {
		snprintf(hca->why, sizeof(hca->why),
			 "the firmware does not tell which of %d NUMA nodes %s is near",
			 hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE), hca->name);
	} else {
		hca->known = true;
		hca->cpus = at->cpuset;
		hca->nodes = at->nodeset;
		hca->node = (uint32_t)hwloc_bitmap_first(at->nodeset);
	}
}

void topo_hca_find(struct topo_hca *hca, const struct topo *t, const char *name,
		   const char *netdev)
{
	const char *irqs;
	char busid[32];

	*hca = (struct topo_hca){ .node = TOPO_NONE };
	snprintf(hca->name, sizeof(hca->name), "%s", name);
	hca->dev = find_dev(t, name, netdev);
	locate(hca, t);
	if (!hca->dev)
		return;
	irqs = hwloc_obj_get_info_by_name(hca->dev, TOPO_INFO_IRQS);
	if (t->here && hca->pci)
		topo_irq_read(&hca->irqs, "", topo_busid(hca->pci, busid, sizeof(busid)));
	else if (irqs)
		topo_irq_parse(&hca->irqs, irqs);
}

const char *topo_netdev(const struct topo *t, const char *device, char *text, size_t size)
{
	char path[256];

	text[0] = '\0';
	snprintf(path, sizeof(path), "/sys/class/infiniband/%.64s/ports/1/gid_attrs/ndevs/0",
		 device);
	return t->here ? topo_first_line(path, text, size) : text;
}

void topo_hca_close(struct topo_hca *hca)
{
	topo_irq_free(&hca->irqs);
	*hca = (struct topo_hca){ .node = TOPO_NONE };
}
