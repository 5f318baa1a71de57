/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what people read of the cells that are not ok: each reason once, with the ways and opcodes
 * that have it. Called by check_print.c.
 */
#include "config.h"
#include "check/check_print.h"

#include <string.h>

/* "by the device": in front of the reason. */
static const char *const cause_texts[] = {
	[CAUSE_NONE] = "",
	[CAUSE_DEVICE] = "by the device",
	[CAUSE_DRIVER] = "by the driver or its library",
	[CAUSE_RIGHTS] = "by the rights of the user",
	[CAUSE_MEMLOCK] = "by the limit of locked memory",
	[CAUSE_PATH] = "by the path",
	[CAUSE_OWNER] = "by the owner of the server",
	[CAUSE_OPTIONS] = "by how the queue pairs are connected",
};

/*
 * Where two reasons may begin to be the same: "send of message 3 failed on QP 0x010024 (1 of 1):
 * RETRY_EXC_ERR" is that of a write of message 4, too.
 */
static const char *core(const char *reason)
{
	const char *at = strstr(reason, " failed on QP ");
	const char *end = at ? strstr(at, "): ") : NULL;

	return end ? end : reason;
}

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

static bool same_reason(const struct check_cell *a, const struct check_cell *b)
{
	return a->status == b->status && check_same_way(a, b) &&
	       same_text(core(a->reason), core(b->reason));
}

static bool was_before(const struct check *check, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (same_reason(&check->cells[i], &check->cells[index]))
			return true;
	return false;
}

/* "RC send, write_imm": the opcodes that have this reason over this way; all of them: "RC". */
static void name_ops(char *text, size_t size, const struct check *check, uint32_t index)
{
	const struct check_cell *like = &check->cells[index];
	size_t len = (size_t)snprintf(text, size, "%s", check_way_name(like)), named = len;
	bool all = true;

	for (uint32_t i = 0, end; i < check->n_cells; i = end) {
		bool has = false;

		end = check_end_of(check, i, true);
		if (!check_same_way(&check->cells[i], like))
			continue;
		for (uint32_t k = i; k < end; k++)
			has |= same_reason(&check->cells[k], like);
		all &= has;
		if (has && len < size)
			len += (size_t)snprintf(text + len, size - len, "%s%s",
						len > named ? ", " : " ",
						kind_opcode_names[check->cells[i].kind.op]);
	}
	if (all)
		text[named] = '\0';
}

static void print_not_offered(FILE *out, const struct check *check)
{
	const char *head = "\nNot offered, and why\n";

	for (uint32_t i = 0; i < check->n_cells; i++) {
		const struct check_cell *c = &check->cells[i];
		char text[CHECK_LINE_TEXT], ops[128];

		if (c->status != CHECK_NOT_OFFERED || was_before(check, i))
			continue;
		name_ops(ops, sizeof(ops), check, i);
		snprintf(text, sizeof(text), "%s: %s: %s", ops, cause_texts[c->cause], c->reason);
		fputs(head, out);
		head = "";
		check_print_text(out, 2, text);
	}
}

/* "polled, small, requests of the client", and of several: how many. */
static void name_cells(char *text, size_t size, const struct check *check, uint32_t index)
{
	const struct check_cell *like = &check->cells[index];
	uint32_t n = 0;

	for (uint32_t i = 0; i < check->n_cells; i++)
		n += same_reason(&check->cells[i], like);
	*text = '\0';
	if (n > 1)
		snprintf(text, size, "%u times; first: %s, ", n, kind_opcode_names[like->kind.op]);
	snprintf(text + strlen(text), size - strlen(text), "%s, %s, requests of the %s",
		 like->kind.cm == CM_POLL ? "polled" : "by events", like->large ? "large" : "small",
		 kind_side_names[like->by]);
}

static void print_of_status(FILE *out, const struct check *check, enum check_status status,
			    const char *head)
{
	const bool failed = status == CHECK_FAILED;

	for (uint32_t i = 0; i < check->n_cells; i++) {
		char text[CHECK_LINE_TEXT], ops[128], cells[96];

		if (check->cells[i].status != status || was_before(check, i))
			continue;
		name_ops(ops, sizeof(ops), check, i);
		name_cells(cells, sizeof(cells), check, i);
		snprintf(text, sizeof(text), "%s%s%s%s: %s", ops, failed ? " (" : "",
			 failed ? cells : "", failed ? ")" : "", check->cells[i].reason);
		fputs(head, out);
		head = "";
		check_print_text(out, 2, text);
	}
}

void check_print_reasons(FILE *out, const struct check *check)
{
	print_of_status(out, check, CHECK_FAILED, "\nFailed\n");
	print_of_status(out, check, CHECK_NOT_TRIED, "\nNot tried\n");
	print_not_offered(out, check);
}
