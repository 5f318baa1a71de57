/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of a row's keys and what follows from it alone: emptying a row, its rates, a
 * cell's text, the schema document. Called by rows.c (filling) and the formatters. Must not know
 * plans, devices or formats. A key is never re-used for something else; see ROW_SCHEMA.
 */
#include "config.h"
#include "report/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Type, place and size come from the field itself, so a key cannot contradict struct row. */
#define KEY(field, units, text) { \
	.name = #field, .off = offsetof(struct row, field), \
	.size = sizeof(((struct row *)0)->field), \
	.type = _Generic(((struct row *)0)->field, \
		char *: ROW_STR, uint64_t: ROW_U64, double: ROW_F64), \
	.unit = (units), .help = (text) }

const struct row_key row_keys[] = {
	KEY(schema, "", "version of this schema; raised when a key changes its meaning"),
	KEY(tool_version, "", "version of verbench that measured"),
	KEY(test, "", "opcode family and metric: send_bw, write_lat, ..."),
	KEY(transport, "", "RC, UC or UD"),
	KEY(opcode, "", "send, send_imm, write, write_imm, read, cmp_swap or fetch_add"),
	KEY(completion, "", "how completions were taken: poll or event"),
	KEY(pattern, "",
	    "stream (bandwidth), pingpong (send, write latency), "
	    "probe (read, atomic latency)"),
	KEY(role, "", "the side that wrote this row: client or server"),
	KEY(direction, "", "which way the payload went: to_server, to_client or both"),
	KEY(counted_by, "",
	    "whose count and window the figures are of: sender or receiver; "
	    "over UC and UD the receiver's wherever it sees arrivals"),
	KEY(time, "", "when the point ended, UTC, RFC 3339"),
	KEY(host, "", "host name of the side that wrote this row"),
	KEY(peer_host, "", "host name of the other side"),
	KEY(device, "", "RDMA device"),
	KEY(peer_device, "", "RDMA device of the other side"),
	KEY(port, "", "port of the device, from 1"),
	KEY(peer_port, "", "port of the other side's device"),
	KEY(gid, "", "source GID"),
	KEY(peer_gid, "", "GID of the other side"),
	KEY(gid_index, "", "index of gid in the device's table"),
	KEY(peer_gid_index, "", "index of peer_gid in the other side's table"),
	KEY(driver, "", "driver of the device"),
	KEY(peer_driver, "", "driver of the other side's device"),
	KEY(firmware, "", "firmware version of the device; emulated: what its link was set to"),
	KEY(peer_firmware, "", "the same of the other side's device"),
	KEY(netdev, "", "network interface behind the GID"),
	KEY(link_layer, "", "Ethernet or InfiniBand"),
	KEY(link_gbit_s, "Gbit/s", "link rate that the port reports, decimal"),
	KEY(cpus, "",
	    "cpus that this side's measuring threads were on before and after the loop; "
	    "absent on a side that takes no part"),
	KEY(nodes, "", "NUMA nodes of these cpus"),
	KEY(mem_nodes, "",
	    "NUMA nodes on which the pages of the test buffers are, by "
	    "move_pages(2); absent where the kernel does not tell"),
	KEY(hca_node, "", "NUMA node nearest the device, the first of several; absent: not known"),
	KEY(distance, "",
	    "from nodes to the nearest node of the device, the farthest: ACPI SLIT, "
	    "10 is local"),
	KEY(mem_distance, "", "likewise from mem_nodes"),
	KEY(placement, "",
	    "near: threads and memory are nearest the device; far: a thread or a "
	    "page is not; unknown: the device's place is not known, or threads that were not "
	    "bound may run on both"),
	KEY(peer_cpus, "", "cpus of the other side's threads, likewise"),
	KEY(peer_nodes, "", "NUMA nodes of these cpus"),
	KEY(peer_mem_nodes, "", "NUMA nodes of the other side's buffers"),
	KEY(peer_placement, "", "near, far or unknown of the other side"),
	KEY(emulated, "",
	    "1: one of the devices is emulated, these are not a real HCA's figures; "
	    "else 0"),
	KEY(size_bytes, "bytes", "payload of one message"),
	KEY(threads, "", "measuring threads on each side"),
	KEY(qps, "", "queue pairs of all threads together"),
	KEY(depth, "", "requests in flight per queue pair (send queue window)"),
	KEY(recv_depth, "", "receives kept posted per queue pair; absent: the opcode takes none"),
	KEY(post_list, "", "requests handed over per call and doorbell"),
	KEY(signal_interval, "", "one request in so many asks for a completion"),
	KEY(spin_us, "us", "empty polls for so long before sleeping; absent: not hybrid"),
	KEY(inline_bytes, "bytes", "messages up to this size were sent inline; 0: none"),
	KEY(footprint_bytes, "bytes",
	    "buffers that messages walked over, on each side, all queue "
	    "pairs of a thread together"),
	KEY(walk, "",
	    "order of the buffers: seq, random (one fixed permutation) or same (one "
	    "buffer per queue pair)"),
	KEY(walk_buffers, "", "buffers per queue pair that requests walked over, evenly spaced"),
	KEY(page_bytes, "bytes",
	    "size of the pages behind the buffers of this side; the "
	    "smallest of all threads"),
	KEY(peer_page_bytes, "bytes", "the same on the other side"),
	KEY(mtu_bytes, "bytes", "path MTU"),
	KEY(outstanding, "", "reads and atomics in flight per queue pair"),
	KEY(qp_timeout, "", "local ACK timeout code n: 4.096 us * 2^n; IBA vol. 1, 9.7.6.1.3"),
	KEY(retry, "", "retries after a time-out or sequence error"),
	KEY(rnr_retry, "", "retries after receiver-not-ready; 7: without end"),
	KEY(min_rnr_timer, "", "RNR NAK timer code; IBA vol. 1, table 45"),
	KEY(sl, "", "service level"),
	KEY(tclass, "", "traffic class"),
	KEY(bidir, "", "1: both directions at once, else 0"),
	KEY(post_api, "", "how requests were posted: send (ibv_post_send) or wr (ibv_wr_*)"),
	KEY(poll_api, "",
	    "how completions were polled: classic (ibv_poll_cq) or extended "
	    "(ibv_start_poll)"),
	KEY(locks, "",
	    "the provider's locks around this side's queues: on, off (one thread owns "
	    "them: thread domain and single-threaded CQs), off_cq or off_qp (only those are "
	    "off); absent on a side that takes no part"),
	KEY(peer_locks, "", "the same of the other side"),
	KEY(pin, "", "--pin of this side: auto, near, far, none or where to"),
	KEY(mem, "", "--mem of this side: auto, local, device, a node or where to"),
	KEY(peer_pin, "", "--pin of the other side"),
	KEY(peer_mem, "", "--mem of the other side"),
	KEY(messages, "",
	    "messages that the figures are of: their completion was seen "
	    "without error"),
	KEY(bytes, "bytes", "payload of these messages"),
	KEY(window_ns, "ns",
	    "the interval they were measured over; of several threads from the "
	    "first stamp of any to the last"),
	KEY(sent_messages, "", "messages by the sender's count"),
	KEY(received_messages, "",
	    "messages by the receiver's count; absent where it cannot "
	    "see them"),
	KEY(lost, "",
	    "bandwidth: sent and never received; latency over UC, UD: round trips "
	    "timed out"),
	KEY(duplicated, "", "received more than once, by immediate data"),
	KEY(out_of_order, "", "received after a later one, by immediate data"),
	KEY(polls, "", "calls of ibv_poll_cq"),
	KEY(empty_polls, "", "of these, calls that found nothing"),
	KEY(events, "", "completion events taken"),
	KEY(spurious_events, "", "of these, events behind which no completion was found"),
	KEY(credit_stalls, "",
	    "UC, UD: times a sender was out of credit for a while: the receiver "
	    "was slow or messages were lost"),
	KEY(qp_messages_min, "",
	    "the fewest messages of a queue pair, by the count that the "
	    "figures are of; absent with one queue pair, and where each did the number it was "
	    "given"),
	KEY(qp_messages_max, "", "the most, likewise"),
	KEY(qp_fairness, "",
	    "Jain's index of the messages per queue pair: "
	    "(sum x)^2 / (n * sum x^2); 1 when all had the same, 1/n when one had all; "
	    "Jain, Chiu, Hawe 1984"),
	KEY(thread_rate_min_per_s, "1/s",
	    "the lowest message rate of a thread in its own window; "
	    "absent with one thread"),
	KEY(thread_rate_max_per_s, "1/s", "the highest, likewise"),
	KEY(thread_fairness, "", "Jain's index of these rates"),
	KEY(verified_messages, "", "messages whose payload was checked; absent: not asked for"),
	KEY(clock, "", "source of the stamps: tsc, cntvct or monotonic_raw"),
	KEY(bandwidth_gbit_s, "Gbit/s", "bytes * 8 / window_ns; decimal, 10^9 bit/s"),
	KEY(bandwidth_mib_s, "MiB/s", "bytes / 2^20 / (window_ns / 10^9); binary"),
	KEY(message_rate_per_s, "1/s", "messages / (window_ns / 10^9)"),
	KEY(lat_kind, "",
	    "what one sample is: half_rtt (half a round trip) or completion "
	    "(from the post of a request to its completion)"),
	KEY(lat_samples, "", "samples behind the latency figures; none is left out"),
	KEY(lat_min_ns, "ns", "the smallest sample, exact"),
	KEY(lat_p50_ns, "ns", "median: nearest rank, within 0.4 %; from 20 samples on"),
	KEY(lat_p90_ns, "ns", "90th percentile, likewise; from 100 samples on"),
	KEY(lat_p99_ns, "ns", "99th percentile, likewise; from 1000 samples on"),
	KEY(lat_p99_9_ns, "ns", "99.9th percentile, likewise; from 10000 samples on"),
	KEY(lat_p99_99_ns, "ns", "99.99th percentile, likewise; from 100000 samples on"),
	KEY(lat_max_ns, "ns", "the largest sample, exact"),
	KEY(lat_mean_ns, "ns", "arithmetic mean of the samples, exact"),
	KEY(lat_stdev_ns, "ns", "sample standard deviation (n - 1), exact"),
	KEY(cpu_ns, "ns",
	    "CPU time of this side's measuring threads in their loops, user and "
	    "system; absent, as polls, events and switches, on a side that takes no part"),
	KEY(cpu_ns_per_msg, "ns", "cpu_ns / messages that this side sent and received"),
	KEY(harness_ns_per_msg, "ns",
	    "the tool's own overhead: what this side's loop takes per "
	    "message of one queue pair when all completes at once, in memory; measured in the "
	    "same run"),
	KEY(harness_lat_ns, "ns",
	    "the lat_p50_ns that it would report then: the overhead of latency"),
	KEY(voluntary_switches, "", "context switches of these threads because they waited"),
	KEY(involuntary_switches, "",
	    "context switches of these threads because they were "
	    "displaced"),
	KEY(status, "",
	    "ok, incomplete (stopped early: the figures are of what was done), "
	    "skipped or failed"),
	KEY(reason, "", "why the status is not ok, one sentence"),
	KEY(warnings, "", "what to know before trusting the figures"),
};

