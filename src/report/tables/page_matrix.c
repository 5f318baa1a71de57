/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the pictures of pairs in a page, their legend and the list beside them; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "pictures/canvas.h"
#include "read/axes.h"
#include "util/must.h"
#include "util/text.h"
#include "wiring/wiring.h"

#define GAP 6.0        /* pixels between a picture, its ticks and texts */
#define LINE 24.0      /* between two labels, at least */
#define NAME 28u       /* letters of a node at an axis; the middle of a longer name is left out */
#define WIDER 1.2       /* letters of a browser may be wider than those of canvas.h */
#define GRID 16.0      /* so large are tiles with lines between them */
#define MARK 2.0       /* from a tile to the line around it */

/* A picture on the page. */
struct drawing {
	FILE *out;
	const struct report *r;
	const struct matrix_set *set;
	struct heat heat;
	struct plot_axis axis; /* of the values */
	double left, top;      /* where the tiles begin */
	size_t step;           /* nodes between two labels */
	double names;          /* pixels from the tiles to the names of leaves */
};

/* ---- texts */

static const char *value_text(const struct drawing *d, double value, char text[PLOT_TEXT])
{
	return plot_value(&d->axis, value / d->axis.per, text, PLOT_TEXT);
}

static const char *short_name(const char *name, char text[NAME + 1])
{
	const size_t len = strlen(name);

	if (len <= NAME)
		snprintf(text, NAME + 1, "%s", name);
	else
		snprintf(text, NAME + 1, "%.13s..%s", name, name + len - 13);
	return text;
}

static const char *node_name(const struct drawing *d, size_t node, char text[NAME + 1])
{
	return short_name(d->r->matrix->nodes[node], text);
}

/* "" if it is not known. */
static const char *leaf_name(const struct drawing *d, size_t node)
{
	const uint32_t leaf = d->r->matrix->leaf[node];

	return leaf == WIRING_NONE ? "" : wiring_name(d->r->wiring, leaf);
}

/* "write_bw, 65536 bytes, depth 16". The caller frees it. */
static char *settings_text(const struct drawing *d)
{
	const struct columns_named *keys = &d->r->matrix->keys;
	char *text = NULL, buf[ROWS_TEXT];

	must_appendf(&text, "%s, ", rows_text(&d->r->rows, ROWS_test, d->set->row, buf));
	must_appendf(&text, "%s bytes", rows_text(&d->r->rows, ROWS_size_bytes, d->set->row, buf));
	for (size_t i = 0; i < keys->n; i++)
		if (keys->all[i] != ROWS_test && keys->all[i] != ROWS_size_bytes)
			must_appendf(&text, ", %s %s", rows_field(keys->all[i])->name,
				     rows_text(&d->r->rows, keys->all[i], d->set->row, buf));
	return text;
}

static void print_caption(const struct drawing *d)
{
	const struct matrix_set *set = d->set;
	char text[PLOT_TEXT], what[PLOT_TEXT], *settings = settings_text(d);

	plot_words(rows_field(set->quantity), what, sizeof(what));
	plot_html(d->out, "<figcaption>%s: %s<span class='quiet'>", settings, what);
	plot_html(d->out, "%zu pairs of %zu nodes: median %s, ", set->n, set->nodes,
		  value_text(d, set->median, text));
	plot_html(d->out, "median absolute deviation %s", value_text(d, set->mad, text));
	if (set->n_failed)
		plot_html(d->out, "; %zu more failed", set->n_failed);
	if (d->heat.block > 1)
		plot_html(d->out, "; a tile is %zu clients by %zu servers and shows the worst of their pairs",
			  d->heat.block, d->heat.block);
	fputs("</span></figcaption>\n", d->out);
	free(settings);
}

/* ---- the picture */

static void print_image(const struct drawing *d)
{
	const double side = (double)heat_pixels(&d->heat);
	char *png, *text;
	size_t len;
	FILE *file = must_memstream(&png, &len);

	heat_png(file, &d->heat);
	must_close(file);
	text = must_calloc(len / 3 + 1, 4 + 1);
	EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)png, (int)len);
	plot_html(d->out, "<image x='%.0f' y='%.0f' width='%.0f' height='%.0f' href='data:image/png;base64,",
		  d->left, d->top, side, side);
	fputs(text, d->out);
	fputs("'/>\n", d->out);
	free(text);
	free(png);
}

