/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The table of perftest.def, its look-ups, and the tables of docs/from-perftest.md. Parses no
 * command line.
 */
#include "config.h"
#include "options/perftest.h"

#include <limits.h>
#include <string.h>

#include "options/options.h"

#define OPTION_MAX 64

/* The words of perftest.def. */
enum {
	SEND = 1u << TEST_SEND_BW | 1u << TEST_SEND_LAT,
	WRITE = 1u << TEST_WRITE_BW | 1u << TEST_WRITE_LAT,
	READ = 1u << TEST_READ_BW | 1u << TEST_READ_LAT,
	ATOMIC = 1u << TEST_ATOMIC_BW | 1u << TEST_ATOMIC_LAT,
	ALL = SEND | WRITE | READ | ATOMIC,
	BW = 1u << TEST_SEND_BW | 1u << TEST_WRITE_BW | 1u << TEST_READ_BW | 1u << TEST_ATOMIC_BW,
	LAT = ALL & ~BW,
};

#define NO_RAW "no raw Ethernet: use perftest's raw_ethernet_bw"

/* perftest compares these case-sensitively. */
static const struct perftest_word words_atomic[] = {
	{ "CMP_AND_SWAP", "cmp_swap" }, { "FETCH_AND_ADD", "fetch_add" }, { NULL, NULL },
};

/* Words without a spelling of ours are refused by the range of our option. */
static const struct perftest_word words_connection[] = {
	{ "RC", "RC" }, { "UC", "UC" }, { "UD", "UD" }, { "XRC", "XRC" }, { "DC", "DC" },
	{ NULL, NULL },
};
static const struct perftest_word words_link[] = {
	{ "IB", NULL }, { "Ethernet", NULL }, { NULL, NULL },
};
static const struct perftest_word words_congest[] = {
	{ "DCQCN", NULL }, { "LDCP", NULL }, { "HC3", NULL }, { "DIP", NULL }, { NULL, NULL },
};
static const struct perftest_word words_tph[] = {
	{ "persistent", NULL }, { "pm", NULL }, { "volatile", NULL }, { "vm", NULL },
	{ NULL, NULL },
};
static const struct perftest_word words_touch[] = {
	{ "once", NULL }, { "infinite", NULL }, { NULL, NULL },
};
static const struct perftest_word words_limit_type[] = {
	{ "HW", NULL }, { "SW", NULL }, { "PP", NULL }, { NULL, NULL },
};
static const struct perftest_word words_limit_units[] = {
	{ "M", NULL }, { "g", NULL }, { "p", NULL }, { NULL, NULL },
};
static const struct perftest_word words_output[] = {
	{ "bandwidth", NULL }, { "message_rate", NULL }, { "latency", NULL }, { NULL, NULL },
};

#define RANGE(low, high) .min = (low), .max = (high)
#define TO(r) .answer = PERFTEST_TAKEN, .drop = PERFTEST_SETS, .row = CFG_ROW_##r
#define NEEDLESS(text) .answer = PERFTEST_NEEDLESS, .drop = PERFTEST_NOTHING, .help = (text)
#define REFUSED(stock, because, text) .answer = PERFTEST_REFUSED, .why = PERFTEST_##because, \
	.drop = PERFTEST_NEVER_##stock, .help = (text)
#define IDLE(because, text) .answer = PERFTEST_REFUSED, .why = PERFTEST_##because, \
	.drop = PERFTEST_IDLE, .help = (text)
#define OWN_NEEDLESS(text) .answer = PERFTEST_NEEDLESS, .drop = PERFTEST_OWN, .help = (text)
/* Rows that the drop-in programs handle differently. */
#define OWN(what, text) .answer = PERFTEST_REFUSED, .why = PERFTEST_ANSWERED, \
	.drop = PERFTEST_##what, .help = (text)
/* Rows alike. */
#define RAW .raw = true, IDLE(OTHERS, NO_RAW)
#define OTHER_GPU .compiled = true, \
	REFUSED(RUNS, VENDORS, "only NVIDIA's: --gpu; else use perftest")
