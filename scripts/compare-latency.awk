# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Makes the table of scripts/compare-latency. Input: its ways (name, description, places), separated by tabs; samples is
# the file of the figures, one in each line: place, way, us.

BEGIN {
	while ((getline line < samples) > 0) {
		split(line, s, " ")
		us[s[1], s[2], ++n[s[1], s[2]]] = s[3]
	}
	split("native guest guests", places, " ")
	words["native"] = "this machine"
	words["guest"] = "one guest, two emulated processors"
	words["guests"] = "two guests, one emulated processor each"
}

{ way[NR] = $1; what[$1] = $2 }

# Sorts the samples of one place and way.
function sort(p, w,    i, j, v) {
	for (i = 2; i <= n[p, w]; i++) {
		v = us[p, w, i]
		for (j = i - 1; j >= 1 && us[p, w, j] > v + 0; j--)
			us[p, w, j + 1] = us[p, w, j]
		us[p, w, j + 1] = v
	}
}

function median(p, w,    k) {
	k = n[p, w]
	return k % 2 ? us[p, w, (k + 1) / 2] + 0 : (us[p, w, k / 2] + us[p, w, k / 2 + 1]) / 2
}

function show(v) { return sprintf(v < 100 ? "%.3g" : "%.0f", v) }

function claim(text, holds) { print "* " text ": " (holds ? "holds" : "does NOT hold") }

# Prints what is slower than verbench on the emulated HCA in this place, and what is not.
function faster(p,    i, w) {
	for (i = 1; i <= NR; i++) {
		w = way[i]
		if (w != "soft_ours" && w != "soft_stock" && n[p, w])
			claim(words[p] ": faster than " what[w], median(p, "soft_ours") < median(p, w))
	}
}

END {
	for (k = 1; k <= 3; k++) {
		p = places[k]
		base = n[p, "soft_ours"] ? "soft_ours" : "rxe_ours"
		if (!n[p, base]) continue
		for (i = 1; i <= NR; i++) sort(p, way[i])
		print "| " words[p] " | us | smallest to largest | rounds | ratio to the first |"
		print "| --- | --- | --- | --- | --- |"
		for (i = 1; i <= NR; i++) {
			w = way[i]
			if (!n[p, w]) continue
			printf "| %s | %s | %s to %s | %d | %s |\n", what[w], show(median(p, w)), show(us[p, w, 1]),
				show(us[p, w, n[p, w]]), n[p, w], show(median(p, w) / median(p, base))
		}
		print ""
	}
	print "Claims about the emulated HCA, checked with the values above:"
	print ""
	if (n["native", "soft_ours"]) {
		claim("this machine: under 1 us", median("native", "soft_ours") < 1)
		faster("native")
	}
	if (n["guest", "soft_ours"]) faster("guest")
}
