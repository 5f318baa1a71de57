/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the choice of the connection that gives way; see serve_room.h. */
#include "config.h"
#include "serve/serve_room.h"

#include "access/strangers.h"
#include "util/minmax.h"

static bool is_new(const struct serve_process *c)
{
	return c->state != SERVE_CHILD_CLIENT && !c->gone;
}

/* Connections without a plan; of: of this address only, or NULL. */
static uint32_t count_new(const struct serve *s, const uint8_t *of)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += is_new(&s->children[i]) &&
		     (!of || strangers_same(s->children[i].address, of));
	return n;
}

/* The oldest connection without a plan of the address that has the most of them. */
static struct serve_process *most_of_one(struct serve *s)
{
	struct serve_process *oldest = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct serve_process *c = &s->children[i];
		const uint32_t n = is_new(c) ? count_new(s, c->address) : 0;

		if (n > most) {
			oldest = c;
			most = n;
		}
	}
	return oldest;
}

static struct serve_process *oldest_of(struct serve *s, const uint8_t gid[16])
{
	for (uint32_t i = 0; i < s->n; i++)
		if (is_new(&s->children[i]) && strangers_same(s->children[i].address, gid))
			return &s->children[i];
	return NULL;
}

struct serve_process *serve_room_of(struct serve *s, const uint8_t gid[16])
{
	if (!strangers_own(gid) && count_new(s, gid) >= SERVE_MAX_NEW_OF_ONE)
		return oldest_of(s, gid);
	if (count_new(s, NULL) >= max_u32(SERVE_MAX_NEW, s->cfg->max_sessions))
		return most_of_one(s);
	return NULL;
}
