/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What ib_send_bw, ib_write_lat, ... print, and their files of --out_json: a row for each line of
 * figures, so that results of before can be compared. Several outputs may follow each other in a
 * text. Titles, settings and columns: ctx_print_test_info() and print_report_*() of perftest 4.5
 * and 6.29, and write_test_info_to_file() and write_*_to_file() of 6.29,
 * src/perftest_parameters.c. No value is trusted.
 */
#include "config.h"
#include "read/rows.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/input.h"
#include "row/row.h"
#include "util/err.h"
#include "util/text.h"

#define MOST 24      /* settings of an output, and columns of its figures */
#define VALUE 64
#define MIB_GBIT (8.0 * 1048576 / 1e9) /* "MB/sec" and "MiB/sec" are 2^20 bytes, "Gb/sec" 10^9 bits */

/* ---- what it prints */

struct figure {
	const char *head;  /* of a column of the text */
	const char *key;   /* of the JSON; NULL: it has another */
	enum rows_column column;
	double factor;
};

/* The peak is the rate of the best two completions, which no row has. */
static const struct figure figures[] = {
	{ "#bytes", "MsgSize", ROWS_size_bytes, 1 },
	{ "#iterations", "n_iterations", ROWS_messages, 1 },
	{ "BW average[MB/sec]", NULL, ROWS_bandwidth_mib_s, 1 },
	{ "BW average[MiB/sec]", NULL, ROWS_bandwidth_mib_s, 1 },
	{ "BW average[Gb/sec]", NULL, ROWS_bandwidth_mib_s, 1 / MIB_GBIT },
	{ "MsgRate[Mpps]", "MsgRate", ROWS_message_rate_per_s, 1e6 },
	{ "t_min[usec]", "t_min", ROWS_lat_min_ns, 1000 },
	{ "t_max[usec]", "t_max", ROWS_lat_max_ns, 1000 },
	{ "t_typical[usec]", "t_typical", ROWS_lat_p50_ns, 1000 },
	{ "t_avg[usec]", "t_avg", ROWS_lat_mean_ns, 1000 },
	{ "t_stdev[usec]", "t_stdev", ROWS_lat_stdev_ns, 1000 },
	{ "99% percentile[usec]", "percentile_99", ROWS_lat_p99_ns, 1000 },
	{ "99.9% percentile[usec]", "percentile_99.9", ROWS_lat_p99_9_ns, 1000 },
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

/* The keys of the JSON; the text has ' ' for '_'. from, to: a value that a row spells otherwise. */
static const struct {
	const char *key;
	enum rows_column column;
	const char *from[2], *to[2];
} settings[] = {
	{ "Device", ROWS_device, { NULL }, { NULL } },
	{ "Number_of_qps", ROWS_qps, { NULL }, { NULL } },
	{ "Connection_type", ROWS_transport, { NULL }, { NULL } },
	{ "Using_SRQ", ROWS_recv_queue, { "ON", "OFF" }, { "srq", "" } },
	{ "PCIe_relax_order", ROWS_relaxed_ordering, { "ON", "OFF" }, { "1", "0" } },
	{ "TX_depth", ROWS_depth, { NULL }, { NULL } },
	{ "RX_depth", ROWS_recv_depth, { NULL }, { NULL } },
	{ "Post_List", ROWS_post_list, { NULL }, { NULL } },
	{ "CQ_Moderation", ROWS_signal_interval, { NULL }, { NULL } },
	{ "Mtu", ROWS_mtu_bytes, { NULL }, { NULL } },
	{ "Link_type", ROWS_link_layer, { "IB", NULL }, { "InfiniBand", NULL } },
	{ "GID_index", ROWS_gid_index, { NULL }, { NULL } },
	{ "Outstand_reads", ROWS_outstanding, { NULL }, { NULL } },
	{ "Max_inline_data", ROWS_inline_bytes, { NULL }, { NULL } },
	{ "rdma_cm_QPs", ROWS_connect, { "ON", "OFF" }, { "rdma_cm", "tcp" } },
};

static const struct {
	const char *begins, *test, *bw, *lat; /* the direction of the payload */
} titles[] = {
	{ "Send", "send", "to_server", "both" },
	{ "RDMA_Write", "write", "to_server", "both" },
	{ "RDMA_Read", "read", "to_client", "to_client" },
	{ "Atomic", "atomic", "to_client", "to_client" },
};

/* ---- an output */

struct value {
	enum rows_column column;
	char text[VALUE];
};

struct perftest {
	struct value values[MOST];  /* of all its rows; n of them */
	size_t n;
	const struct figure *columns[MOST]; /* of a line of figures; NULL: not used */
	size_t n_columns;           /* 0: no line of figures comes here */
	bool is_lat;
	double figure[FIGURES];     /* of the row that is read; NAN: absent */
};

static void keep(struct perftest *p, enum rows_column column, const char *text)
{
	size_t i = 0;

	while (i < p->n && p->values[i].column != column)
		i++;
	if (i == MOST)
		return;
	p->n += i == p->n;
	p->values[i].column = column;
	snprintf(p->values[i].text, sizeof(p->values[i].text), "%s", text);
}

/* "Send BW Test", "RDMA_Write_Bidirectional_BW_Test": an output begins. Is it one? */
static bool begin(struct perftest *p, const char *title)
{
	const bool both = strstr(title, "Bidirectional");
	const bool is_lat = strstr(title, "Latency");
	char text[VALUE];

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (strncmp(title, titles[i].begins, strlen(titles[i].begins)) ||
		    (!is_lat && !strstr(title, "BW")))
			continue;
		*p = (struct perftest){ .is_lat = is_lat };
		snprintf(text, sizeof(text), "%s_%s", titles[i].test, is_lat ? "lat" : "bw");
		keep(p, ROWS_test, text);
		keep(p, ROWS_bidir, both ? "1" : "0");
		keep(p, ROWS_direction, both ? "both" : is_lat ? titles[i].lat : titles[i].bw);
		keep(p, ROWS_completion, "poll");
		keep(p, ROWS_tool_version, "perftest");
		keep(p, ROWS_status, "ok");
		snprintf(text, sizeof(text), "%d", ROW_SCHEMA);
		keep(p, ROWS_schema, text);
		return true;
	}
	return false;
}

