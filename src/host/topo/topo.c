/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Loads the machine and answers questions about its NUMA nodes; see topo.h. It must not bind
 * anything or call verbs: the loaded machine may be another one than this. A file is read here
 * because the two readers of XML that hwloc has (its own, and that of the plugin for libxml2)
 * neither fail for the same files nor report why.
 */
#include "config.h"
#include "topo/topo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/input.h"
#include "util/err.h"
#include "util/text.h"

#define SYNTHETIC "HWLOC_SYNTHETIC"
#define XMLFILE "HWLOC_XMLFILE"
#define FSROOT "HWLOC_FSROOT"
#define XML_MAX (64u << 20) /* bytes; a machine with a thousand cpus has one million */

const char *topo_list_text(hwloc_const_bitmap_t set, char *text, size_t size)
{
	int len = hwloc_bitmap_list_snprintf(text, size, set);

	if (len >= (int)size && size > 4)
		memcpy(text + size - 4, "...", 4);
	return text;
}

uint32_t topo_count_common(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
	uint32_t n = 0;
	unsigned i;

	hwloc_bitmap_foreach_begin(i, a)
		n += (uint32_t)hwloc_bitmap_isset(b, i);
	hwloc_bitmap_foreach_end();
	return n;
}

/* Adds a list of cpus from a file of the kernel; hwloc uses the same format. */
static void read_list(hwloc_bitmap_t set, const char *path)
{
	char text[4096];
	hwloc_bitmap_t more = hwloc_bitmap_alloc();

	text_read_line(path, text, sizeof(text));
	if (more && text[0] && text[0] != '(' && !hwloc_bitmap_list_sscanf(more, text))
		hwloc_bitmap_or(set, set, more);
	hwloc_bitmap_free(more);
}

static void parse_info(hwloc_bitmap_t set, hwloc_obj_t obj, const char *name)
{
	const char *text = hwloc_obj_get_info_by_name(obj, name);

	if (text && hwloc_bitmap_list_sscanf(set, text))
		hwloc_bitmap_zero(set);
}

/*
 * The default affinity of a process is all cpus but those of isolcpus=; a process may still bind
 * its threads to isolated cpus. So with the default affinity, isolated cpus are usable. If the
 * affinity lacks other cpus too, somebody restricted it (taskset), and only its cpus are usable.
 */
static void set_usable(struct topo *t)
{
	hwloc_const_cpuset_t allowed = hwloc_topology_get_allowed_cpuset(t->hw);

	hwloc_bitmap_or(t->usable, t->affinity, t->isolated);
	if (hwloc_bitmap_isincluded(allowed, t->usable))
		hwloc_bitmap_copy(t->usable, allowed);
	else
		hwloc_bitmap_and(t->usable, allowed, t->affinity);
	/* an allowed set may have offline cpus; no object of the topology has them */
	hwloc_bitmap_and(t->usable, t->usable, hwloc_topology_get_topology_cpuset(t->hw));
}

static void read_system(struct topo *t)
{
	if (hwloc_get_cpubind(t->hw, t->affinity, HWLOC_CPUBIND_THREAD))
		hwloc_bitmap_copy(t->affinity, hwloc_topology_get_allowed_cpuset(t->hw));
	read_list(t->isolated, "/sys/devices/system/cpu/isolated");
	read_list(t->isolated, "/sys/devices/system/cpu/nohz_full");
}

/* ---- the variables of the environment that describe a machine */

/* HWLOC_SYNTHETIC, or else HWLOC_XMLFILE; NULL: this system. */
struct source {
	const char *variable, *value;
	char *xml; /* the content of the file; owned */
};

/* -EINVAL means a request that the machine cannot meet. */
static int result_of(int err)
{
	return err == EINVAL || !err ? -EIO : -err;
}

/* VARIABLE "VALUE": what, and the reason of err; 0: what says it all. */
static int refuse(const struct source *source, const char *what, int err)
{
	return err_set(result_of(err), "%s \"%s\": %s%s%s", source->variable, source->value, what,
		       err ? ": " : "", err ? strerror(err) : "");
}

