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

#include "config/values.h"

#define SEPARATORS ", \t"

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

/* A kind of fault: how it begins, the words that may follow, and its form for messages. */
struct form {
	const char *begins;
	enum settings_fault_kind kind;
	const struct name *names; /* NULL: no word follows */
	const char *form;
};

static const struct form forms[] = {
	{ "wc:", SETTINGS_FAULT_WC, statuses, "wc:STATUS@N" },
	{ "post:", SETTINGS_FAULT_POST, errors, "post:ERRNO@N" },
	{ "query:", SETTINGS_FAULT_QUERY, errors, "query:ERRNO@PORT" },
	{ "event-lost", SETTINGS_FAULT_EVENT_LOST, NULL, "event-lost@N" },
	{ "event-extra", SETTINGS_FAULT_EVENT_EXTRA, NULL, "event-extra@N" },
	{ "port-down", SETTINGS_FAULT_DOWN, NULL, "port-down@T+D or port-down:PORT@T+D" },
	{ "async:", SETTINGS_FAULT_ASYNC, events, "async:EVENT@T" },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* port: ":2", or nothing for port 1. */
static int down(struct settings_fault *f, const char *port, char *at)
{
	char *plus = strchr(at, '+');
	uint64_t n = 1;

	if (*port && (*port != ':' || values_count(port + 1, 1, SETTINGS_PORTS, &n)))
		return -EINVAL;
	f->value = (uint32_t)n;
	if (!plus)
		return -EINVAL;
	*plus = '\0';
	return values_time(at, &f->at_ns) || values_time(plus + 1, &f->for_ns) ? -EINVAL : 0;
}

static const struct form *find_form(const char *part)
{
	for (size_t i = 0; i < FORMS; i++)
		if (!strncmp(part, forms[i].begins, strlen(forms[i].begins)))
			return &forms[i];
	return NULL;
}

/* rest: what follows the beginning. It is changed. */
static int one(struct settings_fault *f, const struct form *form, char *rest)
{
	char *at = strchr(rest, '@');

	if (!at)
		return -EINVAL;
	*at++ = '\0';
	f->kind = form->kind;
	if (form->kind == SETTINGS_FAULT_DOWN)
		return down(f, rest, at);
	if (form->names ? find(form->names, rest, &f->value) : *rest ? -EINVAL : 0)
		return -EINVAL;
	if (form->kind == SETTINGS_FAULT_ASYNC)
		return values_time(at, &f->at_ns);
	return values_count(at, 1, form->kind == SETTINGS_FAULT_QUERY ? SETTINGS_PORTS :
									 UINT64_MAX, &f->n);
}

static void say_allowed(const struct form *form)
{
	for (size_t i = 0; !form && i < FORMS; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", forms[i].form);
	if (!form)
		return;
	fprintf(stderr, "%s; N from 1, PORT 1 to %d, T and D times", form->form, SETTINGS_PORTS);
	for (const struct name *n = form->names; n && n->name; n++)
		fprintf(stderr, "%s %s", n == form->names ? ";" : ",", n->name);
}

static int read_part(struct settings_dev *dev, const char *where, const char *part)
{
	const struct form *form = find_form(part);
	char *rest = form ? strdup(part + strlen(form->begins)) : NULL;
	int rc = -EINVAL;

	if (dev->n_faults == SETTINGS_FAULTS) {
		fprintf(stderr, "softhca: %s: %s: at most %d faults\n", where, part,
			SETTINGS_FAULTS);
	} else if (!rest || one(&dev->fault[dev->n_faults++], form, rest)) {
		fprintf(stderr, "softhca: %s: %s: must be ", where, part);
		say_allowed(form);
		fputc('\n', stderr);
	} else {
		rc = 0;
	}
	free(rest);
	return rc;
}

int settings_faults(struct settings_dev *dev, const char *where, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	int rc = copy ? 0 : -ENOMEM;

	for (char *part = copy ? strtok_r(copy, SEPARATORS, &save) : NULL; part && !rc;
	     part = strtok_r(NULL, SEPARATORS, &save))
		rc = read_part(dev, where, part);
	free(copy);
	return rc;
}
