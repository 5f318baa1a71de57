/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * In place of all that needs rdma-core, in a program of configure --without-rdma: each of the other
 * commands says so, and there are no devices.
 */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>

#include "check/check.h"
#include "device/dev_names.h"
#include "objects/measure.h"
#include "perftest/dropin.h"
#include "run/run_sweep.h"
#include "selftest/selftest.h"
#include "serve/serve.h"
#include "util/err.h"
#include "util/log.h"
#include "wire/key.h"

#define WITHOUT "this program was built without rdma-core (configure --without-rdma)"

static int refused(const struct command *cmd, const struct command_line *line)
{
	(void)line;
	log_error("%s: " WITHOUT, cmd->name);
	return COMMAND_REFUSED;
}

#define REFUSED(function) \
	int function(const struct command *cmd, const struct command_line *line) \
		__attribute__((alias("refused")));

REFUSED(check_command)
REFUSED(copy_command)
REFUSED(list_command)
REFUSED(mesh_command)
REFUSED(run_command)
REFUSED(run_completion_command)
REFUSED(selftest_command)
REFUSED(serve_command)
REFUSED(setup_command)
REFUSED(test_command)
REFUSED(test_pingpong)

void setup_help(FILE *out)
{
	(void)out;
}

void run_completion_defaults(char *defaults[])
{
	(void)defaults;
}

bool dropin_find(const char *program, enum test *test)
{
	(void)program;
	(void)test;
	return false;
}

int dropin_main(const char *program, enum test test, int n, char **words)
{
	(void)program;
	(void)test;
	(void)n;
	(void)words;
	return COMMAND_REFUSED;
}

const struct measure *measure_find(const char *name)
{
	(void)name;
	return NULL;
}

int key_make(const char *path)
{
	(void)path;
	return err_set(-ENOTSUP, "key: " WITHOUT);
}

int dev_names(struct dev_names *names, const char *device)
{
	(void)device;
	*names = (struct dev_names){ .n = 0 };
	return 0;
}

enum remedy dev_none_cause(const char *root)
{
	(void)root;
	return REMEDY_NO_DEVICE;
}
