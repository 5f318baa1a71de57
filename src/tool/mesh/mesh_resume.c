/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns --resume: is the file of the same run, and what becomes of its rows; see mesh_resume.h. */
#include "config.h"
#include "mesh/mesh_resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/out_path.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/text.h"

/* ---- the command line */

int mesh_resume_options(struct cfg *cfg)
{
	if (!strcmp(cfg->resume, "-"))
		return err_option(-EINVAL, "--resume", "-: it needs a FILE, which is read twice");
	if (cfg->dry_run)
		return err_set(-EINVAL, "--resume excludes --dry-run: which rows are those of a pair of this run is known when all nodes are there");
	if (!cfg->csv && !cfg->jsonl && !cfg->json)
		cfg->csv = cfg->resume;
	return 0;
}

/* -errno with an error message. 1: they are one file. */
static int is_same(const char *a, const char *b)
{
	struct out_path one, other = { .path = NULL };
	int rc = out_path_find(&one, a);

	if (!rc && b && strcmp(b, "-"))
		rc = out_path_find(&other, b);
	if (!rc && other.path)
		rc = out_path_same(&one, &other);
	out_path_free(&one);
	out_path_free(&other);
	return rc;
}

/* Which of the outputs adds to the file. */
static int find_held(struct mesh_resume *r)
{
	const struct cfg *cfg = &r->mesh->cfg;
	const size_t lines[] = { OUTPUT_csv, OUTPUT_jsonl };
	int rc = is_same(cfg->resume, cfg->json);

	if (rc > 0)
		return err_set(-EINVAL, "--resume and --json name %s: a document is written at the end, so its rows would be lost if this run is cut; give another file",
			       cfg->json);
	r->held = OUTPUT_N;
	for (size_t i = 0; i < 2 && !rc; i++) {
		rc = is_same(cfg->resume, output_path(lines[i], cfg));
		if (rc > 0)
			r->held = lines[i];
		rc = rc > 0 ? 0 : rc;
	}
	if (!rc && r->held != OUTPUT_N && (cfg->csv_new || cfg->force))
		return err_set(-EINVAL, "--resume goes on with %s, and %s starts it over: only one of them is allowed",
			       cfg->resume, cfg->csv_new ? "--csv-new" : "--force");
	return rc;
}

/* ---- the run of the file */

static int compare_runs(const struct mesh_resume *r, uint32_t row, const char *own)
{
	const char *path = r->mesh->cfg.resume;
	const char *is = rows_text(&r->rows, ROWS_mesh_run, row, NULL);
	const char *cell = rows_text(&r->rows, ROWS_cell, row, NULL);

	if (!*is)
		return err_set(-EINVAL, "--resume: %s, row %u: no row of verbench mesh", path, row + 1);
	/* the parts of mesh_run_name(): the first that differs */
	while (*is && *own) {
		const int n = (int)strcspn(is, ","), m = (int)strcspn(own, ",");

		if (n != m || strncmp(is, own, (size_t)n))
			break;
		is += n + strspn(is + n, ", ");
		own += m + strspn(own + m, ", ");
	}
	/* the last part says nothing to people */
	if (strchr(own, ','))
		return err_set(-EINVAL, "--resume: %s is of another run: it has \"%.*s\", and this one has \"%.*s\"",
			       path, (int)strcspn(is, ","), is, (int)strcspn(own, ","), own);
	if (mesh_resume_cell(r, cell) == r->mesh->cells.n)
		return err_set(-EINVAL, "--resume: %s is of another run: it has \"%.200s\", and this one has not; its first cell is \"%.200s\"",
			       path, cell, r->cells[0]);
	return *is || *own ? err_set(-EINVAL, "--resume: %s is of another run: it has fewer or more cells than this one, or another schedule",
				     path) : 0;
}

static int check_runs(const struct mesh_resume *r)
{
	char own[ROW_RUN];
	int rc = 0;

	mesh_run_name(r->mesh, own);
	for (uint32_t i = 0; i < r->rows.n && !rc; i++)
		rc = compare_runs(r, i, own);
	return rc;
}

static int load(struct mesh_resume *r)
{
	const char *path = r->mesh->cfg.resume;
	struct rows_query query = { .paths = &path, .n_paths = 1, .intervals = true };
	const enum rows_column columns[] = {
		ROWS_mesh_run, ROWS_mesh_round, ROWS_mesh_attempt, ROWS_pair, ROWS_cell, ROWS_kind,
		ROWS_device, ROWS_peer_device,
		ROWS_status, ROWS_size_bytes,
	};
	struct out_path file;
	bool any;
	int rc = out_path_find(&file, path);

	any = !rc && file.exists && (!S_ISREG(file.st.st_mode) || file.st.st_size);
	if (any && !S_ISREG(file.st.st_mode))
		rc = err_set(-EINVAL, "--resume: %s is no regular file", path);
	out_path_free(&file);
	if (!rc && !any)
		log_note("%s has no rows: all pairs are measured", path);
	if (rc || !any)
		return rc;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		query.as[columns[i]] = ROWS_WORDS;
	rc = rows_load(&r->rows, &query);
	if (!rc && r->rows.heads > 1)
		rc = err_set(-EINVAL, "--resume: %s has %zu lines of names, not one", path,
			     r->rows.heads);
	return rc ? rc : check_runs(r);
}

