/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Time. clock_ticks() is the time stamp of the measured loops: the TSC (or the ARM generic timer)
 * if it is reliable, else CLOCK_MONOTONIC_RAW in nanoseconds. Ticks are converted to nanoseconds
 * afterwards, from two anchors (pairs of ticks and CLOCK_MONOTONIC_RAW). Knows no verbs, prints
 * nothing.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct clock_anchor {
	uint64_t ticks;
	uint64_t ns;         /* CLOCK_MONOTONIC_RAW, unless it is said otherwise */
	uint64_t bracket;    /* uncertainty of the pair, in ticks */
};

/*
 * Per architecture: the counter, whether the CPU guarantees a constant rate in every power state,
 * and the kernel's name of this clock source ("": none).
 */
#if defined(__x86_64__)

#include <cpuid.h>

#define CLOCK_COUNTER_NAME "tsc"
#define CLOCK_COUNTER_KERNEL_NAME "tsc"

/* As __builtin_ia32_rdtsc(), but into any register: saves one instruction. */
static inline uint64_t clock_counter(void)
{
	uint64_t v;

	__asm__ volatile("rdtsc\n\tshl $32, %%rdx\n\tlea (%%rax,%%rdx), %0"
			 : "=r"(v) : : "rax", "rdx", "cc");
	return v;
}

/* Invariant TSC: Intel SDM vol. 3, 18.17.1; AMD APM vol. 3, E.4.6. */
static inline bool clock_counter_steady(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
}

#elif defined(__aarch64__)

#define CLOCK_COUNTER_NAME "cntvct"
#define CLOCK_COUNTER_KERNEL_NAME "arch_sys_counter"

static inline uint64_t clock_counter(void)
{
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

/* Fixed frequency: Arm Architecture Reference Manual, "The Generic Timer", system counter. */
static inline bool clock_counter_steady(void)
{
	return true;
}

#else

#define CLOCK_COUNTER_NAME ""
#define CLOCK_COUNTER_KERNEL_NAME ""

static inline uint64_t clock_counter(void)
{
	return 0;
}

static inline bool clock_counter_steady(void)
{
	return false;
}

#endif

/*
 * The source of clock_ticks(): true when it is a CPU counter. Written once by clock_init(), before
 * any thread, and constant from then on. It is public so that a time stamp costs one well-predicted
 * branch and no call.
 */
extern bool clock_counter_on;

static inline __attribute__((always_inline)) uint64_t clock_ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC_RAW, ns. */
static inline __attribute__((always_inline)) uint64_t clock_ns(void)
{
	return clock_ns_of(CLOCK_MONOTONIC_RAW);
}

/* CPU time of a thread, by its clock; 0: it has ended. */
static inline uint64_t clock_cpu_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * The time stamp from a given source: loops are compiled once for each. Not fenced: before a post
 * it is at most a few ns early, and after a successful poll it cannot have run ahead, because the
 * branch that left the polling loop was predicted to stay.
 * Inline, with what it calls, also in the large functions of the loops, where gcc 14 would not.
 */
static inline __attribute__((always_inline)) uint64_t clock_ticks_by(bool counter)
{
	return __builtin_expect(counter, 1) ? clock_counter() : clock_ns();
}

static inline uint64_t clock_ticks(void)
{
	return clock_ticks_by(clock_counter_on);
}

const char *clock_name(void); /* "tsc", "cntvct" or "monotonic_raw": a column of the result */

/*
 * Chooses the source (call once, before any thread). It is the counter only if the kernel keeps
 * time by it, or if the CPU guarantees a constant rate and the kernel offers it as a clock source:
 * the kernel removes an unstable or unsynchronised counter from available_clocksource.
 */
void clock_init(void);

/*
 * The resolution in ns; origin was taken earlier: for a counter clock_step_ticks() of 1000
 * differences (0.4 ns of a TSC of 2.5 GHz, 40 ns of an ARM counter of 25 MHz); else the smallest
 * difference of two readings.
 */
double clock_step_ns(const struct clock_anchor *origin);

/*
 * The resolution of a counter in ticks, from differences of its readings, which it sorts. It is
 * their greatest common divisor, or more: a hypervisor may scale a counter that advances in steps
 * of 10 ns to 2.596 GHz. Then a reading is a multiple of 25.96 ticks, rounded down, and each
 * difference is within two ticks of such a multiple. Steps below 8 ticks are only found as a
 * divisor. 0: all differences are 0.
 */
double clock_step_ticks(uint64_t *differences, int n);

/* The best of 16 attempts to read both clocks together. */
struct clock_anchor clock_anchor(void);
/* The same with another clock than CLOCK_MONOTONIC_RAW. */
struct clock_anchor clock_anchor_of(clockid_t clock);

/*
 * Nanoseconds per tick over [a, b]; exactly 1.0 when ticks are nanoseconds. b must be later than a.
 * Its relative error is at most (a.bracket + b.bracket) / (b.ticks - a.ticks), so for an interval
 * below some 10 ms take a from the start of the session: neither clock is slewed.
 */
double clock_ns_per_tick(const struct clock_anchor *a, const struct clock_anchor *b);

/* Converts a difference of ticks to ns, rounded to the nearest. */
uint64_t clock_to_ns(uint64_t ticks, double ns_per_tick);

#endif
