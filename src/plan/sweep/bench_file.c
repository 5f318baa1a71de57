/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Finds .bench files, and reads them. Measures nothing. */
#include "config.h"
#include "sweep/bench_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/input.h"
#include "options/label.h"
#include "util/err.h"
#include "util/text.h"
#include "util/must.h"

#define SUFFIX ".bench"
#define BLANKS " \t\r\n"
#define DEPTH_MAX 8       /* of includes */
#define ROUNDS_MAX 10000
#define RUNS_MAX 1000     /* of a scenario, with those that it includes */

/* The state of reading a file. */
struct reader {
	struct bench *bench;
	const char *path;
	int depth;
	int (*read)(struct reader *r); /* reads a whole file: read_file() */
};

/* ---- words */

/* A word of text as in a shell: '...' quotes its content. *end: the text after it. */
static int next_word(const char *text, const char **end, char *word)
{
	while (*text && !strchr(BLANKS, *text)) {
		const char *quote = *text == '\'' ? strchr(text + 1, '\'') : text;

		if (!quote)
			return err_set(-EINVAL, "a quote (') is not closed");
		if (*text != '\'') {
			*word++ = *text++;
			continue;
		}
		memcpy(word, text + 1, (size_t)(quote - text - 1));
		word += quote - text - 1;
		text = quote + 1;
	}
	*word = '\0';
	*end = text;
	return 0;
}

/* The words up to the end, or to one that begins with '#'. */
static int read_words(struct list *words, const char *text)
{
	char *word = must_calloc(strlen(text) + 1, 1);
	int rc = 0;

	text += strspn(text, BLANKS);
	while (!rc && *text && *text != '#') {
		rc = next_word(text, &text, word);
		if (!rc)
			list_add(words, word, 0);
		text += strspn(text, BLANKS);
	}
	free(word);
	return rc;
}

/* ---- keywords */

static int set_text(char **to, const char *text)
{
	if (*to)
		return err_set(-EINVAL, "the keyword is given twice");
	*to = must_strdup(text);
	return 0;
}

static int add_text(char **to, const char *text)
{
	must_appendf(to, "%s%s", *to ? " " : "", text);
	return 0;
}

static int not_here(const struct cfg *cfg, enum cfg_row row)
{
	char label[LABEL_MAX];

	return err_set(-EINVAL, "%s is an option of the command line, not of a scenario",
		       label_row(cfg, row, label));
}

/* Options that a file cannot contain: hosts, devices, outputs, and those of the whole command. */
static int check_given(const struct cfg *cfg)
{
	if (cfg->n_hosts)
		return err_set(-EINVAL, "\"%s\" is no option: hosts are on the command line",
			       cfg->hosts[0]);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (!cfg->given.rows[i] || i == CFG_ROW_tests || f->flags & FIELD_ALIAS)
			continue;
		if (cells_is_outside((enum cfg_row)i) || !options_takes(f, OPTIONS_TEST))
			return not_here(cfg, (enum cfg_row)i);
	}
	return 0;
}

/* Takes over the axes. -EINVAL: there are too many. */
static int add_run(struct bench *bench, struct axes *axes)
{
	if (bench->n_runs == RUNS_MAX)
		return err_set(-EINVAL, "more than %d lines with run, with those of include; lists (--size 64,4k) make one line of many",
			       RUNS_MAX);
	bench->runs = must_realloc(bench->runs, (size_t)bench->n_runs + 1, sizeof(*bench->runs));
	bench->runs[bench->n_runs++] = *axes;
	*axes = (struct axes){ .n = 0 };
	return 0;
}

static int take_run(struct reader *r, const char *text)
{
	struct list words = { .n = 0 };
	struct cfg cfg = { .test = TEST_SEND_BW };
	struct axes axes = { .n = 0 };
	const struct options_lists lists = cells_lists(&axes);
	struct options_faults faults;
	int rc;

	list_add(&words, "run", 0);
	rc = read_words(&words, text);
	if (!rc)
		rc = options_parse_all(&cfg, OPTIONS_RUN,
				       &(struct options_line){ (int)words.n, words.words, &lists },
				       &faults);
	if (!rc && faults.needless.n)
		rc = err_set(-EINVAL, "%s", faults.needless.text);
	if (!rc)
		rc = check_given(&cfg);
	if (!rc && !cells_axis(&axes, CFG_ROW_tests))
		rc = err_set(-EINVAL, "no test is given: --test send_bw,write_lat,...");
	list_free(&words);
	if (!rc)
		rc = add_run(r->bench, &axes);
	cells_axes_free(&axes);
	return rc;
}