const size_t row_n_keys = sizeof(row_keys) / sizeof(row_keys[0]);

static void *field(struct row *row, const struct row_key *key)
{
	return (char *)row + key->off;
}

static const void *const_field(const struct row *row, const struct row_key *key)
{
	return (const char *)row + key->off;
}

void row_init(struct row *row)
{
	memset(row, 0, sizeof(*row));
	for (size_t i = 0; i < row_n_keys; i++) {
		if (row_keys[i].type == ROW_U64)
			*(uint64_t *)field(row, &row_keys[i]) = ROW_NONE;
		else if (row_keys[i].type == ROW_F64)
			*(double *)field(row, &row_keys[i]) = NAN;
	}
	row->schema = ROW_SCHEMA;
	snprintf(row->tool_version, sizeof(row->tool_version), "%s", PACKAGE_VERSION);
}

/* In long double, so that the nine digits printed are those of the exact quotient. */
void row_rates(struct row *row)
{
	long double window_ns = row->window_ns;

	row->bandwidth_gbit_s = NAN;
	row->bandwidth_mib_s = NAN;
	row->message_rate_per_s = NAN;
	if (!row->window_ns || row->window_ns == ROW_NONE)
		return;
	if (row->bytes != ROW_NONE) {
		row->bandwidth_gbit_s = (double)(row->bytes * 8.0L / window_ns);
		row->bandwidth_mib_s = (double)(row->bytes * 1e9L / (1048576 * window_ns));
	}
	if (row->messages != ROW_NONE)
		row->message_rate_per_s = (double)(row->messages * 1e9L / window_ns);
}

