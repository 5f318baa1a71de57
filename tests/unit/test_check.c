/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* verbench check: facts of a machine from its files, warnings about them, causes of refusals. */
#include "config.h"

#include "check/check.h"
#include "limits/spoils.h"
#include "place/busy.h"
#include "place/machine.h"
#include "plan_ends.h"

#define PCI "0000:81:00.0"

static void put(const char *root, const char *file, const char *text)
{
	char path[512], command[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", path);
	assert_int_equal(system(command), 0);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct machine nothing_known(void)
{
	struct machine m;

	field_clear(&machine_table, &m);
	return m;
}

static void files_are_read(void **state)
{
	static const char *const files[][2] = {
		{ "sys/bus/pci/devices/" PCI "/current_link_speed", "8.0 GT/s PCIe\n" },
		{ "sys/bus/pci/devices/" PCI "/current_link_width", "8\n" },
		{ "sys/bus/pci/devices/" PCI "/max_link_speed", "16.0 GT/s PCIe\n" },
		{ "sys/bus/pci/devices/" PCI "/max_link_width", "16\n" },
		{ "sys/bus/pci/devices/" PCI "/iommu_group/type", "DMA-FQ\n" },
		{ "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n" },
		{ "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n" },
		{ "proc/sys/kernel/numa_balancing", "1\n" },
		{ "sys/class/net/eth7/mtu", "1500\n" },
		{ "dev/infiniband/rdma_cm", "" },
	};
	char root[] = "/tmp/verbench-check-XXXXXX", command[64];
	struct machine m = nothing_known();

	(void)state;
	assert_non_null(mkdtemp(root));
	machine_read_files(&m, root, "eth7", NULL);
	assert_string_equal(m.governor, "");
	assert_string_equal(m.iommu, "");
	assert_int_equal(m.netdev_mtu_bytes, UINT32_MAX);
	assert_int_equal(m.cm_access, MACHINE_ABSENT);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(root, files[i][0], files[i][1]);
	snprintf(m.pci, sizeof(m.pci), PCI);
	machine_read_files(&m, root, "eth7", NULL);
	assert_int_equal(m.pcie_generation, 3);
	assert_int_equal(m.pcie_width, 8);
	assert_int_equal(m.pcie_best_width, 16);
	assert_string_equal(m.iommu, "DMA-FQ");
	assert_string_equal(m.governor, "powersave");
	assert_string_equal(m.clocksource, "hpet");
	assert_true(m.numa_balancing);
	assert_int_equal(m.netdev_mtu_bytes, 1500);
	assert_int_equal(m.cm_access, MACHINE_OPEN);
	/* only root sees more than the head of the configuration space, and there is none */
	assert_int_equal(m.relaxed_ordering, MACHINE_UNKNOWN);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* The model of the first CPU; a kernel need not tell one, and the text is bounded. */
static void cpu_model_is_read(void **state)
{
#define ARM "processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n"
	static const char *const files[][2] = {
		{ "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu\n\n"
		  "processor\t: 1\nmodel name\t: Other CPU\n", "Some CPU @ 2 GHz" },
		{ ARM, "" },
		{ ARM "model name", "" },
		{ "processor\t: 0\nmodel name\t:\nflags\t\t: fpu\n", "" },
		{ "processor\t: 0\nmodel name\t: 123456789 123456789 123456789 123456789 123456789 123456789 12345\n",
		  "123456789 123456789 123456789 123456789 123456789 123456789 123" },
	};
#undef ARM
	char root[] = "/tmp/verbench-model-XXXXXX", model[MACHINE_TEXT] = "before", command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	machine_cpu_model(model, root);
	assert_string_equal(model, "");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		put(root, "proc/cpuinfo", files[i][0]);
		machine_cpu_model(model, root);
		assert_string_equal(model, files[i][1]);
	}
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* Capabilities as lspci shows them for a ConnectX: Express at 0x60, ATS at 0x230 behind AER. */
static void pci_space_is_parsed(void **state)
{
	uint8_t space[4096] = { [0x34] = 0x40, [0x40] = 0x05, [0x41] = 0x60, [0x60] = 0x10,
				[0x68] = 0x10, [0x69] = 0x20, [0x72] = 0x83,
				[0x100] = 0x01, [0x103] = 0x23,
				[0x230] = 0x0f, [0x237] = 0x80 };
	struct machine m;

	(void)state;
	machine_parse_pci(&m, space, 64);
	assert_int_equal(m.relaxed_ordering, MACHINE_UNKNOWN);
	machine_parse_pci(&m, space, 256);
	assert_int_equal(m.relaxed_ordering, MACHINE_ON);
	assert_int_equal(m.read_request_bytes, 512);
	assert_int_equal(m.ats, MACHINE_UNKNOWN);
	machine_parse_pci(&m, space, sizeof(space));
	assert_int_equal(m.ats, MACHINE_ON);
	space[0x68] = 0;
	space[0x237] = 0;
	machine_parse_pci(&m, space, sizeof(space));
	assert_int_equal(m.relaxed_ordering, MACHINE_OFF);
	assert_int_equal(m.ats, MACHINE_OFF);
	space[0x103] = 0;
	machine_parse_pci(&m, space, sizeof(space));
	assert_int_equal(m.ats, MACHINE_NONE);
	/* a virtual function has no link, and reads 0 where the physical function has both */
	space[0x72] = 0;
	space[0x69] = 0;
	machine_parse_pci(&m, space, sizeof(space));
	assert_int_equal(m.relaxed_ordering, MACHINE_UNKNOWN);
	assert_int_equal(m.read_request_bytes, UINT32_MAX);
	/* lists that are circles end */
	space[0x60] = 0x05;
	space[0x61] = 0x40;
	machine_parse_pci(&m, space, sizeof(space));
	assert_int_equal(m.relaxed_ordering, MACHINE_UNKNOWN);
}

static struct busy busy_of(const char *root, const char *loadavg)
{
	struct busy b;

	put(root, "proc/loadavg", loadavg);
	busy_read(&b, root);
	return b;
}

/* Of the mean of a minute and of this moment the smaller one, without the program itself. */
static void load_is_read(void **state)
{
	char root[] = "/tmp/verbench-check-XXXXXX", command[64];
	struct busy b;

	(void)state;
	assert_non_null(mkdtemp(root));
	busy_read(&b, root);
	assert_int_equal(b.load, 0);
	assert_string_equal(b.governor, "");
	assert_true(b.n_cpus && b.host_cpus >= b.n_cpus);
	assert_true(b.cpus[0] >= '0' && b.cpus[0] <= '9');
	assert_int_equal(busy_of(root, "14.20 10.00 5.00 22/600 777\n").load, 14);
	assert_int_equal(busy_of(root, "14.20 10.00 5.00 1/600 777\n").load, 0);
	assert_int_equal(busy_of(root, "0.95 10.00 5.00 9/600 777\n").load, 0);
	assert_int_equal(busy_of(root, "9.00 10.00 5.00 4/600 777\n").load, 3);
	assert_int_equal(busy_of(root, "9.00\n").load, 0);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* ---- warnings */

/* A side on 8 CPUs of its own machine. */
static struct limits side_limits(const char *host)
{
	struct limits l = limits(host, 1);

	snprintf(l.boot_id, sizeof(l.boot_id), "%s", host);
	snprintf(l.cpus, sizeof(l.cpus), "0-7");
	l.n_cpus = l.host_cpus = 8;
	return l;
}

/* What spoils a test of two sides: "client cpus, server load, " */
static const char *spoils_of(const struct limits *client, const struct limits *server,
			     uint32_t client_polls, uint32_t server_polls)
{
	static const char *const kinds[] = { "cpus", "load", "governor" };
	const struct spoils_in in = { { client, server }, { client_polls, server_polls } };
	struct spoils found[SPOILS_MOST];
	static char text[256];
	const uint32_t n = spoils_find(found, &in);

	text[0] = '\0';
	for (uint32_t i = 0; i < n; i++) {
		assert_true(strlen(found[i].text) < SPOILS_TEXT - 1);
		assert_true(strlen(found[i].remedy) > 0);
		strcat(strcat(text, kind_side_names[found[i].side]), " ");
		strcat(strcat(text, kinds[found[i].kind]), ", ");
	}
	return text;
}

static void machines_spoil_a_test(void **state)
{
	struct limits c, s;

	(void)state;
#define SPOILS(text, one_host, c_polls, s_polls, change) do { \
		c = side_limits("alpha"); \
		s = side_limits((one_host) ? "alpha" : "beta"); \
		change; \
		assert_string_equal(spoils_of(&c, &s, c_polls, s_polls), text); \
	} while (0)
	SPOILS("", false, 8, 8, (void)0);
	SPOILS("client cpus, ", false, 9, 1, (void)0);
	SPOILS("server cpus, ", false, 0, 9, (void)0);
	SPOILS("", true, 4, 4, (void)0);
	SPOILS("client cpus, ", true, 4, 5, (void)0);
	/* each on a CPU of its own; both on the same */
	SPOILS("", true, 1, 1, (c.n_cpus = s.n_cpus = 1, strcpy(c.cpus, "0"), strcpy(s.cpus, "1")));
	SPOILS("client cpus, ", true, 1, 1, (c.n_cpus = s.n_cpus = 1));
	SPOILS("", false, 1, 1, c.load = s.load = 7);
	SPOILS("server load, ", false, 1, 1, (c.load = 7, s.load = 8));
	SPOILS("client load, ", true, 1, 1, c.load = s.load = 7);
	/* threads that sleep find a CPU until all are taken */
	SPOILS("", false, 0, 0, c.load = 7);
	SPOILS("client load, ", false, 0, 0, c.load = 8);
	SPOILS("client cpus, ", false, 9, 1, c.load = 8);
	SPOILS("client governor, server governor, ", false, 1, 1,
	       (strcpy(c.governor, "powersave"), strcpy(s.governor, "schedutil")));
	SPOILS("client governor, ", true, 1, 1, strcpy(c.governor, "powersave"));
	SPOILS("", false, 1, 1, strcpy(c.governor, "performance"));
	/* nothing is known */
	SPOILS("", false, 99, 99, (c.n_cpus = s.n_cpus = c.host_cpus = 0, c.load = 9));
#undef SPOILS
}

/* In check: a polling thread a side. */
static void check_warns_of_load(void **state)
{
	struct limits c = side_limits("alpha"), s = side_limits("alpha");
	struct findings found = { .n = 0 };

	(void)state;
	findings_judge_load(&found, &c, &s);
	assert_int_equal(found.n, 0);
	c.host_cpus = s.host_cpus = c.n_cpus = s.n_cpus = 2;
	c.load = 14;
	findings_judge_load(&found, &c, &s);
	findings_judge_load(&found, &c, NULL);
	c.n_cpus = s.n_cpus = 1;
	findings_judge_load(&found, &c, &s);
	assert_int_equal(found.n, 3);
	assert_string_equal(found.list[0].code, "load");
	assert_string_equal(found.list[0].side, "client");
	assert_string_equal(found.list[1].code, "load");
	assert_string_equal(found.list[1].side, "");
	assert_string_equal(found.list[2].code, "few_cpus");
	free(found.list);
}

/* The codes, with a space behind each. */
static const char *codes_of(const struct limits *l, const struct machine *m)
{
	struct findings found = { .n = 0 };
	const struct findings_in in = { &found, "server", l, m };
	static char text[512];

	findings_judge(&in);
	text[0] = '\0';
	for (uint32_t i = 0; i < found.n; i++) {
		const struct finding *f = &found.list[i];

		assert_string_equal(f->side, "server");
		assert_string_equal(f->device, l->device);
		assert_true(strlen(f->text) < FINDING_TEXT - 1);
		assert_true(strlen(f->remedy) < FINDING_TEXT - 1);
		strcat(strcat(text, f->code), " ");
	}
	free(found.list);
	return text;
}

static struct limits good_limits(void)
{
	struct limits l = limits("alpha", 1);

	l.max_mtu_bytes = 4096;
	l.rate_mbit_s = 100000;
	l.hugepage_bytes = 2 << 20;
	l.hugepages_free = 100;
	snprintf(l.driver, sizeof(l.driver), "mlx5_core");
	return l;
}

/* As well as a machine can be. */
static struct machine good_machine(void)
{
	struct machine m = nothing_known();

	snprintf(m.pci, sizeof(m.pci), PCI);
	m.pcie_generation = m.pcie_best_generation = 4;
	m.pcie_width = m.pcie_best_width = 16;
	m.pcie_gbit_s = m.pcie_best_gbit_s = 252;
	m.read_request_bytes = 4096;
	m.relaxed_ordering = m.ats = MACHINE_ON;
	m.numa_nodes = 2;
	m.numa_node = 1;
	m.cpus = 64;
	m.near_cpus = 32;
	m.cm_access = MACHINE_OPEN;
	snprintf(m.iommu, sizeof(m.iommu), "identity");
	snprintf(m.governor, sizeof(m.governor), "performance");
	snprintf(m.clocksource, sizeof(m.clocksource), "tsc");
	return m;
}

static void good_and_unknown_give_no_warning(void **state)
{
	struct machine m = good_machine(), unknown = nothing_known();
	struct limits l = good_limits();

	(void)state;
	assert_string_equal(codes_of(&l, &m), "");
	/* what is not known but for a file that can be looked for */
	unknown.cm_access = MACHINE_OPEN;
	assert_string_equal(codes_of(&l, &unknown), "");
	/* a machine without a GPU */
	strcpy(l.gpu_missing, "no driver");
	assert_string_equal(codes_of(&l, &m), "");
}

static void each_fact_gives_its_warning(void **state)
{
	struct limits l = good_limits();
	struct machine m;

	(void)state;
#define WARNS(code, change) do { \
		l = good_limits(); \
		m = good_machine(); \
		change; \
		assert_string_equal(codes_of(&l, &m), code " "); \
	} while (0)
	WARNS("software", l.emulated = true);
	WARNS("software", strcpy(l.driver, "rxe"));
	WARNS("software", strcpy(l.driver, "Software iWARP stack"));
	WARNS("pcie_narrow", (m.pcie_width = 8, m.pcie_gbit_s = 126));
	WARNS("pcie_below_link", (m.pcie_gbit_s = m.pcie_best_gbit_s = 63));
	WARNS("read_request", m.read_request_bytes = 128);
	WARNS("relaxed_ordering", m.relaxed_ordering = MACHINE_OFF);
	WARNS("iommu", strcpy(m.iommu, "DMA"));
	WARNS("iommu ats", (strcpy(m.iommu, "DMA-FQ"), m.ats = MACHINE_OFF));
	WARNS("governor", strcpy(m.governor, "powersave"));
	WARNS("numa_far", m.near_cpus = 0);
	WARNS("numa_unknown", m.near_cpus = UINT32_MAX);
	WARNS("numa_balancing", m.numa_balancing = true);
	WARNS("clocksource", strcpy(m.clocksource, "acpi_pm"));
	WARNS("mtu", l.active_mtu_bytes = 1024);
	WARNS("mtu", (l.ethernet = false, l.active_mtu_bytes = 2048));
	WARNS("memlock", m.memlock_bytes = 65536);
	WARNS("hugepages", l.hugepages_free = 0);
	WARNS("gpu_memory", (strcpy(l.gpu, "GPU"), strcpy(l.gpu_missing, "no dmabuf")));
	WARNS("rdma_cm", m.cm_access = MACHINE_ABSENT);
	WARNS("rdma_cm", m.cm_access = MACHINE_DENIED);
#undef WARNS
}

/* verbench-check(1) lists the codes in the order of the table. */
static void manual_lists_the_codes(void **state)
{
	const char *top = getenv("srcdir"), *code;
	char path[4096], page[16384], list[512] = "The codes are ";
	size_t len;
	FILE *f;

	(void)state;
	for (uint32_t i = 0; (code = findings_code(i)); i++) {
		const char *next = findings_code(i + 1);

		strcat(strcat(list, code), !next ? "." : findings_code(i + 2) ? ", " : " and ");
	}
	snprintf(path, sizeof(path), "%s/docs/man/verbench-check.1.in", top ? top : ".");
	f = fopen(path, "re");
	assert_non_null(f);
	len = fread(page, 1, sizeof(page) - 1, f);
	fclose(f);
	page[len] = '\0';
	for (char *at = page; (at = strchr(at, '\n')); )
		*at = ' ';
	assert_non_null(strstr(page, list));
}

/* ---- causes */

static enum check_cause cause_of_plan(const struct ends *e, enum test test, const char *line)
{
	struct plan plan;

	assert_true(resolve(&plan, e, test, line) < 0);
	return check_cause_of(err_cause());
}

static void refusals_have_their_cause(void **state)
{
	struct ends e = ends();

	(void)state;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-c XRC"), CAUSE_DEVICE);
	e.client.dc = LIMITS_DC_NO_MLX5;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-c DC"), CAUSE_DEVICE);
	e.client.dc = LIMITS_DC_NO_LIBRARY;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-c DC"), CAUSE_DRIVER);
	e.client.dc = LIMITS_DC_NOT_BUILT;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-c DC"), CAUSE_DRIVER);
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-R"), CAUSE_DRIVER);
	e = ends();
	e.server.atomics = false;
	assert_int_equal(cause_of_plan(&e, TEST_ATOMIC_BW, ""), CAUSE_DEVICE);
	e = ends();
	e.server.ethernet = false;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, ""), CAUSE_PATH);
	e = ends();
	e.client.pkey = e.server.pkey = 1;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, ""), CAUSE_PATH);
	e = ends();
	e.server.n_gids = 0;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, ""), CAUSE_PATH);
	e = ends();
	e.server.max_total_bytes = 4096;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, ""), CAUSE_OWNER);
	e = ends();
	e.client.transport_type = LIMITS_IWARP;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, ""), CAUSE_PATH);
	e = ends();
	e.client.active_mtu_bytes = 1024;
	assert_int_equal(cause_of_plan(&e, TEST_SEND_BW, "-m 4096"), CAUSE_PATH);
}

