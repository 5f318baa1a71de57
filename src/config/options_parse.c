/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The command line into struct cfg: getopt_long(3) with tables made from options.def, and what
 * getopt_long() does not refuse itself. Called by the commands. Must not print.
 */
#include "config.h"
#include "config/options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "config/hosts.h"
#include "util/err.h"

#define LONG_BASE 256 /* getopt_long() returns this + i for row i by its long name */
#define NAME_MAX_TEXT 32

/* The tables of getopt_long(). */
struct tables {
	struct option longs[CFG_OPTIONS + 1];
	char names[CFG_OPTIONS][NAME_MAX_TEXT];
	char letters[2 * CFG_OPTIONS + 2];
};

static bool takes_value(const struct field *f)
{
	return f->type != FIELD_BOOL && !(f->flags & FIELD_ALIAS && f->def);
}

static void make_tables(struct tables *t)
{
	char *p = t->letters;

	memset(t, 0, sizeof(*t));
	*p++ = ':'; /* tells a missing value from an unknown option */
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		t->longs[i] = (struct option) {
			.name = field_option(f, t->names[i], sizeof(t->names[i])),
			.has_arg = takes_value(f) ? required_argument : no_argument,
			.val = LONG_BASE + (int)i,
		};
		if (!f->letter)
			continue;
		*p++ = f->letter;
		if (takes_value(f))
			*p++ = ':';
	}
}

/* The row for what getopt_long() returned or left in optopt; NULL for an unknown option. */
static const struct field *row_of(int code)
{
	if (code >= LONG_BASE)
		return &options_table.rows[code - LONG_BASE];
	for (size_t i = 0; code && i < options_table.n; i++) {
		if (options_table.rows[i].letter == code)
			return &options_table.rows[i];
	}
	return NULL;
}

/* The option that an alias stands for, or the option itself. */
static const struct field *target_of(const struct field *f)
{
	const struct field *row = options_table.rows;

	while (row->off != f->off || row->flags & FIELD_ALIAS)
		row++;
	return row;
}

/* getopt_long() takes any unique start of a name; a new option could then break a script. */
static int refuse_abbreviation(const struct field *f, char **argv)
{
	const char *word = argv[optind - 1];
	char name[NAME_MAX_TEXT];
	size_t len;

	if (optarg == word)
		word = argv[optind - 2];
	len = strcspn(word + 2, "=");
	field_option(f, name, sizeof(name));
	if (!strncmp(word + 2, name, len) && !name[len])
		return 0;
	return err_set(-EINVAL, "\"--%.*s\" is not an option; did you mean --%s?", (int)len,
		       word + 2, name);
}

static int refuse_syntax(int code, char **argv)
{
	const struct field *f = row_of(optopt);
	char label[FIELD_TEXT_MAX], range[FIELD_TEXT_MAX];

	if (!f && optopt)
		return err_set(-EINVAL, "\"-%c\" is not an option", optopt);
	if (!f)
		return err_set(-EINVAL, "\"%s\" is not an option", argv[optind - 1]);
	field_label(f, label, sizeof(label));
	if (code != ':')
		return err_set(-EINVAL, "%s takes no value", label);
	field_range(f, range, sizeof(range));
	return err_set(-EINVAL, "%s needs a value%s%s", label, range[0] ? ": " : "", range);
}

static int take(struct cfg *cfg, int code, char **argv)
{
	const struct field *f = row_of(code);
	char label[FIELD_TEXT_MAX];
	bool *given;
	int rc;

	if (code == '?' || code == ':' || !f)
		return refuse_syntax(code, argv);
	rc = code >= LONG_BASE ? refuse_abbreviation(f, argv) : 0;
	if (rc)
		return rc;
	given = &cfg->given.rows[f - options_table.rows];
	if (*given)
		return err_set(-EINVAL, "%s is given twice", field_label(f, label, sizeof(label)));
	*given = true;
	return field_parse(f, cfg, takes_value(f) ? optarg : f->def);
}

/* An alias counts as its option, and excludes it. */
static int resolve_aliases(struct cfg *cfg)
{
	char label[FIELD_TEXT_MAX], target[FIELD_TEXT_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		bool *given = &cfg->given.rows[target_of(f) - options_table.rows];

		if (!(f->flags & FIELD_ALIAS) || !cfg->given.rows[i])
			continue;
		if (*given)
			return err_set(-EINVAL, "%s stands for %s%s%s: only one of them is allowed",
				       field_label(f, label, sizeof(label)),
				       field_label(target_of(f), target, sizeof(target)),
				       f->def ? " " : "", f->def ? f->def : "");
		*given = true;
	}
	return 0;
}

static bool is_server(const struct cfg *cfg, enum options_command command)
{
	return command == OPTIONS_SERVE || (command == OPTIONS_TEST && !cfg->host) ||
	       (command == OPTIONS_COPY && !cfg->copy_from);
}

