/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Device profiles: each case has the profiles of two devices, softhca0 and softhca1, and runs in a
 * process of its own. A program runs all its cases, or the one that its argument names.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "t_profile.h"

#define IB "link_layer = infiniband\ngrh_required = no\nlid = 16\n"

static void by_lid(void **state)
{
	struct ibv_wc wc;

	(void)state;
	connected(IBV_QPT_RC, false, IBV_WC_SUCCESS);
	connected(IBV_QPT_RC, true, IBV_WC_SUCCESS);
	assert_true(datagram(false, &wc));
	assert_int_equal(wc.slid, 16);
	assert_false(wc.wc_flags & IBV_WC_GRH);
	assert_int_equal(wc.byte_len, 64 + 40);
	assert_true(datagram(true, &wc));
	assert_true(wc.wc_flags & IBV_WC_GRH);
}

static void needs_grh(void **state)
{
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;
	struct end a, b;

	(void)state;
	set_up(&a, 0);
	set_up(&b, 1);
	make_qp(&a, IBV_QPT_RC);
	make_qp(&b, IBV_QPT_RC);
	assert_int_equal(to_init(&a), 0);
	assert_int_equal(to_rtr(&a, &b, false), EINVAL);
	assert_int_equal(to_rtr(&a, &b, true), 0);
	attr = path(&a, &b, false);
	assert_null(ibv_create_ah(a.pd, &attr));
	assert_int_equal(errno, EINVAL);
	attr.is_global = 1;
	ah = ibv_create_ah(a.pd, &attr);
	assert_non_null(ah);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	unpair(&a, &b);
	connected(IBV_QPT_RC, true, IBV_WC_SUCCESS);
}

static void other_subnet(void **state)
{
	struct ibv_wc wc;

	(void)state;
	connected(IBV_QPT_RC, false, IBV_WC_RETRY_EXC_ERR);
	connected(IBV_QPT_RC, true, IBV_WC_SUCCESS);
	assert_false(datagram(false, &wc));
	assert_true(datagram(true, &wc));
}

/* Index 0: the same full P_Key on both; 1: limited on both; 2: full on one side; 3: another one. */
static void partitions(void **state)
{
	static const enum ibv_wc_status want[] = {
		IBV_WC_SUCCESS, IBV_WC_RETRY_EXC_ERR, IBV_WC_SUCCESS, IBV_WC_RETRY_EXC_ERR,
	};
	struct ibv_port_attr port;
	struct end a, b;
	__be16 pkey;

	(void)state;
	for (uint16_t i = 0; i < 4; i++) {
		set_up(&a, 0);
		set_up(&b, 1);
		a.pkey_index = b.pkey_index = i;
		bring_up(&a, &b, IBV_QPT_RC, false);
		send_once(&a, &b, 64, want[i]);
		assert_int_equal(ibv_query_port(b.ctx, 1, &port), 0);
		assert_true((port.bad_pkey_cntr > b.port.bad_pkey_cntr) ==
			    (want[i] != IBV_WC_SUCCESS));
		unpair(&a, &b);
	}
	set_up(&a, 0);
	make_qp(&a, IBV_QPT_RC);
	assert_int_equal(a.port.pkey_tbl_len, 6);
	assert_int_equal(ibv_query_pkey(a.ctx, 1, 2, &pkey), 0);
	assert_int_equal(be16toh(pkey), 0x8002);
	assert_int_equal(ibv_query_pkey(a.ctx, 1, 5, &pkey), 0);
	assert_int_equal(pkey, 0);
	assert_int_equal(ibv_query_pkey(a.ctx, 1, 6, &pkey), -1);
	assert_int_equal(ibv_get_pkey_index(a.ctx, 1, htobe16(0x8002)), 2);
	a.pkey_index = 6;
	assert_int_equal(to_init(&a), EINVAL);
	tear_down(&a);
}

static void unlike_links(void **state)
{
	struct ibv_wc wc;

	(void)state;
	connected(IBV_QPT_RC, true, IBV_WC_RETRY_EXC_ERR);
	assert_false(datagram(true, &wc));
}

