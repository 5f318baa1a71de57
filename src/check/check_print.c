/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what people read of a check, but for the reasons of check_reasons.c: lines of 80 columns.
 * Called by check.c and check_local.c.
 */
#include "config.h"
#include "check/check_print.h"

#include <inttypes.h>
#include <string.h>

#include "util/screen.h"

#define SIDE_WIDTH 8
#define WAY_WIDTH 9
#define TEST_WIDTH 11
#define MARK_WIDTH 7
#define LABEL_WIDTH 40
#define VALUE_WIDTH 20

static const char *const marks[] = {
	[CHECK_OK] = "ok", [CHECK_FAILED] = "FAILED", [CHECK_NOT_OFFERED] = "no",
	[CHECK_NOT_TRIED] = "-",
};

void check_print_text(FILE *out, int indent, const char *text)
{
	fprintf(out, "%*s", indent, "");
	screen_wrap(out, text, (struct screen_place){ indent, indent + 2, screen_columns() });
}

const char *check_rate_text(char text[CHECK_RATE_TEXT], const struct limits *limits)
{
	snprintf(text, CHECK_RATE_TEXT, "rate unknown");
	if (limits->rate_mbit_s)
		snprintf(text, CHECK_RATE_TEXT, "%g Gbit/s", (double)limits->rate_mbit_s / 1000);
	return text;
}

const char *check_way_name(const struct check_cell *c)
{
	return c->by_cm ? "RC by cm" : kind_transport_names[c->kind.tp];
}

/* ---- the two sides */

static void print_side(FILE *out, const struct session_facts *facts, enum side side)
{
	const struct limits *l = &facts->limits[side];
	const struct machine *m = &facts->machine[side];
	char text[CHECK_LINE_TEXT], more[96] = "", rate[CHECK_RATE_TEXT];

	if (!facts->known[side])
		return;
	snprintf(text, sizeof(text), "%s: %s port %u%s%s%s%s", l->host, l->device, l->port,
		 l->driver[0] ? ", driver " : "", l->driver,
		 l->firmware[0] ? ", firmware " : "", l->firmware);
	fprintf(out, "%-*s", SIDE_WIDTH, kind_side_names[side]);
	screen_wrap(out, text,
		    (struct screen_place){ SIDE_WIDTH, SIDE_WIDTH + 2, screen_columns() });
	if (m->pcie_width != UINT32_MAX)
		snprintf(more, sizeof(more), ", PCIe gen %u x%u", m->pcie_generation, m->pcie_width);
	if (m->numa_node != UINT32_MAX)
		snprintf(more + strlen(more), sizeof(more) - strlen(more), ", NUMA node %u",
			 m->numa_node);
	snprintf(text, sizeof(text), "%s, %s, MTU %u%s, Linux %s", limits_link_name(l),
		 check_rate_text(rate, l), l->active_mtu_bytes, more, m->kernel);
	check_print_text(out, SIDE_WIDTH, text);
}

/* ---- what works */

static const struct check_cell *find_cell(const struct check *check, const struct check_cell *like)
{
	for (uint32_t i = 0; i < check->n_cells; i++) {
		const struct check_cell *c = &check->cells[i];

		if (check_same_way(c, like) && c->kind.op == like->kind.op && c->by == like->by &&
		    c->kind.cm == like->kind.cm && c->large == like->large)
			return c;
	}
	return NULL;
}

static void print_heads(FILE *out)
{
	const int left = WAY_WIDTH + TEST_WIDTH, side = 4 * MARK_WIDTH;

	fprintf(out, "%*s%-*s%s\n", left, "", side, "requests of the client",
		"requests of the server");
	fprintf(out, "%*s%-*s%-*s%-*s%s\n", left, "", 2 * MARK_WIDTH, "polled", 2 * MARK_WIDTH,
		"by events", 2 * MARK_WIDTH, "polled", "by events");
	fprintf(out, "%*s", left, "");
	for (int i = 0; i < 4; i++)
		fprintf(out, "%-*s%s%s", MARK_WIDTH, "small", "large", i < 3 ? "  " : "\n");
}

/* One opcode over one way. first: any cell of it. */
static void print_op(FILE *out, const struct check *check, const struct check_cell *first)
{
	struct check_cell like = *first;
	char line[128];
	size_t len = (size_t)snprintf(line, sizeof(line), "%-*s%-*s", WAY_WIDTH, check_way_name(first),
				      TEST_WIDTH, kind_opcode_names[first->kind.op]);

	for (int i = 0; i < 8; i++) {
		const struct check_cell *c;

		like.by = i / 4 ? SIDE_SERVER : SIDE_CLIENT;
		like.kind.cm = i / 2 % 2 ? CM_EVENT : CM_POLL;
		like.large = i % 2;
		c = find_cell(check, &like);
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%-*s", MARK_WIDTH,
					c ? marks[c->status] : "");
	}
	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
	fprintf(out, "%s\n", line);
}

uint32_t check_end_of(const struct check *check, uint32_t i, bool op)
{
	uint32_t end = i;

	while (end < check->n_cells && check_same_way(&check->cells[end], &check->cells[i]) &&
	       (!op || check->cells[end].kind.op == check->cells[i].kind.op))
		end++;
	return end;
}

static bool none_offered(const struct check *check, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (check->cells[i].status != CHECK_NOT_OFFERED)
			return false;
	return true;
}