/* A setting, key as in the JSON: "4096[B]" is a number. */
static void set(struct perftest *p, const char *key, const char *value)
{
	char text[VALUE];

	if (!strncmp(key, "Test_with_events", strlen("Test_with_events")))
		keep(p, ROWS_completion, "event");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].key, key))
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(value, "["), value);
		for (int k = 0; k < 2 && settings[i].from[k]; k++)
			if (!strcmp(settings[i].from[k], text))
				snprintf(text, sizeof(text), "%s", settings[i].to[k]);
		keep(p, settings[i].column, text);
	}
}

static int add_row(struct rows_load *load, const struct perftest *p)
{
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++)
		rc = rows_add_value(load, p->values[i].column, p->values[i].text);
	for (size_t i = 0; i < FIGURES && !rc; i++) {
		const double value = p->figure[i] * figures[i].factor;

		rc = rows_add_number(load, figures[i].column, value);
		if (!rc && figures[i].column == ROWS_bandwidth_mib_s)
			rc = rows_add_number(load, ROWS_bandwidth_gbit_s, value * MIB_GBIT);
		if (!rc && figures[i].column == ROWS_messages && p->is_lat)
			rc = rows_add_number(load, ROWS_lat_samples, value);
	}
	return rc ? rc : rows_add_row(load);
}

/* That of the first row of figures[] with the column, which has no other unit. */
static double *figure_of(struct perftest *p, enum rows_column column)
{
	size_t i = 0;

	while (figures[i].column != column)
		i++;
	return &p->figure[i];
}

static void clear_figures(struct perftest *p)
{
	for (size_t i = 0; i < FIGURES; i++)
		p->figure[i] = NAN;
}

/* ---- text */

bool rows_is_perftest(const char *line)
{
	return *line == '\n' || *line == ' ' || !strncmp(line, "----", 4) ||
	       !strncmp(line, "****", 4);
}

/* The next word: up to two blanks or a tab. NULL: there is none. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t"), *end = word;

	while (*end && *end != '\t' && strncmp(end, "  ", 2))
		end++;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

/* " #bytes #iterations    t_min[usec]": some names have one blank between them. */
static void read_heads(struct perftest *p, char *at)
{
	char *word;

	for (p->n_columns = 0; p->n_columns < MOST && (word = next_word(&at)); )
		while (p->n_columns < MOST && word) {
			const struct figure *found = NULL;
			size_t len = strlen(word);

			for (size_t i = 0; i < FIGURES && !found; i++)
				if (!strncmp(word, figures[i].head, strlen(figures[i].head)))
					found = &figures[i];
			if (found)
				len = strlen(found->head);
			p->columns[p->n_columns++] = found;
			word = word[len] ? word + len + 1 : NULL;
		}
}

static int read_figures(struct rows_load *load, struct perftest *p, char *line)
{
	size_t n = 0;
	char *rest = NULL;

	clear_figures(p);
	for (char *word = strtok_r(line, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest), n++) {
		double value;

		if (n == p->n_columns)
			return err_set(-EBADMSG, "the line has more figures than the %zu columns above it",
				       n);
		if (!p->columns[n] || !strcmp(word, "nan") || !strcmp(word, "-nan"))
			continue;
		if (text_scan_number(word, &value))
			return err_set(-EBADMSG, "%s is \"%.20s\", not a number", p->columns[n]->head,
				       word);
		p->figure[p->columns[n] - figures] = value;
	}
	if (n < p->n_columns)
		return err_set(-EBADMSG, "the line has fewer figures than the %zu columns above it",
			       p->n_columns);
	return add_row(load, p);
}

