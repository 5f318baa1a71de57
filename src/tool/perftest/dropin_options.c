/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the reading of perftest's command lines: see dropin.h. The options and what becomes
 * of them are rows of options/perftest.def. An option that is not done is refused; one that has no
 * effect in perftest either, like -t of a latency test, is not.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/label.h"
#include "options/options.h"
#include "decide/plan.h"
#include "util/err.h"
#include "util/log.h"

#define MAX_ROWS 256u
#define LONG_BASE 256

/* The tables of getopt_long(): a long name may be abbreviated, as in perftest. */
struct tables {
	struct option longs[2 * MAX_ROWS + 1];
	char letters[2 * MAX_ROWS + 2];
};

static void make_tables(struct tables *t)
{
	char *p = t->letters;
	size_t n = 0;

	memset(t, 0, sizeof(*t));
	*p++ = ':';
	for (size_t i = 0; i < perftest_n_options && i < MAX_ROWS; i++) {
		const struct perftest_option *o = &perftest_options[i];

		struct option one = {
			.name = o->name, .val = LONG_BASE + (int)i,
			.has_arg = o->value == PERFTEST_FLAG ? no_argument : required_argument,
		};

		t->longs[n++] = one;
		one.name = o->also;
		if (o->also)
			t->longs[n++] = one;
		if (!o->letter)
			continue;
		*p++ = o->letter;
		if (o->value != PERFTEST_FLAG)
			*p++ = ':';
	}
}

/* "-t (--tx-depth) 0: ..."; text: its value, NULL: the message is not about it. */
__attribute__((format(printf, 3, 4)))
static int refuse(const struct perftest_option *o, const char *text, const char *fmt, ...)
{
	char label[16] = "", why[ERR_TEXT_MAX];
	va_list ap;

	if (o->letter)
		snprintf(label, sizeof(label), "-%c (", o->letter);
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(-EINVAL, "%s--%s%s%s%s: %s", label, o->name, label[0] ? ")" : "",
		       text ? " " : "", text ? text : "", why);
}

/* An option that the drop-in programs do not have. */
static int refuse_always(struct dropin *d, const struct perftest_option *o)
{
	d->refused = true;
	return refuse(o, NULL, "%s", o->help);
}

/*
 * perftest does not look at what follows the number of a size or of a limit, so "-w 100M" is 100
 * and "-s 64k" is 64. rest: what follows; shown: what was read.
 */
static void tell_cut(const struct perftest_option *o, const char *text, const char *rest,
		     const char *shown)
{
	if (*rest)
		log_note("--%s %s: read as %s, as perftest reads it", o->name, text, shown);
}

/* With the suffix K or M, upper case only. */
static void read_size(const struct perftest_option *o, const char *text, uint64_t *value)
{
	const char *last = *text ? text + strlen(text) - 1 : text;
	const uint64_t unit = *last == 'K' ? 1024 : *last == 'M' ? 1024 * 1024 : 1;
	char *rest, shown[32];

	*value = strtoull(text, &rest, 0);
	snprintf(shown, sizeof(shown), "%" PRIu64 "%s", *value, unit > 1 ? last : "");
	tell_cut(o, text, unit > 1 && rest == last ? "" : rest, shown);
	*value = *value > UINT64_MAX / unit ? UINT64_MAX : *value * unit;
}

/* A whole number as strtol(3) with base 0 reads it. */
static int read_number(const struct perftest_option *o, const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (o->value == PERFTEST_SIZE)
		read_size(o, text, value);
	else if (end == text || *end)
		return refuse(o, text, "not a whole number");
	if (errno || strchr(text, '-'))
		return refuse(o, text, "not a whole number");
	if ((o->min || o->max) && (*value < o->min || *value > o->max))
		return refuse(o, text, "should be between %" PRIu64 " and %" PRIu64, o->min,
			      o->max);
	return 0;
}

static bool is_number(const struct perftest_option *o)
{
	return o->value == PERFTEST_INT || o->value == PERFTEST_SIZE;
}

static int check_word(const struct perftest_option *o, const char *text)
{
	char list[FIELD_TEXT_MAX] = "";

	for (const struct perftest_word *w = o->words; w->theirs; w++) {
		if (!strcmp(w->theirs, text))
			return 0;
		if (strlen(list) + strlen(w->theirs) + 3 < sizeof(list))
			strcat(strcat(list, list[0] ? ", " : ""), w->theirs);
	}
	return refuse(o, text, "allowed: %s", list);
}

