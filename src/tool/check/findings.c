/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the warnings: when each is given, its text, and its remedy. A fact that is not known gives
 * no warning.
 */
#include "config.h"
#include "check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "causes/remedy.h"
#include "limits/spoils.h"
#include "verbs/verbs_error.h"
#include "util/must.h"

#define MEMLOCK_LEAST (64u << 20)  /* buffers and queues of the default tests, on 4 KiB pages */
#define READ_REQUEST_LEAST 512u    /* what most firmware sets */
#define RATE_SLACK 0.97 /* packets of both have about the same overhead */

/* The codes, in the order of the warnings. */
#define CODES(X) X(software) X(pcie_narrow) X(pcie_below_link) X(read_request) \
	X(relaxed_ordering) X(iommu) X(ats) X(few_cpus) X(load) X(governor) X(numa_far) \
	X(numa_unknown) X(numa_balancing) X(clocksource) X(mtu) X(memlock) X(hugepages) \
	X(gpu_memory) X(rdma_cm)

#define CODE(name) CODE_##name,
enum code { CODES(CODE) CODE_COUNT };

#define NAME(name) #name,
static const char *const names[] = { CODES(NAME) };

const char *findings_code(uint32_t i)
{
	return i < CODE_COUNT ? names[i] : NULL;
}

struct finding *findings_new(struct findings *to, const char *code)
{
	to->list = must_realloc(to->list, to->n + 1, sizeof(*to->list));
	to->list[to->n] = (struct finding){ .code = code };
	return &to->list[to->n++];
}

/* In remedy, "@" stands for the PCI address of the device. */
__attribute__((format(printf, 4, 5)))
static void warn(const struct findings_in *in, enum code code, const char *remedy,
		 const char *fmt, ...)
{
	struct finding *f = findings_new(in->to, names[code]);
	const int len = (int)strcspn(remedy, "@");
	va_list ap;

	snprintf(f->side, sizeof(f->side), "%s", in->side);
	snprintf(f->host, sizeof(f->host), "%s", in->limits->host);
	snprintf(f->device, sizeof(f->device), "%s", in->limits->device);
	snprintf(f->remedy, sizeof(f->remedy), "%.*s%s%s", len, remedy,
		 remedy[len] ? in->machine->pci : "", remedy[len] ? remedy + len + 1 : "");
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static bool is_number(uint32_t n)
{
	return n != UINT32_MAX;
}

static void judge_software(const struct findings_in *in)
{
	if (in->limits->emulated)
		warn(in, CODE_software, "",
		     "the device is emulated: its figures are those of this machine, not of an HCA");
	else if (verbs_quirk(in->limits->driver, QUIRK_SOFTWARE))
		warn(in, CODE_software, "",
		     "the device is software (%s) on a network interface: its figures are not those of an HCA",
		     in->limits->driver);
}

static void judge_pcie(const struct findings_in *in)
{
	const double link = (double)in->limits->rate_mbit_s / 1000;
	const struct machine *m = in->machine;

	if (is_number(m->pcie_width) && is_number(m->pcie_best_width) &&
	    m->pcie_gbit_s < m->pcie_best_gbit_s)
		warn(in, CODE_pcie_narrow,
		     "lspci -vv -s @ | grep Lnk; then the slot, the riser, the BIOS",
		     "PCIe link: gen %u x%u, %.0f Gbit/s; device and slot support gen %u x%u, %.0f Gbit/s",
		     m->pcie_generation, m->pcie_width, m->pcie_gbit_s, m->pcie_best_generation,
		     m->pcie_best_width, m->pcie_best_gbit_s);
	if (is_number(m->pcie_width) && m->pcie_gbit_s < link * RATE_SLACK)
		warn(in, CODE_pcie_below_link,
		     "a slot with more lanes or a newer PCIe; lspci -vv -s @",
		     "PCIe carries %.0f Gbit/s each way, and the link of the port %g Gbit/s",
		     m->pcie_gbit_s, link);
	if (is_number(m->read_request_bytes) && m->read_request_bytes < READ_REQUEST_LEAST)
		warn(in, CODE_read_request,
		     "lspci -vv -s @ | grep MaxReadReq; the BIOS, or the tool of the vendor",
		     "the device reads at most %u bytes per PCIe request", m->read_request_bytes);
	if (m->relaxed_ordering == MACHINE_OFF)
		warn(in, CODE_relaxed_ordering,
		     "lspci -vv -s @ | grep RlxdOrd; the BIOS (PCI Relaxed Ordering)",
		     "PCIe relaxed ordering is off for the device; on some machines (AMD EPYC, Arm) that costs bandwidth");
}

static void judge_iommu(const struct findings_in *in)
{
	if (strncmp(in->machine->iommu, "DMA", 3))
		return;
	warn(in, CODE_iommu, "iommu=pt on the command line of the kernel",
	     "the IOMMU translates the addresses of the device (type %s)", in->machine->iommu);
	if (in->machine->ats == MACHINE_OFF)
		warn(in, CODE_ats,
		     "lspci -vv -s @ | grep ATSCtl; the firmware of the device, the BIOS",
		     "the device could cache translations of the IOMMU (ATS), and does not");
}

/* These clocks are read by a system call, and take from 100 ns to a microsecond. */
static bool is_slow(const char *clock)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen" };

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (!strcmp(slow[i], clock))
			return true;
	return false;
}

