/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * THE option table: one row per option, from which come parser, help, man page, echo and the
 * plan on the wire. Add an option here and in cfg.h; what it may not be combined with stands in
 * opts_rules.c, what it becomes in plan.c.
 */
#include "config.h"
#include "config/opts.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"
#include "config/apis.h"
#include "config/locks.h"
#include "host/hugepages.h"
#include "plan/walk.h"

enum {
	SEND = 1u << TEST_SEND_BW | 1u << TEST_SEND_LAT,
	WRITE = 1u << TEST_WRITE_BW | 1u << TEST_WRITE_LAT,
	READ = 1u << TEST_READ_BW | 1u << TEST_READ_LAT,
	BW = 1u << TEST_SEND_BW | 1u << TEST_WRITE_BW | 1u << TEST_READ_BW | 1u << TEST_ATOMIC_BW,
	ATOMIC = 1u << TEST_ATOMIC_BW | 1u << TEST_ATOMIC_LAT,
	RC = 1u << TP_RC,
};

static const char *const atomic_names[] = { "cmp_swap", "fetch_add", NULL };

const struct opt opts_table[] = {
	{ .group = "Where (on either side)",
	  .name = "device", .letter = 'd', OPT_FIELD(struct cfg, device), .flags = OPT_LOCAL,
	  .arg = "NAME", .help = "RDMA device; default: the first with an active port that reaches "
		  "the peer" },
	{ .name = "soft", OPT_FIELD(struct cfg, soft), .flags = OPT_LOCAL,
	  .help = "add emulated devices (softhca0, ...): both sides on one machine, no hardware; "
		  "softhca --help says how their link is set" },
	{ .name = "ib-port", .letter = 'i', OPT_FIELD(struct cfg, ib_port),
	  .flags = OPT_LOCAL | OPT_AUTO, .def = "auto", .min = 1, .max = 255, .arg = "N",
	  .help = "port of the device; auto: the first active one" },
	{ .name = "gid-index", .letter = 'x', OPT_FIELD(struct cfg, gid_index),
	  .flags = OPT_LOCAL | OPT_AUTO, .def = "auto", .min = 0, .max = 255, .arg = "N",
	  .help = "index into the port's GID table; auto: chosen as a pair from both tables" },
	{ .name = "port", .letter = 'p', OPT_FIELD(struct cfg, tcp_port), .flags = OPT_LOCAL,
	  .def = "18515", .min = 1, .max = 65535, .arg = "N",
	  .help = "TCP port of the control connection" },
	{ .name = "connect-timeout", OPT_FIELD(struct cfg, connect_timeout_ms),
	  .flags = OPT_LOCAL | OPT_TIME, .def = "10", .min = 100, .max = 3600000, .arg = "TIME",
	  .help = "how long to try to reach the server and to agree with it: seconds (5, 0.5) or "
		  "500ms" },
	{ .name = "stall-timeout", OPT_FIELD(struct cfg, stall_timeout_ms),
	  .flags = OPT_LOCAL | OPT_SHARED | OPT_TIME, .def = "5", .min = 100, .max = 3600000,
	  .arg = "TIME",
	  .help = "end the run when nothing has moved for so long: seconds or 500ms; while a test "
		  "runs the client's holds on both sides" },
	{ .name = "csv", OPT_FIELD(struct cfg, csv), .flags = OPT_LOCAL, .arg = "FILE|-",
	  .help = "write results as CSV; -: to standard output" },
	{ .name = "json", OPT_FIELD(struct cfg, json), .flags = OPT_LOCAL, .arg = "FILE|-",
	  .help = "write options, plan and results as one JSON document (serve: one per session, a "
		  "line each); -: to standard output" },

	{ .group = "What (on the client; the server learns it)",
	  .name = "transport", .letter = 'c', OPT_FIELD(struct cfg, transport), .def = "RC",
	  .names = kind_transport_names, .help = "transport service" },
	{ .name = "completion", OPT_FIELD(struct cfg, completion), .def = "poll",
	  .names = kind_completion_names, .help = "how completions are taken: busy polling, "
		  "events, or polling for a while (--spin) before waiting for an event" },
	{ .name = "events", .letter = 'e', OPT_FIELD(struct cfg, events), .flags = OPT_SHORTHAND,
	  .help = "short for --completion event" },
	{ .name = "spin", OPT_FIELD(struct cfg, spin_us), .def = "20", .min = 0, .max = 1000000,
	  .arg = "US", .help = "with --completion hybrid: microseconds of empty polls before it "
		  "sleeps" },
	{ .name = "imm", OPT_FIELD(struct cfg, imm), .tests = SEND | WRITE,
	  .help = "with immediate data, whose value and order are checked" },
	{ .name = "atomic", .letter = 'A', OPT_FIELD(struct cfg, atomic), .tests = ATOMIC,
	  .def = "fetch_add", .names = atomic_names, .help = "atomic operation" },
	{ .name = "both", .letter = 'b', OPT_FIELD(struct cfg, bidir), .tests = BW,
	  .help = "both ways at the same time" },
	{ .name = "verify", OPT_FIELD(struct cfg, verify),
	  .help = "check payload, immediate data and atomic results after each point, outside the "
		  "timed region" },

	{ .group = "How much",
	  .name = "size", .letter = 's', OPT_FIELD(struct cfg, size_bytes),
	  .flags = OPT_AUTO | OPT_SIZE, .tests = SEND | WRITE | READ, .def = "auto", .min = 1,
	  .max = 1ull << 31, .arg = "BYTES",
	  .help = "bytes per message, suffixes k, M, G (binary); auto: 64k for bandwidth (over UD "
		  "one MTU at most), 2 for latency" },
	{ .name = "all", .letter = 'a', OPT_FIELD(struct cfg, all_sizes),
	  .tests = SEND | WRITE | READ,
	  .help = "all sizes: powers of two from 1 byte to 8 MiB (over UD to the MTU)" },
	{ .name = "messages", .letter = 'n', OPT_FIELD(struct cfg, messages), .flags = OPT_AUTO,
	  .def = "auto", .min = 1, .max = 1000000000000, .arg = "N",
	  .help = "messages per QP and size; auto: 5000 for bandwidth, 1000 for latency" },
	{ .name = "duration", .letter = 'D', OPT_FIELD(struct cfg, duration_s), .flags = OPT_NONE,
	  .def = "none", .min = 1, .max = 2592000, .arg = "SECONDS",
	  .help = "run each size for a time instead of counting messages" },

	{ .group = "How",
	  .name = "depth", .letter = 't', OPT_FIELD(struct cfg, depth), .flags = OPT_AUTO,
	  .tests = BW, .def = "auto", .min = 1, .max = 16384, .arg = "N",
	  .help = "requests in flight per QP; auto: 128 or two post lists, or what the devices "
		  "hold" },
	{ .name = "recv-depth", .letter = 'r', OPT_FIELD(struct cfg, recv_depth), .flags = OPT_AUTO,
	  .tests = SEND | WRITE, .def = "auto", .min = 1, .max = 16384, .arg = "N",
	  .help = "receives kept posted per QP; auto: 512 for bandwidth or two post lists, "
		  "64 for latency, or what the devices hold" },
	{ .name = "qps", .letter = 'q', OPT_FIELD(struct cfg, qps),
	  .def = "1", .min = 1, .max = 16384, .arg = "N",
	  .help = "queue pairs of each thread; a latency test has its rounds on them in turn" },
	{ .name = "threads", OPT_FIELD(struct cfg, threads), .tests = BW,
	  .def = "1", .min = 1, .max = 256, .arg = "N",
	  .help = "measuring threads on each side, each with CQs, buffers and --qps queue pairs of "
		  "its own" },
	{ .name = "post-list", .letter = 'l', OPT_FIELD(struct cfg, post_list), .tests = BW,
	  .def = "1", .min = 1, .max = 16384, .arg = "N",
	  .help = "requests per doorbell; not above --depth" },
	{ .name = "signal-interval", .letter = 'Q', OPT_FIELD(struct cfg, signal_interval),
	  .flags = OPT_AUTO, .tests = BW, .def = "auto", .min = 1, .max = 16384, .arg = "N",
	  .help = "requests per signalled one (perftest: cq-mod); not above --depth, and a "
		  "multiple or a divisor of --post-list; auto: about a quarter of the depth" },
	{ .name = "inline", .letter = 'I', OPT_FIELD(struct cfg, inline_bytes), .flags = OPT_AUTO,
	  .tests = SEND | WRITE, .def = "auto", .min = 0, .max = 65536, .arg = "BYTES",
	  .help = "send messages up to this size inline; auto: 0 for bandwidth, for latency what "
		  "the devices grant" },
	{ .name = "outstanding", .letter = 'o', OPT_FIELD(struct cfg, outstanding),
	  .flags = OPT_AUTO, .tests = (READ | ATOMIC) & BW, .def = "auto", .min = 1,
	  .max = 255, .arg = "N",
	  .help = "reads or atomics in flight per QP on the wire; auto: the most that both devices "
		  "do" },
	{ .name = "footprint", OPT_FIELD(struct cfg, footprint_bytes),
	  .flags = OPT_AUTO | OPT_SIZE, .def = "auto", .min = 64, .max = 1ull << 40, .arg = "BYTES",
	  .help = "bytes of buffers that messages walk over, on each side and for all QPs of a "
		  "thread together; auto: a buffer for each request in flight (of many QPs, "
		  "for some), 8 KiB at least, to 8 MiB per QP" },
	{ .name = "walk", OPT_FIELD(struct cfg, walk), .def = "auto", .names = walk_names,
	  .help = "order of the buffers: one after the other, a fixed random permutation, or one "
		  "buffer per QP for all messages; auto: seq, but same where the last byte of the "
		  "payload counts the rounds" },
	{ .name = "hugepages", OPT_FIELD(struct cfg, hugepages), .def = "auto",
	  .names = hugepages_names,
	  .help = "pages behind the buffers; auto: hugepages where enough are free, and the "
		  "buffers fill one" },

	{ .name = "locks", OPT_FIELD(struct cfg, locks), .def = "auto", .names = locks_wish_names,
	  .help = "the provider's locks around queues that one thread owns; off: thread domains "
		  "and single-threaded CQs; auto: off where the device offers it" },

	{ .name = "post-api", OPT_FIELD(struct cfg, post_api), .def = "auto",
	  .names = apis_post_names, .help = "how requests are posted: by ibv_post_send or by "
		  "ibv_wr_*; auto: send" },
	{ .name = "poll-api", OPT_FIELD(struct cfg, poll_api), .def = "classic",
	  .names = apis_poll_names, .help = "how completions are polled: by ibv_poll_cq or, from "
		  "extended CQs, by ibv_start_poll" },

	{ .group = "Path",
	  .name = "mtu", .letter = 'm', OPT_FIELD(struct cfg, mtu_bytes),
	  .flags = OPT_AUTO | OPT_POW2, .def = "auto", .min = 256, .max = 4096, .arg = "BYTES",
	  .help = "path MTU; auto: the smaller of both ports' active MTUs" },
	{ .name = "sl", .letter = 'S', OPT_FIELD(struct cfg, sl), .def = "0", .min = 0, .max = 15,
	  .arg = "N", .help = "service level; on Ethernet the priority, to 7" },
	{ .name = "tclass", OPT_FIELD(struct cfg, tclass), .def = "0", .min = 0, .max = 255,
	  .arg = "N", .help = "traffic class of the GRH (RoCE v2: DSCP in the upper six bits)" },
	{ .name = "timeout", .letter = 'u', OPT_FIELD(struct cfg, qp_timeout), .transports = RC,
	  .def = "14", .min = 0, .max = 31, .arg = "CODE",
	  .help = "time-out for an acknowledgement: 4.096 us * 2^CODE; 0: for ever" },
	{ .name = "retry", OPT_FIELD(struct cfg, retry), .transports = RC, .def = "6", .min = 0,
	  .max = 7, .arg = "N",
	  .help = "retries after a time-out; 7 is a count like the others by the specification, "
		  "but for ever on Soft-RoCE" },
	{ .name = "rnr-retry", OPT_FIELD(struct cfg, rnr_retry), .tests = SEND | WRITE,
	  .transports = RC, .def = "6", .min = 0, .max = 7, .arg = "N",
	  .help = "retries when the receiver was not ready; 7: for ever" },
	{ .name = "min-rnr-timer", OPT_FIELD(struct cfg, min_rnr_timer), .tests = SEND | WRITE,
	  .transports = RC, .def = "12", .min = 0, .max = 31, .arg = "CODE",
	  .help = "pause asked of a sender whose receiver was not ready; 12: 0.64 ms, 0: 655 ms" },

	{ .group = "Placement",
	  .name = "pin", OPT_FIELD(struct cfg, pin), .def = "auto", .arg = "WHERE",
	  .help = "cpus of the measuring threads, one core each: near the HCA, far from it, none "
		  "(not bound), or SPEC in hwloc's words, in turn: core:3, pu:0-3, numa:1, l3:nic "
		  "(near the HCA); pu and numa by the system's numbers; auto: near while there are "
		  "cores, not bound where the HCA's place is not known" },
	{ .name = "mem", OPT_FIELD(struct cfg, mem), .def = "auto", .arg = "WHERE",
	  .help = "memory of rings and buffers: local (the thread's node), device (the HCA's), the "
		  "number of a NUMA node, or SPEC in turn; auto: local when the thread is bound" },
	{ .name = "peer-pin", OPT_FIELD(struct cfg, peer_pin), .def = "auto", .arg = "WHERE",
	  .help = "--pin of the server" },
	{ .name = "peer-mem", OPT_FIELD(struct cfg, peer_mem), .def = "auto", .arg = "WHERE",
	  .help = "--mem of the server" },
	{ .name = "topology", OPT_FIELD(struct cfg, topology), .flags = OPT_LOCAL | OPT_ASIDE,
	  .help = "of list: where each HCA is: NUMA node, cores, distances, PCIe link, "
		  "interrupts; \"--topology xml\": the machine as XML, for a bug report" },

	{ .group = "Other",
	  .name = "help", .letter = 'h', OPT_FIELD(struct cfg, help), .flags = OPT_LOCAL,
	  .help = "print this and leave" },
	{ .name = "version", .letter = 'V', OPT_FIELD(struct cfg, version), .flags = OPT_LOCAL,
	  .help = "print the version and leave" },
};

