/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the line between the owner of a server and its clients; see owner.h. Called by agree.c. */
#include "config.h"
#include "session/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"

/* What a server lets a client ask for. */
#define SERVER_MAX_BYTES (8ull << 30)
#define SERVER_MAX_THREADS 128u
#define SERVER_MAX_SECONDS (7u * 24 * 3600)

#define AUTO "auto"

int owner_limits(struct limits *limits, const struct cfg *server)
{
	const size_t most = PLAN_PLACE - 1;

	limits->max_total_bytes = SERVER_MAX_BYTES;
	limits->max_threads = SERVER_MAX_THREADS;
	limits->max_seconds = SERVER_MAX_SECONDS;
	if (strlen(server->pin) > most || strlen(server->mem) > most)
		return err_set(-EINVAL, "--pin and --mem of a server have at most %zu characters", most);
	snprintf(limits->pin, sizeof(limits->pin), "%s", server->pin);
	snprintf(limits->mem, sizeof(limits->mem), "%s", server->mem);
	return 0;
}

/* CFG_AUTO: not given. */
static int choose_number(uint32_t *number, uint32_t clients, uint32_t owners, const char *option,
			 const char *own_option)
{
	if (clients == CFG_AUTO || clients == owners) {
		*number = owners;
		return 0;
	}
	if (owners != CFG_AUTO)
		return err_set(-EINVAL, "%s %u: the owner of the server has chosen %u (%s)", option,
			       clients, owners, own_option);
	*number = clients;
	return 0;
}

int owner_device(struct cfg *test, const struct cfg *server)
{
	int rc;

	test->device = server->device;
	if (test->peer_device && !server->device)
		test->device = test->peer_device;
	else if (test->peer_device && strcmp(test->peer_device, server->device) != 0)
		return err_set(-EINVAL, "--peer-device %.64s: the owner of the server has chosen %s (-d)",
			       test->peer_device, server->device);
	rc = choose_number(&test->ib_port, test->peer_ib_port, server->ib_port, "--peer-ib-port",
			   "-i");
	return rc ? rc : choose_number(&test->gid_index, test->peer_gid_index, server->gid_index,
				       "--peer-gid-index", "-x");
}

struct owner_place owner_place(const struct cfg *test, const struct limits *server)
{
	const bool pin = !strcmp(test->peer_pin, AUTO) && server->pin[0];
	const bool mem = !strcmp(test->peer_mem, AUTO) && server->mem[0];

	return (struct owner_place){
		.pin = pin ? server->pin : test->peer_pin,
		.mem = mem ? server->mem : test->peer_mem,
		.pin_label = pin ? "--pin" : "--peer-pin",
		.mem_label = mem ? "--mem" : "--peer-mem",
	};
}
