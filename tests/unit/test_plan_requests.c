/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* decide/plan_caps.c: what options ask of each request, against devices and sizes. */
#include "config.h"

#include "plan_ends.h"

static void test_sges(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.sges, 1);
	resolved(&plan, &e, TEST_SEND_BW, "--sge 30");
	assert_int_equal(plan.work.sges, 30);
	refused(&e, TEST_SEND_BW, "--sge 31", "--sge 31: dev1 of alpha takes at most 30 elements "
		"per request or receive (max_sge)");
	e.server.max_sge = 4;
	refused(&e, TEST_SEND_BW, "--sge 5", "--sge 5: dev2 of beta takes at most 4 elements "
		"per request or receive (max_sge)");
	/* the target of writes and of reads scatters and gathers nothing */
	resolved(&plan, &e, TEST_WRITE_BW, "--sge 5");
	refused(&e, TEST_WRITE_BW, "--sge 5 -b", "--sge 5: dev2 of beta takes at most 4 elements "
		"per request or receive (max_sge)");
	resolved(&plan, &e, TEST_READ_BW, "--sge 16");
	refused(&e, TEST_READ_BW, "--sge 17", "--sge 17: dev1 of alpha takes at most 16 elements "
		"per read (max_sge_rd)");
}

static void test_sges_sizes(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "--sge 8 -s 8");
	resolved(&plan, &e, TEST_WRITE_LAT, "--sge 8");
	assert_int_equal(plan.points[0].size_bytes, 8);
	resolved(&plan, &e, TEST_WRITE_BW, "--sge 9 -a");
	assert_int_equal(plan.points[0].size_bytes, 16);
}

static void test_sges_setters(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.post_wr = e.server.post_wr = true;
	resolved(&plan, &e, TEST_SEND_BW, "--sge 4 --post-api wr");
	e.server.sge_setters = false;
	strcpy(e.server.driver, "rxe");
	/* the server of a stream only receives */
	resolved(&plan, &e, TEST_SEND_BW, "--sge 4 --post-api wr");
	assert_int_equal(resolve(&plan, &e, TEST_SEND_LAT, "--sge 4 --post-api wr"), -EINVAL);
	assert_non_null(strstr(err_text(), "--sge 4 with --post-api wr on dev2 of beta (driver rxe): "));
	resolved(&plan, &e, TEST_SEND_LAT, "--post-api wr");
	resolved(&plan, &e, TEST_SEND_LAT, "--sge 4");
}

static void test_solicited(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "-e");
	assert_int_equal(plan.work.solicited, 0);
	resolved(&plan, &e, TEST_SEND_BW, "-e --solicited 48 -l 4 -Q 32");
	assert_int_equal(plan.work.solicited, 48);
	/* the ring repeats lists, signals and solicited requests */
	assert_int_equal(plan_group(&plan), 96);
	resolved(&plan, &e, TEST_SEND_BW, "-e --solicited 257");
	assert_int_equal(plan_refill(&plan), 256);
	/* what the sender has not yet credit for holds one that is solicited */
	resolved(&plan, &e, TEST_SEND_BW, "-e --solicited 54 -l 4 -Q 4 -r 64");
	assert_int_equal(plan_refill(&plan), 8);
	/* credits cover all but twice the depth, where that is more */
	resolved(&plan, &e, TEST_SEND_BW, "-t 16 -r 64");
	assert_int_equal(plan_refill(&plan), 32);
	resolved(&plan, &e, TEST_SEND_BW, "-t 24 -r 64");
	assert_int_equal(plan_refill(&plan), 16);
	resolved(&plan, &e, TEST_SEND_BW, "-t 32 -r 64");
	assert_int_equal(plan_refill(&plan), 8);
	resolved(&plan, &e, TEST_SEND_LAT, "-r 64");
	assert_int_equal(plan_refill(&plan), 8);
}

