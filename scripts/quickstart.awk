# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Compares rows of the emulated HCA with the settings of its link. Both are in the rows: the firmware version of the
# device names its link ("emulated link bandwidth=10G delay=5us"). Awk splits at every comma, which is wrong only for
# the last columns, which hold text.

function scaled(text, units,    n, u, i) {
	n = split(units, u, " ")
	for (i = 1; i < n; i += 2)
		if (text ~ ("[0-9]" u[i] "$"))
			return (text + 0) * u[i + 1]
	return text + 0
}

# Sets gbit_s and us, the limits of the link alone, and more: the settings that are not part of them.
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
	print "  " field("device") " is emulated: its link is software, and no figure describes hardware. The figures"
	print "  show how well verbench measures a link with known properties, " field("firmware") ":"
	print ""
}

{
	read_link(field("firmware"))
	what = sprintf("  %-8s by %-5s", field("test"), field("completion"))
	if (field("status") != "ok") said = "incomplete"
	else if (field("lat_p50_ns") == "") {
		said = sprintf("%.2f Gbit/s", field("bandwidth_gbit_s"))
		if (gbit_s) said = sprintf("%.2f of %g Gbit/s", field("bandwidth_gbit_s"), gbit_s)
	} else {
		if (gbit_s) us += field("size_bytes") * 8 / gbit_s / 1000
		said = sprintf("%.2f us, median", field("lat_p50_ns") / 1000)
		if (us) said = said sprintf("; the link takes %.2f us of it", us)
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
		print "  Displaced: another program or the server took the processor of the client during the"
		print "  measurement. Polling needs a free processor for each side."
	}
	print ""
}
