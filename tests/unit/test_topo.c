/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * topo: what the placements in tests/topo do not show: interrupts and links from sysfs, both sides
 * on one machine, XML and back, the syntax of SPECs, and long reasons.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "place/affinity.h"
#include "util/err.h"
#include "util/text.h"
#include "topo/topo_placement.h"
#include "topo/topo_hca.h"
#include "topo/topo_spec.h"
#include "topo/topo.h"

/* tests/topo/NAME.xml */
static void open_machine(struct topo *t, const char *name)
{
	const char *top = getenv("srcdir");
	static char xml[1 << 18];
	char path[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/topo/%s.xml", top ? top : ".", name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	len = fread(xml, 1, sizeof(xml) - 1, f);
	xml[len] = '\0';
	fclose(f);
	assert_int_equal(topo_open_xml(t, xml), 0);
	assert_false(t->this_host);
}

static struct topo_request request_of(const char *pin, uint32_t threads)
{
	return (struct topo_request){ .pin = pin, .mem = "auto", .pin_label = "--pin",
				      .mem_label = "--mem", .threads = threads };
}

/* The client takes the best cores. A server on the same machine takes others. */
static void sides_of_one_machine_share_no_core(void **state)
{
	struct topo_placement client, server;
	struct topo_request request = request_of("auto", 4);
	struct topo_hca hca;
	struct topo t;
	hwloc_bitmap_t peer_cpus = hwloc_bitmap_alloc();

	(void)state;
	open_machine(&t, "two-sockets");
	topo_hca_find(&hca, &t, "mlx5_0", NULL);
	assert_true(hca.known);
	assert_int_equal(topo_placement_choose(&client, &t, &hca, &request), 0);
	for (uint32_t i = 0; i < client.n; i++)
		hwloc_bitmap_set(peer_cpus, client.places[i].cpu);
	request.busy = peer_cpus;
	assert_int_equal(topo_placement_choose(&server, &t, &hca, &request), 0);
	for (uint32_t i = 0; i < client.n; i++)
		for (uint32_t k = 0; k < server.n; k++)
			assert_int_not_equal(client.places[i].core, server.places[k].core);
	topo_placement_free(&server);
	/* a cpu that --pin names is used although the peer uses it */
	request.pin = "pu:8-11";
	assert_int_equal(topo_placement_choose(&server, &t, &hca, &request), 0);
	assert_int_equal(server.places[0].cpu, 8);
	topo_placement_free(&server);
	topo_placement_free(&client);
	hwloc_bitmap_free(peer_cpus);
	topo_hca_close(&hca);
	topo_close(&t);
}

/* Each thread gets another cpu, and all cpus can be used. */
static void each_cpu_is_chosen_once(void **state)
{
	struct topo_placement p;
	struct topo_request request = request_of("auto", 32);
	struct topo_hca hca;
	struct topo t;
	uint64_t seen = 0;

	(void)state;
	open_machine(&t, "two-sockets");
	topo_hca_find(&hca, &t, "mlx5_0", NULL);
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), 0);
	for (uint32_t i = 0; i < p.n; i++) {
		assert_true(p.places[i].cpu < 32);
		assert_false(seen >> p.places[i].cpu & 1);
		seen |= (uint64_t)1 << p.places[i].cpu;
	}
	topo_placement_free(&p);
	request.threads = 33;
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), -EINVAL);
	assert_non_null(strstr(err_text(), "33 threads need one cpu each"));
	topo_hca_close(&hca);
	topo_close(&t);
}

