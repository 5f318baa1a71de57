/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room util: code that knows neither verbs nor options: errors, log, clock, signals, text,
 * statistics, fields.
 *
 * This header: the description of a struct field. A table of these rows is the only place that
 * holds a field's name, unit, range, spellings and meaning; options, control messages, results,
 * columns and documents are generated from it.
 *
 * A struct that has a table is declared in a .def file, one row per field:
 *
 *	FIELD(uint64_t, sent, .merge = FIELD_SUM, .flags = FIELD_WIRE, .help = "...")
 *	FIELD_TEXT_ROW(64, host, .flags = FIELD_WIRE, .help = "...")
 *
 * The header includes the file to declare the struct, with FIELD and FIELD_TEXT_ROW defined as
 * FIELD_DECLARE and FIELD_DECLARE_TEXT. The .c file includes it again to make the table, with both
 * defined by FIELD_ROW. The .def file undefines them at its end. So a field is one row of one file.
 */
#ifndef FIELD_H
#define FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <jansson.h>

enum field_type {
	FIELD_BOOL,
	FIELD_U32,    /* also an enum, with names */
	FIELD_U64,
	FIELD_F64,
	FIELD_TEXT,   /* char[size] inside the struct */
	FIELD_STRING, /* const char *, borrowed; NULL: not given */
	FIELD_STRUCT  /* a struct inside the struct, described by table */
};

/*
 * How a field is marked absent. FIELD_MARK: all ones in an integer, NAN in a real, "" in a text.
 * Absent is null in JSON, an empty cell in CSV, "-" in the table for people.
 */
enum field_absent { FIELD_MARK, FIELD_ZERO, FIELD_NEVER };

/*
 * How the values of two threads are merged. Absent values are skipped. FIELD_KEEP: not merged, the
 * caller does it. FIELD_FIRST: the first value that is not absent.
 */
enum field_merge { FIELD_KEEP, FIELD_SUM, FIELD_MIN, FIELD_MAX, FIELD_AND, FIELD_FIRST };

#define FIELD_RATE_SHARE (UINT64_C(1) << 62) /* above every rate */
#define FIELD_RATE_SHARE_MAX 200000u         /* 200% */

enum {
	FIELD_WIRE = 1u << 0,      /* part of the control message of its struct */
	FIELD_COLUMN = 1u << 1,    /* a column of CSV, a key of a JSON row */
	FIELD_DETAIL = 1u << 2,    /* in the JSON detail of each thread */
	FIELD_FLAT = 1u << 3,      /* of a FIELD_STRUCT: its fields are among those around it */

	/* the text of an option */
	FIELD_AUTO = 1u << 8,      /* "auto" is a value: all ones */
	FIELD_NONE = 1u << 9,      /* "none" is a value: all ones */
	FIELD_FOREVER = 1u << 19,  /* of a 32-bit FIELD_TIME: "forever" is FIELD_FOREVER_VALUE */
	FIELD_SIZE = 1u << 10,     /* accepts k, M, G and KiB, MiB, GiB: binary */
	FIELD_COUNT = 1u << 16,    /* accepts k, M, G: decimal */
	/*
	 * Of 64 bits, in thousandths, written as a decimal with k, M, G: "0.5" is 500, "2k" 2000000.
	 * "50%" is FIELD_RATE_SHARE and 50000.
	 */
	FIELD_RATE = 1u << 20,
	/*
	 * The unit of the field is "ms" or "us"; its text is "5", "0.5", "5s", "1m", "1h", "500ms",
	 * "20us". A number without a unit is in seconds, with FIELD_PLAIN in the unit of the field.
	 */
	FIELD_TIME = 1u << 11,
	FIELD_PLAIN = 1u << 17,
	FIELD_POW2 = 1u << 12,     /* only powers of two */
	FIELD_HEX = 1u << 15,      /* accepts 0x and hexadecimal digits; its range is shown so */
	/*
	 * Another name of the option with the same offset. def is the value that it stands for;
	 * without def it takes a value, as an old name of an option does.
	 */
	FIELD_ALIAS = 1u << 13,
	FIELD_DAILY = 1u << 18,    /* common: in the short help */
	FIELD_INTERNAL = 1u << 14  /* not a command-line option: set by the program */
};

