/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads struct machine from the kernel's files and from hwloc; see machine.h. Must not judge what
 * it reads.
 */
#include "config.h"
#include "place/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topo/topo_hca.h"
#include "util/text.h"

#define PATH_TEXT 512
#define SPACE_BYTES 4096
#define MOST_STEPS 96 /* capabilities that can be in it */

const char *const machine_switch_names[] = {
	[MACHINE_UNKNOWN] = "unknown",
	[MACHINE_NONE] = "none",
	[MACHINE_OFF] = "off",
	[MACHINE_ON] = "on",
	NULL,
};

const char *const machine_access_names[] = {
	[MACHINE_ABSENT] = "absent",
	[MACHINE_DENIED] = "denied",
	[MACHINE_OPEN] = "open",
	NULL,
};

#define FIELD(type, f, ...) FIELD_ROW(struct machine, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct machine, f, __VA_ARGS__)
static const struct field rows[] = {
#include "place/machine.def"
};

const struct field_table machine_table = {
	.what = "machine", .rows = rows, .n = FIELD_COUNT(rows),
};

/* A line of the file root/NAME/KEY; "" when it cannot be read. */
static const char *read_key(char text[MACHINE_TEXT], const char *root, const char *name,
			    const char *key)
{
	char path[PATH_TEXT];

	snprintf(path, sizeof(path), "%s/%s/%s", root, name, key);
	return text_read_line(path, text, MACHINE_TEXT);
}

static void read_pcie(struct machine *m, const char *root)
{
	struct topo_pcie link = { .now = { 0 } };
	struct topo_pcie_rate best;

	topo_pcie_read(&link, root, m->pci);
	if (!link.now.width)
		return;
	m->pcie_generation = topo_pcie_generation(&link.now);
	m->pcie_width = link.now.width;
	m->pcie_gbit_s = topo_pcie_gbit_s(&link.now);
	best = topo_pcie_best(&link);
	if (!best.width)
		return;
	m->pcie_best_generation = topo_pcie_generation(&best);
	m->pcie_best_width = best.width;
	m->pcie_best_gbit_s = topo_pcie_gbit_s(&best);
}

/*
 * ---- the registers of linux/pci_regs.h: the list of capabilities of PCI, and the extended ones of
 * PCI Express, which begin at 256. Both lists come from a device: each step is bounded.
 */

struct space {
	const uint8_t *bytes;
	size_t len;
};

/* 0 behind the end. Little-endian, as on the bus. */
static uint32_t read_le(const struct space *s, size_t at, size_t n)
{
	uint32_t value = 0;

	if (at + n > s->len)
		return 0;
	for (size_t i = n; i; i--)
		value = value << 8 | s->bytes[at + i - 1];
	return value;
}

/* Where a capability is; 0: none. */
static size_t find(const struct space *s, uint32_t id)
{
	size_t at = read_le(s, PCI_CAPABILITY_LIST, 1) & 0xfc;

	for (int i = 0; i < MOST_STEPS && at >= PCI_STD_HEADER_SIZEOF; i++) {
		if (read_le(s, at + PCI_CAP_LIST_ID, 1) == id)
			return at;
		at = read_le(s, at + PCI_CAP_LIST_NEXT, 1) & 0xfc;
	}
	return 0;
}

static size_t find_extended(const struct space *s, uint32_t id)
{
	size_t at = PCI_CFG_SPACE_SIZE;

	for (int i = 0; i < MOST_STEPS && at >= PCI_CFG_SPACE_SIZE; i++) {
		const uint32_t head = read_le(s, at, 4);

		if (!head)
			return 0;
		if (PCI_EXT_CAP_ID(head) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(head);
	}
	return 0;
}

void machine_parse_pci(struct machine *m, const uint8_t *bytes, size_t len)
{
	const struct space s = { bytes, len };
	size_t express, ats;
	uint32_t control;

	m->relaxed_ordering = m->ats = MACHINE_UNKNOWN;
	m->read_request_bytes = UINT32_MAX;
	if (len <= PCI_STD_HEADER_SIZEOF)
		return;
	express = find(&s, PCI_CAP_ID_EXP);
	if (!express)
		return;
	control = read_le(&s, express + PCI_EXP_DEVCTL, 2);
	/*
	 * A virtual function has no link of its own. There both are reserved and read 0, and those
	 * of the physical function hold (Device Control of a VF in the SR-IOV specification; Linux,
	 * pci_configure_relaxed_ordering()).
	 */
	if (read_le(&s, express + PCI_EXP_LNKSTA, 2) & PCI_EXP_LNKSTA_NLW) {
		m->relaxed_ordering = control & PCI_EXP_DEVCTL_RELAX_EN ? MACHINE_ON : MACHINE_OFF;
		m->read_request_bytes = 128u << ((control & PCI_EXP_DEVCTL_READRQ) >> 12);
	}
	if (len <= PCI_CFG_SPACE_SIZE)
		return;
	ats = find_extended(&s, PCI_EXT_CAP_ID_ATS);
	if (!ats)
		m->ats = MACHINE_NONE;
	else
		m->ats = read_le(&s, ats + PCI_ATS_CTRL, 2) & PCI_ATS_CTRL_ENABLE ? MACHINE_ON :
										     MACHINE_OFF;
}

static void read_space(struct machine *m, const char *root)
{
	uint8_t bytes[SPACE_BYTES];
	char path[512];
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/config", root, m->pci);
	f = fopen(path, "re");
	if (f) {
		len = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
	}
	machine_parse_pci(m, bytes, len);
}

/* ---- other files */

void machine_governor(char governor[MACHINE_TEXT], const char *root, hwloc_const_cpuset_t cpus)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	governor[0] = '\0';
	for (long cpu = 0; cpu < n; cpu++) {
		char name[64], text[MACHINE_TEXT];

		if (cpus && !hwloc_bitmap_isset(cpus, (unsigned int)cpu))
			continue;
		snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%ld/cpufreq", cpu);
		read_key(text, root, name, "scaling_governor");
		if (!text[0])
			continue;
		memcpy(governor, text, sizeof(text));
		if (strcmp(text, "performance"))
			return;
	}
}

