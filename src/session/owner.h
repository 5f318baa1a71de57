/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the owner of a server decides, and what a client may decide there. */
#ifndef OWNER_H
#define OWNER_H

#include "config/cfg.h"
#include "limits/limits.h"
#include "plan/plan.h"

/*
 * Fills what the owner allows to clients, and where the owner wants the threads and their memory.
 * -EINVAL with an error message: these texts are too long for the message.
 */
int owner_limits(struct limits *limits, const struct cfg *server)
	__attribute__((warn_unused_result));

/*
 * The device, port and GID index of a plan: in test, the client's options with those of the server
 * for the device. A client may choose what the owner has not given. -EINVAL with an error message.
 */
int owner_device(struct cfg *test, const struct cfg *server) __attribute__((warn_unused_result));

/* What the owner lets clients choose: the words of --clients-may. */
enum owner_may {
	OWNER_MAY_PIN, OWNER_MAY_MEM, OWNER_MAY_HUGEPAGES, OWNER_MAY_SL, OWNER_MAY_UC, OWNER_MAY_UD,
	OWNER_MAY_COUNT
};

/* The list as bits. -EINVAL with an error message. */
int owner_may(const char *list, uint32_t *bits) __attribute__((warn_unused_result));

/* May the client ask for this test, and may the server run this plan? -EINVAL with a message. */
int owner_test(const struct cfg *test, const struct cfg *server)
	__attribute__((warn_unused_result));
int owner_plan(const struct plan *plan, const struct cfg *server)
	__attribute__((warn_unused_result));

/* How long a client may be silent between two plans. */
uint32_t owner_idle_ms(const struct cfg *server, uint32_t silence_ms);

/*
 * Where the threads and the memory of a server are, as on its command line: the client's
 * --peer-pin and --peer-mem, else the owner's --pin and --mem. The same on both sides. Borrowed.
 */
struct owner_place {
	const char *pin, *mem;
	const char *pin_label, *mem_label; /* the options that say it */
};
struct owner_place owner_place(const struct cfg *test, const struct limits *server);

#endif