struct field_table;

/* Zero and NULL mean: none, no limit, no restriction. */
struct field {
	const char *name;             /* as in the struct, unless the row gives another one */
	enum field_type type;
	size_t off, size;
	unsigned flags;
	enum field_absent absent;
	enum field_merge merge;
	uint64_t min, max;            /* of an integer, in the unit of the field; max 0: no limit */
	const char *const *names;     /* spellings, NULL-terminated: the index is the value */
	const struct field_table *table; /* FIELD_STRUCT */
	const char *unit;             /* "ns", "bytes"; NULL: a pure number or a text */
	bool pairs;                   /* FIELD_TEXT: "NAME=1 NAME=2", an object in a JSON row */
	const char *help;             /* one line: meaning, formula, source */

	/* of an option */
	const char *option;           /* "recv-depth"; NULL: the name with '-' for '_' */
	char letter;
	const char *label;            /* name in error messages; NULL: by letter and option */
	const char *chosen;           /* for the help: what is used if it is "auto" or not given */
	const char *more;             /* for the help, after chosen */
	const char *def;              /* default, parsed as user input; NULL: 0, false, not given */
	const char *arg;              /* "BYTES" in help */
	const char *group;            /* heading in help, on the first row of a group */
	uint32_t tests;               /* bit per test that it affects */
	uint32_t transports;          /* bit per transport */
	uint32_t commands;            /* bit per kind of command that accepts it */
};

struct field_table {
	const char *what;             /* "limits": for error messages */
	const struct field *rows;
	size_t n;
};

/* gcc and clang give an enum the type unsigned int (GCC manual, 4.9), so it is a FIELD_U32. */
#define FIELD_TYPE_OF(value) _Generic((value), bool: FIELD_BOOL, uint32_t: FIELD_U32, \
	uint64_t: FIELD_U64, double: FIELD_F64, char *: FIELD_TEXT, const char *: FIELD_STRING, \
	default: FIELD_STRUCT)

/*
 * A row of a table: offset, size and type come from the field itself. FIELD_AT: without the name.
 */
#define FIELD_AT(s, f) .off = offsetof(s, f), .size = sizeof(((s *)0)->f), \
	.type = FIELD_TYPE_OF(((s *)0)->f)
#define FIELD_OF(s, f) .name = #f, FIELD_AT(s, f)

/* Definitions of FIELD and FIELD_TEXT_ROW for a .def file: see above. */
#define FIELD_DECLARE(t, f, ...) t f;
#define FIELD_DECLARE_TEXT(n, f, ...) char f[n];
#define FIELD_ROW(s, f, ...) { FIELD_OF(s, f), __VA_ARGS__ },

#define FIELD_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#define FIELD_TEXT_MAX 512    /* enough for the text of any value, label or range */
#define FIELD_FOREVER_VALUE (UINT32_MAX - 1)
#define FIELD_DIGITS 9        /* significant digits of a real in files */

/* ---- one value: field.c */

/* The row of that name, or NULL. */
const struct field *field_find(const struct field_table *table, const char *name);

/*
 * The row at that offset of the table's struct, also in nested structs; NULL if there is none.
 * *base: the offset of the struct that the row is relative to.
 */
const struct field *field_at(const struct field_table *table, size_t off, size_t *base);

/* The stored value of an integer, bool or enum; obj is the struct. */
uint64_t field_integer(const struct field *f, const void *obj);
double field_real(const struct field *f, const void *obj);
/* Is it written as text: FIELD_TEXT, FIELD_STRING or an enum? */
bool field_is_text(const struct field *f);
/* The text; for an enum its spelling, "" if it has none. */
const char *field_text(const struct field *f, const void *obj);
void field_set_integer(const struct field *f, void *obj, uint64_t value);
void field_set_real(const struct field *f, void *obj, double value);
/* For a FIELD_TEXT: cut to size - 1 characters. */
void field_set_text(const struct field *f, void *obj, const char *text);
/* Sets an enum by its spelling. False: there is none that compare() finds equal (strcmp()). */
bool field_set_name(const struct field *f, void *obj, const char *name,
		    int (*compare)(const char *, const char *));
