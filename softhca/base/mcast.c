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

/* How many members the group has; a peer may have written nonsense. */
static uint32_t members(const struct shm_group *g)
{
	uint32_t n = __atomic_load_n(&g->n, __ATOMIC_RELAXED);

	return n < SHM_MEMBERS ? n : SHM_MEMBERS;
}

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

static void drop(struct shm_group *g, uint32_t i, uint32_t n)
{
	g->qpn[i] = g->qpn[n - 1];
	g->n = n - 1;
}

/* Removes members that do not exist any more, for example of dead processes. */
static void prune(struct shm_group *g)
{
	for (uint32_t i = members(g); i-- > 0;)
		if (!qpn_find(g->qpn[i]))
			drop(g, i, members(g));
}

static int attach(const uint8_t gid[16], uint32_t qpn)
{
	struct shm_group *g = find(gid);
	uint32_t n;

	if (!g) {
		g = unused();
		if (!g)
			return -ENOMEM;
		memcpy(g->gid, gid, 16);
	}
	prune(g);
	n = members(g);
	for (uint32_t i = 0; i < n; i++)
		if (g->qpn[i] == qpn)
			return 0;
	if (n == SHM_MEMBERS)
		return -ENOMEM;
	g->qpn[n] = qpn;
	g->n = n + 1;
	return 0;
}

int mcast_attach(const uint8_t gid[16], uint32_t qpn)
{
	int rc;

	lock_take_shared(&hca.fabric->lock);
	rc = attach(gid, qpn);
	lock_drop_shared(&hca.fabric->lock);
	return rc;
}

int mcast_detach(const uint8_t gid[16], uint32_t qpn)
{
	struct shm_group *g;
	int rc = -EINVAL;
	uint32_t n;

	lock_take_shared(&hca.fabric->lock);
	g = find(gid);
	n = g ? members(g) : 0;
	for (uint32_t i = 0; rc && i < n; i++) {
		if (g->qpn[i] != qpn)
			continue;
		drop(g, i, n);
		rc = 0;
	}
	lock_drop_shared(&hca.fabric->lock);
	return rc;
}

bool mcast_is_member(uint32_t qpn)
{
	bool found = false;

	lock_take_shared(&hca.fabric->lock);
	for (uint32_t i = 0; i < SHM_GROUPS && !found; i++)
		for (uint32_t k = 0; k < members(&hca.fabric->group[i]) && !found; k++)
			found = hca.fabric->group[i].qpn[k] == qpn;
	lock_drop_shared(&hca.fabric->lock);
	return found;
}

uint32_t mcast_members(const uint8_t gid[16], uint32_t qpn[SHM_MEMBERS])
{
	struct shm_group *g;
	uint32_t n = 0;

	lock_take_shared(&hca.fabric->lock);
	g = find(gid);
	if (g) {
		prune(g);
		n = members(g);
		memcpy(qpn, g->qpn, n * sizeof(*qpn));
	}
	lock_drop_shared(&hca.fabric->lock);
	return n;
}
