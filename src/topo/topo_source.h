/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What describes the machine: this system, or a variable of the environment that hwloc documents.
 * hwloc ignores a variable that it cannot use; here it is an error.
 */
#ifndef TOPO_SOURCE_H
#define TOPO_SOURCE_H

#include <hwloc.h>

struct topo_source {
	const char *variable; /* HWLOC_SYNTHETIC, or else HWLOC_XMLFILE; NULL: this system */
	const char *value;
	char *xml; /* the content of the file */
};

/*
 * Gives it to hw, which is not loaded. topo_source_close() frees it, after the load and after an
 * error. 0, or -errno (never -EINVAL) with an error message.
 */
int topo_source_set(struct topo_source *source, hwloc_topology_t hw)
	__attribute__((warn_unused_result));

/* Sets the error message of a load that failed with err (errno). Returns -err, -EIO for EINVAL. */
int topo_source_error(const struct topo_source *source, int err);

void topo_source_close(struct topo_source *source);

#endif