/* " Number of qps   : 1\t\tTransport type : IB" */
static void read_settings(struct perftest *p, char *line)
{
	char *rest = NULL;

	for (char *pair = strtok_r(line, "\t", &rest); pair;
	     pair = strtok_r(NULL, "\t", &rest)) {
		char *key = pair + strspn(pair, " "), *colon = strchr(key, ':');
		char *end = colon ? colon : key + strlen(key);
		const char *value = colon ? colon + 1 + strspn(colon + 1, " ") : "";

		while (end > key && end[-1] == ' ')
			end--;
		*end = '\0';
		for (char *c = key; *c; c++)
			if (*c == ' ')
				*c = '_';
		set(p, key, value);
	}
}

static int read_line(struct rows_load *load, struct perftest *p, char *text)
{
	const char *last = strrchr(text, ' ');

	if ((last && !strcmp(last, " Test") && begin(p, text)) || !p->n)
		return 0;
	if (!strncmp(text, "#bytes", strlen("#bytes"))) {
		read_heads(p, text);
		return 0;
	}
	if (p->n_columns && isdigit((unsigned char)*text))
		return read_figures(load, p, text);
	/* the other direction, which the sum has */
	if (!strncmp(text, "Remote results", strlen("Remote results")))
		p->n = 0;
	else if (!p->n_columns)
		read_settings(p, text);
	return 0;
}

int rows_read_perftest(struct rows_load *load, char *line, size_t len)
{
	const size_t before = load->rows->n + load->rows->left_out, first = load->in->line;
	struct perftest p = { .n = 0 };
	int rc = 0;

	if (load->take)
		return err_set(-EBADMSG, "an output of perftest, not a file of results");
	for (; !rc && line; line = input_line(load->in, &len)) {
		if (memchr(line, '\0', len))
			return err_set(-EBADMSG, "it has a NUL byte");
		if (line[len - 1] != '\n') {
			rows_note_torn(load);
			break;
		}
		while (len && isspace((unsigned char)line[len - 1]))
			line[--len] = '\0';
		rc = read_line(load, &p, line + strspn(line, " \t"));
	}
	if (rc || load->rows->n + load->rows->left_out > before)
		return rc;
	load->in->line = first;
	return err_set(-EBADMSG, "neither a file of results nor an output of perftest: no line of figures below \"#bytes\"");
}

/* ---- JSON */

/*
 * The unit of "BW_average" is not in the file: it is the one that agrees with the rate of messages.
 */
static void find_bandwidth(struct perftest *p, const json_t *average)
{
	const double value = json_is_number(average) ? json_number_value(average) : NAN;
	const double mib = *figure_of(p, ROWS_message_rate_per_s) * 1e6 *
			   *figure_of(p, ROWS_size_bytes) / 1048576;
	const bool is_mib = fabs(log(value / mib)) < fabs(log(value / (mib * MIB_GBIT)));

	if (mib > 0 && value > 0)
		*figure_of(p, ROWS_bandwidth_mib_s) = is_mib ? value : value / MIB_GBIT;
}

static void set_all(struct perftest *p, const json_t *info)
{
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)info, name, value) {
		char key[VALUE], text[VALUE] = "";

		snprintf(key, sizeof(key), "%s", name);
		for (char *c = key; *c; c++)
			if (*c == ' ')
				*c = '_';
		if (json_is_number(value))
			snprintf(text, sizeof(text), "%.15g", json_number_value(value));
		else if (json_is_string(value))
			snprintf(text, sizeof(text), "%s", json_string_value(value));
		set(p, key, text);
	}
}

bool rows_is_perftest_json(const json_t *object)
{
	return json_object_get(object, "test_info");
}

int rows_add_perftest(struct rows_load *load, const json_t *object)
{
	const json_t *info = json_object_get(object, "test_info");
	const json_t *results = json_object_get(object, "results");
	const char *title = json_string_value(json_object_get(info, "test"));
	struct perftest p = { .n = 0 };

	if (load->take)
		return err_set(-EBADMSG, "a file of perftest, not of results");
	if (!title || !begin(&p, title) || !json_object_get(results, "MsgSize"))
		return err_set(-EBADMSG, "a file of perftest without a test and figures of it");
	set_all(&p, info);
	clear_figures(&p);
	for (size_t i = 0; i < FIGURES; i++) {
		const json_t *value = NULL;

		if (figures[i].key)
			value = json_object_get(results, figures[i].key);
		if (json_is_number(value))
			p.figure[i] = json_number_value(value);
	}
	find_bandwidth(&p, json_object_get(results, "BW_average"));
	return add_row(load, &p);
}
