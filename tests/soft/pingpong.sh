# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench pingpong on the emulated HCA: what it prints is consistent and has the form of ibv_rc_pingpong, over RC, UC
# and UD, polled and by events, with one receive queue for all QPs too.

# Prints what is wrong with the lines of one side: size * iters * 2 bytes, Mbit/s = bytes * 8 / us, us per iter. The
# figures are rounded.
figures()	# file, size, iters
{
	awk -v size="$2" -v iters="$3" '
		function near(a, b) { return a != "" && (a - b) ^ 2 <= (b / 200 + 0.006) ^ 2 }
		/ bytes in / { bytes = $1; seconds = $4; mbit = $7 }
		/ more iters timed out/ { more = $1 } # over UC and UD, on a busy machine
		/ iters in / { n = $1; same = $4; usec = $7 }
		END {
			if (n + more != iters) print n " iters"
			if (bytes != size * n * 2) print bytes " bytes"
			if (seconds != same) print "two times: " seconds ", " same
			if (!near(mbit, bytes * 8 / (seconds * 1e6))) print mbit " Mbit/sec"
			if (!near(usec, seconds * 1e6 / n)) print usec " usec/iter"
		}' "$1"
}

addresses()	# file, 'local' or 'remote'
{
	sed -n "s/^  $2 address: *//p" "$1"
}

# The form of the lines: without the numbers, and without what ibv_rc_pingpong does not print. The progress is part of
# that: a busy machine prints it after ten seconds.
form()	# file
{
	grep -v -e '^emulated' -e ': waiting for' -e 'more iters timed out' -e ' of [0-9]* messages, ' "$1" |
		sed -E 's/0x[0-9a-f]+/X/g; s/GID .*/GID/; s/^[0-9.]+/N/; s/ [0-9.]+ / N /g'
}

pingpong()	# size, iters, options...
{
	local size=$1 iters=$2 wrong side

	shift 2
	client=("$@" --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/verbench" pingpong
	wrong=$ended
	if [[ -z $wrong ]]; then
		for side in client server; do wrong+=$(figures "$work/$side" "$size" "$iters"); done
		[[ $(addresses "$work/client" local),$(addresses "$work/client" remote) == \
			$(addresses "$work/server" remote),$(addresses "$work/server" local) ]] ||
			wrong+="the addresses differ: $(cat "$work/client" "$work/server")"
		[[ $(grep -c '^  local address:' "$work/client") == 1 ]] || wrong+='no address'
		grep -o 'PSN 0x[0-9a-f]*' "$work/client" >>"$work/psns"
		iters=$(awk '/ iters in / { print $1 }' "$work/client")
		[[ $(field "$work/rows.csv" lat_samples),$(field "$work/rows.csv" test) == "$iters,send_lat" ]] ||
			wrong+="the row has $(field "$work/rows.csv" lat_samples) samples"
	fi
	verdict "pingpong: ${*:-without options}" "$wrong"
}

# A client of another test, and a ping-pong with the server of all.
pingpong_others()
{
	client=(-n 100)
	both "$guard" "$build/vb_send_lat"
	verdict 'pingpong: send_lat prints a table' "${ended:-$(grep ' iters in ' "$work/client" "$work/server")}"
	((++port))
	softhca timeout "$guard" "$build/verbench" pingpong -p "$port" >"$work/server" 2>&1 &
	softhca timeout "$guard" "$build/vb_write_bw" -p "$port" -n 100 127.0.0.1 >"$work/client" 2>&1
	wait $!
	verdict 'pingpong: the server of another test says so' "$(grep -q '^the client runs write_bw' "$work/server" ||
		cat "$work/server")"
}

# The same lines as the stock program, but for the numbers.
pingpong_stock()
{
	local t

	for t in rc uc; do
		client=(-g 0)
		listening=1 both "$guard" "ibv_${t}_pingpong" -g 0
		form "$work/client" >"$work/stock.form"
		client=(-c "${t^^}")
		both "$guard" "$build/verbench" pingpong
		form "$work/client" >"$work/own.form"
		verdict "pingpong: the form of ibv_${t}_pingpong" "$ended$(diff "$work/stock.form" "$work/own.form")"
	done
}

part_pingpong()
{
	local t e

	: >"$work/psns"
	for t in RC UC; do
		for e in '' -e; do pingpong 4096 1000 -c $t $e; done
	done
	verdict 'pingpong: other PSNs in each run' "$(sort "$work/psns" | uniq -d)"
	for e in '' -e; do pingpong 1024 1000 -c UD $e; done
	for t in RC UC; do
		for e in '' -e; do pingpong 4096 1000 --srq -c $t $e; done
	done
	pingpong 1024 1000 --srq -c UD
	pingpong 4096 1000
	pingpong 1 3000 -s 1 -n 3000
	pingpong 1048576 20 -s 1M -n 20
	pingpong_others
	if installed ibv_rc_pingpong ss; then
		pingpong_stock
	else
		echo 'ok pingpong: the form of ibv_rc_pingpong # SKIP ibverbs-utils or ss is not installed'
	fi
}
