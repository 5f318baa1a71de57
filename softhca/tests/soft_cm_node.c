/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * librdmacm between nodes: node n3 is this process, the other one is n5. The server is on n5, and
 * sends back what it gets.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "verbs/cm.h"
#include "t_env.h"

#define N3_0 "198.19.0.64"
#define N3_1 "198.19.0.65"
#define N5_0 "198.19.0.96"
#define N5_1 "198.19.0.97"
#define BYTES 100

struct other {
	pid_t pid;
	int from;      /* closed when the server has ended */
	uint16_t port; /* of its listener */
};

static void fill_file(const char *path, const char *lines)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(lines, f);
	fclose(f);
}

static void expect_address(const struct sockaddr *addr, const char *text)
{
	const size_t len = addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
							sizeof(struct sockaddr_in6);
	char is[INET6_ADDRSTRLEN];

	assert_int_equal(getnameinfo(addr, (socklen_t)len, is, sizeof(is), NULL, 0,
				     NI_NUMERICHOST), 0);
	assert_string_equal(is, text);
}

/* Takes one connection, from that device of n3 to that one of n5, and sends back a message. */
static void serve(int to, const char *client, const char *device)
{
	struct rdma_cm_event *e;
	struct cm_pair p;
	uint16_t port;

	setenv("SOFTHCA_NODE", "n5", 1);
	setenv("CM_ADDRESS", "::", 1);
	cm_up(&p, RDMA_PS_TCP);
	port = ntohs(rdma_get_src_port(p.listener));
	assert_int_equal(write(to, &port, sizeof(port)), sizeof(port));
	e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	p.s.id = e->id;
	rdma_ack_cm_event(e);
	expect_address(rdma_get_peer_addr(p.s.id), client);
	assert_string_equal(ibv_get_device_name(p.s.id->verbs->device), device);
	cm_make_qp(&p.s, IBV_QPT_RC);
	cm_recv(&p.s);
	cm_answer(&p);
	cm_expect(p.s.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	t_expect(p.s.cq, IBV_WC_SUCCESS);
	assert_int_equal(rdma_post_send(p.s.id, NULL, p.s.buf, BYTES, p.s.mr, 0), 0);
	t_expect(p.s.cq, IBV_WC_SUCCESS);
	cm_expect(p.s.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
	cm_down(&p);
}

/* Before the first call of verbs: a process reads its settings once. */
static struct other start(const char *client, const char *device, const char *profile)
{
	struct other o;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	o.pid = fork();
	if (!o.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* if this test fails */
		close(fds[0]);
		if (profile)
			setenv("SOFTHCA_PROFILE", profile, 1);
		serve(fds[1], client, device);
		_exit(0);
	}
	close(fds[1]);
	o.from = fds[0];
	assert_int_equal(read(o.from, &o.port, sizeof(o.port)), sizeof(o.port));
	return o;
}

static void end(const struct other *o)
{
	int status;

	assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
	assert_int_equal(status, 0);
	close(o->from);
}

static void stop(const struct other *o)
{
	assert_int_equal(kill(o->pid, SIGKILL), 0);
	assert_int_equal(waitpid(o->pid, NULL, 0), o->pid);
	close(o->from);
}

/* A client that has its route to the address. */
static void route(struct cm_pair *p, const char *address, uint16_t port)
{
	memset(p, 0, sizeof(*p));
	p->ps = RDMA_PS_TCP;
	p->param = (struct rdma_conn_param) { .retry_count = 7, .rnr_retry_count = 7 };
	p->addr = cm_resolve(address, port);
	p->c.ch = rdma_create_event_channel();
	assert_non_null(p->c.ch);
	p->c.id = cm_route(p, p->c.ch);
	cm_make_qp(&p->c, IBV_QPT_RC);
}

static void unroute(struct cm_pair *p)
{
	cm_down_side(&p->c);
	rdma_destroy_event_channel(p->c.ch);
}

/* Sends a message to the server, which sends it back. */
static void talk(struct cm_pair *p)
{
	cm_recv(&p->c);
	assert_int_equal(rdma_connect(p->c.id, &p->param), 0);
	cm_expect(p->c.ch, RDMA_CM_EVENT_ESTABLISHED, 0);
	memset(p->c.buf, 0x5a, BYTES);
	assert_int_equal(rdma_post_send(p->c.id, NULL, p->c.buf, BYTES, p->c.mr, 0), 0);
	t_expect(p->c.cq, IBV_WC_SUCCESS);
	t_expect(p->c.cq, IBV_WC_SUCCESS);
	assert_int_equal(rdma_disconnect(p->c.id), 0);
	cm_expect(p->c.ch, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void connect_to(const char *address, const struct other *o)
{
	struct cm_pair p;

	route(&p, address, o->port);
	talk(&p);
	unroute(&p);
	end(o);
}

/* From the device with the same number; the GIDs are those of the nodes. */
static void test_connect(void **state)
{
	struct other o = start(N3_1, "softhca1", NULL);
	uint8_t gid[16] = { [10] = 0xff, 0xff, 198, 19, 0, 97 };
	struct cm_pair p;

	(void)state;
	route(&p, N5_1, o.port);
	assert_string_equal(ibv_get_device_name(p.c.id->verbs->device), "softhca1");
	expect_address(rdma_get_local_addr(p.c.id), N3_1);
	assert_memory_equal(&p.c.id->route.addr.addr.ibaddr.dgid, gid, 16);
	assert_memory_equal(&p.c.id->route.path_rec->dgid, gid, 16);
	gid[15] = 65;
	assert_memory_equal(&p.c.id->route.addr.addr.ibaddr.sgid, gid, 16);
	talk(&p);
	unroute(&p);
	end(&o);
}

/* A GID of the other node. */
static void test_ipv6(void **state)
{
	struct other o = start("::ffff:" N3_1, "softhca1", NULL);

	(void)state;
	connect_to("fe80::276:6201:0:61%1", &o);
}

/* A device that this node does not have: the first one sends. */
static void test_fewer_devices(void **state)
{
	struct other o = start(N3_0, "softhca1", NULL);

	(void)state;
	assert_int_equal(setenv("SOFTHCA_DEVICES", "1", 1), 0);
	connect_to(N5_1, &o);
}

/* The LIDs are those of the profile of the other node. */
static void test_profiles(void **state)
{
	char path[64];
	struct other o;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/soft_cm_node.%d.conf", (int)getpid());
	fill_file(path, "link_layer = infiniband\nlid = 9000\ngrh_required = no\n");
	o = start(N3_0, "softhca0", path);
	connect_to(N5_0, &o);
	unlink(path);
}

/* Both nodes listen on one port; loopback is the own node. */
static void test_same_port(void **state)
{
	struct other o = start(N3_0, "softhca0", NULL);
	struct sockaddr_storage any = cm_resolve("0.0.0.0", o.port);
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *listener, *id;
	struct rdma_cm_event *e;
	struct cm_pair p;

	(void)state;
	assert_int_equal(rdma_create_id(ch, &listener, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(listener, (struct sockaddr *)&any), 0);
	assert_int_equal(rdma_listen(listener, 1), 0);
	connect_to(N5_0, &o);
	assert_false(cm_readable(ch, 0));
	route(&p, "127.0.0.1", o.port);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	e = cm_take(ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	id = e->id;
	rdma_ack_cm_event(e);
	assert_int_equal(rdma_destroy_id(id), 0);
	unroute(&p);
	assert_int_equal(rdma_destroy_id(listener), 0);
	rdma_destroy_event_channel(ch);
}

static void expect_addr_error(const char *address)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct sockaddr_storage addr = cm_resolve(address, 1);
	struct rdma_cm_id *id;

	assert_non_null(ch);
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, 100), 0);
	cm_expect(ch, RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

static void expect_no_answer(const char *address, uint16_t port, enum rdma_cm_event_type type,
			     int status)
{
	struct cm_pair p;

	route(&p, address, port);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	cm_expect(p.c.ch, type, status);
	unroute(&p);
}

static void test_wrong_address(void **state)
{
	struct other o = start(N3_0, "softhca0", NULL);
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct sockaddr_storage of_other = cm_resolve(N5_0, 0);
	struct rdma_cm_id *id;

	(void)state;
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&of_other), -1);
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
	expect_addr_error("198.19.0.112"); /* of n6, which has no process */
	expect_addr_error("198.19.0.104"); /* of port 2 of n5 */
	expect_addr_error("198.18.0.1");   /* of no node */
	expect_no_answer(N5_0, 1, RDMA_CM_EVENT_REJECTED, 8);
	expect_no_answer("198.19.0.99", o.port, RDMA_CM_EVENT_REJECTED, 8); /* of no device */
	stop(&o);
}

/* The process is a host of its own, which has no address for nodes. */
static void test_no_node(void **state)
{
	struct other o = start(N3_0, "softhca0", NULL);

	(void)state;
	assert_int_equal(unsetenv("SOFTHCA_NODE"), 0);
	expect_addr_error(N5_0);
	stop(&o);
}

static void make_topology(const char *more)
{
	char path[64], lines[256];

	snprintf(path, sizeof(path), "/tmp/soft_cm_node.%d.topology", (int)getpid());
	snprintf(lines, sizeof(lines), "node n3 leaf0 0\nnode n5 leaf1 0\nuplink leaf0 leaf1 0%s\n",
		 more);
	fill_file(path, lines);
	assert_int_equal(setenv("SOFTHCA_TOPOLOGY", path, 1), 0);
}

/* No message arrives, and none is an answer. */
static void test_cut(void **state)
{
	struct other o;

	(void)state;
	make_topology("\ncable n5.1 down=0+1000s");
	o = start(N3_0, "softhca0", NULL);
	expect_no_answer(N5_1, o.port, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	stop(&o);
	unlink(getenv("SOFTHCA_TOPOLOGY"));
}

/* Requests are sent again. The cable of another device does not matter. */
static void test_cut_for_a_time(void **state)
{
	struct other o;

	(void)state;
	make_topology(" down=0+500ms\ncable n5.1 down=0+1000s");
	o = start(N3_0, "softhca0", NULL);
	connect_to(N5_0, &o);
	unlink(getenv("SOFTHCA_TOPOLOGY"));
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "cm, nodes: connect", test_connect, { NULL } },
		{ "cm, nodes: connect to an IPv6 address", test_ipv6, { NULL } },
		{ "cm, nodes: fewer devices here", test_fewer_devices, { NULL } },
		{ "cm, nodes: InfiniBand, LIDs of two profiles", test_profiles,
		  { "SOFTHCA_PROFILE=connectx-ib" } },
		{ "cm, nodes: one port on both", test_same_port, { NULL } },
		{ "cm, nodes: wrong addresses", test_wrong_address, { NULL } },
		{ "cm, nodes: from a host of its own", test_no_node, { NULL } },
		{ "cm, nodes: cut cable", test_cut, { "SOFTHCA_CM_TIMEOUT=200ms" } },
		{ "cm, nodes: cable is cut for a time", test_cut_for_a_time, { NULL } },
	};

	if (setenv("SOFTHCA_NODE", "n3", 1) || setenv("SOFTHCA_DEVICES", "2", 1))
		return 1;
	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