const size_t opts_count = sizeof(opts_table) / sizeof(opts_table[0]);

_Static_assert(sizeof(opts_table) / sizeof(opts_table[0]) <= OPT_MAX_ROWS, "an opt_set is full");

static const struct opt_table table = {
	.rows = opts_table,
	.n = sizeof(opts_table) / sizeof(opts_table[0]),
};

static opt_set rows_for_test(enum test test)
{
	opt_set set = 0;

	for (size_t i = 0; i < table.n; i++) {
		if (table.rows[i].flags & OPT_ASIDE)
			continue;
		if (!table.rows[i].tests || table.rows[i].tests >> test & 1)
			set |= (opt_set)1 << i;
	}
	return set;
}

static opt_set rows_with(unsigned flag)
{
	opt_set set = 0;

	for (size_t i = 0; i < table.n; i++) {
		if (table.rows[i].flags & flag)
			set |= (opt_set)1 << i;
	}
	return set;
}

/* What serve, and a test that serves, take. */
static opt_set local_rows(void)
{
	return rows_with(OPT_LOCAL) & ~rows_with(OPT_ASIDE);
}

/* names ends with NULL. */
static opt_set rows_named(const char *const *names)
{
	opt_set set = 0;

	for (; *names; names++)
		for (size_t i = 0; i < table.n; i++)
			if (!strcmp(table.rows[i].name, *names))
				set |= (opt_set)1 << i;
	return set;
}

