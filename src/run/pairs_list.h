/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which pairs a command line names: its operands and --device. Opens and prints nothing.
 */
#ifndef RUN_PAIRS_LIST_H
#define RUN_PAIRS_LIST_H

#include <stdint.h>

#include "config/cfg.h"
#include "config/hosts.h"
#include "host/neighbours.h"
#include "report/row.h"

#define PAIRS_MAX 64           /* NEIGHBOURS_MAX and ROW_TOTAL_MAX are not smaller */

/* One operand: where the server is, and which device of it. */
struct pairs_operand {
	struct hosts_one host;
	char device[NEIGHBOURS_NAME]; /* "": the server chooses */
};

struct pairs_one {
	char host[HOSTS_TEXT];        /* HOST:PORT for cfg.host */
	char device[NEIGHBOURS_NAME]; /* of this host; "": the program chooses */
	char peer_device[NEIGHBOURS_NAME];
	char name[ROW_NAME];          /* as the operand was given, #2 if it was given before */
	char neighbours[2][NEIGHBOURS_TEXT]; /* by enum side */
};

/* A zeroed one is empty. */
struct pairs_list {
	uint32_t n;
	struct pairs_one *pairs;      /* owned */
};

/*
 * HOST, HOST:PORT, HOST:DEVICE or HOST:PORT:DEVICE; digits are a port; an address of IPv6 with more
 * behind it is in brackets. port: of a text without one; 0 if that is to be known. -EINVAL with an
 * error message.
 */
int pairs_operand(struct pairs_operand *operand, const char *text, uint32_t port)
	__attribute__((warn_unused_result));

/*
 * The pairs of n operands and of --device A,B,...: the first device with the first operand, and so
 * on; one device, or one operand, is for all. *list has one pair if both are single. -EINVAL with
 * an error message; *list is then empty.
 */
int pairs_list_read(struct pairs_list *list, const struct cfg *cfg, char *const *operands,
		    uint32_t n)
	__attribute__((warn_unused_result));
/* Accepts a zeroed one. */
void pairs_list_free(struct pairs_list *list);

/* *cfg as pair i needs it: host, devices, neighbours. Borrows from list. */
void pairs_list_cfg(const struct pairs_list *list, uint32_t i, struct cfg *cfg);

#endif
