/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory of an NVIDIA GPU by the CUDA driver: libcuda.so.1 is loaded when it is asked for, so
 * building needs nothing of CUDA. The CPU never touches this memory: it is copied by the driver.
 * Each error has an error message, which names the link that is missing.
 */
#ifndef CUDA_H
#define CUDA_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_NEAREST UINT32_MAX
#define CUDA_NAME 64

struct cuda;

/*
 * Loads the driver, and retains the primary context of GPU n; CUDA_NEAREST: of the GPU that is
 * nearest to the device with the folder nic in sysfs, by their places in the tree of PCI, the first
 * of several.
 */
int cuda_open(struct cuda **cuda, uint32_t n, const char *nic) __attribute__((warn_unused_result));
/* Accepts NULL. */
void cuda_close(struct cuda *cuda);
/* Address in the tree of PCI and model: "0000:1b:00.0 NVIDIA H200". */
const char *cuda_name(const struct cuda *cuda);

/*
 * How near two devices are, of their folders in sysfs: how many folders they have in common from
 * the root on. Below one switch these are more than below one root port, bridge or processor.
 */
unsigned int cuda_common(const char *a, const char *b);

/* Zeroed memory. It is aligned as the driver likes it. */
int cuda_alloc(struct cuda *cuda, uint64_t bytes, uint64_t *addr)
	__attribute__((warn_unused_result));
void cuda_free(struct cuda *cuda, uint64_t addr);
/* A descriptor of whole pages of it, for ibv_reg_dmabuf_mr(); *fd is to be closed. */
int cuda_export(struct cuda *cuda, uint64_t addr, uint64_t bytes, int *fd)
	__attribute__((warn_unused_result));

/* By any thread. */
int cuda_put(const struct cuda *cuda, uint64_t addr, const void *from, uint64_t bytes)
	__attribute__((warn_unused_result));
int cuda_get(const struct cuda *cuda, uint64_t addr, void *to, uint64_t bytes)
	__attribute__((warn_unused_result));

#endif
