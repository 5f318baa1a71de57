/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* SHA-256 of a file, part by part. libcrypto computes it. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "copy/copy.h"

struct digest {
	void *context; /* EVP_MD_CTX */
};

/* -ENOMEM or -EIO with an error message: libcrypto refuses (a policy may forbid a digest). */
int digest_open(struct digest *d) __attribute__((warn_unused_result));
int digest_add(struct digest *d, const void *bytes, size_t len) __attribute__((warn_unused_result));
/* Once, after the last digest_add(). */
int digest_end(struct digest *d, uint8_t sha256[COPY_SHA256_BYTES])
	__attribute__((warn_unused_result));
/* Accepts a zeroed one. */
void digest_close(struct digest *d);

void digest_text(const uint8_t sha256[COPY_SHA256_BYTES], char text[COPY_SHA256_TEXT]);

#endif
