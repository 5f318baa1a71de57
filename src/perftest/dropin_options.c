/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the reading of perftest's command lines: see dropin_options.h. The options and what becomes
 * of them are rows of config/perftest.def. Called by dropin_main.c. An option that is not done is
 * refused; one that has no effect in perftest either, like -t of a latency test, is not.
 */
#include "config.h"
#include "perftest/dropin_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/options.h"
#include "config/perftest.h"
#include "perftest/dropin_own.h"
#include "plan/plan_rules.h"
#include "util/err.h"

#define MAX_ROWS 256u
#define LONG_BASE 256

/* The tables of getopt_long(): a long name may be abbreviated, as in perftest. */
struct tables {
	struct option longs[2 * MAX_ROWS + 1];
	char letters[2 * MAX_ROWS + 2];
};

static void add_long(struct tables *t, size_t *n, const char *name, size_t row)
{
	t->longs[(*n)++] = (struct option){
		.name = name,
		.has_arg = perftest_options[row].value == PERFTEST_FLAG ? no_argument
									: required_argument,
		.val = LONG_BASE + (int)row,
	};
}

static void make_tables(struct tables *t)
{
	char *p = t->letters;
	size_t n = 0;

	memset(t, 0, sizeof(*t));
	*p++ = ':';
	for (size_t i = 0; i < perftest_n_options && i < MAX_ROWS; i++) {
		const struct perftest_option *o = &perftest_options[i];

		add_long(t, &n, o->name, i);
		if (o->also)
			add_long(t, &n, o->also, i);
		if (!o->letter)
			continue;
		*p++ = o->letter;
		if (o->value != PERFTEST_FLAG)
			*p++ = ':';
	}
}

/* "-t (--tx-depth)". Returns text. */
static const char *label_of(const struct perftest_option *o, char *text, size_t size)
{
	if (o->letter)
		snprintf(text, size, "-%c (--%s)", o->letter, o->name);
	else
		snprintf(text, size, "--%s", o->name);
	return text;
}

static int refuse(const struct perftest_option *o, const char *why)
{
	char label[FIELD_TEXT_MAX];

	return err_set(-EINVAL, "%s: %s", label_of(o, label, sizeof(label)), why);
}

/* A whole number as strtol(3) with base 0 reads it; K and M of a size, upper case only. */
static int read_number(const struct perftest_option *o, const char *text, uint64_t *value)
{
	char label[FIELD_TEXT_MAX], *end;
	uint64_t unit = 1;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (o->value == PERFTEST_SIZE && (*end == 'K' || *end == 'M'))
		unit = *end++ == 'K' ? 1024 : 1024 * 1024;
	if (end == text || *end || errno || strchr(text, '-') || *value > UINT64_MAX / unit)
		return err_set(-EINVAL, "%s %s: not a whole number%s",
			       label_of(o, label, sizeof(label)), text,
			       o->value == PERFTEST_SIZE ? " of bytes; allowed suffixes: K, M" : "");
	*value *= unit;
	if ((o->min || o->max) && (*value < o->min || *value > o->max))
		return err_set(-EINVAL, "%s %s: should be between %llu and %llu",
			       label_of(o, label, sizeof(label)), text, (unsigned long long)o->min,
			       (unsigned long long)o->max);
	return 0;
}

static bool is_number(const struct perftest_option *o)
{
	return o->value == PERFTEST_INT || o->value == PERFTEST_SIZE;
}

static int check_word(const struct perftest_option *o, const char *text)
{
	char label[FIELD_TEXT_MAX], list[FIELD_TEXT_MAX] = "";

	for (const struct perftest_word *w = o->words; w->theirs; w++) {
		if (!strcmp(w->theirs, text))
			return 0;
		if (strlen(list) + strlen(w->theirs) + 3 < sizeof(list))
			strcat(strcat(list, list[0] ? ", " : ""), w->theirs);
	}
	return err_set(-EINVAL, "%s %s: allowed: %s", label_of(o, label, sizeof(label)), text, list);
}

/* How the user wrote the option that getopt_long() returned last. */
static struct cfg_typed typed_of(const struct perftest_option *o, int code, char **argv)
{
	const char *word = argv[optind - 1];

