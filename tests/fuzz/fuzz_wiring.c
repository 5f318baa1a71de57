/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Cables of a fabric, as ibnetdiscover prints them. */
#include "config.h"

#include "fuzz.h"
#include "wiring/wiring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wiring *w;
	uint32_t leaf, *hops;
	char path[32];
	int fd;

	fuzz_file(data, size, &fd, path);
	if (!wiring_read(&w, path)) {
		leaf = wiring_leaf(w, "n1", "mlx5_0");
		hops = calloc(wiring_switches(w), sizeof(*hops));
		if (!hops || (leaf != WIRING_NONE && leaf >= wiring_switches(w)))
			abort();
		wiring_hops(w, leaf == WIRING_NONE ? 0 : leaf, hops);
		free(hops);
		wiring_free(w);
	}
	close(fd);
	return 0;
}
