/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the list of first words; see verify_heads.h. */
#include "config.h"
#include "ep/verify_heads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/payload.h"
#include "util/err.h"

static uint64_t first_word(const uint8_t *at, uint64_t len)
{
	uint64_t word = 0;

	memcpy(&word, at, len < sizeof(word) ? len : sizeof(word));
	return word;
}

static int compare_heads(const void *a, const void *b)
{
	const struct verify_head *x = a, *y = b;

	return x->word < y->word ? -1 : x->word > y->word;
}

int verify_heads_list(struct verify_heads *heads, uint32_t qp, uint32_t n_qps)
{
	const uint32_t bufs = heads->bufs, n = bufs * n_qps;
	const uint64_t bytes = heads->len < sizeof(uint64_t) ? heads->len : sizeof(uint64_t);

	heads->all = calloc(n, sizeof(*heads->all));
	if (!heads->all)
		return err_set(-ENOMEM, "cannot allocate a list of %u buffers", n);
	heads->n = n;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t of = qp + i / bufs, b = i % bufs;
		uint8_t head[sizeof(uint64_t)];

		payload_fill(head, bytes, heads->sender, heads->first_qp + of, b);
		heads->all[i] = (struct verify_head){ first_word(head, bytes), of, b };
	}
	qsort(heads->all, n, sizeof(*heads->all), compare_heads);
	return 0;
}

bool verify_heads_fit(const struct verify_heads *heads, const uint8_t *at)
{
	const uint64_t word = first_word(at, heads->len);
	uint32_t low = 0, high = heads->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (heads->all[middle].word < word)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < heads->n && heads->all[low].word == word; low++)
		if (!payload_check(at, heads->len, heads->sender,
				   heads->first_qp + heads->all[low].qp, heads->all[low].buf))
			return true;
	return false;
}

void verify_heads_free(struct verify_heads *heads)
{
	free(heads->all);
	heads->all = NULL;
	heads->n = 0;
}
