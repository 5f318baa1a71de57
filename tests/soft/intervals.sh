# shellcheck shell=bash disable=SC2016,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Rows of a running point (--interval): they are there while it runs, on both sides, and add up to its row; a point that
# runs until the user ends it (-D forever); what is left when a side is killed.

# Starts a server of many whose rows go to i.server. Sets server.
intervals_serve()
{
	((++port))
	rm -f "$work"/i.*
	"$build/verbench" serve --soft -p "$port" --jsonl "$work/i.server" --json "$work/i.server.json" \
		>"$work/i.server.out" 2>&1 &
	server=$!
}

# Starts a client whose rows go to i.client. Sets asker.
intervals_ask()	# test, options...
{
	local test=$1

	shift
	timeout -k 5 "$guard" "$build/vb_$test" --soft -p "$port" --connect-timeout 1m --jsonl "$work/i.client" \
		--json "$work/i.client.json" "$@" 127.0.0.1 >"$work/i.out" 2>"$work/i.err" &
	asker=$!
}

# Ends both. Sets left: what is wrong with the exit statuses.
intervals_end()	# expected of the client
{
	local rc

	wait "$asker"
	rc=$?
	left=
	((rc == $1)) || left+="client exit $rc: $(tail -n 2 "$work/i.err") "
	kill "$server"
	wait "$server"
	rc=$?
	((rc == 0)) || left+="server exit $rc: $(tail -n 2 "$work/i.server.out") "
}

# What is wrong with the rows of a file: intervals are numbered, lie end to end, and add up to the result after them.
adds_up()	# file, intervals at least
{
	jq -rs --argjson least "$2" '
		def sum(key): map(.[key] // 0) | add // 0;
		map(select(.pattern != "stream" or .direction != "both"))
		| group_by([.direction, .receiver])[]
		| map(select(.kind == "interval")) as $parts | map(select(.kind == "result")) as $all
		| "\(.[0].direction) \(.[0].receiver)" as $way
		| if ($all | length) != 1 or .[-1].kind != "result" then "\($way): not one result, at the end" else
			(if ($parts | length) < $least then "\($way): \($parts | length) intervals" else empty end),
			(if ($parts | map(.interval)) != [range($parts | length)] then "\($way): their numbers"
				else empty end),
			(range($parts | length) as $i
				| if $parts[$i].interval_start_ns != ($parts[:$i] | sum("window_ns"))
				then "\($way): interval \($i) does not begin where the one before it ends"
				else empty end),
			("messages", "window_messages", "window_ns", "bytes", "lat_samples", "cpu_ns", "polls", "events"
				| . as $key | select(($parts | sum($key)) != ($all[0][$key] // 0))
				| "\($way): \($key): \($parts | sum($key)), not \($all[0][$key])"),
			($parts[] | select(.status != "ok") | "\($way): an interval is \(.status)")
		end' "$1" 2>&1
}

# Rows are written while the point runs: it cannot end before they are seen.
intervals_live()	# test, options...
{
	local server asker left side said=''

	intervals_serve
	intervals_ask "$@" -D forever --interval 100ms
	for side in client server; do
		await_lines "$asker" "$work/i.$side" 2
		kill -0 "$asker" 2>/dev/null || said+="ended before rows of the $side: $(tail -n 2 "$work/i.err") "
	done
	[[ $(jq -r .status "$work/i.client.json" 2>&1) == running || ! -e $work/i.client.json ]] ||
		said+="the document does not say running "
	kill -INT "$asker"
	intervals_end 0
	verdict "intervals: live: $*" "$said$left$(
		for side in client server; do
			adds_up "$work/i.$side" 2
			[[ $(jq -r .status "$work/i.$side.json") == ok ]] || echo "$side: the document is not ok"
			[[ $(jq '.intervals | length' "$work/i.$side.json") == \
				$(grep -c '"kind":"interval"' "$work/i.$side") ]] ||
				echo "$side: not all in the document"
			[[ $(jq '.rows | length' "$work/i.$side.json") == \
				$(grep -c '"kind":"result"' "$work/i.$side") ]] || echo "$side: rows of the document"
		done
		awk 'length > 80 { print "line " NR " has " length " columns: " $0 }' "$work/i.out")"
}

# A point without end and without intervals; the user of the server ends it.
intervals_forever()	# signal
{
	local server asker rc said=''

	intervals_serve
	intervals_ask send_bw -c UD -D forever
	# the head of the table is printed when both sides have agreed
	await "$asker" grep -q 'each row' "$work/i.out"
	grep -q 'each row: until' "$work/i.out" || said+="the head does not say how long "
	kill -"$1" "$server"
	wait "$asker"
	rc=$?
	# a wish that comes before the loops run ends the run, not the point
	[[ $rc == 0 || $(jq -r .status "$work/i.client") == interrupted ]] || said+="client exit $rc "
	wait "$server"
	rc=$?
	((rc == 0)) || said+="server exit $rc "
	verdict "intervals: -D forever ended by SIG$1 of the server" "$said$(
		[[ $(jq -r .status "$work/i.client") == $(jq -r .status "$work/i.server") ]] ||
			echo 'the sides differ')"
}

# What a killed side leaves, and the other one: whole lines, and a row that is not ok.
intervals_killed()	# side
{
	local server asker rc victim

	intervals_serve
	intervals_ask send_bw -s 4k -D forever --interval 100ms
	await_lines "$asker" "$work/i.client" 3
	await_lines "$asker" "$work/i.server" 3
	# the process of the session, not the one that listens; that of verbench, not of timeout
	if [[ $1 == server ]]; then victim=$(pgrep -P "$server"); else victim=$(pgrep -P "$asker"); fi
	kill -KILL "$victim"
	wait "$asker" 2>/dev/null
	rc=$?
	[[ $1 == server ]] || timeout "$guard" bash -c 'until grep -q "\"kind\":\"result\"" "$1"; do sleep 0.02; done' \
		bash "$work/i.server"
	kill "$server"
	wait "$server"
	verdict "intervals: kill -9 of the $1" "$(
		for side in client server; do
			(($(jq -s 'map(select(.kind == "interval")) | length' "$work/i.$side") >= 3)) ||
				echo "$side: intervals are lost"
		done
		if [[ $1 == server ]]; then
			((rc == 1)) || echo "client exit $rc"
			adds_up "$work/i.client" 3
			[[ $(jq -rs '.[-1].status' "$work/i.client") == incomplete ]] || echo 'the row of the client'
		else
			adds_up "$work/i.server" 3
			[[ $(jq -rs '.[-1].status' "$work/i.server") == incomplete ]] || echo 'the row of the server'
		fi)"
}

