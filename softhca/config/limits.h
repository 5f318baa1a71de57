/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the emulated HCA has at most, whatever its profile says. SHM_*: sizes of tables in shared
 * memory (base/shm.h).
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdint.h>

#define HCA_MAX_INLINE 1024
#define HCA_MAX_WR 32768
#define HCA_MAX_CQE 1048575
#define HCA_MAX_RD_ATOMIC 128
#define HCA_MAX_MSG (UINT32_C(1) << 30)

enum {
	SHM_GROUPS = 256,
	SHM_MRS = 65536,
	SHM_QPS = 16384,
	SHM_CQS = 16384,
	SHM_SRQS = 4096,
	SHM_MAX_SGE = 32,
};

#endif
