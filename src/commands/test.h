/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A test: the client's side, or a server for one client. */
#ifndef TEST_H
#define TEST_H

#include "config/cfg.h"

/*
 * Measures what cfg asks for against the server on cfg->host, and reports it. Returns the exit
 * status. After signals_init().
 */
int test_client(const struct cfg *cfg);

/*
 * With a host test_client(), without one a server for one client. Returns the exit status. Before
 * command_start().
 */
int test_run(const struct cfg *cfg);

#endif
