/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What of a machine can spoil a measurement before it begins: how many CPUs a thread may use, how
 * busy they are, how their frequencies are set. It must not judge what it reads
 * (limits/spoils.h does).
 */
#ifndef BUSY_H
#define BUSY_H

#include <sched.h>
#include <stdint.h>

#include "place/machine.h"

#define BUSY_CPUS 256 /* bytes of a list of CPUs; a longer one is cut */

struct busy {
	char cpus[BUSY_CPUS];        /* that this thread may use: "0-3,8"; "": unknown */
	uint32_t n_cpus;             /* of these; 0: unknown */
	uint32_t host_cpus;          /* of the machine that are online; 0: unknown */
	/*
	 * Programs that are ready to run, without this thread: the mean of the last minute, or of
	 * this moment if that is less: neither what has ended nor what lasts a moment counts.
	 */
	uint32_t load;
	char governor[MACHINE_TEXT]; /* of these CPUs, as machine_governor() */
};

/* Files below root ("": those of the system). What cannot be read is unknown. */
void busy_read(struct busy *b, const char *root);

#endif
