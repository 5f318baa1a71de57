/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds the device and the port for a test, and opens the device. No device is known by its id.
 */
#include "config.h"
#include "device/dev.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "limits/gid.h"
#include "causes/remedy.h"
#include "util/err.h"
#include "verbs/verbs_error.h"
#include "util/log.h"
#include "util/text.h"

/* The best port so far; rank 0: none. failed, error: the first of a device or port left out. */
struct pick {
	struct dev dev;
	uint32_t port, rank;
	bool device_seen, port_seen;
	int failed;
	struct err error;
};

static bool is_active(const struct dev *dev)
{
	return dev->port_attr.state == IBV_PORT_ACTIVE ||
	       dev->port_attr.state == IBV_PORT_ACTIVE_DEFER;
}

static bool owns(const struct limits *l, const uint8_t gid[16])
{
	for (uint32_t i = 0; gid && i < l->n_gids; i++)
		if (!memcmp(l->gids[i].raw, gid, sizeof(l->gids[i].raw)))
			return true;
	return false;
}

/* An emulated device and a real one may have the same addresses, and never reach each other. */
static bool reaches(struct gid_pair *pair, const struct limits *l, const struct limits *peer)
{
	if (!peer)
		return true;
	if (l->emulated != peer->emulated)
		return false;
	if (!gid_choose(pair, l, peer))
		return true;
	err_clear();
	return false;
}

/*
 * Is it emulated as asked, does it reach the peer, what can it do, how well do the GIDs fit (of
 * several rails the one of the peer's subnet), does the control connection use it; in this order.
 * 0: it cannot be used.
 */
static uint32_t rank(const struct dev *dev, const struct dev_request *request)
{
	const struct limits *l = &dev->limits;
	struct gid_pair pair = { .rank = 0 };
	bool can;

	if (!is_active(dev))
		return 0;
	can = reaches(&pair, l, request->peer);
	/* iWARP does less, and beside it a device of another kind often has the same addresses */
	return (uint32_t)(request->cfg->soft && l->emulated) << 31 | (uint32_t)can << 30 |
	       (uint32_t)(l->transport_type != LIMITS_IWARP) << 29 | pair.rank << 2 |
	       (uint32_t)owns(l, request->local_gid) << 1 | 1;
}

static void leave_out(struct pick *pick, int rc)
{
	if (pick->failed)
		return;
	pick->failed = rc;
	pick->error = err_keep();
}

static void consider(struct pick *pick, struct ibv_device *device,
		     const struct dev_request *request)
{
	bool better = false;
	struct dev dev;
	int rc = dev_open_device(&dev, device);

	if (rc) {
		leave_out(pick, rc);
		return;
	}
	for (uint32_t port = 1; port <= dev.attr.phys_port_cnt; port++) {
		uint32_t n;

		if (request->cfg->ib_port != CFG_AUTO && request->cfg->ib_port != port)
			continue;
		pick->port_seen = true;
		rc = port_ask(&dev, port, request);
		if (rc) {
			leave_out(pick, rc);
			continue;
		}
		n = rank(&dev, request);
		if (n > pick->rank) {
			pick->rank = n;
			pick->port = port;
			better = true;
		}
	}
	if (!better) {
		dev_close(&dev);
		return;
	}
	dev_close(&pick->dev);
	pick->dev = dev;
}

static bool is_asked_for(struct ibv_device *device, uint32_t port, const struct cfg *cfg)
{
	return (!cfg->device || dev_is_called(device, cfg->device)) &&
	       (cfg->ib_port == CFG_AUTO || cfg->ib_port == port);
}

/*
 * "mlx5_0/1 down, mlx5_1/1 init": every port of every device that can be queried. Why those that
 * are asked for are not active: the first in INIT is the nearest to it.
 */
static enum remedy port_states(char *text, size_t size, struct ibv_device **list, int n,
			       const struct cfg *cfg)
{
	enum remedy cause = REMEDY_PORT_DOWN;

	text[0] = '\0';
	for (int i = 0; i < n; i++) {
		struct ibv_context *ctx = ibv_open_device(list[i]);
		struct ibv_device_attr attr = { 0 };
		struct ibv_port_attr port;

		if (!ctx)
			continue;
		if (ibv_query_device(ctx, &attr))
			attr.phys_port_cnt = 0;
		for (uint32_t p = 1; p <= attr.phys_port_cnt; p++) {
			if (ibv_query_port(ctx, (uint8_t)p, &port))
				continue;
			if (cause == REMEDY_PORT_DOWN && is_asked_for(list[i], p, cfg))
				cause = port_inactive_cause(&port);
			text_add(text, size, ", ", "%s/%u %s", ibv_get_device_name(list[i]), p,
				 ibv_port_state_str(port.state));
		}
		if (ibv_close_device(ctx))
			log_note("close %s: %s", ibv_get_device_name(list[i]), strerror(errno));
	}
	return cause;
}

