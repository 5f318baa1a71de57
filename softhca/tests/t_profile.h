/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * For cases that need profiles: two QPs, of softhca0 and softhca1, each device with a profile. Each
 * case runs in a process of its own.
 */
#ifndef T_PROFILE_H
#define T_PROFILE_H

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t_env.h"

#define BYTES 8192

/* A QP of one of the devices. */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;
	struct ibv_port_attr port;
	union ibv_gid gid;
	uint8_t sgid_index;
	uint16_t pkey_index;
	enum ibv_mtu mtu;
};

static inline struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	assert_non_null(list);
	for (int i = 0; list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!ctx)
		fail_msg("there is no %s", name);
	return ctx;
}

static inline void set_up(struct end *e, int dev)
{
	*e = (struct end) { .ctx = open_device(dev ? "softhca1" : "softhca0") };
	e->pd = ibv_alloc_pd(e->ctx);
	assert_non_null(e->pd);
	assert_int_equal(ibv_query_port(e->ctx, 1, &e->port), 0);
	assert_int_equal(ibv_query_gid(e->ctx, 1, 0, &e->gid), 0);
	e->mtu = e->port.active_mtu;
	e->buf = calloc(1, BYTES);
	e->mr = ibv_reg_mr(e->pd, e->buf, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	assert_non_null(e->mr);
	e->cq = ibv_create_cq(e->ctx, 64, NULL, NULL, 0);
	assert_non_null(e->cq);
}

static inline void tear_down(struct end *e)
{
	if (e->qp)
		assert_int_equal(ibv_destroy_qp(e->qp), 0);
	assert_int_equal(ibv_destroy_cq(e->cq), 0);
	assert_int_equal(ibv_dereg_mr(e->mr), 0);
	assert_int_equal(ibv_dealloc_pd(e->pd), 0);
	assert_int_equal(ibv_close_device(e->ctx), 0);
	free(e->buf);
}

static inline struct ibv_qp *make(struct end *e, struct ibv_qp_init_attr *attr)
{
	attr->send_cq = attr->recv_cq = e->cq;
	return ibv_create_qp(e->pd, attr);
}

static inline void make_qp(struct end *e, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = { .qp_type = type, .cap = { 8, 8, 1, 1, 0 } };

	e->qp = make(e, &attr);
	if (!e->qp)
		fail_msg("ibv_create_qp: %s", strerror(errno));
}

static inline int wr_qp(struct end *e, uint64_t ops, struct ibv_qp_ex **ex)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = e->cq, .recv_cq = e->cq, .cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_RC, .pd = e->pd, .send_ops_flags = ops,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
	};

	e->qp = ibv_create_qp_ex(e->ctx, &attr);
	if (!e->qp)
		return errno;
	*ex = ibv_qp_to_qp_ex(e->qp);
	return 0;
}

static inline struct ibv_qp_cap granted(struct end *e, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = cap };

	e->qp = make(e, &attr);
	assert_non_null(e->qp);
	return attr.cap;
}

static inline struct ibv_ah_attr path(const struct end *from, const struct end *to, bool grh)
{
	return (struct ibv_ah_attr) {
		.is_global = grh, .port_num = 1, .dlid = to->port.lid,
		.grh = { .dgid = to->gid, .sgid_index = from->sgid_index, .hop_limit = 64 },
	};
}

static inline int to_init(struct end *e)
{
	const bool ud = e->qp->qp_type == IBV_QPT_UD;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = e->pkey_index, .qkey = 7,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	return ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static inline int to_rtr(struct end *e, const struct end *to, bool grh)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = e->mtu, .dest_qp_num = to->qp->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1, .ah_attr = path(e, to, grh),
	};
	int mask = IBV_QP_STATE;

	if (e->qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (e->qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(e->qp, &a, mask);
}

static inline int to_rts(struct end *e)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .timeout = 8, .retry_cnt = 1, .rnr_retry = 1,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (e->qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(e->qp, &a, mask);
}

static inline void bring_up(struct end *a, struct end *b, enum ibv_qp_type type, bool grh)
{
	make_qp(a, type);
	make_qp(b, type);
	assert_int_equal(to_init(a), 0);
	assert_int_equal(to_init(b), 0);
	assert_int_equal(to_rtr(a, b, grh), 0);
	assert_int_equal(to_rtr(b, a, grh), 0);
	assert_int_equal(to_rts(a), 0);
	assert_int_equal(to_rts(b), 0);
}

static inline struct ibv_send_wr request(enum ibv_wr_opcode op)
{
	return (struct ibv_send_wr) {
		.num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
	};
}

static inline int post(struct end *e, struct ibv_send_wr *wr, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, len, e->mr->lkey };
	struct ibv_send_wr *bad;

	wr->sg_list = &sge;
	return ibv_post_send(e->qp, wr, &bad);
}

