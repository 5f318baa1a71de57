/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the check of this machine alone: its devices and ports, what keeps them from being used, and
 * the warnings of findings.c. Opens each device, and changes nothing.
 */
#include "config.h"
#include "check/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "device/dev.h"
#include "causes/remedy.h"
#include "file/json_build.h"
#include "util/err.h"

struct local {
	struct check *check;
	FILE *out;                 /* what people read */
	json_t *devices;
	struct findings problems;
	uint32_t n_devices;
	bool load_is_judged;       /* it is of the machine, not of a device */
};

/* What the ports of a device have shown, and why it has no queue pair. */
struct seen {
	bool active, no_gid;
	enum remedy inactive; /* why no port is active */
	char transports[64];
	const char *paging;   /* on demand, over any: options of --buffers */
	struct err why;
};

/* The error of this thread is a problem. */
static void problem(struct local *local, const char *code, const char *device)
{
	struct finding *f = findings_new(&local->problems, code);
	const struct err err = err_keep();

	if (gethostname(f->host, sizeof(f->host) - 1))
		f->host[0] = '\0';
	snprintf(f->device, sizeof(f->device), "%s", device);
	snprintf(f->text, sizeof(f->text), "%.*s", FINDING_TEXT - 1, err.text);
	snprintf(f->remedy, sizeof(f->remedy), "%s%s%.*s", err.see[0] ? err.see : "dmesg; ibv_devinfo",
		 err.see[0] ? "; " : "", err.see[0] ? FINDING_TEXT : 0, err.advice);
}

/* ---- one device */

static const char *init_text(const struct ibv_port_attr *attr)
{
	switch (port_inactive_cause(attr)) {
	case REMEDY_NO_SM: return "initializing (waits for a subnet manager)";
	case REMEDY_NO_GID: return "initializing (its network interface has no address)";
	default: return "initializing";
	}
}

static const char *state_text(const struct dev *dev)
{
	switch (dev->port_attr.state) {
	case IBV_PORT_DOWN: return "down";
	case IBV_PORT_INIT: return init_text(&dev->port_attr);
	case IBV_PORT_ARMED: return "armed";
	case IBV_PORT_ACTIVE: return "active";
	case IBV_PORT_ACTIVE_DEFER: return "active, deferred";
	default: return "in no known state";
	}
}

static void print_port(FILE *out, const struct dev *dev)
{
	const struct limits *l = &dev->limits;
	char rate[CHECK_RATE_TEXT];

	fprintf(out, "  port %u: %s, %s, %s, MTU %u", l->port, state_text(dev),
		limits_link_name(l), check_rate_text(rate, l), l->active_mtu_bytes);
	if (l->netdev[0])
		fprintf(out, ", netdev %s", l->netdev);
	fprintf(out, ", %u GID%s\n", l->n_gids, l->n_gids == 1 ? "" : "s");
}

/* Does the device have what the queue pairs of a transport need beside themselves? */
static bool offers(const struct limits *l, enum transport tp)
{
	if (kind_names_dct(tp))
		return l->dc == LIMITS_DC_YES;
	if (kind_names_srq(tp))
		return l->xrc;
	/* iWARP has RC only, whatever queue pairs its driver makes: plan_caps.c */
	return l->transport_type != LIMITS_IWARP || !kind_is_lossy(tp);
}

/* "RC, UC": the transports whose queue pairs can be made. */
static json_t *probe_transports(struct dev *dev, const struct cfg *cfg, struct seen *seen)
{
	char *const text = seen->transports;
	const size_t size = sizeof(seen->transports);
	json_t *all = json_object();
	size_t len = 0;

	text[0] = '\0';
	seen->paging = "none";
	err_clear();
	for (enum transport tp = 0; tp < TP_COUNT; tp++) {
		struct cfg test = *cfg;
		bool has;

		test.transport = tp;
		test.buffers = BUFFERS_PREFETCH;
		has = !dev_probe(dev, &test, SIDE_CLIENT);
		if (!has && !seen->why.text[0])
			seen->why = err_keep();
		has = has && offers(&dev->limits, tp);
		json_object_set_new(all, kind_transport_names[tp], json_boolean(has));
		if (has && dev->limits.odp)
			seen->paging = dev->limits.prefetch ? "odp, prefetch" : "odp";
		if (has && len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
						kind_transport_names[tp]);
	}
	err_clear();
	return all;
}

