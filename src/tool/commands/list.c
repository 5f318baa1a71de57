/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command list: the devices of this machine, for people. Opens every device, changes
 * nothing. After a device that cannot be queried the others are still printed.
 */
#include "config.h"
#include "commands/commands.h"

#include <string.h>
#include <unistd.h>

#include "device/dev.h"
#include "util/err.h"
#include "limits/gid.h"
#include "limits/gid_text.h"
#include "util/log.h"
#include "topo/topo_hca.h"

static void print_word(FILE *out, const char *label, const char *value)
{
	if (value[0])
		fprintf(out, "  %s%s%s", label, label[0] ? " " : "", value);
}

/* "0000:c1:00.0": a device on another bus has a name of another form. */
static void print_address(FILE *out, const char *link)
{
	const char *slash = strrchr(link, '/');
	const char *name = slash ? slash + 1 : link;

	if (strspn(name, "0123456789abcdef:.") == strlen(name))
		print_word(out, "PCI", name);
}

static void print_pcie(FILE *out, const struct ibv_device *device)
{
	char dir[IBV_SYSFS_PATH_MAX + 16], link[256];
	struct topo_pcie_rate best;
	struct topo_pcie pcie;
	ssize_t n;

	if (!device->ibdev_path[0])
		return;
	snprintf(dir, sizeof(dir), "%s/device", device->ibdev_path);
	n = readlink(dir, link, sizeof(link) - 1);
	if (n < 0)
		return;
	link[n] = '\0';
	print_address(out, link);
	topo_pcie_read_dir(&pcie, dir);
	if (!pcie.now.width)
		return;
	fprintf(out, "  PCIe gen %u x%u", topo_pcie_generation(&pcie.now), pcie.now.width);
	best = topo_pcie_best(&pcie);
	if (topo_pcie_gbit_s(&pcie.now) < topo_pcie_gbit_s(&best))
		fprintf(out, " of gen %u x%u", topo_pcie_generation(&best), best.width);
}

static void print_device(FILE *out, struct dev *dev, const struct limits *l)
{
	static const char *const transports[] = {
		[LIMITS_IB] = "IB", [LIMITS_IWARP] = "iWARP", [LIMITS_OTHER] = "unspecified",
	};
	char numa[16], guid[DEV_GUID_TEXT_MAX];

	fprintf(out, "%s", ibv_get_device_name(dev->ctx->device));
	print_word(out, "GUID", dev_guid_text(dev->ctx->device, guid));
	print_word(out, "driver", l->driver);
	/* of an emulated device these are the settings of its link */
	print_word(out, l->emulated ? "" : "firmware", l->firmware);
	port_sysfs(dev->ctx->device, "device/numa_node", numa, sizeof(numa));
	/* -1: the platform does not tell it */
	print_word(out, "NUMA node", numa[0] == '-' ? "" : numa);
	fprintf(out, "\n  transport %s", transports[l->transport_type]);
	print_pcie(out, dev->ctx->device);
	fputc('\n', out);
}

static void print_gid(FILE *out, const struct dev *dev, const struct plan_gid *gid)
{
	char text[GID_TEXT_MAX], netdev[PORT_NETDEV_MAX];

	port_netdev(dev, gid->index, netdev);
	fprintf(out, "    GID %-3u  %-7s  %s", gid->index, gid_text_types[gid->type],
		gid_text_address(gid->raw, text, sizeof(text)));
	if (netdev[0])
		fprintf(out, "  %s", netdev);
	if (gid->elsewhere)
		fprintf(out, "  of another network namespace");
	fputc('\n', out);
}

/* "400 Gbit/s (4X NDR)", and what the links of a LAG have together. */
static void print_rate(FILE *out, const struct dev *dev)
{
	struct port_rate rate;

	port_rate_ask(&rate, dev);
	if (rate.link_mbit_s)
		fprintf(out, "  %g Gbit/s", (double)rate.link_mbit_s / 1000);
	else
		fprintf(out, "  rate unknown");
	if (rate.lanes[0])
		fprintf(out, " (%s)", rate.lanes);
	if (rate.mbit_s != rate.link_mbit_s)
		fprintf(out, "  %s %g Gbit/s", rate.mbit_s > rate.link_mbit_s ? "LAG" : "effective",
			(double)rate.mbit_s / 1000);
}

/* Those of iWARP and RoCE are the default partition: no administrator sets them. */
static void print_pkeys(FILE *out, const struct dev *dev)
{
	uint32_t n = 0;

	if (dev->limits.ethernet && dev->port_attr.pkey_tbl_len <= 1 &&
	    dev->limits.pkey == (LIMITS_PKEY_FULL | 0x7fff))
		return;
	for (uint32_t i = 0; i < dev->port_attr.pkey_tbl_len; i++) {
		const uint32_t pkey = port_pkey(dev, i);

		if (pkey)
			fprintf(out, "%s 0x%04x", n++ ? "" : "    P_Keys", pkey);
	}
	if (n)
		fputc('\n', out);
}

static void print_port(FILE *out, const struct dev *dev)
{
	const struct limits *l = &dev->limits;

	fprintf(out, "  port %u  %s  %s", l->port, ibv_port_state_str(dev->port_attr.state),
		limits_link_name(l));
	print_rate(out, dev);
	if (l->active_mtu_bytes)
		fprintf(out, "  MTU %u", l->active_mtu_bytes);
	print_word(out, "netdev", l->netdev);
	if (!l->ethernet && !l->link_unspecified)
		fprintf(out, "  LID %u", l->lid);
	if (l->grh_required && !l->ethernet)
		fprintf(out, "  needs GRH");
	fputc('\n', out);
	print_pkeys(out, dev);
	for (uint32_t i = 0; i < l->n_gids; i++)
		print_gid(out, dev, &l->gids[i]);
	if (!l->n_gids)
		fprintf(out, "    no GID\n");
}

/* Prints the ports beside one that cannot be asked, too; the first error is returned. */
static int list_device(FILE *out, struct ibv_device *device)
{
	struct err error = { .text = "" };
	bool printed = false;
	struct dev dev;
	int rc = dev_open_device(&dev, device);

	if (rc)
		return rc;
	for (uint32_t port = 1; port <= dev.attr.phys_port_cnt; port++) {
		const int failed = port_ask(&dev, port, NULL);

		if (failed) {
			error = rc ? error : err_keep();
			rc = rc ? rc : failed;
			continue;
		}
		if (!printed)
			print_device(out, &dev, &dev.limits);
		printed = true;
		print_port(out, &dev);
	}
	dev_close(&dev);
	if (rc)
		err_restore(&error);
	return rc;
}

static int list_devices(FILE *out)
{
	struct ibv_device **list;
	int n, status = COMMAND_OK;

	if (dev_list(&list, &n)) {
		log_error("%s", err_text());
		return COMMAND_FAILED;
	}
	if (!n)
		fprintf(out, "no RDMA devices: %s\n", remedy_text(dev_none_cause("")));
	for (int i = 0; i < n; i++) {
		if (list_device(out, list[i])) {
			log_error("%s", err_text());
			status = COMMAND_FAILED;
		}
	}
	if (list)
		ibv_free_device_list(list);
	return status;
}

int list_command(const struct command *cmd, const struct command_line *line)
{
	struct commands_screen screen;
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	if (cfg.topology_xml)
		return topology_list(stdout, true);
	commands_screen_open(&screen);
	status = cfg.topology ? topology_list(screen.out, false) : list_devices(screen.out);
	commands_screen_close(&screen);
	return status;
}
