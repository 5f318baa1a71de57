/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * PNG with the least of compression: each byte is the difference to the one above it, and a run of
 * equal bytes is short. Most of a picture is one colour. Deflate: RFC 1951, zlib: RFC 1950.
 */
#include "config.h"
#include "pictures/png_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/must.h"

#define LONGEST 258u  /* run of a symbol, 285 */
#define SHORTEST 3u   /* of 257, the next symbols up to 264 are of one byte more each */
#define SHORT 10u     /* of 264 */
#define ADLER 65521u

/* ---- deflate, one block of fixed codes */

struct bits {
	FILE *out;
	uint32_t value;
	unsigned int n;
};

static void put_bits(struct bits *b, uint32_t value, unsigned int n)
{
	b->value |= value << b->n;
	for (b->n += n; b->n >= 8; b->n -= 8) {
		putc((int)(b->value & 0xff), b->out);
		b->value >>= 8;
	}
}

/* A code begins with its highest bit. */
static void put_code(struct bits *b, uint32_t code, unsigned int n)
{
	while (n--)
		put_bits(b, code >> n & 1, 1);
}

/* RFC 1951, 3.2.6 */
static void put_symbol(struct bits *b, unsigned int symbol)
{
	if (symbol < 144)
		put_code(b, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(b, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(b, symbol - 256, 7);
	else
		put_code(b, 0xc0 + symbol - 280, 8);
}

/* The byte before it up to n times more; returns how many are too few for a run. */
static size_t put_run(struct bits *b, size_t n)
{
	while (n >= SHORTEST) {
		const size_t len = n >= LONGEST ? LONGEST : n > SHORT ? SHORT : n;

		put_symbol(b, len == LONGEST ? 285 : 257 + (unsigned int)(len - SHORTEST));
		put_code(b, 0, 5); /* at distance 1 */
		n -= len;
	}
	return n;
}

static void deflate(FILE *out, const uint8_t *data, size_t n)
{
	struct bits b = { .out = out };

	put_bits(&b, 3, 3);
	for (size_t i = 0, run; i < n; i += 1 + run) {
		for (run = 0; i + 1 + run < n && data[i + 1 + run] == data[i]; run++)
			;
		put_symbol(&b, data[i]);
		for (size_t left = put_run(&b, run); left; left--)
			put_symbol(&b, data[i]);
	}
	put_symbol(&b, 256);
	put_bits(&b, 0, 7);
}

/* ---- the file */

static uint32_t crc(const char *data, size_t n)
{
	uint32_t c = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		c ^= (uint8_t)data[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

static void put_number(FILE *out, uint32_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		putc((int)(value >> shift & 0xff), out);
}

/* text: the type and the data, in a memory stream that ends here. */
static void put_chunk(FILE *out, FILE *stream, char **text, const size_t *len)
{
	must_close(stream);
	put_number(out, (uint32_t)(*len - 4));
	fwrite(*text, 1, *len, out);
	put_number(out, crc(*text, *len));
	free(*text);
}

static FILE *begin_chunk(const char *type, char **text, size_t *len)
{
	FILE *stream = must_memstream(text, len);

	fputs(type, stream);
	return stream;
}

/* The difference to the line above: filter 2. */
static uint8_t *filtered(const struct png_image *image, size_t *n)
{
	const size_t line = 3 * image->width;
	uint8_t *data = must_calloc(image->height, line + 1), *at = data;

	for (size_t y = 0; y < image->height; y++) {
		const uint8_t *now = image->rgb + y * line;

		*at++ = 2;
		for (size_t i = 0; i < line; i++)
			*at++ = (uint8_t)(now[i] - (y ? now[i - line] : 0));
	}
	*n = image->height * (line + 1);
	return data;
}

static uint32_t adler(const uint8_t *data, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + data[i]) % ADLER;
		b = (b + a) % ADLER;
	}
	return b << 16 | a;
}

/* Two pixels in a byte. A line like the one above is zeros (filter 2), another one as it is (0). */
static uint8_t *packed(const struct png_indexed *image, size_t *n)
{
	const size_t width = image->width, line = (width + 1) / 2;
	uint8_t *data = must_calloc(image->height, line + 1), *at = data;

	for (size_t y = 0; y < image->height; y++, at += line) {
		const uint8_t *now = image->pixels + y * width;
		const bool same = y && !memcmp(now, now - width, width);

		*at++ = same ? 2 : 0;
		for (size_t x = 0; x < width && !same; x++)
			at[x / 2] |= (uint8_t)(now[x] << (x % 2 ? 0 : 4));
	}
	*n = image->height * (line + 1);
	return data;
}

/* depth: bits of a sample. colour: 2 RGB, 3 a number of a palette. */
static void put_head(FILE *out, size_t width, size_t height, int depth, int colour)
{
	size_t len;
	char *text;
	FILE *chunk;

	fputs("\x89PNG\r\n\x1a\n", out);
	chunk = begin_chunk("IHDR", &text, &len);
	put_number(chunk, (uint32_t)width);
	put_number(chunk, (uint32_t)height);
	putc(depth, chunk);
	putc(colour, chunk);
	/* no choice of the rest */
	fwrite("\0\0", 1, 3, chunk);
	put_chunk(out, chunk, &text, &len);
}

/* Frees the lines. */
static void put_lines(FILE *out, uint8_t *data, size_t n)
{
	size_t len;
	char *text;
	FILE *chunk = begin_chunk("IDAT", &text, &len);

	fputs("\x78\x01", chunk);
	deflate(chunk, data, n);
	put_number(chunk, adler(data, n));
	put_chunk(out, chunk, &text, &len);
	put_chunk(out, begin_chunk("IEND", &text, &len), &text, &len);
	free(data);
}

void png_file(FILE *out, const struct png_image *image)
{
	size_t n;
	uint8_t *data = filtered(image, &n);

	put_head(out, image->width, image->height, 8, 2);
	put_lines(out, data, n);
}

void png_file_indexed(FILE *out, const struct png_indexed *image)
{
	size_t len, n;
	uint8_t *data = packed(image, &n);
	char *text;
	FILE *chunk;

	put_head(out, image->width, image->height, 4, 3);
	chunk = begin_chunk("PLTE", &text, &len);
	fwrite(image->colours, 3, image->n_colours, chunk);
	put_chunk(out, chunk, &text, &len);
	put_lines(out, data, n);
}
