/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The files of /sys/class/infiniband/softhcaN; see api_sysfs_files.h. Their texts are those of the
 * kernel: drivers/infiniband/core/sysfs.c.
 */
#include "config.h"
#include "api/api_sysfs_files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gid.h"
#include "base/hca.h"
#include "objects/device.h"

/* Numbers of interrupts that no machine has: arch_dynirq_lower_bound() and NR_IRQS of Linux. */
#define IRQ_FIRST 1000000u
#define IRQ_OF_DEVICE 1000u

/* A place in the tree: the rest of the path, its device and port. */
struct place {
	const char *rest;
	uint32_t dev, port;
	char *text;
};

static enum sysfs_kind __attribute__((format(printf, 2, 3))) say(const struct place *at,
								 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(at->text, SYSFS_TEXT, format, args);
	va_end(args);
	return SYSFS_FILE;
}

/* "ports/1/rate" after "ports/": the number, and what follows it. */
static bool take_number(const char **rest, uint32_t *n)
{
	char *end;
	const unsigned long v = strtoul(*rest, &end, 10);

	if (end == *rest || (*end && *end != '/') || v > INT32_MAX)
		return false;
	*n = (uint32_t)v;
	*rest = *end ? end + 1 : end;
	return true;
}

static const char *after(const char *text, const char *prefix)
{
	const size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

static bool is_class(const char *path)
{
	const char *rest = after(path, SYSFS_CLASS);

	return rest && (!*rest || !strcmp(rest, "/")) && hca_settings()->devices;
}

/* Whether a word of the list, which ends with NULL, is the text. */
static bool is_one_of(const char *text, const char *const *words)
{
	while (*words && strcmp(*words, text) != 0)
		words++;
	return *words;
}

bool api_sysfs_is_own(const char *path)
{
	const char *rest = path ? after(path, DEVICE_SYSFS) : NULL;
	uint32_t dev;

	if (path && is_class(path))
		return true;
	return rest && take_number(&rest, &dev) && dev < hca_settings()->devices;
}

static enum sysfs_kind guid(const struct place *at)
{
	const uint64_t g = be64toh(gid_guid(at->dev));

	return say(at, "%04x:%04x:%04x:%04x\n", (unsigned int)(g >> 48),
		   (unsigned int)(g >> 32 & 0xffff), (unsigned int)(g >> 16 & 0xffff),
		   (unsigned int)(g & 0xffff));
}

/* node_type_show() */
static const char *node_type(uint64_t type)
{
	return type == IBV_NODE_CA   ? "1: CA" :
	       type == IBV_NODE_RNIC ? "4: RNIC" :
				       "7: unspecified";
}

static enum sysfs_kind of_device(const struct place *at)
{
	const char *node = hca_settings()->node;
	const struct profile *p = hca_profile(at->dev);

	if (!strcmp(at->rest, "node_type"))
		return say(at, "%s\n", node_type(p->node_type));
	if (!strcmp(at->rest, "fw_ver"))
		return say(at, "%s\n", p->firmware);
	if (!strcmp(at->rest, "board_id"))
		return say(at, "%s\n", p->board_id);
	if (!strcmp(at->rest, "hca_type"))
		return say(at, "%s\n", p->name);
	if (!strcmp(at->rest, "hw_rev"))
		return say(at, "%" PRIx64 "\n", p->hw_ver);
	if (!strcmp(at->rest, "node_desc")) /* as drivers do: the name of the host first */
		return say(at, "%s%ssofthca%u\n", node, *node ? " " : "", at->dev);
	if (!strcmp(at->rest, "node_guid") || !strcmp(at->rest, "sys_image_guid"))
		return guid(at);
	return SYSFS_NOTHING;
}

/* "32.0 GT/s PCIe" or "16" of "32.0 GT/s x16". */
static enum sysfs_kind pcie(const struct place *at, bool width)
{
	const char *text = hca_profile(at->dev)->pcie, *x = strrchr(text, 'x');
	double gt_s;

	if (!x || sscanf(text, "%lf", &gt_s) != 1)
		return SYSFS_NOTHING;
	return width ? say(at, "%s\n", x + 1) : say(at, "%.1f GT/s PCIe\n", gt_s);
}

uint32_t api_sysfs_irq(uint32_t dev, uint32_t vector)
{
	return IRQ_FIRST + dev * IRQ_OF_DEVICE + vector;
}

static enum sysfs_kind msi_irq(const struct place *at, const char *rest)
{
	uint32_t number;

	if (!take_number(&rest, &number) || *rest || number < api_sysfs_irq(at->dev, 0) ||
	    number >= api_sysfs_irq(at->dev, (uint32_t)hca_profile(at->dev)->vectors))
		return SYSFS_NOTHING;
	return say(at, "msix\n");
}

/* The files of the PCI device. A device without a driver is software, and has no such folder. */
static enum sysfs_kind of_pci(const struct place *at)
{
	const struct profile *p = hca_profile(at->dev);

	if (!p->driver[0])
		return SYSFS_NOTHING;
	if (!*at->rest)
		return SYSFS_FOLDER;
	if (!strcmp(at->rest, "driver")) {
		say(at, "../../../../bus/pci/drivers/%s", p->driver);
		return SYSFS_LINK;
	}
	if (!strcmp(at->rest, "numa_node"))
		return say(at, "%" PRId64 "\n", (int64_t)p->numa_node);
	if (!strcmp(at->rest, "vendor"))
		return say(at, "0x%04" PRIx64 "\n", p->vendor_id);
	if (!strcmp(at->rest, "device"))
		return say(at, "0x%04" PRIx64 "\n", p->vendor_part_id);
	if (!strcmp(at->rest, "uevent"))
		return say(at, "DRIVER=%s\nPCI_SLOT_NAME=%s\n", p->driver, p->pci);
	if (!strcmp(at->rest, "current_link_speed") || !strcmp(at->rest, "max_link_speed"))
		return pcie(at, false);
	if (!strcmp(at->rest, "current_link_width") || !strcmp(at->rest, "max_link_width"))
		return pcie(at, true);
	if (!strcmp(at->rest, "msi_irqs"))
		return p->irq_name[0] ? SYSFS_FOLDER : SYSFS_NOTHING;
	if (p->irq_name[0] && after(at->rest, "msi_irqs/"))
		return msi_irq(at, after(at->rest, "msi_irqs/"));
	return SYSFS_NOTHING;
}

/* rate_show() */
static enum sysfs_kind rate(const struct place *at)
{
	static const struct {
		uint32_t code;
		const char *name;
	} names[] = {
		{ 1, "SDR" }, { 2, "DDR" }, { 4, "QDR" }, { 8, "FDR10" }, { 16, "FDR" },
		{ 32, "EDR" }, { 64, "HDR" }, { 128, "NDR" }, { 256, "XDR" },
	};
	const struct device_speed s = device_speed(at->dev);
	const char *name = "";

	if (hca_profile(at->dev)->rate[0])
		return say(at, "%s\n", hca_profile(at->dev)->rate);
	if (!s.lanes)
		return say(at, "%g Gb/sec\n", (double)s.mbit_s / 1000);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		name = names[i].code == s.speed_ex ? names[i].name : name;
	return say(at, "%g Gb/sec (%uX%s%s)\n", (double)s.mbit_s / 1000, s.lanes, *name ? " " : "",
		   name);
}

static enum sysfs_kind gid(const struct place *at, uint32_t i)
{
	union ibv_gid g = gid_of_port(at->dev, at->port, i);
	uint16_t w[8];

	if (i >= device_gids(at->dev))
		return SYSFS_NOTHING;
	for (int k = 0; k < 8; k++)
		w[k] = (uint16_t)(g.raw[2 * k] << 8 | g.raw[2 * k + 1]);
	return say(at, "%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x\n", w[0], w[1], w[2], w[3], w[4],
		   w[5], w[6], w[7]);
}

/* An empty entry cannot be read (EINVAL in the kernel); here it is not there. */
static enum sysfs_kind gid_attr(const struct place *at, const char *rest)
{
	const struct profile *p = hca_profile(at->dev);
	const char *types = after(rest, "types/"), *ndevs = after(rest, "ndevs/");
	uint32_t i;

	rest = types ? types : ndevs;
	if (!rest || !take_number(&rest, &i) || *rest || i >= p->n_gids)
		return SYSFS_NOTHING;
	if (types)
		return say(at, "%s\n", p->gid[i].type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" :
			   "IB/RoCE v1");
	if (p->link_layer != IBV_LINK_LAYER_ETHERNET)
		return SYSFS_NOTHING;
	if (p->gid[i].vlan)
		return say(at, "softhca%u.%u\n", at->dev, p->gid[i].vlan);
	return say(at, "softhca%u\n", at->dev);
}

static const char *const port_folders[] = {
	"gids", "pkeys", "gid_attrs", "gid_attrs/types", "gid_attrs/ndevs", "counters",
	"hw_counters", NULL,
};

/* Words of the kernel: state_show(), phys_state_show(), link_layer_show(). */
static enum sysfs_kind of_port(const struct place *at)
{
	const struct profile *p = hca_profile(at->dev);
	const enum ibv_port_state state = device_port_state(at->dev, at->port);
	const char *rest = at->rest;
	uint16_t pkey;
	uint32_t i;

	if (is_one_of(rest, port_folders))
		return p->n_counters || strcmp(rest, "hw_counters") ? SYSFS_FOLDER :
								      SYSFS_NOTHING;
	if (!strcmp(rest, "rate"))
		return rate(at);
	if (!strcmp(rest, "state"))
		return say(at, "%s\n", state == IBV_PORT_DOWN ? "1: DOWN" :
				       state == IBV_PORT_INIT ? "2: INIT" : "4: ACTIVE");
	if (!strcmp(rest, "phys_state"))
		return say(at, "%s\n", state == IBV_PORT_DOWN ? "3: Disabled" : "5: LinkUp");
	if (!strcmp(rest, "link_layer"))
		return say(at, "%s\n", p->link_layer == IBV_LINK_LAYER_ETHERNET   ? "Ethernet" :
				       p->link_layer == IBV_LINK_LAYER_INFINIBAND ? "InfiniBand" :
										    "Unspecified");
	if (!strcmp(rest, "lid"))
		return say(at, "0x%x\n", gid_lid(at->dev, at->port));
	if (!strcmp(rest, "sm_lid"))
		return say(at, "0x%x\n", gid_sm_lid(at->dev));
	if (!strcmp(rest, "lid_mask_count") || !strcmp(rest, "sm_sl"))
		return say(at, "0\n");
	if (!strcmp(rest, "cap_mask"))
		return say(at, "0x%08x\n", device_port_capabilities(at->dev));
	if ((rest = after(at->rest, "gids/")) && take_number(&rest, &i) && !*rest)
		return gid(at, i);
	if ((rest = after(at->rest, "gid_attrs/")))
		return gid_attr(at, rest);
	if ((rest = after(at->rest, "pkeys/")) && take_number(&rest, &i) && !*rest &&
	    !device_pkey(at->dev, at->port, i, &pkey))
		return say(at, "0x%04x\n", pkey);
	return api_sysfs_counter(at->dev, at->port, at->rest, at->text);
}

/* Without repeated slashes, and without one at the end. */
static void clean(char *to, size_t size, const char *path)
{
	size_t len = 0;

	for (; *path && len + 1 < size; path++)
		if (*path != '/' || (path[1] && path[1] != '/'))
			to[len++] = *path;
	to[len] = '\0';
}

enum sysfs_kind api_sysfs_find(const char *path, char text[SYSFS_TEXT])
{
	struct place at = { .text = text };
	char cleaned[256];
	const char *below;

	text[0] = '\0';
	if (is_class(path))
		return SYSFS_FOLDER;
	clean(cleaned, sizeof(cleaned), path);
	at.rest = after(cleaned, DEVICE_SYSFS);
	if (!at.rest || !take_number(&at.rest, &at.dev))
		return SYSFS_NOTHING;
	if (!*at.rest)
		return SYSFS_FOLDER;
	if (!strcmp(at.rest, "ports") || !strcmp(at.rest, "ports/"))
		return SYSFS_FOLDER;
	below = after(at.rest, "ports/");
	if (below) {
		at.rest = below;
		if (!take_number(&at.rest, &at.port) || !at.port || at.port > gid_ports(at.dev))
			return SYSFS_NOTHING;
		return *at.rest ? of_port(&at) : SYSFS_FOLDER;
	}
	below = after(at.rest, "device");
	if (below && (!*below || *below == '/')) {
		at.rest = *below ? below + 1 : below;
		return of_pci(&at);
	}
	return of_device(&at);
}
