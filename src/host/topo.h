/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The machine as hwloc sees it, where an HCA sits in it, and which cpu and which memory each
 * measuring thread gets. All of it are pure functions of a loaded struct topo: the same machine
 * (HWLOC_XMLFILE) gives the same placement. Knows no verbs; what binds threads is affinity.c.
 *
 * Numbers: cpus and NUMA nodes go by the system's numbers (taskset, numactl), cores, caches and
 * packages by hwloc's logical ones (lstopo -l), because the system's are not unique there.
 */
#ifndef TOPO_H
#define TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hwloc.h>

#define TOPO_NONE UINT32_MAX
#define TOPO_WHY 160
#define TOPO_MAX_SIBLINGS 8
#define TOPO_SPEC_MAX 63   /* characters of a --pin or --mem value */

/* One interrupt of a device. */
struct topo_irq {
	uint32_t number;
	uint32_t vector;             /* completion vector; TOPO_NONE: another one, or not known */
	hwloc_bitmap_t cpus;         /* that serve it */
};

struct topo_irqs {
	uint32_t n;
	struct topo_irq *irqs;       /* by number */
};

/* The machine and what hwloc does not say of it. */
struct topo {
	hwloc_topology_t hw;
	bool here;                   /* it is this machine: threads may be bound by it */
	hwloc_bitmap_t affinity;     /* cpus that this process may run on */
	hwloc_bitmap_t isolated;     /* isolated or nohz_full */
	hwloc_bitmap_t usable;       /* what is left for measuring threads */
};

/* Where a device sits. */
struct topo_hca {
	char name[64];
	hwloc_obj_t dev;             /* its OS device, or its port's netdev; NULL: not found */
	hwloc_obj_t pci;             /* NULL: none */
	bool known;                  /* cpus and nodes below mean something */
	hwloc_const_cpuset_t cpus;   /* near it; borrowed from the topology */
	hwloc_const_nodeset_t nodes; /* likewise */
	uint32_t node;               /* the first of them */
	char why[TOPO_WHY];          /* why it is not known */
	struct topo_irqs irqs;
};

enum topo_near { TOPO_UNKNOWN, TOPO_NEAR, TOPO_FAR };
extern const char *const topo_near_names[]; /* unknown near far, NULL */

/* What is asked for. pin and mem are valid (topo_spec_check_pin, topo_spec_check_mem). */
struct topo_wish {
	const char *pin, *mem;
	const char *pin_label, *mem_label; /* "--pin", "--peer-mem": for sentences */
	uint32_t threads;
	bool events;                 /* completions are taken by events: the interrupt's core */
	hwloc_const_cpuset_t taken;  /* cpus of the other side's threads on this machine; NULL */
};

/* One thread's affinity. */
struct topo_place {
	uint32_t cpu;                /* TOPO_NONE: not bound */
	uint32_t core, node;         /* of the cpu */
	uint32_t mem_node;           /* TOPO_NONE: memory not bound */
	uint32_t distance;           /* node to the HCA's, ACPI SLIT: 10 local; TOPO_NONE unknown */
	uint32_t mem_distance;       /* likewise, of mem_node */
	uint32_t vector;             /* completion vector */
	enum topo_near near;         /* near: cpu and memory are both on a node nearest the HCA */
	uint32_t n_siblings;         /* other cpus of the core */
	uint32_t siblings[TOPO_MAX_SIBLINGS];
	char why[TOPO_WHY];
};

struct topo_placement {
	uint32_t n;
	struct topo_place *places;   /* owned: topo_placement_free */
	char note[TOPO_WHY];         /* why nothing is bound although auto was asked; "" none */
};

/*
 * Loads the machine, or the one that HWLOC_XMLFILE describes. -errno with a sentence.
 * topo_close() accepts a zeroed one.
 */
int topo_open(struct topo *t) __attribute__((warn_unused_result));
/* A machine from XML in memory, for tests: never this one. */
int topo_open_xml(struct topo *t, const char *xml) __attribute__((warn_unused_result));
void topo_close(struct topo *t);