#define CRYPTO .compiled = true, REFUSED(RUNS, VENDORS, "no device encryption: use perftest")

#define PERFTEST(long_name, short_name, kind, on, ...) { .name = (long_name), \
	.letter = (short_name), .value = PERFTEST_##kind, .tests = (on), __VA_ARGS__ },
const struct perftest_option perftest_options[] = {
#include "options/perftest.def"
};

const size_t perftest_n_options = sizeof(perftest_options) / sizeof(perftest_options[0]);

const struct perftest_option *perftest_find(const char *name, size_t len)
{
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (options_same_name(o->name, name, len) ||
		    (o->also && options_same_name(o->also, name, len)))
			return o;
	}
	return NULL;
}

const struct perftest_option *perftest_find_letter(char letter)
{
	for (size_t i = 0; letter && i < perftest_n_options; i++) {
		if (perftest_options[i].letter == letter)
			return &perftest_options[i];
	}
	return NULL;
}

bool perftest_has_effect(const struct perftest_option *option, enum test test)
{
	return option->tests >> test & 1;
}

bool perftest_idles(const struct perftest_option *option)
{
	return option->anywhere || (option->value != PERFTEST_FLAG &&
				    !strchr("qlIs", option->letter ? option->letter : '-'));
}

unsigned perftest_versions(const struct perftest_option *option)
{
	return option->versions ? option->versions : PERFTEST_4_5 | PERFTEST_6_29;
}

const char *perftest_value(const struct perftest_option *option, const char *text)
{
	if (!text || option->value == PERFTEST_FLAG)
		return option->set;
	for (const struct perftest_word *w = option->words; w && w->theirs; w++) {
		if (w->ours && !strcmp(w->theirs, text))
			return w->ours;
	}
	return text;
}

/* ---- docs/from-perftest.md */

/* "`--completion event`" */
static void print_own(FILE *out, const struct perftest_option *o)
{
	const struct field *row = &options_table.rows[o->row];
	char name[OPTION_MAX];

	field_option(row, name, sizeof(name));
	fprintf(out, "`--%s%s%s`", name, o->set ? " " : "", o->set ? o->set : "");
	for (const struct perftest_word *w = o->words; w && w->theirs; w++) {
		if (w->ours && strcmp(w->theirs, w->ours))
			fprintf(out, ", `%s` is `%s`", w->theirs, w->ours);
	}
}

/* "`-O` `--dualport`" */
static void print_names(FILE *out, const struct perftest_option *o)
{
	if (o->letter)
		fprintf(out, "`-%c` ", o->letter);
	fprintf(out, "`--%s`", o->name);
	if (o->also)
		fprintf(out, " `--%s`", o->also);
}

/* The tests that have ours, and not perftest's: there a drop-in program has none. */
static uint32_t left_out(const struct perftest_option *o)
{
	const uint32_t ours = options_table.rows[o->row].tests;

	return (ours ? ours : ALL) & ~o->tests;
}

static void print_same(FILE *out, const struct perftest_option *o)
{
	char list[FIELD_TEXT_MAX];

	fputs("the same", out);
	if (left_out(o))
		fprintf(out, ", in %s; elsewhere %s",
			choices_list(o->tests, kind_test_names, list, sizeof(list)),
			perftest_idles(o) ? "no effect" : "refused by both");
	if (o->with_imm)
		fprintf(out, "; in %s only with immediate data, as in perftest",
			choices_list(o->with_imm, kind_test_names, list, sizeof(list)));
}

/* Is our option of the same name, and means the same in all tests? */
static bool is_same(const struct perftest_option *o)
{
	char name[OPTION_MAX];

	field_option(&options_table.rows[o->row], name, sizeof(name));
	return o->answer == PERFTEST_TAKEN && !o->set && !o->words && !o->also &&
	       !left_out(o) && !o->with_imm && options_same_name(name, o->name, strlen(o->name));
}

