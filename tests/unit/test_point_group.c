/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * point/point_group: a side joins its multicast group, by rdma_cm in memory or
 * without, and the sender sends probes until each of two receivers has got one. The QPs are in
 * memory, the connections are sockets; poll() is this program's own.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "options/mcast.h"
#include "wire/proto.h"
#include "point/point.h"
#include "util/err.h"

#define PEERS 2u
#define PEER_QPN 77u
#define LONG_MS 10000u /* and less than the age of the clock */
#define SHORT_MS 200u
#define GRH 40u
#define MGID "::ffff:239.1.2.3"

/* ---- a side of a group, in memory */

static struct {
	struct ctl ctls[PEERS];
	struct ctl *list[PEERS];
	struct ctl theirs[PEERS];
	struct peers peers;
	struct plan plan;
	struct dev dev;
	struct ibv_context ctx;
	struct ibv_device device;
	struct ibv_qp qp, *qps[1];
	struct ibv_cq cq;
	struct ibv_send_wr credit_wr;
	struct ibv_recv_wr ring[4];
	struct send_queue sq;
	struct recv_queue rq;
	struct peer peer;
	struct worker_run run;
	struct point_thread thread;
	struct ep_qp_id id;
	struct point_in in;
	struct point_state state;
	uint32_t sent[8], n_sent;   /* numbers of the probes */
	void (*probed)(uint32_t n); /* probe n has gone out */
	uint32_t came[8], n_came;   /* what each poll for probes gives */
	uint32_t reposted;
	/* rdma_cm */
	struct rdma_event_channel channel;
	struct rdma_cm_id id_cm;
	struct rdma_cm_event event;
	bool joins, joined, left;
	struct ibv_qp *attached;
	union ibv_gid attached_to;
} f;

static int post_credit(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)bad;
	assert_ptr_equal(qp, &f.qp);
	assert_true(f.n_sent < 8);
	f.sent[f.n_sent] = ntohl(wr->imm_data);
	if (f.probed)
		f.probed(f.n_sent);
	f.n_sent++;
	return 0;
}

static int poll_sent(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	*wc = (struct ibv_wc){ .status = IBV_WC_SUCCESS };
	return 1;
}

/* Probes of the sender. */
static int poll_came(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	const uint32_t came = f.n_came < 8 ? f.came[f.n_came++] : 0;

	(void)cq;
	assert_true((uint32_t)n >= came);
	for (uint32_t i = 0; i < came; i++)
		wc[i] = (struct ibv_wc){ .byte_len = GRH, .src_qp = PEER_QPN };
	return (int)came;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	(void)qp;
	(void)bad;
	for (; wr; wr = wr->next)
		f.reposted++;
	return 0;
}

static void open_peers(void)
{
	const struct ctl closed = CTL_CLOSED;

	for (uint32_t i = 0; i < PEERS; i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
		f.ctls[i] = f.theirs[i] = closed;
		f.ctls[i].fd = fds[0];
		f.theirs[i].fd = fds[1];
		snprintf(f.ctls[i].peer, sizeof(f.ctls[i].peer), "node%u", i + 2);
		f.list[i] = &f.ctls[i];
	}
	f.peers = (struct peers){ .ctl = f.list, .n = PEERS };
}

static void open_worker(void)
{
	f.ctx.ops.post_recv = post_recv;
	f.qp.context = &f.ctx;
	f.qp.qp_num = 0x1234;
	f.qps[0] = &f.qp;
	f.sq.qp = &f.qp;
	f.peer = (struct peer){ .sq = &f.sq, .rq = &f.rq, .credit_wr = &f.credit_wr };
	f.rq = (struct recv_queue){ .qp = &f.qp, .ring = f.ring, .slots = 4, .peer = &f.peer };
	for (uint32_t i = 0; i < 4; i++)
		f.ring[i].next = &f.ring[(i + 1) % 4];
	f.run.worker.fixed.peers = &f.peer;
	f.run.worker.fixed.rqs = &f.rq;
	f.run.worker.fixed.scq = f.run.worker.fixed.rcq = &f.cq;
	f.run.worker.fixed.post_credit = post_credit;
	f.run.worker.fixed.poll_sent = poll_sent;
	f.run.worker.fixed.poll_came = poll_came;
	f.run.worker.fixed.credit_bytes = GRH;
	f.run.worker.fixed.n_qps = 1;
}