static opt_set rows_for_list(void)
{
	static const char *const names[] = { "soft", "topology", NULL };

	return rows_named(names);
}

static opt_set rows_for_place(void)
{
	static const char *const names[] = { "device", "threads", "pin", "mem", "completion",
					     "events", "help", "version", NULL };

	return rows_named(names);
}

static const char *first_label(opt_set set, char *text, size_t size)
{
	return opt_label(&table.rows[__builtin_ctzll(set)], text, size);
}

static void print_help(const struct cfg *cfg, enum opts_mode mode)
{
	const char *name = kind_test_names[cfg->test];

	switch (mode) {
	case OPTS_TEST:
		printf("Usage: vb_%s [OPTIONS] HOST    measure against the server on HOST\n"
		       "       vb_%s [OPTIONS]         serve one client, with options of \"Where\" "
		       "only\n"
		       "\"verbench %s\" is the same.\n", name, name, name);
		opt_help(stdout, &table, rows_for_test((enum test)cfg->test));
		break;
	case OPTS_SERVE:
		printf("Usage: verbench serve [OPTIONS]\n"
		       "Serves clients of every test until it is told to stop; the clients say "
		       "what "
		       "to measure.\n");
		opt_help(stdout, &table, local_rows());
		break;
	case OPTS_LIST:
		printf("Usage: verbench list [--soft] [--topology [xml]]\n"
		       "Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs. "
		       "--soft adds the\nemulated ones. --topology: where each is in the "
		       "machine, NUMA node, cores, distances, PCIe link,\ninterrupts; with xml the "
		       "machine as XML for a bug report.\n");
		break;
	case OPTS_PLACE:
		printf("Usage: verbench place --device NAME [OPTIONS]\n"
		       "Prints which cpus and which memory the measuring threads would get and "
		       "why; opens no device.\nHWLOC_XMLFILE=FILE: on the machine that the file "
		       "describes (lstopo FILE.xml).\n");
		opt_help(stdout, &table, rows_for_place());
		break;
	}
}

