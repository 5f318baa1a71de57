/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory: one mapping or one piece of device memory of an endpoint, and its memory region, or
 * with --regions several for each QP's part.
 * decide/layout.h decides where buffers are.
 */
#ifndef MEM_H
#define MEM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decide/layout.h"
#include "options/kind.h"

struct mem {
	struct layout layout;
	uint8_t *base;            /* NULL: of the device or a GPU: no address for the CPU */
	uint64_t addr;            /* of the first byte, for requests of both sides */
	uint64_t map_bytes;       /* total_bytes in whole pages */
	uint64_t page_bytes;      /* of the pages that it is made of; 0: not of the host */
	struct ibv_dm *dm;        /* of the device; NULL: none */
	struct gpu *gpu;          /* of a GPU (gpu.h); NULL: none */
	struct ibv_mr *mr;        /* of all bytes; NULL: mrs */
	struct ibv_mr **mrs;      /* n_mrs, in the order of their bytes; owned. NULL: mr */
	uint32_t n_mrs;
	struct ibv_mr *null;      /* of requests and receives; NULL: they use mr */
	bool relaxed;             /* registered with IBV_ACCESS_RELAXED_ORDERING */
};

/*
 * Maps zeroed memory, writes to every page, and registers it with access (IBV_ACCESS_*).
 * HUGEPAGES_AUTO: hugepages are used if the memory fills one and enough are free. All other pages
 * are the kernel's smallest, and the kernel is asked not to make huge ones of them, so that
 * page_bytes is true. Each error has an error message (verbs_error_mr; -ENOMEM also when hugepages
 * were asked for and are missing).
 * BUFFERS_PREFETCH: the device maps all pages for reading and writing, and is waited for.
 * BUFFERS_DEVICE: allocates zeroed memory of the device instead; requests address it from 0 on.
 * BUFFERS_CUDA: allocates zeroed memory of a GPU, which requests address as the GPU does.
 * Of both, only the mem_copy_ functions below reach the bytes.
 * IBV_ACCESS_RELAXED_ORDERING is optional: where it is refused, the memory is registered without,
 * and relaxed tells.
 */
int mem_open(struct mem *mem, struct ibv_pd *pd, const struct layout *layout, int access)
	__attribute__((warn_unused_result));
/* Requests and receives use null memory from now on. Errors of verbs, with an error message. */
int mem_open_null(struct mem *mem, struct ibv_pd *pd) __attribute__((warn_unused_result));

/* The region that has the byte at that offset. */
static inline struct ibv_mr *mem_mr(const struct mem *mem, uint64_t off)
{
	return mem->mrs ? mem->mrs[off / mem->layout.region_bytes] : mem->mr;
}

/* The L_Key of requests and receives that begin there. */
static inline uint32_t mem_lkey(const struct mem *mem, uint64_t off)
{
	return (mem->null ? mem->null : mem_mr(mem, off))->lkey;
}

/* Accepts a zeroed or closed mem. */
void mem_close(struct mem *mem);

/*
 * Copies messages into and out of test memory before and after a point, piece by piece. Offsets are
 * those of decide/layout.h, of the first byte of a payload.
 */

/* Bytes of any kind. */
void mem_copy_in(const struct mem *mem, uint64_t off, const void *from, uint64_t len);
void mem_copy_out(const struct mem *mem, uint64_t off, void *to, uint64_t len);

/* A message of p->bytes. */
void mem_copy_scatter(const struct mem *mem, uint64_t off, const struct pieces *p,
		      const uint8_t *message);
void mem_copy_gather(const struct mem *mem, uint64_t off, const struct pieces *p, uint8_t *message);

/*
 * Are all bytes between the pieces 0, as in new memory? Else the first piece before which they are
 * not; 0: they are.
 */
uint32_t mem_copy_torn(const struct mem *mem, uint64_t off, const struct pieces *p);

/* The bytes that --verify writes into buffers and looks for in them. */

/*
 * Fills len bytes with the payload of (side that sends, qp, index of the buffer in the walk):
 * reproducible, no two alike, the same on little- and big-endian hosts.
 */
void mem_fill(uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index);

/*
 * Are these len bytes the part of it that begins at byte from, a multiple of 8? Errors as
 * mem_check(). For a message of which only some packets are there.
 */
struct mem_part {
	enum side sender;
	uint32_t qp, index;
	uint64_t from, len;
};
int mem_check_part(const uint8_t *at, const struct mem_part *part)
	__attribute__((warn_unused_result));

/* 0, or -EILSEQ with an error message: QP, buffer, first bad offset, byte expected and got. */
int mem_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
	__attribute__((warn_unused_result));

#endif
