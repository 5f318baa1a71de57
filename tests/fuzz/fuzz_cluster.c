/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Topologies of the emulated HCA, which users write; and a way between any two nodes of them. */
#include "config.h"
#include "config/topology.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology_way way;
	struct topology *t;
	char path[32];
	int fd;

	fuzz_file(data, size, &fd, path);
	t = topology_load(path);
	close(fd);
	for (uint32_t i = 0; t && i < 64; i++) {
		const struct topology_end from = { i % 40, i % 8 }, to = { i / 2, i % 3 };

		if (topology_way(t, &from, &to, i, &way))
			for (uint32_t n = 0; n < way.n; n++)
				if (way.pipe[n] >= 2 * t->n_uplinks)
					abort();
	}
	free(t);
	return 0;
}
