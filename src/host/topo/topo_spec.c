/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Parses the values of --pin and --mem and finds their objects in a machine; see topo_spec.h.
 */
#include "config.h"
#include "topo/topo_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define MAX_SETS 4096u
#define INDEX_DIGITS 6

struct item {
	char type[16];               /* as the user wrote it */
	bool nic;
	uint32_t first, last;
};

static int bad(const char *label, const char *spec, const char *why)
{
	return err_set(-EINVAL, "%s \"%.64s\": %s", label, spec, why);
}

static bool read_index(const char **at, uint32_t *v)
{
	size_t n = strspn(*at, "0123456789");

	if (!n || n > INDEX_DIGITS)
		return false;
	*v = (uint32_t)strtoul(*at, NULL, 10);
	*at += n;
	return true;
}

/* Parses one item at *at and the comma after it; item->type is that of the item before. */
static int next_item(struct item *item, const char **at, const char *label, const char *spec)
{
	size_t len = strcspn(*at, ":,");

	if ((*at)[len] == ':') {
		if (!len || len >= sizeof(item->type))
			return bad(label, spec,
				   "':' needs a type before it (core, pu, numa, l3, ...)");
		memcpy(item->type, *at, len);
		item->type[len] = '\0';
		*at += len + 1;
	}
	item->nic = !strncmp(*at, "nic", 3);
	if (item->nic) {
		*at += 3;
	} else {
		if (!read_index(at, &item->first))
			return bad(label, spec,
				   "expected a number of at most 6 digits, a range or nic");
		item->last = item->first;
		if (**at == '-' && (++*at, !read_index(at, &item->last)))
			return bad(label, spec, "expected a number of at most 6 digits after '-'");
		if (item->last < item->first)
			return bad(label, spec, "the end of the range is less than its start");
	}
	if (**at && **at != ',')
		return bad(label, spec, "expected a comma after an item");
	if (**at == ',' && !*++*at)
		return bad(label, spec, "an item is missing after the last comma");
	return 0;
}

/* Converts the name of a type; -1 if hwloc has no type of cpus or memory of this name. */
static int type_of(const char *name, hwloc_obj_type_t *type, union hwloc_obj_attr_u *attr)
{
	memset(attr, 0, sizeof(*attr));
	if (!strcmp(name, "cpu")) {
		*type = HWLOC_OBJ_PU;
		return 0;
	}
	/* hwloc accepts any prefix of a name, even "n": require two letters */
	if (strlen(name) < 2 || hwloc_type_sscanf(name, type, attr, sizeof(*attr)))
		return -1;
	return hwloc_obj_type_is_normal(*type) || *type == HWLOC_OBJ_NUMANODE ? 0 : -1;
}

/* "3" and "0-3" of --pin are cpus, as in "taskset -c". */
static const struct item first_item = { .type = "cpu" };

static int check_spec(const char *text, const char *label)
{
	union hwloc_obj_attr_u attr;
	struct item item = first_item;
	const char *at = text;
	hwloc_obj_type_t type;

	if (strlen(text) > TOPO_SPEC_MAX)
		return err_set(-EINVAL, "%s: the value has %zu characters; the maximum is %d",
			       label, strlen(text), TOPO_SPEC_MAX);
	while (*at) {
		int rc = next_item(&item, &at, label, text);

		if (rc)
			return rc;
		if (type_of(item.type, &type, &attr))
			return err_set(
				-EINVAL,
				"%s \"%s\": \"%s\" is not a type of cpus or memory; allowed: pu (or cpu), core, numa, package, die, group, l1, l2, l3, machine",
				label, text, item.type);
	}
	return 0;
}

enum topo_pin topo_spec_pin(const char *text)
{
	static const char *const words[TOPO_PIN_SPEC] = {
		[TOPO_PIN_AUTO] = "auto", [TOPO_PIN_NEAR] = "near",
		[TOPO_PIN_FAR] = "far", [TOPO_PIN_NONE] = "none",
	};

	for (uint32_t i = 0; i < TOPO_PIN_SPEC; i++)
		if (!strcmp(text, words[i]))
			return (enum topo_pin)i;
	return TOPO_PIN_SPEC;
}

int topo_spec_check_pin(const char *text, const char *label)
{
	if (topo_spec_pin(text) != TOPO_PIN_SPEC)
		return 0;
	if (!strchr(text, ':') && !isdigit((unsigned char)text[0]))
		return err_set(
			-EINVAL,
			"%s \"%.64s\": unknown; allowed: auto, near, far, none, cpus (3, 0-3, 0,2), or objects of the machine (examples: core:3, cpu:0-3, numa:1, l3:nic)",
			label, text);
	return check_spec(text, label);
}

int topo_spec_check_mem(const char *text, const char *label)
{
	const size_t digits = strspn(text, "0123456789");

	if (!strcmp(text, "auto") || !strcmp(text, "local") || !strcmp(text, "device") ||
	    (digits && !text[digits] && digits <= INDEX_DIGITS))
		return 0;
	if (!strchr(text, ':') || isdigit((unsigned char)text[0]))
		return err_set(
			-EINVAL,
			"%s \"%.64s\": unknown; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)",
			label, text);
	return check_spec(text, label);
}

/* ---- on a machine */

static bool by_system_number(hwloc_obj_type_t type)
{
	return type == HWLOC_OBJ_PU || type == HWLOC_OBJ_NUMANODE;
}

