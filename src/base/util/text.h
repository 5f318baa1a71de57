/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Texts from the peer, a device or a file: made safe for a terminal, CSV and JSON; the numbers in
 * them; and small text files of the kernel.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Copies src to text as printable ASCII, cut to size - 1 characters (size is at least 1): a control
 * character becomes a space, a byte beyond ASCII '?'. src and text may be the same. Returns text.
 */
const char *text_clean(const char *src, char *text, size_t size);

/*
 * Overwrites with '?' each byte of a control character: C0, DEL, C1 (U+0080 to U+009F, which a
 * terminal obeys like ESC: ECMA-48, 5.3), of a character that cannot be seen but changes how others
 * are (U+202E: from right to left), and each byte that is not UTF-8. The length stays.
 */
void text_shown(char *text, size_t len);

/* How many bytes there are before the first that text_shown() would overwrite. */
size_t text_visible(const char *text, size_t len);

/*
 * Appends to a text of an array of size characters (at least 4), with between in front unless it
 * is empty. A text that does not fit ends with "...".
 */
void text_add(char *text, size_t size, const char *between, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Written before a text of a CSV cell that a spreadsheet would take for a formula. */
#define TEXT_CSV_MARK '\''

/*
 * Would a spreadsheet execute this text? It begins with '=', '+', '-', '@', a tab or a carriage
 * return, after any number of marks. Such texts are written with one more mark.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
bool text_is_formula(const char *text);

/* The text of a CSV cell without the mark added when it was written. Numbers are unchanged. */
const char *text_unmark(const char *text);

/*
 * A decimal as in JSON: sign, digits, fraction, exponent; also ".5" and "5.". Rows have a hundred
 * million of them, so the common forms have a fast path. -EBADMSG without an error message: not a
 * number, or not finite; *value is unchanged.
 */
int text_scan_number(const char *text, double *value) __attribute__((warn_unused_result));

/* "5%" or "2.5": digits, a point, "%" at most. -EBADMSG as above. */
int text_scan_percent(const char *text, double *percent) __attribute__((warn_unused_result));

/* Is this text of an integer its shortest spelling? */
bool text_is_plain_number(const char *text);

/* The shortest spelling of the value: "%.15g". Returns text. */
const char *text_of_number(double value, char *text, size_t size);

/* "100 bytes", "1.5 GiB", to four digits. Returns text. */
const char *text_of_bytes(uint64_t bytes, char *text, size_t size);

/*
 * Read a file of /proc or /sys, or its first line without the newline. A text that does not fit is
 * cut; "" when the file cannot be read. Return text.
 */
const char *text_read(const char *path, char *text, size_t size);
const char *text_read_line(const char *path, char *text, size_t size);

/* ---- screen.c: the width of output for people, and text wrapped to that width */

#define SCREEN_COLUMNS 80         /* without a terminal */
#define SCREEN_UNLIMITED 1000000  /* no line is wrapped */

/* The width of the terminal of standard output, at least SCREEN_COLUMNS; else SCREEN_COLUMNS. */
int screen_columns(void);

/*
 * The same for lines that scripts search, such as those of --expect: where out is no terminal each
 * stays one line.
 */
int screen_line_columns(FILE *out);

/*
 * Prints the words of text in lines of at most width columns, and a newline. The first line begins
 * at column col, where the caller has printed; the others are indented. A word longer than a line
 * gets its own line.
 */
struct screen_place {
	int col, indent, width;
};

void screen_wrap(FILE *out, const char *text, struct screen_place place);

/*
 * Prints text of several lines: each unchanged if it fits the width, else wrapped as by
 * screen_wrap(), with continuation lines indented by four more columns.
 */
void screen_fold(FILE *out, const char *text, int width);

/* The ending of a noun: "" for one, else "s". */
static inline const char *text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
