/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rails of the nodes: which devices they are, and which of them a pair uses. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/dev.h"
#include "util/err.h"

/* The same device twice would be measured with itself. */
static int add(struct mesh_rails *rails, const char *name, size_t len)
{
	char *own = rails->names[rails->n];

	if (rails->n == MESH_RAILS_MAX)
		return err_option(-EINVAL, "--rails", "there are more than %u devices; give some of them by -d",
				  MESH_RAILS_MAX);
	if (!len || len >= sizeof(rails->names[0]))
		return err_option(-EINVAL, "-d (--device)", "\"%.*s\" is no name of a device",
				  (int)len, name);
	snprintf(own, sizeof(rails->names[0]), "%.*s", (int)len, name);
	for (uint32_t i = 0; i < rails->n; i++)
		if (!strcmp(rails->names[i], own))
			return err_option(-EINVAL, "-d (--device)", "names %s twice", own);
	rails->n++;
	return 0;
}

static int read_list(struct mesh_rails *rails, const char *list)
{
	int rc = 0;

	for (const char *p = list; !rc; p++) {
		const size_t len = strcspn(p, ",");

		rc = add(rails, p, len);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* All that have an active port. */
static int find_active(struct mesh_rails *rails, const struct cfg *given)
{
	struct ibv_device **list;
	struct cfg cfg = *given;
	int n, rc = dev_list(&list, &n);

	if (rc)
		return rc;
	for (int i = 0; i < n && !rc; i++) {
		cfg.device = ibv_get_device_name(list[i]);
		if (!dev_check(&(struct dev_request){ .cfg = &cfg, .side = SIDE_CLIENT }))
			rc = add(rails, cfg.device, strlen(cfg.device));
	}
	if (list)
		ibv_free_device_list(list);
	if (rc)
		return rc;
	if (!rails->n)
		return err_option(-ENODEV, "--rails", "no device of this node has an active port");
	err_clear();
	qsort(rails->names, rails->n, sizeof(rails->names[0]), by_name);
	return 0;
}

int mesh_rails_read(struct mesh *m)
{
	const struct cfg *cfg = &m->cfg;

	if (cfg->rails && cfg->peer_device)
		return err_set(-EINVAL, "--rails excludes --peer-device: both nodes have the same devices");
	if (cfg->rails)
		return cfg->device ? read_list(&m->rails, cfg->device) :
				     find_active(&m->rails, cfg);
	m->rails.n = 1;
	if (cfg->device && strchr(cfg->device, ','))
		return err_option(-EINVAL, "-d (--device)", "%s: several devices need --rails",
				  cfg->device);
	return 0;
}

void mesh_rails_choose(const struct mesh *m, struct cfg *cfg, const struct schedule_rails *of)
{
	if (!m->cfg.rails)
		return;
	cfg->device = m->rails.names[of->from];
	cfg->peer_device = m->rails.names[of->to];
}
