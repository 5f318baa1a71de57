/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Parses the command line into struct cfg: the option of each word, its value, the options that the
 * command accepts, and an error message for each wrong option. Prints nothing.
 */
#include "config.h"
#include "options/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options/hosts.h"
#include "options/label.h"
#include "options/options_scan.h"
#include "options/perftest.h"
#include "util/err.h"

/* The state of parsing a command line. */
struct parser {
	struct cfg *cfg;
	enum options_command command;
	struct options_faults *faults;
	bool unknown; /* an option is unknown: an apparent operand may be its value */
};

void options_add_text(struct options_texts *to, const char *text)
{
	const size_t len = strlen(text) + 1;

	for (const char *t = to->text; t < to->text + to->len; t += strlen(t) + 1)
		if (!strcmp(t, text))
			return;
	if (len > sizeof(to->text) - to->len)
		return;
	memcpy(to->text + to->len, text, len);
	to->len += len;
	to->n++;
}

/* Keeps the error message of this thread as one of the faults. */
static void add_fault(struct options_faults *faults)
{
	options_add_text(&faults->wrong, err_text());
}

/* What there is in place of an option of iperf3, "-P" or "--parallel"; NULL: it is none. */
static const char *instead_of_iperf3(const char *label)
{
	static const struct {
		char letter;
		const char *name, *instead;
	} all[] = {
#define IPERF3(letter, name, instead) { letter, name, instead },
#include "options/iperf3.def"
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (label[1] != '-' ? all[i].letter == label[1] :
		    options_same_name(all[i].name, label + 2, strlen(label + 2)))
			return all[i].instead;
	}
	return NULL;
}

/* rc: of the refusal of an option with this label. */
static int hint_iperf3(int rc, const char *label)
{
	const char *instead = rc ? instead_of_iperf3(label) : NULL;

	return instead ? err_set(rc, "%s; for iperf3's: %s", err_text(), instead) : rc;
}

static int refuse_unknown(struct parser *p, const struct cfg_typed *typed)
{
	char label[LABEL_MAX];
	const char *instead;
	struct nearest n;

	label_typed(typed, label);
	instead = instead_of_iperf3(label);
	if (instead)
		return err_set(-EINVAL, "\"%s\" is an option of iperf3; here: %s",
			       label, instead);
	n = nearest_to(label + 2, typed->letter ? 0 : strlen(label + 2));
	if (n.len)
		options_nearest(&n, p->command);
	return err_set(-EINVAL, "\"%s\" is not an option%s", label, nearest_hint(&n, "--", ""));
}

static bool is_needless(const struct options_word *word)
{
	return word->theirs && word->theirs->answer == PERFTEST_NEEDLESS;
}

/* Refuses a perftest option that is not accepted here, or that lacks the right value. */
static int refuse(struct parser *p, const struct options_word *word)
{
	char label[LABEL_MAX], range[FIELD_TEXT_MAX];

	p->unknown |= !word->row && !is_needless(word);
	label_typed(&word->typed, label);
	if (!word->row && !word->theirs)
		return refuse_unknown(p, &word->typed);
	if (!word->row && !is_needless(word))
		return hint_iperf3(err_set(-EINVAL, "%s: %s", label, word->theirs->help), label);
	if (word->extra)
		return err_set(-EINVAL, "%s takes no value", label);
	if (!word->row)
		return err_set(-EINVAL, "%s needs a value", label);
	field_range(word->row, range, sizeof(range));
	return err_set(-EINVAL, "%s needs a value%s%s", label, range[0] ? ": " : "", range);
}

/* An option of perftest that asks for what is done anyway: a note, so that old scripts run. */
static int pass_over(struct parser *p, const struct options_word *word)
{
	char label[LABEL_MAX], text[ERR_TEXT_MAX];

	snprintf(text, sizeof(text), "%s: %s", label_typed(&word->typed, label),
		 word->theirs->help);
	options_add_text(&p->faults->needless, text);
	return 0;
}

static int refuse_twice(const struct cfg_typed *typed, const struct cfg_typed *before)
{
	char label[LABEL_MAX], other[LABEL_MAX];

	label_typed(typed, label);
	label_typed(before, other);
	if (!strcmp(label, other))
		return err_set(-EINVAL, "%s is given twice", label);
	return err_set(-EINVAL, "%s and %s set the same: only one of them is allowed", other, label);
}

static int take_option(struct parser *p, const struct options_word *word)
{
	const struct field *row = word->row;
	const char *value;
	char label[LABEL_MAX];
	struct field named;
	size_t i;

	if (is_needless(word) && !word->missing && !word->extra)
		return pass_over(p, word);
	if (!row || word->missing || word->extra)
		return refuse(p, word);
	i = options_target(row);
	value = options_word_value(word);
	if (p->cfg->given.rows[i])
		return refuse_twice(&word->typed, &p->cfg->typed[i]);
	p->cfg->given.rows[row - options_table.rows] = true;
	p->cfg->given.rows[i] = true;
	p->cfg->typed[i] = word->typed;
	p->cfg->typed[i].set = word->value ? NULL : value;
	/* error messages name the option as it was typed */
	named = *row;
	named.label = label_typed(&word->typed, label);
	return hint_iperf3(field_parse(&named, p->cfg, value), label);
}

