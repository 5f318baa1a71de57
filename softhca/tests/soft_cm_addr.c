/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* librdmacm on the emulated HCA: which device and which listener an address leads to. */
#include "config.h"

#include "verbs/cm.h"
#include "t_env.h"

static void expect_device(const struct rdma_cm_id *id, const char *name)
{
	assert_non_null(id->verbs);
	assert_string_equal(ibv_get_device_name(id->verbs->device), name);
}

/* A listener on all addresses; the device is that of the address that the client asks for. */
static void test_devices(void **state)
{
	struct rdma_cm_event *e;
	struct cm_pair p;
	union ibv_gid gid;

	(void)state;
	setenv("CM_ADDRESS", "0.0.0.0", 1);
	cm_up(&p, RDMA_PS_TCP);
	assert_null(p.listener->verbs);
	for (int i = 0; i < 2; i++) {
		p.addr = cm_resolve(i ? "198.18.0.2" : "198.18.0.1",
				    ntohs(rdma_get_src_port(p.listener)));
		p.c.id = cm_route(&p, p.c.ch);
		expect_device(p.c.id, i ? "softhca1" : "softhca0");
		p.param.qp_num = 7;
		assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
		e = cm_take(p.s.ch, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
		p.s.id = e->id;
		rdma_ack_cm_event(e);
		expect_device(p.s.id, i ? "softhca1" : "softhca0");
		assert_int_equal(ibv_query_gid(p.s.id->verbs, 1, 1, &gid), 0);
		assert_memory_equal(&p.s.id->route.addr.addr.ibaddr.sgid, &gid, 16);
		assert_memory_equal(&p.c.id->route.addr.addr.ibaddr.dgid, &gid, 16);
		assert_memory_equal(&p.c.id->route.path_rec->dgid, &gid, 16);
		cm_down_side(&p.c);
		cm_down_side(&p.s);
	}
	cm_down(&p);
	unsetenv("CM_ADDRESS");
}

static void expect_addr_error(const char *address, int status)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct sockaddr_storage addr = cm_resolve(address, 1);
	struct rdma_cm_id *id;

	assert_non_null(ch);
	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, 100), 0);
	cm_expect(ch, RDMA_CM_EVENT_ADDR_ERROR, status);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

static void expect_bind_error(const char *address, int error)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct sockaddr_storage addr = cm_resolve(address, 0);
	struct rdma_cm_id *id;

	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	assert_int_equal(rdma_bind_addr(id, (struct sockaddr *)&addr), -1);
	assert_int_equal(errno, error);
	assert_int_equal(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
}

static void test_wrong_address(void **state)
{
	(void)state;
	expect_addr_error("192.0.2.1", -EHOSTUNREACH);
	expect_addr_error("2001:db8::1", -EHOSTUNREACH);
	expect_addr_error("198.18.0.3", -EHOSTUNREACH); /* of no device */
	expect_bind_error("192.0.2.1", EADDRNOTAVAIL);
	expect_bind_error("239.1.1.1", EADDRNOTAVAIL);
	expect_bind_error("fe80::1", EINVAL);
}