/* The device of a side that sends paces its QPs, if it can over this transport at this rate. */
static void test_qp_rate(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_true(plan.path.qp_rate_bit_s == UINT64_MAX);
	refused(&e, TEST_WRITE_BW, "--qp-rate 1G",
		"--qp-rate 1000000000 bit/s: dev1 of alpha (driver unknown) paces no QPs "
		"(packet_pacing_caps); --rate paces in the loop; allowed: none");
	e.client.min_pace_kbit_s = 100;
	e.client.max_pace_kbit_s = 2000000;
	refused(&e, TEST_WRITE_BW, "--qp-rate 1G",
		"--qp-rate 1000000000 bit/s over RC: dev1 of alpha (driver unknown) paces only QPs "
		"of raw Ethernet; --rate paces in the loop; allowed: none");
	e.client.paced_transports = 1 << TP_RC | 1 << TP_UD;
	resolved(&plan, &e, TEST_WRITE_BW, "--qp-rate 1G");
	assert_true(plan.path.qp_rate_bit_s == 1000000000);
	resolved(&plan, &e, TEST_SEND_BW, "--qp-rate 2G -c UD --rate 1000");
	refused(&e, TEST_SEND_BW, "--qp-rate 1G -c UC",
		"--qp-rate 1000000000 bit/s over UC: dev1 of alpha (driver unknown) paces only QPs "
		"of RC, UD; --rate paces in the loop; allowed: none");
	/* the limits of the range, and what a whole number of kbit/s cannot say */
	resolved(&plan, &e, TEST_WRITE_BW, "--qp-rate 100k");
	refused(&e, TEST_WRITE_BW, "--qp-rate 99k", "--qp-rate 99000 bit/s: dev1 of alpha takes 100 "
		"to 2000000 kbit/s, in whole kbit/s (packet_pacing_caps)");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--qp-rate 2000001k"), -EINVAL);
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--qp-rate 1000001"), -EINVAL);
	/* the server sends, too */
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--qp-rate 1G -b"), -EINVAL);
	assert_int_equal(resolve(&plan, &e, TEST_SEND_LAT, "--qp-rate 1G"), -EINVAL);
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--qp-rate 1G --reverse"), -EINVAL);
	assert_non_null(strstr(err_text(), "dev2 of beta"));
}

static void test_mw(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "");
	assert_int_equal(plan.work.mw, MW_NONE);
	resolved(&plan, &e, TEST_READ_BW, "--mw 2 -q 50 --threads 2");
	assert_int_equal(plan.work.mw, MW_TYPE_2);
	refused(&e, TEST_READ_BW, "--mw 2 -q 101", "--mw 2 on 101 QPs: dev2 of beta has 100 memory "
		"windows (max_mw), and each QP takes one");
	/* only a target has windows */
	e.client.mw_type_1 = false;
	resolved(&plan, &e, TEST_WRITE_BW, "--mw 1");
	refused(&e, TEST_WRITE_LAT, "--mw 1",
		"--mw 1: dev1 of alpha has no memory windows of type 1");
	e.server.mw_type_2 = false;
	refused(&e, TEST_ATOMIC_BW, "--mw 2",
		"--mw 2: dev2 of beta has no memory windows of type 2");
}

static void test_disturb(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.disturb, DISTURB_NONE);
	assert_int_equal(plan.work.locks, LOCKS_AUTO);
	/* another thread uses the queues: with locks */
	resolved(&plan, &e, TEST_SEND_BW, "--disturb sq");
	assert_int_equal(plan.work.locks, LOCKS_ON);
	e.server.resumes_sq = false;
	strcpy(e.server.driver, "rxe");
	refused(&e, TEST_SEND_BW, "--disturb sq", "--disturb sq on dev2 of beta (driver rxe): after a "
		"drain its requests wait for the next post, which may never come; allowed: cq");
	e.client.resizes_cq = true;
	refused(&e, TEST_SEND_BW, "--disturb cq", "--disturb cq: dev2 of beta cannot change the "
		"size of a CQ (ibv_resize_cq)");
	/* no loop runs at the target of writes */
	resolved(&plan, &e, TEST_WRITE_BW, "--disturb cq");
}

static void test_odp(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_SEND_BW, "");
	assert_int_equal(plan.work.buffers, BUFFERS_HOST);
	e.client.odp = true;
	refused(&e, TEST_SEND_BW, "--buffers odp -c UD", "--buffers odp: dev2 of beta has no "
		"on-demand paging for send over UD (ibv_query_device_ex); allowed: host");
	e.server.odp = true;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers odp -c UD");
	assert_int_equal(plan.work.buffers, BUFFERS_ODP);
	e.client.prefetch = true;
	refused(&e, TEST_SEND_BW, "--buffers prefetch", "--buffers prefetch: dev2 of beta (driver "
		"unknown) maps no pages in advance (ibv_advise_mr); allowed: host, odp");
	resolved(&plan, &e, TEST_SEND_BW, "--buffers prefetch --peer-buffers odp");
	e.client.odp = false;
	refused(&e, TEST_SEND_BW, "--buffers prefetch --peer-buffers odp", "--buffers prefetch: dev1 "
		"of alpha has no on-demand paging for send over RC (ibv_query_device_ex); allowed: host");
}

