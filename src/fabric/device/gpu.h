/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory of a GPU as test memory: allocated by its driver (cuda.h), registered as a dmabuf, or by
 * its address where the driver of the GPU lets the kernel find it there (peer memory:
 * nvidia_peermem).
 */
#ifndef GPU_H
#define GPU_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "limits/limits.h"

struct gpu;

/* What is asked for. */
struct gpu_ask {
	uint32_t n;     /* GPU of this host; UINT32_MAX: the nearest to the device */
	uint64_t bytes;
};

/* Zeroed memory. Errors with an error message: which link is missing. */
int gpu_open(struct gpu **gpu, const struct ibv_device *nic, const struct gpu_ask *ask)
	__attribute__((warn_unused_result));
/* After its regions are gone. Accepts NULL. */
void gpu_close(struct gpu *gpu);

/* Of the first byte, for requests. */
uint64_t gpu_addr(const struct gpu *gpu);
/* "0000:1b:00.0 NVIDIA H200" */
const char *gpu_name(const struct gpu *gpu);
/* How it was registered: "dmabuf" or "peer_memory"; "": it is not. */
const char *gpu_by(const struct gpu *gpu);

struct gpu_part {
	uint64_t off, bytes;
};

/* As ibv_reg_mr(3) of that part. NULL with errno; gpu_refuse(). */
struct ibv_mr *gpu_reg(struct gpu *gpu, struct ibv_pd *pd, const struct gpu_part *part, int access);
/* The error message of a registration that failed: both ways, and why. Returns rc. */
int gpu_refuse(const struct gpu *gpu, int rc);

/* Copies by the driver. Errors with an error message. */
int gpu_put(const struct gpu *gpu, uint64_t off, const void *from, uint64_t len)
	__attribute__((warn_unused_result));
int gpu_get(const struct gpu *gpu, uint64_t off, void *to, uint64_t len)
	__attribute__((warn_unused_result));

/* Tries it out with a few bytes: sets gpu and gpu_missing. The last error message is lost. */
void gpu_probe(struct limits *l, struct ibv_context *ctx, uint32_t n);

#endif