/* list and place take some of the options, and no operands. */
static int check_few(struct cfg *cfg, enum opts_mode mode, const struct opt_args *args)
{
	const char *name = mode == OPTS_LIST ? "list" : "place";
	opt_set strange = args->given & ~(mode == OPTS_LIST ? rows_for_list() : rows_for_place());
	const int n = args->argc - args->first_operand;
	char label[OPT_TEXT_MAX];

	if (strange && mode == OPTS_LIST)
		return err_set(-EINVAL, "list takes no options but --soft and --topology: \"%s\"",
			       first_label(strange, label, sizeof(label)));
	if (strange)
		return err_set(-EINVAL, "place does not take %s",
			       first_label(strange, label, sizeof(label)));
	cfg->topology_xml = mode == OPTS_LIST && cfg->topology && n == 1 &&
			    !strcmp(args->argv[args->first_operand], "xml");
	if (n && !cfg->topology_xml)
		return err_set(-EINVAL, "%s takes no operands: \"%s\"", name,
			       args->argv[args->first_operand]);
	if (mode == OPTS_PLACE && !cfg->device)
		return err_set(-EINVAL, "place needs -d (--device): the HCA to be near to");
	return 0;
}

/* Operands and options that do not belong to what the program was called as. */
static int check_mode(struct cfg *cfg, enum opts_mode mode, const struct opt_args *args)
{
	opt_set foreign = args->given & ~local_rows();
	opt_set aside = args->given & rows_with(OPT_ASIDE);
	int n = args->argc - args->first_operand;
	char *const *operand = args->argv + args->first_operand;
	char label[OPT_TEXT_MAX];

	if (mode == OPTS_LIST || mode == OPTS_PLACE)
		return check_few(cfg, mode, args);
	if (aside)
		return err_set(-EINVAL, "%s is for \"verbench list\"",
			       first_label(aside, label, sizeof(label)));
	if (mode == OPTS_SERVE && n)
		return err_set(-EINVAL, "serve takes no operands: \"%s\"", operand[0]);
	if (n > 1)
		return err_set(-EINVAL, "\"%s\": one host only, and that is \"%s\"", operand[1],
			       operand[0]);
	if (n && !operand[0][0])
		return err_set(-EINVAL, "the host is empty");
	cfg->host = n ? operand[0] : NULL;
	if (!cfg->host && foreign && mode == OPTS_SERVE)
		return err_set(-EINVAL, "%s belongs to the client: the server learns the test from "
			       "it",
			       first_label(foreign, label, sizeof(label)));
	if (!cfg->host && foreign)
		return err_set(-EINVAL, "%s belongs to the client: the server learns the test from "
			       "it (no host was given, so this is the server)",
			       first_label(foreign, label, sizeof(label)));
	return 0;
}

