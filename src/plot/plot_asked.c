/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the pictures of --x, --y and --series; see plot_choose.h. */
#include "config.h"
#include "plot/plot_choose.h"

#include <errno.h>
#include <stdlib.h>

#include "plot/plot_rows.h"
#include "rows/axes.h"
#include "rows/columns_named.h"
#include "util/err.h"
#include "util/field.h"

struct found {
	struct columns_named x, y, series;
};

static int check_count(const char *option, const struct columns_named *columns, size_t most)
{
	if (columns->n <= most)
		return 0;
	return err_set(-EINVAL, "%s: %zu columns are given, and it takes at most %zu", option,
		       columns->n, most);
}

static int find_all(const struct plot_asked *asked, struct found *found)
{
	int rc = columns_named(&found->y, "--y", asked->y);

	if (!rc)
		rc = columns_named(&found->series, "--series", asked->series);
	if (!rc)
		rc = columns_named(&found->x, "--x", asked->x);
	if (!rc)
		rc = check_count("--x", &found->x, 1);
	if (!rc)
		rc = check_count("--y", &found->y, PLOT_CURVES);
	if (!rc)
		rc = check_count("--series", &found->series, PLOT_CURVES);
	for (size_t i = 0; i < found->y.n && !rc; i++)
		if (!rows_is_number(found->y.all[i]))
			rc = err_set(-EINVAL, "--y %s: its values are texts; --y takes columns of numbers",
				     rows_field(found->y.all[i])->name);
	return rc;
}

int plot_asked_want(struct rows_query *query, const struct plot_asked *asked)
{
	struct found found;
	int rc = find_all(asked, &found);

	if (rc)
		return rc;
	plot_choose_want_rows(query);
	for (size_t i = 0; i < found.y.n; i++)
		axes_want(query, found.y.all[i]);
	/* rows are told apart by it, so also a number is a word */
	for (size_t i = 0; i < found.series.n; i++)
		query->as[found.series.all[i]] = ROWS_WORDS;
	for (size_t i = 0; i < found.x.n; i++)
		axes_want(query, found.x.all[i]);
	return 0;
}

static int draw(struct plots *plots, const struct rows *rows, const bool *skip,
		const struct found *found)
{
	const struct field *y = rows_field(found->y.all[0]);
	char title[PLOT_TEXT];
	struct plot_wish wish = {
		.name = y->name, .title = title, .y = found->y.all,
		.x = found->x.n ? found->x.all[0] : ROWS_COLUMNS,
		.n_y = found->y.n, .skip = skip,
		.series = found->series.n ? found->series.all : NULL, .n_series = found->series.n,
	};
	const size_t before = plots->n, left_out = plots->left_out;
	int rc = !found->x.n ? plot_choose_x(rows, skip, &wish.x) : 0;

	if (rc)
		return rc;
	if (wish.x == ROWS_COLUMNS)
		return err_set(-EINVAL, "--y: nothing varies in these rows; --x says over which column");
	plot_words(y, title, sizeof(title));
	rc = plot_rows(plots, rows, &wish);
	if (!rc && plots->n == before && plots->left_out > left_out)
		return err_set(-EINVAL, "--x %s has more than %d values, which is what a picture has place for; choose rows with --where",
			       rows_field(wish.x)->name, PLOT_TICKS);
	if (!rc && plots->n == before)
		rc = err_set(-EINVAL, "--y: no row has values of both %s and %s", y->name,
			     rows_field(wish.x)->name);
	return rc;
}

int plot_asked(struct plots *plots, const struct rows *rows, const struct plot_asked *asked)
{
	struct found found;
	bool *skip = plot_choose_skip(rows);
	int rc = skip ? find_all(asked, &found) : -ENOMEM;

	if (!rc)
		rc = draw(plots, rows, skip, &found);
	free(skip);
	return rc;
}
