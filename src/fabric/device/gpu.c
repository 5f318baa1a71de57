/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Registers memory of a GPU; see gpu.h. Knows no driver of a GPU but by cuda.h. */
#include "config.h"
#include "device/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cuda.h"
#include "util/err.h"
#include "verbs/verbs_error.h"

#define WHY 256
#define PROBE_BYTES 64u

struct gpu {
	struct cuda *cuda;
	uint64_t block;        /* as allocated; 0: not */
	uint64_t addr, bytes;  /* the whole pages in it */
	int fd;                /* dmabuf of these; -1: none */
	const char *by;
	char no_dmabuf[WHY];   /* why there is none */
	char no_peer[WHY];     /* why the address cannot be registered */
};

/* Whole pages that nothing else is in: a dmabuf is of pages. */
static int allocate(struct gpu *g, uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int rc;

	g->bytes = (bytes + page - 1) / page * page;
	rc = cuda_alloc(g->cuda, g->bytes + page, &g->block);
	if (rc) {
		g->block = 0;
		return rc;
	}
	g->addr = (g->block + page - 1) / page * page;
	return 0;
}

int gpu_open(struct gpu **gpu, const struct ibv_device *nic, const struct gpu_ask *ask)
{
	struct gpu *g = calloc(1, sizeof(*g));
	int rc;

	*gpu = NULL;
	if (!g)
		return err_set(-ENOMEM, "no memory for a GPU");
	g->fd = -1;
	g->by = "";
	rc = cuda_open(&g->cuda, ask->n, nic->ibdev_path);
	if (!rc)
		rc = allocate(g, ask->bytes);
	if (rc) {
		gpu_close(g);
		return rc;
	}
	if (cuda_export(g->cuda, g->addr, g->bytes, &g->fd)) {
		snprintf(g->no_dmabuf, sizeof(g->no_dmabuf), "%.*s", WHY - 1, err_text());
		err_clear();
	}
	*gpu = g;
	return 0;
}

void gpu_close(struct gpu *g)
{
	if (!g)
		return;
	if (g->fd >= 0)
		close(g->fd);
	if (g->block)
		cuda_free(g->cuda, g->block);
	cuda_close(g->cuda);
	free(g);
}

uint64_t gpu_addr(const struct gpu *g)
{
	return g->addr;
}

const char *gpu_name(const struct gpu *g)
{
	return cuda_name(g->cuda);
}

const char *gpu_by(const struct gpu *g)
{
	return g->by;
}

/* ---- registration */

/* *err: of a dmabuf that the device refuses; it stays as it is if there is none. */
static struct ibv_mr *by_dmabuf(struct gpu *g, struct ibv_pd *pd, const struct gpu_part *part,
				int access, int *err)
{
	struct ibv_mr *mr;

	if (g->fd < 0)
		return NULL;
	errno = 0;
	mr = ibv_reg_dmabuf_mr(pd, part->off, part->bytes, g->addr + part->off, g->fd, access);
	if (mr)
		return mr;
	*err = errno;
	snprintf(g->no_dmabuf, sizeof(g->no_dmabuf), "ibv_reg_dmabuf_mr of %s: %s",
		 ibv_get_device_name(pd->context->device), strerror(errno));
	return NULL;
}

struct ibv_mr *gpu_reg(struct gpu *g, struct ibv_pd *pd, const struct gpu_part *part, int access)
{
	int err = 0;
	struct ibv_mr *mr = by_dmabuf(g, pd, part, access, &err);

	g->by = mr ? "dmabuf" : "";
	if (mr)
		return mr;
	errno = 0;
	mr = ibv_reg_mr(pd, (void *)(uintptr_t)(g->addr + part->off), part->bytes, access);
	if (mr) {
		g->by = "peer_memory";
		return mr;
	}
	snprintf(g->no_peer, sizeof(g->no_peer), "ibv_reg_mr: %s", strerror(errno));
	errno = err ? err : errno;
	return NULL;
}

int gpu_refuse(const struct gpu *g, int rc)
{
	return err_set(rc, "%s cannot be registered: no dmabuf (%s), and no peer memory (%s), which needs nvidia_peermem",
		       gpu_name(g), g->no_dmabuf, g->no_peer);
}

/* ---- copies */

int gpu_put(const struct gpu *g, uint64_t off, const void *from, uint64_t len)
{
	return len ? cuda_put(g->cuda, g->addr + off, from, len) : 0;
}

int gpu_get(const struct gpu *g, uint64_t off, void *to, uint64_t len)
{
	return len ? cuda_get(g->cuda, g->addr + off, to, len) : 0;
}

/* ---- the probe */

static int try(struct gpu *g, struct ibv_pd *pd)
{
	const struct gpu_part part = { .bytes = PROBE_BYTES };
	struct ibv_mr *mr = gpu_reg(g, pd, &part, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ);

	if (!mr)
		return gpu_refuse(g, err_code());
	verbs_warn("deregister the probe's GPU memory", ibv_dereg_mr(mr));
	return 0;
}

void gpu_probe(struct limits *l, struct ibv_context *ctx, uint32_t n)
{
	const struct gpu_ask ask = { .n = n, .bytes = PROBE_BYTES };
	struct gpu *g = NULL;
	struct ibv_pd *pd;
	int rc;

	errno = 0;
	pd = ibv_alloc_pd(ctx);
	rc = pd ? gpu_open(&g, ctx->device, &ask) :
		  verbs_failed(err_code(), "cannot allocate a protection domain");
	if (!rc)
		rc = try(g, pd);
	snprintf(l->gpu_missing, sizeof(l->gpu_missing), "%.*s",
		 (int)sizeof(l->gpu_missing) - 1, rc ? err_text() : "");
	snprintf(l->gpu, sizeof(l->gpu), "%s", g ? gpu_name(g) : "");
	err_clear();
	gpu_close(g);
	if (pd)
		verbs_warn("free the probe's protection domain", ibv_dealloc_pd(pd));
}
