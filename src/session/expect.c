/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Compares the options of a server with the plan; see expect.h. Called by agree.c. */
#include "config.h"
#include "session/expect.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "config/options.h"
#include "util/err.h"

/* What auto became, of an option whose value is in the plan. */
struct chosen {
	size_t off; /* of the option, in struct cfg */
	uint64_t value;
};

static bool is_auto(const struct field *f, const struct cfg *cfg)
{
	const uint64_t v = f->type == FIELD_STRING ? 0 : field_integer(f, cfg);

	if (f->type == FIELD_STRING)
		return f->def && !strcmp(f->def, "auto") && !strcmp(field_text(f, cfg), "auto");
	if (f->names)
		return !strcmp(f->names[v], "auto");
	return f->flags & FIELD_AUTO && v == (f->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX);
}

/* Writes what the plan chose into one, a copy of the client's options. False: it is not known. */
static bool put_chosen(struct cfg *one, const struct plan *plan, const struct field *f)
{
	const struct plan_work *work = &plan->work;
	const struct point *point = &plan->points[0];
	const struct chosen list[] = {
		{ offsetof(struct cfg, depth), work->depth },
		{ offsetof(struct cfg, recv_depth), work->recv_depth },
		{ offsetof(struct cfg, srq_limit), work->srq_limit },
		{ offsetof(struct cfg, signal_interval), work->signal_interval },
		{ offsetof(struct cfg, inline_bytes), work->inline_bytes },
		{ offsetof(struct cfg, outstanding), work->outstanding },
		{ offsetof(struct cfg, walk), work->walk },
		{ offsetof(struct cfg, hugepages), work->hugepages },
		{ offsetof(struct cfg, locks), work->locks },
		{ offsetof(struct cfg, relaxed_ordering),
		  work->relaxed_ordering ? RELAXED_ON : RELAXED_OFF },
		{ offsetof(struct cfg, post_api), work->post_api },
		{ offsetof(struct cfg, mcast_join), plan->path.mcast_join },
		{ offsetof(struct cfg, mtu_bytes), plan->path.mtu_bytes },
		{ offsetof(struct cfg, pkey), plan->path.pkey },
		{ offsetof(struct cfg, messages), point->messages },
		/* the last two are of one size only: they stay auto if there are several */
		{ offsetof(struct cfg, size_bytes), point->size_bytes },
		{ offsetof(struct cfg, footprint_bytes), point->footprint_bytes },
	};
	const size_t n = FIELD_COUNT(list) - (plan->n_points == 1 ? 0 : 2);

	for (size_t i = 0; i < n; i++) {
		if (list[i].off != f->off)
			continue;
		field_set_integer(f, one, list[i].value);
		return true;
	}
	return false;
}

static bool is_same(const struct field *f, const struct cfg *a, const struct cfg *b)
{
	const char *x, *y;

	if (f->type != FIELD_STRING)
		return field_integer(f, a) == field_integer(f, b);
	x = field_text(f, a);
	y = field_text(f, b);
	return x == y || (x && y && !strcmp(x, y));
}

/* What is compared. */
struct both {
	const struct plan *plan;
	const struct cfg *server, *test;
};

/* One difference, or "". */
static void compare(char text[ERR_TEXT_MAX], enum cfg_row row, const struct both *both)
{
	const struct field *f = &options_table.rows[row];
	char label[FIELD_TEXT_MAX], own[FIELD_TEXT_MAX], theirs[FIELD_TEXT_MAX];
	const struct cfg *server = both->server, *test = both->test;
	struct cfg got = *test;
	const bool chosen = is_auto(f, test) && put_chosen(&got, both->plan, f);
	const size_t size = ERR_TEXT_MAX;

	text[0] = '\0';
	if (is_auto(f, server))
		return;
	field_label(f, label, sizeof(label)); /* each side then puts in what was typed there */
	options_value(f, server, own, sizeof(own));
	options_value(f, &got, theirs, sizeof(theirs));
	if (f->tests && !(f->tests >> test->test & 1))
		snprintf(text, size, "%.64s: server %.128s, but the client runs %s, which has no such option",
			 label, own, kind_test_names[test->test]);
	else if (!is_same(f, server, &got))
		snprintf(text, size, "%.64s: server %.128s, client %.128s%s", label, own, theirs,
			 chosen ? " (auto)" : "");
}

int expect_check(const struct plan *plan, const struct cfg *server, const struct cfg *test)
{
	const struct both both = { .plan = plan, .server = server, .test = test };
	char text[ERR_TEXT_MAX] = "", one[ERR_TEXT_MAX];
	size_t used = 0;

	if (server->one_test && server->test != test->test)
		return err_set(-EINVAL, "server and client have different tests: server %s, client %s",
			       kind_test_names[server->test], kind_test_names[test->test]);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (!server->given.rows[i] || f->flags & FIELD_ALIAS || !options_are_expected(f))
			continue;
		compare(one, (enum cfg_row)i, &both);
		/* what does not fit is left out */
		if (one[0] && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "; " : "", one);
	}
	if (!used)
		return 0;
	return err_set(-EINVAL, "server and client have different options: %s", text);
}
