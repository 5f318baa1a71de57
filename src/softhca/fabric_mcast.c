/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Multicast groups: who gets a UD message sent to a group's GID. They live in the fabric. */
#include "config.h"
#include "fabric.h"

#include <errno.h>
#include <string.h>

#include "hca.h"

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

/* Members of dead processes go here, when somebody looks. */
static void prune(struct shm_group *g)
{
	for (uint32_t i = 0; i < g->n;) {
		if (fabric_find(g->qpn[i])) {
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
			return 0; /* attached twice: one copy */
	if (g->n == SHM_MEMBERS)
		return -ENOMEM;
	g->qpn[g->n] = qpn;
	g->n++;
	return 0;
}

int fabric_attach(const uint8_t gid[16], uint32_t qpn)
{
	int rc;

	lock_take(&hca.fabric->lock);
	rc = attach(gid, qpn);
	lock_drop(&hca.fabric->lock);
	return rc;
}

int fabric_detach(const uint8_t gid[16], uint32_t qpn)
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

bool fabric_attached(uint32_t qpn)
{
	bool found = false;

	lock_take(&hca.fabric->lock);
	for (uint32_t i = 0; i < SHM_GROUPS && !found; i++)
		for (uint32_t k = 0; k < hca.fabric->group[i].n && !found; k++)
			found = hca.fabric->group[i].qpn[k] == qpn;
	lock_drop(&hca.fabric->lock);
	return found;
}

uint32_t fabric_members(const uint8_t gid[16], uint32_t qpn[SHM_MEMBERS])
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
