/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of measurements and their order; see measure.h. Called by commands and session.
 */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <string.h>

#include "setup/series.h"
#include "util/err.h"

const struct measure measure_table[] = {
	{ "pd", "protection domains: allocate, free", setup_pd },
	{ "mr", "memory regions: register, deregister, by size, pages and access", setup_mr },
	{ "cq", "completion queues: create, destroy, by entries; resize", setup_cq },
	{ "srq", "shared receive queues: create, destroy, by entries", setup_srq },
	{ "ah", "address handles to the server: create, destroy", setup_ah },
	{ "mw", "memory windows: allocate, free, bind, invalidate", setup_mw },
	{ "qp", "queue pairs: create to RTS, destroy, one after the other", setup_qp },
	{ "qps", "queue pairs: create to RTS, destroy, many at once (--qps)", setup_qps },
	{ "cm", "connections by rdma_cm, one after the other: connect and disconnect", setup_cm },
	{ "cms", "connections by rdma_cm: the same, many at once (--qps)", setup_cms },
};

const uint32_t measure_n = sizeof(measure_table) / sizeof(measure_table[0]);

const struct measure *measure_find(const char *name)
{
	for (uint32_t i = 0; i < measure_n; i++)
		if (!strcmp(measure_table[i].name, name))
			return &measure_table[i];
	return NULL;
}

static int refuse(const char *name, size_t len)
{
	char names[256] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < measure_n && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 measure_table[i].name);
	return err_set(-EINVAL, "--only \"%.*s\": no measurement has this name; allowed: %s",
		       len > 32 ? 32 : (int)len, name, names);
}

static bool is_name(uint32_t i, const char *name, size_t len)
{
	return !strncmp(measure_table[i].name, name, len) && !measure_table[i].name[len];
}

int measure_select(uint32_t *selected, const char *only)
{
	uint32_t bits = 0;

	*selected = (uint32_t)((UINT64_C(1) << measure_n) - 1);
	if (!only)
		return 0;
	for (const char *name = only;; name++) {
		const size_t len = strcspn(name, ",");
		uint32_t i = 0;

		while (i < measure_n && !is_name(i, name, len))
			i++;
		if (i == measure_n)
			return refuse(name, len);
		if (bits >> i & 1)
			return err_set(-EINVAL, "--only names %s twice",
				       measure_table[i].name);
		bits |= UINT32_C(1) << i;
		name += len;
		if (!*name)
			break;
	}
	*selected = bits;
	return 0;
}

int measure_run(struct setup_run *run)
{
	uint32_t selected;
	int rc = measure_select(&selected, run->wish->only);

	if (rc)
		return rc;
	series_calibrate(run);
	for (uint32_t i = 0; !rc && i < measure_n; i++)
		if (selected >> i & 1)
			rc = measure_table[i].run(run);
	return rc;
}