/* The major version of the format is that of the hwloc that wrote it; 0: none is found. */
static unsigned format_of(const char *xml)
{
	static const char key[] = "<topology version=\"";
	const char *at = strstr(xml, key);

	return at ? (unsigned)strtoul(at + sizeof(key) - 1, NULL, 10) : 0;
}

/* The error message of a load that failed with err (errno). Returns -err, -EIO for EINVAL. */
static int refuse_source(const struct source *source, int err)
{
	const unsigned own = hwloc_get_api_version() >> 16;

	/* errno of the readers of XML is often that of an earlier call */
	if (!source->variable || err == ENOMEM)
		return err_set(result_of(err), "cannot load the topology of the machine: %s",
			       strerror(err ? err : EINVAL));
	if (!source->xml)
		return refuse(source, "not a description of a machine that hwloc understands", 0);
	if (format_of(source->xml) > own)
		return err_set(-EIO, "%s \"%s\": written by hwloc %u; this is hwloc %u",
			       source->variable, source->value, format_of(source->xml), own);
	return refuse(source, "not a whole XML file of hwloc, as lstopo writes it", 0);
}

static int set_xml(struct source *source, hwloc_topology_t hw)
{
	int rc;

	source->xml = input_text(source->value, XML_MAX, &rc);
	if (!source->xml)
		return err_wrap(result_of(-rc), "%s", source->variable);
	if (!source->xml[0])
		return refuse(source, "the file is empty", 0);
	/* hwloc would not free all of a machine that is cut off */
	if (!strstr(source->xml, "</topology>"))
		return refuse_source(source, 0);
	if (hwloc_topology_set_xmlbuffer(hw, source->xml, (int)strlen(source->xml) + 1))
		return refuse_source(source, errno);
	return 0;
}

/* The first of these variables that is set: HWLOC_FSROOT is a copy of /sys and /proc. */
static void find_source(struct source *source)
{
	static const char *const names[] = { SYNTHETIC, XMLFILE, FSROOT };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !source->variable; i++) {
		source->value = getenv(names[i]);
		if (source->value && source->value[0])
			source->variable = names[i];
	}
}

static int set_source(struct source *source, hwloc_topology_t hw)
{
	char proc[PATH_MAX];

	find_source(source);
	if (!source->variable)
		return 0;
	if (!strcmp(source->variable, XMLFILE))
		return set_xml(source, hw);
	if (!strcmp(source->variable, FSROOT)) {
		snprintf(proc, sizeof(proc), "%s/sys/devices/system", source->value);
		return access(proc, R_OK | X_OK) ?
		       refuse(source, "has no sys/devices/system", errno) : 0;
	}
	if (hwloc_topology_set_synthetic(hw, source->value))
		return refuse_source(source, errno);
	return 0;
}

/* ---- loading */

/* A file can give objects any names, and these reach terminals. */
static void show_names(struct topo *t)
{
	const int deepest = hwloc_topology_get_depth(t->hw);

	for (int depth = HWLOC_TYPE_DEPTH_MEMCACHE; depth < deepest; depth++) {
		hwloc_obj_t obj = NULL;

		while ((obj = hwloc_get_next_obj_by_depth(t->hw, depth, obj))) {
			if (obj->name)
				text_shown(obj->name, strlen(obj->name));
			for (unsigned i = 0; i < obj->infos_count; i++)
				text_shown(obj->infos[i].value, strlen(obj->infos[i].value));
		}
	}
}

