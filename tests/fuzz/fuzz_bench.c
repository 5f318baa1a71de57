/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Files of scenarios, which come with the program or from a colleague. */
#include "config.h"

#include "fuzz.h"
#include "sweep/bench_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bench bench;
	char path[32];
	int fd;

	fuzz_file(data, size, &fd, path);
	if (!bench_read(&bench, path))
		bench_free(&bench);
	close(fd);
	return 0;
}
