/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What launchers say of ranks. */
#include "config.h"
#include "mesh/mesh_rank.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

#define SIZES 2

struct source {
	const char *(*look)(const char *name);
	const char *join;
	struct mesh_rank *r;
};

/* ---- where rank 0 is */

static int slurm_root(const struct source *s)
{
	static const char name[] = "SLURM_STEP_NODELIST";
	const char *text = s->look(name);
	struct node_list list;
	int rc;

	if (!text)
		return 0;
	rc = node_list_parse(&list, name, text);
	if (rc)
		return rc;
	snprintf(s->r->root, sizeof(s->r->root), "%s", list.names[0]);
	node_list_free(&list);
	return 0;
}

/* A pod of an indexed Job has the host name JOB-INDEX. */
static int k8s_root(const struct source *s)
{
	const char *host = s->look("HOSTNAME"), *domain = s->look("SUBDOMAIN");
	const char *dash = host ? strrchr(host, '-') : NULL;
	char own[16];

	snprintf(own, sizeof(own), "%u", s->r->rank);
	if (!domain || !*domain || !dash || strcmp(dash + 1, own))
		return 0;
	if (strlen(host) + strlen(domain) + 2 > HOSTS_NAME)
		return err_set(-EINVAL, "HOSTNAME \"%.40s\" and SUBDOMAIN \"%.40s\" are together too long; allowed: %d characters",
			       host, domain, HOSTS_NAME - 2);
	snprintf(s->r->root, sizeof(s->r->root), "%.*s-0.%s", (int)(dash - host), host, domain);
	return 0;
}

/* ---- the table */

struct launcher {
	const char *name;         /* of --ranks */
	const char *sign;         /* it is this launcher if this is set */
	const char *rank;
	const char *sizes[SIZES]; /* the first that is set counts; none: SIZE is in --ranks */
	/* Writes root; "": not known. NULL: it never is. */
	int (*root)(const struct source *s);
};

/*
 * The innermost first. Slurm with its plugin pmi2 sets the variables of PMI, too, but not those of
 * local ranks, which MPICH and Intel MPI set; its own say more.
 */