static int open_side(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	open_peers();
	open_worker();
	f.device = (struct ibv_device){ .name = "dev0" };
	f.ctx.device = &f.device;
	f.dev.ctx = &f.ctx;
	f.dev.limits = (struct limits){ .port = 1, .ethernet = true, .n_gids = 1, .device = "dev0",
					.gids = { { .type = GID_ROCE_V2,
						    .raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 } } } };
	f.plan.stall_timeout_ms = LONG_MS;
	snprintf(f.plan.path.mcast, sizeof(f.plan.path.mcast), "239.1.2.3");
	snprintf(f.plan.path.mgid, sizeof(f.plan.path.mgid), "%s", MGID);
	f.id.qpn = PEER_QPN;
	f.thread.peer = (struct ep_addr){ .n_qps = 1, .qps = &f.id };
	f.thread.ep = (struct ep){ .dev = &f.dev, .qps = f.qps, .n_qps = 1 };
	f.in = (struct point_in){ .peers = &f.peers, .dev = &f.dev, .plan = &f.plan,
				  .side = SIDE_SERVER };
	f.state.in = &f.in;
	f.state.threads = &f.thread;
	f.state.workers = (struct workers){ .runs = &f.run, .n = 1 };
	return 0;
}

static int close_side(void **state)
{
	(void)state;
	cm_mcast_leave(&f.state.group);
	assert_true(f.left == f.joined);
	for (uint32_t i = 0; i < PEERS; i++) {
		ctl_close(&f.ctls[i]);
		ctl_close(&f.theirs[i]);
	}
	return 0;
}

