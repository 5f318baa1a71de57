/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ep/apm and point/point_apm: alternate paths of QPs in memory. Which GID of the other port they
 * take, what is loaded, when all are armed, and that all migrate once.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/ep_extras.h"
#include "point/point.h"
#include "util/err.h"

#define THREADS 2u
#define QPS 2u
#define GIDS 8u

static struct {
	const char *gids[2][GIDS];  /* of port 1 and of port 2; NULL: no entry */
	uint32_t v1;                /* port 2: this index is RoCE v1; the others are v2 */
	int port_errno;
	struct dev dev;
	struct ibv_context ctx;
	struct ibv_qp qps[THREADS * QPS], *list[THREADS * QPS], *none[1];
	struct ibv_qp_attr loaded[THREADS * QPS];
	enum ibv_mig_state states[THREADS * QPS];
	uint8_t ports[THREADS * QPS];
	uint32_t n_loaded, n_migrated;
	struct ibv_qp *refuses;     /* to be changed or asked */
	struct plan plan;
	struct point_thread threads[THREADS + 1]; /* nobody may look at the last one */
	struct point_in in;
	struct point_state state;
} f;

int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	(void)ctx;
	(void)flags;
	(void)size;
	if (port < 1 || port > 2 || index >= GIDS || !f.gids[port - 1][index])
		return ENODATA;
	*entry = (struct ibv_gid_entry){ .gid_index = index, .port_num = port,
					 .gid_type = port == 2 && index == f.v1 ?
						     IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2 };
	return inet_pton(AF_INET6, f.gids[port - 1][index], entry->gid.raw) == 1 ? 0 : EINVAL;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *ctx, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)ctx;
	((struct ibv_port_attr *)(void *)attr)->lid = (uint16_t)(port * 16);
	return f.port_errno;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const size_t i = (size_t)(qp - f.qps);

	assert_non_null(qp);
	if (qp == f.refuses)
		return ENOSYS;
	if (mask == IBV_QP_PATH_MIG_STATE) {
		assert_int_equal(attr->path_mig_state, IBV_MIG_MIGRATED);
		f.n_migrated++;
		return 0;
	}
	assert_int_equal(mask, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	assert_int_equal(attr->path_mig_state, IBV_MIG_REARM);
	f.loaded[i] = *attr;
	f.states[i] = IBV_MIG_REARM;
	f.n_loaded++;
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	const size_t i = (size_t)(qp - f.qps);

	(void)init;
	assert_int_equal(mask, IBV_QP_PATH_MIG_STATE | IBV_QP_PORT);
	assert_non_null(qp);
	*attr = (struct ibv_qp_attr){ .path_mig_state = f.states[i], .port_num = f.ports[i] };
	return qp == f.refuses ? ENOSYS : 0;
}

static int open_side(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	f.v1 = GIDS;
	f.gids[0][0] = "::ffff:10.0.0.1";
	f.gids[1][3] = "::ffff:10.0.1.1";
	f.dev = (struct dev){ .ctx = &f.ctx, .limits = { .port = 1, .alt_port = 2,
							 .pkey_index = 5, .device = "dev0" } };
	f.plan = (struct plan){ .work = { .kind = { .tp = TP_RC, .op = OP_SEND }, .qps = QPS,
					  .threads = THREADS },
				.path = { .migrate_after = 10, .qp_timeout = 13, .tclass = 106,
					  .global_route = true } };
	f.in = (struct point_in){ .plan = &f.plan, .dev = &f.dev, .side = SIDE_CLIENT };
	f.state = (struct point_state){ .in = &f.in, .threads = f.threads };
	for (uint32_t i = 0; i < THREADS * QPS; i++) {
		f.list[i] = &f.qps[i];
		f.ports[i] = 1;
	}
	for (uint32_t i = 0; i < THREADS; i++)
		f.threads[i].ep = (struct ep){ .dev = &f.dev, .qps = &f.list[i * QPS],
					       .n_qps = QPS };
	f.threads[THREADS].ep = (struct ep){ .dev = &f.dev, .qps = f.none, .n_qps = 1,
					     .qp_events.migrated = 1 };
	return 0;
}

static int address(void)
{
	return point_apm_address(&f.state, 0);
}

/* ---- the address on the other port */

static void the_gid_of_the_other_port_is_alike(void **state)
{
	(void)state;
	assert_int_equal(address(), 0);
	assert_int_equal(f.threads[0].ep.alt_gid_index, 3);
	assert_int_equal(f.threads[0].ep.addr.alt_lid, 32);
	assert_int_equal(f.threads[0].ep.addr.alt_gid[15], 1);
	assert_int_equal(f.threads[0].ep.addr.alt_gid[14], 1);
	/* not one of IPv6, not a link-local one, not one of another version */
	f.gids[1][0] = "fd80::1";
	f.gids[1][1] = "fe80::1";
	f.gids[1][2] = "::ffff:10.0.2.1";
	f.v1 = 2;
	assert_int_equal(address(), 0);
	assert_int_equal(f.threads[0].ep.alt_gid_index, 3);
	f.gids[0][0] = "fe80::7";
	assert_int_equal(address(), 0);
	assert_int_equal(f.threads[0].ep.alt_gid_index, 1);
	f.gids[0][0] = "fd80::7";
	assert_int_equal(address(), 0);
	assert_int_equal(f.threads[0].ep.alt_gid_index, 0);
	/* the link-local prefix has ten bits */
	f.gids[0][0] = "fe40::7";
	f.gids[1][0] = "febf::7";
	assert_int_equal(address(), -EINVAL);
}

