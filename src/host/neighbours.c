/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the cpus of sessions at the same time. Called by affinity.c and agree.c. */
#include "config.h"
#include "host/neighbours.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "topo/topo_hca.h"
#include "topo/topo_placement.h"
#include "util/err.h"

static int refuse(const char *text)
{
	return err_set(-EINVAL, "neighbours \"%.40s\": expected NUMBER:DEVICE,DEVICE,... of up to %d devices",
		       text, NEIGHBOURS_MAX);
}

/* Names are of sysfs: no path leads out of it. */
static bool take_name(char *name, const char *text, size_t len)
{
	if (len >= NEIGHBOURS_NAME || (len && text[0] == '.'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-.:", text[i]))
			return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return true;
}

int neighbours_parse(struct neighbours *all, const char *text)
{
	const char *p;
	size_t len;

	memset(all, 0, sizeof(*all));
	all->n = 1;
	if (!text || !text[0])
		return 0;
	len = strspn(text, "0123456789");
	if (!len || len > 2 || text[len] != ':')
		return refuse(text);
	for (size_t i = 0; i < len; i++)
		all->own = all->own * 10 + (uint32_t)(text[i] - '0');
	all->n = 0;
	for (p = text + len + 1;; p += len + 1) {
		len = strcspn(p, ",");
		if (all->n == NEIGHBOURS_MAX || !take_name(all->devices[all->n++], p, len))
			return refuse(text);
		if (!p[len])
			break;
	}
	return all->own < all->n ? 0 : refuse(text);
}

const char *neighbours_text(const struct neighbours *all, char *text, size_t size)
{
	size_t len = (size_t)snprintf(text, size, "%u:", all->own);

	for (uint32_t i = 0; i < all->n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "," : "",
					all->devices[i]);
	return text;
}

static void add_places(hwloc_bitmap_t busy, const struct topo *t, const struct topo_hca *hca,
		       const struct topo_request *request)
{
	struct topo_placement placement;

	if (topo_placement_choose(&placement, t, hca, request)) {
		err_clear();
		return;
	}
	for (uint32_t i = 0; i < placement.n; i++)
		if (placement.places[i].cpu != TOPO_NONE)
			hwloc_bitmap_set(busy, placement.places[i].cpu);
	topo_placement_free(&placement);
}

void neighbours_cpus(hwloc_bitmap_t busy, const struct topo *t, const struct neighbours_side *side,
		     const struct neighbours *all, uint32_t n)
{
	struct topo_request one = side->request;
	char netdev[NEIGHBOURS_NAME];

	for (uint32_t i = 0; i < n; i++) {
		const char *device = all->devices[i];
		const bool own = !device[0] || !strcmp(device, side->device);
		struct topo_hca hca;

		one.first = i * one.threads;
		one.busy = busy;
		topo_hca_find(&hca, t, own ? side->device : device,
			      own ? side->netdev :
				    topo_hca_netdev(t, device, netdev, sizeof(netdev)));
		add_places(busy, t, &hca, &one);
		topo_hca_close(&hca);
	}
}