/* The GIDs of softhca0 at these indices, to the same of softhca1. */
static void gid_types(void **state)
{
	static const struct {
		uint8_t from, to;
		enum ibv_wc_status status;
	} cases[] = {
		{ 0, 0, IBV_WC_SUCCESS }, { 0, 1, IBV_WC_RETRY_EXC_ERR },
		{ 1, 1, IBV_WC_SUCCESS }, { 1, 2, IBV_WC_RETRY_EXC_ERR },
		{ 2, 2, IBV_WC_SUCCESS },
	};
	struct ibv_gid_entry e[8];
	struct end a, b;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(&a, 0);
		set_up(&b, 1);
		a.sgid_index = cases[i].from;
		b.sgid_index = cases[i].to;
		assert_int_equal(ibv_query_gid(a.ctx, 1, a.sgid_index, &a.gid), 0);
		assert_int_equal(ibv_query_gid(b.ctx, 1, b.sgid_index, &b.gid), 0);
		bring_up(&a, &b, IBV_QPT_RC, true);
		send_once(&a, &b, 64, cases[i].status);
		unpair(&a, &b);
	}
	set_up(&a, 0);
	assert_int_equal(a.port.gid_tbl_len, 8);
	assert_int_equal(ibv_query_gid_table(a.ctx, e, 8, 0), 3);
	assert_int_equal(e[0].gid_type, IBV_GID_TYPE_ROCE_V1);
	assert_int_equal(e[1].gid_type, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(ibv_query_gid_ex(a.ctx, 1, 3, &e[0], 0), ENODATA);
	assert_int_equal(ibv_query_gid_ex(a.ctx, 1, 8, &e[0], 0), EINVAL);
	tear_down(&a);
}

static void mtu(void **state)
{
	struct end a, b;

	(void)state;
	/* a packet of 4096 bytes is dropped at the port of 1024 */
	set_up(&a, 0);
	set_up(&b, 1);
	assert_int_equal(a.mtu, IBV_MTU_4096);
	assert_int_equal(b.mtu, IBV_MTU_1024);
	bring_up(&a, &b, IBV_QPT_RC, true);
	send_once(&a, &b, 1024, IBV_WC_SUCCESS);
	send_once(&a, &b, 1025, IBV_WC_RETRY_EXC_ERR);
	unpair(&a, &b);
	/* unlike path MTUs that both ports have: an invalid request */
	set_up(&a, 0);
	set_up(&b, 1);
	a.mtu = IBV_MTU_1024;
	b.mtu = IBV_MTU_512;
	bring_up(&a, &b, IBV_QPT_RC, true);
	send_once(&a, &b, 512, IBV_WC_SUCCESS);
	send_once(&a, &b, 1024, IBV_WC_REM_INV_REQ_ERR);
	unpair(&a, &b);
	set_up(&b, 1);
	make_qp(&b, IBV_QPT_RC);
	assert_int_equal(to_init(&b), 0);
	b.mtu = IBV_MTU_4096;
	assert_int_equal(to_rtr(&b, &b, true), EINVAL);
	tear_down(&b);
}

static void refuses_qp(struct end *e, enum ibv_qp_type type, int error)
{
	struct ibv_qp_init_attr attr = { .qp_type = type, .cap = { 8, 8, 1, 1, 0 } };

	assert_null(make(e, &attr));
	assert_int_equal(errno, error);
}

static void opcodes(void **state)
{
	static const enum ibv_wr_opcode has[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE,
						  IBV_WR_RDMA_READ },
	hasnt[] = { IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_ATOMIC_FETCH_AND_ADD,
		    IBV_WR_ATOMIC_CMP_AND_SWP };
	struct ibv_device_attr_ex dev;
	struct ibv_send_wr wr;
	struct end a, b;

	(void)state;
	pair(&a, &b, IBV_QPT_RC, true);
	refuses_qp(&a, IBV_QPT_UC, EOPNOTSUPP);
	refuses_qp(&b, IBV_QPT_UC, EINVAL);
	assert_int_equal(ibv_query_device_ex(a.ctx, NULL, &dev), 0);
	assert_int_equal(dev.orig_attr.atomic_cap, IBV_ATOMIC_NONE);
	assert_false(dev.device_cap_flags_ex & IBV_DEVICE_XRC);
	assert_false(dev.device_cap_flags_ex >> 38); /* annex A19 */
	for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++) {
		wr = request(has[i]);
		wr.wr.rdma.remote_addr = (uintptr_t)b.buf;
		wr.wr.rdma.rkey = b.mr->rkey;
		post_recv(&b);
		assert_int_equal(post(&a, &wr, 8), 0);
		t_expect(a.cq, IBV_WC_SUCCESS);
	}
	for (size_t i = 0; i < sizeof(hasnt) / sizeof(hasnt[0]); i++) {
		wr = request(hasnt[i]);
		assert_int_equal(post(&a, &wr, 8), EINVAL);
	}
	t_none(a.cq);
	unpair(&a, &b);
}