/* Is it taken by both, as what it asks for is done anyway? */
static bool is_needless(const struct perftest_option *o)
{
	return o->answer == PERFTEST_NEEDLESS && o->drop == PERFTEST_NOTHING;
}

static void print_list(FILE *out, bool (*is_in)(const struct perftest_option *))
{
	const char *comma = "";

	for (size_t i = 0; i < perftest_n_options; i++) {
		if (!is_in(&perftest_options[i]))
			continue;
		fputs(comma, out);
		print_names(out, &perftest_options[i]);
		comma = ",\n";
	}
	fputs(".\n", out);
}

static void print_renamed(FILE *out)
{
	fputs("| perftest | `vb_*`, `verbench` | `ib_*` |\n| --- | --- | --- |\n", out);
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->answer != PERFTEST_TAKEN || is_same(o))
			continue;
		fputs("| ", out);
		print_names(out, o);
		fputs(" | ", out);
		print_own(out, o);
		fputs(" | ", out);
		print_same(out, o);
		fputs(" |\n", out);
	}
}

/* Do both programs answer both options alike? */
static bool is_alike(const struct perftest_option *a, const struct perftest_option *b)
{
	return b->answer != PERFTEST_TAKEN && a->drop == b->drop && !strcmp(a->help, b->help);
}

/* The options that are answered like option i, unless one above it is. */
static void print_others(FILE *out, size_t i)
{
	static const char *const drops[] = {
		[PERFTEST_NOTHING] = "no effect",
		[PERFTEST_OWN] = "as perftest",
		[PERFTEST_IDLE] = "ignored",
		[PERFTEST_NEVER_RUNS] = "refused",
		[PERFTEST_NEVER_REFUSES] = "refused by both",
	};
	static const char *const whys[] = {
		[PERFTEST_NOT_REFUSED] = "",
		[PERFTEST_ANSWERED] = "*answered by*: ",
		[PERFTEST_VENDORS] = "*one vendor's*: ",
		[PERFTEST_OTHERS] = "*other audience*: ",
	};
	const struct perftest_option *o = &perftest_options[i];

	for (size_t j = 0; j < i; j++)
		if (is_alike(o, &perftest_options[j]))
			return;
	fputs("| ", out);
	print_names(out, o);
	for (size_t j = i + 1; j < perftest_n_options; j++) {
		if (!is_alike(o, &perftest_options[j]))
			continue;
		fputs(", ", out);
		print_names(out, &perftest_options[j]);
	}
	fprintf(out, " | %s%s | %s |\n", whys[o->why], o->help, drops[o->drop]);
}

static void print_options(FILE *out)
{
	fputs("| perftest | `vb_*`, `verbench` | `ib_*` |\n| --- | --- | --- |\n", out);
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->answer != PERFTEST_TAKEN && !is_needless(o))
			print_others(out, i);
	}
}

/* The letters that mean another option here. */
static void print_letters(FILE *out)
{
	char name[OPTION_MAX];

	fputs("| letter | perftest | `vb_*`, `verbench` |\n| --- | --- | --- |\n", out);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		const struct perftest_option *o = perftest_find_letter(f->letter);

		if (o && o->answer != PERFTEST_TAKEN)
			fprintf(out, "| `-%c` | `--%s` | `--%s` |\n", f->letter, o->name,
				field_option(f, name, sizeof(name)));
	}
}

static bool print_table(FILE *out, const char *name)
{
	if (!strcmp(name, "options"))
		print_options(out);
	else if (!strcmp(name, "same"))
		print_list(out, is_same);
	else if (!strcmp(name, "needless"))
		print_list(out, is_needless);
	else if (!strcmp(name, "renamed"))
		print_renamed(out);
	else if (!strcmp(name, "letters"))
		print_letters(out);
	else
		return false;
	return true;
}

int perftest_doc(FILE *out, FILE *in)
{
	return field_document(out, in, print_table);
}
