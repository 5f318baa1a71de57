/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of warnings: when each is given, its text, and its remedy. Called by check.c and
 * check_local.c. A fact that is not known gives no warning.
 */
#include "config.h"
#include "check/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "remedy/remedy.h"
#include "verbs/quirks.h"

#define MEMLOCK_LEAST (64u << 20)  /* buffers and queues of the default tests, on 4 KiB pages */
#define READ_REQUEST_LEAST 512u    /* what most firmware sets */
#define RATE_SLACK 0.97 /* packets of both have about the same overhead */

/* One row: writes text and remedy, if there is something to say. */
struct rule {
	const char *code;
	void (*judge)(struct finding *f, const struct findings_in *in);
};

__attribute__((format(printf, 2, 3)))
static void say(char text[FINDING_TEXT], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, FINDING_TEXT, fmt, ap);
	va_end(ap);
}

static bool is_number(uint32_t n)
{
	return n != UINT32_MAX;
}

/* ---- PCIe */

static void judge_pcie_narrow(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;

	if (!is_number(m->pcie_width) || !is_number(m->pcie_best_width) ||
	    m->pcie_gbit_s >= m->pcie_best_gbit_s)
		return;
	say(f->text, "PCIe link: gen %u x%u, %.0f Gbit/s; device and slot support gen %u x%u, %.0f Gbit/s",
	    m->pcie_generation, m->pcie_width, m->pcie_gbit_s, m->pcie_best_generation,
	    m->pcie_best_width, m->pcie_best_gbit_s);
	say(f->remedy, "lspci -vv -s %s | grep Lnk; then the slot, the riser, the BIOS", m->pci);
}

static void judge_pcie_below_link(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;
	const double link = (double)in->limits->rate_mbit_s / 1000;

	if (!is_number(m->pcie_width) || m->pcie_gbit_s >= link * RATE_SLACK)
		return;
	say(f->text, "PCIe carries %.0f Gbit/s each way, and the link of the port %g Gbit/s",
	    m->pcie_gbit_s, link);
	say(f->remedy, "a slot with more lanes or a newer PCIe; lspci -vv -s %s", m->pci);
}

static void judge_read_request(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;

	if (!is_number(m->read_request_bytes) || m->read_request_bytes >= READ_REQUEST_LEAST)
		return;
	say(f->text, "the device reads at most %u bytes per PCIe request", m->read_request_bytes);
	say(f->remedy, "lspci -vv -s %s | grep MaxReadReq; the BIOS, or the tool of the vendor",
	    m->pci);
}

static void judge_relaxed_ordering(struct finding *f, const struct findings_in *in)
{
	if (in->machine->relaxed_ordering != MACHINE_OFF)
		return;
	say(f->text, "PCIe relaxed ordering is off for the device; on some machines (AMD EPYC, Arm) that costs bandwidth");
	say(f->remedy, "lspci -vv -s %s | grep RlxdOrd; the BIOS (PCI Relaxed Ordering)",
	    in->machine->pci);
}

static bool is_translated(const struct machine *m)
{
	return !strncmp(m->iommu, "DMA", 3);
}

static void judge_iommu(struct finding *f, const struct findings_in *in)
{
	if (!is_translated(in->machine))
		return;
	say(f->text, "the IOMMU translates the addresses of the device (type %s)",
	    in->machine->iommu);
	say(f->remedy, "iommu=pt on the command line of the kernel");
}

static void judge_ats(struct finding *f, const struct findings_in *in)
{
	if (in->machine->ats != MACHINE_OFF || !is_translated(in->machine))
		return;
	say(f->text, "the device could cache translations of the IOMMU (ATS), and does not");
	say(f->remedy, "lspci -vv -s %s | grep ATSCtl; the firmware of the device, the BIOS",
	    in->machine->pci);
}

/* ---- CPUs and NUMA */

static void judge_governor(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;

	if (!m->governor[0] || !strcmp(m->governor, "performance"))
		return;
	say(f->text, "the frequency governor of the CPUs is %s", m->governor);
	say(f->remedy, "cpupower frequency-set -g performance");
}

static void judge_far(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;

	if (!is_number(m->near_cpus) || m->near_cpus)
		return;
	say(f->text, "none of the %u CPUs that this process may use is near the device (NUMA node %u)",
	    m->cpus, m->numa_node);
	say(f->remedy, "taskset, numactl, or the cpuset of the container or of the job: CPUs of node %u",
	    m->numa_node);
}

static void judge_place(struct finding *f, const struct findings_in *in)
{
	const struct machine *m = in->machine;

	if (m->numa_nodes < 2 || !m->pci[0] || is_number(m->near_cpus))
		return;
	say(f->text, "the firmware does not say which of the %u NUMA nodes is near the device: threads are not bound near it",
	    m->numa_nodes);
	say(f->remedy, "the BIOS (NUMA, ACPI SRAT and SLIT); or --pin and --mem");
}

