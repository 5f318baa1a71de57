/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * --background: a probe, and bulk traffic that runs beside it. What is asked for, the options of
 * the bulk traffic, and what follows from the rows of both. Opens and prints nothing; pairs.c runs
 * them.
 */
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include <stdint.h>

#include "options/cfg.h"
#include "row/row.h"

/* The pairs of a list with bulk traffic, and their names in error messages. */
enum background_pair { BACKGROUND_PROBE, BACKGROUND_BULK, BACKGROUND_PAIRS };
extern const char *const background_names[BACKGROUND_PAIRS];

struct background {
	uint64_t size_bytes;
	enum family family; /* of its opcode: send, write or read */
	uint32_t qps;
};

/* "1M", "1M,read", "64k,4", "64k,send,4". -EINVAL with an error message. */
int background_parse(struct background *b, const char *text) __attribute__((warn_unused_result));

/*
 * Makes options of the bulk traffic of those of a probe: the same hosts, devices, path, transport,
 * completion and placement; everything else is the default. It runs until it is stopped.
 */
void background_cfg(const struct background *b, struct cfg *cfg);

/*
 * Has this probe response times, do both go one way, and can its transport carry the bulk traffic?
 * cfg: of the probe, with hosts. -EINVAL with an error message.
 */
int background_check(const struct background *b, const struct cfg *cfg)
	__attribute__((warn_unused_result));

/* Puts into a row of the probe what ran beside it. b NULL: nothing. */
void background_name(const struct background *b, struct row *row);

/*
 * What the bulk traffic did to the probe: how much of the probe's window lies in the window of the
 * bulk traffic, its bandwidth, and the leakage. Both windows begin after one moment. The leakage is
 * there if ROW_WINDOWS_PERCENT of the probe's window are in common, and all rows are ok.
 */
void background_compare(struct row *beside, const struct row *alone, const struct row *bulk);

#endif