int dev_refuse_name(const char *name, struct ibv_device **list, int n)
{
	char text[256] = "";

	for (int i = 0; i < n; i++)
		text_add(text, sizeof(text), ", ", "%s", ibv_get_device_name(list[i]));
	return err_set(-EINVAL, "no RDMA device is called %s; there are: %s", name, text);
}

static int refuse(const struct pick *pick, const struct dev_request *request,
		  struct ibv_device **list, int n)
{
	const char *name = request->cfg->device ? request->cfg->device : "any device";
	enum remedy inactive;
	char text[256];

	if (!pick->device_seen)
		return dev_refuse_name(name, list, n);
	if (pick->failed) {
		err_restore(&pick->error);
		return pick->failed;
	}
	inactive = port_states(text, sizeof(text), list, n, request->cfg);
	if (!pick->port_seen)
		return err_set(-EINVAL, "port %u does not exist on %s; ports: %s",
			       request->cfg->ib_port, name, text);
	if (request->cfg->ib_port != CFG_AUTO)
		return remedy_advise(err_set(-ENETDOWN, "port %u of %s is not active; ports: %s",
					     request->cfg->ib_port, name, text), inactive, NULL);
	return remedy_error(-ENETDOWN, inactive, NULL, "no active port of %s; ports: %s", name,
			    text);
}

static int choose(struct pick *pick, const struct dev_request *request, struct ibv_device **list,
		  int n)
{
	for (int i = 0; i < n; i++) {
		if (request->cfg->device && !dev_is_called(list[i], request->cfg->device))
			continue;
		pick->device_seen = true;
		consider(pick, list[i], request);
	}
	if (!pick->rank)
		return refuse(pick, request, list, n);
	/* dev has the attributes of the port that was queried last. */
	return port_ask(&pick->dev, pick->port, request);
}

static int refuse_none(const struct dev_request *request)
{
	char host[PLAN_NAME] = "this machine";

	/* a server has the option of its client */
	if (verbs_emulated())
		return dev_none_found("");
	if (request->cfg->soft || (request->peer && request->peer->emulated)) {
		gethostname(host, sizeof(host) - 1);
		return err_set(-ENODEV, "the %s on %s has no RDMA device, and the %s uses the emulated one: start both sides with --soft",
			       request->peer ? "client" : "server", host,
			       request->peer ? "server" : "client");
	}
	return dev_none_found("");
}

static int check_vector(const struct dev *dev, const struct cfg *cfg)
{
	const int n = dev->ctx->num_comp_vectors;

	if (cfg->vector == CFG_AUTO || (n > 0 && cfg->vector < (uint32_t)n))
		return 0;
	return err_advise(err_option(-EINVAL, "-X (--vector)", "%u: %s of %s has %d completion vectors",
				     cfg->vector, dev->limits.device, dev->limits.host, n),
			  "allowed: 0..%d", n > 0 ? n - 1 : 0);
}

/* The caller closes dev, also after an error. */
static int find(struct dev *dev, const struct dev_request *request)
{
	struct pick pick = { 0 };
	struct ibv_device **list;
	int n, rc;

	memset(dev, 0, sizeof(*dev));
	rc = dev_list(&list, &n);
	if (rc)
		return rc;
	if (!n)
		return refuse_none(request);
	rc = choose(&pick, request, list, n);
	ibv_free_device_list(list);
	*dev = pick.dev;
	return rc ? rc : check_vector(dev, request->cfg);
}

int dev_check(const struct dev_request *request)
{
	struct dev dev;
	const int rc = find(&dev, request);

	dev_close(&dev);
	return rc;
}

int dev_open(struct dev *dev, const struct dev_request *request)
{
	int rc = find(dev, request);

	if (!rc)
		dev->siw_below = dev_siw_open(dev->ctx, dev->limits.driver);
	if (!rc)
		rc = dev_probe(dev, request->cfg, request->side);
	if (rc) {
		dev_close(dev);
		return rc;
	}
	err_clear();
	return 0;
}
