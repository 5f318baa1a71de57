/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what people read of a check: lines of the width of the screen. */
#include "config.h"
#include "check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"
#include "util/text.h"

#define SIDE_WIDTH 8
#define WAY_WIDTH 9
#define TEST_WIDTH 13
#define MARK_WIDTH 7
#define LABEL_WIDTH 40
#define VALUE_WIDTH 20

static const char *const marks[] = {
	[CHECK_OK] = "ok", [CHECK_FAILED] = "FAILED", [CHECK_NOT_OFFERED] = "no",
	[CHECK_NOT_TRIED] = "-",
};

/* In front of the reason. */
static const char *const cause_texts[] = {
	[CAUSE_NONE] = "",
	[CAUSE_DEVICE] = "by the device: ",
	[CAUSE_DRIVER] = "by the driver or its library: ",
	[CAUSE_RIGHTS] = "by the rights of the user: ",
	[CAUSE_MEMLOCK] = "by the limit of locked memory: ",
	[CAUSE_PATH] = "by the path: ",
	[CAUSE_OWNER] = "by the owner of the server: ",
	[CAUSE_OPTIONS] = "by how the queue pairs are connected: ",
};

void check_say(FILE *out, int col, const char *label, const char *fmt, ...)
{
	const struct screen_place place = { col, col + 2, screen_columns() };
	char text[RESULT_REASON + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(out, "%-*s", col, label);
	screen_wrap(out, text, place);
}

const char *check_rate_text(char text[CHECK_RATE_TEXT], const struct limits *limits)
{
	snprintf(text, CHECK_RATE_TEXT, "rate unknown");
	if (limits->rate_mbit_s)
		snprintf(text, CHECK_RATE_TEXT, "%g Gbit/s", (double)limits->rate_mbit_s / 1000);
	return text;
}

static const char *way_name(const struct check_cell *c)
{
	return c->connect == CONNECT_RDMA_CM ? "RC by cm" : kind_transport_names[c->kind.tp];
}

/* ---- the two sides */

void check_print_gpu(FILE *out, const struct limits *l, int col)
{
	if (l->gpu_missing[0])
		check_say(out, col, "", "no GPU memory: %s", l->gpu_missing);
	else
		check_say(out, col, "", "GPU memory: %s", l->gpu);
}

static void print_side(FILE *out, const struct session_facts *facts, enum side side)
{
	const struct limits *l = &facts->limits[side];
	const struct machine *m = &facts->machine[side];
	char pcie[64] = "", node[32] = "", rate[CHECK_RATE_TEXT];

	if (!facts->known[side])
		return;
	check_say(out, SIDE_WIDTH, kind_side_names[side], "%s: %s port %u%s%s%s%s", l->host,
		  l->device, l->port, l->driver[0] ? ", driver " : "", l->driver,
		  l->firmware[0] ? ", firmware " : "", l->firmware);
	if (m->pcie_width != UINT32_MAX)
		snprintf(pcie, sizeof(pcie), ", PCIe gen %u x%u", m->pcie_generation, m->pcie_width);
	if (m->numa_node != UINT32_MAX)
		snprintf(node, sizeof(node), ", NUMA node %u", m->numa_node);
	check_say(out, SIDE_WIDTH, "", "%s, %s, MTU %u%s%s, Linux %s", limits_link_name(l),
		  check_rate_text(rate, l), l->active_mtu_bytes, pcie, node, l->kernel);
	if (l->gpu[0])
		check_print_gpu(out, l, SIDE_WIDTH);
}

/* ---- what works */

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

/* The end of the cells from i on that are of one way, and of one opcode if op. */
static uint32_t end_of(const struct check *check, uint32_t i, bool op)
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

/* One opcode over one way: the cells first to end. No blanks end the line. */
static void print_op(FILE *out, const struct check *check, uint32_t first, uint32_t end)
{
	const char *mark[8] = { "", "", "", "", "", "", "", "" };
	const struct check_cell *c = &check->cells[first];
	char line[128];
	size_t len = (size_t)snprintf(line, sizeof(line), "%-*s%-*s", WAY_WIDTH, way_name(c),
				      TEST_WIDTH, kind_opcode_names[c->kind.op]);

	for (; c < &check->cells[end]; c++)
		mark[(c->by == SIDE_SERVER) * 4 + (c->kind.cm == CM_EVENT) * 2 + (int)c->size] =
			marks[c->status];
	for (int i = 0; i < 8; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%-*s", MARK_WIDTH, mark[i]);
	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
	fprintf(out, "%s\n", line);
}

static void print_works(FILE *out, const struct check *check)
{
	for (uint32_t i = 0, end, of_op; i < check->n_cells; i = end) {
		end = end_of(check, i, false);
		if (none_offered(check, i, end)) {
			fprintf(out, "%-*snot offered\n", WAY_WIDTH, way_name(&check->cells[i]));
			continue;
		}
		for (; i < end; i = of_op) {
			of_op = end_of(check, i, true);
			print_op(out, check, i, of_op);
		}
	}
}

/* ---- why a cell is not ok: each reason once, with the ways and opcodes that have it */

/* But for numbers. */
static bool same_text(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (;; a++, b++) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

/* A failure with a name is the same for each opcode, message and queue pair. */
static bool same_reason(const struct check_cell *a, const struct check_cell *b)
{
	if (a->status != b->status || !check_same_way(a, b))
		return false;
	return a->failure[0] ? !strcmp(a->failure, b->failure) : same_text(a->reason, b->reason);
}

static bool was_before(const struct check *check, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (same_reason(&check->cells[i], &check->cells[index]))
			return true;
	return false;
}

/* "RC send, write_imm": the opcodes that have this reason over this way; all of them: "RC". */
static char *name_ops(const struct check *check, const struct check_cell *like)
{
	char *text = NULL;
	bool all = true;

	for (uint32_t i = 0, end; i < check->n_cells; i = end) {
		bool has = false;

		end = end_of(check, i, true);
		if (!check_same_way(&check->cells[i], like))
			continue;
		for (uint32_t k = i; k < end; k++)
			has |= same_reason(&check->cells[k], like);
		all &= has;
		if (has)
			must_appendf(&text, "%s %s", text ? "," : way_name(like),
				     kind_opcode_names[check->cells[i].kind.op]);
	}
	if (all)
		text[strlen(way_name(like))] = '\0';
	return text;
}

/* " (polled, small, requests of the client)", and of several: how many. */
static void name_cells(char **text, const struct check *check, const struct check_cell *like)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < check->n_cells; i++)
		n += same_reason(&check->cells[i], like);
	must_appendf(text, " (");
	if (n > 1)
		must_appendf(text, "%u times; first: %s, ", n, kind_opcode_names[like->kind.op]);
	must_appendf(text, "%s, %s, requests of the %s)",
		     like->kind.cm == CM_POLL ? "polled" : "by events",
		     like->size == CHECK_LARGE ? "large" : "small", kind_side_names[like->by]);
}

static void print_reasons(FILE *out, const struct check *check, enum check_status status,
			  const char *head)
{
	for (uint32_t i = 0; i < check->n_cells; i++) {
		const struct check_cell *c = &check->cells[i];
		char *cells;

		if (c->status != status || was_before(check, i))
			continue;
		cells = name_ops(check, c);
		if (status == CHECK_FAILED)
			name_cells(&cells, check, c);
		fputs(head, out);
		head = "";
		check_say(out, 2, "", "%s: %s%s", cells, cause_texts[c->cause], c->reason);
		free(cells);
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
		return "no limit";
	return number(text, m->memlock_bytes >> 10, UINT64_MAX);
}

static void print_limit(FILE *out, const char *label, const char *client, const char *server)
{
	fprintf(out, "  %-*s%-*s%s\n", LABEL_WIDTH, label, VALUE_WIDTH, client, server);
}

static const char *named(const char *names)
{
	return names[0] ? names : "-";
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
	char a[LIMITS_PACED_TEXT], b[LIMITS_PACED_TEXT];

	if (!facts->known[SIDE_CLIENT] || !facts->known[SIDE_SERVER])
		return;
	fprintf(out, "\n%-*s%-*s%s\n", LABEL_WIDTH + 2, "Limits", VALUE_WIDTH, "client", "server");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		print_limit(out, table[i].label, number(a, table[i].client, table[i].unknown),
			    number(b, table[i].server, table[i].unknown));
	print_limit(out, "transports paced by the device", named(limits_paced(c, a)),
		    named(limits_paced(s, b)));
	print_limit(out, "lockable memory, KiB", locked(a, &facts->machine[SIDE_CLIENT]),
		    locked(b, &facts->machine[SIDE_SERVER]));
}

/* ---- warnings and the end */

/* The same of the other side. */
static bool has_twin(const struct findings *all, uint32_t from, uint32_t to,
		     const struct finding *like)
{
	for (uint32_t i = from; i < to; i++) {
		const struct finding *f = &all->list[i];

		if (!strcmp(f->code, like->code) && !strcmp(f->text, like->text) &&
		    strcmp(f->side, like->side))
			return true;
	}
	return false;
}

uint32_t check_print_findings(FILE *out, const struct findings *all)
{
	uint32_t n = 0;

	if (all->n)
		fprintf(out, "\nWarnings: what costs performance, or forbids something\n");
	for (uint32_t i = 0; i < all->n; i++) {
		const struct finding *f = &all->list[i];
		const char *where = f->side[0] ? f->side : f->device;

		if (has_twin(all, 0, i, f))
			continue;
		n++;
		check_say(out, 2, "", "%s: %s",
			  has_twin(all, i + 1, all->n, f) ? "both sides" : where, f->text);
		if (f->remedy[0])
			check_say(out, 6, "", "try: %s", f->remedy);
	}
	return n;
}

void check_print(FILE *out, const struct check *check)
{
	const uint32_t *n = check->counts;
	char skipped[32] = "";
	uint32_t warnings;

	print_side(out, &check->facts, SIDE_CLIENT);
	print_side(out, &check->facts, SIDE_SERVER);
	if (n[CHECK_NOT_TRIED] < check->n_cells) {
		fprintf(out, "\nWhat works, with the content checked (small: %u bytes; large: 64 KiB, UD: MTU)\n",
			CHECK_SMALL_BYTES);
		print_heads(out);
		print_works(out, check);
		print_reasons(out, check, CHECK_FAILED, "\nFailed\n");
		print_reasons(out, check, CHECK_NOT_TRIED, "\nNot tried\n");
		print_reasons(out, check, CHECK_NOT_OFFERED, "\nNot offered, and why\n");
	}
	print_limits(out, &check->facts);
	warnings = check_print_findings(out, &check->warnings);
	if (n[CHECK_NOT_TRIED] == check->n_cells)
		return;
	if (n[CHECK_NOT_TRIED])
		snprintf(skipped, sizeof(skipped), "; not tried: %u", n[CHECK_NOT_TRIED]);
	putc('\n', out);
	check_say(out, 0, "", "%u of %u offered ways work; not offered: %u%s; warnings: %u; %.1f s",
		  n[CHECK_OK], n[CHECK_OK] + n[CHECK_FAILED], n[CHECK_NOT_OFFERED], skipped,
		  warnings, check->seconds);
}