/* What a command needs, or what excludes an operand. */
static int check_needs(const struct cfg *cfg, enum options_command command)
{
	if (command == OPTIONS_PLACE && !cfg->device)
		return err_set(-EINVAL, "place needs -d (--device): the HCA of the measurement");
	if (command == OPTIONS_SETUP && !cfg->host)
		return err_set(-EINVAL, "setup needs the host of a server (\"verbench serve\")");
	if (command == OPTIONS_COPY && !cfg->copy_from && !cfg->copy_to)
		return err_set(-EINVAL, "copy needs FILE and HOST:FILE, or --copy-to to receive a file");
	if (command == OPTIONS_COPY && cfg->copy_from && cfg->copy_to)
		return err_set(-EINVAL, "--copy-to is an option of the server: HOST:FILE says where the copy is");
	return 0;
}

static int check_command(const struct cfg *cfg, enum options_command command)
{
	const char *no_host = command == OPTIONS_TEST ?
			      " (no host was given, so this is the server)" : "";
	const enum options_command client = command == OPTIONS_COPY ? OPTIONS_COPY : OPTIONS_TEST;
	const bool serves = is_server(cfg, command);
	char label[FIELD_TEXT_MAX], list[FIELD_TEXT_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (!cfg->given.rows[i] || options_takes(f, serves ? OPTIONS_SERVE : command))
			continue;
		field_label(f, label, sizeof(label));
		if (serves && options_takes(f, client))
			return err_set(-EINVAL, "%s is an option of the client: the server learns the test from the client%s",
				       label, no_host);
		choices_list(f->commands, options_command_names, list, sizeof(list));
		return err_set(-EINVAL, "%s is not an option of %s, only of %s", label,
			       options_command_names[command], list);
	}
	return check_needs(cfg, command);
}

static int take_copy(struct cfg *cfg, int n, char *const *operand)
{
	if (n != 2)
		return err_set(-EINVAL, "copy takes FILE and HOST:FILE: \"%s\" is %s",
			       operand[n > 2 ? 2 : 0], n > 2 ? "too much" : "only one of them");
	if (!operand[0][0])
		return err_set(-EINVAL, "the name of the file is empty");
	cfg->copy_from = operand[0];
	cfg->copy_name = operand[1];
	return 0;
}

/* Several hosts are the receivers of a multicast group; their texts stay in argv. */
static int take_hosts(struct cfg *cfg, int n, char *const *operand)
{
	struct hosts_one one;
	int rc = 0;

	if (n > 1 && !cfg->mcast)
		return err_set(-EINVAL, "\"%s\": only one host is allowed, and \"%s\" is given before; several receivers need --mcast GROUP",
			       operand[1], operand[0]);
	if (n > HOSTS_MAX)
		return err_set(-EINVAL, "%d receivers; allowed: 1..%d", n, HOSTS_MAX);
	if (!operand[0][0])
		return err_set(-EINVAL, "the host is empty");
	for (int i = 0; cfg->mcast && i < n && !rc; i++)
		rc = hosts_parse(&one, operand[i], cfg->tcp_port);
	if (!cfg->mcast)
		rc = hosts_check(operand[0], cfg->given.tcp_port ? cfg->tcp_port : 0);
	cfg->host = operand[0];
	cfg->hosts = operand;
	cfg->n_hosts = (uint32_t)n;
	return rc;
}

/*
 * A test has one operand, the host, or several; setup has one; a copy has two; "list --topology" may
 * have "xml"; no other command has any.
 */
static int take_operands(struct cfg *cfg, enum options_command command, int n, char *const *operand)
{
	if (!n)
		return 0;
	if (command == OPTIONS_LIST && cfg->topology && n == 1 && !strcmp(operand[0], "xml")) {
		cfg->topology_xml = true;
		return 0;
	}
	if (command == OPTIONS_COPY)
		return take_copy(cfg, n, operand);
	if (command != OPTIONS_TEST && command != OPTIONS_SETUP)
		return err_set(-EINVAL, "%s takes no operands: \"%s\"",
			       options_command_names[command], operand[0]);
	return take_hosts(cfg, n, operand);
}

int options_parse(struct cfg *cfg, enum options_command command, int argc, char **argv)
{
	struct tables t;
	int code, rc = field_defaults(&options_table, cfg);

	make_tables(&t);
	memset(&cfg->given, 0, sizeof(cfg->given));
	cfg->host = NULL;
	cfg->copy_from = cfg->copy_name = NULL;
	cfg->hosts = NULL;
	cfg->n_hosts = 0;
	cfg->topology_xml = false;
	optind = 0; /* glibc: forget the state of an earlier call */
	opterr = 0;
	while (!rc) {
		code = getopt_long(argc, argv, t.letters, t.longs, NULL);
		if (code == -1)
			break;
		rc = take(cfg, code, argv);
	}
	if (rc || cfg->help || cfg->version)
		return rc;
	rc = resolve_aliases(cfg);
	if (!rc)
		rc = take_operands(cfg, command, argc - optind, argv + optind);
	return rc ? rc : check_command(cfg, command);
}