/*
 * The depth of a type in the tree of the machine; HWLOC_TYPE_DEPTH_UNKNOWN: this machine has none,
 * or has groups at several depths.
 */
static int depth_of(const struct topo *t, const char *name, hwloc_obj_type_t *type)
{
	union hwloc_obj_attr_u attr;
	int depth;

	if (type_of(name, type, &attr))
		return HWLOC_TYPE_DEPTH_UNKNOWN;
	if (strcmp(name, "cpu") && !hwloc_type_sscanf_as_depth(name, type, t->hw, &depth))
		return depth == HWLOC_TYPE_DEPTH_MULTIPLE ? HWLOC_TYPE_DEPTH_UNKNOWN : depth;
	return hwloc_get_type_depth(t->hw, *type);
}

static hwloc_obj_t object_of(const struct topo *t, int depth, uint32_t index)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_depth(t->hw, depth, obj)))
		if (index == (by_system_number(obj->type) ? obj->os_index : obj->logical_index))
			return obj;
	return NULL;
}

static int add_set(struct topo_sets *sets, const char *type, hwloc_obj_t obj)
{
	struct topo_set *more = realloc(sets->sets, (sets->n + 1) * sizeof(*more));
	struct topo_set *set;

	if (!more)
		return err_set(-ENOMEM, "no memory for the objects of a placement");
	sets->sets = more;
	set = &more[sets->n];
	snprintf(set->text, sizeof(set->text), "%s:%u", type,
		 by_system_number(obj->type) ? obj->os_index : obj->logical_index);
	set->cpus = obj->cpuset;
	set->nodes = obj->nodeset;
	sets->n++;
	return 0;
}

/* The SPEC that is resolved, and the machine. */
struct resolve {
	const struct topo *t;
	const struct topo_hca *hca;
	const char *label, *spec;
};

static int no_object(const struct resolve *r, const struct item *item, uint32_t index,
		     hwloc_obj_type_t type)
{
	hwloc_const_cpuset_t all = hwloc_topology_get_complete_cpuset(r->t->hw);
	char have[TOPO_TEXT_MAX];
	hwloc_bitmap_t set;
	hwloc_obj_t obj = NULL;

	if (type == HWLOC_OBJ_PU && hwloc_bitmap_isset(all, index))
		return err_set(-EINVAL, "%s %s: cpu %u is offline", r->label, r->spec, index);
	set = hwloc_bitmap_alloc();
	if (!set)
		return err_set(-ENOMEM, "%s %s: no memory for the objects of a placement", r->label,
			       r->spec);
	while ((obj = hwloc_get_next_obj_by_type(r->t->hw, type, obj)))
		hwloc_bitmap_set(set, by_system_number(type) ? obj->os_index : obj->logical_index);
	topo_list_text(set, have, sizeof(have));
	hwloc_bitmap_free(set);
	return err_set(-EINVAL, "%s %s: there is no %s:%u; this machine has %s %s", r->label,
		       r->spec, item->type, index, item->type, have);
}

static int add_near(struct topo_sets *sets, const struct resolve *r, const struct item *item,
		    int depth)
{
	const uint32_t before = sets->n;
	hwloc_obj_t obj = NULL;
	int rc = 0;

	if (!r->hca->known)
		return err_set(-EINVAL, "%s %s: %s", r->label, r->spec, r->hca->reason);
	while (!rc && (obj = hwloc_get_next_obj_by_depth(r->t->hw, depth, obj)))
		if (hwloc_bitmap_intersects(obj->cpuset, r->hca->cpus))
			rc = add_set(sets, item->type, obj);
	if (!rc && sets->n == before)
		return err_set(-EINVAL, "%s %s: no %s is near %s", r->label, r->spec, item->type,
			       r->hca->name);
	return rc;
}

static int add_item(struct topo_sets *sets, const struct resolve *r, const struct item *item)
{
	hwloc_obj_type_t type = HWLOC_OBJ_MACHINE;
	int rc = 0, depth = depth_of(r->t, item->type, &type);

	if (depth == HWLOC_TYPE_DEPTH_UNKNOWN)
		return err_set(-EINVAL, "%s %s: this machine has no %s", r->label, r->spec,
			       item->type);
	if (item->nic)
		return add_near(sets, r, item, depth);
	for (uint32_t i = item->first; !rc && i <= item->last; i++) {
		hwloc_obj_t obj = object_of(r->t, depth, i);

		rc = obj ? add_set(sets, item->type, obj) : no_object(r, item, i, type);
	}
	if (!rc && sets->n > MAX_SETS)
		return err_set(-EINVAL, "%s %s: the list has more than %u objects", r->label,
			       r->spec, MAX_SETS);
	return rc;
}

int topo_spec_resolve(struct topo_sets *sets, const struct topo *t, const struct topo_hca *hca,
		      const char *label, const char *spec)
{
	const struct resolve r = { t, hca, label, spec };
	struct item item = first_item;
	const char *at = spec;
	int rc = 0;

	*sets = (struct topo_sets){ 0 };
	while (!rc && *at) {
		rc = next_item(&item, &at, label, spec);
		if (!rc)
			rc = add_item(sets, &r, &item);
	}
	if (rc)
		topo_spec_free(sets);
	return rc;
}

void topo_spec_free(struct topo_sets *sets)
{
	free(sets->sets);
	*sets = (struct topo_sets){ 0 };
}
