/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What a file of cables becomes. See wiring.h. */
#ifndef WIRING_MAP_H
#define WIRING_MAP_H

#include <stddef.h>
#include <stdint.h>

struct wiring_device {
	char *node;            /* owned; as the file has it */
	const char *device;    /* "": the description has one word */
	uint32_t leaf;         /* WIRING_NONE: several, or none */
};

struct wiring {
	char **names;          /* of n switches; owned, as what follows */
	uint32_t n;
	size_t *first;         /* by switch: its neighbours are to[first[i]..first[i + 1]) */
	uint32_t *to;
	struct wiring_device *devices; /* n_devices of them; by the node without its domain */
	size_t n_devices;
};

/* Of nodes without their domains. */
int wiring_compare(const char *a, const char *b);

#endif