static void no_address_on_the_other_port(void **state)
{
	(void)state;
	f.port_errno = EIO;
	assert_int_equal(address(), -EIO);
	assert_string_equal(err_text(), "cannot query port 2 of dev0");
	f.gids[1][3] = NULL;
	assert_int_equal(address(), -EINVAL);
	assert_string_equal(err_text(),
			    "port 2 of dev0 has no GID of the type of GID 0 of port 1");
	f.gids[1][3] = f.gids[0][0];
	f.gids[0][0] = NULL;
	assert_int_equal(address(), -EINVAL);
}

/* ---- loading and migrating */

static void load_all(void)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		f.threads[i].ep.alt_gid_index = 3;
		f.threads[i].peer = (struct ep_addr){ .lid = 7, .alt_lid = 48, .gid = { 1 },
						      .alt_gid = { 2 } };
		assert_int_equal(point_apm_load(&f.state, i), 0);
	}
}

static void every_qp_gets_the_path_to_the_other_port(void **state)
{
	(void)state;
	load_all();
	assert_int_equal(f.n_loaded, THREADS * QPS);
	for (uint32_t i = 0; i < THREADS * QPS; i++) {
		const struct ibv_qp_attr *a = &f.loaded[i];

		assert_int_equal(a->alt_port_num, 2);
		assert_int_equal(a->alt_pkey_index, 5);
		assert_int_equal(a->alt_timeout, 13);
		assert_int_equal(a->alt_ah_attr.port_num, 2);
		assert_int_equal(a->alt_ah_attr.grh.sgid_index, 3);
		assert_int_equal(a->alt_ah_attr.grh.dgid.raw[0], 2);
		assert_int_equal(a->alt_ah_attr.grh.traffic_class, 106);
	}
	f.plan.path.global_route = false;
	load_all();
	assert_int_equal(f.loaded[3].alt_ah_attr.dlid, 48);
	f.refuses = &f.qps[3];
	assert_int_equal(point_apm_load(&f.state, 1), -ENOSYS);
	assert_non_null(strstr(err_text(), "QP 1 on dev0: cannot load an alternate path: "));
}

static void all_migrate_when_all_are_armed(void **state)
{
	(void)state;
	load_all();
	assert_int_equal(point_apm_migrate(&f.state), 0);
	for (uint32_t i = 0; i < THREADS * QPS - 1; i++)
		f.states[i] = IBV_MIG_ARMED;
	assert_int_equal(point_apm_migrate(&f.state), 0);
	assert_int_equal(f.n_migrated, 0);
	/* the peer's migration has moved it already */
	f.states[3] = IBV_MIG_MIGRATED;
	f.ports[3] = 2;
	assert_int_equal(point_apm_migrate(&f.state), 1);
	assert_int_equal(f.n_migrated, THREADS * QPS);
}

static void a_migration_that_fails(void **state)
{
	(void)state;
	load_all();
	f.refuses = &f.qps[1];
	f.states[0] = IBV_MIG_ARMED;
	assert_int_equal(point_apm_migrate(&f.state), -ENOSYS);
	assert_non_null(strstr(err_text(), "QP 1 on dev0: cannot query its path migration state"));
	assert_int_equal(ep_apm_migrate(&f.threads[0].ep), -ENOSYS);
	assert_non_null(strstr(err_text(), "QP 1 on dev0: cannot migrate: "));
}

static void migrations_of_all_threads_count(void **state)
{
	(void)state;
	atomic_store(&f.threads[0].ep.qp_events.migrated, 2);
	atomic_store(&f.threads[1].ep.qp_events.migrated, 1);
	assert_int_equal(point_apm_count(&f.state), 3);
}

static void a_plan_without_it_does_nothing(void **state)
{
	(void)state;
	f.plan.path.migrate_after = UINT32_MAX;
	f.port_errno = EIO;
	assert_int_equal(address(), 0);
	load_all();
	assert_int_equal(f.n_loaded, 0);
	assert_true(point_apm_count(&f.state) == UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup(name, open_side)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_gid_of_the_other_port_is_alike),
		TEST(no_address_on_the_other_port),
		TEST(every_qp_gets_the_path_to_the_other_port),
		TEST(all_migrate_when_all_are_armed),
		TEST(a_migration_that_fails),
		TEST(migrations_of_all_threads_count),
		TEST(a_plan_without_it_does_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