int options_check_effect(const struct cfg *cfg, enum cfg_row row)
{
	const struct field *f = &options_table.rows[row];
	char label[LABEL_MAX], list[FIELD_TEXT_MAX];

	label_row(cfg, row, label);
	if (f->tests && !(f->tests >> cfg->test & 1))
		return err_set(-EINVAL, "%s has no effect on %s, only on %s", label,
			       kind_test_names[cfg->test],
			       choices_list(f->tests, kind_test_names, list, sizeof(list)));
	if (f->transports && !(f->transports >> cfg->transport & 1))
		return err_set(-EINVAL, "%s has no effect over %s, only over %s", label,
			       kind_transport_names[cfg->transport],
			       choices_list(f->transports, kind_transport_names, list,
					    sizeof(list)));
	return 0;
}

static bool is_server(const struct cfg *cfg, enum options_command command)
{
	return command == OPTIONS_SERVE || (command == OPTIONS_TEST && !cfg->host) ||
	       (command == OPTIONS_COPY && !cfg->copy_from);
}

/* The purpose of the files of report. */
static int check_report(const struct cfg *cfg)
{
	if (!cfg->n_files)
		return err_set(-EINVAL, "report needs a FILE of rows, or - for standard input");
	if (cfg->report_compare && cfg->n_files != 2)
		return err_set(-EINVAL, "--compare needs two files, A and B: %zu %s given",
			       cfg->n_files, cfg->n_files == 1 ? "is" : "are");
	if (cfg->report_compare && !strcmp(cfg->files[0], cfg->files[1]))
		return err_set(-EINVAL, "--compare needs two different files: \"%s\" is given twice", cfg->files[0]);
	if (cfg->report_compare && cfg->report_by)
		return err_set(-EINVAL, "--compare and --by exclude each other");
	if (!cfg->report_compare && (cfg->given.report_within || cfg->report_ignore))
		return err_set(-EINVAL, "%s is about --compare, which is not given",
			       cfg->report_ignore ? "--ignore" : "--within");
	if (cfg->quiet && !cfg->expect)
		return err_set(-EINVAL, "--quiet prints only the result of --expect: give --expect, too");
	return 0;
}

static int check_screen(const struct cfg *cfg)
{
	if (cfg->quiet && cfg->verbose)
		return err_set(-EINVAL, "--quiet and -v (--verbose) exclude each other");
	return 0;
}

static bool works_alone(enum cfg_row row)
{
	return row == CFG_ROW_device || row == CFG_ROW_soft || row == CFG_ROW_json ||
	       row == CFG_ROW_force || !options_table.rows[row].commands;
}

/* Without a host, check accepts only options that concern this machine alone. */
static int check_alone(const struct cfg *cfg)
{
	char label[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		if (!cfg->given.rows[i] || options_table.rows[i].flags & FIELD_ALIAS ||
		    works_alone((enum cfg_row)i))
			continue;
		return err_set(
			-EINVAL,
			"%s needs a HOST: without one, check looks at all ports of this machine, and connects to nothing",
			label_row(cfg, (enum cfg_row)i, label));
	}
	return 0;
}

/* Operands or options that a command needs, or that exclude an operand. */
static int check_needs(const struct cfg *cfg, enum options_command command)
{
	if (command == OPTIONS_PLACE && !cfg->device)
		return err_set(-EINVAL, "place needs -d (--device): the HCA of the measurement");
	if (command == OPTIONS_SETUP && !cfg->host)
		return err_set(-EINVAL, "setup needs the host of a server (\"verbench serve\")");
	if (command == OPTIONS_CHECK && !cfg->host)
		return check_alone(cfg);
	if (command == OPTIONS_REPORT)
		return check_report(cfg);
	if (command == OPTIONS_KEY && cfg->n_files != 1)
		return err_set(-EINVAL, "key needs the FILE that it makes: %zu are given", cfg->n_files);
	if (cfg->expect && is_server(cfg, command))
		return err_set(-EINVAL, "--expect needs a HOST: only a client checks its results");
	if (command == OPTIONS_COPY && !cfg->copy_from && !cfg->copy_to)
		return err_set(-EINVAL, "copy needs FILE and HOST:FILE, or --copy-to to receive a file");
	if (command == OPTIONS_COPY && cfg->copy_from && cfg->copy_to)
		return err_set(-EINVAL, "--copy-to is an option of the server: HOST:FILE says where the copy is");
	return 0;
}

