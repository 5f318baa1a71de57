# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Several pairs of devices at the same time: a row for each and their total, one server or two, and what one pair that
# fails does to the others. No case depends on speed: where the windows were not one, the total says so.

# Runs verbench in a process group of its own; its number is in a file.
pairs_verbench()	# file, words...
{
	# shellcheck disable=SC2016
	softhca setsid sh -c 'echo $$ >"$0" && exec "$@"' "$1" "$build/verbench" "${@:2}"
}

# Starts a server, and waits until it listens. Sets server and pair_port.
pairs_serve()	# options...
{
	pair_port=$((++port))
	pairs_verbench "$work/pid" serve -p "$pair_port" "$@" >"$work/server.$pair_port" 2>&1 &
	await_listener "$!"
	server=$(<"$work/pid")
}

# Ends a server.
pairs_end()	# process
{
	local end=$((SECONDS + guard))

	kill "$1"
	while kill -0 "$1" 2>/dev/null; do
		if ((SECONDS > end)); then
			echo "not ok pairs: process $1 does not end"
			kill -KILL "$1"
			return
		fi
		sleep 0.02
	done
}

# Runs a client; its results are in rows.csv, table and errors. Sets rc.
pairs_run()	# options and operands...
{
	rm -f "$work/rows.csv"
	softhca timeout "$guard" "$build/verbench" run --csv "$work/rows.csv" "$@" >"$work/table" 2>"$work/errors"
	rc=$?
}

# Prints one line for each row: the columns, with '|' between them. No column that is asked for has a comma in it.
pairs_columns()	# columns...
{
	awk -F, -v want="$*" '
	{
		# a comma within quotes is none
		line = ""
		n = split($0, parts, "\"")
		for (i = 1; i <= n; i++) {
			if (i % 2 == 0)
				gsub(",", ";", parts[i])
			line = line parts[i]
		}
		$0 = line
	}
	NR == 1 {
		for (i = 1; i <= NF; i++)
			at[$i] = i
		m = split(want, names, " ")
		next
	}
	{
		text = $at[names[1]]
		for (i = 2; i <= m; i++)
			text = text "|" $at[names[i]]
		print text
	}' "$work/rows.csv"
}

# Every pair ran at the same time, on one axis; the total is the sum of its rows, or says why there is none.
pairs_check()	# pairs, cells
{
	pairs_columns kind pair status messages start_ns window_ns pairs pair_fairness reason |
		awk -F'|' -v pairs="$1" -v cells="$2" '
		function bad(why) { print why " in " $0; failed = 1; exit 1 }
		$1 == "result" {
			if ($3 != "ok" || $7 != pairs || $5 == "" || $6 == "")
				bad("row")
			sum += $4
			n++
			first = n == 1 || $5 + $6 < first ? $5 + $6 : first
			last = $5 > last ? $5 : last
			next
		}
		$1 == "total" {
			if (n != pairs || $2 != "total" || $7 != pairs || !($8 > 0 && $8 <= 1))
				bad("total")
			if (last >= first)
				bad("the windows have nothing in common")
			if ($3 == "ok" ? $4 != sum : $9 !~ /^no total: the pairs shared [0-9.]+ % of their time/)
				bad("sum " sum)
			n = sum = last = 0
			totals++
			next
		}
		{ bad("kind") }
		END { if (!failed && totals != cells) print totals + 0 " totals, not " cells }'
}

pairs_measure()
{
	local one two name

	pairs_serve
	one=$server:$pair_port
	pairs_serve
	two=$server:$pair_port
	name='pairs: two pairs, two servers, two cells'
	pairs_run --test write_bw -s 4k,64k -D 1s --completion event -d softhca0,softhca1 \
		"127.0.0.1:${one#*:}:softhca2" "127.0.0.1:${two#*:}:softhca3"
	verdict "$name" "$( ((rc == 0)) || tail -n 2 "$work/errors"; pairs_check 2 2)"

	name='pairs: four pairs, one server, one operand'
	pairs_run --test send_bw -c UC -s 4k -D 1s --completion event -d softhca0,softhca1,softhca2,softhca3 \
		"127.0.0.1:${one#*:}"
	verdict "$name" "$( ((rc == 0)) || tail -n 2 "$work/errors"; pairs_check 4 1
		[[ $(pairs_columns device | head -4 | tr '\n' ' ') == 'softhca0 softhca1 softhca2 softhca3 ' ]] ||
			echo "devices: $(pairs_columns device)")"

	name='pairs: four pairs on the devices of two servers, rows of intervals'
	pairs_run --test write_bw -s 4k -D 2s --interval 500ms --completion event \
		"127.0.0.1:${one#*:}:softhca0" "127.0.0.1:${one#*:}:softhca1" "127.0.0.1:${two#*:}:softhca2" \
		"127.0.0.1:${two#*:}:softhca3"
	# what a pair has sent is the sum of its intervals
	verdict "$name" "$( ((rc == 0)) || tail -n 2 "$work/errors"
		pairs_columns kind pair messages | awk -F'|' '
		$1 == "interval" { sum[$2] += $3; n++ }
		$1 == "result" && sum[$2] != $3 { print "intervals of " $2 ": " sum[$2] ", not " $3 }
		END { if (n < 8) print n + 0 " intervals" }')"

	name='pairs: both ways, by messages'
	pairs_run --test send_bw -b -n 300 -s 4k -d softhca0,softhca1 "127.0.0.1:${one#*:}" "127.0.0.1:${two#*:}"
	verdict "$name" "$( ((rc == 0)) || tail -n 2 "$work/errors"
		[[ $(pairs_columns kind direction | tr '\n' ' ') == \
			"$(for way in to_server to_client both; do printf 'result|%s result|%s total|%s ' $way $way $way
			done)" ]] || echo "rows: $(pairs_columns kind direction)")"
	pairs_end "${one%:*}"
	pairs_end "${two%:*}"
}