static void put(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void interrupts_are_read(void **state)
{
	static const char *const files[] = {
		"sys/bus/pci/devices/0000:81:00.0/msi_irqs/40",
		"sys/bus/pci/devices/0000:81:00.0/msi_irqs/41",
		"sys/bus/pci/devices/0000:81:00.0/msi_irqs/142",
	};
	char root[] = "/tmp/verbench-irq-XXXXXX", command[64], *text;
	struct topo_irqs irqs, again;

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < 3; i++)
		put(root, files[i], "msix\n");
	put(root, "proc/irq/40/effective_affinity_list", "8\n");
	put(root, "proc/irq/41/effective_affinity_list", "\n"); /* it has not occurred yet */
	put(root, "proc/irq/41/smp_affinity_list", "8-9\n");
	put(root, "proc/irq/142/smp_affinity_list", "10\n");
	put(root, "proc/interrupts",
	    "        CPU0   CPU1\n"
	    "  40:      0      7  IR-PCI-MSI 1048576-edge  mlx5_async@pci:0000:81:00.0\n"
	    "  41:      0      7  IR-PCI-MSI 1048577-edge  mlx5_comp0@pci:0000:81:00.0\n"
	    " 142:      0      7  IR-PCI-MSI 1048578-edge  mlx5_comp1@pci:0000:81:00.0\n"
	    " NMI:          0          0   Non-maskable interrupts\n");
	topo_irq_read(&irqs, root, "0000:81:00.0", NULL);
	text = topo_irq_text(&irqs);
	assert_string_equal(text, "40:-:8 41:0:8-9 142:1:10");
	topo_irq_parse(&again, text);
	free(text);
	text = topo_irq_text(&again);
	assert_string_equal(text, "40:-:8 41:0:8-9 142:1:10");
	free(text);
	topo_irq_free(&irqs);
	topo_irq_free(&again);
	topo_irq_read(&irqs, root, "0000:82:00.0", NULL);
	assert_int_equal(irqs.n, 0);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* The names of each driver that has an interrupt per completion vector. */
static void vectors_in_names(void **state)
{
	static const struct {
		const char *name;
		int vector;
	} names[] = {
		{ "mlx5_comp3@pci:0000:81:00.0", 3 },
		{ "irdma-0000:81:00.0-AEQ-0", -1 },
		{ "irdma-0000:81:00.0-AEQCEQ-0", 0 },
		{ "irdma-0000:81:00.0-CEQ-12", 12 },
		{ "bnxt_re-nq-2@pci:0000:81:00.0", 2 },
		{ "hns-ceq-5", 5 },
		{ "hns-0000:81:00.0-ceq-5", 5 },
		{ "hns-0000:81:00.0-aeq-1", -1 },
		{ "mana_q7@pci:0000:81:00.0", 7 },
		{ "mana_hwc@pci:0000:81:00.0", -1 },
		{ "efa-comp1@pci:0000:81:00.0", 1 },
	};
	char root[] = "/tmp/verbench-irq-XXXXXX", command[64], line[128];
	struct topo_irqs irqs;

	(void)state;
	assert_non_null(mkdtemp(root));
	put(root, "sys/bus/pci/devices/0000:81:00.0/msi_irqs/40", "msix\n");
	put(root, "proc/irq/40/effective_affinity_list", "0\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(line, sizeof(line), "  40:  7  IR-PCI-MSIX 1-edge  %s\n", names[i].name);
		put(root, "proc/interrupts", line);
		topo_irq_read(&irqs, root, "0000:81:00.0", NULL);
		assert_int_equal(irqs.n, 1);
		if ((int)irqs.irqs[0].vector != names[i].vector)
			fail_msg("%s: vector %d", names[i].name, (int)irqs.irqs[0].vector);
		topo_irq_free(&irqs);
	}
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void links_are_read(void **state)
{
	static const char at[] = "sys/bus/pci/devices/0000:81:00.0/";
	static const char *const files[][2] = {
		{ "current_link_speed", "8.0 GT/s PCIe\n" }, { "current_link_width", "8\n" },
		{ "max_link_speed", "16.0 GT/s PCIe\n" }, { "max_link_width", "16\n" },
		{ "../max_link_speed", "8.0 GT/s PCIe\n" }, { "../max_link_width", "16\n" },
	};
	char root[] = "/tmp/verbench-link-XXXXXX", path[128], command[64], text[128];
	struct topo_pcie link, again;
	struct topo_pcie_rate best;

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", at, files[i][0]);
		put(root, path, files[i][1]);
	}
	topo_pcie_read(&link, root, "0000:81:00.0");
	topo_pcie_text(&link, text, sizeof(text));
	assert_string_equal(text, "8.0 GT/s x8; device 16.0 GT/s x16; slot 8.0 GT/s x16");
	topo_pcie_parse(&again, text);
	assert_memory_equal(&again.slot, &link.slot, sizeof(link.slot.gt_s));
	assert_int_equal(again.device.width, 16);
	assert_int_equal(again.now.width, 8);
	best = topo_pcie_best(&link);
	assert_int_equal(topo_pcie_generation(&best), 3);
	assert_int_equal(best.width, 16);
	assert_true(topo_pcie_gbit_s(&link.now) > 63.0 && topo_pcie_gbit_s(&link.now) < 63.1);
	/* a virtual function */
	put(root, "sys/bus/pci/devices/0000:81:00.1/current_link_speed", "Unknown\n");
	put(root, "sys/bus/pci/devices/0000:81:00.1/current_link_width", "0\n");
	topo_pcie_read(&link, root, "0000:81:00.1");
	assert_int_equal(link.now.width, 0);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* The XML of this machine (for a bug report) has the same facts as the machine. */
static void xml_carries_the_facts(void **state)
{
	struct topo t, copy;
	char *xml;

	(void)state;
	assert_int_equal(unsetenv("HWLOC_XMLFILE"), 0);
	assert_int_equal(topo_open(&t), 0);
	assert_int_equal(topo_xml_write(&t, &xml), 0);
	assert_int_equal(topo_open_xml(&copy, xml), 0);
	assert_false(copy.this_host);
	assert_true(hwloc_bitmap_isequal(t.affinity, copy.affinity));
	assert_true(hwloc_bitmap_isequal(t.isolated, copy.isolated));
	assert_true(hwloc_bitmap_isequal(t.usable, copy.usable));
	free(xml);
	topo_close(&copy);
	topo_close(&t);
}

/* The parser skips a text of another form; the sanitizers see if it reads beyond it. */
static void bad_interrupts_are_skipped(void **state)
{
	static const char *const texts[] = { "", ":", "::", "1", "1:2", "1::", "x:y:z", "1:0:1-",
					     "1:-:0-3 2" };
	struct topo_irqs irqs;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		topo_irq_parse(&irqs, texts[i]);
		topo_irq_free(&irqs);
	}
}

static void syntax_of_specs(void **state)
{
	static const char *const good[] = { "auto", "near", "far", "none", "pu:0", "cpu:0-3",
					    "core:3,5,7-9", "numa:0,numa:1", "l3:nic", "package:0",
					    "core:1,pu:9", "machine:0", "3", "0-3", "0,2",
					    "0-1,4,core:3" };
	static const char *const bad[] = { "", "local", "3,", "0-", "3-1", "0-6:2", "0x3", "pu:", "pu", ":3", "pu:3-", "pu:3-1",
					   "pu:-1", "pu:0,", "pu:0,,1", "pu:x", "pu:0x1", "cat:0",
					   "pu:0;1", "pu:9999999", "p:0", "nic:0", "bridge:0",
					   "waytoolongforatype:1", "pu:nico", "pu: 1" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(topo_spec_check_pin(good[i], "--pin"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (topo_spec_check_pin(bad[i], "--peer-pin") != -EINVAL)
			fail_msg("--pin \"%s\" was accepted", bad[i]);
		else
			assert_memory_equal(err_text(), "--peer-pin", 10);
	memset(text, '0', sizeof(text));
	memcpy(text, "pu:", 3);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(topo_spec_check_pin(text, "--pin"), -EINVAL);
	assert_string_equal(err_text(), "--pin: the value has 199 characters; the maximum is 63");
	assert_int_equal(topo_spec_check_mem("local", "--mem"), 0);
	assert_int_equal(topo_spec_check_mem("device", "--mem"), 0);
	assert_int_equal(topo_spec_check_mem("1", "--mem"), 0);
	assert_int_equal(topo_spec_check_mem("numa:0-1", "--mem"), 0);
	assert_int_equal(topo_spec_check_mem("near", "--mem"), -EINVAL);
	assert_int_equal(topo_spec_check_mem("0-1", "--mem"), -EINVAL);
	assert_int_equal(topo_spec_check_mem("0,numa:1", "--mem"), -EINVAL);
	assert_int_equal(topo_spec_check_mem("-1", "--mem"), -EINVAL);
	assert_int_equal(topo_spec_check_mem("1234567", "--mem"), -EINVAL);
}

static void nothing_is_near_an_unknown_device(void **state)
{
	struct topo_placement p;
	struct topo_request request = request_of("near", 1);
	struct topo_hca hca;
	struct topo t;

	(void)state;
	open_machine(&t, "two-sockets");
	topo_hca_find(&hca, &t, "softhca0", NULL);
	assert_false(hca.known);
	assert_int_equal(topo_hca_near(&hca, 0, 0), TOPO_UNKNOWN);
	assert_int_equal(topo_hca_distance(&hca, &t, 0), TOPO_NONE);
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), -EINVAL);
	request.pin = "auto";
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), 0);
	assert_int_equal(p.places[0].cpu, TOPO_NONE);
	assert_int_equal(p.places[0].mem_node, TOPO_NONE);
	assert_non_null(strstr(p.note, "softhca0"));
	topo_placement_free(&p);
	topo_hca_close(&hca);
	/* the netdev of its port has a bus */
	topo_hca_find(&hca, &t, "rxe0", "eth2");
	assert_true(hca.known);
	assert_int_equal(hca.node, 1);
	topo_hca_close(&hca);
	topo_close(&t);
}

