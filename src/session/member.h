/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Structs to JSON objects and back by tables: a row per member says its name, its place in the
 * struct and its range, for both directions. Knows no message.
 */
#ifndef MEMBER_H
#define MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

enum member_type { MEMBER_BOOL, MEMBER_U32, MEMBER_U64, MEMBER_DOUBLE, MEMBER_TEXT };

/*
 * UINT32_MAX and UINT64_MAX, the marks of "none" and "any", are null in JSON, whose integers are
 * signed and of 64 bits in most readers; so is NAN. With names it is an enum and goes by name.
 */
struct member {
	const char *name;
	enum member_type type;
	size_t off, size;
	uint64_t max;              /* of an integer; 0: what the type holds, null included */
	const char *const *names;
	uint32_t n_names;
};

/* An enum is compatible with unsigned int (GCC manual, 4.9), hence taken for uint32_t here. */
#define MEMBER_FIELD(s, f) \
	.off = offsetof(struct s, f), .size = sizeof(((struct s *)0)->f), \
	.type = _Generic(((struct s *)0)->f, bool: MEMBER_BOOL, uint32_t: MEMBER_U32, \
			 uint64_t: MEMBER_U64, double: MEMBER_DOUBLE, char *: MEMBER_TEXT)

struct member_table {
	const char *message;       /* for sentences */
	const struct member *members;
	size_t n;
};

/* Adds the members of *from to obj; returns obj, or NULL (obj released) when memory is short. */
json_t *member_encode(json_t *obj, const struct member_table *table, const void *from);

/*
 * Fills those fields of *to that are in the table. -EBADMSG with a sentence for a member that is
 * missing, of another type, out of range, too long or no known spelling; *to is then half filled.
 * Texts come out as printable ASCII.
 */
int member_decode(void *to, const struct member_table *table, const json_t *obj)
	__attribute__((warn_unused_result));

/* -EPROTO with a sentence naming the first member that is not equal in both. */
int member_compare(const struct member_table *table, const json_t *own, const json_t *peers)
	__attribute__((warn_unused_result));

#endif
