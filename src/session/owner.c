/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the line between the owner of a server and its clients; see owner.h. Called by agree.c. */
#include "config.h"
#include "session/owner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/role.h"
#include "util/err.h"
#include "util/minmax.h"

#define AUTO "auto"

int owner_limits(struct limits *limits, const struct cfg *server)
{
	const size_t most = PLAN_PLACE - 1;

	limits->max_total_bytes = server->max_memory;
	limits->max_threads = server->max_threads;
	limits->allowed_qps = server->max_qps;
	limits->max_point_ms = server->max_point_ms;
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
		return err_set_cause(-EINVAL, "owner",
				     "%s %u: the owner of the server has chosen %u (%s)", option,
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
		return err_set_cause(
			-EINVAL, "owner",
			"--peer-device %.64s: the owner of the server has chosen %s (-d)",
			test->peer_device, server->device);
	rc = choose_number(&test->ib_port, test->peer_ib_port, server->ib_port, "--peer-ib-port",
			   "-i");
	return rc ? rc : choose_number(&test->gid_index, test->peer_gid_index, server->gid_index,
				       "--peer-gid-index", "-x");
}

/* The words of --clients-may, and how a refusal names what the client has asked for. */
static const struct {
	const char *word, *what;
} may_words[OWNER_MAY_COUNT] = {
	[OWNER_MAY_PIN] = { "pin", "--peer-pin" },
	[OWNER_MAY_MEM] = { "mem", "--peer-mem" },
	[OWNER_MAY_HUGEPAGES] = { "hugepages", "--hugepages" },
	[OWNER_MAY_SL] = { "sl", "--sl or --tclass" },
	[OWNER_MAY_UC] = { "uc", "what makes the server send over UC" },
	[OWNER_MAY_UD] = { "ud", "what makes the server send over UD" },
};

static int find_word(const char *text, size_t len)
{
	for (int i = 0; i < OWNER_MAY_COUNT; i++)
		if (strlen(may_words[i].word) == len && !strncmp(may_words[i].word, text, len))
			return i;
	return -1;
}

int owner_may(const char *list, uint32_t *bits)
{
	*bits = 0;
	if (!strcmp(list, "all"))
		*bits = (1u << OWNER_MAY_COUNT) - 1;
	if (!strcmp(list, "all") || !strcmp(list, "none"))
		return 0;
	for (const char *p = list;; p++) {
		const size_t len = strcspn(p, ",");
		const int word = find_word(p, len);

		if (word < 0)
			return err_set(-EINVAL,
				       "--clients-may \"%.*s\": unknown; allowed: all, none, or some of pin, mem, hugepages, sl, uc, ud with \",\" between them",
				       (int)len, p);
		*bits |= 1u << word;
		p += len;
		if (!*p)
			return 0;
	}
}

/* asked: the client asks for it. */
static int check_may(const struct cfg *server, enum owner_may what, bool asked)
{
	uint32_t bits;
	int rc = asked ? owner_may(server->clients_may, &bits) : 0;

	if (rc || !asked || bits >> what & 1)
		return rc;
	return err_set_cause(-EINVAL, "owner", "--clients-may %s of the server's owner: the test asks for %s",
		       server->clients_may, may_words[what].what);
}

int owner_test(const struct cfg *test, const struct cfg *server)
{
	int rc;

	if (test->stall_timeout_ms > server->max_stall_ms)
		return err_set_cause(-EINVAL, "owner",
			       "--max-stall %.15gs of the server's owner: the test asks for --stall-timeout %.15g",
			       server->max_stall_ms / 1e3, test->stall_timeout_ms / 1e3);
	rc = check_may(server, OWNER_MAY_PIN, strcmp(test->peer_pin, AUTO) != 0);
	if (!rc)
		rc = check_may(server, OWNER_MAY_MEM, strcmp(test->peer_mem, AUTO) != 0);
	if (!rc)
		rc = check_may(server, OWNER_MAY_HUGEPAGES, test->given.hugepages);
	return rc ? rc : check_may(server, OWNER_MAY_SL, test->given.sl || test->given.tclass);
}

int owner_plan(const struct plan *plan, const struct cfg *server)
{
	const enum transport tp = plan->work.kind.tp;
	const bool lossy = role_sends(plan->work.role[SIDE_SERVER]) && kind_is_lossy(tp);

	if (!lossy)
		return 0;
	return check_may(server, kind_is_datagram(tp) ? OWNER_MAY_UD : OWNER_MAY_UC, true);
}

uint32_t owner_idle_ms(const struct cfg *server, uint32_t silence_ms)
{
	return min_u32(silence_ms, server->max_idle_ms);
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
