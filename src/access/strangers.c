/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the count of strangers; see strangers.h. Called by serve. */
#include "config.h"
#include "access/strangers.h"

#include <string.h>

#define PER_SECOND 2.0
#define OUT_S 5u           /* the first time; then twice as long, at most: */
#define OUT_MOST_S 60u
#define FORGET_NS 300000000000u /* it was not left out for so long: the first time again */

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static void net_of(uint8_t net[16], const uint8_t gid[16])
{
	memcpy(net, gid, 16);
	if (memcmp(gid, mapped_prefix, sizeof(mapped_prefix)))
		memset(net + 8, 0, 8);
}

bool strangers_same(const uint8_t a[16], const uint8_t b[16])
{
	uint8_t x[16], y[16];

	net_of(x, a);
	net_of(y, b);
	return !memcmp(x, y, sizeof(x));
}

bool strangers_own(const uint8_t gid[16])
{
	static const uint8_t v6[16] = { [15] = 1 };
	static const uint8_t v4[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };

	return !memcmp(gid, v6, sizeof(v6)) || !memcmp(gid, v4, sizeof(v4));
}

static struct stranger *find(struct strangers *s, const uint8_t net[16])
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!memcmp(s->rows[i].net, net, 16))
			return &s->rows[i];
	return NULL;
}

/*
 * A row for an address: of those that are not left out, the one that was not seen for longest.
 * NULL: all are left out.
 */
static struct stranger *add(struct strangers *s, const uint8_t net[16], uint64_t now_ns)
{
	struct stranger *row = NULL;

	if (s->n < STRANGERS_MAX)
		row = &s->rows[s->n++];
	for (uint32_t i = 0; !row && i < s->n; i++)
		row = s->rows[i].out_ns ? NULL : &s->rows[i];
	for (uint32_t i = 0; row && i < s->n && s->n == STRANGERS_MAX; i++)
		if (!s->rows[i].out_ns && s->rows[i].at_ns < row->at_ns)
			row = &s->rows[i];
	if (!row)
		return NULL;
	*row = (struct stranger){ .tokens = STRANGERS_TOKENS, .at_ns = now_ns };
	memcpy(row->net, net, 16);
	return row;
}

static void count(struct stranger *row, uint64_t now_ns)
{
	row->tokens += PER_SECOND * 1e-9 * (double)(now_ns - row->at_ns);
	if (row->tokens > STRANGERS_TOKENS)
		row->tokens = STRANGERS_TOKENS;
	if (row->times && now_ns - row->at_ns > FORGET_NS)
		row->times = 0;
	row->at_ns = now_ns;
}

enum stranger_is strangers_take(struct strangers *s, const uint8_t gid[16], uint64_t now_ns,
				uint32_t *seconds)
{
	struct stranger *row;
	uint8_t net[16];

	*seconds = 0;
	if (strangers_own(gid))
		return STRANGER_KNOWN;
	net_of(net, gid);
	row = find(s, net);
	if (!row)
		row = add(s, net, now_ns);
	/* no row is free: whoever floods from so many networks must not keep all others out */
	if (!row)
		return STRANGER_KNOWN;
	if (row->out_ns)
		return STRANGER_OUT;
	count(row, now_ns);
	if (row->tokens >= 1) {
		row->tokens--;
		return STRANGER_KNOWN;
	}
	*seconds = row->times < 4 ? OUT_S << row->times : OUT_MOST_S;
	row->times++;
	row->out_ns = now_ns + *seconds * 1000000000ull;
	s->changed = true;
	return STRANGER_FLOODS;
}

void strangers_give(struct strangers *s, const uint8_t gid[16])
{
	struct stranger *row;
	uint8_t net[16];

	net_of(net, gid);
	row = find(s, net);
	if (row && row->tokens <= STRANGERS_TOKENS - 1)
		row->tokens++;
}

uint64_t strangers_expire(struct strangers *s, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		struct stranger *row = &s->rows[i];

		if (!row->out_ns)
			continue;
		if (row->out_ns <= now_ns) {
			row->out_ns = 0;
			/* a few, so that a flood that goes on costs no more than before */
			row->tokens = STRANGERS_TOKENS / 4;
			row->at_ns = now_ns;
			s->changed = true;
		} else if (row->out_ns < next_ns) {
			next_ns = row->out_ns;
		}
	}
	return next_ns;
}
