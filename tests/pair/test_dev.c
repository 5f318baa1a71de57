/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is read of an opened device, and what dev_probe() finds out for one test after another while
 * the device stays open.
 */
#include "config.h"
#include "device/dev.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cm/cm_address.h"
#include "options/options.h"
#include "util/err.h"
#include "dev_test.h"
#include "verbs.h"

static void probe(struct dev *dev, const struct cfg *test)
{
	if (dev_probe(dev, test, SIDE_CLIENT))
		fail_msg("%s", err_text());
	/* what it created is gone: the context alone is left */
	assert_int_equal(verbs_open_objects(), 1);
}

/* The device has it in network order. */
static void pkey(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.pkey_index, 0);
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	dev_close(&dev);
}

/* A table may begin with an entry that is none. */
static void first_pkey(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	verbs_device(SIDE_CLIENT)->pkeys[0] = 0;
	verbs_device(SIDE_CLIENT)->pkeys[2] = 0x7fff;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.pkey_index, 2);
	assert_int_equal(dev.limits.pkey, 0x7fff);
	dev_close(&dev);
}

/* A vport is a limited member of the default partition; the client follows the server. */
static void pkeys_that_fit(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct limits server = { .pkey = 0x8001 };
	struct dev_request request = { .cfg = &test };
	struct dev dev;

	(void)state;
	memcpy(verbs_device(SIDE_CLIENT)->pkeys, (uint16_t[]){ 0x7fff, 0x8001, 0x8456 },
	       3 * sizeof(uint16_t));
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.pkey, 0x8001);
	assert_int_equal(dev.limits.pkey_index, 1);
	dev_close(&dev);
	request.peer = &server;
	for (size_t i = 0; i < 5; i++) {
		static const uint16_t asked[] = { 0x0456, 0xffff, 0x8001, 0x7fff, 0x8999 };
		static const uint32_t index[] = { 2, 0, 1, 0, 0 };

		server.pkey = asked[i];
		assert_int_equal(dev_open(&dev, &request), 0);
		assert_int_equal(dev.limits.pkey_index, index[i]);
		dev_close(&dev);
	}
	/* rdma_cm has that of the netdev */
	request.peer = NULL;
	test.rdma_cm = true;
	assert_int_equal(dev_open(&dev, &request), 0);
	assert_int_equal(dev.limits.pkey_index, 0);
	dev_close(&dev);
}

/* The limits of the server that a client without --device looks for. */
static struct limits server_at(const char *gid)
{
	struct limits l = { .host = "server", .port = 1, .ethernet = true, .gid_index = CFG_AUTO,
			    .n_gids = 1, .gids = { { .index = 1, .type = GID_ROCE_V2 } } };

	assert_int_equal(inet_pton(AF_INET6, gid, l.gids[0].raw), 1);
	return l;
}

static void assert_chosen(const struct dev_request *request, const char *device)
{
	struct dev dev;

	if (dev_open(&dev, request))
		fail_msg("%s", err_text());
	assert_string_equal(dev.limits.device, device);
	dev_close(&dev);
}

/* Two rails: the one in the server's subnet, also if the control connection uses the other. */
static void rails(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct limits server = server_at("::ffff:10.0.2.9");
	uint8_t local[16];
	struct dev_request request = { .cfg = &test, .peer = &server };

	(void)state;
	test.device = NULL;
	verbs_device(SIDE_CLIENT)->gids[0].text = "::ffff:10.0.1.1";
	verbs_device(SIDE_SERVER)->gids[0].text = "::ffff:10.0.2.1";
	assert_chosen(&request, "pair1");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.1.1", local), 1);
	request.local_gid = local;
	assert_chosen(&request, "pair1");
	server = server_at("::ffff:10.0.1.9");
	assert_chosen(&request, "pair0");
	/* both alike: the first, or the one that the control connection uses */
	verbs_device(SIDE_SERVER)->gids[0].text = "::ffff:10.0.1.2";
	assert_chosen(&request, "pair0");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.1.2", local), 1);
	assert_chosen(&request, "pair1");
}

