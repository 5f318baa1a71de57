/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room tables: what the command report makes of rows: summaries, pivots, comparisons, the page. It
 * measures nothing and knows no device.
 *
 *	tables.c       what the options ask for, summary and pivots
 *	compare.c      --compare
 *	verdict.c      its verdicts
 *	live.c         the page of rows that are measured now
 *	norm.c         what a norm asks for, beside the rows
*	matrix.c, matrix_nodes.c, matrix_sheets.c   the pairs of a mesh
 *	sheet.c        a table, and how it is printed
 *	content.c      what is around the tables in each format, the files of --html and --plot
 *	page.c, page_summary.c, page_matrix.c, page_tables.c, page.css   the page
 */
#ifndef TABLES_H
#define TABLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options/cfg.h"
#include "pictures/heat.h"
#include "pictures/plot.h"
#include "read/rows.h"
#include "read/condition.h"
#include "read/groups.h"

/* ---- sheet.c */

/*
 * A table that a report prints: names and settings at the left, figures at the right. It is filled
 * cell by cell, row by row.
 */
enum sheet_role {
	SHEET_KEY,     /* what the row is about */
	SHEET_FIGURE,
	SHEET_SPREAD,  /* n, min and max: not for people if no row is a repeat */
	SHEET_INTERVAL, /* of the median: not for people if no line has one */
	SHEET_WORD     /* a verdict, as a text */
};

struct sheet_column {
	char *key;            /* "bandwidth_gbit_s_min", owned */
	const char *head;     /* for people: the end of the key, "min" */
	enum sheet_role role;
	bool is_text;         /* a cell of it is a text, also "4k" */
};

struct sheet_cell {
	char *text;     /* owned; NULL: number */
	double number;  /* NAN: absent */
};

/* Zeroed: empty. */
struct sheet {
	char *title;                /* owned; NULL: none */
	struct sheet_column *columns;
	size_t n_columns;
	struct sheet_cell *cells;   /* n_rows times n_columns */
	size_t n_rows, room;
	bool repeats, intervals;    /* show SHEET_SPREAD, SHEET_INTERVAL to people, too */
};

/*
 * A column at the right, before the first row. Its key is the two texts, one after the other; a
 * suffix such as "_min" is what people see. Spread and interval stay beside the figure before.
 */
void sheet_column(struct sheet *sheet, enum sheet_role role, const char *key, const char *suffix);

/* A row at the end, all cells absent. */
void sheet_row(struct sheet *sheet);

/* A cell of the last row. */
void sheet_text(struct sheet *sheet, size_t column, const char *text);
void sheet_number(struct sheet *sheet, size_t column, double number);

void sheet_free(struct sheet *sheet);

#define SHEET_NUMBER 40
/* For people: 4 significant digits, integers as they are, no exponent below 10^15; NAN: "-". */
const char *sheet_number_text(double number, char text[SHEET_NUMBER]);
/* What people see of a cell: its text, its number, or "-". */
const char *sheet_cell_text(const struct sheet *sheet, size_t row, size_t column,
			    char text[SHEET_NUMBER]);
/* Do people see the column? */
bool sheet_is_shown(const struct sheet *sheet, size_t column);

/*
 * A table for people, also as Markdown, which knows no width. Lines of at most width columns, if
 * one figure and its key fit: what does not fit beside each other comes below, with the keys again.
 * Keys that take too much are lines between the rows.
 */
void sheet_print(FILE *out, const struct sheet *sheet, int width);
void sheet_print_markdown(FILE *out, const struct sheet *sheet);

/* A text that is only a text in Markdown and in a cell of its tables. */
void sheet_put_markdown(FILE *out, const char *text);

/* A line of keys, and a line per row; without the title. */
void sheet_print_csv(FILE *out, const struct sheet *sheet);

/* An integer where nothing is lost; null for NAN. New reference; NULL: no memory. */
json_t *sheet_number_json(double number);

/* An array with an object per row; absent is null. New reference; NULL: no memory. */
json_t *sheet_json(const struct sheet *sheet);

/* ---- tables.c */

/* A row of the report, as conditions see it. */
struct report_row {
	const struct rows *rows;
	size_t row;
};

struct condition_row tables_row(const struct report_row *row);

/* Of --expect with --compare. */
enum report_verdicts { VERDICTS_ANY, VERDICTS_NOT_WORSE, VERDICTS_SAME };

struct norm;
struct matrix;
struct wiring;

