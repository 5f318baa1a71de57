/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A picture as SVG inside a page. Its colours, fonts and the look of its lines are classes of the
 * page's style sheet (page.css), so that they follow light, dark and print. It has no id, no link
 * and no script; each point tells its values by <title>. It needs no gnuplot.
 */
#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include <stdio.h>

#include "plot/plot.h"

void plot_svg(FILE *out, const struct plot *plot);

/* The curve in a legend: a piece of its line with its point, or a small bar. */
void plot_svg_sample(FILE *out, const struct plot *plot, const struct plot_curve *curve);

#endif