static struct rdma_cm_id *bound(struct rdma_event_channel *ch, const char *address, uint16_t port,
				int option)
{
	struct sockaddr_storage addr = cm_resolve(address, port);
	struct rdma_cm_id *id;
	int on = 1, rc;

	assert_int_equal(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	if (option >= 0)
		assert_int_equal(rdma_set_option(id, RDMA_OPTION_ID, option, &on, sizeof(on)), 0);
	rc = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (rc) {
		bool any = !strcmp(address, "0.0.0.0") || !strcmp(address, "::");

		assert_int_equal(errno, any ? EADDRNOTAVAIL : EADDRINUSE);
		rdma_destroy_id(id);
	}
	return rc ? NULL : id;
}

/* Addresses that overlap cannot have the same port, others can. */
static void test_ports(void **state)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *a = bound(ch, "198.18.0.1", 0, -1), *b, *c;
	uint16_t port;

	(void)state;
	assert_non_null(a);
	port = ntohs(rdma_get_src_port(a));
	b = bound(ch, "198.18.0.2", port, -1);
	assert_non_null(b);
	assert_null(bound(ch, "198.18.0.2", port, -1));
	assert_null(bound(ch, "0.0.0.0", port, -1));
	assert_null(bound(ch, "::", port, -1));
	c = bound(ch, "::", port, RDMA_OPTION_ID_AFONLY);
	assert_non_null(c);
	rdma_destroy_id(c);
	/* of those that share an address, one can listen */
	c = bound(ch, "198.18.0.1", port, RDMA_OPTION_ID_REUSEADDR);
	assert_non_null(c);
	assert_int_equal(rdma_listen(a, 1), 0);
	assert_int_equal(rdma_listen(c, 1), -1);
	assert_int_equal(errno, EADDRINUSE);
	rdma_destroy_id(a);
	assert_int_equal(rdma_listen(c, 1), 0);
	rdma_destroy_id(b);
	rdma_destroy_id(c);
	rdma_destroy_event_channel(ch);
}

/* Whether a client reaches the listener by this address; else it is refused. */
static void expect_reach(struct rdma_cm_id *listener, const char *address, bool reach)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct cm_pair p = { .ps = RDMA_PS_TCP, .param.qp_num = 7 };
	struct rdma_cm_event *e;

	p.addr = cm_resolve(address, ntohs(rdma_get_src_port(listener)));
	p.c.id = cm_route(&p, ch);
	assert_int_equal(rdma_connect(p.c.id, &p.param), 0);
	if (reach) {
		e = cm_take(listener->channel, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
		p.s.id = e->id;
		rdma_ack_cm_event(e);
		assert_int_equal(rdma_get_peer_addr(p.s.id)->sa_family, p.addr.ss_family);
		assert_int_equal(rdma_destroy_id(p.s.id), 0);
		cm_expect(ch, RDMA_CM_EVENT_REJECTED, 28);
	} else {
		cm_expect(ch, RDMA_CM_EVENT_REJECTED, 8);
	}
	assert_int_equal(rdma_destroy_id(p.c.id), 0);
	rdma_destroy_event_channel(ch);
}

/* IPv6 may be switched off. */
static bool has_ipv6(void)
{
	const struct sockaddr_in6 addr = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool has = fd >= 0 && !bind(fd, (const struct sockaddr *)&addr, sizeof(addr));

	if (fd >= 0)
		close(fd);
	return has;
}

static void test_families(void **state)
{
	const bool ipv6 = has_ipv6();
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *all = bound(ch, "::", 0, -1);
	struct rdma_cm_id *six = bound(ch, "::", 0, RDMA_OPTION_ID_AFONLY);

	(void)state;
	assert_int_equal(rdma_listen(all, 4), 0);
	assert_int_equal(rdma_listen(six, 4), 0);
	if (ipv6)
		expect_reach(all, "::1", true);
	expect_reach(all, "127.0.0.1", true);
	expect_reach(all, "198.18.0.1", true);
	if (ipv6)
		expect_reach(six, "::1", true);
	expect_reach(six, "127.0.0.1", false);
	rdma_destroy_id(all);
	rdma_destroy_id(six);
	rdma_destroy_event_channel(ch);
}

static void test_no_device(void **state)
{
	(void)state;
	assert_null(rdma_create_event_channel());
	assert_int_equal(errno, ENODEV);
}

int main(int argc, char **argv)
{
	static const char two[] = "SOFTHCA_DEVICES=2";
	static const struct t_case cases[] = {
		{ "cm: the address chooses the device", test_devices, { two } },
		{ "cm: wrong addresses", test_wrong_address, { two } },
		{ "cm: ports", test_ports, { two } },
		{ "cm: IPv6 and IPv4", test_families, { NULL } },
		{ "cm: no device", test_no_device, { "SOFTHCA_DEVICES=0" } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