int opts_parse(struct cfg *cfg, enum opts_mode mode, int argc, char **argv)
{
	struct opt_args args = { .argc = argc, .argv = argv };
	int rc = opt_defaults(&table, cfg);

	if (!rc)
		rc = opt_parse(&table, cfg, &args);
	if (rc)
		return rc;
	if (cfg->help || cfg->version) {
		if (cfg->version)
			printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
		else
			print_help(cfg, mode);
		return 1;
	}
	rc = check_mode(cfg, mode, &args);
	if (!rc && mode != OPTS_LIST)
		rc = opts_rules(cfg, args.given);
	if (!rc && cfg->events)
		cfg->completion = CM_EVENT;
	return rc;
}

json_t *opts_to_json(const struct cfg *cfg)
{
	json_t *obj = opt_json(&table, cfg);

	if (obj && json_object_set_new(obj, "test", json_string(kind_test_names[cfg->test]))) {
		json_decref(obj);
		return NULL;
	}
	return obj;
}

int opts_from_json(struct cfg *cfg, const json_t *obj)
{
	const char *name = json_string_value(json_object_get(obj, "test"));
	struct cfg read = *cfg;
	opt_set given;
	int rc;

	if (!name)
		return err_set(-EBADMSG, "the plan message names no test");
	for (read.test = 0; read.test < TEST_COUNT; read.test++) {
		if (!strcmp(name, kind_test_names[read.test]))
			break;
	}
	if (read.test == TEST_COUNT)
		return err_set(-EINVAL, "the plan message asks for \"%.32s\", a test that is not "
			       "known here", name);
	rc = opt_json_read(&table, &read, obj, &given);
	if (!rc)
		rc = opts_rules(&read, given);
	if (!rc)
		*cfg = read;
	return rc;
}

void opts_man(FILE *out)
{
	opt_help_man(out, &table);
}