static void judge_balancing(struct finding *f, const struct findings_in *in)
{
	if (!in->machine->numa_balancing || in->machine->numa_nodes < 2)
		return;
	say(f->text, "the kernel moves pages between NUMA nodes while programs run");
	say(f->remedy, "sysctl kernel.numa_balancing=0");
}

/* The others are read by a system call, and take from 100 ns to a microsecond. */
static void judge_clock(struct finding *f, const struct findings_in *in)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen" };

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(in->machine->clocksource, slow[i]))
			continue;
		say(f->text, "the clock of the kernel is %s, which is slow to read", slow[i]);
		say(f->remedy, "dmesg | grep -i tsc: why the kernel does not trust the TSC");
	}
}

/* ---- the port */

static void judge_mtu(struct finding *f, const struct findings_in *in)
{
	const struct limits *l = in->limits;

	if (!l->max_mtu_bytes || l->active_mtu_bytes >= l->max_mtu_bytes)
		return;
	if (!l->ethernet) {
		say(f->text, "the MTU of the port is %u, and it supports %u",
		    l->active_mtu_bytes, l->max_mtu_bytes);
		say(f->remedy, "smpquery portinfo; the partition's MTU is set at the subnet manager");
		return;
	}
	if (is_number(in->machine->netdev_mtu_bytes))
		say(f->text, "the MTU is %u, because that of %s is %u; the port supports %u",
		    l->active_mtu_bytes, l->netdev, in->machine->netdev_mtu_bytes,
		    l->max_mtu_bytes);
	else
		say(f->text, "the MTU is %u, and the port supports %u", l->active_mtu_bytes,
		    l->max_mtu_bytes);
	say(f->remedy, "%s", remedy_mends(REMEDY_MTU));
}

/* ---- memory */

static void judge_memlock(struct finding *f, const struct findings_in *in)
{
	const uint64_t bytes = in->machine->memlock_bytes;

	if (bytes >= MEMLOCK_LEAST)
		return;
	say(f->text, "the process may lock %" PRIu64 " KiB of memory: large buffers and many queue pairs will be refused",
	    bytes >> 10);
	say(f->remedy, "%s", remedy_mends(REMEDY_MEMLOCK));
}

static void judge_hugepages(struct finding *f, const struct findings_in *in)
{
	const struct limits *l = in->limits;

	if (!l->hugepage_bytes || l->hugepages_free)
		return;
	say(f->text, "no hugepages are free: buffers have pages of 4 KiB, and the device translates more addresses");
	say(f->remedy, "sysctl vm.nr_hugepages=512");
}

static void judge_cm(struct finding *f, const struct findings_in *in)
{
	/* the emulated device has its own */
	if (in->machine->cm_access == MACHINE_OPEN || in->limits->emulated)
		return;
	if (in->machine->cm_access == MACHINE_ABSENT) {
		say(f->text, "there is no /dev/infiniband/rdma_cm: no rdma_cm (--cm), and iWARP needs it");
		say(f->remedy, "%s; in a container: give it the device",
		    remedy_mends(REMEDY_NO_RDMA_CM));
		return;
	}
	say(f->text, "/dev/infiniband/rdma_cm may not be opened: no rdma_cm (--cm), and iWARP needs it");
	say(f->remedy, "%s", remedy_mends(REMEDY_RIGHTS));
}

static void judge_software(struct finding *f, const struct findings_in *in)
{
	const struct limits *l = in->limits;

	if (l->emulated)
		say(f->text, "the device is emulated: its figures are those of this machine, not of an HCA");
	else if (quirks_has(l->driver, QUIRK_SOFTWARE))
		say(f->text, "the device is software (%s) on a network interface: its figures are not those of an HCA",
		    l->driver);
}

static const struct rule table[] = {
	{ "software", judge_software },
	{ "pcie_narrow", judge_pcie_narrow },
	{ "pcie_below_link", judge_pcie_below_link },
	{ "read_request", judge_read_request },
	{ "relaxed_ordering", judge_relaxed_ordering },
	{ "iommu", judge_iommu },
	{ "ats", judge_ats },
	{ "governor", judge_governor },
	{ "numa_far", judge_far },
	{ "numa_unknown", judge_place },
	{ "numa_balancing", judge_balancing },
	{ "clocksource", judge_clock },
	{ "mtu", judge_mtu },
	{ "memlock", judge_memlock },
	{ "hugepages", judge_hugepages },
	{ "rdma_cm", judge_cm },
};

const uint32_t findings_most = sizeof(table) / sizeof(table[0]);

const char *findings_code(uint32_t i)
{
	return i < findings_most ? table[i].code : NULL;
}

uint32_t findings_add(struct finding *list, uint32_t n, const struct findings_in *in)
{
	for (uint32_t i = 0; i < findings_most; i++) {
		struct finding f = { .code = table[i].code };

		table[i].judge(&f, in);
		if (!f.text[0])
			continue;
		snprintf(f.side, sizeof(f.side), "%s", in->side);
		snprintf(f.host, sizeof(f.host), "%s", in->limits->host);
		snprintf(f.device, sizeof(f.device), "%s", in->limits->device);
		list[n++] = f;
	}
	return n;
}
