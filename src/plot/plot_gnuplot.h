/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A picture as a script for gnuplot 5. Texts are in single quotes, in which gnuplot knows no
 * command.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include <stdio.h>

#include "plot/plot.h"

enum plot_file { PLOT_SVG, PLOT_PNG };

/* The script writes the picture to the standard output of gnuplot. */
void plot_gnuplot(FILE *out, const struct plot *plot, enum plot_file file);

#endif
