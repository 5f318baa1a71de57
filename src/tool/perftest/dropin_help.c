/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what the drop-in programs say of perftest's options: --help, and which of them were refused.
 * The sentences of options/perftest.def name options of vb_*.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "util/log.h"

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

void dropin_help_wrong(const struct dropin *d)
{
	const char *text = d->wrong.text;

	for (size_t i = 0; i < d->wrong.n; i++, text += strlen(text) + 1)
		log_error("%s", text);
	if (d->refused)
		log_note("the options that these refusals name are options of vb_%s",
			 kind_test_names[d->cfg.test]);
}
