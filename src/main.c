/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds the command by the name of the program (vb_send_bw) or by its first word (verbench
 * send_bw), and runs it. The only place that exits and that prints usage and refusals.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/clock.h"
#include "util/err.h"
#include "commands/list.h"
#include "util/log.h"
#include "config/options.h"
#include "commands/place.h"
#include "plan/plan_rules.h"
#include "commands/serve.h"
#include "session/session.h"
#include "commands/preload.h"
#include "util/signals.h"

enum { EXIT_MEASURED, EXIT_FAILED, EXIT_REFUSED };

/* The words of the command, and all words of main(). */
struct words {
	int argc;
	char **argv;
	char **whole;
};

struct command {
	const char *name;
	int (*run)(const struct command *cmd, const struct words *words);
	enum options_command options;
	enum test test;
	const char *help;
	const char *usage; /* NULL: a test */
};

static void print_help(const struct command *cmd)
{
	if (cmd->usage)
		printf("%s", cmd->usage);
	else
		printf("Usage: vb_%s [OPTIONS] HOST    measure against the server on HOST\n"
		       "       vb_%s [OPTIONS]         serve one client; takes only the options of \"Where\"\n"
		       "\"verbench %s\" is the same.\n",
		       cmd->name, cmd->name, cmd->name);
	options_help(stdout, cmd->options, cmd->test);
}

/* Exit status, or -1 to go on. */
static int parse(struct cfg *cfg, const struct command *cmd, const struct words *words)
{
	int rc = options_parse(cfg, cmd->options, words->argc, words->argv);

	if (!rc && cfg->version) {
		printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
		return EXIT_MEASURED;
	}
	if (!rc && cfg->help) {
		print_help(cmd);
		return EXIT_MEASURED;
	}
	if (!rc)
		rc = plan_rules(cfg);
	if (!rc && cfg->soft)
		rc = preload_enter(words->whole);
	if (rc) {
		log_error("%s", err_text());
		return EXIT_REFUSED;
	}
	return -1;
}

static int start(void)
{
	clock_init();
	if (!signals_init())
		return 0;
	log_error("%s", err_text());
	return EXIT_FAILED;
}

static int run_test(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, cmd, words);

	if (status >= 0)
		return status;
	if (start())
		return EXIT_FAILED;
	return cfg.host ? session_client(&cfg) : serve_run(&cfg, SERVE_ONE_CLIENT);
}

static int run_serve(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, cmd, words);

	if (status >= 0)
		return status;
	return start() ? EXIT_FAILED : serve_run(&cfg, SERVE_MANY);
}

static int run_list(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, cmd, words);

	if (status >= 0)
		return status;
	return cfg.topology ? list_topology(stdout, cfg.topology_xml) : list_run(stdout);
}

static int run_place(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, cmd, words);

	return status >= 0 ? status : place_run(&cfg, stdout);
}

/* A row of a test. */
#define TEST(test_name, kind, text) { .name = test_name, .run = run_test, \
	.options = OPTIONS_TEST, .test = kind, .help = text }

static const struct command commands[] = {
	TEST("send_bw", TEST_SEND_BW, "bandwidth of send"),
	TEST("send_lat", TEST_SEND_LAT, "latency of send"),
	TEST("write_bw", TEST_WRITE_BW, "bandwidth of RDMA write"),
	TEST("write_lat", TEST_WRITE_LAT, "latency of RDMA write"),
	TEST("read_bw", TEST_READ_BW, "bandwidth of RDMA read"),
	TEST("read_lat", TEST_READ_LAT, "latency of RDMA read"),
	TEST("atomic_bw", TEST_ATOMIC_BW, "rate of compare-and-swap or fetch-and-add"),
	TEST("atomic_lat", TEST_ATOMIC_LAT, "latency of compare-and-swap or fetch-and-add"),
	{ .name = "serve", .run = run_serve, .options = OPTIONS_SERVE,
	  .help = "serve any number of clients and every test",
	  .usage = "Usage: verbench serve [OPTIONS]\n"
		   "Serves clients until it is stopped. The clients choose what to measure.\n" },
	{ .name = "list", .run = run_list, .options = OPTIONS_LIST,
	  .help = "list the RDMA devices",
	  .usage = "Usage: verbench list [--soft] [--topology [xml]]\n"
		   "Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs.\n" },
	{ .name = "place", .run = run_place, .options = OPTIONS_PLACE,
	  .help = "show where measuring threads and their memory would be",
	  .usage = "Usage: verbench place --device NAME [OPTIONS]\n"
		   "Prints which cpus and which memory the measuring threads would get, and why. Opens no device.\n"
		   "HWLOC_XMLFILE=FILE: on the machine that the file describes (lstopo FILE.xml).\n" },
};

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: verbench COMMAND [OPTIONS] [HOST]\n\n"
		     "Measures RDMA verbs between two nodes. Start \"verbench serve\" on one node. On the other node\n"
		     "start a test; HOST is the name of the first node.\n\nCommands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-12s%s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n\"verbench COMMAND --help\" prints the options of the command. vb_send_bw is another name of\n"
		     "\"verbench send_bw\", and so for every test.\n");
}

/* "verbench" with a word that is not the name of a command. */
static int run_word(const char *word)
{
	if (!word) {
		print_usage(stderr);
		return EXIT_REFUSED;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		print_usage(stdout);
		return EXIT_MEASURED;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
		return EXIT_MEASURED;
	}
	log_error("\"%s\" is not a command; \"verbench --help\" lists them", word);
	return EXIT_REFUSED;
}

static int dispatch(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	const struct command *cmd = strncmp(name, "vb_", 3) ? NULL : find(name + 3);
	struct words words = { argc, argv, argv };

	/* vb_serve and vb_list do not exist */
	if (cmd && cmd->run == run_test) {
		log_name(name);
		return cmd->run(cmd, &words);
	}
	cmd = argc > 1 ? find(argv[1]) : NULL;
	if (!cmd)
		return run_word(argc > 1 ? argv[1] : NULL);
	words.argc--;
	words.argv++;
	return cmd->run(cmd, &words);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	/* a result that cannot be written is a failure */
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: not everything could be written");
		return status ? status : EXIT_FAILED;
	}
	return status;
}
