/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what the sides tell each other for "verbench check"; see facts.h. Called by session_client.c
 * and session_server.c. Must not judge it.
 */
#include "config.h"
#include "session/facts.h"

#include <errno.h>

#include "control/proto.h"
#include "util/err.h"

static void read_own(const struct agree *a, struct limits *limits, struct machine *machine)
{
	*limits = a->own->dev.limits;
	machine_read(machine, limits->device, limits->netdev);
}

static int await_facts(struct agree *a, struct session_facts *facts)
{
	json_t *msg = NULL;
	int rc = ctl_recv(a->ctl, "facts", &msg, a->local->connect_timeout_ms);

	if (!rc)
		rc = limits_decode(&a->peer, json_object_get(msg, "limits"));
	if (!rc)
		rc = field_decode(&machine_table, &facts->machine[SIDE_SERVER],
				  json_object_get(msg, "machine"));
	json_decref(msg);
	if (rc)
		return rc;
	facts->limits[SIDE_SERVER] = a->peer;
	facts->known[SIDE_SERVER] = true;
	return 0;
}

int facts_client(struct agree *a, struct session_facts *facts)
{
	int rc;

	*facts = (struct session_facts){ .known = { false } };
	a->test = *a->local;
	a->refused = false;
	rc = agree_ask(a);
	if (!rc)
		rc = await_facts(a, facts);
	a->refused = rc == -EPERM;
	if (rc)
		return rc;
	rc = agree_device(a);
	if (rc)
		return rc;
	read_own(a, &facts->limits[SIDE_CLIENT], &facts->machine[SIDE_CLIENT]);
	facts->known[SIDE_CLIENT] = true;
	return 0;
}

int facts_server(struct agree *a, const json_t *ask)
{
	struct machine machine;
	struct limits limits;
	int rc = agree_read(a, ask);

	if (!rc)
		rc = agree_device(a);
	if (rc)
		return rc;
	read_own(a, &limits, &machine);
	return ctl_send(a->ctl,
			json_pack("{s:s,s:o,s:o}", "type", "facts", "limits",
				  limits_encode(&limits), "machine",
				  field_encode(json_object(), &machine_table, &machine,
					       FIELD_WIRE)),
			a->local->connect_timeout_ms);
}
