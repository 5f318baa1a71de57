/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Multicast groups; see mcast.h. */
#include "config.h"
#include "base/mcast.h"

#include <errno.h>
#include <string.h>

#include "base/hca.h"
#include "base/lock.h"
#include "base/qpn.h"

static struct shm_group *find(const uint8_t gid[16])
{
	for (uint32_t i = 0; i < SHM_GROUPS; i++) {
		struct shm_group *g = &hca.fabric->group[i];

		if (g->n && !memcmp(g->gid, gid, 16))
			return g;
	}
	return NULL;
}

static struct shm_group *unused(void)
{
	for (uint32_t i = 0; i < SHM_GROUPS; i++)
		if (!hca.fabric->group[i].n)
			return &hca.fabric->group[i];
	return NULL;
}

/* Removes members that do not exist any more, for example of dead processes. */
static void prune(struct shm_group *g)
{
	for (uint32_t i = 0; i < g->n;) {
		if (qpn_find(g->qpn[i])) {
			i++;
			continue;
		}
		g->qpn[i] = g->qpn[g->n - 1];
		g->n--;
	}
}

static int attach(const uint8_t gid[16], uint32_t qpn)
{
	struct shm_group *g = find(gid);

	if (!g) {
		g = unused();
		if (!g)
			return -ENOMEM;
		memcpy(g->gid, gid, 16);
	}
	prune(g);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->qpn[i] == qpn)
			return 0;
	if (g->n == SHM_MEMBERS)
		return -ENOMEM;
	g->qpn[g->n] = qpn;
	g->n++;
	return 0;
}

int mcast_attach(const uint8_t gid[16], uint32_t qpn)
{
	int rc;

	lock_take(&hca.fabric->lock);
	rc = attach(gid, qpn);
	lock_drop(&hca.fabric->lock);
	return rc;
}

int mcast_detach(const uint8_t gid[16], uint32_t qpn)
{
	struct shm_group *g;
	int rc = -EINVAL;

	lock_take(&hca.fabric->lock);
	g = find(gid);
	for (uint32_t i = 0; g && i < g->n; i++) {
		if (g->qpn[i] != qpn)
			continue;
		g->qpn[i] = g->qpn[g->n - 1];
		g->n--;
		rc = 0;
		break;
	}
	lock_drop(&hca.fabric->lock);
	return rc;
}

bool mcast_is_member(uint32_t qpn)
{
	bool found = false;

	lock_take(&hca.fabric->lock);
	for (uint32_t i = 0; i < SHM_GROUPS && !found; i++)
		for (uint32_t k = 0; k < hca.fabric->group[i].n && !found; k++)
			found = hca.fabric->group[i].qpn[k] == qpn;
	lock_drop(&hca.fabric->lock);
	return found;
}

uint32_t mcast_members(const uint8_t gid[16], uint32_t qpn[SHM_MEMBERS])
{
	struct shm_group *g;
	uint32_t n = 0;

	lock_take(&hca.fabric->lock);
	g = find(gid);
	if (g) {
		prune(g);
		n = g->n;
		memcpy(qpn, g->qpn, n * sizeof(*qpn));
	}
	lock_drop(&hca.fabric->lock);
	return n;
}