/* What the options ask for, the rows, and what was found in them. */
struct report {
	const struct cfg *cfg;         /* borrowed */
	struct columns_named of;       /* --of, or the usual figures of all tests */
	struct columns_named by;
	struct columns_named ignored;
	struct conditions where;       /* none: all rows */
	struct expect expect;          /* open if --expect is given without --compare */
	enum report_verdicts verdicts;
	double within;                 /* percent */
	bool with_disturbed;           /* a comparison counts disturbed rows, too */
	bool people;                   /* the tables are for people, as opposed to CSV and JSON */
	struct rows rows;
	bool *skip;                    /* rows without figures: measured_skip(); owned */
	struct sheet *sheets;          /* the tables; CSV and JSON have the first one only; owned */
	size_t n_sheets;
	char *words;                   /* lines below the tables of people, owned; NULL none */
	enum expect_result met;        /* what was expected */
	struct norm *norm;             /* of --norm, owned; NULL: none */
	struct wiring *wiring;         /* of --wiring; owned; NULL: not known */
	struct matrix *matrix;         /* owned; NULL: the rows are not of a mesh */
	struct plots plots;
	struct plot_asked asked;       /* --y, --x, --series */
};

/* ---- prometheus.c: the first table of programs as metrics, verbench_bandwidth_gbit_s{test="..."} */

void prometheus_print(FILE *out, const struct report *r, const struct sheet *sheet);

/* ---- tables.c */

/* The options; columns are looked up. -EINVAL with an error message. tables_free() is due. */
int tables_read(struct report *r, const struct cfg *cfg) __attribute__((warn_unused_result));
void tables_free(struct report *r);

/* Which rows have no figures; of pages and pictures also those of intervals. */
void tables_skip(struct report *r);

/* The files, and all columns that are needed of them. The query borrows from the report. */
void tables_query(const struct report *r, struct rows_query *query);

/*
 * Makes the tables. Summary: a line for each combination of the settings that vary, with median,
 * least and greatest of its repeats. --by: the values of some columns beside each other, those of
 * the other axes below each other, medians; -EINVAL with an error message: the table would have
 * more cells than TABLES_CELLS. Of a mesh: matrix_tables().
 */
#define TABLES_CELLS ((size_t)1 << 22)
int tables_make(struct report *r) __attribute__((warn_unused_result));

/* What adds the lines of a quantity to a sheet, which has no column at first. */
typedef void tables_adder(const struct report *r, struct sheet *sheet, enum rows_column quantity,
			  void *arg);

/* An empty table at the end; its title may be set. Valid until the next one. */
struct sheet *tables_sheet(struct report *r);

/* Adds the axes that programs always find, whether they vary or not. */
void tables_shown_axes(struct columns_named *swept);

/* For people a sheet for each quantity, for programs one with all. */
void tables_each(struct report *r, tables_adder *add, void *arg);

/* The first columns: for programs the name of the quantity, and the keys. */
void tables_keys(const struct report *r, struct sheet *sheet, const struct columns_named *keys);
/* A new line with these cells, of the settings of a row. Returns the next column. */
size_t tables_line(const struct report *r, struct sheet *sheet, const struct columns_named *keys,
		   enum rows_column quantity, size_t row);

/* ---- matrix.c, matrix_nodes.c, matrix_sheets.c */

/*
 * What rows of verbench mesh say: thousands of pairs that measure the same. A set is all pairs with
 * the same settings and one quantity. Pairs that were measured again, alone, are in no set.
 */
#define MATRIX_WORST 10u /* that are named */

struct matrix_pair {
	uint32_t row;            /* the first one of the pair */
	uint32_t client, server; /* nodes, by number */
	double value;            /* the median of its repeats; NAN: it failed */
	double share;            /* of the median of all, of a latency the inverse; NAN: failed */
};

struct matrix_set {
	enum rows_column quantity;
	uint32_t row;            /* one that has its settings */
	struct matrix_pair *all; /* with a value, the worst first; then those that failed; owned */
	size_t n, n_failed;      /* with a value; failed */
	size_t nodes;
	double median, mad;      /* of the values; the median absolute deviation */
	bool is_drawn;
};

struct matrix {
	char **nodes;            /* their names, by leaf, n10 after n9; owned */
	size_t n_nodes, n_drawn; /* in pictures: the first ones */
	uint32_t *leaf;          /* by node, of the wiring, or WIRING_NONE; owned */
	uint32_t *ends;          /* of each word of pair: client, server; UINT32_MAX: none; owned */
	bool has_pairs, has_beside; /* of sums of an incast and victims no picture, if both */
	struct columns_named keys; /* what varies beside the pair */
	struct matrix_set *sets; /* owned */
	size_t n_sets;
};

