/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is read right before and right after the loops of a point, beside them: the counters of the
 * device, the CPU time of the process and of the machine, and the PCIe link, which may have become
 * slower. Never while a loop runs.
 */
#include "config.h"

#include "point/point.h"

#include <math.h>
#include <stdio.h>

#include "topo/topo_hca.h"

/* Some devices do not tell their folder: it is called as they are. */
static void device_folder(const struct ibv_device *device, char *path, size_t size)
{
	if (device->ibdev_path[0])
		snprintf(path, size, "%s", device->ibdev_path);
	else
		snprintf(path, size, "/sys/class/infiniband/%s", device->name);
}

void point_evidence_begin(struct point_state *s)
{
	char path[IBV_SYSFS_PATH_MAX + 32];

	device_folder(s->in->dev->ctx->device, path, sizeof(path));
	counters_begin(&s->counters, path, s->in->dev->limits.port);
	cpu_use_read(&s->cpu_use, "");
}

/* An emulated device sends nothing over PCIe, whatever its profile says. */
static double pcie_gbit_s(const struct dev *dev, const char *folder)
{
	char path[IBV_SYSFS_PATH_MAX + 48];
	struct topo_pcie link;

	snprintf(path, sizeof(path), "%s/device", folder);
	topo_pcie_read_dir(&link, path);
	return link.now.width && !dev->limits.emulated ? topo_pcie_gbit_s(&link.now) : NAN;
}

void point_evidence_end(struct point_state *s, struct result *own)
{
	const struct cpu_use *before = &s->cpu_use;
	char path[IBV_SYSFS_PATH_MAX + 32];
	struct cpu_use now;

	cpu_use_read(&now, "");
	/* the loops of other sessions of this process are not known here */
	if (!s->in->host->meet && before->process_ns)
		own->other_cpu_ns = cpu_use_other_ns(before, &now, own->cpu_ns);
	own->softirq_pct = cpu_use_softirq_pct(before, &now);
	own->steal_pct = cpu_use_steal_pct(before, &now);
	counters_end(&s->counters, own->device_counters, &own->retransmissions);
	counters_close(&s->counters);
	device_folder(s->in->dev->ctx->device, path, sizeof(path));
	own->pcie_gbit_s = pcie_gbit_s(s->in->dev, path);
}