static inline void post_recv(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, BYTES, e->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(e->qp, &wr, &bad), 0);
}

/* One SEND from a to b. */
static inline void send_once(struct end *a, struct end *b, uint32_t len, enum ibv_wc_status status)
{
	struct ibv_send_wr wr = request(IBV_WR_SEND);

	post_recv(b);
	assert_int_equal(post(a, &wr, len), 0);
	t_expect(a->cq, status);
	if (status == IBV_WC_SUCCESS)
		t_expect(b->cq, IBV_WC_SUCCESS);
}

static inline void pair(struct end *a, struct end *b, enum ibv_qp_type type, bool grh)
{
	set_up(a, 0);
	set_up(b, 1);
	bring_up(a, b, type, grh);
}

static inline void unpair(struct end *a, struct end *b)
{
	tear_down(a);
	tear_down(b);
}

static inline void connected(enum ibv_qp_type type, bool grh, enum ibv_wc_status status)
{
	struct end a, b;

	pair(&a, &b, type, grh);
	send_once(&a, &b, 64, status);
	unpair(&a, &b);
}

/* UD: true if the message arrives. */
static inline bool datagram(bool grh, struct ibv_wc *wc)
{
	struct end a, b;
	struct ibv_send_wr wr = request(IBV_WR_SEND);
	struct ibv_ah_attr to;
	double end;
	int n;

	pair(&a, &b, IBV_QPT_UD, grh);
	to = path(&a, &b, grh);
	wr.wr.ud.ah = ibv_create_ah(a.pd, &to);
	assert_non_null(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = b.qp->qp_num;
	wr.wr.ud.remote_qkey = 7;
	post_recv(&b);
	assert_int_equal(post(&a, &wr, 64), 0);
	t_expect(a.cq, IBV_WC_SUCCESS);
	end = t_now() + 0.05;
	do
		n = ibv_poll_cq(b.cq, 1, wc);
	while (!n && t_now() < end);
	assert_int_equal(ibv_destroy_ah(wr.wr.ud.ah), 0);
	unpair(&a, &b);
	return n == 1;
}

/* As a user who may not lock all memory. */
static inline void drop_ipc_lock(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { { .effective = 0 } };

	assert_int_equal(syscall(SYS_capget, &head, caps), 0);
	caps[0].effective &= ~(1u << CAP_IPC_LOCK);
	assert_int_equal(syscall(SYS_capset, &head, caps), 0);
}

struct profile_case {
	const char *name;
	CMUnitTestFunction run;
	const char *profile[2]; /* of softhca0 and softhca1; NULL: as softhca0 */
};

static inline void write_profile(const char *dir, int dev, const char *text)
{
	char path[128], name[32];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", dir, dev);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(3);
	snprintf(name, sizeof(name), "SOFTHCA_PROFILE_%d", dev);
	setenv(name, path, 1);
}

static inline int run_apart(const struct profile_case *c, const char *dir, const char *program)
{
	const struct t_case one = { c->name, c->run, { NULL } };

	for (int dev = 0; dev < 2; dev++)
		write_profile(dir, dev, c->profile[dev] ? c->profile[dev] : c->profile[0]);
	return t_case_apart(&one, program);
}

static inline int run_all(const struct profile_case *cases, size_t n, const char *program)
{
	char dir[] = "/tmp/soft_profile.XXXXXX", path[64];
	int failed = 0;

	if (!mkdtemp(dir) || setenv("SOFTHCA_DEVICES", "2", 1))
		return 3;
	for (size_t i = 0; i < n; i++)
		failed |= run_apart(&cases[i], dir, program);
	for (int dev = 0; dev < 2; dev++) {
		snprintf(path, sizeof(path), "%s/%d", dir, dev);
		unlink(path);
	}
	rmdir(dir);
	return failed;
}

/* All cases, or the one that argv names: t_case_apart() starts the program again with its name. */
static inline int run_cases(const struct profile_case *cases, size_t n, int argc, char **argv)
{
	if (argc < 2)
		return run_all(cases, n, argv[0]);
	for (size_t i = 0; i < n; i++) {
		const struct t_case one = { cases[i].name, cases[i].run, { NULL } };

		if (!strcmp(argv[1], cases[i].name))
			return t_case_here(&one);
	}
	return 2;
}

#endif