/* Device memory: as much as both devices have, and nothing that needs its address on the host. */
static void test_device_memory(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	refused(&e, TEST_SEND_BW, "--buffers device", "--buffers device: dev1 of alpha has no "
		"device memory (max_dm_size 0); allowed: host, odp");
	e.client.max_dm_bytes = 1u << 20;
	e.server.max_dm_bytes = 256u << 10;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device -s 16384");
	assert_int_equal(plan.work.buffers, BUFFERS_DEVICE);
	/* auto: without the limit 8 MiB at most; two areas on each side */
	assert_int_equal(plan.points[0].footprint_bytes, 128u << 10);
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device -s 16384 --threads 2");
	assert_int_equal(plan.points[0].footprint_bytes, 64u << 10);
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device -s 64 --footprint 4096");
	assert_int_equal(plan.points[0].footprint_bytes, 4096);
	refused(&e, TEST_SEND_BW, "--buffers device -s 262144", "--buffers device: messages of "
		"262144 bytes take 1 times 524288 bytes of device memory; dev2 of beta has 262144 "
		"(max_dm_size); lower --size, --qps, --threads or --footprint");
	refused(&e, TEST_WRITE_BW, "--buffers device -s 4096 --footprint 131072 --threads 3",
		"--buffers device: messages of 4096 bytes take 3 times 262144 bytes of device "
		"memory; dev2 of beta has 262144 (max_dm_size); lower --size, --qps, "
		"--threads or --footprint");
	/* no inline data of a ping-pong */
	resolved(&plan, &e, TEST_SEND_LAT, "--buffers device -s 8");
	assert_int_equal(plan.work.inline_bytes, 0);
}

/* Both sides on one device share its memory, but each process has its own emulated device. */
static void test_device_memory_shared(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.server = e.client;
	e.client.max_dm_bytes = e.server.max_dm_bytes = 256u << 10;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device -s 16384");
	assert_int_equal(plan.points[0].footprint_bytes, 64u << 10);
	e.client.emulated = e.server.emulated = true;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device -s 16384");
	assert_int_equal(plan.points[0].footprint_bytes, 128u << 10);
}

/* Both sides need a GPU; its memory is no page of the host. */
static void test_gpu_memory(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.memlock_bytes = e.server.memlock_bytes = 65536;
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers cuda --mw 1 --regions 1 --gpu 3");
	assert_int_equal(plan.work.buffers, BUFFERS_CUDA);
	assert_int_equal(plan.work.gpu, 3);
	assert_int_equal(plan.work.hugepages, HUGEPAGES_OFF);
	assert_true(plan.work.relaxed_ordering);
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers cuda --relaxed-ordering on");
	assert_int_equal(plan.work.gpu, CFG_AUTO);
	/* no inline data of a ping-pong */
	resolved(&plan, &e, TEST_SEND_LAT, "--buffers cuda -s 8");
	assert_int_equal(plan.work.inline_bytes, 0);
	strcpy(e.server.gpu_missing, "no GPU");
	refused(&e, TEST_WRITE_BW, "--buffers cuda", "--buffers cuda: dev2 of beta: no GPU");
	strcpy(e.client.gpu_missing, "no driver");
	refused(&e, TEST_READ_BW, "--buffers cuda", "--buffers cuda: dev1 of alpha: no driver");
	resolved(&plan, &e, TEST_READ_BW, "-s 64");
}

/* Of its own memory a side needs what that takes, and of the other's nothing. */
static void test_memory_of_each_side(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	strcpy(e.client.gpu_missing, "no driver");
	resolved(&plan, &e, TEST_WRITE_BW, "--peer-gpu 1 -I 64 -s 64");
	assert_int_equal(plan_buffers(&plan, SIDE_CLIENT), BUFFERS_HOST);
	assert_int_equal(plan_buffers(&plan, SIDE_SERVER), BUFFERS_CUDA);
	assert_int_equal(plan_gpu(&plan, SIDE_CLIENT), CFG_AUTO);
	assert_int_equal(plan_gpu(&plan, SIDE_SERVER), 1);
	/* only the client copies */
	assert_int_equal(plan.work.inline_bytes, 64);
	resolved(&plan, &e, TEST_SEND_LAT, "--peer-buffers cuda -s 8");
	assert_int_equal(plan.work.inline_bytes, 0);
	refused(&e, TEST_WRITE_BW, "--gpu 0 --peer-buffers host", "--gpu 0: dev1 of alpha: no driver");
	strcpy(e.server.gpu_missing, "no GPU");
	refused(&e, TEST_WRITE_BW, "--peer-gpu 1", "--peer-gpu 1: dev2 of beta: no GPU");
	refused(&e, TEST_WRITE_BW, "--peer-buffers cuda", "--peer-buffers cuda: dev2 of beta: no GPU");
	e.client.gpu_missing[0] = '\0';
	resolved(&plan, &e, TEST_WRITE_BW, "--gpu 3 --peer-buffers host");
	assert_int_equal(plan_gpu(&plan, SIDE_CLIENT), 3);
	assert_int_equal(plan_gpu(&plan, SIDE_SERVER), CFG_AUTO);
	e.client.memlock_bytes = 65536;
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers cuda --peer-buffers host -s 1M");
	assert_int_equal(resolve(&plan, &e, TEST_WRITE_BW, "--peer-buffers odp -s 1M"), -EINVAL);
	refused(&e, TEST_WRITE_BW, "--buffers cuda --peer-buffers odp", "--peer-buffers odp: dev2 of "
		"beta has no on-demand paging for write over RC (ibv_query_device_ex); allowed: host");
	e.server.odp = true;
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers cuda --peer-buffers odp");
}

