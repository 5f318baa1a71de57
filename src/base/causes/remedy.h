/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room causes: what a user can do about the most common failures: one table of causes, of commands
 * that show them, and of remedies (remedy.def). It detects nothing; the code that reports a failure
 * knows its cause.
 */
#ifndef REMEDY_H
#define REMEDY_H

#include <stddef.h>
#include <stdint.h>

enum remedy {
#define REMEDY(name, cause, see, remedy) REMEDY_##name,
#include "causes/remedy.def"
	REMEDY_COUNT
};

/* Values for the words HOST, ADDRESS and PORT of a row. NULL, 0: unknown, the word stays. */
struct remedy_words {
	const char *host, *address;
	uint32_t port;
};

/* "NO_SM": the cause of an error (err_cause()). Static. */
const char *remedy_name(enum remedy remedy);

/* "CAUSE; see: COMMAND; remedy: COMMAND", for texts other than error messages. Static, one line. */
const char *remedy_text(enum remedy remedy);

/*
 * Sets the message "FORMAT: CAUSE" (printf format), with the cause, the command that shows it and
 * the remedy. words: what is known, or NULL. Returns rc.
 */
int remedy_error(int rc, enum remedy remedy, const struct remedy_words *words, const char *fmt,
		 ...) __attribute__((format(printf, 4, 5)));

/*
 * Adds cause, command and remedy to the last message, which is more precise than CAUSE. Returns rc.
 */
int remedy_advise(int rc, enum remedy remedy, const struct remedy_words *words);

/*
 * Adds that of a limit of the system to the last message, if rc is of one (-EMFILE, -ENFILE,
 * -ENOMEM) and the message has no cause. Returns rc.
 */
int remedy_limit(int rc);

/* The remedy alone. */
const char *remedy_command(enum remedy remedy);

#endif