/* Lines between tiles that are large, and around all. */
static void print_grid(const struct drawing *d)
{
	const double side = (double)heat_pixels(&d->heat), tile = (double)d->heat.tile;

	plot_html(d->out, "<path class='edge' d='");
	for (double at = 0; at <= side; at += tile < GRID ? side : tile) {
		plot_html(d->out, "M%.0f %.0fv%.0f", d->left + at, d->top, side);
		plot_html(d->out, "M%.0f %.0fh%.0f", d->left, d->top + at, side);
	}
	fputs("'/>\n", d->out);
}

/* Nodes whose labels are a line apart: 1, 2, 5, 10, ... */
static size_t choose_step(const struct heat *heat)
{
	static const size_t steps[] = { 1, 2, 5 };
	size_t step = 1;

	for (size_t i = 0, ten = 1; heat_place(heat, step) < LINE; ten *= ++i % 3 ? 1 : 10)
		step = steps[i % 3] * ten;
	return step;
}

static size_t next_leaf(const struct drawing *d, size_t node)
{
	return heat_next(&d->heat, d->r->matrix->leaf, node);
}

static void find_margins(struct drawing *d)
{
	char text[NAME + 1];
	double width = 0, leaf = 0;

	d->step = choose_step(&d->heat);
	for (size_t node = 0; node < d->heat.nodes; node += d->step)
		width = fmax(width, canvas_text_width(node_name(d, node, text)));
	for (size_t node = 0; node < d->heat.nodes; node = next_leaf(d, node))
		leaf = fmax(leaf, canvas_text_width(short_name(leaf_name(d, node), text)));
	d->names = ceil(WIDER * width + 2 * GAP);
	d->left = d->top = d->names + ceil(WIDER * leaf + (leaf > 0 ? 2 : 1) * GAP + CANVAS_LETTER);
}

/* Between two leaves, through the tiles and beside the names of nodes. */
static void print_border(const struct drawing *d, size_t node)
{
	const double at = heat_place(&d->heat, node), side = (double)heat_pixels(&d->heat);

	plot_html(d->out, "<path class='leaf' d='M%.1f %.1fv%.1fM%.1f %.1fh%.1f'/>\n",
		  d->left + at, d->top - d->names, side + d->names,
		  d->left - d->names, d->top + at, side + d->names);
}

/* Their names where there is room, and lines between them. */
static void print_leaves(const struct drawing *d)
{
	struct canvas c = { .kind = &canvas_svg, .out = d->out };
	double free_from = 0;
	char name[NAME + 1];

	for (size_t node = 0, end; node < d->heat.nodes; node = end) {
		double middle;

		end = next_leaf(d, node);
		middle = (heat_place(&d->heat, node) + heat_place(&d->heat, end)) / 2;
		if (node)
			print_border(d, node);
		if (middle < free_from)
			continue;
		free_from = middle + LINE;
		short_name(leaf_name(d, node), name);
		canvas_svg.text(&c, &(struct canvas_text){
			d->left - d->names, d->top + middle + CANVAS_LETTER / 3, CANVAS_END,
			CANVAS_BOLD, name });
		canvas_svg.text(&c, &(struct canvas_text){
			d->left + middle + CANVAS_LETTER / 3, d->top - d->names, CANVAS_START,
			CANVAS_BOLD | CANVAS_TURNED, name });
	}
}

