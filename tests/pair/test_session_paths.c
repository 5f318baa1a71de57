/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Whole sessions over ports that are not those of a plain RoCE HCA: the packets need a GRH, there
 * is neither a LID nor an IP address, a transport is missing, each request must be signalled, the
 * longest message is not known.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define FAILED 1
#define REFUSED 2

static void run_ok(struct pair *p, const char *args)
{
	pair_args(p, args, "");
	pair_run(p);
	if (p->client.status || p->server.status)
		fail_msg("%s: %s", args, p->err);
	assert_string_equal(pair_cell(&p->client, 0, "status"), "ok");
	assert_int_equal(verbs_open_objects(), 0);
}

static void run_refused(struct pair *p, const char *args, const char *message)
{
	pair_args(p, args, "");
	pair_run(p);
	pair_assert_ended(p, REFUSED, REFUSED, 0);
	pair_assert_has(p->err, message);
	assert_int_equal(verbs_open_objects(), 0);
}

static bool has_route(const struct pair_side *s)
{
	int global = -1;

	assert_int_equal(json_unpack(s->json, "{s:{s:{s:b}}}", "run", "plan", "global_route",
				     &global), 0);
	return global;
}

static void be_infiniband(void)
{
	static const char *const gids[] = { "fe80::2:c903:0:1", "fe80::2:c903:0:2" };

	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		verbs_device(side)->link_layer = IBV_LINK_LAYER_INFINIBAND;
		verbs_device(side)->gids[0].text = gids[side];
		verbs_device(side)->gids[0].type = IBV_GID_TYPE_IB;
	}
}

static void grh_required(void **state)
{
	struct pair *p = *state;

	be_infiniband();
	run_ok(p, "write_bw -n 20");
	assert_false(has_route(&p->client));
	verbs_device(SIDE_SERVER)->port_flags = IBV_QPF_GRH_REQUIRED;
	run_ok(p, "write_bw -n 20");
	assert_true(has_route(&p->client));
	run_ok(p, "send_bw -c UD -n 20");
	run_ok(p, "send_lat -c UC -n 20");
}

static void hop_limit(void **state)
{
	static const char *const transports[] = { "RC", "UC", "UD" };
	struct pair *p = *state;
	char line[64];

	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
		verbs_reset();
		snprintf(line, sizeof(line), "send_bw -c %s -n 20 --hop-limit 7", transports[i]);
		run_ok(p, line);
		assert_string_equal(pair_cell(&p->client, 0, "hop_limit"), "7");
		for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
			const struct verbs_device *vd = verbs_device(side);

			assert_true(vd->n_routes);
			for (uint32_t j = 0; j < vd->n_routes; j++)
				assert_int_equal(vd->routes[j].hop_limit, 7);
		}
	}
	be_infiniband();
	run_ok(p, "write_bw -n 20");
	assert_string_equal(pair_cell(&p->client, 0, "hop_limit"), "");
	run_refused(p, "write_bw -n 20 --hop-limit 7",
		    "--hop-limit has no effect: packets within an InfiniBand subnet have no GRH; -x (--gid-index) and --tclass add one");
	run_ok(p, "write_bw -n 20 --hop-limit 7 --tclass 32");
	assert_string_equal(pair_cell(&p->client, 0, "hop_limit"), "7");
}

static uint32_t count_label(enum side side, uint32_t label)
{
	const struct verbs_device *vd = verbs_device(side);
	uint32_t n = 0;

	for (uint32_t i = 0; i < vd->n_routes; i++)
		n += vd->routes[i].flow_label == label;
	return n;
}