/* The footprint is as much as the device of the side with device memory has. */
static void test_device_memory_of_one_side(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	e.client.max_dm_bytes = 256u << 10;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers device --peer-buffers host -s 16384");
	assert_int_equal(plan.points[0].footprint_bytes, 128u << 10);
	refused(&e, TEST_SEND_BW, "--peer-buffers device", "--peer-buffers device: dev2 of beta has "
		"no device memory (max_dm_size 0); allowed: host, odp");
	/* both on one device, and one uses its memory */
	e.server = e.client;
	resolved(&plan, &e, TEST_SEND_BW, "--peer-buffers device -s 16384");
	assert_int_equal(plan.points[0].footprint_bytes, 128u << 10);
}

/* Only a side that sends or receives needs it; the peer's requests reach memory of the host. */
static void test_null_memory(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	refused(&e, TEST_WRITE_BW, "--buffers null", "--buffers null: dev1 of alpha (driver "
		"unknown) has no null memory regions (ibv_alloc_null_mr: EOPNOTSUPP); allowed: host");
	e.client.null_mr = true;
	resolved(&plan, &e, TEST_SEND_BW, "--buffers null --peer-buffers host");
	resolved(&plan, &e, TEST_WRITE_BW, "--buffers null --mw 1 --hugepages off");
	assert_int_equal(plan.work.buffers, BUFFERS_NULL);
	assert_true(plan.work.relaxed_ordering);
	refused(&e, TEST_READ_BW, "--buffers null -b", "--buffers null: dev2 of beta (driver "
		"unknown) has no null memory regions (ibv_alloc_null_mr: EOPNOTSUPP); allowed: host");
	e.server.null_mr = true;
	/* no inline data of a ping-pong: the CPU would copy them from other memory */
	resolved(&plan, &e, TEST_SEND_LAT, "--buffers null -s 8");
	assert_int_equal(plan.work.inline_bytes, 0);
}

/* As many as both devices have, with the null region of a thread. */
static void test_regions(void **state)
{
	struct ends e = ends();
	struct plan plan;

	(void)state;
	resolved(&plan, &e, TEST_WRITE_BW, "-q 8");
	assert_int_equal(plan.work.regions, 0);
	e.client.max_mrs = 17;
	resolved(&plan, &e, TEST_WRITE_BW, "-q 8 --threads 2 --regions 1");
	assert_int_equal(plan.work.regions, 1);
	resolved(&plan, &e, TEST_WRITE_BW, "-q 2 --threads 2 --regions 4");
	refused(&e, TEST_WRITE_BW, "-q 2 --threads 3 --regions 4", "--threads 3: dev1 of alpha has 17 "
		"memory regions, and each thread takes 8; allowed: 1..2");
	refused(&e, TEST_WRITE_BW, "-q 18 --regions 1", "--threads 1: dev1 of alpha has 17 memory "
		"regions, and each thread takes 18; lower -q (--qps) or --regions");
	e.client.null_mr = true;
	refused(&e, TEST_WRITE_BW, "-q 17 --regions 1 --buffers null", "--threads 1: dev1 of alpha "
		"has 17 memory regions, and each thread takes 18; lower -q (--qps) or --regions");
	refused(&e, TEST_WRITE_BW, "-s 64 --regions 17 --footprint 1024", "--regions 17: messages of 64 "
		"bytes use 16 buffers of each QP in turn; raise --footprint");
	refused(&e, TEST_WRITE_LAT, "--regions 2", "--regions 2: messages of 2 bytes use 1 buffers of "
		"each QP in turn; use another --walk");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sges),
		cmocka_unit_test(test_sges_sizes),
		cmocka_unit_test(test_sges_setters),
		cmocka_unit_test(test_solicited),
		cmocka_unit_test(test_qp_rate),
		cmocka_unit_test(test_mw),
		cmocka_unit_test(test_disturb),
		cmocka_unit_test(test_odp),
		cmocka_unit_test(test_device_memory),
		cmocka_unit_test(test_device_memory_shared),
		cmocka_unit_test(test_gpu_memory),
		cmocka_unit_test(test_memory_of_each_side),
		cmocka_unit_test(test_device_memory_of_one_side),
		cmocka_unit_test(test_null_memory),
		cmocka_unit_test(test_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