static void words_and_specs_of_pin(void **state)
{
	(void)state;
	assert_int_equal(topo_spec_pin("auto"), TOPO_PIN_AUTO);
	assert_int_equal(topo_spec_pin("near"), TOPO_PIN_NEAR);
	assert_int_equal(topo_spec_pin("far"), TOPO_PIN_FAR);
	assert_int_equal(topo_spec_pin("none"), TOPO_PIN_NONE);
	assert_int_equal(topo_spec_pin("pu:3"), TOPO_PIN_SPEC);
}

/* Both parts of a request are checked, and a failed choice leaves nothing to free. */
static void bad_requests_are_refused(void **state)
{
	struct topo_request request = request_of("pu:99", 1);
	struct topo_placement p;
	struct topo_hca hca;
	struct topo t;

	(void)state;
	open_machine(&t, "two-sockets");
	topo_hca_find(&hca, &t, "mlx5_0", NULL);
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), -EINVAL);
	assert_string_equal(err_text(), "--pin pu:99: there is no pu:99; this machine has pu 0-31");
	assert_null(p.places);
	request.pin = "auto";
	request.mem = "2";
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), -EINVAL);
	assert_string_equal(err_text(), "--mem 2: there is no NUMA node 2; this process may use memory of NUMA nodes 0-1");
	assert_null(p.places);
	request.pin = "none";
	request.mem = "local";
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), -EINVAL);
	assert_string_equal(err_text(), "--mem local: the threads are not bound, so they have no local NUMA node");
	topo_hca_close(&hca);
	topo_close(&t);
}

