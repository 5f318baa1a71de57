/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The places of all threads of a request. */
#ifndef TOPO_PLACEMENT_H
#define TOPO_PLACEMENT_H

#include "topo/topo_place.h"

struct topo_placement {
	uint32_t n;
	struct topo_place *places;   /* owned: topo_placement_free() */
	char note[TOPO_TEXT_MAX];    /* --pin auto: why no thread is bound; "": threads are bound */
};

/*
 * Chooses a place for each of request->threads threads. Pure: it binds nothing. 0; -EINVAL with an
 * error message when the request cannot be met. An HCA of unknown location is no error with --pin
 * auto: the threads are then not bound, and out->note says so.
 */
int topo_placement_choose(struct topo_placement *out, const struct topo *t,
			  const struct topo_hca *hca, const struct topo_request *request)
	__attribute__((warn_unused_result));
void topo_placement_free(struct topo_placement *p);

#endif
