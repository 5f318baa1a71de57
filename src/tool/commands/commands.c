/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rows of the subcommands, and the small ones: help, version, key, perftest-path. */
#include "config.h"
#include "commands/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/report.h"
#include "check/check.h"
#include "frame/command.h"
#include "run/run_sweep.h"
#include "selftest/selftest.h"
#include "serve/serve.h"
#include "wire/key.h"
#include "util/err.h"
#include "util/log.h"
#include "causes/nearest.h"
#include "util/text.h"

#define PROBE "/ib_write_bw" /* one of the drop-in programs */

#define TEST_USAGE "Usage: vb_@ [OPTIONS] HOST[:PORT]  measure against the server on HOST\n" \
	"       vb_@ [OPTIONS]              serve one client, with any test;\n" \
	"                      options of a test are what it expects of the client\n" \
	"\"verbench @\" is the same command.\n"

/* A row of a test. */
#define TEST(test_name, kind, text) { .name = test_name, .run = test_command, \
	.options = OPTIONS_TEST, .has_program = true, .test = kind, .help = text, \
	.usage = TEST_USAGE }

static const struct command rows[] = {
	{ .name = "serve", .heading = "Start here", .run = serve_command, .options = OPTIONS_SERVE,
	  .help = "serve any number of clients and every test",
	  .usage = "Usage: verbench serve [OPTIONS]\n"
		   "Serves clients until it is stopped. The clients choose what to measure; options\n"
		   "of a test (\"vb_send_bw --help\") refuse the clients that ask for something else.\n" },
	{ .name = "check", .run = check_command, .options = OPTIONS_CHECK, .test = TEST_SEND_BW,
	  .help = "what works between two hosts, and what costs performance",
	  .usage = "Usage: verbench check [OPTIONS] HOST[:PORT]  this host and the server on HOST\n"
		   "       verbench check [OPTIONS]              this host alone\n"
		   "To run in some seconds before anything is measured: which transports and opcodes\n"
		   "the two devices have and whether they work, small and large, polled and by\n"
		   "events, in both directions, with the content checked; what is not offered, and\n"
		   "why; the limits of both sides; what costs performance. HOST runs \"verbench\n"
		   "serve\". The exit status is 0 if everything that is offered works, 1 if not or if\n"
		   "nothing is offered, 2 if the check was refused.\n" },
	TEST("send_bw", TEST_SEND_BW, "bandwidth of send"),
	TEST("send_lat", TEST_SEND_LAT, "latency of send"),
	TEST("write_bw", TEST_WRITE_BW, "bandwidth of RDMA write"),
	TEST("write_lat", TEST_WRITE_LAT, "latency of RDMA write"),
	TEST("read_bw", TEST_READ_BW, "bandwidth of RDMA read"),
	TEST("read_lat", TEST_READ_LAT, "latency of RDMA read"),
	TEST("atomic_bw", TEST_ATOMIC_BW, "rate of compare-and-swap or fetch-and-add"),
	TEST("atomic_lat", TEST_ATOMIC_LAT, "latency of compare-and-swap or fetch-and-add"),
	{ .name = "run", .heading = "Sweeps and reports", .run = run_command, .options = OPTIONS_RUN,
	  .help = "measure lists of values, or a scenario, over one connection",
	  .usage = "Usage: verbench run [OPTIONS] SCENARIO... HOST[:PORT][:DEVICE]...\n"
		   "       verbench run --test TEST,... [OPTIONS] HOST[:PORT][:DEVICE]...\n"
		   "       verbench run --list\n"
		   "Measures each combination of values, a cell, with a row of its own. HOST runs\n"
		   "\"verbench serve\". Options of a test take lists: -s 64,4k, -s 2:8M:*2, -q 1:4,\n"
		   "--duration 1:9:+2, --completion poll,event, --imm on,off. The list that is given\n"
		   "last changes fastest. They replace those of a scenario. Several HOSTs, or\n"
		   "several devices (-d A,B), are pairs that are measured at the same time.\n" },
	{ .name = "mesh", .run = mesh_command, .options = OPTIONS_MESH,
	  .help = "measure many nodes, each with others, under srun, mpirun or Kubernetes",
	  .usage = "Usage: srun ... verbench mesh --test TEST,... [OPTIONS]\n"
		   "       verbench mesh --ranks RANK/SIZE --join HOST --test TEST,... [OPTIONS]\n"
		   "One process on each node, all with the same options. They meet at rank 0, which says\n"
		   "which pairs measure at the same time (--schedule), and writes the results of all.\n"
		   "Options of a test take lists, as those of \"verbench run\". Who may take part is said\n"
		   "by --key FILE, --key - (a line of standard input), the variable VERBENCH_KEY, or\n"
		   "--allow. The exit status is 0 if all pairs are measured, 1 if not, 2 if the command\n"
		   "line is refused, 3 if --expect is not met.\n" },
	{ .name = "compare-completion", .run = run_completion_command, .options = OPTIONS_RUN,
	  .defaults = run_completion_defaults,
	  .help = "polling, events and hybrid side by side, and the answer in words",
	  .usage = "Usage: verbench compare-completion [OPTIONS] HOST[:PORT]\n"
		   "Runs the scenario \"completion\" (\"verbench run --list completion\") and prints one\n"
		   "table of its medians: rate, latency, CPU time per message on both sides; and in\n"
		   "three lines, what events and hybrid are beside polling, where the rounds differ\n"
		   "less than that. HOST runs \"verbench serve\". --csv FILE keeps the rows.\n" },
	{ .name = "report", .run = report_command, .options = OPTIONS_REPORT,
	  .help = "summaries and comparisons of files of results",
	  .usage = "Usage: verbench report [OPTIONS] FILE...\n"
		   "Reads rows of --csv, --jsonl and --json, of this version and older ones, and what\n"
		   "perftest printed. Prints a line for each combination of the settings that vary.\n"
		   "Repeats become one line, with their median, minimum and maximum. FILE -: standard\n"
		   "input.\n" },
	{ .name = "list", .heading = "What this host has", .run = list_command, .options = OPTIONS_LIST,
	  .help = "list the RDMA devices",
	  .usage = "Usage: verbench list [--soft] [--topology [xml]]\n"
		   "Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs.\n" },
	{ .name = "place", .run = topology_place, .options = OPTIONS_PLACE,
	  .help = "show where measuring threads and their memory would be",
	  .usage = "Usage: verbench place --device NAME [OPTIONS]\n"
		   "Prints which cpus and which memory the measuring threads would get, and why.\n"
		   "Opens no device. With HWLOC_XMLFILE=FILE it uses the machine that the file\n"
		   "describes (lstopo FILE.xml).\n" },
	{ .name = "setup", .heading = "More", .run = setup_command, .options = OPTIONS_SETUP,
	  .help = "cost of memory regions, queue pairs and other objects",
	  .usage = "Usage: verbench setup [OPTIONS] HOST[:PORT]\n"
		   "Measures how long it takes to make and to destroy the objects of verbs, each\n"
		   "operation by itself. A server (\"verbench serve\") on HOST makes the queue pairs\n"
		   "of the other end.\n",
	  .more_help = setup_help },
	{ .name = "selftest", .run = selftest_command, .options = OPTIONS_SELFTEST,
	  .help = "are the figures of this machine right? Half a minute",
	  .usage = "Usage: verbench selftest [--inject PERCENT]\n"
		   "Measures emulated links whose bandwidth, delay and losses are known, and how long\n"
		   "the CPUs of this machine stand still meanwhile. Needs no RDMA device and no server.\n"
		   "The exit status is 0 if all figures are those of the links, 1 if not.\n" },
	{ .name = "pingpong", .run = test_pingpong, .options = OPTIONS_TEST,
	  .test = TEST_SEND_LAT, .help = "round trips of send, reported as by ibv_rc_pingpong",
	  .usage = "Usage: verbench @ [OPTIONS] HOST[:PORT]  exchange messages with HOST\n"
		   "       verbench @ [OPTIONS]         serve one client\n"
		   "The test is send_lat. Prints the addresses of the QPs, bytes, seconds, Mbit/sec\n"
		   "and usec per round trip. The size is 4096 bytes, over UD 1024, unless -s or -a\n"
		   "is given; 1000 round trips unless -n or -D is. No lists, --rounds, --shuffle,\n"
		   "--resume and --dry-run: it is one test.\n" },
	{ .name = "copy", .run = copy_command, .options = OPTIONS_COPY, .test = TEST_WRITE_BW,
	  .help = "send a file by RDMA write",
	  .usage = "Usage: verbench copy [OPTIONS] FILE HOST:FILE  send FILE to the server on HOST\n"
		   "       verbench copy --copy-to DIR [OPTIONS]     serve one; options of \"Where\"\n"
		   "The second FILE is below the directory of the server's --copy-to. Prints bytes,\n"
		   "seconds, Gbit/s and the SHA-256, which both sides have compared. An IPv6 address\n"
		   "is written [ADDRESS]:FILE.\n" },
	{ .name = "key", .run = commands_key, .options = OPTIONS_KEY,
	  .help = "make a key for --key",
	  .usage = "Usage: verbench key FILE\n"
		   "Makes FILE with a new random key, which only you can read. A server with --key FILE\n"
		   "serves only clients that have the same key, and tells others nothing. Copy FILE to\n"
		   "the other hosts by a way that nobody else reads, such as scp.\n" },
	{ .name = "perftest-path", .run = commands_perftest_path, .options = OPTIONS_PERFTEST_PATH,
	  .help = "print the folder of the programs ib_send_bw, ib_send_lat, ...",
	  .usage = "Usage: PATH=$(verbench perftest-path):$PATH\n"
		   "Prints a folder with programs that have the names, options and output of perftest's.\n" },
	{ .name = "version", .run = commands_version,
	  .help = "versions of verbench, rdma-core, hwloc; the providers" },
	{ .name = "help", .run = commands_help,
	  .help = "help [COMMAND] [all]: this list, or the options of a command" },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

const struct command *commands_at(size_t i)
{
	return i < N_ROWS ? &rows[i] : NULL;
}

const struct command *commands_find(const char *name)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

const struct command *commands_need(const char *name)
{
	const struct command *cmd = commands_find(name);
	const char *word = strncmp(name, "vb_", 3) ? name : name + 3;
	struct nearest n = nearest_to(word, strlen(word));

	for (size_t i = 0; i < N_ROWS && !cmd; i++)
		nearest_try(&n, rows[i].name);
	if (!cmd && name[0] == '-')
		log_error("%s: a command comes first: \"verbench serve\" on one host, a test such as \"vb_write_bw HOST\" on the other; \"verbench help\" lists all",
			  name);
	else if (!cmd)
		log_error("\"%s\" is not a command%s", name,
			  nearest_hint(&n, "", "; \"verbench help\" lists them"));
	return cmd;
}

void commands_print(FILE *out)
{
	fprintf(out, "Usage: verbench COMMAND [OPTIONS] [HOST]\n\n"
		     "Measures RDMA verbs between two nodes. Start \"verbench serve\" on one node. On\n"
		     "the other node start a test; HOST is the name of the first node.\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].heading)
			fprintf(out, "\n%s:\n", rows[i].heading);
		fprintf(out, "  %-20s%s\n", rows[i].name, rows[i].help);
	}
	fprintf(out, "\nExamples, with \"verbench serve\" on node1:\n"
		     "  verbench write_bw node1                     bandwidth, for a second\n"
		     "  verbench run size-sweep --csv a.csv node1   all sizes; the rows in a file\n"
		     "  verbench report --html a.html a.csv         a page with pictures of them\n"
		     "\n\"verbench help COMMAND\" prints the options of the command. Each test also has a\n"
		     "program name: vb_send_bw is the same as \"verbench send_bw\".\n");
}

/* "help", "help COMMAND", "help COMMAND all". */
int commands_help(const struct command *cmd, const struct command_line *line)
{
	const char *name = command_operand(line, 1), *all = name ? command_operand(line, 2) : NULL;
	const char *more = all ? command_operand(line, 3) : NULL;

	if (name && (!strcmp(name, "-h") || !strcmp(name, "--help")))
		name = NULL;
	if (!name) {
		commands_print(stdout);
		return COMMAND_OK;
	}
	if (more || (all && strcmp(all, "all"))) {
		log_error("help takes a command and \"all\": \"%s\"", more ? more : all);
		return COMMAND_REFUSED;
	}
	cmd = commands_need(strncmp(name, "vb_", 3) ? name : name + 3);
	if (!cmd)
		return COMMAND_REFUSED;
	if (cmd->usage)
		command_help(cmd, all);
	else
		command_usage(cmd);
	return COMMAND_OK;
}

/* ---- the other small ones */

int commands_version(const struct command *cmd, const struct command_line *line)
{
	const char *operand = command_operand(line, 1);

	if (operand && (!strcmp(operand, "-h") || !strcmp(operand, "--help"))) {
		command_usage(cmd);
		return COMMAND_OK;
	}
	if (operand) {
		log_error("%s takes no operands: \"%s\"", cmd->name, operand);
		return COMMAND_REFUSED;
	}
	program_version();
	return COMMAND_OK;
}

int commands_key(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	if (!key_make(cfg.files[0]))
		return COMMAND_OK;
	log_error("%s", err_text());
	return COMMAND_FAILED;
}

/* Beside the program in a build tree, below its prefix, else where configured. */
static bool find_folder(char path[PATH_MAX])
{
	static const char *const places[] = { "/perftest", "/../libexec/verbench/perftest" };
	char self[PATH_MAX / 2], probe[PATH_MAX + sizeof(PROBE)], near[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		self[len] = '\0';
		snprintf(near, sizeof(near), "%.*s%s", (int)(strrchr(self, '/') - self), self,
			 places[i]);
		snprintf(probe, sizeof(probe), "%s" PROBE, near);
		if (!access(probe, X_OK))
			return realpath(near, path);
	}
	snprintf(path, PATH_MAX, "%s", PERFTEST_DIR);
	return !access(PERFTEST_DIR PROBE, X_OK);
}

int commands_perftest_path(const struct command *cmd, const struct command_line *line)
{
	char path[PATH_MAX];
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	if (!find_folder(path)) {
		log_error("the drop-in programs are neither next to this program nor in %s", path);
		return COMMAND_FAILED;
	}
	puts(path);
	return COMMAND_OK;
}

/* ---- for all commands */

void commands_screen_open(struct commands_screen *screen)
{
	screen->text = NULL;
	screen->out = open_memstream(&screen->text, &screen->len);
	if (screen->out)
		return;
	log_error("no memory");
	exit(COMMAND_FAILED);
}

void commands_screen_close(struct commands_screen *screen)
{
	if (!fclose(screen->out))
		screen_fold(stdout, screen->text, screen_columns());
	free(screen->text);
}