/* It comes last, on a server that nobody has asked yet too. */
static void iwarp_last(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct limits server = server_at("::ffff:10.0.0.9");
	struct dev_request request = { .cfg = &test };

	(void)state;
	test.device = NULL;
	verbs_device(SIDE_CLIENT)->transport_type = IBV_TRANSPORT_IWARP;
	assert_chosen(&request, "pair1");
	request.peer = &server;
	assert_chosen(&request, "pair1");
	/* unless nothing else reaches the server */
	server.transport_type = LIMITS_IWARP;
	assert_chosen(&request, "pair0");
}

/*
 * Entries of other network namespaces: their netdev has an index that nobody has here, or another
 * netdev has, which has not the address. They come last.
 */
static void elsewhere(void **state)
{
	static const struct {
		const char *gid;
		bool here;
	} expected[] = { { "::ffff:127.0.0.1", true }, { "fe80::1", true },
			 { "::ffff:192.0.2.77", false }, { "2001:db8::77", false } };
	const struct cfg test = test_of(TP_RC);
	struct verbs_device *vd = verbs_device(SIDE_CLIENT);
	const uint32_t lo = if_nametoindex("lo");
	struct dev dev;

	(void)state;
	vd->gids[0].text = "::ffff:192.0.2.77";
	vd->gids[1].text = "2001:db8::77";
	vd->gids[2].text = "::ffff:127.0.0.1";
	vd->gids[3].text = "fe80::1";
	for (size_t i = 0; i < 4; i++) {
		vd->gids[i].type = IBV_GID_TYPE_ROCE_V2;
		vd->gids[i].ndev = i == 1 ? 0x7ffffff0 : lo;
	}
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.n_gids, 4);
	for (size_t i = 0; i < 4; i++) {
		uint8_t raw[16];

		assert_int_equal(inet_pton(AF_INET6, expected[i].gid, raw), 1);
		assert_memory_equal(dev.limits.gids[i].raw, raw, 16);
		assert_int_equal(dev.limits.gids[i].elsewhere, !expected[i].here);
	}
	assert_string_equal(dev.limits.netdev, "lo");
	dev_close(&dev);
}

/* A GID of iWARP is no address: that of the netdev which the table names. */
static void iwarp_address(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct verbs_device *vd = verbs_device(SIDE_CLIENT);
	struct sockaddr_storage address;
	struct dev dev;
	char text[64];

	(void)state;
	vd->transport_type = IBV_TRANSPORT_IWARP;
	vd->gids[0].text = "276:6200:1::";
	vd->gids[0].type = IBV_GID_TYPE_IB;
	open_dev(&dev, &test);
	assert_int_equal(cm_address_own(&address, &dev, 0), -EADDRNOTAVAIL);
	dev_close(&dev);
	vd->gids[0].ndev = if_nametoindex("lo");
	open_dev(&dev, &test);
	assert_int_equal(cm_address_own(&address, &dev, 0), 0);
	assert_string_equal(cm_address_plain(&address, text, sizeof(text)), "127.0.0.1");
	dev_close(&dev);
}

/* What sysfs, the codes and ibv_query_port_speed() tell of the link. */
static void rates(void **state)
{
	static const struct {
		const char *file;
		uint8_t width, speed;
		uint64_t effective, link_mbit_s, mbit_s;
		const char *lanes;
	} cases[] = {
		{ "", 2, 32, 0, 100000, 100000, "4X EDR" },
		{ "", 16, 128, 0, 200000, 200000, "2X NDR" },
		{ "100 Gb/sec (4X EDR)", 2, 32, 0, 100000, 100000, "4X EDR" },
		/* the old field has NDR for XDR */
		{ "800 Gb/sec (4X XDR)", 2, 128, 0, 800000, 800000, "4X XDR" },
		{ "2.5 Gb/sec (1X SDR)", 1, 1, 0, 2500, 2500, "1X SDR" },
		/* a kernel that does not know the code */
		{ "10 Gb/sec (4X SDR)", 2, 128, 0, 400000, 400000, "4X NDR" },
		{ "100 Gb/sec (4X EDR)", 2, 32, 2000, 100000, 200000, "4X EDR" },
		{ "nonsense", 9, 99, 0, 0, 0, "" },
	};
	char dir[] = "/tmp/verbench-dev-XXXXXX", ports[64], port[80], file[96];
	const struct cfg test = test_of(TP_RC);

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(ports, sizeof(ports), "%s/ports", dir);
	snprintf(port, sizeof(port), "%s/1", ports);
	snprintf(file, sizeof(file), "%s/rate", port);
	assert_true(!mkdir(ports, 0700) && !mkdir(port, 0700));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verbs_device *vd = verbs_device(SIDE_CLIENT);
		struct port_rate rate;
		struct dev dev;
		FILE *f = fopen(file, "w");

		assert_non_null(f);
		fprintf(f, "%s\n", cases[i].file);
		fclose(f);
		vd->sysfs = dir;
		vd->active_width = cases[i].width;
		vd->active_speed = cases[i].speed;
		vd->speed = cases[i].effective;
		open_dev(&dev, &test);
		port_rate_ask(&rate, &dev);
		assert_int_equal(rate.link_mbit_s, cases[i].link_mbit_s);
		assert_int_equal(rate.mbit_s, cases[i].mbit_s);
		assert_int_equal(dev.limits.rate_mbit_s, cases[i].mbit_s);
		assert_string_equal(rate.lanes, cases[i].lanes);
		dev_close(&dev);
	}
	unlink(file);
	rmdir(port);
	rmdir(ports);
	rmdir(dir);
}