/* ---- the options that only the drop-in programs have */

enum own_kind { OWN_FLAG, OWN_REAL, OWN_TEXT, OWN_SECONDS, OWN_OUTPUT, OWN_NUMA };

static const struct own {
	const char *name;
	enum own_kind kind;
	size_t at;      /* in struct dropin, of a flag, a real number or a text */
} owns[] = {
	{ "noPeak", OWN_FLAG, offsetof(struct dropin, no_peak) },
	{ "run_infinitely", OWN_FLAG, offsetof(struct dropin, forever) },
	{ "report_gbits", OWN_FLAG, offsetof(struct dropin, gbits) },
	{ "report-both", OWN_FLAG, offsetof(struct dropin, report_both) },
	{ "cpu_util", OWN_FLAG, offsetof(struct dropin, cpu_util) },
	{ "out_json", OWN_FLAG, offsetof(struct dropin, json) },
	{ "limit_bw", OWN_REAL, offsetof(struct dropin, limit_bw) },
	{ "limit_msgrate", OWN_REAL, offsetof(struct dropin, limit_msgrate) },
	{ "rate_limit", OWN_REAL, offsetof(struct dropin, rate_limit) },
	{ "rate_limit_type", OWN_TEXT, offsetof(struct dropin, rate_type) },
	{ "rate_units", OWN_TEXT, offsetof(struct dropin, rate_units) },
	{ "out_json_file", OWN_TEXT, offsetof(struct dropin, json_path) },
	{ "wait_destroy", OWN_SECONDS, 0 },
	{ "output", OWN_OUTPUT, 0 },
	{ "numa_node", OWN_NUMA, 0 },
};

static const struct own *find_own(const struct perftest_option *option)
{
	for (size_t i = 0; i < FIELD_COUNT(owns); i++)
		if (!strcmp(owns[i].name, option->name))
			return &owns[i];
	return NULL;
}

bool dropin_own_known(const struct perftest_option *option)
{
	return option->drop != PERFTEST_OWN || find_own(option);
}

static int read_real(const struct perftest_option *option, const char *text, double *value)
{
	char *rest, shown[32];

	*value = strtod(text, &rest);
	if (!(*value >= 0))
		return err_set(-EINVAL, "--%s %s: should be a number that is not negative", option->name, text);
	snprintf(shown, sizeof(shown), "%g", *value);
	tell_cut(option, text, rest, shown);
	return 0;
}

/* Which figure is printed alone. */
static int read_output(struct dropin *d, const char *text)
{
	const bool stream = !kind_test_is_lat(d->cfg.test);

	d->output = !strcmp(text, "bandwidth")	  ? DROPIN_BANDWIDTH :
		    !strcmp(text, "message_rate") ? DROPIN_MESSAGE_RATE :
						    DROPIN_LATENCY;
	if (stream != (d->output != DROPIN_LATENCY))
		return err_set(-EINVAL, "--output=%s: not in %s", text, d->program);
	return 0;
}

/* An option of PERFTEST_OWN. number: its value, if it is a whole number. */
static int take_own(struct dropin *d, const struct perftest_option *option, const char *text,
		    uint64_t number)
{
	const struct own *own = find_own(option);

	if (!own)
		return refuse_always(d, option);
	switch (own->kind) {
	case OWN_FLAG:
		*(bool *)((char *)d + own->at) = true;
		return 0;
	case OWN_REAL:
		return read_real(option, text, (void *)((char *)d + own->at));
	case OWN_SECONDS:
		d->wait_destroy_s = (uint32_t)number;
		return 0;
	case OWN_NUMA:
		snprintf(d->numa, sizeof(d->numa), "numa:%" PRIu64, number);
		return 0;
	case OWN_TEXT:
		*(const char **)(void *)((char *)d + own->at) = text;
		return 0;
	default:
		return read_output(d, text);
	}
}

