/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the scripts of pictures; see plot_gnuplot.h. Every text of the picture has its place in
 * pixels: what gnuplot places by itself it cuts when it is long.
 */
#include "config.h"
#include "plot/plot_gnuplot.h"

#include <string.h>

/* Pixels. A line of texts is ROW high; LETTER: the width of a letter, on average. */
#define WIDTH 960
#define LEFT 92
#define RIGHT 24
#define EDGE 24
#define UP 400         /* of the area with the curves */
#define AXIS 74        /* ticks and label below it */
#define ROW 22
#define LETTER 8
#define SAMPLE 52      /* of a line in the legend, with the gap behind it */
#define LINES_MAX 8

/* The rows of the picture from above: title, settings, emulated; the area; the legend. */
struct sheet {
	FILE *out;
	const struct plot *plot;
	enum plot_file file;
	char head[LINES_MAX][(WIDTH - LEFT - RIGHT) / LETTER + 1];
	size_t n_head;
	int columns, rows;     /* of the legend */
	int height, top, bottom;
};

/* ---- texts */

/*
 * In single quotes nothing is special but the quote. gnuplot 5.4 takes a doubled one as one, but
 * not at the begin and not twice (scanner() in scanner.c), so a quote becomes U+2019, which looks
 * alike. double_too: a character that is special for what reads the text afterwards; 0: none.
 */
static void quoted(FILE *out, const char *text, char double_too)
{
	fputc('\'', out);
	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;

		if (byte == '\'')
			fputs("\u2019", out);
		else
			fputc(byte < 32 || byte > 126 ? ' ' : byte, out);
		if (*c == double_too)
			fputc(*c, out);
	}
	fputc('\'', out);
}

/* Adds lines of the head, broken between words. */
static void head(struct sheet *s, const char *text)
{
	const size_t most = sizeof(s->head[0]) - 1;

	while (*text && s->n_head < LINES_MAX) {
		size_t n = strlen(text), at;

		if (n > most) {
			for (at = most; at > 0 && text[at] != ' '; at--)
				;
			n = at ? at : most;
		}
		snprintf(s->head[s->n_head++], most + 1, "%.*s", (int)n, text);
		text += n + strspn(text + n, " ");
	}
}

static void label(struct sheet *s, double x, double y, const char *text, const char *how)
{
	fprintf(s->out, "set label ");
	quoted(s->out, text, '\0');
	fprintf(s->out, " at screen %.5f, screen %.5f %s\n", x / WIDTH, 1 - y / s->height, how);
}

/* ---- looks */

static void print_dash(FILE *out, unsigned int number)
{
	const struct plot_dash *d = &plot_dashes[number % PLOT_CURVES];

	if (!d->n)
		fprintf(out, " dt solid");
	for (size_t i = 0; i < d->n; i++)
		fprintf(out, "%s%d", i ? "," : " dt (", d->lengths[i]);
	if (d->n)
		fputc(')', out);
}

static const struct plot_look *look_of(const struct plot_curve *curve)
{
	return &plot_looks[curve->look % PLOT_CURVES];
}

/* ---- the parts */

static void measure(struct sheet *s)
{
	const struct plot *plot = s->plot;
	int letters = 0;

	head(s, plot->title);
	if (plot->below[0])
		head(s, plot->below);
	if (plot->emulated)
		head(s, PLOT_EMULATED);
	for (size_t c = 0; c < plot->n_curves; c++)
		if ((int)strlen(plot->curves[c].name) > letters)
			letters = (int)strlen(plot->curves[c].name);
	s->columns = (WIDTH - LEFT - EDGE) / (SAMPLE + (letters + 2) * LETTER);
	s->columns = s->columns < 1 ? 1 : s->columns;
	s->rows = ((int)plot->n_curves + s->columns - 1) / s->columns;
	s->top = EDGE + (int)s->n_head * ROW;
	s->bottom = s->top + UP;
	s->height = s->bottom + AXIS + s->rows * ROW + EDGE;
}

static void print_terminal(struct sheet *s)
{
	if (s->file == PLOT_SVG) {
		fprintf(s->out, "set term svg size %d,%d fixed noenhanced font 'sans-serif,14' background '#ffffff'\n",
			WIDTH, s->height);
		return;
	}
	fprintf(s->out, "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) set term pngcairo size %d,%d noenhanced font 'sans,10.5' background '#ffffff'; else set term png truecolor size %d,%d noenhanced font 'sans,10' background '#ffffff'\n",
		WIDTH, s->height, WIDTH, s->height);
}

static void print_ticks(struct sheet *s, char name, const struct plot_axis *axis)
{
	fprintf(s->out, "set %crange [%.9g:%.9g]\nset %ctics (", name, axis->from, axis->to, name);
	for (size_t i = 0; i < axis->n_ticks; i++) {
		fputs(i ? ", " : "", s->out);
		/* the text of a tick is a format */
		quoted(s->out, axis->ticks[i].text, '%');
		fprintf(s->out, " %.9g %d", axis->ticks[i].at, axis->ticks[i].text[0] ? 0 : 1);
	}
	fputs(")\n", s->out);
	if (axis->scale != PLOT_LINEAR)
		fprintf(s->out, "set logscale %c %d\n", name, axis->scale == PLOT_LOG2 ? 2 : 10);
}