/* At the left and above. */
static void print_labels(const struct drawing *d)
{
	struct canvas c = { .kind = &canvas_svg, .out = d->out };
	const double half = (double)heat_pixels(&d->heat) / 2;
	char name[NAME + 1];

	for (size_t node = 0; node < d->heat.nodes; node += d->step) {
		const double middle = heat_place(&d->heat, node) + heat_place(&d->heat, 1) / 2;
		const struct canvas_point across[] = { { d->left - GAP / 2, d->top + middle },
						       { d->left, d->top + middle } };
		const struct canvas_point up[] = { { d->left + middle, d->top - GAP / 2 },
						   { d->left + middle, d->top } };

		node_name(d, node, name);
		canvas_svg.line(&c, CANVAS_AXIS, across, 2, NULL);
		canvas_svg.line(&c, CANVAS_AXIS, up, 2, NULL);
		canvas_svg.text(&c, &(struct canvas_text){
			d->left - GAP, d->top + middle + CANVAS_LETTER / 3, CANVAS_END, 0, name });
		canvas_svg.text(&c, &(struct canvas_text){
			d->left + middle + CANVAS_LETTER / 3, d->top - GAP, CANVAS_START,
			CANVAS_TURNED, name });
	}
	canvas_svg.text(&c, &(struct canvas_text){ d->left + half, CANVAS_LETTER, CANVAS_MIDDLE,
						   CANVAS_BOLD, "server" });
	canvas_svg.text(&c, &(struct canvas_text){ CANVAS_LETTER, d->top + half, CANVAS_MIDDLE,
						   CANVAS_BOLD | CANVAS_TURNED, "client" });
}

static double tile_begin(const struct drawing *d, uint32_t node)
{
	return (double)(heat_tile(&d->heat, node) * d->heat.tile);
}

/* One of the list that is as good as the others is not worth a look. */
static bool is_marked(const struct matrix_pair *one)
{
	return heat_colour(one->share) < HEAT_STEPS;
}

/* A line around the tiles of the pairs that are listed. */
static void print_marks(const struct drawing *d)
{
	const double side = (double)d->heat.tile + 2 * MARK;
	char text[PLOT_TEXT], buf[ROWS_TEXT];

	for (size_t i = 0; i < matrix_n_worst(d->set) && is_marked(&d->set->all[i]); i++) {
		const struct matrix_pair *one = &d->set->all[i];

		plot_html(d->out, "<rect class='mark' x='%.0f' y='%.0f' width='%.0f' height='%.0f'>",
			  d->left + tile_begin(d, one->server) - MARK,
			  d->top + tile_begin(d, one->client) - MARK, side, side);
		plot_html(d->out, "<title>%s: ", rows_text(&d->r->rows, ROWS_pair, one->row, buf));
		plot_html(d->out, "%s, %.1f %% of the median</title></rect>\n",
			  value_text(d, one->value, text), 100 * one->value / d->set->median);
	}
}

static void print_svg(const struct drawing *d)
{
	const double side = (double)heat_pixels(&d->heat);
	const double width = d->left + side + GAP, height = d->top + side + GAP;

	plot_html(d->out, "<div class='scroll' tabindex='0'><svg class='map' width='%.0f' height='%.0f' ",
		  width, height);
	plot_html(d->out, "viewBox='0 0 %.0f %.0f' role='img' aria-label='%zu pairs, client by server; %zu failed; the worst are in the list'>\n",
		  width, height, d->set->n, d->set->n_failed);
	print_image(d);
	print_grid(d);
	print_labels(d);
	if (d->r->wiring)
		print_leaves(d);
	print_marks(d);
	fputs("</svg></div>\n", d->out);
}

/* ---- its legend, and the list */

static void print_colour(FILE *out, unsigned int colour)
{
	const uint8_t *rgb = heat_colours[colour];

	plot_html(out, "rgb(%u,%u,%u)", (unsigned int)rgb[0], (unsigned int)rgb[1],
		  (unsigned int)rgb[2]);
}

static void print_sample(FILE *out, unsigned int colour, double x, double width)
{
	plot_html(out, "<rect x='%.1f' width='%.1f' height='14' fill='", x, width);
	print_colour(out, colour);
	fputs("'/>", out);
}

