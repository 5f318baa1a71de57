/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Counts the connections of each address, and decides which addresses are left out. */
#include "config.h"
#include "access/access.h"

#include <string.h>

#define PER_SECOND 2.0
#define OUT_S 5u           /* the first time; then twice as long, at most: */
#define OUT_MOST_S 60u
#define NO_HOST 0xff /* a multicast address is no source */
#define FORGET_NS 300000000000u /* it was not left out for so long: the first time again */

static void net_of(uint8_t net[16], const uint8_t gid[16])
{
	memcpy(net, gid, 16);
	if (!access_is_ipv4(gid))
		memset(net + 8, 0, 8);
}

bool flood_same(const uint8_t a[16], const uint8_t b[16])
{
	uint8_t x[16], y[16];

	net_of(x, a);
	net_of(y, b);
	return !memcmp(x, y, sizeof(x));
}

bool flood_own(const uint8_t gid[16])
{
	static const uint8_t v6[16] = { [15] = 1 };
	static const uint8_t v4[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };

	return !memcmp(gid, v6, sizeof(v6)) || !memcmp(gid, v4, sizeof(v4)) ||
	       gid[0] == NO_HOST;
}

void flood_user(uint8_t gid[16], uint32_t uid)
{
	memset(gid, 0, 16);
	gid[0] = NO_HOST;
	for (int i = 0; i < 4; i++)
		gid[4 + i] = (uint8_t)(uid >> 8 * i);
}

static struct flood_address *find(struct floods *s, const uint8_t gid[16])
{
	uint8_t net[16];

	net_of(net, gid);
	for (uint32_t i = 0; i < s->n; i++)
		if (!memcmp(s->rows[i].net, net, 16))
			return &s->rows[i];
	return NULL;
}

/*
 * A row for an address: of those that are not left out, the one that was not seen for longest.
 * NULL: all are left out.
 */
static struct flood_address *add(struct floods *s, const uint8_t gid[16], uint64_t now_ns)
{
	struct flood_address *row = NULL;

	for (uint32_t i = 0; i < FLOOD_MAX && s->n == FLOOD_MAX; i++)
		if (!s->rows[i].out_ns && (!row || s->rows[i].at_ns < row->at_ns))
			row = &s->rows[i];
	if (s->n < FLOOD_MAX)
		row = &s->rows[s->n++];
	if (!row)
		return NULL;
	*row = (struct flood_address){ .tokens = FLOOD_TOKENS, .at_ns = now_ns };
	net_of(row->net, gid);
	return row;
}

static void count(struct flood_address *row, uint64_t now_ns)
{
	row->tokens += PER_SECOND * 1e-9 * (double)(now_ns - row->at_ns);
	if (row->tokens > FLOOD_TOKENS)
		row->tokens = FLOOD_TOKENS;
	if (row->times && now_ns - row->at_ns > FORGET_NS)
		row->times = 0;
	row->at_ns = now_ns;
}

enum flood_is flood_take(struct floods *s, const uint8_t gid[16], uint64_t now_ns,
				uint32_t *seconds)
{
	struct flood_address *row;

	*seconds = 0;
	if (flood_own(gid))
		return FLOOD_NONE;
	row = find(s, gid);
	if (!row)
		row = add(s, gid, now_ns);
	/* no row is free: whoever floods from so many networks must not keep all others out */
	if (!row)
		return FLOOD_NONE;
	if (row->out_ns)
		return FLOOD_BLOCKED;
	count(row, now_ns);
	if (row->tokens >= 1) {
		row->tokens--;
		return FLOOD_NONE;
	}
	*seconds = row->times < 4 ? OUT_S << row->times : OUT_MOST_S;
	row->times++;
	row->out_ns = now_ns + *seconds * 1000000000ull;
	s->changed = true;
	return FLOOD_BEGINS;
}

void flood_give(struct floods *s, const uint8_t gid[16])
{
	struct flood_address *row = find(s, gid);

	if (row && row->tokens <= FLOOD_TOKENS - 1)
		row->tokens++;
}

uint64_t flood_expire(struct floods *s, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		struct flood_address *row = &s->rows[i];

		if (!row->out_ns)
			continue;
		if (row->out_ns <= now_ns) {
			row->out_ns = 0;
			/* a few, so that a flood that goes on costs no more than before */
			row->tokens = FLOOD_TOKENS / 4;
			row->at_ns = now_ns;
			s->changed = true;
		} else if (row->out_ns < next_ns) {
			next_ns = row->out_ns;
		}
	}
	return next_ns;
}