/* On Ethernet the netdev knows better, unless it is a bond. */
static void rate_of_netdev(void **state)
{
	static const struct {
		uint64_t link, netdev;
		bool bond;
		uint64_t rate;
	} cases[] = {
		/* 4X EDR of all that older kernels do not know: 200G, 50G, 100G */
		{ 100000, 200000, false, 200000 },
		{ 100000, 50000, false, 50000 },
		{ 100000, 100000, false, 100000 },
		/* 5G is 1X FDR10 there */
		{ 10000, 5000, false, 5000 },
		/* 1X SDR: 1G, or the kernel does not know it */
		{ 2500, 1000, false, 1000 },
		{ 2500, 2500, false, 2500 },
		{ 2500, 0, false, 0 },
		{ 2500, 0, true, 0 },
		{ 100000, 0, false, 100000 },
		{ 0, 25000, false, 25000 },
		{ 0, 0, false, 0 },
		/* two links */
		{ 100000, 200000, true, 100000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(port_rate_ethernet(cases[i].link, cases[i].netdev, cases[i].bond),
				 cases[i].rate);
}

/* Mbit/s of a netdev that is no bond; 0: unknown. */
static unsigned int speed_of(const char *netdev)
{
	unsigned int mbit_s = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding", netdev);
	if (!access(path, F_OK))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", netdev);
	f = fopen(path, "re");
	if (f && (fscanf(f, "%7u", &mbit_s) != 1 || mbit_s > 1000000))
		mbit_s = 0;
	if (f)
		fclose(f);
	return mbit_s;
}

/* That of a netdev of this machine, if one has a speed. */
static void rate_with_netdev(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct verbs_device *vd = verbs_device(SIDE_CLIENT);
	struct if_nameindex *all = if_nameindex(), *i = all;
	struct port_rate rate;
	struct dev dev;

	(void)state;
	assert_non_null(all);
	while (i->if_index && !speed_of(i->if_name))
		i++;
	if (!i->if_index) {
		if_freenameindex(all);
		skip();
	}
	vd->gids[0].text = "fe80::1";
	vd->gids[0].ndev = i->if_index;
	open_dev(&dev, &test);
	assert_string_equal(dev.limits.netdev, i->if_name);
	port_rate_ask(&rate, &dev);
	assert_int_equal(rate.link_mbit_s, speed_of(i->if_name));
	assert_string_equal(rate.lanes, rate.link_mbit_s == 100000 ? "4X EDR" : "");
	dev_close(&dev);
	if_freenameindex(all);
}

/* The forms of a node GUID; one that no device has. */
static void guid(void **state)
{
	static const char *const names[] = { "pair0", "0002:c903:00ab:cd00",
					     "0002:C903:00AB:CD00", "0x0002c90300abcd00" };
	static const char *const others[] = { "pair", "0002:c903:00ab:cd0f", "0x2c90300abcd00",
					      "0x0002c90300abcd0x", "" };
	struct cfg test = test_of(TP_RC);
	const struct dev_request request = { .cfg = &test };
	struct dev dev;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		test.device = names[i];
		open_dev(&dev, &test);
		assert_string_equal(dev.limits.device, "pair0");
		dev_close(&dev);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		test.device = others[i];
		assert_int_equal(dev_open(&dev, &request), -EINVAL);
	}
}

static void one_test_after_another(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_true(dev.limits.max_inline_bytes < 220);
	test.locks = LOCKS_AUTO;
	test.inline_bytes = 1000;
	test.transport = TP_UD;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	assert_int_equal(dev.limits.max_inline_bytes, 220);
	verbs_device(SIDE_CLIENT)->max_inline_bytes = 60;
	verbs_device(SIDE_CLIENT)->td_errno = EOPNOTSUPP;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = EOPNOTSUPP;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	assert_int_equal(dev.limits.max_inline_bytes, 60);
	verbs_device(SIDE_CLIENT)->td_errno = 0;
	verbs_device(SIDE_CLIENT)->cq_ex_errno = 0;
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, LOCKS_OFF_ALL);
	test = test_of(TP_RC);
	probe(&dev, &test);
	assert_int_equal(dev.limits.unlocked, 0);
	/* what does not depend on the test is as it was */
	assert_string_equal(dev.limits.device, "pair0");
	assert_int_equal(dev.limits.pkey, VERBS_PKEY);
	assert_true(dev.limits.n_gids > 0);
	dev_close(&dev);
}

