/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The keys of a profile and their values; see profile.h. Called by profile.c. */
#include "config.h"
#include "config/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"

static const struct profile_word profile_node_types[] = {
	{ "ca", IBV_NODE_CA }, { "rnic", IBV_NODE_RNIC }, { "unspecified", IBV_NODE_UNSPECIFIED },
	{ NULL, 0 },
};

static const struct profile_word profile_transports[] = {
	{ "ib", IBV_TRANSPORT_IB }, { "iwarp", IBV_TRANSPORT_IWARP },
	{ "unspecified", IBV_TRANSPORT_UNSPECIFIED }, { NULL, 0 },
};

static const struct profile_word profile_link_layers[] = {
	{ "ethernet", IBV_LINK_LAYER_ETHERNET }, { "infiniband", IBV_LINK_LAYER_INFINIBAND },
	{ "unspecified", IBV_LINK_LAYER_UNSPECIFIED }, { NULL, 0 },
};

static const struct profile_word profile_port_states[] = {
	{ "active", IBV_PORT_ACTIVE }, { "init", IBV_PORT_INIT }, { "down", IBV_PORT_DOWN },
	{ NULL, 0 },
};

static const struct profile_word profile_mtus[] = {
	{ "256", IBV_MTU_256 }, { "512", IBV_MTU_512 }, { "1024", IBV_MTU_1024 },
	{ "2048", IBV_MTU_2048 }, { "4096", IBV_MTU_4096 }, { NULL, 0 },
};

static const struct profile_word profile_atomics[] = {
	{ "none", IBV_ATOMIC_NONE }, { "hca", IBV_ATOMIC_HCA }, { "glob", IBV_ATOMIC_GLOB },
	{ NULL, 0 },
};

static const struct profile_word profile_inlines[] = {
	{ "refuse", PROFILE_INLINE_REFUSE }, { "less", PROFILE_INLINE_LESS },
	{ "ignore", PROFILE_INLINE_IGNORE }, { NULL, 0 },
};

static const struct profile_word profile_rounds[] = {
	{ "none", PROFILE_ROUND_NONE }, { "pow2", PROFILE_ROUND_POW2 }, { NULL, 0 },
};

static const struct profile_word profile_paced[] = {
	{ "all", PROFILE_PACED_ALL }, { "rc", PROFILE_PACED_RC },
	{ "uc_ud", PROFILE_PACED_UC_UD }, { "raw_packet", PROFILE_PACED_RAW },
	{ "none", PROFILE_PACED_NONE }, { NULL, 0 },
};

static const struct profile_word profile_errnos[] = {
	{ "EOPNOTSUPP", EOPNOTSUPP }, { "EINVAL", EINVAL }, { "ENOSYS", ENOSYS }, { NULL, 0 },
};

static const struct profile_word flags[] = { { "yes", 1 }, { "no", 0 }, { NULL, 0 } };

static const struct profile_word ops[] = {
	{ "send", PROFILE_SEND }, { "send_imm", PROFILE_SEND_IMM }, { "write", PROFILE_WRITE },
	{ "write_imm", PROFILE_WRITE_IMM }, { "read", PROFILE_READ },
	{ "fetch_add", PROFILE_FETCH_ADD }, { "cmp_swap", PROFILE_CMP_SWAP },
	{ "atomic_write", PROFILE_ATOMIC_WRITE }, { "flush_global", PROFILE_FLUSH_GLOBAL },
	{ "flush_persistent", PROFILE_FLUSH_PERSISTENT },
	{ "send_inv", PROFILE_SEND_INV }, { "bind", PROFILE_BIND },
	{ "local_inv", PROFILE_LOCAL_INV }, { "fence", PROFILE_FENCE },
	{ "signaled", PROFILE_SIGNALED }, { "solicited", PROFILE_SOLICITED },
	{ "inline", PROFILE_INLINE }, { NULL, 0 },
};

#define AT(key) offsetof(struct profile, key)