static void judge_device(struct local *local, const struct dev *dev, const struct seen *seen)
{
	const char *name = dev->limits.device;

	if (!seen->active) {
		remedy_error(0, seen->inactive, NULL, "no port is active");
		problem(local, "no_active_port", name);
	} else if (seen->no_gid) {
		remedy_error(0, REMEDY_NO_GID, NULL,
			     "an active port on Ethernet has no GID: nothing can be addressed");
		problem(local, "no_gid", name);
	}
	if (seen->transports[0])
		return;
	err_restore(&seen->why);
	err_wrap(0, "no queue pair of any transport can be made");
	problem(local, "no_queue_pair", name);
}

/*
 * A port that cannot be asked hides no other; the first of them is a problem. Returns the first
 * active port, as a test takes it, else the first that answers.
 */
static uint32_t look_at_ports(struct local *local, struct dev *dev, struct seen *seen,
			      json_t *ports)
{
	uint32_t judged = 0;
	bool failed = false;

	for (uint32_t port = 1; port <= dev->attr.phys_port_cnt; port++) {
		if (port_ask(dev, port, NULL)) {
			if (!failed)
				problem(local, "not_open",
						 ibv_get_device_name(dev->ctx->device));
			failed = true;
			continue;
		}
		json_array_append_new(ports, json_pack("{s:s,s:o}", "state", state_text(dev),
						       "limits", limits_encode(&dev->limits)));
		print_port(local->out, dev);
		if (seen->inactive == REMEDY_PORT_DOWN)
			seen->inactive = port_inactive_cause(&dev->port_attr);
		judged = judged ? judged : port;
		if (dev->port_attr.state != IBV_PORT_ACTIVE &&
		    dev->port_attr.state != IBV_PORT_ACTIVE_DEFER)
			continue;
		if (!seen->active)
			judged = port;
		seen->active = true;
		seen->no_gid |= dev->limits.ethernet && !dev->limits.n_gids;
	}
	return judged;
}

/* dev: open, and at least one of its ports answers. */
static int look_at(struct local *local, struct dev *dev)
{
	struct seen seen = { .inactive = REMEDY_PORT_DOWN };
	json_t *ports = json_array(), *probed;
	struct machine machine;
	const int rc = port_ask(dev, look_at_ports(local, dev, &seen, ports), NULL);

	if (rc) {
		json_decref(ports);
		return rc;
	}
	machine_read(&machine, dev->limits.device, dev->limits.netdev);
	probed = probe_transports(dev, local->check->cfg, &seen);
	fprintf(local->out, "  queue pairs: %s\n", seen.transports[0] ? seen.transports : "none");
	fprintf(local->out, "  on-demand paging: %s\n", seen.paging);
	if (machine.pcie_width != UINT32_MAX)
		fprintf(local->out, "  PCIe gen %u x%u, %.0f Gbit/s\n", machine.pcie_generation,
			machine.pcie_width, machine.pcie_gbit_s);
	if (machine.near_cpus != UINT32_MAX)
		fprintf(local->out, "  NUMA node %u of %u, %u of %u CPUs near it\n",
			machine.numa_node, machine.numa_nodes, machine.near_cpus, machine.cpus);
	dev_probe_gpu(dev, CFG_AUTO);
	check_print_gpu(local->out, &dev->limits, 2);
	judge_device(local, dev, &seen);
	findings_judge(&(struct findings_in){ &local->check->warnings, "", &dev->limits,
					      &machine });
	if (!local->load_is_judged)
		findings_judge_load(&local->check->warnings, &dev->limits, NULL);
	local->load_is_judged = true;
	json_build_add(&local->devices,
		       json_pack("{s:s,s:o,s:o,s:s,s:o}", "device", dev->limits.device, "ports",
				 ports, "transports", probed, "paging", seen.paging, "machine",
				 field_encode(json_object(), &machine_table, &machine,
					      FIELD_WIRE)));
	return 0;
}