/* The name decides, whatever the message says. */
static void causes_have_names(void **state)
{
	(void)state;
	assert_int_equal(check_cause_of("MEMLOCK"), CAUSE_MEMLOCK);
	assert_int_equal(check_cause_of("RIGHTS"), CAUSE_RIGHTS);
	assert_int_equal(check_cause_of("NO_SM"), CAUSE_PATH);
	assert_int_equal(check_cause_of("RDMA_CGROUP"), CAUSE_DEVICE);
	assert_int_equal(check_cause_of("owner"), CAUSE_OWNER);
	assert_int_equal(check_cause_of("none"), CAUSE_DEVICE);
	assert_int_equal(check_cause_of("of a later version"), CAUSE_DEVICE);
}

/* ---- what came of a cell */

static struct check_cell judged(const struct check_outcome *h, enum session_end end, int rc)
{
	struct check_cell cell = { .status = CHECK_NOT_TRIED };

	check_judge(&cell, h, end, rc);
	return cell;
}

static void a_cell_is_ok_by_its_row_only(void **state)
{
	struct check_outcome h = { .size_bytes = 8, .rows = 1, .messages = 16 };
	struct check_cell cell = judged(&h, SESSION_MEASURED, 0);

	(void)state;
	assert_int_equal(cell.status, CHECK_OK);
	assert_string_equal(cell.reason, "");
	h.lost = 3;
	cell = judged(&h, SESSION_MEASURED, 0);
	assert_int_equal(cell.status, CHECK_FAILED);
	assert_string_equal(cell.reason, "3 of 16 messages were lost");
	h = (struct check_outcome){ .size_bytes = UINT64_MAX };
	cell = judged(&h, SESSION_MEASURED, 0);
	assert_int_equal(cell.status, CHECK_FAILED);
	assert_string_equal(cell.reason, "no result has come");
	err_set_cause(-EPERM, "MEMLOCK", "no memory");
	err_wrap(-EPERM, "the peer beta refuses: -c (--transport) XRC");
	err_advise(-EPERM, "what works: verbench check");
	cell = judged(&h, SESSION_REFUSED, -EPERM);
	assert_int_equal(cell.status, CHECK_NOT_OFFERED);
	assert_int_equal(cell.cause, CAUSE_MEMLOCK);
	assert_string_equal(cell.reason, "no memory");
	err_restore(&(struct err){ .text = "the peer beta reports: on the server, it broke",
				   .side = "server", .said = 23, .bare = 38 });
	cell = judged(&h, SESSION_FAILED, -ETIMEDOUT);
	assert_int_equal(cell.status, CHECK_FAILED);
	assert_string_equal(cell.reason, "on the server, it broke");
	h = (struct check_outcome){ .rows = 1, .not_ok = true, .reason = "send of message 3 failed",
				  .failure = "RETRY_EXC_ERR" };
	cell = judged(&h, SESSION_FAILED, -EIO);
	assert_string_equal(cell.reason, "send of message 3 failed");
	assert_string_equal(cell.failure, "RETRY_EXC_ERR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(cpu_model_is_read),
		cmocka_unit_test(load_is_read),
		cmocka_unit_test(machines_spoil_a_test),
		cmocka_unit_test(check_warns_of_load),
		cmocka_unit_test(pci_space_is_parsed),
		cmocka_unit_test(good_and_unknown_give_no_warning),
		cmocka_unit_test(each_fact_gives_its_warning),
		cmocka_unit_test(manual_lists_the_codes),
		cmocka_unit_test(refusals_have_their_cause),
		cmocka_unit_test(causes_have_names),
		cmocka_unit_test(a_cell_is_ok_by_its_row_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
