/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the check of this machine alone: its devices and ports, what keeps them from being used, and
 * the warnings of findings.c. Called by check.c. Opens each device, and changes nothing.
 */
#include "config.h"
#include "check/check_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "format/format_json_file.h"
#include "rdma/dev.h"
#include "rdma/dev_none.h"
#include "rdma/port.h"
#include "remedy/remedy.h"
#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"
#include "util/text.h"

#define PROBLEMS_MOST 8 /* of a device */
#define LINE_TEXT 512

struct local {
	const struct cfg *cfg;
	FILE *out;                 /* what people read */
	json_t *devices;
	struct finding *problems, *warnings;
	uint32_t n_problems, n_warnings, n_devices;
};

/* What the ports of a device have shown, and why it has no queue pair. */
struct seen {
	bool active, no_gid;
	enum remedy inactive; /* why no port is active */
	char transports[64];
	struct err why;
};

static void problem(struct local *local, const char *code, const char *device, const char *text,
		    const char *remedy)
{
	struct finding *f = &local->problems[local->n_problems++];

	*f = (struct finding){ .code = code };
	if (gethostname(f->host, sizeof(f->host) - 1))
		f->host[0] = '\0';
	snprintf(f->device, sizeof(f->device), "%s", device);
	snprintf(f->text, sizeof(f->text), "%.*s", FINDING_TEXT - 1, text);
	snprintf(f->remedy, sizeof(f->remedy), "%.*s", FINDING_TEXT - 1, remedy);
}

/* An error message that ends with what shows and mends its cause: see remedy/remedy.h. */
static void problem_of_error(struct local *local, const char *code, const char *device)
{
	static const char begin[] = "; see: ";
	char text[ERR_TEXT_MAX];
	char *advice;

	snprintf(text, sizeof(text), "%s", err_text());
	advice = strstr(text, begin);
	if (advice)
		*advice = '\0';
	problem(local, code, device, text,
		advice ? advice + strlen(begin) : "dmesg; ibv_devinfo");
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
	err_clear();
	for (enum transport tp = 0; tp < TP_COUNT; tp++) {
		struct cfg test = *cfg;
		bool has;

		test.transport = tp;
		has = !dev_probe(dev, &test, SIDE_CLIENT);
		if (!has && !seen->why.text[0])
			seen->why = err_keep();
		has = has && offers(&dev->limits, tp);
		json_object_set_new(all, kind_transport_names[tp], json_boolean(has));
		if (has && len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
						kind_transport_names[tp]);
	}
	err_clear();
	return all;
}

static void problem_of_remedy(struct local *local, const char *code, const char *device,
			      const char *what, enum remedy remedy)
{
	err_set(0, "%s: %s", what, remedy_text(remedy));
	problem_of_error(local, code, device);
}