/* The matrices of another scenario; its texts are ignored. */
static int take_include(struct reader *r, const char *text)
{
	struct bench other = { .rounds = 0 };
	struct reader in = { .bench = &other, .depth = r->depth + 1, .read = r->read };
	char *path;
	int rc = in.depth > DEPTH_MAX ?
			 err_set(-EINVAL, "scenarios include each other, or more than %d deep",
				 DEPTH_MAX) : bench_find(text, &path);

	if (rc)
		return rc;
	in.path = path;
	rc = in.read(&in);
	if (!rc && other.rounds > 1)
		rc = err_set(-EINVAL, "\"%s\" has rounds, and include takes only its matrices: write rounds in this file",
			     text);
	for (uint32_t i = 0; i < other.n_runs && !rc; i++)
		rc = add_run(r->bench, &other.runs[i]);
	bench_free(&other);
	free(path);
	return rc;
}

static int take_rounds(struct reader *r, const char *text)
{
	char *end;
	const long n = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;

	if (r->bench->rounds)
		return err_set(-EINVAL, "the keyword is given twice");
	if (n < 1 || n > ROUNDS_MAX || *end)
		return err_set(-EINVAL, "rounds \"%.40s\": allowed: 1..%d", text, ROUNDS_MAX);
	r->bench->rounds = (uint32_t)n;
	return 0;
}

static int take_title(struct reader *r, const char *text)
{
	return set_text(&r->bench->title, text);
}

static int take_question(struct reader *r, const char *text)
{
	return add_text(&r->bench->question, text);
}

static int take_expect(struct reader *r, const char *text)
{
	return add_text(&r->bench->expect, text);
}

/* The only operand is the file, which is not known yet; with --help there is none. */
static int check_operands(const struct cfg *cfg)
{
	static const enum cfg_row instead[] = { CFG_ROW_help, CFG_ROW_help_all, CFG_ROW_version };

	for (size_t i = 0; i < sizeof(instead) / sizeof(instead[0]); i++) {
		if (cfg->given.rows[instead[i]])
			return not_here(cfg, instead[i]);
	}
	if (cfg->n_files != 1)
		return err_set(-EINVAL, "\"%s\" is no option: the file is not known yet", cfg->files[0]);
	return 0;
}

/* Options for the report of one file. */
static int check_report(const struct list *words)
{
	char command[] = "report", file[] = "FILE";
	char **argv = must_calloc((size_t)words->n + 3, sizeof(*argv));
	struct cfg cfg = { .n_files = 0 };
	int rc;

	argv[0] = command;
	for (uint32_t i = 0; i < words->n; i++)
		argv[i + 1] = words->words[i];
	argv[words->n + 1] = file;
	rc = options_parse(&cfg, OPTIONS_REPORT, (int)words->n + 2, argv);
	if (!rc)
		rc = check_operands(&cfg);
	free(argv);
	return rc;
}

static int take_report(struct reader *r, const char *text)
{
	int rc = r->bench->report.n ? err_set(-EINVAL, "the keyword is given twice") :
				      read_words(&r->bench->report, text);

	return rc ? rc : check_report(&r->bench->report);
}

static int take_norm(struct reader *r, const char *text)
{
	return set_text(&r->bench->norm, text);
}

/* A part up to "|" or the end, without the blanks around it. *text: behind it. Owned. */
static char *clause_part(const char **text)
{
	const char *begin = *text + strspn(*text, BLANKS);
	size_t len = strcspn(begin, "|");
	char *part = NULL;

	*text = begin + len + (begin[len] == '|');
	while (len && strchr(BLANKS, begin[len - 1]))
		len--;
	must_appendf(&part, "%.*s", (int)len, begin);
	return part;
}

static int take_clause(struct reader *r, const char *text)
{
	struct bench *bench = r->bench;
	struct bench_clause c = { .number = clause_part(&text) };

	c.text = clause_part(&text);
	c.rules = clause_part(&text);
	bench->clauses = must_realloc(bench->clauses, (size_t)bench->n_clauses + 1, sizeof(c));
	bench->clauses[bench->n_clauses++] = c;
	if (!*c.number || !*c.text || !*c.rules || *text)
		return err_set(-EINVAL, "clause needs three parts: NUMBER | what it asks for | rules, or - and why it is not done");
	if (*c.rules == '-') {
		bench->clauses[bench->n_clauses - 1].why =
			must_strdup(c.rules + 1 + strspn(c.rules + 1, BLANKS));
		bench->clauses[bench->n_clauses - 1].rules = NULL;
		free(c.rules);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct reader *r, const char *text);
} keywords[] = {
	{ "title", take_title },   { "question", take_question }, { "expect", take_expect },
	{ "run", take_run },       { "include", take_include },   { "rounds", take_rounds },
	{ "report", take_report }, { "norm", take_norm },         { "clause", take_clause },
};

#define N_KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

static int take_line(struct reader *r, char *line)
{
	const size_t len = strcspn(line, BLANKS);
	char shown[41];

	for (size_t i = 0; i < N_KEYWORDS; i++) {
		char *text = line + len;

		if (strlen(keywords[i].name) != len || strncmp(line, keywords[i].name, len))
			continue;
		text += strspn(text, BLANKS);
		if (!*text)
			return err_set(-EINVAL, "%s needs a text after it", keywords[i].name);
		return keywords[i].take(r, text);
	}
	line[len] = '\0';
	return err_set(-EINVAL, "\"%s\" is no keyword; allowed: title, question, expect, run, include, rounds, report, norm, clause",
		       text_clean(line, shown, sizeof(shown)));
}

