# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Checks the rows of a CSV file: computes the figures again from the integers, and compares the expected values.
# Called by rows() in lib.sh with n, the number of rows but for the sum of both directions, and expect, "KEY=VALUE
# KEY>=VALUE KEY~REGEX ...". Prints the first error, or nothing.

function say(text) { if (!wrong) { wrong = 1; print "row " (NR - 1) ": " text } }

# Splits one line of CSV into v[1..], by RFC 4180, but without line breaks in a cell.
function split_line(line, v,    n, cell, quoted) {
	n = 0
	while (1) {
		quoted = line ~ /^"/
		if (quoted) {
			match(line, /^"([^"]|"")*"/)
			cell = substr(line, 2, RLENGTH - 2)
			gsub(/""/, "\"", cell)
		} else {
			match(line, /^[^,]*/)
			cell = substr(line, 1, RLENGTH)
		}
		v[++n] = cell
		line = substr(line, RLENGTH + 1)
		if (line == "") return n
		line = substr(line, 2)
	}
}

function get(key) {
	if (!(key in column)) say("there is no column " key)
	return cells[column[key]]
}

# 9 significant digits: half a unit of the last is 5e-9 of 1.00000000
function same(key, value,    got, off) {
	got = get(key)
	off = got - value
	if (got == "") say(key " is empty")
	else if ((off < 0 ? -off : off) > 6e-9 * value) say(key " is " got ", not " sprintf("%.9g", value))
}

function rising(keys,    k, n, i, last, value) {
	n = split(keys, k, " ")
	for (i = 1; i <= n; i++) {
		value = get(k[i])
		if (value == "") continue
		# the middle of a histogram's bucket may lie beyond the exact extremes by half its width
		if (last != "" && value * 1.004 < last + 0) say(k[i] " " value " is below the one before, " last)
		last = value
	}
}

function identities() {
	if (get("messages") == "" || get("window_ns") == "") return
	if (get("bytes") != get("messages") * get("size_bytes")) say("bytes is not messages * size_bytes")
	if (get("window_ns") > 0) {
		if (get("window_messages") + 0 > get("messages") + 0) say("more messages in the window than messages")
		if (get("message_rate_per_s") == "" && get("warning_codes") !~ /no_gap|above_link/)
			say("no rate, and no reason")
	}
	if (get("message_rate_per_s") != "") {
		same("bandwidth_gbit_s", get("window_messages") * get("size_bytes") * 8 / get("window_ns"))
		same("bandwidth_mib_s", get("window_messages") * get("size_bytes") / 1048576 / (get("window_ns") / 1e9))
		same("message_rate_per_s", get("window_messages") / (get("window_ns") / 1e9))
	}
	if (get("pattern") == "stream" && get("lost") != "" &&
	    get("received_messages") - get("duplicated") + get("lost") != get("sent_messages"))
		say("sent " get("sent_messages") " is not received " get("received_messages") " - duplicated " \
		    get("duplicated") " + lost " get("lost"))
	rising("lat_min_ns lat_p50_ns lat_p90_ns lat_p99_ns lat_p99_9_ns lat_p99_99_ns lat_max_ns")
	if (get("polls") != "" && get("polls") + 0 < get("empty_polls") + 0) say("more empty polls than polls")
}

function expected(    e, n, i, key, op, value, got) {
	n = split(expect, e, " ")
	for (i = 1; i <= n; i++) {
		if (!match(e[i], /(>=|<=|=|~)/)) say("cannot expect " e[i])
		key = substr(e[i], 1, RSTART - 1)
		op = substr(e[i], RSTART, RLENGTH)
		value = substr(e[i], RSTART + RLENGTH)
		got = get(key)
		if (op == "=" && got != value || op == "~" && got !~ value ||
		    op == ">=" && (got == "" || got + 0 < value + 0) ||
		    op == "<=" && (got == "" || got + 0 > value + 0))
			say(key " is '" got "', not " op " '" value "' (status " get("status") \
			    " " get("reason") ")")
	}
}

NR == 1 {
	columns = split_line($0, names)
	for (i = 1; i <= columns; i++) {
		if (names[i] in column) say("column " names[i] " is there twice")
		column[names[i]] = i
	}
	next
}

{
	delete cells
	if (split_line($0, cells) != columns) say("not " columns " cells")
	identities()
	# both directions of a stream: their sum, if there is one
	if (get("direction") != "both" || get("pattern") != "stream") {
		rows++
		expected()
	}
}

END {
	if (!wrong && rows != n) print rows + 0 " rows, not " n
}