/* ROW_DIGITS significant digits, positional, without trailing zeros after the point. */
static void print_f64(double v, char *text, size_t size)
{
	char rounded[64];
	int decimals;
	char *end;

	snprintf(rounded, sizeof(rounded), "%.*e", ROW_DIGITS - 1, v);
	decimals = ROW_DIGITS - 1 - atoi(strchr(rounded, 'e') + 1);
	snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, v);
	if (!strchr(text, '.'))
		return;
	end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		end[-1] = '\0';
}

const char *row_clean(const char *src, char *text, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && src[i]; i++) {
		unsigned char c = (unsigned char)src[i];

		text[i] = c < 0x20 || c == 0x7f ? ' ' : c > 0x7f ? '?' : (char)c;
	}
	text[i] = '\0';
	return text;
}

const char *row_cell(const struct row *row, const struct row_key *key, char *text, size_t size)
{
	const void *at = const_field(row, key);

	text[0] = '\0';
	if (key->type == ROW_STR)
		row_clean(at, text, size < key->size ? size : key->size);
	else if (key->type == ROW_U64 && *(const uint64_t *)at != ROW_NONE)
		snprintf(text, size, "%" PRIu64, *(const uint64_t *)at);
	else if (key->type == ROW_F64 && isfinite(*(const double *)at))
		print_f64(*(const double *)at, text, size);
	return text;
}