static void print_frame(struct sheet *s)
{
	fprintf(s->out, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n",
		(double)LEFT / WIDTH, 1 - (double)RIGHT / WIDTH);
	fprintf(s->out, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
		1 - (double)s->top / s->height, 1 - (double)s->bottom / s->height);
	fputs("unset key\nset border 3 lc rgb '#404040'\nset tics nomirror out textcolor rgb '#000000'\nset grid ytics lt 1 lw 0.6 lc rgb '#c8c8c8'\n",
	      s->out);
	print_ticks(s, 'x', &s->plot->x);
	print_ticks(s, 'y', &s->plot->y);
	if (s->plot->form == PLOT_BARS)
		fputs("set xtics scale 0\n", s->out);
	/* pixels in SVG, points in PNG */
	label(s, LEFT, EDGE - 4, s->head[0], s->file == PLOT_SVG ? "left font ',17'" : "left font ',12.5'");
	for (size_t i = 1; i < s->n_head; i++)
		label(s, LEFT, EDGE - 4 + ROW * (double)i, s->head[i], "left tc rgb '#404040'");
	label(s, (LEFT + WIDTH - RIGHT) / 2.0, s->bottom + 50, s->plot->x.label, "center");
	label(s, 20, s->top + UP / 2.0, s->plot->y.label, "center rotate by 90");
}

/* Below the area, so that it covers no data. */
static void print_legend(struct sheet *s)
{
	const double wide = (double)(WIDTH - LEFT - EDGE) / s->columns;

	for (size_t c = 0; c < s->plot->n_curves; c++) {
		const struct plot_curve *curve = &s->plot->curves[c];
		const struct plot_look *look = look_of(curve);
		const double x = LEFT + wide * (double)(c % (size_t)s->columns);
		const double y = s->bottom + AXIS + ROW * (double)(c / (size_t)s->columns) + 6;
		const double at = 1 - y / s->height, half = 7.0 / s->height;

		label(s, x + SAMPLE, y, curve->name, "left");
		if (s->plot->form == PLOT_BARS) {
			fprintf(s->out, "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '%s' fs solid %.2f border lc rgb '%s'\n",
				(x + 18) / WIDTH, at - half, (x + 36) / WIDTH, at + half,
				look->colour, look->fill, look->colour);
			continue;
		}
		/*
		 * The SVG terminal of gnuplot 5.4 joins arrows of one colour and width to one path,
		 * with the dash of the first: so each dash has a width of its own.
		 */
		fprintf(s->out, "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lw %.2f lc rgb '%s'",
			x / WIDTH, at, (x + 44) / WIDTH, at, 2 + curve->dash * 0.01, look->colour);
		print_dash(s->out, curve->dash);
		fprintf(s->out, "\nset label '' at screen %.5f, screen %.5f point pt %d ps 1 lc rgb '%s'\n",
			(x + 22) / WIDTH, at, look->shape, look->colour);
	}
}

static void print_data(struct sheet *s)
{
	for (size_t c = 0; c < s->plot->n_curves; c++) {
		const struct plot_curve *curve = &s->plot->curves[c];

		fprintf(s->out, "$curve%zu << END\n", c);
		for (size_t i = 0; i < curve->n; i++)
			fprintf(s->out, "%.9g %.9g %.9g %.9g\n", curve->points[i].x,
				curve->points[i].y, curve->points[i].low, curve->points[i].high);
		fputs("END\n", s->out);
	}
}

static void print_lines(struct sheet *s, size_t c)
{
	const struct plot_curve *curve = &s->plot->curves[c];
	const struct plot_look *look = look_of(curve);

	fprintf(s->out, " $curve%zu using 1:2 with lines lw 2 lc rgb '%s'", c, look->colour);
	print_dash(s->out, curve->dash);
	if (s->plot->runs)
		fprintf(s->out, ", $curve%zu using 1:2:3:4 with yerrorbars pt 0 lw 1 dt solid lc rgb '%s'",
			c, look->colour);
	fprintf(s->out, ", $curve%zu using 1:2 with points pt %d ps 1 lc rgb '%s'", c, look->shape,
		look->colour);
}

static void print_bars(struct sheet *s, size_t c)
{
	const struct plot_look *look = look_of(&s->plot->curves[c]);
	const double wide = 0.8 / (double)s->plot->n_curves;

	fprintf(s->out, " $curve%zu using ($1 + %.5f):2:(%.5f) with boxes fc rgb '%s' fs solid %.2f border lc rgb '%s'",
		c, -0.4 + ((double)c + 0.5) * wide, wide * 0.9, look->colour, look->fill,
		look->colour);
}

void plot_gnuplot(FILE *out, const struct plot *plot, enum plot_file file)
{
	struct sheet s = { .out = out, .plot = plot, .file = file };

	measure(&s);
	fputs("set encoding utf8\n", out);
	print_terminal(&s);
	print_frame(&s);
	print_legend(&s);
	print_data(&s);
	fputs("plot", out);
	for (size_t c = 0; c < plot->n_curves; c++) {
		fputs(c ? "," : "", out);
		if (plot->form == PLOT_BARS)
			print_bars(&s, c);
		else
			print_lines(&s, c);
	}
	fputs("\n", out);
}
