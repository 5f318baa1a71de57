/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Lists of nodes, from the environment and from files of people. */
#include "config.h"

#include "fuzz.h"
#include "schedule/node_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct node_list list;
	char *text = fuzz_text(data, size);
	char path[32];
	int fd;

	if (!node_list_parse(&list, "nodes", text) && (!list.n || list.n > MESH_NODES_MAX))
		abort();
	node_list_free(&list);
	free(text);
	fuzz_file(data, size, &fd, path);
	(void)!node_list_read(&list, path);
	node_list_free(&list);
	close(fd);
	return 0;
}