# Points of some intervals and of less than one; warm-up and several sizes.
intervals_points()
{
	local server asker left

	intervals_serve
	intervals_ask send_bw -n 50 --interval 1h --warm-up 20
	intervals_end 0
	verdict 'intervals: a point that is shorter has one' \
		"$left$(adds_up "$work/i.client" 1; adds_up "$work/i.server" 1)"
	intervals_serve
	intervals_ask send_lat -a -n 30 --interval 1h
	intervals_end 0
	verdict 'intervals: of each size' "$left$(
		jq -s 'if map(.kind) == [range(length / 2) | "interval", "result"] and length > 40 then empty
			else map(.kind) end' "$work/i.server")"
	intervals_serve
	intervals_ask send_bw -D 1 --interval 250ms --stall-timeout 20s
	intervals_end 0
	verdict 'intervals: by time' "$left$(adds_up "$work/i.client" 1; adds_up "$work/i.server" 1)"
}

# Each receiver of a group has rows of its own.
intervals_group()
{
	local server asker left

	intervals_serve
	intervals_ask send_bw -c UD --mcast 239.1.2.3 -D 1 --interval 200ms "127.0.0.1:$port"
	intervals_end 0
	verdict 'intervals: of a multicast group' "$left$(adds_up "$work/i.client" 1
		[[ $(jq -r .receiver "$work/i.client" | sort -u | wc -l) == 2 ]] || echo 'not two receivers')"
}

part_intervals()
{
	intervals_live send_bw
	intervals_live send_bw -b -q 2 --threads 2 -s 4k
	intervals_live send_bw -c UD -b -e
	intervals_live write_bw -s 64
	intervals_live read_bw --completion hybrid
	intervals_live send_lat
	intervals_live read_lat -e
	intervals_live write_lat -c UC
	intervals_forever INT
	intervals_forever TERM
	intervals_killed client
	intervals_killed server
	intervals_points
	intervals_group
}
