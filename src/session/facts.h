/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages check and facts: docs/protocol.md, "Check". Nothing is agreed and nothing measured;
 * the devices of both sides are open afterwards.
 */
#ifndef FACTS_H
#define FACTS_H

#include <jansson.h>

#include "session/agree.h"
#include "session/session.h"

/*
 * Asks the server, then opens the client's own device. -EPERM: the server has none, and the session
 * goes on. With an error message.
 */
int facts_client(struct agree *a, struct session_facts *facts) __attribute__((warn_unused_result));

/* Answers. -errno with an error message. */
int facts_server(struct agree *a, const json_t *ask) __attribute__((warn_unused_result));

#endif
