/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the budget of a message; see ctl_budget.h. Called by ctl.c. */
#include "config.h"
#include "control/ctl_budget.h"

struct budget {
	uint32_t depth, containers, values;
};

/*
 * A stranger sends hello and a plan: an object of objects with a value for each option. Of a peer
 * that was admitted the largest message is 16384 queue pairs, each an object.
 */
static const struct budget stranger = { 8, 64, 1024 }, client = { 32, 1u << 16, 1u << 19 };

/* The end of the string that begins at text[i]. */
static size_t skip_string(const uint8_t *text, size_t len, size_t i)
{
	for (i++; i < len && text[i] != '"'; i++)
		if (text[i] == '\\')
			i++;
	return i;
}

bool ctl_budget_fits(const uint8_t *text, size_t len, bool admitted)
{
	const struct budget *most = admitted ? &client : &stranger;
	uint32_t depth = 0, containers = 0, values = 1;

	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '"':
			i = skip_string(text, len, i);
			break;
		case '{':
		case '[':
			depth++;
			containers++;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			break;
		case ',':
			values++;
			break;
		default:
			break;
		}
		if (depth > most->depth || containers > most->containers || values > most->values)
			return false;
	}
	return true;
}
