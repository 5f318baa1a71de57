/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the owner of a server decides, and what a client may decide there. */
#ifndef OWNER_H
#define OWNER_H

#include "config/cfg.h"
#include "limits/limits.h"

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