/* Asks ports until one answers; if none does, the error is that of the first. */
static int ask_any_port(struct dev *dev)
{
	int rc = port_ask(dev, 1, NULL);
	struct err error;

	if (!rc)
		return 0;
	error = err_keep();
	for (uint32_t port = 2; port <= dev->attr.phys_port_cnt; port++)
		if (!port_ask(dev, port, NULL))
			return 0;
	err_restore(&error);
	return rc;
}

static void look_at_one(struct local *local, struct ibv_device *device)
{
	const char *name = ibv_get_device_name(device);
	char driver[64] = "", firmware[sizeof(((struct limits *)0)->firmware)] = "";
	struct dev dev;
	int rc = dev_open_device(&dev, device);

	local->n_devices++;
	if (!rc) {
		rc = ask_any_port(&dev);
		snprintf(driver, sizeof(driver), "%.60s", dev.limits.driver);
		snprintf(firmware, sizeof(firmware), "%s", rc ? "" : dev.limits.firmware);
	}
	check_say(local->out, 0, "", "%s%s%s%s%s", name, driver[0] ? ", driver " : "", driver,
		  firmware[0] ? ", firmware " : "", firmware);
	if (!rc)
		rc = look_at(local, &dev);
	if (rc)
		problem(local, "not_open", name);
	dev_close(&dev);
}

/* ---- all devices */

static int look_around(struct local *local)
{
	const char *wanted = local->check->cfg->device;
	struct ibv_device **list;
	int n, rc = dev_list(&list, &n);

	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		if (!wanted || dev_is_called(list[i], wanted))
			look_at_one(local, list[i]);
	if (n && !local->n_devices)
		rc = dev_refuse_name(wanted, list, n);
	if (list)
		ibv_free_device_list(list);
	if (!n) {
		dev_none_found("");
		problem(local, "no_device", "");
	}
	return rc;
}

/* ---- output */

static const char *s_of(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print_all(const struct local *local, const char *text)
{
	const struct findings *problems = &local->problems, *warnings = &local->check->warnings;
	char host[PLAN_NAME] = "this machine";
	struct utsname name;

	gethostname(host, sizeof(host) - 1);
	printf("%s, Linux %s\n%s%s", host, uname(&name) ? "unknown" : name.release,
	       text[0] ? "\n" : "", text);
	if (problems->n)
		printf("\nProblems: what keeps RDMA from working\n");
	for (uint32_t i = 0; i < problems->n; i++) {
		const struct finding *f = &problems->list[i];

		check_say(stdout, 2, "", "%s%s%s", f->device, f->device[0] ? ": " : "", f->text);
		check_say(stdout, 6, "", "try: %s", f->remedy);
	}
	check_print_findings(stdout, warnings);
	printf("\n%u device%s, %u problem%s, %u warning%s\n", local->n_devices,
	       s_of(local->n_devices), problems->n, s_of(problems->n), warnings->n,
	       s_of(warnings->n));
}

void check_local(struct check *check)
{
	struct local local = { .check = check, .devices = json_array() };
	char *text = NULL;
	size_t len;
	int rc;

	local.out = open_memstream(&text, &len);
	rc = local.out ? look_around(&local) : err_set(-ENOMEM, "no memory for the text");
	if (local.out)
		fclose(local.out);
	check->status = local.problems.n ? "failed" : "ok";
	if (rc)
		check_stop(check, rc == -EINVAL ? "refused" : "failed");
	else if (output_for_people(check->cfg))
		print_all(&local, text);
	check_tell(check, "run", json_pack("{s:s,s:o}", "command", "check", "devices", local.devices));
	check_tell_findings(check, "problems", &local.problems);
	check_tell_findings(check, "warnings", &check->warnings);
	free(local.problems.list);
	free(text);
}
