/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names to commands: the program's own name (vb_send_bw) or its first word (verbench send_bw). The
 * only place that exits, and where the sentence of a refusal is printed.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/clock.h"
#include "util/err.h"
#include "commands/list.h"
#include "util/log.h"
#include "config/opts.h"
#include "commands/place.h"
#include "commands/serve.h"
#include "session/session.h"
#include "commands/preload.h"
#include "util/signals.h"

enum { EXIT_MEASURED, EXIT_FAILED, EXIT_REFUSED };

/* A command's own words, and all of them as main got them. */
struct words {
	int argc;
	char **argv;
	char **whole;
};

struct command {
	const char *name;
	int (*run)(const struct command *cmd, const struct words *words);
	enum test test;
	const char *help;
};

/* Exit status, or -1 to go on. */
static int parse(struct cfg *cfg, enum opts_mode mode, const struct words *words)
{
	int rc = opts_parse(cfg, mode, words->argc, words->argv);

	if (!rc && cfg->soft)
		rc = preload_enter(words->whole);
	if (rc < 0) {
		log_error("%s", err_text());
		return EXIT_REFUSED;
	}
	return rc ? EXIT_MEASURED : -1;
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
	int status = parse(&cfg, OPTS_TEST, words);

	if (status >= 0)
		return status;
	if (start())
		return EXIT_FAILED;
	return cfg.host ? session_client(&cfg) : serve_run(&cfg, SERVE_ONE_CLIENT);
}

static int run_serve(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, OPTS_SERVE, words);

	if (status >= 0)
		return status;
	return start() ? EXIT_FAILED : serve_run(&cfg, SERVE_MANY);
}

static int run_list(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, OPTS_LIST, words);

	if (status >= 0)
		return status;
	return cfg.topology ? list_topology(stdout, cfg.topology_xml) : list_run(stdout);
}

static int run_place(const struct command *cmd, const struct words *words)
{
	struct cfg cfg = { .test = cmd->test };
	int status = parse(&cfg, OPTS_PLACE, words);

	return status >= 0 ? status : place_run(&cfg, stdout);
}

static const struct command commands[] = {
	{ "send_bw", run_test, TEST_SEND_BW, "bandwidth of send" },
	{ "send_lat", run_test, TEST_SEND_LAT, "latency of send" },
	{ "write_bw", run_test, TEST_WRITE_BW, "bandwidth of RDMA write" },
	{ "write_lat", run_test, TEST_WRITE_LAT, "latency of RDMA write" },
	{ "read_bw", run_test, TEST_READ_BW, "bandwidth of RDMA read" },
	{ "read_lat", run_test, TEST_READ_LAT, "latency of RDMA read" },
	{ "atomic_bw", run_test, TEST_ATOMIC_BW, "rate of compare-and-swap or fetch-and-add" },
	{ "atomic_lat", run_test, TEST_ATOMIC_LAT, "latency of compare-and-swap or fetch-and-add" },
	{ "serve", run_serve, TEST_SEND_BW, "serve any number of clients, every test" },
	{ "list", run_list, TEST_SEND_BW, "what RDMA devices there are" },
	{ "place", run_place, TEST_SEND_BW, "where measuring threads and their memory would be" },
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
		     "Measures RDMA verbs between two nodes: start \"verbench serve\" on one, "
		     "a test with its name\nas HOST on the other.\n\nCommands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-12s%s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n\"verbench COMMAND --help\" tells the options. vb_send_bw is another name "
		     "of \"verbench send_bw\", and\nso for every test.\n");
}

/* "verbench" and a word that is no command. */
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

	/* vb_serve and vb_list are no names of ours */
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

	/* results that did not reach the disk are no results */
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: not everything could be written");
		return status ? status : EXIT_FAILED;
	}
	return status;
}