const struct profile_key profile_keys[] = {
#define TEXT(key, text) { #key, PROFILE_IS_TEXT, AT(key), 0, 0, 0, NULL, text },
#define NUMBER(key, value, min, max, text) \
	{ #key, PROFILE_IS_NUMBER, AT(key), value, min, max, NULL, text },
#define CODE(key, value, words, text) { #key, PROFILE_IS_CODE, AT(key), value, 0, 0, words, text },
#define FLAG(key, value, text) { #key, PROFILE_IS_FLAG, AT(key), value, 0, 0, flags, text },
#define OPS(key, value, text) { #key, PROFILE_IS_OPS, AT(key), value, 0, 0, ops, text },
#define TIME(key, text) { #key, PROFILE_IS_TIME, AT(key), 0, 0, 0, NULL, text },
#include "config/profile.def"
};

const uint32_t profile_n_keys = sizeof(profile_keys) / sizeof(profile_keys[0]);

const struct profile_key *profile_key(const char *name)
{
	for (uint32_t i = 0; i < profile_n_keys; i++)
		if (!strcmp(profile_keys[i].name, name))
			return &profile_keys[i];
	return NULL;
}

static int find(const struct profile_word *words, const char *word, uint64_t *value)
{
	for (; words->word; words++) {
		if (strcmp(words->word, word))
			continue;
		*value = words->value;
		return 0;
	}
	return -EINVAL;
}

/* Decimal, or hexadecimal after 0x. */
static int number(const struct profile_key *key, const char *value, uint64_t *n)
{
	const bool hexadecimal = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
	char *end;

	errno = 0;
	*n = strtoull(value, &end, hexadecimal ? 16 : 10);
	if (errno || end == value || *end || *value == '-')
		return -EINVAL;
	return *n < key->min || *n > key->max ? -EINVAL : 0;
}

/* "send, write", or "none". */
static int set_of_ops(const char *value, uint64_t *set)
{
	char copy[256], *save = NULL;
	uint64_t one;

	*set = 0;
	if (!strcmp(value, "none"))
		return 0;
	if ((size_t)snprintf(copy, sizeof(copy), "%s", value) >= sizeof(copy))
		return -EINVAL;
	for (char *word = strtok_r(copy, ", \t", &save); word;
	     word = strtok_r(NULL, ", \t", &save)) {
		if (find(ops, word, &one))
			return -EINVAL;
		*set |= one;
	}
	return *set ? 0 : -EINVAL;
}

static void say_words(const struct profile_word *words, char *text, size_t size)
{
	size_t len = 0;

	for (; words->word && len < size; words++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "",
					words->word);
}

static void say_allowed(const struct profile_key *key, char *text, size_t size)
{
	switch (key->kind) {
	case PROFILE_IS_TEXT:
		snprintf(text, size, "a text of at most %d characters", PROFILE_TEXT - 1);
		break;
	case PROFILE_IS_NUMBER:
		snprintf(text, size, "a number from %" PRIu64 " to %" PRIu64, key->min, key->max);
		break;
	case PROFILE_IS_TIME:
		snprintf(text, size, VALUES_TIME);
		break;
	case PROFILE_IS_OPS:
		snprintf(text, size, "none, or some of ");
		say_words(key->words, text + strlen(text), size - strlen(text));
		break;
	case PROFILE_IS_CODE:
	case PROFILE_IS_FLAG:
		snprintf(text, size, "one of ");
		say_words(key->words, text + strlen(text), size - strlen(text));
		break;
	}
}

int profile_set(struct profile *p, const struct profile_key *key, const char *value,
		char *allowed, size_t size)
{
	char *at = (char *)p + key->offset;
	uint64_t n = 0;
	int rc = -EINVAL;

	switch (key->kind) {
	case PROFILE_IS_TEXT:
		rc = (size_t)snprintf(at, PROFILE_TEXT, "%s", value) < PROFILE_TEXT ? 0 : -EINVAL;
		break;
	case PROFILE_IS_NUMBER:
		rc = number(key, value, &n);
		break;
	case PROFILE_IS_CODE:
	case PROFILE_IS_FLAG:
		rc = find(key->words, value, &n);
		break;
	case PROFILE_IS_OPS:
		rc = set_of_ops(value, &n);
		break;
	case PROFILE_IS_TIME:
		rc = values_time(value, &n);
		break;
	}
	if (rc)
		say_allowed(key, allowed, size);
	else if (key->kind != PROFILE_IS_TEXT)
		memcpy(at, &n, sizeof(n));
	return rc;
}
