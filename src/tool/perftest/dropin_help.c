/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what the drop-in programs say of perftest's options: --help, and why one is refused, in
 * names of options that they have. The sentences of options/perftest.def name those of vb_*.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <stdio.h>
#include <string.h>

#include "options/options.h"

/* perftest's name of --NAME of vb_*; NULL: there is none that takes the same values. */
static const char *their_name(const char *name, size_t len)
{
	char own[FIELD_TEXT_MAX];

	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->drop != PERFTEST_SETS || o->set)
			continue;
		field_option(&options_table.rows[o->row], own, sizeof(own));
		if (options_same_name(own, name, len))
			return o->name;
	}
	return NULL;
}

const char *dropin_help_why(const struct dropin *d, const struct perftest_option *o,
			    char text[FIELD_TEXT_MAX])
{
	const char *rest = o->help, *at;
	size_t n = 0;

	while ((at = strstr(rest, "--")) && n < FIELD_TEXT_MAX) {
		const size_t len = strcspn(at + 2, " ,;:.");
		const char *theirs = their_name(at + 2, len);

		if (!theirs) {
			snprintf(text, FIELD_TEXT_MAX, "not in %s; vb_%s: %s", d->program,
				 kind_test_names[d->cfg.test], o->help);
			return text;
		}
		n += (size_t)snprintf(text + n, FIELD_TEXT_MAX - n, "%.*s--%s", (int)(at - rest),
				      rest, theirs);
		rest = at + 2 + len;
	}
	if (n < FIELD_TEXT_MAX)
		snprintf(text + n, FIELD_TEXT_MAX - n, "%s", rest);
	return text;
}

/* As there, "--connection=<RC/UC/XRC/DC>": scripts read it to know what they can ask for. */
static void print_transports(FILE *out, enum test test)
{
	char list[64] = "";

	for (uint32_t i = 0; i < TP_COUNT; i++) {
		const struct cfg cfg = { .test = test, .transport = (enum transport)i };

		if (cfg_refusal(&cfg))
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

		if ((o->drop >= PERFTEST_NEVER_RUNS || !dropin_own_known(o)) != refused || o->raw ||
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

void dropin_help_print(FILE *out, const struct dropin *d)
{
	if (!d->cfg.help) {
		fprintf(out, "Version: 6.29 (%s %s, with the command line of perftest 6.29)\n",
			PACKAGE_NAME, PACKAGE_VERSION);
		return;
	}
	fprintf(out, "Usage:\n  %s            start a server and wait for connection\n"
		     "  %s <host>     connect to server at <host>\n\n"
		     "Measures with verbench what perftest's program of this name measures, takes its\n"
		     "options and prints its lines. docs/from-perftest.md says how the figures differ.\n\nOptions:\n",
		d->program, d->program);
	print_options(out, d, false);
	fprintf(out, "\nOptions of perftest that are refused; options named there are those of vb_%s:\n",
		kind_test_names[d->cfg.test]);
	print_options(out, d, true);
}