/* ---- all options */

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
	char digits[32];
	const char *value = perftest_value(o, text);

	if (o->clipped && number > f->max)
		number = f->max;
	if (is_number(o)) {
		snprintf(digits, sizeof(digits), "%" PRIu64, number);
		value = digits;
	}
	if (f->type == FIELD_U32 && is_number(o) && number > UINT32_MAX)
		return refuse(o, NULL, "the number is too large");
	if (!field_parse(f, &d->cfg, value)) {
		d->cfg.given.rows[o->row] = o->symmetric;
		return 0;
	}
	if (!o->clipped)
		return refuse(o, NULL, "%s", err_text());
	log_note("--%s %s is not valid: the largest of the devices is used, as in perftest",
		 o->name, text);
	err_clear();
	d->cfg.given.rows[o->row] = false;
	return field_parse(f, &d->cfg, "auto");
}

/* Without an effect in this test. */
static int take_idle(const struct dropin *d, const struct perftest_option *o, uint64_t number)
{
	if (perftest_idles(o))
		return 0;
	if (o->value != PERFTEST_FLAG && number == (o->letter == 's' ? 8 : o->letter != 'I'))
		return 0;
	return refuse(o, NULL, "not in %s", d->program);
}

static int take(struct dropin *d, const struct perftest_option *o, const char *text)
{
	uint64_t number = 0;
	int rc = 0;

	if (o->same && !strcmp(o->same, text))
		return 0;
	if (o->drop >= PERFTEST_NEVER_RUNS)
		return refuse_always(d, o);
	if (is_number(o))
		rc = read_number(o, text, &number);
	else if (o->value == PERFTEST_WORD)
		rc = check_word(o, text);
	if (rc)
		return rc;
	if (o->drop == PERFTEST_IDLE) {
		log_note("--%s has no effect here, as in perftest: %s", o->name, o->help);
		return 0;
	}
	if (!perftest_has_effect(o, d->cfg.test))
		return take_idle(d, o, number);
	switch (o->drop) {
	case PERFTEST_NOTHING:
		return 0;
	case PERFTEST_SETS:
		return take_ours(d, o, text, number);
	default:
		return take_own(d, o, text, number);
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
		return refuse(o, NULL, "needs a value");
	if (o)
		return refuse(o, NULL, "takes no value");
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

/* Keeps the error message of this thread, with the options as they were typed. */
static void keep(struct dropin *d, int rc)
{
	if (rc)
		options_add_text(&d->wrong, label_error(&d->cfg));
}

/* --write_with_imm may stand behind an option that needs it. */
static void check_imm(struct dropin *d, const bool *seen)
{
	for (size_t i = 0; i < perftest_n_options && !d->cfg.imm; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (seen[i] && o->with_imm >> d->cfg.test & 1)
			keep(d, refuse(o, NULL, "not in %s without --write_with_imm", d->program));
	}
}

/* Are all options known? An apparent host may be the value of one that is not. */
static bool read_all(struct dropin *d, int argc, char **argv)
{
	bool seen[MAX_ROWS] = { false }, known = true;
	struct tables t;
	int code;

	make_tables(&t);
	optind = 0; /* glibc: forget the state of an earlier call */
	opterr = 0;
	while ((code = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		const struct perftest_option *o = row_of(code);

		if (!o) {
			known = false;
			keep(d, refuse_syntax(code, argv));
			continue;
		}
		/* 4.5 takes the last one; 6.29 refuses, which helps no script */
		if (seen[o - perftest_options])
			log_note("--%s is given twice: the last one counts", o->name);
		seen[o - perftest_options] = true;
		if (o->drop == PERFTEST_SETS)
			d->cfg.typed[o->row] = typed_of(o, code, argv);
		keep(d, take(d, o, optarg));
	}
	check_imm(d, seen);
	return known;
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

int dropin_options(struct dropin *d, int argc, char **argv)
{
	int rc = field_defaults(&options_table, &d->cfg);
	bool known;

	memset(&d->cfg.given, 0, sizeof(d->cfg.given));
	memset(d->cfg.typed, 0, sizeof(d->cfg.typed));
	d->cfg.one_test = true;
	d->json_path = "perftest_out.json";
	d->limit_bw = d->limit_msgrate = d->rate_limit = -1;
	keep(d, rc);
	known = !rc && read_all(d, argc, argv);
	if (!d->wrong.n && (d->cfg.help || d->cfg.version))
		return 1;
	if (known)
		keep(d, take_host(&d->cfg, argc - optind, argv + optind));
	keep(d, dropin_settle(d));
	if (!d->wrong.n)
		keep(d, plan_rules(&d->cfg));
	return d->wrong.n ? err_set(-EINVAL, "%s", d->wrong.text) : 0;
}
