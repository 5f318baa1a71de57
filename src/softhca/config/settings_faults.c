/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Parses the list of injected faults, "wc:STATUS@N,post:ERRNO@N,port-down:P@T+D"; see settings.h. */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	const char *name;
	uint32_t value;
};

static const struct name statuses[] = {
	{ "LOC_LEN_ERR", IBV_WC_LOC_LEN_ERR },
	{ "LOC_QP_OP_ERR", IBV_WC_LOC_QP_OP_ERR },
	{ "LOC_PROT_ERR", IBV_WC_LOC_PROT_ERR },
	{ "WR_FLUSH_ERR", IBV_WC_WR_FLUSH_ERR },
	{ "MW_BIND_ERR", IBV_WC_MW_BIND_ERR },
	{ "BAD_RESP_ERR", IBV_WC_BAD_RESP_ERR },
	{ "LOC_ACCESS_ERR", IBV_WC_LOC_ACCESS_ERR },
	{ "REM_INV_REQ_ERR", IBV_WC_REM_INV_REQ_ERR },
	{ "REM_ACCESS_ERR", IBV_WC_REM_ACCESS_ERR },
	{ "REM_OP_ERR", IBV_WC_REM_OP_ERR },
	{ "RETRY_EXC_ERR", IBV_WC_RETRY_EXC_ERR },
	{ "RNR_RETRY_EXC_ERR", IBV_WC_RNR_RETRY_EXC_ERR },
	{ "REM_ABORT_ERR", IBV_WC_REM_ABORT_ERR },
	{ "FATAL_ERR", IBV_WC_FATAL_ERR },
	{ "RESP_TIMEOUT_ERR", IBV_WC_RESP_TIMEOUT_ERR },
	{ "GENERAL_ERR", IBV_WC_GENERAL_ERR },
	{ NULL, 0 },
};

static const struct name errors[] = {
	{ "EINVAL", EINVAL }, { "ENOMEM", ENOMEM }, { "EIO", EIO }, { "EAGAIN", EAGAIN },
	{ NULL, 0 },
};

static const struct name events[] = {
	{ "DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL },
	{ "PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE },
	{ "PORT_ERR", IBV_EVENT_PORT_ERR },
	{ "LID_CHANGE", IBV_EVENT_LID_CHANGE },
	{ "PKEY_CHANGE", IBV_EVENT_PKEY_CHANGE },
	{ "SM_CHANGE", IBV_EVENT_SM_CHANGE },
	{ "CLIENT_REREGISTER", IBV_EVENT_CLIENT_REREGISTER },
	{ "GID_CHANGE", IBV_EVENT_GID_CHANGE },
	{ NULL, 0 },
};

static int find(const struct name *names, const char *name, uint32_t *value)
{
	for (; names->name; names++) {
		if (strcmp(names->name, name))
			continue;
		*value = names->value;
		return 0;
	}
	return -EINVAL;
}

static int count(const char *text, uint64_t *n)
{
	char *end;

	*n = strtoull(text, &end, 10);
	return end == text || *end || !*n ? -EINVAL : 0;
}

/* port: ":2", or nothing for port 1. */
static int down(struct settings_fault *f, const char *port, char *at)
{
	char *plus = strchr(at, '+');
	uint64_t n = 1;

	f->kind = SETTINGS_FAULT_DOWN;
	if (*port && (*port != ':' || count(port + 1, &n) || n > SETTINGS_PORTS))
		return -EINVAL;
	f->value = (uint32_t)n;
	if (!plus)
		return -EINVAL;
	*plus = '\0';
	return settings_time(at, &f->at_ns) || settings_time(plus + 1, &f->for_ns) ? -EINVAL : 0;
}

static int one(struct settings_fault *f, char *part)
{
	char *at = strchr(part, '@');

	if (!at)
		return -EINVAL;
	*at++ = '\0';
	if (!strncmp(part, "port-down", 9))
		return down(f, part + 9, at);
	if (!strncmp(part, "async:", 6)) {
		f->kind = SETTINGS_FAULT_ASYNC;
		if (find(events, part + 6, &f->value))
			return -EINVAL;
		return settings_time(at, &f->at_ns);
	}
	if (count(at, &f->n))
		return -EINVAL;
	if (!strcmp(part, "event-lost") || !strcmp(part, "event-extra")) {
		f->kind = part[6] == 'l' ? SETTINGS_FAULT_EVENT_LOST : SETTINGS_FAULT_EVENT_EXTRA;
		return 0;
	}
	if (!strncmp(part, "wc:", 3)) {
		f->kind = SETTINGS_FAULT_WC;
		return find(statuses, part + 3, &f->value);
	}
	if (!strncmp(part, "query:", 6)) {
		f->kind = SETTINGS_FAULT_QUERY;
		return find(errors, part + 6, &f->value);
	}
	f->kind = SETTINGS_FAULT_POST;
	return strncmp(part, "post:", 5) ? -EINVAL : find(errors, part + 5, &f->value);
}

int settings_faults(struct settings_dev *dev, const char *text)
{
	char copy[512], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *part = strtok_r(copy, ", \t", &save); part; part = strtok_r(NULL, ", \t", &save))
		if (dev->n_faults == SETTINGS_FAULTS || one(&dev->fault[dev->n_faults++], part))
			return -EINVAL;
	return 0;
}
