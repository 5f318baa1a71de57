/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sessions with and without the provider's locks: what each side's device offers is what runs and
 * what the rows of both say; --locks off is refused where there is less. The devices end the
 * program when two threads meet where there is no lock, or a domain goes before what is in it.
 */
#include "config.h"
#include "agree/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pair.h"
#include "verbs.h"

#define MEASURED 0
#define FAILED 1
#define REFUSED 2

static void run(struct pair *p, const char *args, int status, uint32_t rows)
{
	print_message("  %s\n", args);
	pair_args(p, args, "");
	pair_run(p);
	pair_assert_ended(p, status, status, rows);
	assert_int_equal(verbs_open_objects(), 0);
}

/* NULL: that side has no loop. */
static void run_ok(struct pair *p, const char *args, const char *client, const char *server)
{
	run(p, args, MEASURED, 1);
	assert_int_equal(pair_u64(&p->client, 0, "messages"), 200);
	assert_true(pair_u64(&p->client, 0, "verified_messages") > 0);
	assert_string_equal(pair_cell(&p->client, 0, "locks"), client);
	assert_string_equal(pair_cell(&p->client, 0, "peer_locks"), server ? server : "");
	assert_string_equal(pair_cell(&p->server, 0, "locks"), server ? server : "");
	assert_string_equal(pair_cell(&p->server, 0, "peer_locks"), client);
}

static void test_offered(void **state)
{
	struct pair *p = *state;

	run_ok(p, "send_bw -n 200 --verify", "off", "off");
	run_ok(p, "send_bw -n 200 --verify --locks off -e -c UD", "off", "off");
	run_ok(p, "send_lat -n 200 --verify --locks off -e", "off", "off");
	run_ok(p, "write_bw -n 100 --verify -q 2", "off", NULL);
	run_ok(p, "read_lat -n 200 --verify --locks off", "off", NULL);
	run_ok(p, "send_bw -n 200 --verify --locks on", "on", "on");
	run_ok(p, "atomic_lat -n 200 --verify --locks on", "on", NULL);
}

/* auto: what is refused stays with locks, whatever the reason, and all else goes on. */
static void test_partly_offered(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	client->plain = true;
	run_ok(p, "send_bw -n 200 --verify -e", "on", "off");
	client->plain = false;
	server->td_errno = EOPNOTSUPP;
	run_ok(p, "send_bw -n 200 --verify -e", "off", "off_cq");
	server->td_errno = 0;
	server->parent_errno = EINVAL;
	run_ok(p, "send_lat -n 200 --verify", "off", "off_cq");
	server->parent_errno = 0;
	server->cq_ex_errno = ENOSYS;
	run_ok(p, "send_bw -n 200 --verify", "off", "off_qp");
	client->qp_parent_errno = EINVAL;
	run_ok(p, "send_bw -n 200 --verify -q 1", "off_cq", "off_qp");
	client->qp_parent_errno = 0;
	/* a CQ of one thread that is in no parent domain */
	client->cq_parent_errno = EINVAL;
	run_ok(p, "send_bw -n 200 --verify", "off", "off_qp");
}

/* A device has only so many thread domains: the probe got one, the test does not. */
static void test_used_up(void **state)
{
	struct verbs_device *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	server->td_errno = ENOMEM;
	server->tds_good = 1;
	run_ok(p, "send_bw -n 200 --verify", "off", "off_cq");
	server->tds_good = 1;
	run(p, "send_bw -n 200 --locks off", FAILED, 1);
	pair_assert_has(pair_error(&p->client), "--locks off: pair1 of ");
	assert_string_equal(pair_cell(&p->client, 0, "messages"), "");
}

static void run_refused(struct pair *p, const char *args, const char *message)
{
	run(p, args, REFUSED, 0);
	pair_assert_has(pair_error(&p->client), message);
	pair_assert_has(pair_error(&p->server), message);
}

static void test_refused(void **state)
{
	struct verbs_device *client = verbs_device(SIDE_CLIENT),
			    *server = verbs_device(SIDE_SERVER);
	struct pair *p = *state;

	server->td_errno = EOPNOTSUPP;
	run_refused(p, "send_bw --locks off", " has no thread domains (ibv_alloc_td");
	pair_assert_has(p->err, "--locks off: pair1 of ");
	/* the target of writes has no loop whose locks could matter */
	run_ok(p, "write_bw -n 200 --verify --locks off", "off", NULL);
	run_refused(p, "write_bw -b --locks off", "--locks off: pair1 of ");
	client->cq_ex_errno = EOPNOTSUPP;
	run_refused(p, "write_bw --locks off", " has no CQs for one thread (ibv_create_cq_ex)");
	client->plain = true;
	run_refused(p, "write_lat --locks off", "--locks off: pair0 of ");
	pair_assert_has(p->err, " has neither thread domains (ibv_alloc_td) nor CQs for one ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_offered),
		TEST(test_partly_offered),
		TEST(test_used_up),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
