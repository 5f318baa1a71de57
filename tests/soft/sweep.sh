# shellcheck shell=bash disable=SC2034,SC2054,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Sweeps: every cell has its rows, once and in order; cells that cannot be measured say why; a server that is gone, a
# signal and a full disk leave whole cells.

# A server of many. Sets sweep_server.
sweep_serve()
{
	softhca "$build/verbench" serve -p "$port" >"$work/server" 2>&1 &
	sweep_server=$!
	await_listener "$sweep_server"
}

# The process of the server, not the ones that start it.
sweep_process() { pgrep -o -f "^$build/verbench serve -p $port"; }

# The server and its sessions.
sweep_kill() { pgrep -f "^$build/verbench serve -p $port" | xargs kill -KILL; }

sweep_serve_end()
{
	kill "$(sweep_process)"
	wait "$sweep_server"
}

# Sets sweep_rc; the table is in $work/client, messages are in $work/errors.
sweep_run()	# options and operands without the host
{
	softhca timeout "$guard" "$build/verbench" run -p "$port" "$@" 127.0.0.1 >"$work/client" 2>"$work/errors"
	sweep_rc=$?
	return "$sweep_rc"
}

# A column of all rows. JSON Lines: a text may have commas.
sweep_column() { jq -r ".$2" "$1"; }	# file, column

# Prints what is wrong with exit status and rows.
sweep_wrong()	# file, exit status, rows, rows that are ok
{
	[[ $sweep_rc == "$2" ]] || echo "exit $sweep_rc, not $2: $(tail -n 1 "$work/errors") "
	[[ $(wc -l <"$1") == "$3" ]] || echo "$(wc -l <"$1") rows, not $3 "
	[[ $(sweep_column "$1" status | grep -cx ok) == "$4" ]] || echo "not $4 rows are ok: $(
		sweep_column "$1" reason | sort | uniq -c) "
}

