/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* See nearest.h. */
#include "config.h"
#include "causes/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/minmax.h"
#include "util/text.h"

static bool same(char a, char b)
{
	a = a == '_' ? '-' : (char)tolower((unsigned char)a);
	b = b == '_' ? '-' : (char)tolower((unsigned char)b);
	return a == b;
}

static bool same_text(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!same(a[i], b[i]))
			return false;
	return true;
}

/* Edit distance: letters inserted, left out, replaced, or swapped with their neighbour. */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int d[NEAREST_NAME][NEAREST_NAME];

	for (size_t i = 0; i <= a_len; i++)
		d[i][0] = (unsigned int)i;
	for (size_t j = 0; j <= b_len; j++)
		d[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		for (size_t j = 1; j <= b_len; j++) {
			d[i][j] = min_u32(min_u32(d[i - 1][j], d[i][j - 1]) + 1,
					  d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				d[i][j] = min_u32(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[a_len][b_len];
}

/* Is the typed name one of the words of this name: "size" of "size_bytes"? */
static bool has_word(const char *name, const struct nearest *n)
{
	const size_t all = strlen(name);

	for (size_t at = 0; n->len && at + n->len <= all; at++)
		if ((!at || same(name[at - 1], '-')) && same_text(name + at, n->name, n->len) &&
		    (at + n->len == all || same(name[at + n->len], '-')))
			return true;
	return false;
}

/* A beginning is nearer than any other name, then comes a whole word. */
static unsigned int far_from(const char *name, const struct nearest *n)
{
	const size_t len = strlen(name);

	if (n->len >= NEAREST_NAME || len >= NEAREST_NAME)
		return UINT32_MAX;
	if (n->len < len && same_text(name, n->name, n->len))
		return 0;
	return has_word(name, n) ? min_u32(n->far, 1) : distance(n->name, n->len, name, len);
}

struct nearest nearest_to(const char *name, size_t len)
{
	/* one wrong letter in four */
	return (struct nearest){ .name = name, .len = len,
				 .far = len < 10 ? (unsigned int)(len + 2) / 4 : 3 };
}

void nearest_try(struct nearest *n, const char *name)
{
	const unsigned int far = far_from(name, n);

	if (far > n->far)
		return;
	if (far < n->far)
		n->n = 0;
	n->far = far;
	for (unsigned int i = 0; i < n->n && i < NEAREST_MOST; i++)
		if (strlen(name) == strlen(n->found[i]) &&
		    same_text(name, n->found[i], strlen(name)))
			return;
	if (n->n < NEAREST_MOST)
		snprintf(n->found[n->n], NEAREST_NAME, "%s", name);
	n->n++;
}

const char *nearest_one(const struct nearest *n)
{
	return n->n == 1 ? n->found[0] : NULL;
}

const char *nearest_hint(struct nearest *n, const char *mark, const char *otherwise)
{
	if (!n->n || n->n > NEAREST_MOST)
		return otherwise;
	n->hint[0] = '\0';
	for (unsigned int i = 0; i < n->n; i++)
		text_add(n->hint, sizeof(n->hint), i + 1 == n->n ? " or " : ", ", "%s%s%s",
			 i ? "" : "; did you mean ", mark, n->found[i]);
	text_add(n->hint, sizeof(n->hint), "", "?");
	return n->hint;
}