	if (optarg && optarg == word)
		word = argv[optind - 2];
	return (struct cfg_typed){
		.word = word,
		.letter = (char)(code < LONG_BASE ? code : 0),
		.set = o->value == PERFTEST_FLAG ? o->set : NULL,
	};
}

/* An option of ours; only what must be the same on both sides is expected of the other side. */
static int take_ours(struct dropin *d, const struct perftest_option *o, const char *text,
		     uint64_t number)
{
	const struct field *f = &options_table.rows[o->row];
	char digits[32], why[ERR_TEXT_MAX];
	const char *value = perftest_value(o, text);

	if (is_number(o)) {
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
		value = digits;
	}
	if (f->type == FIELD_U32 && is_number(o) && number > UINT32_MAX)
		return refuse(o, "the number is too large");
	if (!field_parse(f, &d->cfg, value)) {
		d->cfg.given.rows[o->row] = o->symmetric;
		return 0;
	}
	snprintf(why, sizeof(why), "%s", err_text());
	return refuse(o, why);
}

/* Without an effect in this test: perftest refuses what would change it, and ignores depths. */
static int take_idle(const struct dropin *d, const struct perftest_option *o, uint64_t number)
{
	char why[96];

	if (o->value != PERFTEST_FLAG && !strchr("qlIs", o->letter ? o->letter : '-'))
		return 0;
	if (o->value != PERFTEST_FLAG && number == (o->letter == 's' ? 8 : o->letter != 'I'))
		return 0;
	snprintf(why, sizeof(why), "not in %s", d->program);
	return refuse(o, why);
}

static int take(struct dropin *d, const struct perftest_option *o, const char *text)
{
	uint64_t number = 0;
	int rc = 0;

	if (o->drop == PERFTEST_NEVER)
		return refuse(o, o->help);
	if (is_number(o))
		rc = read_number(o, text, &number);
	else if (o->value == PERFTEST_WORD)
		rc = check_word(o, text);
	if (rc)
		return rc;
	if (!perftest_has_effect(o, d->cfg.test))
		return take_idle(d, o, number);
	switch (o->drop) {
	case PERFTEST_NOTHING:
		return 0;
	case PERFTEST_SETS:
		return take_ours(d, o, text, number);
	default:
		return dropin_own(d, o, text, number);
	}
}

static int refuse_syntax(int code, char **argv)
{
	const struct perftest_option *o = NULL;

	if (optopt >= LONG_BASE)
		o = &perftest_options[optopt - LONG_BASE];
	else if (optopt)
		o = perftest_find_letter((char)optopt);
	if (o && code == ':')
		return refuse(o, "needs a value");
	if (o)
		return refuse(o, "takes no value");
	if (optopt)
		return err_set(-EINVAL, "invalid option -- '%c'", optopt);
	return err_set(-EINVAL, "unrecognized option '%s'", argv[optind - 1]);
}

/* The row for what getopt_long() returned; NULL: an error. */
static const struct perftest_option *row_of(int code)
{
	if (code >= LONG_BASE)
		return &perftest_options[code - LONG_BASE];
	return code == '?' || code == ':' ? NULL : perftest_find_letter((char)code);
}

