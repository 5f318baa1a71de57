/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Ranks, from environments as launchers make them. */
#include "config.h"
#include "mesh/mesh_rank.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/err.h"

/* "NAME=VALUE", up to NULL. */
static const char *const *environment;

static const char *look(const char *name)
{
	const size_t len = strlen(name);

	for (const char *const *e = environment; *e; e++)
		if (!strncmp(*e, name, len) && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

#define SRUN "SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=16", "SLURM_NTASKS=32", \
	     "SLURM_STEP_NODELIST=n[04-19]"
#define MPIRUN "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", "PMIX_RANK=1"
#define HYDRA "PMI_RANK=2", "PMI_SIZE=5", "MPI_LOCALRANKID=0"
#define POD "JOB_COMPLETION_INDEX=11", "HOSTNAME=my-mesh-11"

struct rank_case {
	const char *env[12];
	const char *ranks, *join;
	uint32_t rank, size;
	const char *root, *launcher;
	const char *why; /* of a refusal */
};

static void check(const struct rank_case *c)
{
	struct mesh_rank r;
	int rc;

	environment = c->env;
	rc = mesh_rank_read(&r, c->ranks, c->join, look);
	if (rc != (c->why ? -EINVAL : 0))
		fail_msg("--ranks %s, %s: %d: %s", c->ranks, c->env[0] ? c->env[0] : "-", rc,
			 err_text());
	if (c->why && !strstr(err_text(), c->why))
		fail_msg("\"%s\" does not say \"%s\"", err_text(), c->why);
	if (c->why)
		return;
	assert_int_equal(r.rank, c->rank);
	assert_int_equal(r.size, c->size);
	assert_string_equal(r.root, c->root);
	assert_string_equal(r.launcher, c->launcher);
}

static void test_launchers(void **state)
{
	static const struct rank_case cases[] = {
		{ { SRUN }, "auto", NULL, 3, 16, "n04", "slurm", NULL },
		{ { SRUN }, "slurm", NULL, 3, 16, "n04", "slurm", NULL },
		/* what is not needed may be wrong */
		{ { "SLURM_PROCID=1", "SLURM_NTASKS=4", "SLURM_STEP_NODELIST=n[4-" }, "auto", "n9",
		  1, 4, "n9", "slurm", NULL },
		{ { SRUN }, "auto", "n9:700", 3, 16, "n9:700", "slurm", NULL },
		{ { "SLURM_PROCID=3", "SLURM_NTASKS=4" }, "auto", "n9", 3, 4, "n9", "slurm", NULL },
		{ { MPIRUN }, "auto", "n9:700", 1, 4, "n9:700", "openmpi", NULL },
		{ { HYDRA }, "auto", "[fe80::1]:700", 2, 5, "[fe80::1]:700", "pmi", NULL },
		{ { "PMI_RANK=2", "PMI_SIZE=5" }, "auto", "n9", 2, 5, "n9", "pmi", NULL },
		{ { "PMI_RANK=2", "PMI_SIZE=5" }, "pmi", "n9", 2, 5, "n9", "pmi", NULL },
		{ { POD, "SUBDOMAIN=mesh" }, "k8s:12", NULL, 11, 12, "my-mesh-0.mesh", "k8s", NULL },
		{ { POD }, "k8s:12", "mesh-0.mesh:7", 11, 12, "mesh-0.mesh:7", "k8s", NULL },
		{ { NULL }, "0/2", "n0", 0, 2, "n0", "hand", NULL },
		{ { NULL }, "1/2", "./n0", 1, 2, "", "hand", NULL },
		{ { SRUN }, "auto", "/home/me/join", 3, 16, "", "slurm", NULL },
		{ { SRUN }, "65535/65536", "n0", 65535, 65536, "n0", "hand", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

/* Of several launchers the innermost is right, unless --ranks names another. */
static void test_innermost(void **state)
{
	static const struct rank_case cases[] = {
		{ { SRUN, MPIRUN }, "auto", "n9", 1, 4, "n9", "openmpi", NULL },
		{ { SRUN, HYDRA }, "auto", "n9", 2, 5, "n9", "pmi", NULL },
		{ { SRUN, MPIRUN }, "slurm", NULL, 3, 16, "n04", "slurm", NULL },
		/* srun --mpi=pmi2 */
		{ { SRUN, "PMI_RANK=3", "PMI_SIZE=16" }, "auto", NULL, 3, 16, "n04", "slurm", NULL },
		{ { POD, MPIRUN }, "auto", "n9", 1, 4, "n9", "openmpi", NULL },
		{ { POD, SRUN }, "auto", NULL, 3, 16, "n04", "slurm", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

#define REFUSED(why) 0, 0, NULL, NULL, why

static void test_refused(void **state)
{
	static const struct rank_case cases[] = {
		{ { NULL }, "auto", NULL, REFUSED("none of OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX is set") },
		{ { NULL }, "auto", NULL, REFUSED("--ranks RANK/SIZE --join HOST:PORT") },
		{ { NULL }, "slurm", NULL, REFUSED("--ranks slurm: SLURM_PROCID is not set") },
		{ { SRUN }, "torque", NULL, REFUSED("--ranks \"torque\"; allowed: auto, openmpi") },
		{ { SRUN }, "slurm:16", NULL, REFUSED("slurm says itself how many") },
		{ { "SLURM_PROCID=1" }, "auto", NULL, REFUSED("SLURM_NTASKS is not set") },
		{ { "SLURM_PROCID=x" }, "auto", NULL, REFUSED("SLURM_PROCID is \"x\"") },
		{ { "SLURM_PROCID=-1" }, "auto", NULL, REFUSED("SLURM_PROCID is \"-1\"") },
		{ { "SLURM_PROCID=" }, "auto", NULL, REFUSED("SLURM_PROCID is \"\"") },
		{ { "SLURM_PROCID=0", "SLURM_NTASKS=4" }, "auto", NULL,
		  REFUSED("--ranks slurm: it is not known where rank 0 is: give --join") },
		{ { "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_STEP_NODELIST=n[4-" }, "auto", NULL,
		  REFUSED("SLURM_STEP_NODELIST: \"n[4-\"") },
		{ { MPIRUN }, "auto", NULL, REFUSED("--ranks openmpi: it is not known where") },
		{ { HYDRA }, "auto", NULL, REFUSED("--ranks pmi: it is not known where") },
		{ { POD }, "auto", "n9", REFUSED("k8s does not say how many there are; allowed: --ranks k8s:SIZE") },
		{ { POD }, "k8s:x", "n9", REFUSED("--ranks k8s:x: ") },
		{ { POD }, "k8s:", "n9", REFUSED("--ranks k8s:: ") },
		{ { POD }, "k8s:12", NULL, REFUSED("--ranks k8s: it is not known where") },
		{ { POD, "SUBDOMAIN=" }, "k8s:12", NULL, REFUSED("it is not known where") },
		{ { "JOB_COMPLETION_INDEX=1", "HOSTNAME=mesh-11", "SUBDOMAIN=m" }, "k8s:12", NULL,
		  REFUSED("it is not known where") },
		{ { POD, "SUBDOMAIN=m" }, "k8s:11", NULL,
		  REFUSED("--ranks k8s: rank 11 of 11; allowed: 0..10") },
		{ { NULL }, "2/2", "n0", REFUSED("--ranks 2/2: rank 2 of 2; allowed: 0..1") },
		{ { NULL }, "0/1", "n0", REFUSED("--ranks 0/1: a mesh of 1 node; allowed: 2..65536") },
		{ { NULL }, "0/65537", "n0", REFUSED("a mesh of 65537 nodes") },
		{ { NULL }, "0/2", NULL, REFUSED("--ranks 0/2: it is not known where") },
		{ { NULL }, "1x2", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "1/", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "/2", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "1/2x", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "1/9999999999", "n0", REFUSED("allowed: auto") },
		{ { NULL }, "0/2", "n0:0", REFUSED("--join: host \"n0:0\"") },
		{ { NULL }, "0/2", "", REFUSED("--join: ") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

static void test_long(void **state)
{
	char domain[300] = "SUBDOMAIN=";
	struct rank_case c = { { POD, domain }, "k8s:12", NULL,
			       REFUSED("HOSTNAME \"my-mesh-11\" and SUBDOMAIN \"aaaa") };

	(void)state;
	memset(domain + 10, 'a', 250);
	check(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launchers),
		cmocka_unit_test(test_innermost),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