static void reasons_are_cut(void **state)
{
	struct topo_place place = { .reason = "" };

	(void)state;
	text_add(place.reason, sizeof(place.reason), ", ", "near %s", "mlx5_0");
	text_add(place.reason, sizeof(place.reason), ", ", "isolated");
	assert_string_equal(place.reason, "near mlx5_0, isolated");
	for (int i = 0; i < 40; i++)
		text_add(place.reason, sizeof(place.reason), ", ", "isolated");
	assert_int_equal(strlen(place.reason), sizeof(place.reason) - 1);
}

/* On every machine the choice is a cpu that this process may use. */
static void this_machine_has_a_place(void **state)
{
	struct topo_placement p;
	struct topo_request request = request_of("machine:0", 1);
	struct topo_hca hca;
	struct topo t;

	(void)state;
	assert_int_equal(unsetenv("HWLOC_XMLFILE"), 0);
	assert_int_equal(topo_open(&t), 0);
	assert_true(t.this_host);
	topo_hca_find(&hca, &t, "no-such-device", NULL);
	assert_int_equal(topo_placement_choose(&p, &t, &hca, &request), 0);
	assert_true(hwloc_bitmap_isset(t.affinity, p.places[0].cpu));
	topo_placement_free(&p);
	topo_hca_close(&hca);
	topo_close(&t);
}

/* ---- sessions at the same time */

static void cpus_of(hwloc_bitmap_t set, const struct topo_placement *p)
{
	hwloc_bitmap_zero(set);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->places[i].cpu != TOPO_NONE)
			hwloc_bitmap_set(set, p->places[i].cpu);
}

/* Session number i of those of the text, with the cpus that it leaves to the others. */
static void place_session(hwloc_bitmap_t set, const struct topo *t, const char *text, uint32_t i,
			  struct topo_request request)
{
	hwloc_bitmap_t busy = hwloc_bitmap_alloc();
	struct topo_placement placement;
	struct neighbours all;
	struct topo_hca hca;