bool field_is_absent(const struct field *f, const void *obj);

/* All ones of the integer: the mark of absent, and of "auto" and "none"; 1 for a bool. */
uint64_t field_all_ones(const struct field *f);

/* Makes every field absent; bools false, FIELD_NEVER zero, also in nested structs. */
void field_clear(const struct field_table *table, void *obj);

/* ---- text from users: field_parse.c */

/* "recv-depth": the long name of the option. Returns text. */
const char *field_option(const struct field *f, char *text, size_t size);

/* "-s (--size)", "--pin", or its label: the option's name in messages. Returns text. */
const char *field_label(const struct field *f, char *text, size_t size);

/* "1..16384 or auto", "RC, UC, UD": the allowed values. Returns text. */
const char *field_range(const struct field *f, char *text, size_t size);

/* A number of the field as a user writes it: 2G, 90s, 0.5. Not for all ones. Returns text. */
const char *field_number(const struct field *f, uint64_t v, char *text, size_t size);

/*
 * Parses text into the field: names are case-insensitive, numbers are in the unit of the flags. A
 * FIELD_BOOL becomes true and ignores text; a FIELD_STRING borrows text; a real, a FIELD_TEXT and a
 * FIELD_STRUCT are refused. -EINVAL with an error message that has label, value and range.
 */
int field_parse(const struct field *f, void *obj, const char *text)
	__attribute__((warn_unused_result));

/* Sets every default of the table; 0, false or NULL in a field without one. */
int field_defaults(const struct field_table *table, void *obj) __attribute__((warn_unused_result));

/* ---- text in files: field_format.c */

/*
 * The value as in CSV, not quoted, printable ASCII on one line; "" when absent. Reals have up to
 * FIELD_DIGITS significant digits and no exponent. Returns text.
 */
const char *field_format(const struct field *f, const void *obj, char *text, size_t size);

/*
 * The reverse: reads the output of field_format(). -EBADMSG with an error message that has name,
 * text and what is expected. Not for FIELD_STRING and FIELD_STRUCT.
 */
int field_scan(const struct field *f, void *obj, const char *text)
	__attribute__((warn_unused_result));

/* ---- JSON: field_json.c */

/*
 * One value; null when absent. A real has all its digits. Texts are made printable ASCII. New
 * reference; NULL when memory is short or the value has no spelling.
 */
json_t *field_json(const struct field *f, const void *obj);

/* Adds the rows with any of these flags to json. Returns json, or NULL (json released). */
json_t *field_encode(json_t *json, const struct field_table *table, const void *obj,
		     unsigned flags);

/*
 * Fills the fields of the FIELD_WIRE rows. -EBADMSG with an error message when one is missing, has
 * the wrong type, is out of range, too long or has no known spelling; the struct is then partly
 * filled. Texts are made printable ASCII; a FIELD_STRING is borrowed unchanged from json.
 */
int field_decode(const struct field_table *table, void *obj, const json_t *json)
	__attribute__((warn_unused_result));

/* -EPROTO with an error message that names the first row that differs. */
int field_compare(const struct field_table *table, const json_t *own, const json_t *peers)
	__attribute__((warn_unused_result));

/* ---- threads: field.c */

/* Merges one thread's values into sum, as each row's merge says. */
void field_merge(const struct field_table *table, void *sum, const void *one);

/*
 * For each row that adds up (FIELD_SUM): since becomes now - before, 0 if now is less; absent if
 * now is absent, and now if before is absent. Other rows, and nested structs, are unchanged.
 */
void field_since(const struct field_table *table, void *since, const void *now,
		 const void *before);

/* ---- documents: field_format.c */

/* "integer", "number", "string": the JSON type. */
const char *field_type_name(const struct field *f);

/*
 * Copies a document and regenerates its tables: the lines between "<!-- NAME -->" and
 * "<!-- end -->" are those that table() prints for the name. False from it: there is no such table.
 * -EBADMSG with an error message for an unknown name, a missing end, or a document without a table;
 * -errno when out fails.
 */
int field_document(FILE *out, FILE *in, bool (*table)(FILE *out, const char *name))
	__attribute__((warn_unused_result));

#endif