sweep_scenarios()
{
	local file=$work/s.jsonl

	rm -f "$file" "$work/s.csv" "$work/s.json"
	sweep_run size-sweep -n 20 --jsonl "$file" --csv "$work/s.csv" --json "$work/s.json"
	verdict 'sweep: size-sweep' "$(sweep_wrong "$file" 0 69 69
		[[ $(sweep_column "$file" cell | sort -u | wc -l) == 69 ]] || echo 'a cell is there twice'
		[[ $(sweep_column "$file" scenario | sort -u) == size-sweep ]] || echo 'rows of no scenario'
		[[ $(sweep_column "$file" size_bytes | sort -u | wc -l) == 23 ]] || echo 'not 23 sizes'
		[[ $(head -n 1 "$file" | jq -r .cell) == \
			'write_bw --completion poll --size 2 --messages 20' ]] || echo 'another first cell')"
	verdict 'sweep: the same rows in CSV and in one document' "$(
		[[ $(grep -c '^schema,' "$work/s.csv") == 1 && $(wc -l <"$work/s.csv") == 70 ]] || echo 'CSV'
		[[ $(jq -r '.status + " " + (.rows | length | tostring)' "$work/s.json") == 'ok 69' ]] || echo 'JSON'
		[[ $(jq '.rows[].cell' "$work/s.json") == "$(jq .cell "$file")" ]] || echo 'another order')"
	verdict 'sweep: the report that the scenario suggests is printed, and can be made' "$(
		[[ $(tail -n 1 "$work/client") == "verbench report --by completion $work/s.csv" ]] ||
			tail -n 1 "$work/client"
		sed -n 's/^report //p' "$here"/../../bench/*.bench | while read -r words; do
			# shellcheck disable=SC2086
			"$build/verbench" report $words "$work/s.csv" 2>&1 >/dev/null || echo "report $words"
		done)"
	verdict 'sweep: the document has options and plan of each cell' "$(
		jq -r 'if ([.cells[].cell] == [.rows[].cell]) | not then "other cells" else empty end,
			if ([.points[].cell] == [.rows[].cell]) | not then "points of other cells" else empty end,
			(.rows as $rows | .cells | to_entries[] | $rows[.key] as $row | .value
				| select([.scenario, .options.completion, .plan.points[0].size_bytes]
					!= ["size-sweep", $row.completion, $row.size_bytes])
				| "another plan: " + .cell),
			if .run.plan != .cells[0].plan then "run is not of the first cell" else empty end,
			(.cells[] | select(.self or .peer) | "the same hosts again in " + .cell)' "$work/s.json" 2>&1)"
	verdict 'sweep: question, expectation and a line for each row' "$(
		grep -q '^question' "$work/client" || echo 'no question'
		[[ $(grep -cE '^(poll|event|hybrid) ' "$work/client") == 69 ]] || echo 'lines are missing'
		[[ $(grep -c '^completion ' "$work/client") == 1 ]] || echo 'heads again and again'
		awk 'length > 80 { print "too long: " $0 }' "$work/client")"
	rm -f "$file"
	sweep_run size-sweep mtu -n 5 -s 64 --completion poll --jsonl "$file"
	verdict 'sweep: two scenarios, and options in place of theirs' "$(sweep_wrong "$file" 0 11 11
		[[ $(sweep_column "$file" scenario | uniq -c | tr -s ' \n' ' ') == ' 1 size-sweep 10 mtu ' ]] ||
			echo 'not their rows'
		[[ $(sweep_column "$file" mtu_bytes | sort -un | tr '\n' ' ') == '256 512 1024 2048 4096 ' ]] ||
			echo 'not their options')"
}

sweep_lists()
{
	local file=$work/s.jsonl

	rm -f "$file"
	sweep_run --test read_bw,send_lat -c RC,UC,XRC -s 64,4k -e -n 20 --jsonl "$file"
	verdict 'sweep: what a transport cannot do is skipped, and the rest is measured' "$(
		sweep_wrong "$file" 0 12 10
		[[ $(jq -r 'select(.status == "skipped") | .reason' "$file" | sort -u) == 'read over UC: '* ]] ||
			echo 'another reason'
		[[ $(jq -r 'select(.status == "skipped") | .size_bytes' "$file" | tr '\n' ' ') == '64 4096 ' ]] ||
			echo 'without the size'
		grep -q '^\[[0-9]*\] skipped: read over UC' "$work/client" || echo 'no note')"
	rm -f "$file"
	sweep_run --test send_bw -e -s 64 --mtu 1024,4096 -x 0,200 -n 20 --jsonl "$file"
	verdict 'sweep: what a device refuses is skipped' "$(sweep_wrong "$file" 0 4 2
		[[ $(jq -r 'select(.status == "skipped") | .gid_index' "$file" | sort -u) == null ]] ||
			echo 'not the GID')"
	rm -f "$file"
	sweep_run --test send_bw -e -b on,off --imm on,off -n 20 --verify --jsonl "$file"
	jq -c 'select(.direction != "both")' "$file" >"$work/one-way"
	verdict 'sweep: on and off' "$(sweep_wrong "$work/one-way" 0 6 6
		[[ $(jq -r 'select(.direction == "to_server") | "\(.bidir)\(.opcode)"' "$file" | tr '\n' ' ') == \
			'1send_imm 1send 0send_imm 0send ' ]] || echo 'not these cells')"
	rm -f "$file"
	sweep_run --test send_bw -c UD -s 100000 -n 20 --jsonl "$file"
	verdict 'sweep: nothing that can be run' "$(sweep_wrong "$file" 2 1 0)"
	rm -f "$file"
	sweep_run --test send_bw -e -s 64 -q 1:12 --shuffle 4 -n 20 --rounds 2 --jsonl "$file"
	verdict 'sweep: rounds in a random order' "$(sweep_wrong "$file" 0 24 24
		[[ $(sweep_column "$file" qps | sort -n | uniq -c | awk '{ print $1 }' | sort -u) == 2 ]] ||
			echo 'not twice'
		[[ $(sweep_column "$file" qps) != "$(sweep_column "$file" qps | sort -n)" ]] || echo 'in order'
		[[ $(sweep_column "$file" cell) == "$("$build/verbench" run --test send_bw -e -s 64 -q 1:12 \
			--shuffle 4 -n 20 --rounds 2 --dry-run | sed '$d')" ]] || echo 'not the order of the dry run')"
	rm -f "$file"
	sweep_run --test send_bw -e -q 1,2 -a -n 5 --quiet --csv -
	verdict 'sweep: CSV on standard output has whole cells and nothing else' "$(
		[[ $sweep_rc == 0 && $(wc -l <"$work/client") == 47 && $(grep -c '^schema,' "$work/client") == 1 ]] ||
			echo "$(wc -l <"$work/client") lines")"
	verdict 'sweep: --quiet says nothing' "$(cat "$work/errors")"
}

# A server of one client takes one connection.
sweep_over_one_connection()
{
	local file=$work/s.jsonl

	rm -f "$file"
	client=(-s 64,4k -t 1,16 --completion poll,event -n 50 --jsonl "$file")
	both "$guard" "$build/vb_send_bw"
	sweep_rc=0
	verdict 'sweep: lists of vb_send_bw, over one connection' "$ended$(sweep_wrong "$file" 0 8 8
		[[ $(sweep_column "$file" test | sort -u) == send_bw ]] || echo 'another test'
		[[ $(sweep_column "$file" scenario | sort -u) == null ]] || echo 'a scenario')"
}

# The server is killed during a cell and starts again: that cell has failed, the others are measured.
sweep_killed_server()
{
	local file=$work/s.jsonl sweep

	rm -f "$file"
	sweep_run --test send_bw -e -s 64 -q 1:8 -D 300ms --stall-timeout 1 --jsonl "$file" &
	sweep=$!
	await_lines "$sweep" "$file" 2
	sweep_kill
	wait "$sweep_server" 2>/dev/null
	sweep_serve
	wait "$sweep"
	sweep_rc=$?
	verdict 'sweep: a cell fails with its server, and the next ones are measured' "$(sweep_wrong "$file" 1 8 7
		grep -q '^verbench: send_bw --completion event --size 64 --duration 300ms --qps' "$work/errors" ||
			cat "$work/errors")"
	rm -f "$file"
	sweep_run --test send_bw -e -s 64 -q 1:8 -D 300ms --stall-timeout 1 --connect-timeout 200ms --jsonl "$file" &
	sweep=$!
	await_lines "$sweep" "$file" 2
	sweep_kill
	wait "$sweep_server" 2>/dev/null
	wait "$sweep"
	sweep_rc=$?
	verdict 'sweep: without a server it ends' "$(
		[[ $sweep_rc == 1 ]] || echo "exit $sweep_rc"
		(($(wc -l <"$file") <= 4)) || echo 'rows without a server'
		# a session may hear that its server is gone before it is killed itself, and end in order
		[[ $(tail -n 1 "$file" | jq -r .status) =~ ^(incomplete|failed|interrupted)$ ]] ||
			tail -n 1 "$file" | jq -r '"the last row is \(.status): \(.reason)"')"
	sweep_serve
}

sweep_stopped()
{
	local file=$work/s.jsonl sweep

	rm -f "$file"
	softhca "$build/verbench" run -p "$port" --test send_bw -e -s 64 -q 1:8 -D 500ms --jsonl "$file" \
		--json "$work/s.json" 127.0.0.1 >"$work/client" 2>"$work/errors" &
	sweep=$!
	await_lines "$sweep" "$file" 2
	kill -INT "$(pgrep -o -f "^$build/verbench run -p $port")"
	wait "$sweep"
	sweep_rc=$?
	verdict 'sweep: Ctrl-C ends it after the rows of the cell' "$(
		[[ $sweep_rc == 1 ]] || echo "exit $sweep_rc"
		[[ $(tail -n 1 "$file" | jq -r .status) =~ ^(interrupted|ok)$ ]] ||
			echo 'the last row is not interrupted'
		(($(wc -l <"$file") < 8)) || echo 'it went on'
		[[ $(jq -r .status "$work/s.json") == interrupted ]] || echo 'the document does not say so')"
	sweep_run --test send_bw -q 1:4 -n 20 --jsonl /dev/full
	verdict 'sweep: a full disk ends it' "$([[ $sweep_rc == 1 ]] || echo "exit $sweep_rc"
		grep -q 'No space left' "$work/errors" || echo "says: $(cat "$work/errors")"
		[[ $(grep -c '^[1-4] ' "$work/client") == 1 ]] || echo 'it went on')"
}

# Time of a sweep by time: as the dry run says, within 20 %, and nine tenths of it in windows.
sweep_time()
{
	local file=$work/s.jsonl say took windows
	local options=(--test send_bw,send_lat -s 64 --completion event,hybrid -D 2)

	rm -f "$file"
	say=$("$build/verbench" run "${options[@]}" --dry-run | sed -n 's/^4 cells, 4 points, \([0-9.]*\) s$/\1/p')
	took=$EPOCHREALTIME
	sweep_run "${options[@]}" --jsonl "$file"
	took=$(bc <<<"$EPOCHREALTIME - $took")
	windows=$(jq -s 'map(.window_ns) | add / 1e9' "$file")
	verdict 'sweep: it takes the time of the dry run, within 20 %' "$(sweep_wrong "$file" 0 4 4
		awk -v a="$say" -v b="$took" 'BEGIN { if (a < 0.8 * b || a > 1.2 * b) print b " s, not " a " s" }')"
	verdict 'sweep: more than 90 % of the time is measured' "$(
		awk -v a="$windows" -v b="$took" 'BEGIN { if (a < 0.9 * b) print a " s in windows of " b " s" }')"
}

sweep_compare()
{
	softhca timeout "$guard" "$build/verbench" compare-completion -p "$port" -n 2000 -s 64 --rounds 1 127.0.0.1 \
		>"$work/client" 2>"$work/errors"
	sweep_rc=$?
	verdict 'sweep: compare-completion' "$([[ $sweep_rc == 0 ]] || cat "$work/errors"
		[[ $(grep -cE '^(send_(bw|lat) +64| ) +(poll|event|hybrid) ' "$work/client") == 6 ]] ||
			echo 'not 6 lines'
		[[ $(grep -cE '^send_(bw|lat): (events are|hybrid is) cheaper than polling' "$work/client") == 4 ]] ||
			echo 'no answer'
		grep -q '^send_lat of 64 bytes: with events the median is' "$work/client" || echo 'no cost of events'
		awk 'length > 80 { print "too long: " $0 }' "$work/client")"
}

part_sweep()
{
	((++port))
	sweep_serve
	sweep_scenarios
	sweep_lists
	sweep_killed_server
	sweep_stopped
	sweep_compare
	sweep_serve_end
	sweep_over_one_connection
}

# Alone: it compares times.
part_sweep_time()
{
	((++port))
	sweep_serve
	sweep_time
	sweep_serve_end
}
