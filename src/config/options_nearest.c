/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The option that a misspelled name may mean. Called by options_parse.c. Must not parse. */
#include "config.h"
#include "config/options.h"

#include <stdio.h>
#include <string.h>

#include "config/label.h"
#include "config/options_scan.h"
#include "util/minmax.h"

#define NAME_LEN 32

/* Letters that are inserted, left out, replaced, or exchanged with their neighbour. */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned d[NAME_LEN + 1][NAME_LEN + 1];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			const unsigned cost = !options_same_name((char[]){ b[j - 1], '\0' },
								 &a[i - 1], 1);

			d[i][j] = min_u32(min_u32(d[i - 1][j], d[i][j - 1]) + 1,
					  d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = min_u32(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[a_len][b_len];
}

/* How far name is from option; a start of it is nearer than any other. */
static unsigned far_from(const char *option, const char *name, size_t len)
{
	const size_t option_len = strlen(option);

	if (len > NAME_LEN || option_len > NAME_LEN)
		return UINT32_MAX;
	if (len < option_len && !distance(name, len, option, len))
		return 0;
	return distance(name, len, option, option_len);
}

struct nearest {
	const char *name;  /* as asked for */
	size_t len;
	unsigned far;      /* what is farther is not near */
	bool several;      /* as near: none is the nearest */
	char *found;       /* LABEL_MAX; "" none yet */
};

static void consider(struct nearest *n, const char *option)
{
	const unsigned far = far_from(option, n->name, n->len);

	if (far > n->far || options_same_name(option, n->found, strlen(n->found)))
		return;
	n->several = far == n->far && n->found[0];
	n->far = far;
	snprintf(n->found, LABEL_MAX, "%s", option);
}

const char *options_nearest(const char *name, size_t len, enum options_command command,
			    char *text)
{
	/* one wrong letter in four */
	struct nearest n = {
		.name = name,
		.len = len,
		.far = len < 10 ? (unsigned)(len + 2) / 4 : 3,
		.found = text,
	};
	char option[LABEL_MAX];

	text[0] = '\0';
	for (size_t i = 0; i < options_table.n; i++) {
		if (options_takes(&options_table.rows[i], command))
			consider(&n, field_option(&options_table.rows[i], option, sizeof(option)));
	}
	for (size_t i = 0; i < perftest_n_options; i++) {
		const struct perftest_option *o = &perftest_options[i];

		if (o->answer == PERFTEST_TAKEN &&
		    options_takes(&options_table.rows[o->row], command))
			consider(&n, o->name);
	}
	return n.several || !text[0] ? NULL : text;
}
