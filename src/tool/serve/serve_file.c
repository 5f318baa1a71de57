/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the syntax of the configuration file; see serve_file.h. */
#include "config.h"
#include "serve/serve_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "options/label.h"
#include "options/options.h"
#include "options/options_scan.h"
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
	struct nearest n = nearest_to(name, strlen(name));
	char own[LABEL_MAX];

	for (size_t i = 0; i < options_table.n; i++) {
		if (is_allowed(&options_table.rows[i]))
			nearest_try(&n, field_option(&options_table.rows[i], own, sizeof(own)));
	}
	return err_set(-EINVAL, "\"%.64s\" is not an option of a server%s", name,
		       nearest_hint(&n, "", ""));
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
	char *equals, *comment = line;

	/* a comment behind a value begins after a blank */
	do
		comment = strchr(comment + 1, '#');
	while (comment && !isblank((unsigned char)comment[-1]));
	if (comment)
		*comment = '\0';
	equals = strchr(line, '=');
	if (!equals)
		return err_set(-EINVAL, "\"%.64s\" is not \"option = value\"", trim(line));
	*equals = '\0';
	return take(r, &(struct setting){ trim(line), trim(equals + 1) });
}

/* Whoever can write the file says who may ask, and where the audit goes. */
static int check_file(const struct input *in)
{
	const struct input_trust config = {
		.label = "", .path = in->path, .none = 022, .harm = "write to it", .chmod = "go-w",
		.advice = "",
	};

	return input_trust(in->fd, &config);
}

int serve_file_read(struct serve_file *file, struct cfg *cfg)
{
	struct reader r = { .file = file, .cfg = cfg };
	char *line;
	int rc;

	rc = input_open_regular(&r.in, cfg->config ? cfg->config : SERVE_FILE_PATH,
				INPUT_SETTINGS_MAX);
	/* only these say that there is none; without one that exists its limits would not hold */
	if (!cfg->config && (rc == -ENOENT || rc == -ENOTDIR)) {
		err_clear();
		return 0;
	}
	file->found |= !rc;
	if (!rc)
		rc = check_file(&r.in);
	while (!rc && (line = input_setting(&r.in))) {
		rc = take_line(&r, line);
		if (rc)
			err_wrap(rc, "%s:%zu", r.in.path, r.in.line);
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