static void opcodes_of_wr(void **state)
{
	struct ibv_qp_ex *ex;
	struct end a;

	(void)state;
	set_up(&a, 0);
	assert_int_equal(wr_qp(&a, IBV_QP_EX_WITH_SEND_WITH_IMM, &ex), EOPNOTSUPP);
	assert_int_equal(wr_qp(&a, 1 << 12 /* with ATOMIC_WRITE */, &ex), EOPNOTSUPP);
	assert_int_equal(wr_qp(&a, 1 << 11 /* with FLUSH */, &ex), EOPNOTSUPP);
	assert_int_equal(wr_qp(&a, IBV_QP_EX_WITH_SEND, &ex), 0);
	tear_down(&a);
	set_up(&a, 1);
	assert_int_equal(wr_qp(&a, IBV_QP_EX_WITH_SEND, &ex), EOPNOTSUPP);
	tear_down(&a);
}

/* The functions that a driver may lack. */
static void missing(void **state)
{
	struct ibv_td_init_attr td = { .comp_mask = 0 };
	struct ibv_cq_init_attr_ex cq = { .cqe = 8 };
	struct ibv_parent_domain_init_attr parent = { .comp_mask = 0 };
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_device_attr dev;
	union ibv_gid group = { .raw = { 0xff } };
	struct end a;

	(void)state;
	set_up(&a, 0);
	parent.pd = a.pd;
	assert_null(ibv_alloc_td(a.ctx, &td));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_alloc_parent_domain(a.ctx, &parent));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_create_cq_ex(a.ctx, &cq));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_create_srq(a.pd, &srq));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_alloc_mw(a.pd, IBV_MW_TYPE_1));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_reg_dmabuf_mr(a.pd, 0, 64, 0, -1, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_resize_cq(a.cq, 128), EOPNOTSUPP);
	assert_int_equal(ibv_query_device(a.ctx, &dev), 0);
	assert_int_equal(dev.max_srq, 0);
	assert_int_equal(dev.max_mw, 0);
	assert_int_equal(a.ctx->num_comp_vectors, 3);
	assert_null(ibv_create_cq(a.ctx, 8, NULL, NULL, 3));
	make_qp(&a, IBV_QPT_UD);
	assert_int_equal(ibv_attach_mcast(a.qp, &group, 0), EOPNOTSUPP);
	tear_down(&a);
}

/*
 * The numbers of ConnectX: 32768 blocks of 64 bytes; a request of RC takes 192 bytes and its SGEs
 * (providers/mlx5/verbs.c, mlx5_calc_sq_size).
 */
static void blocks(void **state)
{
	static const struct {
		struct ibv_qp_cap cap;
		uint32_t wr, inline_bytes; /* granted; 0: refused */
	} cases[] = {
		{ { 128, 8, 1, 1, 0 }, 128, 60 },     /* 208 -> 256 bytes */
		{ { 100, 8, 1, 1, 0 }, 128, 60 },     /* 25600 -> 32768 bytes */
		{ { 8192, 8, 1, 1, 0 }, 8192, 60 },
		{ { 8193, 8, 1, 1, 0 }, 0, 0 },
		{ { 4096, 8, 1, 1, 256 }, 4096, 316 }, /* 192 + 272 -> 512 bytes */
		{ { 4097, 8, 1, 1, 256 }, 0, 0 },
		{ { 16, 8, 1, 1, 828 }, 16, 828 },     /* 192 + 832 = 1024 bytes */
		{ { 16, 8, 1, 1, 829 }, 0, 0 },
		{ { 16, 8, 30, 1, 0 }, 23, 508 },      /* 672 -> 704 bytes, 11264 -> 16384 bytes */
		{ { 16, 8, 31, 1, 0 }, 0, 0 },
		{ { 16, 8, 0, 1, 0 }, 21, 0 },         /* 192 bytes, 3072 -> 4096 bytes */
	};
	struct end a;

	(void)state;
	set_up(&a, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = cases[i].cap };
		struct ibv_qp *qp = make(&a, &attr);

		if (!cases[i].wr) {
			assert_null(qp);
			assert_int_equal(errno, EINVAL);
			continue;
		}
		assert_non_null(qp);
		assert_int_equal(attr.cap.max_send_wr, cases[i].wr);
		assert_int_equal(attr.cap.max_inline_data, cases[i].inline_bytes);
		assert_int_equal(ibv_destroy_qp(qp), 0);
	}
	tear_down(&a);
}