void row_schema(FILE *out)
{
	static const char *const types[] = { "string", "integer", "number" };

	fprintf(out,
		"# The keys of a result\n\n"
		"Schema version %d. Made from the table in `src/report/row.c` (`row_schema()`): edit it "
		"there.\n\n"
		"One row is one line of CSV and one object of `rows` in JSON, with the same keys\n"
		"in the same order. What was not measured is absent: an empty cell in CSV, `null`\n"
		"in JSON, `-` in the table. A number (as opposed to an integer) has up to %d\n"
		"significant digits, correctly rounded, and no exponent in CSV. Percentiles come\n"
		"from a log-linear histogram with buckets of at most 1/512 of their value,\n"
		"and are reported at the middle.\n\n"
		"Beside `rows` a JSON document has `points`, one object per point: `index`,\n"
		"`size_bytes`, and `threads` of this side (none where it takes no part), each\n"
		"with `sent`, `tx_window_ns`, `received`, `rx_window_ns`, `polls`, `empty_polls`,\n"
		"`events`, `cpu_ns`, `cpus`, `nodes`, `mem_nodes`, and by queue pair `qp_sent`\n"
		"and `qp_received`.\n\n"
		"| key | type | unit | meaning |\n| --- | --- | --- | --- |\n",
		ROW_SCHEMA, ROW_DIGITS);
	for (size_t i = 0; i < row_n_keys; i++)
		fprintf(out, "| `%s` | %s | %s | %s |\n", row_keys[i].name, types[row_keys[i].type],
			row_keys[i].unit, row_keys[i].help);
}
