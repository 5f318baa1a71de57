/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads what ibnetdiscover prints. A switch, a device, a router begins with a line of its own, and
 * its cables follow:
 *
 *	Switch	36 "S-0002c90200404e50"		# "leaf0" enhanced port 0 lid 6 lmc 0
 *	[1]	"H-0002c9030003b2a0"[1](2c9030003b2a1) 		# "node1 mlx5_0" lid 4 4xHDR
 *
 *	Ca	1 "H-0002c9030003b2a0"		# "node1 mlx5_0"
 *	[1](2c9030003b2a1) 	"S-0002c90200404e50"[1]		# lid 4 lmc 0 "leaf0" lid 6 4xHDR
 */
#include "config.h"
#include "wiring/wiring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "util/err.h"
#include "util/must.h"
#include "wiring/wiring_map.h"

#define GUID_DIGITS 16u

enum kind { SWITCH = 'S', DEVICE = 'H', ROUTER = 'R' };

struct item {
	enum kind kind;
	uint64_t guid;
	size_t line;
	char *name;        /* owned until it is that of the wiring */
	uint32_t number;   /* of a switch; the leaf of others */
	bool cabled;       /* of others: number is known */
};

struct cable {
	uint32_t from;     /* item */
	enum kind kind;    /* of the other end */
	uint64_t guid;
	size_t line;
};

struct reader {
	struct item *items;
	uint32_t n_items, items_room, switches;
	struct cable *cables;
	size_t n_cables, cables_room;
	struct item **by_guid;
	size_t line;
};

/* ---- lines */

/* "S-0002c90200404e50", with its quotes. False: it is another text. */
static bool read_guid(const char *text, enum kind *kind, uint64_t *guid)
{
	char *end;

	if (text[0] != '"' || !text[1] || !strchr("SHR", text[1]) || text[2] != '-' ||
	    strspn(text + 3, "0123456789abcdef") != GUID_DIGITS || text[3 + GUID_DIGITS] != '"')
		return false;
	*kind = (enum kind)text[1];
	*guid = strtoull(text + 3, &end, 16);
	return true;
}

static struct item *add_item(struct reader *r)
{
	if (r->n_items == r->items_room) {
		r->items_room = r->items_room ? 2 * r->items_room : 64;
		r->items = must_realloc(r->items, r->items_room, sizeof(*r->items));
	}
	return &r->items[r->n_items++];
}

/* Switch, Ca, Rt: how many ports, which one, what it is called. */
static int read_item(struct reader *r, char *line)
{
	char *guid = strchr(line, '"'), *comment = strchr(line, '#');
	char *name = comment ? strchr(comment, '"') : NULL;
	char *end = name ? strrchr(name + 1, '"') : NULL;
	struct item item = { .line = r->line };

	if (!guid || !read_guid(guid, &item.kind, &item.guid) || !end)
		return err_set(-EINVAL, "expected a GUID and a description, as Ca 1 \"H-0002c9030003b2a0\" # \"node1 mlx5_0\"");
	*end = '\0';
	item.name = must_strdup(name + 1);
	item.number = item.kind == SWITCH ? r->switches++ : WIRING_NONE;
	*add_item(r) = item;
	return 0;
}

