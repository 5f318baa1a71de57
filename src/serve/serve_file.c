/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the syntax of the configuration file; see serve_file.h. Called by serve. */
#include "config.h"
#include "serve/serve_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "access/trusted.h"
#include "config/label.h"
#include "config/options.h"
#include "config/options_scan.h"
#include "read/input.h"
#include "util/err.h"

/* A line, without blanks around its parts. */
struct setting {
	char *name, *value;
};

/* Where the file is read. */
struct reader {
	struct serve_file *file;
	struct cfg *cfg;
	struct input in;
	bool set[CFG_OPTIONS]; /* by a line before */
};

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

static void cut_comment(char *line)
{
	for (char *p = line; *p; p++)
		if (*p == '#' && (p == line || isblank((unsigned char)p[-1]))) {
			*p = '\0';
			return;
		}
}

/* The error message so far, after the place in the file. */
static int at_line(const struct reader *r, int rc)
{
	char text[ERR_TEXT_MAX];

	strcpy(text, err_text());
	return err_set(rc, "%.200s:%zu: %.700s", r->in.path, r->in.line, text);
}

/* Options that the file cannot have: they print, or name the file. */
static bool is_allowed(const struct field *row)
{
	return row->commands && options_takes(row, OPTIONS_SERVE) && !(row->flags & FIELD_ALIAS) &&
	       row->off != offsetof(struct cfg, config);
}

static const struct field *find(const char *name)
{
	char own[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *row = &options_table.rows[i];

		if (is_allowed(row) &&
		    options_same_name(field_option(row, own, sizeof(own)), name, strlen(name)))
			return row;
	}
	return NULL;
}

static int refuse_name(const char *name)
{
	char nearest[LABEL_MAX];
	const char *meant = options_nearest(name, strlen(name), OPTIONS_SERVE, nearest);

	if (meant && find(meant))
		return err_set(-EINVAL, "\"%.64s\" is not an option of a server; did you mean %s?",
			       name, meant);
	return err_set(-EINVAL, "\"%.64s\" is not an option of a server", name);
}

static int set_switch(const struct field *row, struct cfg *cfg, const char *name, const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return err_set(-EINVAL, "%s \"%.64s\": allowed: yes, no", name, value);
	field_set_integer(row, cfg, !strcmp(value, "yes"));
	return 0;
}

/* cfg borrows the value. */
static char *keep(struct serve_file *file, const char *value)
{
	char **more = realloc(file->values, (file->n + 1) * sizeof(*more));
	char *copy = more ? strdup(value) : NULL;

	if (more)
		file->values = more;
	if (copy)
		file->values[file->n++] = copy;
	return copy;
}

static int take(struct reader *r, const struct setting *s)
{
	const struct field *row = find(s->name);
	struct cfg ignored = *r->cfg, *cfg = r->cfg;
	struct field named;
	char *value;
	size_t i;

	if (!row)
		return refuse_name(s->name);
	i = (size_t)(row - options_table.rows);
	if (r->set[i])
		return err_set(-EINVAL, "%s is set twice", s->name);
	r->set[i] = true;
	/* that of the command line wins */
	if (cfg->given.rows[i])
		cfg = &ignored;
	cfg->given.rows[i] = true;
	if (row->type == FIELD_BOOL)
		return set_switch(row, cfg, s->name, s->value);
	value = keep(r->file, s->value);
	if (!value)
		return err_set(-ENOMEM, "no memory for the value of %s", s->name);
	named = *row;
	named.label = s->name;
	return field_parse(&named, cfg, value);
}

static int take_line(struct reader *r, char *line)
{
	struct setting s;
	char *equals;

	cut_comment(line);
	s.name = trim(line);
	if (!s.name[0])
		return 0;
	equals = strchr(s.name, '=');
	if (!equals)
		return err_set(-EINVAL, "\"%.64s\" is not \"option = value\"", s.name);
	*equals = '\0';
	s.name = trim(s.name);
	s.value = trim(equals + 1);
	return take(r, &s);
}

/* Whoever can write the file says who may ask, and where the audit goes. */
static int check_file(const struct input *in)
{
	const struct trusted config = {
		.label = "", .path = in->path, .none = 022, .harm = "write to it", .chmod = "go-w",
		.advice = "",
	};

	return trusted_check(in->fd, &config);
}

int serve_file_read(struct serve_file *file, struct cfg *cfg)
{
	struct reader r = { .file = file, .cfg = cfg };
	char *line;
	size_t len;
	int rc;

	rc = input_open(&r.in, cfg->config ? cfg->config : SERVE_FILE_PATH);
	/* only these say that there is none; without one that exists its limits would not hold */
	if (!cfg->config && (rc == -ENOENT || rc == -ENOTDIR)) {
		err_clear();
		return 0;
	}
	file->found |= !rc;
	if (!rc)
		rc = check_file(&r.in);
	while (!rc && (line = input_line(&r.in, &len))) {
		/* the last line may have no newline: then there is no room for an end */
		char *copy = strndup(line, len);

		rc = copy ? take_line(&r, copy) :
			    err_set(-ENOMEM, "no memory for a line of %zu bytes", len);
		if (rc)
			rc = at_line(&r, rc);
		free(copy);
	}
	if (!rc)
		rc = r.in.rc;
	input_close(&r.in);
	return rc;
}

void serve_file_free(struct serve_file *file)
{
	for (size_t i = 0; i < file->n; i++)
		free(file->values[i]);
	free(file->values);
	*file = (struct serve_file){ .n = 0 };
}
