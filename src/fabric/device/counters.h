/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a device counts while loops run: the files of ports/P/counters, ports/P/hw_counters and
 * hw_counters in its folder of sysfs (Documentation/ABI/stable/sysfs-class-infiniband of Linux).
 * They are of the port, not of a test: other programs on it count, too. Never called while a loop
 * runs.
 *
 * A list of them is a text: "NAME=DELTA NAME=DELTA", those that explain a figure first
 * (counters.def), then by name. A name is that of the device, and may have blanks.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_TEXT 512 /* of a list; counters that do not fit are left out, the last ones */
#define COUNTERS_NAME 64

enum counters_class {
#define CLASS(id, word, means) COUNTERS_##id,
#define NAME(id, name)
#include "device/counters.def"
	COUNTERS_CLASSES /* none of these */
};

struct counters_kind {
	const char *word;  /* "out_of_sequence" */
	const char *means; /* "packets that ..." */
};

extern const struct counters_kind counters_kinds[COUNTERS_CLASSES];

enum counters_class counters_class_of(const char *name);

struct counters_item {
	char name[COUNTERS_NAME];
	uint64_t delta;
};

/* Takes the first item of a list. What follows it; NULL: there is none, or no valid one. */
const char *counters_next(const char *list, struct counters_item *item);

/*
 * What a counter has counted between two readings. One of 32 or 64 bits may have wrapped; one that
 * went back by more than half of that was set back by somebody, and false is returned.
 */
bool counters_delta(uint64_t before, uint64_t after, uint64_t *delta);

/* ---- reading */

struct counter;

/* Zeroed: nothing was read, and nothing is reported. */
struct counters {
	struct counter *all; /* owned; by class, then by name */
	size_t n;
	uint64_t fresh_ns;   /* when the kernel asks the device again, clock_ns() */
};

/*
 * The first reading. folder: of the device, "/sys/class/infiniband/mlx5_0"; what is missing there,
 * cannot be read or is no number is left out. Takes 100 ms at most: counters behind that are left
 * out. Without memory there are none.
 */
void counters_begin(struct counters *c, const char *folder, uint32_t port);

/*
 * The second reading: waits until the kernel has new values (hw_counters/lifespan, 100 ms at most),
 * and lists what has counted, "" if nothing did. *retransmissions: sum of the class; UINT64_MAX:
 * the device has no counter of it.
 */
void counters_end(struct counters *c, char list[COUNTERS_TEXT], uint64_t *retransmissions);

/* Accepts a zeroed one, and leaves one. */
void counters_close(struct counters *c);

#endif
