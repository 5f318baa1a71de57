/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The machine as XML of hwloc, with the facts that hwloc does not know (TOPO_INFO_*). */
#ifndef TOPO_XML_H
#define TOPO_XML_H

#include "topo/topo.h"

/*
 * Writes the machine as XML; on this host with its affinity, isolated cpus, interrupts and PCIe
 * links. The caller frees *xml. 0, or -errno with an error message.
 */
int topo_xml_write(struct topo *t, char **xml) __attribute__((warn_unused_result));

#endif
