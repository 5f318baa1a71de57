/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The leaf of a node, and the way between switches. */
#include "config.h"
#include "wiring/wiring.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"
#include "wiring/wiring_map.h"

void wiring_free(struct wiring *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		free(w->names[i]);
	for (size_t i = 0; i < w->n_devices; i++)
		free(w->devices[i].node);
	free(w->names);
	free(w->first);
	free(w->to);
	free(w->devices);
	free(w);
}

uint32_t wiring_switches(const struct wiring *w)
{
	return w->n;
}

const char *wiring_name(const struct wiring *w, uint32_t number)
{
	return w->names[number];
}

/* ---- nodes */

int wiring_compare(const char *a, const char *b)
{
	const size_t n = strcspn(a, "."), m = strcspn(b, ".");
	const int order = memcmp(a, b, n < m ? n : m);

	return order ? order : n < m ? -1 : n > m;
}

/* Two domains must be the same. */
static bool is_node(const char *a, const char *b)
{
	return !wiring_compare(a, b) && (!strchr(a, '.') || !strchr(b, '.') || !strcmp(a, b));
}

/* "HCA-1" is the device with the number 0. */
static bool is_device(const char *text, const char *device)
{
	const size_t digits = strspn(text + strcspn(text, "0123456789"), "0123456789");
	const char *number = device + strlen(device);

	if (!strcmp(text, device))
		return true;
	while (number > device && number[-1] >= '0' && number[-1] <= '9')
		number--;
	return !strncmp(text, "HCA-", 4) && strlen(text) == 4 + digits && *number &&
	       strtoul(text + 4, NULL, 10) == strtoul(number, NULL, 10) + 1;
}

/* The first one that is not before the node. */
static size_t find_first(const struct wiring *w, const char *node)
{
	size_t low = 0, high = w->n_devices;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (wiring_compare(w->devices[middle].node, node) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of the devices of the node are asked for; all of them are on *leaf, or on no one. */
static size_t find_leaf(const struct wiring *w, const char *node, const char *device,
			uint32_t *leaf)
{
	size_t n = 0;

	*leaf = WIRING_NONE;
	for (size_t i = find_first(w, node);
	     i < w->n_devices && !wiring_compare(w->devices[i].node, node); i++) {
		const struct wiring_device *d = &w->devices[i];

		if (!is_node(d->node, node) || (device && !is_device(d->device, device)))
			continue;
		*leaf = !n || *leaf == d->leaf ? d->leaf : WIRING_NONE;
		n++;
	}
	return n;
}

uint32_t wiring_leaf(const struct wiring *w, const char *node, const char *device)
{
	uint32_t leaf;

	if (!device || !*device || !find_leaf(w, node, device, &leaf))
		find_leaf(w, node, NULL, &leaf);
	return leaf;
}

/* ---- ways */

void wiring_hops(const struct wiring *w, uint32_t from, uint32_t *hops)
{
	uint32_t *queue = must_calloc(w->n, sizeof(*queue));
	uint32_t begin = 0, end = 0;

	memset(hops, 0, w->n * sizeof(*hops));
	hops[from] = 1;
	queue[end++] = from;
	while (begin < end) {
		const uint32_t at = queue[begin++];

		for (size_t i = w->first[at]; i < w->first[at + 1]; i++) {
			const uint32_t next = w->to[i];

			if (hops[next])
				continue;
			hops[next] = hops[at] + 1;
			queue[end++] = next;
		}
	}
	free(queue);
}