static void say(uint32_t peer, const char *type)
{
	assert_int_equal(ctl_send(&f.theirs[peer], proto_plain(type), LONG_MS), 0);
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

/* ---- librdmacm and multicast of verbs: the group answers when somebody waits for it */

struct rdma_event_channel *rdma_create_event_channel(void)
{
	f.channel.fd = eventfd(0, EFD_NONBLOCK);
	return &f.channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	close(channel->fd);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *arg,
		   enum rdma_port_space ps)
{
	f.id_cm = (struct rdma_cm_id){ .channel = channel, .context = arg, .ps = ps,
				       .verbs = &f.ctx, .port_num = 1 };
	*id = &f.id_cm;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	assert_ptr_equal(id, &f.id_cm);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	(void)id;
	assert_int_equal(addr->sa_family, AF_INET);
	return 0;
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, void *arg)
{
	(void)id;
	(void)arg;
	assert_int_equal(addr->sa_family, AF_INET);
	f.joined = true;
	return 0;
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	(void)id;
	(void)addr;
	f.left = true;
	return 0;
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	uint64_t one;

	*event = &f.event;
	return read(channel->fd, &one, sizeof(one)) == sizeof(one) ? 0 : -1;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	(void)event;
	return 0;
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	(void)lid;
	f.attached = qp;
	f.attached_to = *gid;
	return 0;
}

/* In place of the C library's. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	const uint64_t one = 1;

	if (f.joined && f.joins && ms > 0)
		assert_int_equal(write(f.channel.fd, &one, sizeof(one)), sizeof(one));
	f.joins = f.joins && ms <= 0;
	return ppoll(fds, n, ms < 0 ? NULL : &wait, NULL);
}

static void group_answers(const char *mgid)
{
	f.event = (struct rdma_cm_event){ .event = RDMA_CM_EVENT_MULTICAST_JOIN };
	f.event.param.ud.qkey = MCAST_QKEY;
	assert_int_equal(inet_pton(AF_INET6, mgid, f.event.param.ud.ah_attr.grh.dgid.raw), 1);
	f.joins = true;
}

/* ---- joining */

static void assert_address(const struct ep_addr *addr)
{
	char text[INET6_ADDRSTRLEN];

	assert_int_equal(addr->qps[0].qpn, MCAST_QPN);
	assert_int_equal(addr->qkey, MCAST_QKEY);
	assert_string_equal(inet_ntop(AF_INET6, addr->gid, text, sizeof(text)), MGID);
}

static void the_peer_of_a_sender_is_the_group(void **state)
{
	(void)state;
	assert_int_equal(point_group_sender(&f.state), 0);
	assert_address(&f.thread.peer);
	assert_false(f.joined);
	ep_addr_free(&f.thread.peer);
	f.plan.path.mcast_join = MCAST_JOIN_CM;
	group_answers(MGID);
	assert_int_equal(point_group_sender(&f.state), 0);
	assert_address(&f.thread.peer);
	assert_true(f.joined);
	ep_addr_free(&f.thread.peer);
}

static void a_receiver_is_attached_and_hears_the_sender_alone(void **state)
{
	struct ibv_wc wc[8];

	(void)state;
	f.plan.path.mcast_join = MCAST_JOIN_CM;
	group_answers(MGID);
	assert_int_equal(point_group_receiver(&f.state), 0);
	assert_ptr_equal(f.attached, &f.qp);
	assert_memory_equal(f.attached_to.raw, f.event.param.ud.ah_attr.grh.dgid.raw, 16);
	assert_int_equal(f.run.worker.group.sender_qpn, PEER_QPN);
	f.came[0] = 2;
	assert_int_equal(f.run.worker.fixed.poll_came(&f.cq, 8, wc), 2);
}

static void a_join_that_fails_is_told(void **state)
{
	(void)state;
	f.plan.path.mcast_join = MCAST_JOIN_CM;
	f.plan.stall_timeout_ms = SHORT_MS;
	assert_int_equal(point_group_receiver(&f.state), -ETIMEDOUT);
	assert_says("joining the multicast group 239.1.2.3: rdma_cm gives no event");
	assert_null(f.attached);
	cm_mcast_leave(&f.state.group);
	f.plan.stall_timeout_ms = LONG_MS;
	group_answers("::ffff:239.9.9.9");
	assert_int_equal(point_group_sender(&f.state), -EPROTO);
	assert_says("has MGID ::ffff:239.9.9.9 instead of " MGID);
}

/* ---- settling */

static void the_last_answers_the_third(uint32_t n)
{
	if (n == 0)
		say(1, "settled");
	say(0, n == 2 ? "settled" : "heartbeat");
}

static void probes_go_on_until_all_have_one(void **state)
{
	(void)state;
	f.probed = the_last_answers_the_third;
	assert_int_equal(point_settle_sender(&f.state), 0);
	assert_int_equal(f.n_sent, 3);
	assert_int_equal(f.state.probes, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(f.sent[i], i);
}

static void the_first_answers(uint32_t n)
{
	if (n == 0)
		say(0, "settled");
	f.n_sent = 0; /* as many as there are */
}

static void the_second_answers(uint32_t n)
{
	if (n == 0)
		say(1, "settled");
	f.n_sent = 0;
}

static void the_late_receiver_is_named(void **state)
{
	(void)state;
	f.plan.stall_timeout_ms = SHORT_MS;
	f.probed = the_first_answers;
	assert_int_equal(point_settle_sender(&f.state), -ETIMEDOUT);
	assert_says("receiver node3 got no message of the group 239.1.2.3 within 200 ms");
	/* after 1, 2, 4, 8, 16, 32 and then 50 ms: as many as fit at most */
	assert_in_range(f.state.probes, 1, 11);
	f.probed = the_second_answers;
	f.n_sent = 0;
	assert_int_equal(point_settle_sender(&f.state), -ETIMEDOUT);
	assert_says("receiver node2 got no message of the group 239.1.2.3 within 200 ms");
}

static void one_says_something_else(uint32_t n)
{
	(void)n;
	say(1, "done");
}

static void what_a_receiver_may_not_say(void **state)
{
	(void)state;
	f.probed = one_says_something_else;
	assert_int_equal(point_settle_sender(&f.state), -EBADMSG);
	assert_says("the peer node3 sent 'done' while the group was settling");
}

static void the_user_stops_the_sender(void **state)
{
	(void)state;
	f.ctls[0].signals_fd = eventfd(1, 0);
	assert_int_equal(point_settle_sender(&f.state), -EINTR);
	assert_says("interrupted while the group was settling");
	close(f.ctls[0].signals_fd);
	f.ctls[0].signals_fd = -1;
}

/* The third look finds two probes; their receives are posted again, and the sender is told. */
static void a_receiver_says_that_it_is_there(void **state)
{
	json_t *msg;

	(void)state;
	f.came[2] = 2;
	say(0, "heartbeat");
	assert_int_equal(point_settle_receiver(&f.state), 0);
	assert_int_equal(f.state.probes, 2);
	assert_int_equal(f.reposted, 2);
	assert_int_equal(ctl_recv(&f.theirs[0], "settled", &msg, LONG_MS), 0);
	json_decref(msg);
	/* those that were under way: five in all */
	f.came[3] = 1;
	f.came[5] = 2;
	f.run.worker.fixed.quiet_ns = UINT64_C(1000000) * LONG_MS;
	assert_int_equal(point_settle_drain(&f.state, 5), 0);
	assert_int_equal(f.state.probes, 5);
	assert_int_equal(f.n_came, 6);
	/* one is lost: it is waited for as long as it may be under way */
	f.run.worker.fixed.quiet_ns = 1000;
	assert_int_equal(point_settle_drain(&f.state, 6), 0);
	assert_int_equal(f.state.probes, 5);
}

/* Twice as long as the sender waits: the sender names who is late. */
static void a_receiver_that_hears_nothing(void **state)
{
	(void)state;
	f.plan.stall_timeout_ms = SHORT_MS;
	assert_int_equal(point_settle_receiver(&f.state), -ETIMEDOUT);
	assert_says("no message of the group 239.1.2.3 came within 400 ms");
	say(0, "settled");
	assert_int_equal(point_settle_receiver(&f.state), -EBADMSG);
	assert_says("the peer node2 sent 'settled' while the group was settling");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_side, close_side)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_peer_of_a_sender_is_the_group),
		TEST(a_receiver_is_attached_and_hears_the_sender_alone),
		TEST(a_join_that_fails_is_told),
		TEST(probes_go_on_until_all_have_one),
		TEST(the_late_receiver_is_named),
		TEST(what_a_receiver_may_not_say),
		TEST(the_user_stops_the_sender),
		TEST(a_receiver_says_that_it_is_there),
		TEST(a_receiver_that_hears_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