static void judge_device(struct local *local, const struct dev *dev, const struct seen *seen)
{
	const char *name = dev->limits.device;

	if (!seen->active)
		problem_of_remedy(local, "no_active_port", name, "no port is active",
				  seen->inactive);
	else if (seen->no_gid)
		problem_of_remedy(local, "no_gid", name,
				  "an active port on Ethernet has no GID: nothing can be addressed",
				  REMEDY_NO_GID);
	if (seen->transports[0])
		return;
	err_restore(&seen->why);
	err_set(0, "no queue pair of any transport can be made: %s", err_text());
	problem_of_error(local, "no_queue_pair", name);
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
				problem_of_error(local, "not_open",
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
	probed = probe_transports(dev, local->cfg, &seen);
	fprintf(local->out, "  queue pairs: %s\n", seen.transports[0] ? seen.transports : "none");
	if (machine.pcie_width != UINT32_MAX)
		fprintf(local->out, "  PCIe gen %u x%u, %.0f Gbit/s\n", machine.pcie_generation,
			machine.pcie_width, machine.pcie_gbit_s);
	if (machine.near_cpus != UINT32_MAX)
		fprintf(local->out, "  NUMA node %u of %u, %u of %u CPUs near it\n",
			machine.numa_node, machine.numa_nodes, machine.near_cpus, machine.cpus);
	judge_device(local, dev, &seen);
	local->n_warnings = findings_add(local->warnings, local->n_warnings,
					 &(struct findings_in){ .side = "", .limits = &dev->limits,
								.machine = &machine });
	json_array_append_new(local->devices,
			      json_pack("{s:s,s:o,s:o,s:o}", "device", dev->limits.device, "ports",
					ports, "transports", probed, "machine",
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
	char driver[64] = "", text[LINE_TEXT];
	struct dev dev;
	int rc = dev_open_device(&dev, device);

	local->n_devices++;
	if (!rc) {
		rc = ask_any_port(&dev);
		snprintf(driver, sizeof(driver), "%.60s", dev.limits.driver);
	}
	snprintf(text, sizeof(text), "%s%s%s%s%s", name, driver[0] ? ", driver " : "", driver,
		 !rc && dev.limits.firmware[0] ? ", firmware " : "", rc ? "" : dev.limits.firmware);
	screen_wrap(local->out, text, (struct screen_place){ 0, 2, screen_columns() });
	if (!rc)
		rc = look_at(local, &dev);
	if (rc)
		problem_of_error(local, "not_open", name);
	dev_close(&dev);
}

/* ---- all devices */

static int look_around(struct local *local)
{
	struct ibv_device **list;
	uint32_t room;
	int n, rc = dev_list(&list, &n);

	if (rc)
		return rc;
	room = (uint32_t)n + 1;
	local->problems = calloc(room * PROBLEMS_MOST, sizeof(*local->problems));
	local->warnings = calloc((size_t)room * findings_most, sizeof(*local->warnings));
	if (!local->problems || !local->warnings)
		rc = err_set(-ENOMEM, "no memory for what is found");
	for (int i = 0; i < n && !rc; i++)
		if (!local->cfg->device || dev_is_called(list[i], local->cfg->device))
			look_at_one(local, list[i]);
	if (!rc && n && !local->n_devices)
		rc = dev_refuse_name(local->cfg->device, list, n);
	if (list)
		ibv_free_device_list(list);
	if (!rc && !n) {
		dev_none_found("");
		problem_of_error(local, "no_device", "");
	}
	return rc;
}

/* ---- output */

static void print_problems(FILE *out, const struct local *local)
{
	for (uint32_t i = 0; i < local->n_problems; i++) {
		const struct finding *f = &local->problems[i];
		char text[LINE_TEXT + FINDING_TEXT];

		if (!i)
			fprintf(out, "\nProblems: what keeps RDMA from working\n");
		snprintf(text, sizeof(text), "%s%s%s", f->device, f->device[0] ? ": " : "",
			 f->text);
		check_print_text(out, 2, text);
		snprintf(text, sizeof(text), "try: %s", f->remedy);
		check_print_text(out, 6, text);
	}
}

static int write_json(const struct local *local, const char *status, const char *error)
{
	const struct format_json_file file = { .path = local->cfg->json,
					       .force = local->cfg->force };
	json_t *doc = format_json_file_doc(CHECK_SCHEMA, status, error);
	int rc;

	if (doc) {
		json_object_set_new(doc, "run", json_pack("{s:s,s:O}", "command", "check",
							  "devices", local->devices));
		json_object_set_new(doc, "problems",
				    check_json_findings(local->problems, local->n_problems));
		json_object_set_new(doc, "warnings",
				    check_json_findings(local->warnings, local->n_warnings));
	}
	rc = format_json_file_write(&file, doc);
	json_decref(doc);
	return rc;
}

static void print_all(const struct local *local, const char *text)
{
	char host[PLAN_NAME] = "this machine";
	struct utsname name;

	if (local->cfg->json && !strcmp(local->cfg->json, "-"))
		return;
	gethostname(host, sizeof(host) - 1);
	printf("%s, Linux %s\n%s%s", host, uname(&name) ? "unknown" : name.release,
	       text[0] ? "\n" : "", text);
	print_problems(stdout, local);
	check_print_findings(stdout, local->warnings, local->n_warnings);
	printf("\n%u device%s, %u problem%s, %u warning%s\n", local->n_devices,
	       local->n_devices == 1 ? "" : "s", local->n_problems,
	       local->n_problems == 1 ? "" : "s", local->n_warnings,
	       local->n_warnings == 1 ? "" : "s");
}

int check_local(const struct cfg *cfg)
{
	struct local local = { .cfg = cfg, .devices = json_array() };
	int status = COMMAND_OK, rc;
	const char *name = "ok";
	char *text = NULL;
	size_t len;

	local.out = open_memstream(&text, &len);
	rc = local.out ? look_around(&local) : err_set(-ENOMEM, "no memory for the text");
	if (local.out)
		fclose(local.out);
	if (rc) {
		status = rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
		command_error(cfg);
	} else {
		print_all(&local, text);
		status = local.n_problems ? COMMAND_FAILED : COMMAND_OK;
	}
	if (status)
		name = status == COMMAND_REFUSED ? "refused" : "failed";
	fflush(stdout);
	if (cfg->json && write_json(&local, name, rc ? err_text() : NULL)) {
		command_error(cfg);
		status = COMMAND_FAILED;
	}
	json_decref(local.devices);
	free(local.problems);
	free(local.warnings);
	free(text);
	return status;
}