/* softhca0 grants less inline and rounds up; softhca1 takes all and copies nothing. */
static void inline_modes(void **state)
{
	const struct ibv_qp_cap cap = { 100, 60, 1, 1, 500 };
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE);
	struct ibv_qp_cap got;
	struct end a, b;

	(void)state;
	set_up(&a, 0);
	set_up(&b, 1);
	got = granted(&a, cap);
	assert_int_equal(got.max_inline_data, 96);
	assert_int_equal(got.max_send_wr, 128);
	assert_int_equal(got.max_recv_wr, 64);
	got = granted(&b, cap);
	assert_int_equal(got.max_inline_data, 500);
	assert_int_equal(got.max_send_wr, 100);
	assert_int_equal(to_init(&a) | to_init(&b), 0);
	assert_int_equal(to_rtr(&a, &b, true) | to_rtr(&b, &a, true), 0);
	assert_int_equal(to_rts(&a) | to_rts(&b), 0);
	wr.send_flags |= IBV_SEND_INLINE;
	wr.wr.rdma.remote_addr = (uintptr_t)b.buf;
	wr.wr.rdma.rkey = b.mr->rkey;
	assert_int_equal(post(&a, &wr, 97), EINVAL);
	assert_int_equal(post(&a, &wr, 96), 0);
	t_expect(a.cq, IBV_WC_SUCCESS);
	/* it is no inline request: the key is read */
	wr.wr.rdma.remote_addr = (uintptr_t)a.buf;
	wr.wr.rdma.rkey = a.mr->rkey;
	b.mr->lkey ^= 0xff00;
	assert_int_equal(post(&b, &wr, 4000), 0);
	t_expect(b.cq, IBV_WC_LOC_PROT_ERR);
	b.mr->lkey ^= 0xff00;
	unpair(&a, &b);
}

static void signals_all(void **state)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND);
	struct end a, b;

	(void)state;
	pair(&a, &b, IBV_QPT_RC, true);
	wr.send_flags = 0;
	assert_int_equal(post(&a, &wr, 8), EINVAL);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	assert_int_equal(post(&a, &wr, 8), EINVAL);
	send_once(&a, &b, 8, IBV_WC_SUCCESS);
	unpair(&a, &b);
}

static void speeds(void **state)
{
	const size_t wide_at = offsetof(struct ibv_port_attr, port_cap_flags2) + sizeof(uint32_t);
	struct {
		struct ibv_port_attr attr;
		uint32_t more[4];
	} port = { .more = { 0 } };
	/* of rdma-core 62; the libibverbs at hand may not have it */
	int (*port_speed)(struct ibv_context *, uint32_t, uint64_t *);
	struct ibv_device_attr dev;
	uint64_t speed;
	uint32_t wide;
	struct end a;

	(void)state;
	*(void **)&port_speed = dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	assert_non_null(port_speed);
	set_up(&a, 1);
	assert_int_equal(port_speed(a.ctx, 1, &speed), 0);
	assert_int_equal(speed, 2000); /* of 100 Mbit/s */
	assert_int_equal(port_speed(a.ctx, 2, &speed), EINVAL);
	tear_down(&a);
	set_up(&a, 0);
	assert_int_equal(port_speed(a.ctx, 1, &speed), 0);
	assert_int_equal(speed, 8000);
	assert_int_equal(a.port.active_width, 2);
	assert_int_equal(a.port.active_speed, 128);
	assert_int_equal(a.port.max_msg_sz, 0);
	assert_int_equal(a.port.sm_lid, 3);
	assert_int_equal(a.port.link_layer, IBV_LINK_LAYER_INFINIBAND);
	/* as a program whose headers have active_speed_ex: after the last member of older ones */
	assert_int_equal(verbs_get_ctx(a.ctx)->query_port(a.ctx, 1, &port.attr, sizeof(port)), 0);
	memcpy(&wide, (char *)&port + wide_at, sizeof(wide));
	assert_int_equal(wide, 256);
	assert_int_equal(ibv_query_device(a.ctx, &dev), 0);
	assert_int_equal(dev.vendor_id, 0x2c9);
	assert_int_equal(dev.vendor_part_id, 4131);
	assert_string_equal(dev.fw_ver, "emulated 0 link as fast as memory firmware=40.44.1036");
	make_qp(&a, IBV_QPT_RC);
	tear_down(&a);
}