static void failed_probe(void **state)
{
	const struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 0;
	assert_int_equal(dev_probe(&dev, &test, SIDE_CLIENT), -EINVAL);
	assert_string_equal(err_text(), "cannot create a RC QP on pair0: Invalid argument");
	assert_int_equal(verbs_open_objects(), 1);
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 4096;
	probe(&dev, &test);
	dev_close(&dev);
	assert_int_equal(verbs_open_objects(), 0);
}

static void be_of(enum side side, const char *dir, const char *driver)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/node_desc", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "%s\n", driver);
	fclose(f);
	verbs_device(side)->sysfs = dir;
}

static bool has_limit(struct cfg *test, const char *firmware)
{
	struct ibv_device_attr *attr = &verbs_device(SIDE_CLIENT)->attr;
	struct dev dev;
	bool is_limit;

	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%s", firmware);
	open_dev(&dev, test);
	is_limit = dev.limits.rate_is_limit;
	dev_close(&dev);
	return is_limit;
}

/* What a provider grants and does not do: the name of its driver tells. */
static void quirks(void **state)
{
	static const struct {
		const char *driver;
		unsigned int classic, extended; /* known to be off */
	} all[] = {
		{ "mlx5_core", LOCKS_OFF_QP, LOCKS_OFF_ALL },
		{ "irdma", LOCKS_OFF_QP, LOCKS_OFF_QP },
		{ "hns3", LOCKS_OFF_ALL, LOCKS_OFF_ALL },
	};
	struct cfg test = test_of(TP_RC);
	char dir[] = "/tmp/verbench-dev-XXXXXX", command[64];
	struct dev dev;

	(void)state;
	assert_non_null(mkdtemp(dir));
	test.locks = LOCKS_AUTO;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		be_of(SIDE_CLIENT, dir, all[i].driver);
		test.poll_api = APIS_POLL_CLASSIC;
		open_dev(&dev, &test);
		assert_string_equal(dev.limits.driver, all[i].driver);
		assert_int_equal(dev.limits.unlocked, all[i].classic);
		assert_int_equal(dev.unlocks, LOCKS_OFF_ALL);
		test.poll_api = APIS_POLL_EXTENDED;
		assert_int_equal(dev_probe(&dev, &test, SIDE_CLIENT), 0);
		assert_int_equal(dev.limits.unlocked, all[i].extended);
		dev_close(&dev);
	}
	/* a rate that is not that of a wire */
	be_of(SIDE_CLIENT, dir, "mlx5_core");
	assert_true(has_limit(&test, "1.0 pair"));
	assert_true(has_limit(&test, "emulated cx7 link bandwidth=10G delay=5us"));
	assert_false(has_limit(&test, "emulated link as fast as memory"));
	be_of(SIDE_CLIENT, dir, "rdma_rxe");
	assert_false(has_limit(&test, "1.0 pair"));
	be_of(SIDE_CLIENT, dir, "mana");
	assert_false(has_limit(&test, "1.0 pair"));
	test.inline_bytes = 64;
	open_dev(&dev, &test);
	assert_true(dev.limits.inline_ignored);
	assert_int_equal(dev.limits.max_inline_bytes, 0);
	dev_close(&dev);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Length, elements and inline data of a queue are tried together, as the test asks for them. */