static void judge_cpus(const struct findings_in *in)
{
	const struct machine *m = in->machine;
	char remedy[FINDING_TEXT];

	if (m->governor[0] && strcmp(m->governor, "performance"))
		warn(in, CODE_governor, "cpupower frequency-set -g performance",
		     "the frequency governor of the CPUs is %s", m->governor);
	snprintf(remedy, sizeof(remedy),
		 "taskset, numactl, or the cpuset of the container or of the job: CPUs of node %u",
		 m->numa_node);
	if (!m->near_cpus)
		warn(in, CODE_numa_far, remedy,
		     "none of the %u CPUs that this process may use is near the device (NUMA node %u)",
		     m->cpus, m->numa_node);
	if (m->numa_nodes > 1 && m->pci[0] && !is_number(m->near_cpus))
		warn(in, CODE_numa_unknown,
		     "the BIOS (NUMA, ACPI SRAT and SLIT); or --pin and --mem",
		     "the firmware does not say which of the %u NUMA nodes is near the device: threads are not bound near it",
		     m->numa_nodes);
	if (m->numa_nodes > 1 && m->numa_balancing)
		warn(in, CODE_numa_balancing, "sysctl kernel.numa_balancing=0",
		     "the kernel moves pages between NUMA nodes while programs run");
	if (is_slow(m->clocksource))
		warn(in, CODE_clocksource,
		     "dmesg | grep -i tsc: why the kernel does not trust the TSC",
		     "the clock of the kernel is %s, which is slow to read", m->clocksource);
}

static void judge_mtu(const struct findings_in *in)
{
	const struct limits *l = in->limits;

	if (!l->max_mtu_bytes || l->active_mtu_bytes >= l->max_mtu_bytes)
		return;
	if (!l->ethernet)
		warn(in, CODE_mtu,
		     "smpquery portinfo; the partition's MTU is set at the subnet manager",
		     "the MTU of the port is %u, and it supports %u", l->active_mtu_bytes,
		     l->max_mtu_bytes);
	else if (is_number(in->machine->netdev_mtu_bytes))
		warn(in, CODE_mtu, remedy_command(REMEDY_MTU),
		     "the MTU is %u, because that of %s is %u; the port supports %u",
		     l->active_mtu_bytes, l->netdev, in->machine->netdev_mtu_bytes,
		     l->max_mtu_bytes);
	else
		warn(in, CODE_mtu, remedy_command(REMEDY_MTU),
		     "the MTU is %u, and the port supports %u", l->active_mtu_bytes,
		     l->max_mtu_bytes);
}

static void judge_memory(const struct findings_in *in)
{
	if (in->machine->memlock_bytes < MEMLOCK_LEAST)
		warn(in, CODE_memlock, remedy_command(REMEDY_MEMLOCK),
		     "the process may lock %" PRIu64 " KiB of memory: large buffers and many queue pairs will be refused",
		     in->machine->memlock_bytes >> 10);
	if (in->limits->hugepage_bytes && !in->limits->hugepages_free)
		warn(in, CODE_hugepages, "sysctl vm.nr_hugepages=512",
		     "no hugepages are free: buffers have pages of 4 KiB, and the device translates more addresses");
}

/* A machine without a GPU needs none. */
static void judge_gpu(const struct findings_in *in)
{
	if (in->limits->gpu[0] && in->limits->gpu_missing[0])
		warn(in, CODE_gpu_memory,
		     "nvidia_peermem, or open kernel modules of NVIDIA and a driver of the device with dmabuf",
		     "no GPU memory (--buffers cuda): %s", in->limits->gpu_missing);
}

static void judge_cm(const struct findings_in *in)
{
	char remedy[FINDING_TEXT];

	/* the emulated device has its own */
	if (in->machine->cm_access == MACHINE_OPEN || in->limits->emulated)
		return;
	snprintf(remedy, sizeof(remedy), "%s; in a container: give it the device",
		 remedy_command(REMEDY_NO_RDMA_CM));
	if (in->machine->cm_access == MACHINE_ABSENT)
		warn(in, CODE_rdma_cm, remedy,
		     "there is no /dev/infiniband/rdma_cm: no rdma_cm (--cm), and iWARP needs it");
	else
		warn(in, CODE_rdma_cm, remedy_command(REMEDY_RIGHTS),
		     "/dev/infiniband/rdma_cm may not be opened: no rdma_cm (--cm), and iWARP needs it");
}

void findings_judge_load(struct findings *to, const struct limits *client,
			 const struct limits *server)
{
	static const enum code codes[] = {
		[SPOILS_CPUS] = CODE_few_cpus, [SPOILS_LOAD] = CODE_load,
	};
	const struct spoils_in in = {
		.limits = { [SIDE_CLIENT] = client, [SIDE_SERVER] = server },
		.polls = { [SIDE_CLIENT] = 1, [SIDE_SERVER] = server != NULL },
	};
	struct spoils found[SPOILS_MOST];
	const uint32_t n = spoils_find(found, &in);

	/* the governor is judged by the CPUs near the device */
	for (uint32_t i = 0; i < n && found[i].kind <= SPOILS_LOAD; i++) {
		const struct machine none = { .pci = "" };

		warn(&(struct findings_in){ to, server ? kind_side_names[found[i].side] : "",
					    in.limits[found[i].side], &none },
		     codes[found[i].kind], found[i].remedy, "%s", found[i].text);
	}
}

void findings_judge(const struct findings_in *in)
{
	judge_software(in);
	judge_pcie(in);
	judge_iommu(in);
	judge_cpus(in);
	judge_mtu(in);
	judge_memory(in);
	judge_gpu(in);
	judge_cm(in);
}
