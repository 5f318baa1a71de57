/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What CPU time went where between two moments: to the threads of this process, and, of the whole
 * machine, to softirqs of the kernel and to other machines of the same host (steal). Never read
 * while a loop runs.
 */
#ifndef CPU_USE_H
#define CPU_USE_H

#include <stdint.h>

/* A moment. */
struct cpu_use {
	uint64_t process_ns, thread_ns;   /* CPU time of this process, and of the calling thread */
	uint64_t softirq, steal, all;     /* of the machine, in 1/100 s; all 0: unknown */
};

/* root: before /proc/stat, "" but for tests. */
void cpu_use_read(struct cpu_use *now, const char *root);

/*
 * CPU time of this process between both that was neither of the calling thread, which is the same
 * in both, nor measuring_ns, that of its measuring threads; ns, 0 if clocks disagree by more.
 */
uint64_t cpu_use_other_ns(const struct cpu_use *before, const struct cpu_use *after,
			  uint64_t measuring_ns);

/*
 * Of the time of all CPUs between both, the percentage in softirqs, and that stolen. NAN: unknown,
 * or all CPUs together had less than 0.2 s: the kernel counts in 1/100 s.
 */
double cpu_use_softirq_pct(const struct cpu_use *before, const struct cpu_use *after);
double cpu_use_steal_pct(const struct cpu_use *before, const struct cpu_use *after);

#endif
