/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of perftest.def and its look-ups. Called by the parser of the options and by the
 * drop-in programs. Must not parse a command line.
 */
#include "config.h"
#include "config/perftest.h"

#include <limits.h>
#include <string.h>

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

#define NO_RAW "no raw Ethernet: RDMA transports only"
#define NO_GPU "memory of a GPU is not measured"
#define NO_CRYPTO "no encryption by the device"

/* perftest compares these with regard to case. */
static const struct perftest_word words_atomic[] = {
	{ "CMP_AND_SWAP", "cmp_swap" }, { "FETCH_AND_ADD", "fetch_add" }, { NULL, NULL },
};

/* Without a word of ours: refused by the option's own range. */
static const struct perftest_word words_connection[] = {
	{ "RC", "RC" }, { "UC", "UC" }, { "UD", "UD" }, { "XRC", "XRC" }, { "DC", "DC" },
	{ "SRD", NULL }, { NULL, NULL },
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
#define REFUSED(text) .answer = PERFTEST_REFUSED, .drop = PERFTEST_NEVER, .help = (text)
/* Another answer of the drop-in programs. */
#define OWN(what, text) .answer = PERFTEST_REFUSED, .drop = PERFTEST_##what, .help = (text)

#define PERFTEST(long_name, short_name, kind, on, ...) { .name = (long_name), \
	.letter = (short_name), .value = PERFTEST_##kind, .tests = (on), __VA_ARGS__ },
const struct perftest_option perftest_options[] = {
#include "config/perftest.def"
};

const size_t perftest_n_options = sizeof(perftest_options) / sizeof(perftest_options[0]);

static bool same_name(const char *name, const char *typed, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char a = name[i] == '_' ? '-' : name[i];
		const char b = typed[i] == '_' ? '-' : typed[i];

		if (a != b || !a)
			return false;
	}
	return !name[len];
}

const struct perftest_option *perftest_find(const char *name, size_t len)
{
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (same_name(o->name, name, len) || (o->also && same_name(o->also, name, len)))
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
