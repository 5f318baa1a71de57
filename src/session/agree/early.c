/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a side can know before it has a peer. A client: is there the device that it asks for? A
 * server: is there a test that its device and its options allow? It is a client of its own: what no
 * client could have is refused at the start.
 */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm.h"
#include "options/options.h"
#include "util/err.h"
#include "verbs/verbs_error.h"

#define PAGE 4096

/* The request of a client that leaves all to the server but what it must have alike. */
static int fill_test(struct cfg *test, const struct cfg *server)
{
	int rc = field_defaults(&options_table, test);

	test->device = server->device;
	test->ib_port = server->ib_port;
	test->gid_index = server->gid_index;
	test->soft = server->soft;
	test->mtu_bytes = server->mtu_bytes;
	test->pkey = server->pkey;
	test->pkey_index = server->pkey_index;
	test->hugepages = server->hugepages;
	test->given.hugepages = server->given.hugepages;
	return rc;
}

/* A page: of how much memory tests need, nothing is known yet. */
static int try_memory(const struct dev *dev)
{
	void *page = aligned_alloc(PAGE, PAGE);
	struct ibv_pd *pd = page ? ibv_alloc_pd(dev->ctx) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, page, PAGE, IBV_ACCESS_LOCAL_WRITE) : NULL;
	int rc = mr ? 0 : verbs_error_mr(err_code(), PAGE);

	if (mr)
		ibv_dereg_mr(mr);
	if (pd)
		ibv_dealloc_pd(pd);
	free(page);
	return rc;
}

/* The placement that the owner of the server has given. */
static int try_place(const struct limits *limits, const struct cfg *server)
{
	const struct affinity_request request = { .own = {
		.request = { .pin = server->pin, .mem = server->mem, .pin_label = "--pin",
			     .mem_label = "--mem", .threads = 1 },
		.device = limits->device,
		.netdev = limits->netdev,
	} };
	struct affinity_plan place = { 0 };
	int rc;

	/* to load the description of the machine takes a while */
	if (!strcmp(server->pin, "auto") && !strcmp(server->mem, "auto"))
		return 0;
	rc = affinity_open(&place, &request);
	affinity_close(&place);
	return rc;
}

/* The limits of the client depend on what it does: it is probed by itself. */
static int try_plan(struct dev *dev, const struct cfg *server, const struct cfg *test)
{
	struct limits client;
	struct plan plan;
	int rc = dev_probe(dev, test, SIDE_CLIENT);

	dev->limits.rdma_cm = test->rdma_cm && cm_is_there();
	client = dev->limits;
	client.gid_index = CFG_AUTO;
	if (!rc)
		rc = dev_probe(dev, test, SIDE_SERVER);
	if (!rc)
		rc = owner_limits(&dev->limits, server);
	if (!rc)
		rc = plan_resolve(&plan, test, &client, &dev->limits);
	return rc;
}

/* Of the device that was opened are the limits. */
static int try_test(const struct cfg *server, const struct cfg *test, struct limits *limits)
{
	const struct dev_request request = { .cfg = test, .side = SIDE_SERVER };
	struct dev dev;
	int rc = dev_open(&dev, &request);

	if (rc)
		return rc;
	rc = try_memory(&dev);
	if (!rc)
		rc = try_plan(&dev, server, test);
	*limits = dev.limits;
	dev_close(&dev);
	return rc;
}

int early_check(const struct cfg *server)
{
	struct limits limits;
	struct err first;
	struct cfg test = { 0 }; /* nothing is given */
	int rc = fill_test(&test, server), first_rc = 0;

	/* each test over each transport, and all again over rdma_cm, which clients choose */
	for (uint32_t i = 0; i < 2 * TEST_COUNT * TP_COUNT && !rc; i++) {
		test.test = (enum test)(i / TP_COUNT % TEST_COUNT);
		test.transport = (enum transport)(i % TP_COUNT);
		test.rdma_cm = server->rdma_cm || i >= TEST_COUNT * TP_COUNT;
		if ((server->one_test && test.test != server->test) ||
		    ((server->given.transport || server->one_test) &&
		     test.transport != server->transport) ||
		    cfg_refusal(&test))
			continue;
		rc = try_test(server, &test, &limits);
		if (!rc)
			return try_place(&limits, server);
		if (!first_rc)
			first = err_keep();
		first_rc = first_rc ? first_rc : rc;
		rc = 0;
	}
	if (first_rc)
		err_restore(&first);
	return first_rc ? first_rc : rc;
}

int early_client(const struct cfg *cfg, enum session_end *end)
{
	const struct dev_request request = { .cfg = cfg, .side = SIDE_CLIENT };
	int rc = dev_check(&request);

	*end = rc == -EINVAL ? SESSION_REFUSED : SESSION_FAILED;
	if (rc != -ENODEV)
		return rc == -EPERM ? -EACCES : rc; /* -EPERM is the refusal of a peer */
	err_clear();
	return 0;
}
