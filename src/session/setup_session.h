/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A plan of setup on both sides, after it is agreed: docs/protocol.md, "Setup". The client measures
 * (setup/measure.h) and asks; the server makes QPs (setup/answer.h).
 */
#ifndef SETUP_SESSION_H
#define SETUP_SESSION_H

#include <jansson.h>

#include "session/agree.h"
#include "session/points.h"
#include "session/session.h"

/*
 * points: agree and origin are set; fills not_ok and interrupted. 0: every row is measured, and the
 * server waits for the next plan or bye. -errno with an error message.
 */
int setup_client(struct points *points, const struct session_setup *setup)
	__attribute__((warn_unused_result));

/*
 * Answers until a plan or bye comes, which is *next, the caller's to json_decref. -errno with an
 * error message.
 */
int setup_server(struct agree *a, json_t **next) __attribute__((warn_unused_result));

#endif
