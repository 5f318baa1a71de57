# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Tables of compare-dropin. Input: the command lines of a place. The output of their runs is in
# DIR/LINE.ROUND.WHO.client. Fails if columns differ, or a figure differs without a reason.

# ---- reading

# perftest computes its standard deviation in an int: a sample 46 ms from the mean makes it -nan.
function decimals(cell) { return cell ~ /nan/ ? 2 : cell ~ /\./ ? length(cell) - index(cell, ".") : "n" }

# Reads the rows of one run: v[LINE, SIZE, COLUMN, WHO, ROUND]. Sets shape[LINE, WHO] to its head and decimals.
function read_run(line, who, round,	file, text, names, n, w, i, k, in_rows, now, got) {
	file = dir "/" line "." round "." who ".client"
	while ((getline text < file) > 0) {
		if (text ~ /^ *#bytes/) {
			gsub(/MiB/, "MB", text); gsub(/[ \t]+$/, "", text); gsub(/^ +/, "", text)
			sub(/#bytes +#iterations */, "#bytes  #iterations  ", text)
			n = split(text, names, /[ \t][ \t]+/)
			now = names[1]; for (i = 2; i <= n; i++) now = now ", " names[i]
			in_rows = 1; continue
		}
		if (!in_rows || text !~ /^ *[0-9]+[ \t]/) continue
		k = split(text, w, " ")
		got++
		for (i = 1; i <= k; i++) {
			if (got == 1) now = now " " decimals(w[i])
			if (w[i] !~ /nan/) v[line, w[1], names[i], who, round] = w[i]
			if (!((line, i) in column)) { column[line, i] = names[i]; columns[line] = i }
		}
		if (!((line, w[1]) in known)) { known[line, w[1]] = 1; sizes[line, ++size_count[line]] = w[1] }
	}
	close(file)
	if (got) { runs[line, who]++; shape[line, who] = now }
}

# The bandwidth of vb_*, in MiB/s.
function read_csv(line, who, round,	file, text, head, w, i, n) {
	file = dir "/" line "." round "." who ".csv"
	if ((getline text < file) > 0) {
		n = split(text, head, ",")
		if ((getline text < file) > 0) {
			gsub(/"[^"]*"/, "", text); split(text, w, ",")
			for (i = 1; i <= n; i++)
				if (head[i] == "bandwidth_mib_s") vb[line, who, ++vbs[line, who]] = w[i] + 0
		}
	}
	close(file)
}

# ---- figures

# Sorts the figures of a column into s[1..]; returns their count.
function sorted(line, size, name, who,	r, i, x, n) {
	n = 0
	for (r = 1; r <= rounds; r++) {
		if (!((line, size, name, who, r) in v)) continue
		x = v[line, size, name, who, r] + 0
		for (i = ++n; i > 1 && s[i - 1] > x; i--) s[i] = s[i - 1]
		s[i] = x
	}
	return n
}
function middle(n) { return n % 2 ? s[(n + 1) / 2] : (s[n / 2] + s[n / 2 + 1]) / 2 }

# Why a figure differs in this direction, or nothing. docs/drop-in.md has the same, and what it does not have is in
# docs/method.md.
function reason(command, size, name, more, wide,	few) {
	few = command ~ / -n 50$/
	if (command ~ / -a/ && size == 2 && (more == (name ~ /BW|Rate/)))
		return "first size of -a: cold in perftest, after a run of one byte here"
	if (name ~ /peak/) return more ? "" : "the best interval is the whole run"
	if (name == "#iterations" && command ~ /-D/) return more ? "-D: all of the time counts, not its half" : ""
	if (few && name ~ /t_max|99/ && !more) return "the largest of 50 samples, which is one event"
	if (name ~ /t_max/) return more ? "the largest sample, not the second largest" : ""
	if (name ~ /99.9%/) return more ? "of fewer than 10000 samples the largest" : ""
	if (name ~ /99%/) return more ? "" : "nearest rank, not one above it"
	# the two are much the same in each run; if runs differ, it is something else
	if (name ~ /t_avg/ && wide) return ""
	if (name ~ /t_stdev|t_avg/) return more ? "the two largest samples are in it" : ""
	if (name ~ /t_typical|t_min/)
		return more ? "" : "own completions and new receives are in no sample (method.md, pingpong)"
	if (name !~ /BW average|MsgRate/) return ""
	if (command ~ /-c U/ && !more) return "what arrived, not what was sent"
	if (command ~ / -b/) return "-b: the sum of what the side measured itself"
	if (few && more) return "50 messages in two delays of the link: the cost of the tool per message counts"
	if (place == "fast" && more && command ~ /send_bw/)
		return "receives are posted in lists, there one by one (compare --recv_post_list 16)"
	if (place == "fast" && more) return "the tool costs less per message (method.md, The overhead of the tool)"
	return ""
}

# Compares one column. Sets verdict and shown.
function compare(line, command, size, name,	n, m, low, high, mid, ours, a, z, word, ratio) {
	n = sorted(line, size, name, stock)
	if (!n) { verdict = "no figures of perftest"; shown = "| - | - | - "; return }
	low = s[1]; high = s[n]; mid = middle(n)
	m = sorted(line, size, name, "ours")
	if (!m) { verdict = "no figures of ours"; shown = "| - | - | - "; return }
	ours = middle(m); a = s[1]; z = s[m]
	ratio = mid ? sprintf("%.3f", ours / mid) : "-"
	shown = sprintf("| %.5g to %.5g | %.5g (%.5g to %.5g) | %s ", low, high, ours, a, z, ratio)
	if (ours >= low - mid * tolerance / 100 && ours <= high + mid * tolerance / 100) verdict = "equal"
	else if ((verdict = reason(command, size, name, ours > mid, z > 1.5 * a)) != "") verdict = "explained: " verdict
	else if (a <= high && z >= low) verdict = "within both"
	else if (high > 1.5 * low || z > 1.5 * a) { verdict = "unclear"; bad = 1 }
	else { verdict = "DIFFERS"; bad = 1 }
	word = verdict
	sub(/:.*/, "", word)
	tally[word]++
}

BEGIN { stock = place == "debian13" ? "debian13" : "stock" }

{
	command[NR] = $0
	for (r = 1; r <= rounds; r++) {
		read_run(NR, stock, r); read_run(NR, "ours", r)
		read_csv(NR, "default", r); read_csv(NR, "like", r)
	}
}

# The figure that the test is about; of some sizes only.
function about(line,	i, name) {
	for (i = 3; i <= columns[line]; i++) {
		name = column[line, i]
		if (name ~ /BW average|t_typical/) return name
	}
	return columns[line] >= 3 ? column[line, 3] : ""
}
function of_interest(line, size) { return size_count[line] < 3 || size ~ /^(2|64|4096|65536|1048576|8388608)$/ }

# Prints the row of the figure that the test is about, and keeps the others that are not equal.
function row(l, size, name, columns_word,	cells) {
	compare(l, command[l], size, name)
	cells = sprintf("| `%s` | %s | %s %s| %s |", command[l], size, name, shown, verdict)
	if (name == about(l)) print cells " " columns_word " |"
	else if (verdict != "equal") rest[++rests] = cells
}

# Whether head and decimals are the same; if not, both are kept for the report.
function check_columns(l,	same) {
	same = shape[l, stock] == shape[l, "ours"] && shape[l, stock] != ""
	if (same) return "same"
	bad = 1
	odd = odd sprintf("\n* `%s`: perftest `%s`, ours `%s`", command[l], shape[l, stock], shape[l, "ours"])
	return "DIFFER"
}

END {
	print "| command line | bytes | figure | perftest | ours | ours / perftest | verdict | columns |"
	print "| --- | ---: | --- | ---: | ---: | ---: | --- | --- |"
	for (l = 1; l <= NR; l++) {
		same = check_columns(l)
		for (k = 1; k <= size_count[l]; k++)
			for (i = 2; i <= columns[l] && of_interest(l, sizes[l, k]); i++)
				row(l, sizes[l, k], column[l, i], same)
		if (!size_count[l]) {
			bad = 1
			printf "| `%s` | | | | | | no figures: the runs failed | |\n", command[l]
		}
	}
	if (odd != "") print "\nColumns that differ:\n" odd
	if (rests) {
		print "\nAll other figures are equal, but:\n"
		print "| command line | bytes | figure | perftest | ours | ours / perftest | verdict |"
		print "| --- | ---: | --- | ---: | ---: | ---: | --- |"
		for (k = 1; k <= rests; k++) print rest[k]
	}
	print_vb()
	printf "\n"
	for (word in tally) printf "%s%d %s", (comma++ ? ", " : ""), tally[word], word
	printf ".\n"
	exit bad
}

# Sorts the bandwidths of vb_* into s[1..]; returns their count.
function sorted_vb(line, who,	i, k) {
	for (i = 1; i <= vbs[line, who]; i++) {
		for (k = i; k > 1 && s[k - 1] > vb[line, who, i]; k--) s[k] = s[k - 1]
		s[k] = vb[line, who, i]
	}
	return vbs[line, who] + 0
}

function cell(n) { return n ? sprintf("| %.5g (%.5g to %.5g) ", middle(n), s[1], s[n]) : "| - " }

# The programs vb_* beside the drop-in programs: defaults of bandwidth tests.
function print_vb(	l, started, name, size) {
	for (l = 1; l <= NR; l++) {
		if (!vbs[l, "default"]) continue
		if (!started++) {
			print "\nThe defaults of `vb_*` beside them, in MiB/s:\n"
			print "| test | perftest | `ib_*` of verbench | `vb_*` | `vb_* --like perftest` |"
			print "| --- | ---: | ---: | ---: | ---: |"
		}
		name = about(l)
		size = sizes[l, 1]
		printf "| `%s` ", substr(command[l], 4)
		printf "%s", cell(sorted(l, size, name, stock))
		printf "%s", cell(sorted(l, size, name, "ours"))
		printf "%s", cell(sorted_vb(l, "default"))
		print cell(sorted_vb(l, "like")) "|"
	}
}
