/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Device profiles of the emulated HCA, which users write. */
#include "config.h"
#include "config/profile.h"

#include "config/settings.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile profile;
	char path[32];
	int fd;

	fuzz_file(data, size, &fd, path);
	for (uint32_t dev = 0; dev < 2; dev++)
		(void)!profile_load(&profile, path, (struct profile_of){ .dev = dev, .node = dev });
	close(fd);
	return 0;
}