/* "model name\t: AMD EPYC 7763" is among the first lines of x86; not all architectures have one. */
void machine_cpu_model(char model[MACHINE_TEXT], const char *root)
{
	char path[PATH_TEXT], text[2048];
	const char *at;

	model[0] = '\0';
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	at = strstr(text_read(path, text, sizeof(text)), "\nmodel name");
	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return;
	at += strspn(at, ": ");
	snprintf(model, MACHINE_TEXT, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum machine_access access_of(const char *root, const char *file)
{
	char path[PATH_TEXT];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return MACHINE_OPEN;
	}
	return errno == ENOENT || errno == ENXIO || errno == ENODEV ? MACHINE_ABSENT :
								       MACHINE_DENIED;
}

void machine_read_files(struct machine *m, const char *root, const char *netdev,
			hwloc_const_cpuset_t cpus)
{
	char name[2 * MACHINE_TEXT], text[MACHINE_TEXT];

	if (m->pci[0]) {
		read_pcie(m, root);
		read_space(m, root);
		snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/iommu_group", m->pci);
		read_key(m->iommu, root, name, "type");
	}
	machine_governor(m->governor, root, cpus);
	read_key(m->clocksource, root, "sys/devices/system/clocksource/clocksource0",
		 "current_clocksource");
	m->numa_balancing = atoi(read_key(text, root, "proc/sys/kernel", "numa_balancing")) != 0;
	if (netdev[0]) {
		snprintf(name, sizeof(name), "sys/class/net/%s", netdev);
		if (read_key(text, root, name, "mtu")[0])
			m->netdev_mtu_bytes = (uint32_t)strtoul(text, NULL, 10);
	}
	m->cm_access = access_of(root, "dev/infiniband/rdma_cm");
}

/*
 * Who has CAP_IPC_LOCK has no limit (mlock(2)). The kernel asks for it in the first user namespace:
 * that of root of a rootless container does not count.
 */
static bool locks_any(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	unsigned int inside = 0, outside = 0, n = UINT32_MAX;
	char map[64];

	if (syscall(SYS_capget, &head, data) || !(data[0].effective & 1u << CAP_IPC_LOCK))
		return false;
	/* "0 0 4294967295" in the first one */
	text_read_line("/proc/self/uid_map", map, sizeof(map));
	return sscanf(map, "%u %u %u", &inside, &outside, &n) != 3 || n == UINT32_MAX;
}

uint64_t machine_memlock(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY || locks_any())
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* hca: closed by the caller. */
static void read_place(struct machine *m, const struct topo *t, const struct topo_hca *hca)
{
	if (hca->pci)
		topo_hca_pci_address(hca->pci, m->pci, sizeof(m->pci));
	m->numa_nodes = (uint32_t)hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_NUMANODE);
	m->cpus = (uint32_t)hwloc_bitmap_weight(t->usable);
	if (!hca->known)
		return;
	m->numa_node = hca->node;
	m->near_cpus = topo_count_common(t->usable, hca->cpus);
}

void machine_read(struct machine *m, const char *device, const char *netdev)
{
	struct topo_hca hca = { .node = TOPO_NONE };
	struct topo t;
	bool open;

	field_clear(&machine_table, m);
	open = !topo_open(&t);
	if (open && t.this_host) {
		topo_hca_find(&hca, &t, device, netdev);
		read_place(m, &t, &hca);
	}
	machine_read_files(m, "", netdev, hca.known ? hca.cpus : NULL);
	m->memlock_bytes = machine_memlock();
	topo_hca_close(&hca);
	if (open)
		topo_close(&t);
}