/* Are all rows with figures of a mesh? */
bool matrix_is_of(const struct report *r);
void matrix_want(struct rows_query *query);

/* matrix_free() is due; NULL is ok. */
struct matrix *matrix_find(const struct report *r);
void matrix_free(struct matrix *matrix);

/* matrix_nodes.c: nodes, leaves and ends. */
void matrix_nodes(struct matrix *matrix, const struct report *r);
/* Is it the sum of an incast, or what a victim has beside it? */
bool matrix_is_beside(const struct rows *rows, size_t row);
/* Is a set with this row drawn? */
bool matrix_is_drawn(const struct matrix *matrix, const struct rows *rows, size_t row);

/* How many of its worst pairs are named. */
size_t matrix_n_worst(const struct matrix_set *set);

/* Makes the tables of the report, and words about pairs that failed. */
void matrix_tables(struct report *r);
/* "write_bw 65536", "" if the settings are those of all; "2 pairs failed: n5>n7, n5>n8". Owned. */
char *matrix_settings(const struct report *r, const struct matrix_set *set);
char *matrix_failed(const struct report *r, const struct matrix_set *set);

/* The picture of a set; heat_free() is due. */
void matrix_heat(struct heat *heat, const struct matrix *matrix, const struct matrix_set *set);

/* ---- norm.c */

/*
 * What a norm asks for, clause by clause (bench_file.h), beside the rows. The rules of a clause are
 * those of --expect, or one of
 *
 *	repeats N where CONDITIONS      each line of these rows has N repeats or more
 *	cv COLUMN PERCENT where CONDITIONS   their coefficient of variation, the standard deviation
 *	                                divided by the mean, is at most this
 *
 * A clause is done if its rules select rows and all of them meet the rules.
 */

/* That of --norm. -EINVAL, -ENOENT with an error message. norm_free() is due; NULL is ok. */
int norm_read(struct norm **norm, const struct cfg *cfg) __attribute__((warn_unused_result));
void norm_free(struct norm *norm);
void norm_want(const struct norm *norm, struct rows_query *query);

/* For people, in lines of the width. */
void norm_print(FILE *out, const struct report *r, int width);

/* ---- compare.c */

/* 1: better when greater, -1: when less, 0: neither. */
int compare_direction(enum rows_column quantity);

/*
 * The tables of --compare A B: each measurement of file A beside the one of file B that has the
 * same settings. Each line has the repeats of both sides, their medians and intervals, the ratio
 * and the verdict. Rows that were disturbed are left out and counted, unless with_disturbed.
 * Bandwidths, rates and fairness are better when they are greater, latencies, CPU times, losses and
 * switches when they are less; of other quantities it is only said that they differ.
 *
 * -EINVAL with an error message: the files differ in an axis that is not ignored, so that none of
 * the values of one is in the other.
 */
int compare_make(struct report *r) __attribute__((warn_unused_result));

/* ---- verdict.c */

/*
 * The verdicts of all comparisons of one call. Shift and interval are those of repeats_ratio(), of
 * values that are not all above 0 those of repeats_difference(); p is that of repeats_test(),
 * corrected by repeats_holm() for all lines that have it. The band is within percent of A, in both
 * directions.
 *
 *   same                     the 95 % interval lies inside the band
 *   better, worse, differs   it does not, and p is at most VERDICT_ALPHA
 *   unsure                   all else, and always with fewer than VERDICT_REPEATS on a side
 *
 * So each of them is shown by the repeats. Of calls with equal A and B, 3 % have a line that is
 * better or worse at most, however many lines there are: of 1000 such calls, far below 50. Of A and
 * B that differ by the band or more, 2.5 % are called same at most: the interval is two one-sided
 * tests of 2.5 % each (Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987)), exact for distributions
 * that differ in their place only. With 4 repeats beside 4 the least p of one line is 2/70 = 0.029,
 * with 3 beside 3 it is 2/20 = 0.1.
 *
 * An unsure line says how many repeats a side are missing. The interval becomes narrower with the
 * root of their number, and its ends scatter as the normal distribution (Lehmann, "Nonparametrics"
 * (1975), chapters 2.4 and 2.5). So it is counted after how many of them 4 in 5 such comparisons
 * are decided, if the estimate is right: as same, or as different with the least of the corrected
 * levels, which also needs so many repeats that one order of them is as rare.
 */