/* -EINVAL if the command does not accept the option, or the option has no effect. */
static int check_option(const struct cfg *cfg, enum options_command command, enum cfg_row row)
{
	const bool serves = is_server(cfg, command);
	const struct field *f = &options_table.rows[row];
	char label[LABEL_MAX], list[FIELD_TEXT_MAX];

	label_row(cfg, row, label);
	/* a server expects test options; a copy has no different ones */
	if (options_takes(f, serves ? OPTIONS_SERVE : command) ||
	    (serves && command != OPTIONS_COPY && options_takes(f, OPTIONS_TEST)))
		return command == OPTIONS_TEST && !cfg_refusal(cfg) ?
			       hint_iperf3(options_check_effect(cfg, row), label) : 0;
	if (serves && options_takes(f, OPTIONS_COPY))
		return err_set(-EINVAL, "%s is an option of the client: the server learns it from the client",
			       label);
	choices_list(f->commands, options_command_names, list, sizeof(list));
	return err_set(-EINVAL, "%s is not an option of %s, only of %s", label,
		       options_command_names[command], list);
}

static void check_command(const struct cfg *cfg, enum options_command command,
			  struct options_faults *faults)
{
	for (size_t i = 0; i < options_table.n; i++) {
		/* an alias is checked at its option */
		if (cfg->given.rows[i] && !(options_table.rows[i].flags & FIELD_ALIAS) &&
		    check_option(cfg, command, (enum cfg_row)i))
			add_fault(faults);
	}
	if (!faults->wrong.n && check_needs(cfg, command))
		add_fault(faults);
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

/* In perftest -w takes a value, the lowest bandwidth. */
static int check_wide(const struct cfg *cfg, const char *operand)
{
	if (!cfg->wide || !operand[0] || operand[strspn(operand, "0123456789.")])
		return 0;
	return err_option(-EINVAL, "-w (--wide)", "takes no value: \"%s\" would be a host",
			  operand);
}

/* Several hosts are the receivers of a multicast group; their texts stay in argv. */
static int take_hosts(struct cfg *cfg, enum options_command command, int n, char *const *operand)
{
	struct hosts_one one;
	int rc = n > 1 ? check_wide(cfg, operand[0]) : 0;

	if (rc)
		return rc;
	if (n > 1 && command != OPTIONS_TEST)
		return err_set(-EINVAL, "\"%s\": %s takes one host, and \"%s\" is given before",
			       operand[1], options_command_names[command], operand[0]);
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

int options_take_hosts(struct cfg *cfg, int n, char *const *hosts)
{
	return take_hosts(cfg, OPTIONS_TEST, n, hosts);
}

/*
 * A test has one operand, the host, or several; setup has one; a copy has two; report has any
 * number, key has one file; "list --topology" may have "xml"; those of run are scenarios and hosts,
 * which folder run tells apart; other commands have none.
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
	if (command == OPTIONS_REPORT || command == OPTIONS_KEY) {
		cfg->files = (const char *const *)operand;
		cfg->n_files = (size_t)n;
		return 0;
	}
	if (command == OPTIONS_RUN) {
		cfg->hosts = operand;
		cfg->n_hosts = (uint32_t)n;
		return 0;
	}
	if (command != OPTIONS_TEST && command != OPTIONS_SETUP && command != OPTIONS_CHECK)
		return err_set(-EINVAL, "%s takes no operands: \"%s\"",
			       options_command_names[command], operand[0]);
	return take_hosts(cfg, command, n, operand);
}

/*
 * The operands, unless they may be values of unknown options; operands and options that the command
 * does not accept.
 */
static void check_all(struct parser *p, int n, char *const *operand)
{
	if (!p->unknown && take_operands(p->cfg, p->command, n, operand))
		add_fault(p->faults);
	if (p->unknown && n)
		p->cfg->host = operand[0];
	if (check_screen(p->cfg))
		add_fault(p->faults);
	check_command(p->cfg, p->command, p->faults);
}

int options_parse_all(struct cfg *cfg, enum options_command command,
		      const struct options_line *line, struct options_faults *faults)
{
	const struct options_lists *lists = line->lists;
	struct options_scan scan = options_scan_begin(line->argc, line->argv);
	struct parser p = { .cfg = cfg, .command = command, .faults = faults };
	struct options_word word;
	int rc = field_defaults(&options_table, cfg);

	memset(&cfg->given, 0, sizeof(cfg->given));
	memset(cfg->typed, 0, sizeof(cfg->typed));
	cfg->host = NULL;
	cfg->copy_from = cfg->copy_name = NULL;
	cfg->hosts = NULL;
	cfg->files = NULL;
	cfg->n_files = 0;
	cfg->n_hosts = 0;
	cfg->topology_xml = false;
	faults->wrong.n = faults->wrong.len = 0;
	faults->needless.n = faults->needless.len = 0;
	while (!rc && options_scan_next(&scan, &word)) {
		const int taken = lists ? lists->take(lists->arg, &scan, &word) : 0;

		if (taken < 0 || (!taken && take_option(&p, &word)))
			add_fault(faults);
	}
	if (!rc && !cfg->help && !cfg->help_all && !cfg->version)
		check_all(&p, scan.operands, line->argv + scan.argc - scan.operands);
	if (rc || !faults->wrong.n)
		return rc;
	return err_set(-EINVAL, "%s", faults->wrong.text);
}

int options_parse(struct cfg *cfg, enum options_command command, int argc, char **argv)
{
	const struct options_line line = { argc, argv, NULL };
	struct options_faults faults;

	return options_parse_all(cfg, command, &line, &faults);
}
