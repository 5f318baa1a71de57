/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder remedy: what people can do about the failures that they meet first: one table of causes,
 * of commands that show them, and of remedies (remedy.def). It finds out nothing; who reports a
 * failure knows its cause.
 */
#ifndef REMEDY_H
#define REMEDY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum remedy {
#define REMEDY(name, failure, cause, see, remedy) REMEDY_##name,
#include "remedy/remedy.def"
	REMEDY_COUNT
};

/* What the words HOST, ADDRESS and PORT of a row stand for. NULL, 0: unknown, the word stays. */
struct remedy_words {
	const char *host, *address;
	uint32_t port;
};

/* "NO_SM": the cause of an error (err_set_cause()). Static. */
const char *remedy_name(enum remedy remedy);

/* The end of an error message: "CAUSE; see: COMMAND; remedy: COMMAND". Static, one line. */
const char *remedy_text(enum remedy remedy);

#define REMEDY_TEXT 400u

/* The same with what is known in place of its words. Returns text. */
const char *remedy_fill(char text[REMEDY_TEXT], enum remedy remedy,
			const struct remedy_words *words);

/* remedy_text() without the cause, for a message that has a more precise one. */
const char *remedy_advice(enum remedy remedy);

/* Only what mends it. */
const char *remedy_mends(enum remedy remedy);

/*
 * docs/troubleshooting.md: copies it, with the table between "<!-- remedies -->" and
 * "<!-- end -->" made again. -EINVAL with an error message: there is no such place.
 */
int remedy_doc(FILE *out, FILE *in) __attribute__((warn_unused_result));

#endif