static int read_file(struct reader *r)
{
	struct input in;
	char *line;
	int rc = input_open_regular(&in, r->path, INPUT_SETTINGS_MAX);

	if (rc)
		return rc;
	while (!rc && (line = input_setting(&in))) {
		rc = take_line(r, line);
		if (rc)
			err_wrap(rc, "%s:%zu", r->path, in.line);
	}
	if (!rc)
		rc = in.rc;
	input_close(&in);
	if (!rc && !r->bench->n_runs)
		rc = err_set(-EINVAL, "%s: the scenario has no line with run or include", r->path);
	return rc;
}

/* "size-sweep" of "bench/size-sweep.bench" */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = must_strdup(slash ? slash + 1 : path);
	char *dot = strrchr(name, '.');

	if (dot && dot != name)
		*dot = '\0';
	text_shown(name, strlen(name));
	return name;
}

static int check_texts(const struct bench *bench)
{
	if (bench->title && bench->question)
		return 0;
	return err_set(-EINVAL, "%s: the scenario has no %s", bench->path,
		       bench->title ? "question" : "title");
}

int bench_read(struct bench *bench, const char *path)
{
	struct reader r = { .bench = bench, .path = path, .read = read_file };
	int rc;

	*bench = (struct bench){ .name = name_of(path), .path = must_strdup(path) };
	rc = read_file(&r);
	if (!rc)
		rc = check_texts(bench);
	if (!rc && !bench->rounds)
		bench->rounds = 1;
	if (rc)
		bench_free(bench);
	return rc;
}

void bench_free(struct bench *bench)
{
	for (uint32_t i = 0; i < bench->n_runs; i++)
		cells_axes_free(&bench->runs[i]);
	free(bench->runs);
	list_free(&bench->report);
	free(bench->name);
	free(bench->path);
	free(bench->title);
	free(bench->question);
	free(bench->expect);
	free(bench->norm);
	for (uint32_t i = 0; i < bench->n_clauses; i++) {
		free(bench->clauses[i].number);
		free(bench->clauses[i].text);
		free(bench->clauses[i].rules);
		free(bench->clauses[i].why);
	}
	free(bench->clauses);
	*bench = (struct bench){ .n_runs = 0 };
}

/* ---- the folder */

static bool ends_in(const char *text, const char *suffix)
{
	const size_t len = strlen(text), n = strlen(suffix);

	return len > n && !strcmp(text + len - n, suffix);
}

/* Beside the program in a build tree, in share beside its bin, else the configured folder. */
static const char *folder(char path[PATH_MAX])
{
	static const char *const places[] = { "", "/../share/" PACKAGE_TARNAME };
	const char *own = getenv(BENCH_ENV);
	char self[PATH_MAX / 2];
	ssize_t len;

	if (own && *own)
		return own;
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		self[len] = '\0';
		snprintf(path, PATH_MAX, "%.*s%s/bench", (int)(strrchr(self, '/') - self), self,
			 places[i]);
		if (!access(path, R_OK | X_OK))
			return path;
	}
	return BENCH_FOLDER;
}

int bench_find(const char *name, char **path)
{
	char text[PATH_MAX];
	struct nearest n;
	const char *dir;

	*path = NULL;
	if (strchr(name, '/') || ends_in(name, SUFFIX)) {
		*path = must_strdup(name);
		return 0;
	}
	dir = folder(text);
	must_appendf(path, "%s/%s" SUFFIX, dir, name);
	if (!access(*path, F_OK))
		return 0;
	free(*path);
	*path = NULL;
	return err_set(-ENOENT, "\"%s\" is no scenario: there is no %s" SUFFIX " in %s%s", name, name,
		       dir, bench_meant(&n, name, "; \"verbench run --list\" lists them"));
}

const char *bench_meant(struct nearest *n, const char *name, const char *otherwise)
{
	struct list names;

	*n = nearest_to(name, strlen(name));
	if (bench_names(&names)) {
		err_clear();
		return otherwise;
	}
	for (uint32_t i = 0; i < names.n; i++)
		nearest_try(n, names.words[i]);
	list_free(&names);
	return nearest_hint(n, "", otherwise);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int bench_names(struct list *names)
{
	char text[PATH_MAX];
	const char *dir = folder(text);
	DIR *d = opendir(dir);
	struct dirent *entry;

	*names = (struct list){ .n = 0 };
	if (!d)
		return err_set(-errno, "cannot read the scenarios in %s: %s", dir, strerror(errno));
	while ((entry = readdir(d))) {
		if (!ends_in(entry->d_name, SUFFIX))
			continue;
		entry->d_name[strlen(entry->d_name) - strlen(SUFFIX)] = '\0';
		list_add(names, entry->d_name, 0);
	}
	closedir(d);
	if (names->n)
		qsort(names->words, names->n, sizeof(*names->words), compare);
	return 0;
}