/* QP i takes label i modulo 2. Over UD a thread has an AH for each label. */
static void flow_label(void **state)
{
	static const struct {
		const char *args;
		uint32_t first, second;
	} cases[] = {
		{ "write_bw -n 20 --threads 2 -q 3", 3, 3 },
		{ "send_bw -c UC -n 20 -q 3", 2, 1 },
		{ "send_bw -c UD -n 20 --threads 2 -q 3", 2, 2 },
		{ "send_lat -c UD -n 20", 1, 0 },
	};
	struct pair *p = *state;
	char line[96];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		verbs_reset();
		snprintf(line, sizeof(line), "%s --flow-label 9,0xfFfff", cases[i].args);
		run_ok(p, line);
		assert_string_equal(pair_cell(&p->client, 0, "flow_label"), "9,0xfFfff");
		for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
			assert_int_equal(count_label(side, 9), cases[i].first);
			assert_int_equal(count_label(side, 0xfffff), cases[i].second);
		}
	}
	be_infiniband();
	run_refused(p, "write_bw -n 20 --flow-label 1",
		    "--flow-label has no effect: packets within an InfiniBand subnet have no GRH");
	run_ok(p, "write_bw -n 20 --flow-label 1 -x 0");
}

/* Which one it is, a busy machine decides: test_row.c has exact counts. */
static void worst_label(void **state)
{
	struct pair *p = *state;

	run_ok(p, "write_bw -D 0.1 -q 3 --flow-label 0x10,17,3");
	assert_string_not_equal(pair_cell(&p->client, 0, "qp_fairness"), "");
	assert_non_null(strstr("0x10 0x11 0x3", pair_cell(&p->client, 0, "flow_label_worst")));
	assert_true(pair_cell(&p->client, 0, "flow_label_worst")[0]);
	run_ok(p, "write_bw -D 0.1 -q 3 --flow-label 0x10");
	assert_string_equal(pair_cell(&p->client, 0, "flow_label_worst"), "");
}

static void other_subnet(void **state)
{
	struct pair *p = *state;

	be_infiniband();
	verbs_device(SIDE_SERVER)->gids[0].text = "fec0:0:0:7:2:c903:0:2";
	run_ok(p, "send_bw -n 20");
	assert_true(has_route(&p->client) && has_route(&p->server));
}

/* What the devices cannot do ends the session with its reason, on both sides. */
static void fails(struct pair *p, const char *args, const char *reason)
{
	pair_args(p, args, "");
	pair_run(p);
	assert_int_equal(p->client.status, FAILED);
	assert_int_equal(p->server.status, FAILED);
	pair_assert_has(pair_error(&p->client), reason);
	pair_assert_has(pair_error(&p->server), reason);
	assert_int_equal(verbs_open_objects(), 0);
}

static void no_address_handle(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->ah_errno = ENOMEM;
	fails(p, "send_bw -c UD -n 20", "cannot create AH on pair0: Cannot allocate memory");
	/* the kernel looked for the MAC address of the peer */
	verbs_device(SIDE_CLIENT)->ah_errno = EHOSTUNREACH;
	fails(p, "send_bw -c UD -n 20", "address resolution of GID ");
	verbs_device(SIDE_CLIENT)->ah_errno = ETIMEDOUT;
	fails(p, "send_bw -c UD -n 20", "address resolution of GID ");
	verbs_device(SIDE_CLIENT)->ah_errno = ENETUNREACH;
	fails(p, "send_bw -c UD -n 20", "address resolution of GID ");
	/* the server makes it when it has heard the client */
	verbs_device(SIDE_CLIENT)->ah_errno = 0;
	verbs_device(SIDE_SERVER)->ah_errno = ENOMEM;
	fails(p, "send_bw -c UD --ah first -n 20", "cannot create AH from the first message on pair1: ");
}

/* Each step of a QP, on each side. */
static void no_transition(void **state)
{
	static const struct {
		enum ibv_qp_state to;
		const char *name;
	} steps[] = { { IBV_QPS_INIT, "INIT" }, { IBV_QPS_RTR, "RTR" }, { IBV_QPS_RTS, "RTS" } };
	struct pair *p = *state;
	char reason[64];

	for (int i = 0; i < 6; i++) {
		const enum side side = i % 2 ? SIDE_SERVER : SIDE_CLIENT;
		struct verbs_device *vd = verbs_device(side);

		vd->modify_errno = EINVAL;
		vd->modify_state = steps[i / 2].to;
		snprintf(reason, sizeof(reason), "QP 0 to %s on %s: Invalid argument",
			 steps[i / 2].name, vd->name);
		fails(p, "send_bw -n 20", reason);
		vd->modify_errno = 0;
	}
}