static int read_all(struct dropin *d, int argc, char **argv)
{
	bool seen[MAX_ROWS] = { false };
	struct tables t;
	int code, rc = 0;

	make_tables(&t);
	optind = 0; /* glibc: forget the state of an earlier call */
	opterr = 0;
	while (!rc && (code = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		const struct perftest_option *o = row_of(code);

		if (!o)
			return refuse_syntax(code, argv);
		if (seen[o - perftest_options])
			return refuse(o, "duplicated argument");
		seen[o - perftest_options] = true;
		if (o->drop == PERFTEST_SETS)
			d->cfg.typed[o->row] = typed_of(o, code, argv);
		rc = take(d, o, optarg);
	}
	return rc;
}

/* What two options of perftest mean together: one of them, where ours exclude each other. */
static void settle(struct cfg *cfg)
{
	if (cfg->all_sizes && cfg->given.size_bytes) {
		cfg->size_bytes = CFG_AUTO64;
		cfg->given.size_bytes = false;
	}
	if (cfg->duration_ms != CFG_AUTO && cfg->given.messages) {
		cfg->messages = CFG_AUTO64;
		cfg->given.messages = false;
	}
}

/*
 * The target of a one-sided bandwidth test does not know what its client does, nor that of a
 * latency test that reads: perftest's ignores these options there, and scripts give it others.
 */
static void expect_less(struct cfg *cfg)
{
	const struct kind kind = cfg_kind(cfg);
	const bool passive = kind_fetches(kind.op) ||
			     (kind_is_silent(kind.op) && cfg->test != TEST_WRITE_LAT);

	if (!passive || cfg->bidir)
		return;
	cfg->given.all_sizes = cfg->given.size_bytes = false;
	cfg->given.messages = cfg->given.duration_ms = false;
}

static int take_host(struct cfg *cfg, int n, char *const *operand)
{
	if (n > 1)
		return err_set(-EINVAL, "Invalid Command line: more than one host: %s %s", operand[0],
			       operand[1]);
	cfg->host = n ? operand[0] : NULL;
	cfg->hosts = operand;
	cfg->n_hosts = (uint32_t)n;
	return 0;
}

/* As there, "--connection=<RC/UC/XRC/DC>": scripts read it to know what they can ask for. */
static void print_transports(FILE *out, enum test test)
{
	char list[64] = "";

	for (uint32_t i = 0; i < TP_COUNT; i++) {
		const struct cfg cfg = { .test = test, .transport = (enum transport)i };

		if (kind_refusal(test, cfg_kind(&cfg)))
			continue;
		strcat(strcat(list, list[0] ? "/" : ""), kind_transport_names[i]);
	}
	fprintf(out, "  -c, --connection=<%s>  Connection type %s (default RC)\n", list, list);
}

static void print_options(FILE *out, const struct dropin *d, bool refused)
{
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];
		char label[FIELD_TEXT_MAX] = "    ";

		if ((o->drop == PERFTEST_NEVER || !dropin_own_known(o)) != refused || o->raw ||
		    !perftest_has_effect(o, d->cfg.test))
			continue;
		/* perftest, too, has them only where it was built with what they need */
		if (refused && o->compiled)
			continue;
		if (o->letter == 'c') {
			print_transports(out, d->cfg.test);
			continue;
		}
		if (o->letter)
			snprintf(label, sizeof(label), "-%c, ", o->letter);
		if (refused)
			fprintf(out, "  %s--%s: %s\n", label, o->name, o->help);
		else
			fprintf(out, "  %s--%s%s\n", label, o->name,
				o->value == PERFTEST_FLAG ? "" : " <value>");
	}
}

static void print_help(FILE *out, const struct dropin *d)
{
	fprintf(out, "Usage:\n  %s            start a server and wait for connection\n"
		     "  %s <host>     connect to server at <host>\n\n"
		     "Measures with verbench what perftest's program of this name measures, takes its\n"
		     "options and prints its lines. docs/from-perftest.md says how the figures differ.\n\nOptions:\n",
		d->program, d->program);
	print_options(out, d, false);
	fprintf(out, "\nOptions of perftest that are refused:\n");
	print_options(out, d, true);
}

int dropin_options(struct dropin *d, int argc, char **argv)
{
	int rc = field_defaults(&options_table, &d->cfg);

	memset(&d->cfg.given, 0, sizeof(d->cfg.given));
	memset(d->cfg.typed, 0, sizeof(d->cfg.typed));
	d->cfg.one_test = true;
	d->json_path = "perftest_out.json";
	d->limit_bw = d->limit_msgrate = -1;
	if (!rc)
		rc = read_all(d, argc, argv);
	if (!rc && (d->cfg.help || d->cfg.version)) {
		if (d->cfg.help)
			print_help(stdout, d);
		else
			printf("Version: 6.29 (%s %s, with the command line of perftest 6.29)\n",
			       PACKAGE_NAME, PACKAGE_VERSION);
		return 1;
	}
	if (!rc)
		rc = take_host(&d->cfg, argc - optind, argv + optind);
	if (rc)
		return rc;
	settle(&d->cfg);
	expect_less(&d->cfg);
	rc = dropin_own_rules(d);
	if (rc)
		return rc;
	dropin_defaults(d);
	return plan_rules(&d->cfg);
}
