/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The place of one thread; see topo_place.h. Called by topo_cpu.c, topo_mem.c and topo_placement.c,
 * which fill it.
 */
#include "config.h"
#include "topo/topo_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void topo_place_init(struct topo_place *place)
{
	*place = (struct topo_place){
		.cpu = TOPO_NONE, .core = TOPO_NONE, .node = TOPO_NONE, .mem_node = TOPO_NONE,
		.distance = TOPO_NONE, .mem_distance = TOPO_NONE,
	};
}

void topo_place_add_reason(struct topo_place *place, const char *fmt, ...)
{
	size_t len = strlen(place->reason);
	va_list ap;

	if (len)
		len += (size_t)snprintf(place->reason + len, sizeof(place->reason) - len, ", ");
	if (len >= sizeof(place->reason))
		return;
	va_start(ap, fmt);
	vsnprintf(place->reason + len, sizeof(place->reason) - len, fmt, ap);
	va_end(ap);
}