/* auto takes what there is; who asks for it gets it or a reason. */
static void no_relaxed_ordering(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_SERVER)->no_relaxed = true;
	run_ok(p, "write_bw -n 20");
	assert_int_equal(pair_u64(&p->client, 0, "relaxed_ordering"), 1);
	assert_int_equal(pair_u64(&p->client, 0, "peer_relaxed_ordering"), 0);
	fails(p, "write_bw -n 20 --relaxed-ordering on", "--relaxed-ordering on: pair1 of ");
}

/* Directories of sysfs in which both devices are of EFA's driver. */
struct sysfs {
	char dir[64], device[96], link[128];
};

static void open_sysfs(struct sysfs *s)
{
	strcpy(s->dir, "/tmp/verbench-paths-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(s->device, sizeof(s->device), "%s/device", s->dir);
	snprintf(s->link, sizeof(s->link), "%s/driver", s->device);
	assert_int_equal(mkdir(s->device, 0700), 0);
	assert_int_equal(symlink("../drivers/efa", s->link), 0);
}

static void close_sysfs(const struct sysfs *s)
{
	unlink(s->link);
	rmdir(s->device);
	rmdir(s->dir);
}

/* As providers/efa of rdma-core: no RC and UC, no LID, no request without a completion. */
static void efa(void **state)
{
	struct pair *p = *state;
	struct sysfs sysfs;

	open_sysfs(&sysfs);
	be_infiniband();
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++) {
		struct verbs_device *vd = verbs_device(side);

		vd->sysfs = sysfs.dir;
		vd->link_layer = IBV_LINK_LAYER_UNSPECIFIED;
		vd->transport_type = IBV_TRANSPORT_UNSPECIFIED;
		vd->no_qp[IBV_QPT_RC] = vd->no_qp[IBV_QPT_UC] = true;
		vd->signals_all = true;
	}
	run_ok(p, "send_bw -c UD -n 500 --verify -l 4");
	assert_int_equal(pair_u64(&p->client, 0, "signal_interval"), 1);
	assert_true(has_route(&p->client));
	assert_string_equal(pair_cell(&p->client, 0, "link_layer"), "unspecified");
	run_ok(p, "send_lat -c UD -n 50 --verify");
	run_refused(p, "send_bw -c UD -Q 2", "-Q (--signal-interval) 2: pair0 of ");
	run_refused(p, "send_bw", "-c (--transport) RC: pair1 of ");
	run_refused(p, "send_bw -c UC", " makes no queue pairs of it (Operation not supported); "
		    "allowed: UD; what else it has needs a library of its own (EFA: SRD)");
	close_sysfs(&sysfs);
}

/* bnxt_re and irdma have RC and UD. */
static void a_transport_is_missing(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->no_qp[IBV_QPT_UC] = true;
	run_ok(p, "write_bw -n 20");
	run_refused(p, "write_bw -c UC", "-c (--transport) UC: pair0 of ");
	run_refused(p, "write_bw -c UC", "allowed: RC, UD");
}

static void longest_message_unknown(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->max_msg_bytes = 0;
	run_ok(p, "write_bw -n 20 -s 1M --verify");
	verbs_device(SIDE_SERVER)->max_msg_bytes = 0;
	run_ok(p, "send_bw -n 20 --verify");
}

/* Without rdma_cm it is said before any QP of the test is made. */
static void iwarp(void **state)
{
	struct pair *p = *state;

	verbs_device(SIDE_CLIENT)->transport_type = IBV_TRANSPORT_IWARP;
	verbs_device(SIDE_SERVER)->transport_type = IBV_TRANSPORT_IWARP;
	run_refused(p, "write_bw", "iWARP: needs -R (--cm): pair0 of ");
	run_refused(p, "send_bw -c UD", "iWARP: pair0 of ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grh_required, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(hop_limit, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(flow_label, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(worst_label, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(other_subnet, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(no_address_handle, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(no_transition, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(no_relaxed_ordering, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(efa, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(a_transport_is_missing, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(longest_message_unknown, pair_setup, pair_teardown),
		cmocka_unit_test_setup_teardown(iwarp, pair_setup, pair_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
