/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * PDF 1.4 (ISO 32000): a page per picture, vectors, texts of the fonts that every reader has. See
 * canvas.h.
 */
#include "config.h"
#include "pictures/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "util/must.h"

#define OBJECTS 4   /* catalog, pages, two fonts; then a page and its content by turns */
#define ROUND 0.5523 /* of a quarter of a circle: how far its control points are */

/* The file as it grows: its length is known at the end of each object. */
struct pdf {
	FILE *file, *page;
	char *text, *content;
	size_t len, content_len;
	double height;
	long *at;           /* of each object, owned */
	size_t n;
	size_t pages;
};

static struct pdf *pdf_of(struct canvas *c)
{
	return c->state;
}

/* Begins object n, from 1. */
static void object(struct pdf *p, size_t n)
{
	if (n > p->n) {
		p->at = must_realloc(p->at, n, sizeof(*p->at));
		p->n = n;
	}
	p->at[n - 1] = ftell(p->file);
	fprintf(p->file, "%zu 0 obj\n", n);
}

static void begin(struct canvas *c, double width, double height)
{
	struct pdf *p = pdf_of(c);

	if (!p) {
		p = c->state = must_calloc(1, sizeof(*p));
		p->file = must_memstream(&p->text, &p->len);
		fputs("%PDF-1.4\n", p->file);
	}
	p->height = height;
	object(p, OBJECTS + 2 * p->pages + 1);
	fprintf(p->file, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.0f %.1f]/Resources<</Font<</F0 3 0 R/F1 4 0 R>>>>/Contents %zu 0 R>>\nendobj\n",
		width, height, OBJECTS + 2 * p->pages + 2);
	p->page = must_memstream(&p->content, &p->content_len);
	fputs("1 J 1 j\n", p->page);
}

static void end(struct canvas *c)
{
	struct pdf *p = pdf_of(c);

	must_close(p->page);
	object(p, OBJECTS + 2 * p->pages + 2);
	fprintf(p->file, "<</Length %zu>>\nstream\n%s\nendstream\nendobj\n", p->content_len,
		p->content);
	free(p->content);
	p->pages++;
}

static void fonts(struct pdf *p)
{
	static const char *const names[] = { "Helvetica", "Helvetica-Bold" };

	for (size_t i = 0; i < 2; i++) {
		object(p, 3 + i);
		fprintf(p->file, "<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>\nendobj\n",
			names[i]);
	}
}

static void finish(struct canvas *c)
{
	struct pdf *p = pdf_of(c);
	long table;

	object(p, 1);
	fputs("<</Type/Catalog/Pages 2 0 R>>\nendobj\n", p->file);
	object(p, 2);
	fputs("<</Type/Pages/Kids[", p->file);
	for (size_t i = 0; i < p->pages; i++)
		fprintf(p->file, "%zu 0 R ", OBJECTS + 2 * i + 1);
	fprintf(p->file, "]/Count %zu>>\nendobj\n", p->pages);
	fonts(p);
	table = ftell(p->file);
	fprintf(p->file, "xref\n0 %zu\n0000000000 65535 f \n", p->n + 1);
	for (size_t i = 0; i < p->n; i++)
		fprintf(p->file, "%010ld 00000 n \n", p->at[i]);
	fprintf(p->file, "trailer\n<</Size %zu/Root 1 0 R>>\nstartxref\n%ld\n%%%%EOF\n", p->n + 1,
		table);
	must_close(p->file);
	fwrite(p->text, 1, p->len, c->out);
	free(p->text);
	free(p->at);
	free(p);
}

/* ---- what is drawn: y goes up in PDF */

static void colour(struct pdf *p, const double rgb[3], const char *operator)
{
	fprintf(p->page, "%.3f %.3f %.3f %s\n", rgb[0], rgb[1], rgb[2], operator);
}

static void go(struct canvas *c, double x, double y, char operator)
{
	fprintf(pdf_of(c)->page, "%.2f %.2f %c\n", c->x + x, pdf_of(c)->height - c->y - y, operator);
}

static void curve(struct canvas *c, const double at[6])
{
	for (int i = 0; i < 6; i += 2)
		fprintf(pdf_of(c)->page, "%.2f %.2f ", c->x + at[i],
			pdf_of(c)->height - c->y - at[i + 1]);
	fputs("c\n", pdf_of(c)->page);
}

static void path(struct canvas *c, const struct canvas_point *points, size_t n)
{
	for (size_t i = 0; i < n; i++)
		go(c, points[i].x, points[i].y, i ? 'l' : 'm');
}

/* Colours, width and dashes; returns the operator that paints the path. */
static const char *paint(struct canvas *c, enum canvas_style style, double opacity,
			 const char *dash)
{
	struct pdf *p = pdf_of(c);
	double rgb[3];
	const bool filled = canvas_fill(c, style, opacity, rgb);

	if (filled)
		colour(p, rgb, "rg");
	if (!canvas_stroke(c, style, rgb))
		return filled ? "f" : "n";
	colour(p, rgb, "RG");
	dash = dash ? dash : canvas_styles[style].dash;
	fprintf(p->page, "%.1f w [%s] 0 d\n", canvas_styles[style].width,
		dash && strcmp(dash, "none") ? dash : "");
	return filled ? "b" : "S";
}

static void line(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, const char *dash)
{
	const char *operator = paint(c, style, 1, dash);

	path(c, points, n);
	fprintf(pdf_of(c)->page, "%s\n", operator);
}

static void area(struct canvas *c, enum canvas_style style, const struct canvas_point *points,
		 size_t n, double opacity)
{
	const char *operator = paint(c, style, opacity, NULL);

	path(c, points, n);
	fprintf(pdf_of(c)->page, "h %s\n", operator);
}

static void circle(struct canvas *c, enum canvas_style style, double x, double y, double r)
{
	const char *operator = paint(c, style, 1, NULL);
	const double k = ROUND * r;

	go(c, x + r, y, 'm');
	curve(c, (const double[]){ x + r, y + k, x + k, y + r, x, y + r });
	curve(c, (const double[]){ x - k, y + r, x - r, y + k, x - r, y });
	curve(c, (const double[]){ x - r, y - k, x - k, y - r, x, y - r });
	curve(c, (const double[]){ x + k, y - r, x + r, y - k, x + r, y });
	fprintf(pdf_of(c)->page, "h %s\n", operator);
}

static void text(struct canvas *c, const struct canvas_text *t)
{
	struct pdf *p = pdf_of(c);
	const bool turned = t->how & CANVAS_TURNED;
	const double start = canvas_text_start(t);
	const double x = c->x + t->x + (turned ? 0 : start);
	const double y = p->height - c->y - t->y + (turned ? start : 0);
	double rgb[3];

	canvas_rgb(canvas_text_colour(t), 1, rgb);
	colour(p, rgb, "rg");
	fprintf(p->page, "BT /F%d %.0f Tf %s %.2f %.2f Tm (", t->how & CANVAS_BOLD ? 1 : 0,
		CANVAS_LETTER, turned ? "0 1 -1 0" : "1 0 0 1", x, y);
	for (const char *at = t->text; *at; at++)
		fprintf(p->page, strchr("()\\", *at) ? "\\%c" : "%c", canvas_letter(*at));
	fputs(") Tj ET\n", p->page);
}

const struct canvas_kind canvas_pdf = {
	.name = "PDF file", .suffix = ".pdf", .begins = "%PDF", .pages = true, .begin = begin, .end = end,
	.finish = finish, .line = line, .area = area, .circle = circle, .text = text,
};