#define VERDICT_ALPHA 0.03
#define VERDICT_REPEATS 4u

enum verdict {
	VERDICT_SAME, VERDICT_BETTER, VERDICT_WORSE, VERDICT_DIFFERS, VERDICT_UNSURE,
	VERDICT_ONLY_A, VERDICT_ONLY_B, VERDICT_COUNT
};

/* A quantity of one line. */
struct compared {
	bool in_a, in_b;        /* the file has the line, also if all of its rows are disturbed */
	int direction;          /* 1: better when greater, -1: when less, 0: neither */
	struct spread a, b;
	bool has_ratio;         /* all values are above 0: the shift is B / A, else B - A */
	struct repeats_shift shift;
	double p;               /* NAN: too few repeats */
	enum verdict verdict;
	size_t needs;           /* unsure: so many repeats more, about; 0: unknown, or too many */
};

/* Sets what follows from the values, with p before the correction. */
void verdict_measure(struct compared *c, const struct spread_values *a,
		     const struct spread_values *b);

/* Corrects the p of all n, and sets the verdicts. within: percent. */
void verdict_judge(struct compared *all, size_t n, double within);

/* ---- content.c */

/*
 * Text of this width, Markdown, CSV, JSON. -ENOMEM with an error message. The remarks of CSV are
 * lines on standard error.
 */
int content_print(const struct report *r, int width) __attribute__((warn_unused_result));

/* Are there files of --html or --plot to write? */
bool content_has_files(const struct cfg *cfg);

/*
 * Before anything is read: do the options go together, and can the files be written? -errno with an
 * error message; -EINVAL: wrong usage. Touches nothing.
 */
int content_check_files(const struct cfg *cfg) __attribute__((warn_unused_result));

/* What they need of the rows, also of intervals. -EINVAL with an error message: no such column. */
int content_want_files(struct rows_query *query, struct report *r)
	__attribute__((warn_unused_result));

/* Writes them. -errno with an error message; -EINVAL: what is asked for is not in the rows. */
int content_write_files(struct report *r) __attribute__((warn_unused_result));

/* ---- live.c */

/*
 * The page of --html of a run: its rows come while it measures. No row is read from a file.
 *
 *	live_check()     before anything is measured: can it be written? As content_check_files()
 *	live_open()      -errno with an error message
 *	live_row()       takes every row
 *	live_write()     writes it if there are rows, with these lines in its summary; NULL: none
 *	live_free()      NULL is ok
 */
struct live_page;

int live_check(const struct cfg *cfg) __attribute__((warn_unused_result));
int live_open(struct live_page **page, const struct cfg *cfg) __attribute__((warn_unused_result));
void live_row(struct live_page *page, const struct row *row);
int live_write(struct live_page *page, const char *words) __attribute__((warn_unused_result));
void live_free(struct live_page *page);

/* ---- page.c, page_summary.c, page_matrix.c, page_tables.c */

/*
 * A page of HTML: summary, pictures, tables, hosts, settings, remarks, method. It loads nothing and
 * has no script, and says so to the browser (Content-Security-Policy); its style sheet is page.css.
 * Texts of rows and paths are escaped (plot_text()).
 */
void page_write(FILE *out, const struct report *r);

/* Every page begins with it: only a file that does is replaced by another page. */
#define PAGE_BEGINS "<!DOCTYPE html>\n<!-- verbench report -->\n"
#define PAGE_LINES 1000 /* of a table; what is more is in the files of rows */

/* What the page needs of the rows. */
void page_want(struct rows_query *query);

/* That rows were disturbed, if any was. */
void page_banner(FILE *out, const struct report *r);
/* The typical figures: of one size each the median, and between which values and settings it is. */
void page_cards(FILE *out, const struct report *r);
/* "12 more lines are not shown" of n, if they are more than PAGE_LINES. */
void page_rest(FILE *out, size_t n);
void page_sheets(FILE *out, const struct report *r);
/* The pictures of pairs, with the worst pairs beside them. */
void page_matrix(FILE *out, const struct report *r);
/* The values of a picture, for people who cannot point at them. */
void page_values(FILE *out, const struct plot *plot);
void page_hosts(FILE *out, const struct report *r);
void page_settings(FILE *out, const struct report *r);
void page_method(FILE *out, const struct report *r);

#endif
