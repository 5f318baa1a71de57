/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of measurements and their order; see measure.h.
 */
#include "config.h"
#include "objects/measure.h"

#include <errno.h>
#include <string.h>

#include "objects/rounds.h"
#include "util/err.h"

const struct measure measure_table[] = {
	{ "pd", "protection domains: allocate, free", setup_pd, 0 },
	{ "mr", "memory regions: register, deregister, by size, pages and access", setup_mr,
	  MEASURE_PD },
	{ "cq", "completion queues: create, destroy, by entries; resize", setup_cq, 0 },
	{ "srq", "shared receive queues: create, destroy, by entries", setup_srq, MEASURE_PD },
	{ "ah", "address handles to the server: create, destroy", setup_ah, MEASURE_PD },
	{ "mw", "memory windows: allocate, free, bind, invalidate", setup_mw, MEASURE_PD },
	{ "qp", "queue pairs: create to RTS, destroy, one after the other", setup_qp, 0 },
	{ "qps", "queue pairs: create to RTS, destroy, many at once (--qps)", setup_qp,
	  MEASURE_MANY },
	{ "cm", "connections by rdma_cm, one after the other: connect and disconnect", setup_cm,
	  0 },
	{ "cms", "connections by rdma_cm: the same, many at once (--qps)", setup_cm,
	  MEASURE_MANY },
};

const uint32_t measure_n = sizeof(measure_table) / sizeof(measure_table[0]);

/* The index of the row of that name; measure_n: there is none. */
static uint32_t find(const char *name, size_t len)
{
	uint32_t i = 0;

	while (i < measure_n && (strncmp(measure_table[i].name, name, len) ||
				 measure_table[i].name[len]))
		i++;
	return i;
}

const struct measure *measure_find(const char *name)
{
	const uint32_t i = find(name, strlen(name));

	return i < measure_n ? &measure_table[i] : NULL;
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

int measure_select(uint32_t *selected, const char *only)
{
	const char *name = only;

	*selected = only ? 0 : (uint32_t)((UINT64_C(1) << measure_n) - 1);
	while (name) {
		const size_t len = strcspn(name, ",");
		const uint32_t i = find(name, len);

		if (i == measure_n)
			return refuse(name, len);
		if (*selected >> i & 1)
			return err_set(-EINVAL, "--only names %s twice", measure_table[i].name);
		*selected |= UINT32_C(1) << i;
		name = name[len] ? name + len + 1 : NULL;
	}
	return 0;
}

/* One measurement, with a PD if it needs one. */
static int run_one(struct setup_run *run, const struct measure *m)
{
	int rc;

	errno = 0;
	run->pd = m->flags & MEASURE_PD ? ibv_alloc_pd(run->dev->ctx) : NULL;
	if (m->flags & MEASURE_PD && !run->pd)
		return series_failed(run, 0, "allocate PD");
	rc = m->run(run, m);
	if (run->pd) {
		const int err = ibv_dealloc_pd(run->pd);

		if (err && !rc)
			rc = series_failed(run, err, "free PD");
	}
	return rc;
}

int measure_run(struct setup_run *run)
{
	uint32_t selected;
	int rc = measure_select(&selected, run->options->only);

	if (rc)
		return rc;
	series_calibrate(run);
	for (uint32_t i = 0; !rc && i < measure_n; i++)
		if (selected >> i & 1)
			rc = run_one(run, &measure_table[i]);
	return rc;
}