static void queues(void **state)
{
	struct cfg test = test_of(TP_RC);
	struct dev dev;

	(void)state;
	verbs_device(SIDE_CLIENT)->in_blocks = true;
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 4096;
	test.test = TEST_WRITE_BW;
	open_dev(&dev, &test);
	/* what is wanted fits; more was not tried */
	assert_int_equal(dev.limits.max_send_wr, 4096);
	test.depth = 2000;
	probe(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 4096 * 64 / 192);
	assert_int_equal(dev.limits.max_recv_wr, 4096);
	test.inline_bytes = 64;
	probe(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 4096 * 64 / 256);
	assert_true(dev.limits.max_inline_bytes >= 64);
	/* this side posts nothing: it needs no such queue, and no inline data */
	assert_int_equal(dev_probe(&dev, &test, SIDE_SERVER), 0);
	assert_int_equal(dev.limits.max_send_wr, 4096);
	/* auto asks for no more of the one than leaves the other */
	test.test = TEST_WRITE_LAT;
	test.depth = test.inline_bytes = CFG_AUTO;
	verbs_device(SIDE_CLIENT)->attr.max_qp_wr = 256;
	assert_int_equal(dev_probe(&dev, &test, SIDE_CLIENT), 0);
	dev_close(&dev);
	open_dev(&dev, &test);
	assert_int_equal(dev.limits.max_send_wr, 256);
	assert_true(dev.limits.max_inline_bytes >= 76 && dev.limits.max_inline_bytes < 140);
	dev_close(&dev);
}

static void raise_event(enum ibv_event_type type)
{
	const int fd = verbs_device(SIDE_CLIENT)->async_fd;

	assert_int_equal(write(fd, &type, sizeof(type)), sizeof(type));
}

/* The event of a QP that was destroyed is gone when it is read: nobody waits for the next one. */
static void event_gone(void **state)
{
	const struct cfg test = test_of(TP_RC);
	enum ibv_event_type event = IBV_EVENT_QP_FATAL;
	struct dev dev;

	(void)state;
	open_dev(&dev, &test);
	assert_int_equal(dev_async(&dev, &event), 0);
	raise_event(VERBS_EVENT_GONE);
	assert_int_equal(dev_async(&dev, &event), 0);
	/* what came before it and what comes after it is told */
	raise_event(IBV_EVENT_PORT_ERR);
	raise_event(VERBS_EVENT_GONE);
	assert_int_equal(dev_async(&dev, &event), 1);
	assert_int_equal(event, IBV_EVENT_PORT_ERR);
	raise_event(VERBS_EVENT_GONE);
	raise_event(IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(dev_async(&dev, &event), 1);
	assert_int_equal(event, IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(dev_async(&dev, &event), 0);
	dev_close(&dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(pkey, reset),
		cmocka_unit_test_setup(first_pkey, reset),
		cmocka_unit_test_setup(pkeys_that_fit, reset),
		cmocka_unit_test_setup(rails, reset),
		cmocka_unit_test_setup(iwarp_last, reset),
		cmocka_unit_test_setup(elsewhere, reset),
		cmocka_unit_test_setup(iwarp_address, reset),
		cmocka_unit_test_setup(rates, reset),
		cmocka_unit_test(rate_of_netdev),
		cmocka_unit_test_setup(rate_with_netdev, reset),
		cmocka_unit_test_setup(guid, reset),
		cmocka_unit_test_setup(one_test_after_another, reset),
		cmocka_unit_test_setup(failed_probe, reset),
		cmocka_unit_test_setup(queues, reset),
		cmocka_unit_test_setup(quirks, reset),
		cmocka_unit_test_setup(event_gone, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
