/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the syntax of a .bench file; see bench_file.h. Called by folder run. Must not measure. */
#include "config.h"
#include "sweep/bench_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/label.h"
#include "util/err.h"
#include "util/text.h"

#define BLANKS " \t\r\n"
#define DEPTH_MAX 8       /* of includes */
#define ROUNDS_MAX 10000
#define LINE_BYTES 65536  /* of a file that is no scenario, a line can be anything */

/* A file that is read. */
struct reader {
	struct bench *bench;
	const char *path;
	uint32_t line;
	int depth;
	int (*read)(struct reader *r); /* a whole file: read_file() */
};

/* The error message of this thread, after file and line. */
static int at_line(const struct reader *r, int rc)
{
	return err_set(rc, "%s:%u: %.400s", r->path, r->line, err_text());
}

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for a scenario");
}

/* ---- words */

/* A word of text as in a shell: '...' stands for what is in it. *end: what follows. */
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
	char *word = malloc(strlen(text) + 1);
	int rc = word ? 0 : no_memory();

	text += strspn(text, BLANKS);
	while (!rc && *text && *text != '#') {
		rc = next_word(text, &text, word);
		if (!rc)
			rc = list_add(words, word);
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
	*to = strdup(text);
	return *to ? 0 : no_memory();
}

static int add_text(char **to, const char *text)
{
	char *more = NULL;

	if (asprintf(&more, "%s%s%s", *to ? *to : "", *to ? " " : "", text) < 0)
		return no_memory();
	free(*to);
	*to = more;
	return 0;
}

static int not_here(const struct cfg *cfg, enum cfg_row row)
{
	char label[LABEL_MAX];

	return err_set(-EINVAL, "%s is an option of the command line, not of a scenario",
		       label_row(cfg, row, label));
}

/* What a file cannot know: hosts, devices, outputs, and what is about the whole command. */
static int check_given(const struct cfg *cfg)
{
	if (cfg->n_hosts)
		return err_set(-EINVAL, "\"%s\" is no option: hosts are on the command line",
			       cfg->hosts[0]);
	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (!cfg->given.rows[i] || i == CFG_ROW_tests || f->flags & FIELD_ALIAS)
			continue;
		if (axes_is_outside((enum cfg_row)i) || !options_takes(f, OPTIONS_TEST))
			return not_here(cfg, (enum cfg_row)i);
	}
	return 0;
}

static int check_line(const struct axes *axes, const struct axes_line *line)
{
	struct cfg cfg = { .test = TEST_SEND_BW };
	int rc = options_parse(&cfg, OPTIONS_RUN, line->argc, line->argv);

	if (!rc)
		rc = check_given(&cfg);
	if (!rc && !axes_find(axes, CFG_ROW_tests))
		rc = err_set(-EINVAL, "no test is given: --test send_bw,write_lat,...");
	return rc;
}

/* Takes the axes. */
static int add_run(struct bench *bench, struct axes *axes)
{
	struct axes *runs = realloc(bench->runs, sizeof(*runs) * ((size_t)bench->n_runs + 1));

	if (!runs) {
		axes_free(axes);
		return no_memory();
	}
	runs[bench->n_runs++] = *axes;
	bench->runs = runs;
	return 0;
}

static int take_run(struct reader *r, const char *text)
{
	struct list words = { .n = 0 };
	struct axes_line line = { .argc = 0 };
	struct axes axes = { .n = 0 };
	int rc = list_add(&words, "run");

	if (!rc)
		rc = read_words(&words, text);
	if (!rc)
		rc = axes_read(&axes, &line, (int)words.n, words.words);
	if (!rc)
		rc = check_line(&axes, &line);
	list_free(&words);
	axes_line_free(&line);
	if (!rc)
		return add_run(r->bench, &axes);
	axes_free(&axes);
	return rc;
}

/* The matrices of another scenario; its texts are not of this one. */
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
	for (uint32_t i = 0; i < other.n_runs && !rc; i++) {
		rc = add_run(r->bench, &other.runs[i]);
		other.runs[i] = (struct axes){ .n = 0 };
	}
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

/* The one operand is the file, which is not known yet; beside --help there is none at all. */
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

/* Options of the report of one file. */
static int check_report(const struct list *words)
{
	char command[] = "report", file[] = "FILE";
	char **argv = calloc((size_t)words->n + 3, sizeof(*argv));
	struct cfg cfg = { .n_files = 0 };
	int rc;

	if (!argv)
		return no_memory();
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

static const struct {
	const char *name;
	int (*take)(struct reader *r, const char *text);
} keywords[] = {
	{ "title", take_title },   { "question", take_question }, { "expect", take_expect },
	{ "run", take_run },       { "include", take_include },   { "rounds", take_rounds },
	{ "report", take_report },
};

#define N_KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

/* A line without its end. */
static int take_line(struct reader *r, char *line)
{
	char shown[41];
	size_t len;

	line += strspn(line, BLANKS);
	for (len = strlen(line); len && strchr(BLANKS, line[len - 1]); len--)
		line[len - 1] = '\0';
	if (!*line || *line == '#')
		return 0;
	len = strcspn(line, BLANKS);
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
	return err_set(-EINVAL, "\"%s\" is no keyword; allowed: title, question, expect, run, include, rounds, report",
		       text_clean(line, shown, sizeof(shown)));
}

static int read_lines(struct reader *r, FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = 0;

	errno = 0;
	while (!rc && (len = getline(&line, &size, in)) >= 0) {
		r->line++;
		if (len > LINE_BYTES || strlen(line) != (size_t)len)
			rc = err_set(-EINVAL, "the line is longer than %d bytes, or has a zero byte: this is no .bench file",
				     LINE_BYTES);
		else
			rc = take_line(r, line);
		if (rc)
			at_line(r, rc);
		errno = 0;
	}
	if (!rc && errno)
		rc = err_set(-errno, "read %s: %s", r->path, strerror(errno));
	free(line);
	return rc;
}

static int read_file(struct reader *r)
{
	FILE *in = fopen(r->path, "re");
	int rc;

	if (!in)
		return err_set(-errno, "read the scenario %s: %s", r->path, strerror(errno));
	rc = read_lines(r, in);
	fclose(in);
	if (!rc && !r->bench->n_runs)
		rc = err_set(-EINVAL, "%s: the scenario has no line with run or include", r->path);
	return rc;
}

/* "size-sweep" of "bench/size-sweep.bench". NULL: no memory. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);
	char *dot = name ? strrchr(name, '.') : NULL;

	if (dot && dot != name)
		*dot = '\0';
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

	*bench = (struct bench){ .name = name_of(path), .path = strdup(path) };
	rc = bench->name && bench->path ? read_file(&r) : no_memory();
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
		axes_free(&bench->runs[i]);
	free(bench->runs);
	list_free(&bench->report);
	free(bench->name);
	free(bench->path);
	free(bench->title);
	free(bench->question);
	free(bench->expect);
	*bench = (struct bench){ .n_runs = 0 };
}