static const struct launcher launchers[] = {
	{ "openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", { "OMPI_COMM_WORLD_SIZE" },
	  NULL },
	{ "pmi", "MPI_LOCALRANKID", "PMI_RANK", { "PMI_SIZE" }, NULL },
	{ "slurm", "SLURM_PROCID", "SLURM_PROCID", { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" },
	  slurm_root },
	{ "pmi", "PMI_RANK", "PMI_RANK", { "PMI_SIZE" }, NULL },
	{ "k8s", "JOB_COMPLETION_INDEX", "JOB_COMPLETION_INDEX", { NULL }, k8s_root },
};

#define N_LAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

/* ---- numbers */

/* At most nine digits; *end: behind them. */
static bool read_number(uint32_t *number, const char *text, const char **end)
{
	const size_t n = strspn(text, "0123456789");

	*number = n && n <= 9 ? (uint32_t)strtoul(text, NULL, 10) : 0;
	*end = text + n;
	return n && n <= 9;
}

static int read_variable(uint32_t *number, const struct source *s, const char *name)
{
	const char *text = s->look(name), *end;

	if (!text)
		return err_set(-EINVAL, "%s is not set", name);
	if (read_number(number, text, &end) && !*end)
		return 0;
	return err_set(-EINVAL, "%s is \"%.40s\", which is no number", name, text);
}

static int read_size(struct mesh_rank *r, const struct launcher *l, const struct source *s,
		     const char *ranks)
{
	const char *colon = strchr(ranks, ':'), *end;
	uint32_t i = 0;

	if (l->sizes[0]) {
		if (colon)
			return err_set(-EINVAL, "%s says itself how many there are; allowed: --ranks %s",
				       l->name, l->name);
		while (i < SIZES - 1 && l->sizes[i + 1] && !s->look(l->sizes[i]))
			i++;
		return read_variable(&r->size, s, l->sizes[i]);
	}
	if (colon && read_number(&r->size, colon + 1, &end) && !*end)
		return 0;
	return err_set(-EINVAL, "%s does not say how many there are; allowed: --ranks %s:SIZE, 2..%u",
		       l->name, l->name, MESH_NODES_MAX);
}

/* ---- the launcher */

/* The row that --ranks names or, for auto, whose sign is set. NULL: none. */
static const struct launcher *find(const char *ranks, const struct source *s)
{
	const size_t len = strcspn(ranks, ":");
	const bool any = !strcmp(ranks, "auto");

	for (const struct launcher *l = launchers; l < launchers + N_LAUNCHERS; l++)
		if (any ? !!s->look(l->sign) :
			  strlen(l->name) == len && !strncmp(l->name, ranks, len))
			return l;
	return NULL;
}

static int refuse(const char *ranks)
{
	char names[256] = "";

	if (strcmp(ranks, "auto"))
		return err_refuse("--ranks", "allowed: auto, openmpi, pmi, slurm, k8s:SIZE, RANK/SIZE",
				  "\"%.40s\"", ranks);
	for (size_t i = 0; i < N_LAUNCHERS; i++)
		if (!strstr(names, launchers[i].rank))
			text_add(names, sizeof(names), ", ", "%s", launchers[i].rank);
	return err_set(-EINVAL, "no launcher has started this process: none of %s is set; start it by srun or mpirun, or give --ranks RANK/SIZE --join HOST:PORT",
		       names);
}

static int read_launcher(const struct source *s, const char *ranks)
{
	const struct launcher *l = find(ranks, s);
	int rc;

	if (!l)
		return refuse(ranks);
	s->r->launcher = l->name;
	rc = read_variable(&s->r->rank, s, l->rank);
	if (!rc)
		rc = read_size(s->r, l, s, ranks);
	if (!rc && l->root && !s->join)
		rc = l->root(s);
	return rc ? err_wrap(rc, "--ranks %.40s", ranks) : 0;
}

/* "3/16". False: it is not of this form. */
static bool read_hand(struct mesh_rank *r, const char *ranks)
{
	const char *end;

	r->launcher = "hand";
	return read_number(&r->rank, ranks, &end) && *end == '/' &&
	       read_number(&r->size, end + 1, &end) && !*end;
}

static bool is_file(const char *join)
{
	return join && strchr(join, '/');
}

static int check(const struct mesh_rank *r, const char *join)
{
	if (r->size < 2 || r->size > MESH_NODES_MAX)
		return err_set(-EINVAL, "a mesh of %u node%s; allowed: 2..%u", r->size,
			       text_plural(r->size), MESH_NODES_MAX);
	if (r->rank >= r->size)
		return err_set(-EINVAL, "rank %u of %u; allowed: 0..%u", r->rank, r->size,
			       r->size - 1);
	if (!r->root[0] && !is_file(join))
		return err_set(-EINVAL, "it is not known where rank 0 is: give --join HOST:PORT, or --join FILE");
	return 0;
}

static int take_join(struct mesh_rank *r, const char *join)
{
	const bool file = is_file(join);
	struct hosts_one one;
	int rc = join && !file ? hosts_parse(&one, join, 0) : 0;

	if (join && !rc)
		snprintf(r->root, sizeof(r->root), "%s", file ? "" : join);
	return rc ? err_wrap(rc, "--join") : 0;
}

int mesh_rank_read(struct mesh_rank *r, const char *ranks, const char *join,
		   const char *(*look)(const char *name))
{
	const struct source s = { look, join, r };
	bool hand;
	int rc;

	*r = (struct mesh_rank){ .rank = 0 };
	hand = read_hand(r, ranks);
	rc = hand ? 0 : read_launcher(&s, ranks);
	if (!rc)
		rc = take_join(r, join);
	if (rc)
		return rc;
	rc = check(r, join);
	return rc ? err_wrap(rc, "--ranks %.40s", hand ? ranks : r->launcher) : 0;
}

/* ---- lists of hosts */

/* Without the port that an item of a list may have. "n1.site" is "n1", if one has no domain. */
static bool is_same(const char *item, const char *own)
{
	const size_t len = strcspn(item, ":"), first = strcspn(item, ":.");
	const size_t own_len = strlen(own), own_first = strcspn(own, ".");

	if (len == own_len && !strncmp(item, own, len))
		return true;
	return (first == len || own_first == own_len) && first == own_first &&
	       !strncmp(item, own, first);
}

uint32_t mesh_rank_find(const struct node_list *hosts, const char *own)
{
	uint32_t i = 0;

	while (i < hosts->n && !is_same(hosts->names[i], own))
		i++;
	return i;
}

int mesh_rank_hosts(struct mesh_rank *r, const struct node_list *hosts, const char *own,
		    const char *join)
{
	int rc;

	*r = (struct mesh_rank){ .rank = mesh_rank_find(hosts, own), .size = hosts->n,
				 .launcher = "hosts" };
	if (r->rank == hosts->n)
		return err_set(-EINVAL, "--hosts: none of the %u is this host, \"%.60s\"; --name says what it is called there",
			       hosts->n, own);
	snprintf(r->root, sizeof(r->root), "%s", hosts->names[0]);
	rc = take_join(r, join);
	if (rc)
		return rc;
	rc = check(r, join);
	return rc ? err_wrap(rc, "--hosts") : 0;
}
