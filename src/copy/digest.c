/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only file that knows libcrypto: EVP_DigestInit(3). Called by transfer_send.c and
 * transfer_receive.c.
 */
#include "config.h"
#include "copy/digest.h"

#include <errno.h>
#include <stdio.h>
#include <openssl/evp.h>

#include "util/err.h"

static int failed(void)
{
	return err_set(-EIO, "libcrypto cannot compute a SHA-256");
}

int digest_open(struct digest *d)
{
	d->context = EVP_MD_CTX_new();
	if (!d->context)
		return err_set(-ENOMEM, "no memory for a SHA-256");
	return EVP_DigestInit_ex(d->context, EVP_sha256(), NULL) ? 0 : failed();
}

int digest_add(struct digest *d, const void *bytes, size_t len)
{
	return EVP_DigestUpdate(d->context, bytes, len) ? 0 : failed();
}

int digest_end(struct digest *d, uint8_t sha256[COPY_SHA256_BYTES])
{
	unsigned int len = 0;

	return EVP_DigestFinal_ex(d->context, sha256, &len) && len == COPY_SHA256_BYTES ? 0 :
										      failed();
}

void digest_close(struct digest *d)
{
	EVP_MD_CTX_free(d->context);
	d->context = NULL;
}

void digest_text(const uint8_t sha256[COPY_SHA256_BYTES], char text[COPY_SHA256_TEXT])
{
	for (int i = 0; i < COPY_SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", sha256[i]);
}
