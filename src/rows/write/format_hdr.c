/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The log of HdrHistogram: a line per point of a latency test, with its whole histogram, for the
 * tools that read such logs (HistogramLogProcessor, HistogramLogAnalyzer, hdr_decoder). Values are
 * ns. Times are of the epoch. The tag of a line is the test and its size, of a sweep the cell.
 *
 * A line: "Tag=send_lat_64,START,LENGTH,MAX,HISTOGRAM": seconds, seconds, milliseconds, and base64
 * of an encoded histogram: version 2 of the format of org.HdrHistogram (AbstractHistogram.java,
 * EncodableHistogram.java): 40 bytes of header, then its counts as ZigZag LEB128, a negative number
 * for so many zeros; in a stream of zlib (RFC 1950). Its blocks are stored (RFC 1951, 3.2.4), which
 * needs no library and takes some kilobytes a line.
 */
#include "config.h"
#include "write/output.h"

#include <errno.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/err.h"
#include "util/minmax.h"
#include "util/text.h"

#define COOKIE UINT32_C(0x1c849313)
#define COOKIE_COMPRESSED UINT32_C(0x1c849314)
#define DIGITS 3                /* 2048 sub-buckets: 0.1 %, finer than util/histogram.h */
#define SUB_BITS 11
#define HALF (1u << (SUB_BITS - 1))
#define HEADER 40u
#define BLOCK 65535u            /* bytes of a stored block at most */
#define PS_PER_NS 1000u
#define TAG 256

struct hdr {
	struct append append;
	char test[32], cell[TAG];
	int rc;                 /* the first error */
	char error[ERR_TEXT_MAX];
};

/* Bytes that grow. */
struct bytes {
	uint8_t *at;            /* owned */
	size_t n, room;
	bool failed;            /* no memory */
};

static void put(struct bytes *b, uint8_t byte)
{
	if (b->n == b->room && !b->failed) {
		uint8_t *more = realloc(b->at, 2 * b->room + 4096);

		b->failed = !more;
		b->at = more ? more : b->at;
		b->room = more ? 2 * b->room + 4096 : b->room;
	}
	if (!b->failed)
		b->at[b->n++] = byte;
}

/* Big-endian, len bytes. */
static void put_number(struct bytes *b, uint64_t value, int len)
{
	while (len--)
		put(b, (uint8_t)(value >> 8 * len));
}

/* ---- the histogram */

/* ZigZag LEB128 of at most 9 bytes. */
static void put_count(struct bytes *b, int64_t count)
{
	uint64_t v = (uint64_t)count << 1 ^ (uint64_t)(count >> 63);

	for (int i = 0; i < 8 && v > 0x7f; i++, v >>= 7)
		put(b, (uint8_t)(v | 0x80));
	put(b, (uint8_t)v);
}

/* The place of a value in the counts. */
static uint64_t place(uint64_t ns)
{
	const int bucket = 64 - SUB_BITS - __builtin_clzll(ns | (2 * HALF - 1));

	return (uint64_t)bucket * HALF + (ns >> bucket);
}

static uint64_t ns_of(const struct histogram *ps, uint32_t i)
{
	const uint64_t low = max_u64(histogram_bucket_low(i), ps->min);
	const uint64_t high = histogram_bucket_low(i) + histogram_bucket_width(i) - 1;
	const uint64_t middle = low + (max_u64(min_u64(high, ps->max), low) - low) / 2;

	return (middle + PS_PER_NS / 2) / PS_PER_NS;
}

/* Ascending buckets make ascending places; several may make the same one. */
static void put_counts(struct bytes *b, const struct histogram *ps)
{
	uint64_t next = 0, at = 0, count = 0;

	for (uint32_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
		const bool end = i == HISTOGRAM_BUCKETS;
		const uint64_t here = end ? UINT64_MAX : place(ns_of(ps, i));

		if (!end && !ps->bucket[i])
			continue;
		if (count && here != at) {
			if (at > next)
				put_count(b, -(int64_t)(at - next));
			put_count(b, (int64_t)count);
			next = at + 1;
			count = 0;
		}
		at = here;
		count += end ? 0 : ps->bucket[i];
	}
}

static void put_histogram(struct bytes *b, const struct histogram *ps)
{
	const uint64_t highest = max_u64(2 * (ps->max / PS_PER_NS + 1), 4 * HALF);
	const double ratio = 1;
	struct bytes counts = { .at = NULL };
	uint64_t bits;

	memcpy(&bits, &ratio, sizeof(bits));
	put_counts(&counts, ps);
	put_number(b, COOKIE, 4);
	put_number(b, counts.n, 4);
	put_number(b, 0, 4);            /* normalizing offset */
	put_number(b, DIGITS, 4);
	put_number(b, 1, 8);            /* lowest discernible value */
	put_number(b, highest, 8);
	put_number(b, bits, 8);         /* of integer to double */
	for (size_t i = 0; i < counts.n; i++)
		put(b, counts.at[i]);
	b->failed |= counts.failed;
	free(counts.at);
}

/* ---- the stream */