static void slow_qps(void **state)
{
	struct end a;
	double begun;

	(void)state;
	set_up(&a, 0);
	begun = t_now();
	make_qp(&a, IBV_QPT_RC);
	assert_true(t_now() - begun >= 0.02);
	begun = t_now();
	assert_int_equal(ibv_destroy_qp(a.qp), 0);
	assert_true(t_now() - begun >= 0.01);
	a.qp = NULL;
	tear_down(&a);
}

/* Two contexts have all that the device has; what fails for another reason takes nothing. */
static void shared_limits(void **state)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	struct end a, b;

	(void)state;
	set_up(&a, 0);
	make_qp(&a, IBV_QPT_RC);
	assert_null(ibv_create_cq(a.ctx, 0, NULL, NULL, 0));
	assert_null(ibv_reg_mr(a.pd, a.buf, 1, IBV_ACCESS_REMOTE_WRITE));
	for (int i = 0; i < 2; i++) {
		set_up(&b, 0);
		make_qp(&b, IBV_QPT_RC);
		assert_null(ibv_alloc_pd(a.ctx));
		assert_null(ibv_create_cq(a.ctx, 1, NULL, NULL, 0));
		assert_null(ibv_reg_mr(a.pd, a.buf, 1, 0));
		assert_null(make(&b, &attr));
		assert_int_equal(errno, ENOMEM);
		tear_down(&b);
	}
	tear_down(&a);
}

static void memlock(void **state)
{
	struct ibv_qp_init_attr big = { .qp_type = IBV_QPT_RC, .cap = { 4096, 8, 1, 1, 0 } };
	struct rlimit limit = { 65536, 65536 };
	struct end a;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	drop_ipc_lock();
	set_up(&a, 0);
	assert_null(make(&a, &big));
	assert_int_equal(errno, ENOMEM);
	assert_null(ibv_create_cq(a.ctx, 4096, NULL, NULL, 0));
	assert_int_equal(errno, ENOMEM);
	/* what was refused is not charged, and what is destroyed is given back */
	for (int i = 0; i < 100; i++) {
		make_qp(&a, IBV_QPT_RC);
		assert_int_equal(ibv_destroy_qp(a.qp), 0);
	}
	a.qp = NULL;
	tear_down(&a);
}

/* Without a subnet manager there is no LID, and no message gets out. */
static void waits_for_sm(void **state)
{
	struct end a, b;

	(void)state;
	pair(&a, &b, IBV_QPT_RC, true);
	assert_int_equal(a.port.state, IBV_PORT_INIT);
	assert_int_equal(a.port.lid, 0);
	assert_int_equal(a.port.sm_lid, 0);
	send_once(&a, &b, 64, IBV_WC_RETRY_EXC_ERR);
	unpair(&a, &b);
}

/* What a line of the profile after "# says: " has. */
static void expected_message(char *text, size_t size)
{
	FILE *f = fopen(getenv("SOFTHCA_PROFILE_0"), "re");
	char *says = NULL;

	assert_non_null(f);
	while (!says && fgets(text, (int)size, f))
		says = strstr(text, "# says: ");
	fclose(f);
	assert_non_null(says);
	says += strlen("# says: ");
	says[strcspn(says, "\n")] = '\0';
	memmove(text, says, strlen(says) + 1);
}

/* The process has no emulated device, and a message has the line, the value and what is allowed. */
static void invalid(void **state)
{
	char said[4096] = "", expected[256];
	const int screen = dup(STDERR_FILENO);
	struct ibv_device **list;
	FILE *messages = tmpfile();
	int n = -1;

	(void)state;
	expected_message(expected, sizeof(expected));
	assert_non_null(messages);
	assert_true(dup2(fileno(messages), STDERR_FILENO) >= 0);
	list = ibv_get_device_list(&n);
	assert_true(dup2(screen, STDERR_FILENO) >= 0);
	close(screen);
	assert_non_null(list);
	for (int i = 0; i < n; i++)
		assert_int_not_equal(strncmp(ibv_get_device_name(list[i]), "softhca", 7), 0);
	ibv_free_device_list(list);
	rewind(messages);
	assert_true(fread(said, 1, sizeof(said) - 1, messages) > 0);
	fclose(messages);
	if (!strstr(said, expected))
		fail_msg("'%s' says no '%s'", said, expected);
}

#define LACKS \
	"thread_domain = no\nparent_domain = no\nextended_cq = no\nsrq = no\nmw = no\n" \
	"resize_cq = no\ndmabuf = no\nvectors = 3\nmax_mcast_grp = 0\nxrc = none\n"