/*
 * Finds a device by its name (an RDMA device's, else a netdev's), else by its port's netdev (NULL
 * none). Always fills *hca; hca->known is false where its place cannot be told, and hca->why says
 * why. To be given to topo_hca_close().
 */
void topo_hca_find(struct topo_hca *hca, const struct topo *t, const char *name,
		   const char *netdev);
void topo_hca_close(struct topo_hca *hca);

/* The first netdev of a device's port 1 on this machine, from sysfs; "" none. Returns text. */
const char *topo_netdev(const struct topo *t, const char *device, char *text, size_t size);

/* The NUMA node of a cpu, by the system's numbers; TOPO_NONE: none. */
uint32_t topo_node_of_cpu(const struct topo *t, uint32_t cpu);

/* Between NUMA nodes as the firmware tells (ACPI SLIT: 10 is local); TOPO_NONE: not told. */
uint32_t topo_distance(const struct topo *t, uint32_t from_node, uint32_t to_node);

/* From a NUMA node to the nearest of the HCA's; TOPO_NONE: not known. */
uint32_t topo_hca_distance(const struct topo_hca *hca, const struct topo *t, uint32_t node);

/* Of a cpu and a memory node, TOPO_NONE for "any"; unknown when hca->known is false. */
enum topo_near topo_near(const struct topo_hca *hca, uint32_t node, uint32_t mem_node);

/*
 * Chooses for wish->threads threads. 0; -EINVAL with a sentence for what cannot be had. An unknown
 * place is no error with --pin auto: nothing is bound then, and out->note says so.
 */
int topo_pick(struct topo_placement *out, const struct topo *t, const struct topo_hca *hca,
	      const struct topo_wish *wish) __attribute__((warn_unused_result));
void topo_placement_free(struct topo_placement *p);

/* The syntax of --pin and --mem, without a machine. -EINVAL with a sentence that names label. */
int topo_spec_check_pin(const char *text, const char *label) __attribute__((warn_unused_result));
int topo_spec_check_mem(const char *text, const char *label) __attribute__((warn_unused_result));

/*
 * The interrupts of a PCI device (busid 0000:81:00.0) from /sys and /proc below root ("" the
 * system's own); none where they cannot be read.
 */
void topo_irq_read(struct topo_irqs *irqs, const char *root, const char *busid);
/* As text ("24:0:3 25:-:4-5": number, vector, cpus) for XML, and back. text is the caller's. */
char *topo_irq_text(const struct topo_irqs *irqs);
void topo_irq_parse(struct topo_irqs *irqs, const char *text);
void topo_irq_free(struct topo_irqs *irqs);

/* A PCIe link; width 0: not known. */
struct topo_lanes {
	double gt_s;
	uint32_t width;
};

struct topo_link {
	struct topo_lanes now, device, slot; /* what it runs at, what each end could do */
};

/* From /sys below root; as text for XML, and back. */
void topo_link_read(struct topo_link *link, const char *root, const char *busid);
void topo_link_text(const struct topo_link *link, char *text, size_t size);
void topo_link_parse(struct topo_link *link, const char *text);
/* What both ends could do. */
struct topo_lanes topo_link_best(const struct topo_link *link);
uint32_t topo_link_generation(const struct topo_lanes *l);
/* Decimal, after the line code, before the overhead of packets. */
double topo_link_gbit_s(const struct topo_lanes *l);

/* The machine as XML with what is listed below; the caller's to free. -errno with a sentence. */
int topo_xml(struct topo *t, char **xml) __attribute__((warn_unused_result));

/* PCI bus id of a device as in /sys/bus/pci/devices. Returns text. */
const char *topo_busid(hwloc_obj_t pci, char *text, size_t size);

/*
 * Names under which the topology's XML carries what hwloc does not know, so that a machine's XML
 * gives the placement that the machine itself would give.
 */
#define TOPO_INFO_AFFINITY "VerbenchAffinity"
#define TOPO_INFO_ISOLATED "VerbenchIsolated"
#define TOPO_INFO_IRQS "VerbenchInterrupts"
#define TOPO_INFO_LINK "VerbenchPcieLink"

#endif
