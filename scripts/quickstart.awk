# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Rows from the emulated HCA beside what its link was set to. All of it stands in the rows themselves: the device says
# its link as its firmware version ("emulated link bandwidth=10G delay=5us"). Awk splits at every comma, which is right
# up to the last columns, where sentences are.

function scaled(text, units,    n, u, i) {
	n = split(units, u, " ")
	for (i = 1; i < n; i += 2)
		if (text ~ ("[0-9]" u[i] "$"))
			return (text + 0) * u[i + 1]
	return text + 0
}

# What the link alone allows: sets gbit_s, us, and more for what is not reckoned with.
function read_link(text,    n, w, v, i) {
	gbit_s = us = 0
	more = ""
	n = split(text, w, " ")
	for (i = 2; i <= n; i++) {
		v = w[i]
		if (sub(/^bandwidth=/, "", v)) gbit_s = scaled(v, "T 1000 G 1 M 0.001 k 0.000001")
		else if (sub(/^delay=/, "", v)) us = scaled(v, "ns 0.001 us 1 ms 1000 s 1000000")
		else if (v == "null" || v ~ /^(faults|\.\.\.)$|=/) more = more " " v
	}
}

function field(name) { return $(column[name]) }

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }

NR == 2 {
	print "What the figures mean"
	print ""
	print "  " field("device") " is emulated: its link is made of software, no figure is one of any hardware. They"
	print "  show what the instrument makes of a link whose truth is known, " field("firmware") ":"
	print ""
}

{
	read_link(field("firmware"))
	what = sprintf("  %-8s by %-5s", field("test"), field("completion"))
	if (field("status") != "ok") said = "not measured to the end"
	else if (field("lat_p50_ns") == "") {
		said = sprintf("%.2f Gbit/s", field("bandwidth_gbit_s"))
		if (gbit_s) said = sprintf("%.2f of %g Gbit/s", field("bandwidth_gbit_s"), gbit_s)
	} else {
		if (gbit_s) us += field("size_bytes") * 8 / gbit_s / 1000
		said = sprintf("%.2f us, median", field("lat_p50_ns") / 1000)
		if (us) said = said sprintf("; %.2f us of it the link", us)
	}
	line[NR] = sprintf("%s  %-46s", what, said)
	if (field("involuntary_switches") > 0) {
		shared = 1
		line[NR] = line[NR] sprintf("  displaced %d times", field("involuntary_switches"))
	}
	print line[NR]
}

END {
	if (more) print "  The link was also set to:" more
	if (shared) {
		print ""
		print "  Displaced: something else took the client's processor while it measured. Polling wants a"
		print "  free one for each side."
	}
	print ""
}
