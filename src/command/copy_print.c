/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the text about copies. Called by copy.c and results.c. */
#include "config.h"
#include "command/copy_print.h"

#include <inttypes.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/text.h"

#define SHOW_NS 200000000u
#define CLEAR "\r\033[K"

void copy_print(FILE *out, const struct copy_report *r)
{
	const double seconds = (double)r->ns / 1e9;
	char name[COPY_NAME_MAX];

	if (r->emulated)
		fprintf(out, "emulated: these are not results of a real HCA\n");
	fprintf(out, "copied %s, checked on both sides\n", text_clean(r->file->name, name, sizeof(name)));
	fprintf(out, "%" PRIu64 " bytes in %.6f seconds = %.4f Gbit/s\n", r->file->size_bytes,
		seconds, seconds > 0 ? (double)r->file->size_bytes * 8 / seconds / 1e9 : 0);
	fprintf(out, "sha256 %s\n", r->sha256);
	fflush(out);
}

struct copy_meter copy_meter_begin(void)
{
	return (struct copy_meter){
		.out = isatty(STDERR_FILENO) ? stderr : NULL,
		.begin_ns = clock_ns(),
	};
}

void copy_meter_show(struct copy_meter *m, uint64_t bytes, uint64_t of_bytes)
{
	const uint64_t now_ns = clock_ns();
	const double seconds = (double)(now_ns - m->begin_ns) / 1e9;

	if (!m->out || now_ns - m->shown_ns < SHOW_NS)
		return;
	m->shown_ns = now_ns;
	fprintf(m->out, CLEAR "%3.0f %%  %.1f of %.1f MB  %.3f Gbit/s",
		of_bytes ? 100.0 * (double)bytes / (double)of_bytes : 100.0, (double)bytes / 1e6,
		(double)of_bytes / 1e6, (double)bytes * 8 / seconds / 1e9);
	fflush(m->out);
}

void copy_meter_end(struct copy_meter *m)
{
	if (!m->out || !m->shown_ns)
		return;
	fputs(CLEAR, m->out);
	fflush(m->out);
}
