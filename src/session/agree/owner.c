/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The limits that a server's owner sets for its clients, and the options that it expects. */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "decide/role.h"
#include "util/err.h"

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

/* The words of --clients-may, and the name of the client's request in a refusal. */
static const struct {
	const char *word, *what;
} may_words[OWNER_MAY_COUNT] = {
	[OWNER_MAY_PIN] = { "pin", "--peer-pin" },
	[OWNER_MAY_MEM] = { "mem", "--peer-mem" },
	[OWNER_MAY_HUGEPAGES] = { "hugepages", "--hugepages" },
	[OWNER_MAY_SL] = { "sl", "--sl or --tclass" },
	[OWNER_MAY_UC] = { "uc", "what makes the server send over UC" },
	[OWNER_MAY_UD] = { "ud", "what makes the server send over UD" },
	[OWNER_MAY_OVERWRITE] = { "overwrite", "--overwrite" },
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
				       "--clients-may \"%.*s\": unknown; allowed: all, none, or some of pin, mem, hugepages, sl, uc, ud, overwrite with \",\" between them",
				       (int)len, p);
		*bits |= 1u << word;
		p += len;
		if (!*p)
			return 0;
	}
}

/* asked: the client requests it. */
static int check_may(const struct cfg *server, enum owner_may what, bool asked)
{
	uint32_t bits;
	int rc = asked ? owner_may(server->clients_may, &bits) : 0;

	if (rc || !asked || bits >> what & 1)
		return rc;
	return err_set_cause(-EINVAL, "owner", "--clients-may %s of the server's owner: the test asks for %s",
		       server->clients_may, may_words[what].what);
}

int owner_overwrite(const struct cfg *server)
{
	return check_may(server, OWNER_MAY_OVERWRITE, true);
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

/* ---- the options of a server are compared with the plan */

/* The value chosen for auto, for an option whose value is in the plan. */
struct chosen {
	size_t off; /* of the option, in struct cfg */
	uint64_t value;
};

/* Writes the plan's choices into one, a copy of the client's options. False: not known. */
static bool put_chosen(struct cfg *one, const struct plan *plan, const struct field *f)
{
	const struct plan_work *work = &plan->work;
	const struct point *point = &plan->points[0];
	const struct chosen list[] = {
		{ offsetof(struct cfg, depth), work->depth },
		{ offsetof(struct cfg, recv_depth), work->recv_depth },
		{ offsetof(struct cfg, srq_limit), work->srq_limit },
		{ offsetof(struct cfg, signal_interval), work->signal_interval },
		{ offsetof(struct cfg, inline_bytes), work->inline_bytes },
		{ offsetof(struct cfg, outstanding), work->outstanding },
		{ offsetof(struct cfg, walk), work->walk },
		{ offsetof(struct cfg, hugepages), work->hugepages },
		{ offsetof(struct cfg, locks), work->locks },
		{ offsetof(struct cfg, relaxed_ordering),
		  work->relaxed_ordering ? RELAXED_ON : RELAXED_OFF },
		{ offsetof(struct cfg, post_api), work->post_api },
		{ offsetof(struct cfg, mcast_join), plan->path.mcast_join },
		{ offsetof(struct cfg, mtu_bytes), plan->path.mtu_bytes },
		{ offsetof(struct cfg, pkey), plan->path.pkey },
		/* the point ends by count or by time: the other one has no value */
		{ offsetof(struct cfg, messages), point->messages ? point->messages : CFG_AUTO64 },
		{ offsetof(struct cfg, duration_ms),
		  point->messages ? CFG_AUTO : point->duration_ns / 1000000 },
		/* the last two exist for a single size only: they stay auto if there are several */
		{ offsetof(struct cfg, size_bytes), point->size_bytes },
		{ offsetof(struct cfg, footprint_bytes), point->footprint_bytes },
	};
	const size_t n = FIELD_COUNT(list) - (plan->n_points == 1 ? 0 : 2);

	for (size_t i = 0; i < n; i++) {
		if (list[i].off != f->off)
			continue;
		field_set_integer(f, one, list[i].value);
		return true;
	}
	return false;
}

/* Appends a difference between the server's value of this option and the test. */
static size_t compare(char text[ERR_TEXT_MAX], size_t used, const struct field *f,
		      const struct cfg *const both[SIDE_COUNT], const struct plan *plan)
{
	const struct cfg *server = both[SIDE_SERVER], *test = both[SIDE_CLIENT];
	char label[FIELD_TEXT_MAX], own[FIELD_TEXT_MAX], theirs[FIELD_TEXT_MAX];
	const char *before = used ? "; " : "";
	const size_t size = ERR_TEXT_MAX - used;
	struct cfg got = *test;
	bool chosen;

	options_value(f, test, theirs, sizeof(theirs));
	chosen = !strcmp(theirs, AUTO) && put_chosen(&got, plan, f);
	options_value(f, server, own, sizeof(own));
	options_value(f, &got, theirs, sizeof(theirs));
	if (!strcmp(own, AUTO))
		return 0;
	field_label(f, label, sizeof(label)); /* each side then inserts what was typed there */
	if (f->tests && !(f->tests >> test->test & 1))
		return (size_t)snprintf(text + used, size, "%s%.64s: server %.128s, but the client runs %s, which has no such option",
					before, label, own, kind_test_names[test->test]);
	if (!strcmp(own, theirs))
		return 0;
	return (size_t)snprintf(text + used, size, "%s%.64s: server %.128s, client %.128s%s",
				before, label, own, theirs, chosen ? " (auto)" : "");
}

/* The client's options, with those of both sides as they are for the server. */
static struct cfg of_server(const struct cfg *test)
{
	struct cfg got = *test;

	if (test->peer_size != CFG_AUTO64)
		got.size_bytes = test->peer_size;
	got.completion = cfg_completion(test, SIDE_SERVER);
	got.buffers = cfg_buffers(test, SIDE_SERVER);
	got.gpu = cfg_gpu(test, SIDE_SERVER);
	return got;
}

int owner_expects(const struct plan *plan, const struct cfg *server, const struct cfg *test)
{
	const struct cfg got = of_server(test);
	const struct cfg *const both[SIDE_COUNT] = { [SIDE_CLIENT] = &got, [SIDE_SERVER] = server };
	char text[ERR_TEXT_MAX] = "";
	size_t used = 0;

	if (server->one_test && server->test != test->test)
		return err_set(-EINVAL, "server and client have different tests: server %s, client %s",
			       kind_test_names[server->test], kind_test_names[test->test]);
	/* differences that do not fit are left out */
	for (size_t i = 0; i < options_table.n && used < sizeof(text); i++) {
		const struct field *f = &options_table.rows[i];

		if (server->given.rows[i] && !(f->flags & FIELD_ALIAS) && options_are_expected(f))
			used += compare(text, used, f, both, plan);
	}
	if (!used)
		return 0;
	return err_set(-EINVAL, "server and client have different options: %s", text);
}