static void print_legend(const struct drawing *d)
{
	const bool less = compare_direction(d->set->quantity) < 0;
	const double step = 132.0 / (HEAT_STEPS + 1), median = d->set->median;
	char text[PLOT_TEXT];

	plot_html(d->out, "<ul class='legend'>\n<li><span>%s and %s</span><svg class='scale' viewBox='0 0 132 14'>",
		  value_text(d, less ? median / HEAT_BLACK : median * HEAT_BLACK, text),
		  less ? "more" : "less");
	for (unsigned int i = 0; i <= HEAT_STEPS; i++)
		print_sample(d->out, i, i * step, step);
	plot_html(d->out, "</svg><span>%s, the median, and %s</span></li>\n",
		  value_text(d, median, text), less ? "less" : "more");
	fputs("<li><svg class='swatch' viewBox='0 0 22 14'>", d->out);
	print_sample(d->out, HEAT_FAILED, 0, 22);
	fputs("</svg><span>failed</span></li>\n<li><svg class='swatch' viewBox='0 0 22 14'>", d->out);
	print_sample(d->out, HEAT_NONE, 0, 22);
	fputs("<path stroke-width='2' d='M-2 6L6 -2M-2 14L14 -2M6 16L22 -2M14 16L24 4' stroke='", d->out);
	print_colour(d->out, HEAT_HATCH);
	fputs("'/></svg><span>not measured</span></li>\n", d->out);
	if (is_marked(&d->set->all[0]))
		fputs("<li><svg class='swatch' viewBox='-2 -2 26 18'><rect class='mark' width='22' height='14'/></svg><span>in the list of the worst</span></li>\n",
		      d->out);
	fputs("</ul>\n", d->out);
}

static void print_list(const struct drawing *d)
{
	char text[PLOT_TEXT], buf[ROWS_TEXT], *failed = matrix_failed(d->r, d->set);

	fputs("<div class='worst'><h3>Worst pairs</h3>\n<div class='scroll' tabindex='0'><table>\n<tr><th scope='col'>pair</th><th scope='col' class='n'>",
	      d->out);
	plot_html(d->out, "%s</th><th scope='col' class='n'>%% of median</th><th scope='col' class='n'>round</th></tr>\n",
		  d->axis.unit);
	for (size_t i = 0; i < matrix_n_worst(d->set); i++) {
		const struct matrix_pair *one = &d->set->all[i];

		plot_html(d->out, "<tr><td>%s", rows_text(&d->r->rows, ROWS_pair, one->row, buf));
		if (d->r->wiring)
			plot_html(d->out, "<small>%s &gt; %s</small>", leaf_name(d, one->client),
				  leaf_name(d, one->server));
		fputs(measured_disturbed(&d->r->rows, one->row) ? "<small>disturbed</small></td>" :
								  "</td>", d->out);
		plot_html(d->out, "<td class='n'>%s</td><td class='n'>%.1f</td>",
			  plot_number(&d->axis, one->value / d->axis.per, text, sizeof(text)),
			  100 * one->value / d->set->median);
		plot_html(d->out, "<td class='n'>%s</td></tr>\n",
			  rows_text(&d->r->rows, ROWS_mesh_round, one->row, buf));
	}
	fputs("</table></div>\n", d->out);
	if (d->set->n_failed)
		plot_html(d->out, "<p class='fail'>%s</p>\n", failed);
	fputs("</div>\n", d->out);
	free(failed);
}

/* ---- all */

static void print_one(FILE *out, const struct report *r, size_t number)
{
	struct drawing d = { .out = out, .r = r, .set = &r->matrix->sets[number] };

	matrix_heat(&d.heat, r->matrix, d.set);
	plot_axis_label(&d.axis, rows_field(d.set->quantity), NULL, d.set->median);
	find_margins(&d);
	plot_html(out, "<figure class='pairs' id='pairs-%zu'>\n", number);
	print_caption(&d);
	print_legend(&d);
	fputs("<div class='beside'>\n", out);
	print_svg(&d);
	print_list(&d);
	fputs("</div>\n</figure>\n", out);
	heat_free(&d.heat);
}

void page_matrix(FILE *out, const struct report *r)
{
	for (size_t i = 0; i < r->matrix->n_sets; i++)
		if (r->matrix->sets[i].is_drawn)
			print_one(out, r, i);
}