	assert_int_equal(affinity_neighbours_parse(&all, text), 0);
	affinity_neighbours_cpus(busy, t,
				 &(struct affinity_side){ request, all.devices[i], "", NULL },
				 &all, i);
	topo_hca_find(&hca, t, all.devices[i], "");
	request.busy = busy;
	request.first = i * request.threads;
	assert_int_equal(topo_placement_choose(&placement, t, &hca, &request), 0);
	cpus_of(set, &placement);
	topo_placement_free(&placement);
	topo_hca_close(&hca);
	hwloc_bitmap_free(busy);
}

/* Devices on two of four nodes: each session has cores of its own, near its device. */
static void neighbours_share_no_cpu(void **state)
{
	static const char text[] = "0:mlx5_0,mlx5_1,mlx5_0,mlx5_1";
	hwloc_bitmap_t all = hwloc_bitmap_alloc(), one = hwloc_bitmap_alloc();
	struct topo t;

	(void)state;
	open_machine(&t, "four-nodes");
	for (uint32_t i = 0; i < 4; i++) {
		struct topo_hca hca;

		place_session(one, &t, text, i, request_of("auto", 2));
		assert_int_equal(hwloc_bitmap_weight(one), 2);
		assert_false(hwloc_bitmap_intersects(one, all));
		hwloc_bitmap_or(all, all, one);
		topo_hca_find(&hca, &t, i % 2 ? "mlx5_1" : "mlx5_0", "");
		assert_true(hca.known);
		assert_true(hwloc_bitmap_isincluded(one, hca.cpus));
		topo_hca_close(&hca);
	}
	/* of a list, each takes the places that follow */
	for (uint32_t i = 0; i < 4; i++) {
		place_session(one, &t, text, i, request_of("pu:0,pu:1,pu:2,pu:3", 1));
		assert_int_equal(hwloc_bitmap_first(one), i);
	}
	topo_close(&t);
	hwloc_bitmap_free(all);
	hwloc_bitmap_free(one);
}

static void neighbours_as_text(void **state)
{
	static const char *const bad[] = { "x", "1", ":a", "2:a,b", "-1:a", "0:../x", "999:a" };
	char text[NEIGHBOURS_TEXT], long_text[NEIGHBOURS_MAX * 2 + 4];
	struct neighbours all;

	(void)state;
	assert_int_equal(affinity_neighbours_parse(&all, NULL), 0);
	assert_int_equal(all.n, 1);
	assert_int_equal(affinity_neighbours_parse(&all, "1:mlx5_0,,rocep1s0f0"), 0);
	assert_int_equal(all.own, 1);
	assert_int_equal(all.n, 3);
	assert_string_equal(all.devices[1], "");
	assert_string_equal(affinity_neighbours_text(&all, text, sizeof(text)), "1:mlx5_0,,rocep1s0f0");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(affinity_neighbours_parse(&all, bad[i]), -EINVAL);
	memset(long_text, ',', sizeof(long_text));
	memcpy(long_text, "0:", 2);
	long_text[2 + NEIGHBOURS_MAX - 1] = '\0';
	assert_int_equal(affinity_neighbours_parse(&all, long_text), 0);
	assert_int_equal(all.n, NEIGHBOURS_MAX);
	long_text[2 + NEIGHBOURS_MAX - 1] = ',';
	long_text[2 + NEIGHBOURS_MAX] = '\0';
	assert_int_equal(affinity_neighbours_parse(&all, long_text), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_of_one_machine_share_no_core),
		cmocka_unit_test(each_cpu_is_chosen_once),
		cmocka_unit_test(neighbours_share_no_cpu),
		cmocka_unit_test(neighbours_as_text),
		cmocka_unit_test(interrupts_are_read),
		cmocka_unit_test(vectors_in_names),
		cmocka_unit_test(links_are_read),
		cmocka_unit_test(xml_carries_the_facts),
		cmocka_unit_test(bad_interrupts_are_skipped),
		cmocka_unit_test(syntax_of_specs),
		cmocka_unit_test(words_and_specs_of_pin),
		cmocka_unit_test(bad_requests_are_refused),
		cmocka_unit_test(reasons_are_cut),
		cmocka_unit_test(nothing_is_near_an_unknown_device),
		cmocka_unit_test(this_machine_has_a_place),
	};

	return cmocka_run_group_tests_name("topo", tests, NULL, NULL);
}
