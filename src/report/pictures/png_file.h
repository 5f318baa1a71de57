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

#endif
