# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The command report on rows that verbench has just written, --expect on a run, and a million rows.

# Runs a test whose client expects something. Sets status, and out: what the client printed.
report_run()	# options of the client...
{
	local server

	((++port))
	timeout "$guard" "$build/verbench" serve --soft -p "$port" --quiet >"$work/server" 2>&1 &
	server=$!
	out=$(timeout "$guard" "$build/vb_send_bw" --soft -p "$port" "$@" 127.0.0.1 2>&1)
	status=$?
	kill "$server"
	wait "$server"
}

report_expect()
{
	local out status wrong=''

	report_run -n 100 --quiet --expect 'lost == 0; size_bytes == 64k where opcode == send; warnings lacks moved'
	((status == 0)) || wrong+="met: exit $status: $out "
	[[ $out == *'PASS send_bw RC poll 65536: lost 0'*'3 passed, 0 failed'* ]] || wrong+="met: $out "
	report_run -n 100 --quiet --expect 'lost > 0; message_rate_per_s > 0'
	((status == 3)) || wrong+="not met: exit $status: $out "
	[[ $out == *'FAIL send_bw RC poll 65536: lost 0, expected > 0'*'PASS '* ]] || wrong+="not met: $out "
	report_run -n 100 --quiet --expect 'lat_p99_ns <= 5us'
	((status == 3)) || wrong+="not measured: exit $status: $out "
	[[ $out == *'lat_p99_ns none (not measured), expected <= 5us'* ]] || wrong+="not measured: $out "
	report_run -n 100 -a --quiet --expect 'lost == 0 where size_bytes == 3'
	((status == 3)) || wrong+="no row: exit $status: $out "
	[[ $out == *'FAIL no row is selected by '* ]] || wrong+="no row: $out "
	# what reads CSV from standard output reads nothing else
	report_run -n 100 --csv - --expect 'lost == 0'
	out=$(grep -cE '^(schema|1),' <<<"$out")
	((status == 0 && out == 2)) || wrong+="with CSV: exit $status, $out lines"
	verdict 'report: --expect on a run' "$wrong"
}

# CSV, JSON Lines and documents of one run give the same summary.
report_formats()
{
	local out status wrong='' format rows=$work/report

	rm -f "$rows".*
	report_run -a -n 100 --csv "$rows.csv" --jsonl "$rows.jsonl" --json "$rows.json"
	((status == 0)) || wrong+="exit $status: $out "
	for format in csv jsonl json; do
		"$build/verbench" report --format csv "$rows.$format" >"$rows.of.$format" 2>"$rows.log" ||
			wrong+="$format: $(tail -n 1 "$rows.log") "
		cmp -s "$rows.of.csv" "$rows.of.$format" || wrong+="$format differs "
	done
	(($(wc -l <"$rows.of.csv") == 24)) || wrong+="$(wc -l <"$rows.of.csv") lines"
	verdict 'report: one summary of three formats' "$wrong"
}

# A million rows of a sweep, with all columns: 256 MiB of address space are enough, with the program in them. There is
# no limit of time, which a busy machine would break: verbench-report(1) has a figure.
report_million()
{
	local wrong='' rows=$work/report

	awk 'NR == 1 { print; next } { line[n++] = $0 } END { for (i = 0; i < 1000000; i++) print line[i % n] }' \
		"$rows.csv" | (ulimit -v 262144; "$build/verbench" report --format csv -) >"$rows.of" 2>"$rows.log" ||
		wrong+="$(tail -n 1 "$rows.log") "
	awk -F, 'NR > 1 { n += $5 } END { exit n != 1000000 }' "$rows.of" || wrong+="not all rows are there"
	verdict 'report: a million rows in 256 MiB' "$wrong"
}

part_report()
{
	report_expect
	report_formats
	report_million
}
