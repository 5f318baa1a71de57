/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Machines as XML: what verbench has written into it, and the values of --pin and --mem on that
 * machine. Lines: interrupts, PCIe link, affinity, isolated CPUs, then values of --pin. XML itself
 * is read by hwloc, and is not what is tested here.
 */
#include "config.h"

#include "fuzz.h"
#include "topo/topo.h"
#include "topo/topo_hca.h"
#include "topo/topo_spec.h"

#define SET(set, node) \
	"cpuset=\"" set "\" complete_cpuset=\"" set "\" nodeset=\"" node \
	"\" complete_nodeset=\"" node "\" "
#define PU(n, set, id) \
	"<object type=\"PU\" os_index=\"" n "\" " SET(set, "0x1") "gp_index=\"" id "\"/>"

static const char format[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" " SET("0x3", "0x1")
	"allowed_cpuset=\"0x3\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
	"<info name=\"VerbenchAffinity\" value=\"%s\"/>"
	"<info name=\"VerbenchIsolated\" value=\"%s\"/>"
	"<object type=\"NUMANode\" os_index=\"0\" " SET("0x3", "0x1")
	"gp_index=\"2\" local_memory=\"16000000\"><page_type size=\"4096\" count=\"100\"/></object>"
	PU("0", "0x1", "3") PU("1", "0x2", "4")
	"<object type=\"Bridge\" gp_index=\"10\" bridge_type=\"0-1\" depth=\"0\""
	" bridge_pci=\"0000:[41-41]\">"
	"<object type=\"PCIDev\" gp_index=\"11\" pci_busid=\"0000:41:00.0\""
	" pci_type=\"0200 [15b3:1017] [15b3:0020] 00\" pci_link_speed=\"15.7\">"
	"<object type=\"OSDev\" gp_index=\"13\" name=\"mlx5_0\" osdev_type=\"3\">"
	"<info name=\"VerbenchInterrupts\" value=\"%s\"/>"
	"<info name=\"VerbenchPcieLink\" value=\"%s\"/>"
	"</object></object></object></object></topology>\n";

/* Printable characters that XML does not use itself. */
static const char *value(char **at)
{
	char *line = fuzz_line(at);

	for (char *c = line; c && *c; c++)
		if (*c < ' ' || *c > '~' || strchr("<>&\"%", *c))
			*c = '_';
	return line ? line : "";
}

static void use(const struct topo *t, char *at)
{
	struct topo_hca hca;
	const char *spec;

	topo_hca_find(&hca, t, "mlx5_0", NULL);
	while ((spec = fuzz_line(&at))) {
		struct topo_sets sets = { .n = 0 };

		(void)!topo_spec_check_mem(spec, "--mem");
		if (!topo_spec_check_pin(spec, "--pin") && topo_spec_pin(spec) == TOPO_PIN_SPEC)
			(void)!topo_spec_resolve(&sets, t, &hca, "--pin", spec);
		topo_spec_free(&sets);
	}
	topo_hca_close(&hca);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *at = text, *xml;
	const char *irqs = value(&at), *link = value(&at), *affinity = value(&at);
	const char *isolated = value(&at);
	struct topo t;

	if (asprintf(&xml, format, affinity, isolated, irqs, link) < 0)
		abort();
	if (!topo_open_xml(&t, xml)) {
		use(&t, at);
		topo_close(&t);
	}
	free(xml);
	free(text);
	return 0;
}