static int load(struct topo *t, const char *xml)
{
	struct source source = { 0 };
	hwloc_obj_t root;
	int rc = 0;

	/*
	 * No plugins, if the user names no folder of them: hwloc finds all that is asked here
	 * without, and they cost each process 10 ms and 4 MB
	 */
	if (setenv("HWLOC_PLUGINS_PATH", "", 0))
		return err_set(-errno, "set HWLOC_PLUGINS_PATH: %s", strerror(errno));
	errno = 0;
	if (hwloc_topology_init(&t->hw)) {
		t->hw = NULL;
		return err_set(-ENOMEM, "cannot start hwloc: %s", strerror(errno ? errno : ENOMEM));
	}
	topo_skip_gpus(t->hw);
	if (!xml)
		rc = set_source(&source, t->hw);
	if (!rc && (hwloc_topology_set_io_types_filter(t->hw, HWLOC_TYPE_FILTER_KEEP_ALL) ||
		    hwloc_topology_set_flags(t->hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
		    (xml && hwloc_topology_set_xmlbuffer(t->hw, xml, (int)strlen(xml) + 1)) ||
		    hwloc_topology_load(t->hw)))
		rc = refuse_source(&source, errno);
	t->source = source.variable ? source.variable : "hwloc";
	free(source.xml);
	if (rc)
		return rc;
	t->this_host = hwloc_topology_is_thissystem(t->hw);
	if (!t->this_host)
		show_names(t);
	root = hwloc_get_root_obj(t->hw);
	hwloc_bitmap_copy(t->affinity, hwloc_topology_get_allowed_cpuset(t->hw));
	if (t->this_host) {
		read_system(t);
	} else {
		parse_info(t->isolated, root, TOPO_INFO_ISOLATED);
		if (hwloc_obj_get_info_by_name(root, TOPO_INFO_AFFINITY))
			parse_info(t->affinity, root, TOPO_INFO_AFFINITY);
	}
	set_usable(t);
	return 0;
}

int topo_open_xml(struct topo *t, const char *xml)
{
	int rc;

	*t = (struct topo){ .affinity = hwloc_bitmap_alloc(), .isolated = hwloc_bitmap_alloc(),
			    .usable = hwloc_bitmap_alloc() };
	rc = t->affinity && t->isolated && t->usable ? load(t, xml) :
		err_set(-ENOMEM, "cannot load the topology of the machine: no memory");
	if (rc)
		topo_close(t);
	return rc;
}

int topo_check(void)
{
	struct source source = { 0 };
	struct topo t;
	int rc;

	find_source(&source);
	if (!source.variable)
		return 0;
	rc = topo_open_xml(&t, NULL);
	if (!rc)
		topo_close(&t);
	return rc;
}

int topo_open(struct topo *t)
{
	return topo_open_xml(t, NULL);
}

void topo_close(struct topo *t)
{
	if (t->hw)
		hwloc_topology_destroy(t->hw);
	hwloc_bitmap_free(t->affinity);
	hwloc_bitmap_free(t->isolated);
	hwloc_bitmap_free(t->usable);
	*t = (struct topo){ 0 };
}

/* ---- nodes */

hwloc_obj_t topo_node_obj(const struct topo *t, uint32_t node)
{
	return node == TOPO_NONE ? NULL : hwloc_get_numanode_obj_by_os_index(t->hw, node);
}

/* The smallest node with the cpu; the first one if several have equal size (HBM beside DRAM). */
uint32_t topo_node_of_cpu(const struct topo *t, uint32_t cpu)
{
	hwloc_obj_t node = NULL, best = NULL;

	while ((node = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, node))) {
		if (!hwloc_bitmap_isset(node->cpuset, cpu))
			continue;
		if (!best || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset))
			best = node;
	}
	return best ? best->os_index : TOPO_NONE;
}

static uint32_t distance_in(const struct hwloc_distances_s *d, hwloc_obj_t from, hwloc_obj_t to)
{
	int i = hwloc_distances_obj_index((struct hwloc_distances_s *)d, from);
	int j = hwloc_distances_obj_index((struct hwloc_distances_s *)d, to);

	if (i < 0 || j < 0)
		return TOPO_NONE;
	return (uint32_t)d->values[(unsigned)i * d->nbobjs + (unsigned)j];
}

uint32_t topo_distance(const struct topo *t, uint32_t from_node, uint32_t to_node)
{
	hwloc_obj_t from = topo_node_obj(t, from_node), to = topo_node_obj(t, to_node);
	struct hwloc_distances_s *d[1];
	uint32_t value = TOPO_NONE;
	unsigned n = 1;

	if (!from || !to)
		return TOPO_NONE;
	if (!hwloc_distances_get_by_type(t->hw, HWLOC_OBJ_NUMANODE, &n, d,
					 HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) && n) {
		value = distance_in(d[0], from, to);
		hwloc_distances_release(t->hw, d[0]);
	}
	/* a machine with one node has no table; a node has the distance 10 to itself (ACPI SLIT) */
	return value == TOPO_NONE && from == to ? 10 : value;
}