static const struct profile_case cases[] = {
	{ "InfiniBand by LID", by_lid, { IB, NULL } },
	{ "GRH required", needs_grh,
	  { "link_layer = infiniband\nlid = 16\ngrh_required = yes\n", NULL } },
	{ "two subnets", other_subnet, { IB, IB "subnet_prefix = 0xfec0000000000001\n" } },
	{ "partitions", partitions,
	  { IB "pkeys = 0xffff, 0x7fff, 0x8002, 0x8003\npkey_tbl_len = 6\n",
	    IB "pkeys = 0xffff, 0x7fff, 0x0002, 0x8004\n" } },
	{ "InfiniBand and Ethernet", unlike_links, { IB "gid = ib ::ffff:198.18.0.1\n", "" } },
	{ "types of GIDs and VLANs", gid_types,
	  { "gid = roce_v1 {ll}\ngid = roce_v2 {ip4}\ngid = roce_v2 {ip6} vlan=7\n"
	    "gid_tbl_len = 8\n", NULL } },
	{ "unlike MTUs", mtu, { "", "max_mtu = 2048\nactive_mtu = 1024\n" } },
	{ "opcodes", opcodes,
	  { "rc = send, write, read\nuc = none\nud = none\nxrc = none\natomics = none\n",
	    "uc = none\nqp_type_errno = EINVAL\n" } },
	{ "opcodes of ibv_wr_*", opcodes_of_wr,
	  { "rc = send, write, read\n", "wr_api = no\n" } },
	{ "functions that a driver lacks", missing, { LACKS, NULL } },
	{ "queues of blocks", blocks,
	  { "wqe_block = 64\nwqe_sq_bytes = 1024\nwqe_head_rc = 192\nmax_sge = 30\n", NULL } },
	{ "inline less and ignored", inline_modes,
	  { "max_inline = 96\ninline_mode = less\nround = pow2\n", "inline_mode = ignore\n" } },
	{ "every request signalled", signals_all,
	  { "signal_all = yes\nsend_flags = signaled, inline\n", NULL } },
	{ "speeds", speeds,
	  { IB "active_width = 2\nactive_speed_ex = 256\nmax_msg_bytes = 0\nsm_lid = 3\n"
	    "vendor_id = 0x2c9\nvendor_part_id = 4131\nfirmware = 40.44.1036\n",
	    "active_width = 2\nactive_speed = 32\nlag_rate = 200000\n" } },
	{ "slow creation of QPs", slow_qps,
	  { "qp_create_time = 20ms\nqp_destroy_time = 10ms\n", NULL } },
	{ "limits of all contexts", shared_limits,
	  { "max_qp = 2\nmax_cq = 2\nmax_mr = 2\nmax_pd = 2\n", NULL } },
	{ "memlock of queues", memlock, { "memlock_queues = yes\n", NULL } },
	{ "an unknown key", invalid,
	  { "nosuch = 1\n# says: line 1: there is no key 'nosuch'\n", NULL } },
	{ "a value out of range", invalid,
	  { "\nmax_sge = 4000\n# says: line 2: max_sge = 4000: must be a number from 1 to 32\n",
	    NULL } },
	{ "more behind the VLAN of a GID", invalid,
	  { "gid = roce_v2 {ll} vlan=7x\n# says: gid = roce_v2 {ll} vlan=7x: must be TYPE ADDRESS\n",
	    NULL } },
	{ "more behind a GID", invalid,
	  { "gid = roce_v2 {ll} vlan=7 8\n# says: gid = roce_v2 {ll} vlan=7 8: must be TYPE\n",
	    NULL } },
	{ "a GID beside an empty table", invalid,
	  { "gid = none\ngid = ib {ll}\n# says: line 2: gid = ib {ll}: must be TYPE\n", NULL } },
	{ "a counter of what is not counted", invalid,
	  { "counter = ecn 5\n# says: line 1: counter = ecn 5: must be NAME [WORD...]\n", NULL } },
	{ "an octal P_Key", invalid,
	  { "pkeys = 0xffff, 0101\n# says: must be none, or up to 16 numbers\n", NULL } },
	{ "a LID that leaves no room for the others", invalid,
	  { "lid = 0xbfff\n# says: lid = 0xbfff: must be a number from 0 to 49136\n", NULL } },
	{ "a port in INIT carries nothing", waits_for_sm,
	  { IB "port_state = init\nsm_lid = 7\n", IB } },
};

int main(int argc, char **argv)
{
	return run_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
