/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Files of samples (--dump-samples): CSV with a line per sample. First the columns of rows that say
 * what the sample is of, equal in all lines of a point; then how many samples the point had and how
 * many of them are in the file, the number of this one from 0, and its time in ns: of an open loop
 * response and service time. The lines of a point follow one another. Written by
 * write/format_dump_samples.c, read by read/rows_samples.c.
 */
#ifndef ROW_SAMPLES_H
#define ROW_SAMPLES_H

#define ROW_SAMPLES_SCHEMA 1
#define ROW_SAMPLES_BEGINS "samples_schema,"

/* Of row.def. */
#define ROW_SAMPLES_COLUMNS(COLUMN) \
	COLUMN(scenario) COLUMN(cell) COLUMN(test) COLUMN(transport) COLUMN(opcode) \
	COLUMN(completion) COLUMN(size_bytes) COLUMN(emulated) COLUMN(lat_kind) COLUMN(status)

#define ROW_SAMPLES_NAME(name) #name ","
#define ROW_SAMPLES_HEAD ROW_SAMPLES_BEGINS ROW_SAMPLES_COLUMNS(ROW_SAMPLES_NAME) \
	"measured,samples,sample,latency_ns,response_ns,service_ns\n"

#endif