# A client in the background, until both its pairs have had an interval. Sets group and shell.
pairs_begin()	# options and operands...
{
	rm -f "$work/rows.csv"
	: >"$work/table"
	pairs_verbench "$work/pid" run --csv "$work/rows.csv" --interval 100ms "$@" >"$work/table" 2>"$work/errors" &
	shell=$!
	until [[ $(awk '/softhca[23] +[0-9.]+s/ { if (!seen[$1]++) n++ } END { print n + 0 }' "$work/table") == 2 ]] ||
		! kill -0 "$shell" 2>/dev/null; do
		sleep 0.05
	done
	group=$(<"$work/pid")
}

pairs_break()
{
	local one two name doomed

	pairs_serve
	one=$server:$pair_port
	pairs_serve
	two=$server:$pair_port
	name='pairs: one server is killed: the rows of the others stand'
	pairs_begin --test write_bw -s 4k -D 3s --completion event -d softhca0,softhca1 \
		"127.0.0.1:${one#*:}:softhca2" "127.0.0.1:${two#*:}:softhca3"
	# the server and the process of the session
	mapfile -t doomed < <(pgrep -s "${two%:*}")
	kill -9 "${doomed[@]}"
	wait "$shell"
	rc=$?
	verdict "$name" "$( ((rc == 1)) || echo "exit $rc: $(tail -n 2 "$work/errors")"
		pairs_columns kind pair status reason | grep -v '^interval' >"$work/kept"
		grep -q '^result|127.0.0.1:[0-9]*:softhca2|ok|$' "$work/kept" || echo "first pair: $(<"$work/kept")"
		grep -q '^result|127.0.0.1:[0-9]*:softhca3|incomplete|.' "$work/kept" || echo "second: $(<"$work/kept")"
		grep -q '^total|total|skipped|no total: pair 127.0.0.1:[0-9]*:softhca3 is incomplete: ' "$work/kept" ||
			echo "total: $(<"$work/kept")"
		grep -q 'pair 127.0.0.1:[0-9]*:softhca3: the peer .* is gone' "$work/errors" || cat "$work/errors")"

	name='pairs: one that cannot connect is named, and nothing runs'
	pairs_run --connect-timeout 500ms --test write_bw -s 4k -D 3600 -d softhca0,softhca1 \
		"127.0.0.1:${one#*:}:softhca2" "127.0.0.1:${two#*:}:softhca3"
	verdict "$name" "$( ((rc == 1)) || echo "exit $rc"
		grep -q "pair 127.0.0.1:${two#*:}:softhca3: cannot connect" "$work/errors" || cat "$work/errors"
		[[ ! -s $work/table ]] || cat "$work/table")"

	name='pairs: one that is refused: no pair runs'
	pairs_serve -d softhca1
	two=$server:$pair_port
	pairs_run --test write_bw -s 4k -D 3600 "127.0.0.1:${one#*:}:softhca2" "127.0.0.1:${two#*:}:softhca3"
	verdict "$name" "$( ((rc == 2)) || echo "exit $rc: $(tail -n 2 "$work/errors")"
		[[ $(pairs_columns status reason) == "skipped|pair 127.0.0.1:${two#*:}:softhca3: "*softhca1* ]] ||
			pairs_columns status reason)"
	verdict 'pairs: the server of the other one says refused' "$(
		grep '^127.*: write_bw' "$work/server.${one#*:}" | tail -n 1 | grep -q ', refused$' ||
			echo "it says: $(tail -n 2 "$work/server.${one#*:}")")"

	name='pairs: the user stops them'
	pairs_begin --test write_bw -s 4k -D 3600 --completion event -d softhca0,softhca1 \
		"127.0.0.1:${one#*:}:softhca2" "127.0.0.1:${one#*:}:softhca3"
	kill -INT "$group"
	wait "$shell"
	rc=$?
	verdict "$name" "$( ((rc == 1)) || echo "exit $rc: $(tail -n 2 "$work/errors")"
		[[ $(pairs_columns kind status | grep -v interval | tr '\n' ' ') == \
			'result|interrupted result|interrupted total|skipped ' ]] || pairs_columns kind status)"
	pairs_end "${one%:*}"
	pairs_end "${two%:*}"
}

# Refused before a connection is made; exit status 2.
pairs_usage()	# message, options and operands...
{
	local text=$1

	shift
	pairs_run "$@"
	verdict "pairs: usage: $text" "$( ((rc == 2)) || echo "exit $rc"
		grep -qF "$text" "$work/errors" || cat "$work/errors")"
}

part_pairs()
{
	export SOFTHCA_DEVICES=4 SOFTHCA_LINK=bandwidth=100M,delay=20us

	pairs_measure
	pairs_break
	pairs_usage '2 devices for 3 operands' --test write_bw -d softhca0,softhca1 a b c
	pairs_usage 'two names for the device of the server' --test write_bw --peer-device softhca1 a:softhca0 b
	pairs_usage 'is no name of a device' --test write_bw a:soft+hca b
	pairs_usage 'two different ports for one server' --test write_bw -p 18516 a:18517 b
}