static void print_works(FILE *out, const struct check *check)
{
	for (uint32_t i = 0, end; i < check->n_cells; i = end) {
		end = check_end_of(check, i, false);
		if (none_offered(check, i, end)) {
			fprintf(out, "%-*snot offered\n", WAY_WIDTH, check_way_name(&check->cells[i]));
			continue;
		}
		for (; i < end; i = check_end_of(check, i, true))
			print_op(out, check, &check->cells[i]);
	}
}

/* ---- limits of both sides */

static const char *number(char text[32], uint64_t n, uint64_t unknown)
{
	if (n == unknown)
		snprintf(text, 32, "-");
	else
		snprintf(text, 32, "%" PRIu64, n);
	return text;
}

static const char *locked(char text[32], const struct machine *m)
{
	if (m->memlock_bytes == UINT64_MAX)
		snprintf(text, 32, "no limit");
	else
		snprintf(text, 32, "%" PRIu64, m->memlock_bytes >> 10);
	return text;
}

static void print_limit(FILE *out, const char *label, const char *client, const char *server)
{
	fprintf(out, "  %-*s%-*s%s\n", LABEL_WIDTH, label, VALUE_WIDTH, client, server);
}

static void print_limits(FILE *out, const struct session_facts *facts)
{
	const struct limits *c = &facts->limits[SIDE_CLIENT], *s = &facts->limits[SIDE_SERVER];
	const struct {
		const char *label;
		uint64_t client, server, unknown;
	} table[] = {
		{ "longest message, bytes", c->max_msg_bytes, s->max_msg_bytes, UINT32_MAX },
		{ "queue pairs", c->max_qps, s->max_qps, 0 },
		{ "requests per queue", c->max_wr, s->max_wr, 0 },
		{ "buffers per request", c->max_sge, s->max_sge, 0 },
		{ "completions per queue", c->max_cqe, s->max_cqe, 0 },
		{ "memory regions", c->max_mrs, s->max_mrs, UINT32_MAX },
		{ "shared receive queues", c->max_srqs, s->max_srqs, UINT64_MAX },
		{ "reads and atomics at a time, asked", c->max_init_rd_atomic,
		  s->max_init_rd_atomic, UINT64_MAX },
		{ "reads and atomics at a time, answered", c->max_rd_atomic, s->max_rd_atomic,
		  UINT64_MAX },
		{ "free hugepages", c->hugepages_free, s->hugepages_free, UINT64_MAX },
	};
	char a[32], b[32];

	if (!facts->known[SIDE_CLIENT] || !facts->known[SIDE_SERVER])
		return;
	fprintf(out, "\n%-*s%-*s%s\n", LABEL_WIDTH + 2, "Limits", VALUE_WIDTH, "client", "server");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		print_limit(out, table[i].label, number(a, table[i].client, table[i].unknown),
			    number(b, table[i].server, table[i].unknown));
	print_limit(out, "lockable memory, KiB", locked(a, &facts->machine[SIDE_CLIENT]),
		    locked(b, &facts->machine[SIDE_SERVER]));
}

/* ---- warnings and the end */

/* The same of the other side. NULL: none. */
static const struct finding *find_twin(const struct finding *list, uint32_t from, uint32_t to,
				       const struct finding *like)
{
	for (uint32_t i = from; i < to; i++)
		if (!strcmp(list[i].code, like->code) && !strcmp(list[i].text, like->text) &&
		    strcmp(list[i].side, like->side))
			return &list[i];
	return NULL;
}

void check_print_findings(FILE *out, const struct finding *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct finding *f = &list[i];
		const char *who = !f->side[0] ? f->device :
				  find_twin(list, i + 1, n, f) ? "both sides" : f->side;
		char text[CHECK_LINE_TEXT];

		if (!i)
			fprintf(out, "\nWarnings: what costs performance, or forbids something\n");
		if (find_twin(list, 0, i, f))
			continue;
		snprintf(text, sizeof(text), "%s: %s", who, f->text);
		check_print_text(out, 2, text);
		if (!f->remedy[0])
			continue;
		snprintf(text, sizeof(text), "try: %s", f->remedy);
		check_print_text(out, 6, text);
	}
}

static void print_end(FILE *out, const struct check *check)
{
	const uint32_t *n = check->counts;
	const uint32_t offered = n[CHECK_OK] + n[CHECK_FAILED];
	char text[CHECK_LINE_TEXT];

	snprintf(text, sizeof(text), "%u of %u offered ways work; not offered: %u", n[CHECK_OK],
		 offered, n[CHECK_NOT_OFFERED]);
	if (n[CHECK_NOT_TRIED])
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; not tried: %u",
			 n[CHECK_NOT_TRIED]);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "; warnings: %u; %.1f s",
		 check->n_findings, (double)check->ns / 1e9);
	fputc('\n', out);
	check_print_text(out, 0, text);
}

void check_print(FILE *out, const struct check *check)
{
	print_side(out, &check->facts, SIDE_CLIENT);
	print_side(out, &check->facts, SIDE_SERVER);
	if (check->counts[CHECK_NOT_TRIED] < check->n_cells) {
		fprintf(out, "\nWhat works, with the content checked (small: %u bytes; large: 64 KiB, UD: MTU)\n",
			CHECK_SMALL_BYTES);
		print_heads(out);
		print_works(out, check);
		check_print_reasons(out, check);
	}
	print_limits(out, &check->facts);
	check_print_findings(out, check->findings, check->n_findings);
	if (check->counts[CHECK_NOT_TRIED] < check->n_cells)
		print_end(out, check);
}