/* RFC 1950, 8.2. */
static uint32_t adler32(const struct bytes *b)
{
	uint32_t sum = 1, sums = 0;

	for (size_t i = 0; i < b->n; i++) {
		sum = (sum + b->at[i]) % 65521;
		sums = (sums + sum) % 65521;
	}
	return sums << 16 | sum;
}

static void put_stream(struct bytes *b, const struct bytes *content)
{
	size_t at = 0;

	put_number(b, 0x7801, 2);
	do {
		const size_t n = min_u64(content->n - at, BLOCK);

		put(b, at + n == content->n);
		put(b, (uint8_t)n);
		put(b, (uint8_t)(n >> 8));
		put(b, (uint8_t)~n);
		put(b, (uint8_t)(~n >> 8));
		for (size_t i = 0; i < n; i++)
			put(b, content->at[at + i]);
		at += n;
	} while (at < content->n);
	put_number(b, adler32(content), 4);
}

/* NULL: no memory. */
static char *encoded(const struct histogram *ps)
{
	struct bytes plain = { .at = NULL }, stream = { .at = NULL }, all = { .at = NULL };
	char *text = NULL;

	put_histogram(&plain, ps);
	put_stream(&stream, &plain);
	put_number(&all, COOKIE_COMPRESSED, 4);
	put_number(&all, stream.n, 4);
	for (size_t i = 0; i < stream.n; i++)
		put(&all, stream.at[i]);
	if (!plain.failed && !stream.failed && !all.failed)
		text = malloc(all.n / 3 * 4 + 5);
	if (text)
		EVP_EncodeBlock((unsigned char *)text, all.at, (int)all.n);
	free(plain.at);
	free(stream.at);
	free(all.at);
	return text;
}

/* ---- the log */

static const char *refuses(const struct append *a, const char *first, char *text, size_t size)
{
	(void)a;
	(void)first;
	(void)text;
	(void)size;
	return NULL; /* what begins so is a log, of any program */
}

static const struct append_kind logs = {
	.what = "HdrHistogram log", .begins = "#[Histogram log format version 1.", .refuses = refuses,
};

static struct append append_of(const struct format_file *file, bool shared)
{
	return (struct append){
		.kind = &logs, .path = file->path,
		.head = "#[Histogram log format version 1.3]\n",
		.start = file->how & FORMAT_FORCE && !shared ? APPEND_FORCE : APPEND_ADD,
	};
}

static int check_hdr(const struct format_file *file)
{
	const struct append a = append_of(file, false);

	return append_check(&a);
}

static int open_hdr(void *state, const struct format_file *file)
{
	struct hdr *h = state;

	h->append = append_of(file, file->how & FORMAT_SHARED);
	return 0;
}

/* A tag has no blanks and commas. */
static void set_cell(struct hdr *h, const char *cell)
{
	snprintf(h->cell, sizeof(h->cell), "%s", cell);
	for (char *c = h->cell; *c; c++)
		if (*c == ' ' || *c == ',')
			*c = '_';
}

static int add_point(struct hdr *h, const struct event_point *ended)
{
	const struct histogram *ps = ended->detail->latency;
	char *histogram = encoded(ps), *line = NULL, tag[TAG];
	const double length = (double)ended->detail->threads->tx_window_ns / 1e9;
	struct timespec now = { .tv_sec = 0 };
	int rc;

	snprintf(tag, sizeof(tag), "%s_%" PRIu64, h->test, (uint64_t)ended->point->size_bytes);
	clock_gettime(CLOCK_REALTIME, &now);
	if (!histogram ||
	    asprintf(&line, "Tag=%s,%.3f,%.3f,%.6f,%s\n", h->cell[0] ? h->cell : tag,
		     (double)now.tv_sec + (double)now.tv_nsec / 1e9 - length, length,
		     (double)ps->max / 1e9, histogram) < 0)
		line = NULL;
	rc = line ? append_line(&h->append, line) : err_set(-ENOMEM, "no memory for a line of %s",
							    h->append.path);
	free(histogram);
	free(line);
	return rc;
}

static int take_hdr(void *state, const struct event *event)
{
	struct hdr *h = state;
	int rc = 0;

	if (event->kind == EVENT_CELL)
		set_cell(h, event->cell->text);
	if (event->kind == EVENT_PLAN)
		snprintf(h->test, sizeof(h->test), "%s",
			 kind_test_names[event->plan->plan->work.test]);
	if (event->kind == EVENT_POINT && event->point->detail->latency &&
	    event->point->detail->latency->max)
		rc = add_point(h, event->point);
	if (rc && !h->rc) {
		h->rc = rc;
		snprintf(h->error, sizeof(h->error), "%s", err_text());
	}
	return event->kind == EVENT_CELL_END ? h->rc : 0;
}

static int close_hdr(void *state)
{
	struct hdr *h = state;
	int rc = append_close(&h->append);

	return h->rc ? err_set(h->rc, "%s", h->error) : rc;
}

const struct format format_hdr = {
	.size = sizeof(struct hdr),
	.check = check_hdr,
	.open = open_hdr,
	.take = take_hdr,
	.close = close_hdr,
};