/* [22](2c9030003b2a1) "S-0002c90200404e50"[4]... */
static int read_cable(struct reader *r, const char *line)
{
	const char *guid = strchr(line, '"');
	struct cable c = { .from = r->n_items - 1, .line = r->line };

	if (!r->n_items)
		return err_set(-EINVAL, "a port before the first switch or device");
	if (!guid || !read_guid(guid, &c.kind, &c.guid))
		return err_set(-EINVAL, "expected where the cable of this port leads, as [1] \"S-0002c90200404e50\"[4]");
	if (r->n_cables == r->cables_room) {
		r->cables_room = r->cables_room ? 2 * r->cables_room : 256;
		r->cables = must_realloc(r->cables, r->cables_room, sizeof(*r->cables));
	}
	r->cables[r->n_cables++] = c;
	return 0;
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* What says nothing of cables: IDs, and with --grouping chassis. */
static bool is_other(const char *line)
{
	static const char *const heads[] = {
		"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=",
		"Chassis ", "Non-Chassis ", "Hostname: ",
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (begins(line, heads[i]))
			return true;
	return false;
}

static int read_line(struct reader *r, char *line)
{
	if (begins(line, "Switch\t") || begins(line, "Ca\t") || begins(line, "Rt\t"))
		return read_item(r, line);
	if (line[0] == '[')
		return read_cable(r, line);
	if (is_other(line))
		return 0;
	return err_set(-EINVAL, "\"%.64s\": expected what ibnetdiscover prints", line);
}

/* ---- what is where */

static int compare(enum kind kind, uint64_t guid, const struct item *b)
{
	return kind != b->kind ? (kind < b->kind ? -1 : 1) : guid < b->guid ? -1 : guid > b->guid;
}

static int by_guid(const void *left, const void *right)
{
	const struct item *a = *(struct item *const *)left;

	return compare(a->kind, a->guid, *(struct item *const *)right);
}

static int of_cable(const void *key, const void *item)
{
	const struct cable *c = key;

	return compare(c->kind, c->guid, *(struct item *const *)item);
}

static int sort_items(struct reader *r)
{
	r->by_guid = must_calloc(r->n_items, sizeof(struct item *));
	for (uint32_t i = 0; i < r->n_items; i++)
		r->by_guid[i] = &r->items[i];
	if (r->n_items)
		qsort(r->by_guid, r->n_items, sizeof(struct item *), by_guid);
	for (uint32_t i = 1; i < r->n_items; i++) {
		const struct item *a = r->by_guid[i - 1], *b = r->by_guid[i];
		const size_t first = a->line < b->line ? a->line : b->line;

		if (by_guid(&a, &b))
			continue;
		r->line = a->line < b->line ? b->line : a->line;
		return err_set(-EINVAL, "%c-%016llx is in line %zu, too", a->kind,
			       (unsigned long long)a->guid, first);
	}
	return 0;
}

static struct item *end_of(const struct reader *r, const struct cable *c)
{
	struct item **found = r->n_items ? bsearch(c, r->by_guid, r->n_items,
						   sizeof(struct item *), of_cable) : NULL;

	return found ? *found : NULL;
}

/* Counts the neighbours of each switch, in first[i + 1]; finds the leaves of devices. */
static int count(struct reader *r, struct wiring *w)
{
	for (size_t i = 0; i < r->n_cables; i++) {
		const struct cable *c = &r->cables[i];
		struct item *from = &r->items[c->from], *to = end_of(r, c);

		r->line = c->line;
		if (!to)
			return err_set(-EINVAL, "the cable leads to %c-%016llx, which the file does not have",
				       c->kind, (unsigned long long)c->guid);
		if (to->kind != SWITCH)
			continue;
		if (from->kind == SWITCH) {
			w->first[from->number + 1]++;
			continue;
		}
		if (from->cabled && from->number != to->number)
			from->number = WIRING_NONE;
		else
			from->number = to->number;
		from->cabled = true;
	}
	return 0;
}

static void fill_ways(const struct reader *r, struct wiring *w)
{
	size_t *next = must_calloc(w->n, sizeof(*next));

	for (uint32_t i = 0; i < w->n; i++) {
		w->first[i + 1] += w->first[i];
		next[i] = w->first[i];
	}
	w->to = must_calloc(w->first[w->n], sizeof(*w->to));
	for (size_t i = 0; i < r->n_cables; i++) {
		const struct cable *c = &r->cables[i];
		const struct item *from = &r->items[c->from], *to = end_of(r, c);

		if (from->kind == SWITCH && to->kind == SWITCH)
			w->to[next[from->number]++] = to->number;
	}
	free(next);
}

static int by_node(const void *left, const void *right)
{
	const struct wiring_device *a = left, *b = right;

	return wiring_compare(a->node, b->node);
}

/* Names are the wiring's from now on. */
static void fill_names(struct reader *r, struct wiring *w)
{
	w->devices = must_calloc(r->n_items, sizeof(*w->devices));
	for (uint32_t k = 0; k < r->n_items; k++) {
		struct item *i = &r->items[k];
		struct wiring_device *d = &w->devices[w->n_devices];
		char *blank;

		if (i->kind == SWITCH) {
			w->names[i->number] = i->name;
			i->name = NULL;
		}
		if (i->kind != DEVICE)
			continue;
		blank = i->name + strcspn(i->name, " ");
		d->node = i->name;
		d->device = *blank ? blank + 1 : blank;
		d->leaf = i->number;
		*blank = '\0';
		i->name = NULL;
		w->n_devices++;
	}
	if (w->n_devices)
		qsort(w->devices, w->n_devices, sizeof(*w->devices), by_node);
}

static int make(struct reader *r, struct wiring *w)
{
	int rc = sort_items(r);

	w->n = r->switches;
	w->names = must_calloc(w->n, sizeof(*w->names));
	w->first = must_calloc((size_t)w->n + 1, sizeof(*w->first));
	if (!rc)
		rc = count(r, w);
	if (rc)
		return rc;
	fill_ways(r, w);
	fill_names(r, w);
	return 0;
}

/* ---- the whole file */

static int read_lines(struct reader *r, const char *path)
{
	struct input in;
	char *line;
	int rc = input_open_regular(&in, path, WIRING_FILE_MAX);

	if (rc)
		return rc;
	while (!rc && (line = input_setting(&in))) {
		r->line = in.line;
		rc = read_line(r, line);
		if (rc)
			rc = err_wrap(rc, "%s:%zu", path, r->line);
	}
	rc = rc ? rc : in.rc;
	input_close(&in);
	return rc;
}

int wiring_read(struct wiring **w, const char *path)
{
	struct reader r = { .n_items = 0 };
	int rc = read_lines(&r, path);

	*w = must_calloc(1, sizeof(**w));
	if (!rc) {
		rc = make(&r, *w);
		if (rc)
			rc = err_wrap(rc, "%s:%zu", path, r.line);
	}
	if (!rc && !((*w)->n && (*w)->n_devices))
		rc = err_set(-EINVAL, "%s: no switch with devices", path);
	for (uint32_t i = 0; i < r.n_items; i++)
		free(r.items[i].name);
	free(r.items);
	free(r.cables);
	free(r.by_guid);
	if (rc) {
		wiring_free(*w);
		*w = NULL;
	}
	return rc;
}