/* As rows have them. */
static void name_cells(struct mesh_resume *r)
{
	r->cells = must_calloc(r->mesh->cells.n, sizeof(*r->cells));
	for (uint32_t i = 0; i < r->mesh->cells.n; i++) {
		struct cell cell;

		cells_get(&r->mesh->cells, i, &cell);
		r->cells[i] = cell.text;
		r->cell_has_size = cells_axis(&cell.part->axes, CFG_ROW_size_bytes);
		if (strlen(cell.text) >= ROW_TEXT)
			cell.text[ROW_TEXT - 1] = '\0';
	}
}

int mesh_resume_open(struct mesh_resume **resume, const struct mesh *mesh)
{
	struct mesh_resume *r = must_calloc(1, sizeof(*r));
	int rc;

	*resume = r;
	r->mesh = mesh;
	name_cells(r);
	rc = find_held(r);
	return rc ? rc : load(r);
}

void mesh_resume_close(struct mesh_resume *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->mesh->cells.n; i++)
		free(r->cells[i]);
	free(r->cells);
	free(r->keys);
	free(r->done);
	rows_free(&r->rows);
	free(r);
}

void mesh_run_name(const struct mesh *mesh, char text[ROW_RUN])
{
	snprintf(text, ROW_RUN, "%u nodes, %.40s%s%s%s, seed %u, %016llx",
		 mesh->rank.size, mesh->ask.file ? "file" : mesh->cfg.schedule,
		 mesh->cfg.victim ? " with a victim" : "",
		 mesh->cfg.rails ? " on rails: " : "",
		 mesh->cfg.rails ? choices_rails[mesh->cfg.rails] : "", mesh->cfg.seed,
		 (unsigned long long)mesh_fingerprint(mesh));
}

/* ---- its rows */

struct taking {
	struct mesh_resume *r;
	struct mesh_root *root;
	uint32_t row, n;       /* the next row; those that are taken over */
	uint64_t last;         /* key */
	int rc;
};

static int end_cell(struct taking *t)
{
	return output_take(&t->root->results.output, &(struct event){ .kind = EVENT_CELL_END });
}

static void take(void *arg, const struct row *row)
{
	struct taking *t = arg;
	struct mesh_resume *r = t->r;
	const uint64_t key = t->row < r->rows.n ? r->keys[t->row] : MESH_NOT_TAKEN;
	struct mesh_place place, last;

	t->row++;
	if (key == MESH_NOT_TAKEN || t->rc)
		return;
	place = mesh_resume_place(r->mesh, key);
	last = mesh_resume_place(r->mesh, t->n ? t->last : key);
	if (place.cell != last.cell || place.round != last.round)
		t->rc = end_cell(t);
	t->last = key;
	t->n++;
	output_take_others(&t->root->results.output, r->held,
			   &(struct event){ EVENT_ROW, .row = row });
	results_earlier(&t->root->results, row);
	mesh_rows_taken(t->root, row, &place);
}

/* ---- what is taken out of the file */

static int change(void *arg, char *text, size_t *len)
{
	struct mesh_resume *r = arg;
	char *to = text, *end = text + *len, *next;
	const size_t heads = r->rows.heads, before = *len;
	size_t line = 0;

	for (char *at = text; (next = memchr(at, '\n', (size_t)(end - at))); at = next, line++) {
		next++;
		if (line >= heads + r->rows.n)
			return err_set(-EBUSY, "%s: another program adds rows to it",
				       r->mesh->cfg.resume);
		if (line >= heads && r->keys[line - heads] == MESH_NOT_TAKEN)
			continue;
		memmove(to, at, (size_t)(next - at));
		to += next - at;
	}
	*len = (size_t)(to - text);
	return *len < before;
}

static int clean(struct mesh_resume *r)
{
	const struct out_edit edit = { "rows", r->mesh->cfg.resume, change, r };

	return r->held == OUTPUT_N ? 0 : out_edit(&edit);
}

int mesh_resume_take(struct mesh_root *root)
{
	struct mesh_resume *r = root->mesh->resume;
	struct taking t = { .r = r, .root = root };
	int rc;

	if (!r || !r->rows.n)
		return 0;
	root->results.cell_has_size = r->cell_has_size;
	rc = mesh_resume_choose(r, root);
	if (!rc)
		rc = rows_row_each(root->mesh->cfg.resume, take, &t);
	if (!rc)
		rc = t.rc ? t.rc : end_cell(&t);
	/* a file that is lost is never that from which rows come */
	if (!rc)
		rc = clean(r);
	if (!rc)
		log_note("%s: %u of %zu rows are taken over", root->mesh->cfg.resume, t.n,
			 r->rows.n);
	return rc;
}
