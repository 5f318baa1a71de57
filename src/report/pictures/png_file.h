/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The bytes of a PNG file (ISO/IEC 15948) of an image. */
#ifndef PNG_FILE_H
#define PNG_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct png_image {
	size_t width, height;
	uint8_t *rgb; /* three bytes of a pixel, line by line */
};

void png_file(FILE *out, const struct png_image *image);

/* An image of at most PNG_COLOURS colours, whose pixels are numbers of them: half a byte each. */
#define PNG_COLOURS 16u

struct png_indexed {
	size_t width, height;
	const uint8_t *pixels;       /* a byte of each, line by line; borrowed, as the next */
	const uint8_t (*colours)[3]; /* n_colours of them, red, green, blue */
	unsigned int n_colours;
};

void png_file_indexed(FILE *out, const struct png_indexed *image);

#endif
