/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads the variables of the environment that describe a machine; see topo_source.h. Called by
 * topo.c. The file is read here because the two readers of XML that hwloc has (its own, and that of
 * the plugin for libxml2) neither fail for the same files nor report why.
 */
#include "config.h"
#include "topo/topo_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define XML_MAX (64u << 20) /* bytes; a machine with a thousand cpus has one million */

/* -EINVAL means a request that the machine cannot meet. */
static int result_of(int err)
{
	return err == EINVAL || !err ? -EIO : -err;
}

/* Returns how many bytes of the file are in *text, which ends with a 0; 0 with errno. */
static size_t read_text(FILE *file, char **text)
{
	size_t len = 0, size = 65536;
	char *more;

	for (; size <= XML_MAX; size *= 2) {
		more = realloc(*text, size);
		if (!more)
			return 0;
		*text = more;
		len += fread(*text + len, 1, size - 1 - len, file);
		(*text)[len] = '\0';
		if (ferror(file))
			return 0;
		if (feof(file))
			return len;
	}
	errno = EFBIG;
	return 0;
}

/* VARIABLE "VALUE": what, and the reason of err; 0: what says it all. */
static int refuse(const struct topo_source *source, const char *what, int err)
{
	return err_set(result_of(err), "%s \"%s\": %s%s%s", source->variable, source->value, what,
		       err ? ": " : "", err ? strerror(err) : "");
}

static int set_xml(struct topo_source *source, hwloc_topology_t hw)
{
	FILE *file = fopen(source->value, "re");
	size_t len;
	int err;

	if (!file)
		return refuse(source, "cannot be opened", errno);
	errno = 0;
	len = read_text(file, &source->xml);
	err = errno;
	fclose(file);
	if (!len)
		return refuse(source, err ? "cannot be read" : "the file is empty", err);
	/* hwloc would not free all of a machine that is cut off */
	if (!strstr(source->xml, "</topology>"))
		return topo_source_error(source, 0);
	if (hwloc_topology_set_xmlbuffer(hw, source->xml, (int)len + 1))
		return topo_source_error(source, errno);
	return 0;
}

int topo_source_set(struct topo_source *source, hwloc_topology_t hw)
{
	static const char *const names[] = { "HWLOC_SYNTHETIC", "HWLOC_XMLFILE" };

	*source = (struct topo_source){ 0 };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !source->variable; i++) {
		source->value = getenv(names[i]);
		if (source->value && source->value[0])
			source->variable = names[i];
	}
	if (!source->variable)
		return 0;
	if (source->variable == names[1])
		return set_xml(source, hw);
	if (hwloc_topology_set_synthetic(hw, source->value))
		return topo_source_error(source, errno);
	return 0;
}

/* The major version of the format is that of the hwloc that wrote it; 0: none is found. */
static unsigned format_of(const char *xml)
{
	static const char key[] = "<topology version=\"";
	const char *at = strstr(xml, key);

	return at ? (unsigned)strtoul(at + sizeof(key) - 1, NULL, 10) : 0;
}

int topo_source_error(const struct topo_source *source, int err)
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

void topo_source_close(struct topo_source *source)
{
	free(source->xml);
	*source = (struct topo_source){ 0 };
}
