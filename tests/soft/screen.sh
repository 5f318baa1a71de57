# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What people see: every line has 80 columns at most, the heads of the columns are within the first lines, figures end
# below their heads; more with --verbose, --wide and on a wide terminal, less with --quiet.

# Fails by a text on standard output: a line of the file that is too long, or heads that come too late.
fits()	# file, columns, lines above the heads; 0: no table
{
	awk -v most="$2" -v above="$3" '
	length > most { print length " columns: " $0 }
	/^ *bytes / && !heads {	# the line above it belongs to the heads
		heads = NR
		if (above && NR - 2 > above) print NR - 2 " lines above the heads"
	}
	END { if (above && !heads) print "no heads of columns" }' "$1"
}

# Fails by a text: a figure of the row below the heads that does not end where its head ends.
aligned()	# file
{
	awk '
	function ends(line, at,   n, i) {
		for (i = 1; i <= length(line); i++)
			if (substr(line, i, 1) != " " && (i == length(line) || substr(line, i + 1, 1) == " "))
				at[++n] = i
		return n
	}
	/^ *bytes / { heads = ends($0, head); next }
	heads && !rows++ {
		sub(/ \[[0-9,]*\]$/, "")
		if (ends($0, cell) != heads) print "not as many figures as heads: " $0
		for (i = 1; i <= heads; i++) if (head[i] != cell[i]) { print "not aligned: " $0; exit }
	}
	END { if (!rows) print "no rows" }' "$1"
}

# One command of a client and its server of one client.
screen()	# columns, lines above the heads, test, options...
{
	local columns=$1 above=$2 test=$3

	shift 3
	client=("$@")
	both "$guard" "$build/vb_$test"
	# the log, where a point that takes long on a busy machine says how far it is
	sed -i "/^vb_$test: /d" "$work/client" "$work/server"
	ended+=$(fits "$work/client" "$columns" "$above")
	ended+=$(fits "$work/server" 80 6)
	[[ $above == 0 ]] || ended+=$(aligned "$work/client")
	verdict "screen: $test $*" "$ended"
}

part_screen()
{
	local test options job process

	for test in send_bw send_lat write_bw write_lat read_bw read_lat atomic_bw atomic_lat; do
		screen 80 6 $test -n 500
	done
	for options in -b '-b -D 1' '-q 4 --threads 2' '-s 1M -n 100' \
		'-s 1G -n 1 -t 1 -r 1 --walk same --stall-timeout 60' '-c UC' '-c UD -b' '--walk same' '-a -n 100'; do
		screen 80 6 send_bw $options
	done
	screen 80 6 send_lat -c UD -e
	screen 80 30 write_bw -v
	screen 100000 6 send_lat --wide -a -n 100
	screen 80 1 send_bw --quiet -b

	# a terminal of 160 columns shows all columns, one of 40 is taken for one of 80
	for options in 160 40; do
		((++port))
		start server "$build/verbench" serve -p "$port"
		await_listener "$process"
		softhca timeout "$guard" script -qec \
			"stty cols $options; '$build/vb_send_lat' -p $port 127.0.0.1 2>/dev/null" /dev/null \
			</dev/null | tr -d '\r' >"$work/client"
		# the client may have its results before the server has printed its own
		await "$process" grep -q 'send_lat RC' "$work/server"
		kill "$process"
		wait "$job"
		verdict "screen: a terminal of $options columns" "$(
			fits "$work/client" $((options < 80 ? 80 : options)) 6
			[[ $options == 40 ]] || grep -q 'p99.99' "$work/client" || echo 'no wide table'
			[[ $options == 160 ]] || ! grep -q 'p99.99' "$work/client" || echo 'a wide table'
			fits "$work/server" 80 0)"
		verdict 'screen: a server has a line for each session' "$(
			grep -qx '127.0.0.1 port [0-9]*: send_lat RC, 2 bytes, median [0-9.]* us, [0-9.]* s' \
				"$work/server" || cat "$work/server")"
	done

	((++port))
	start server "$build/verbench" serve -p "$port"
	await_listener "$process"
	softhca timeout "$guard" "$build/vb_send_bw" -a -n 20 --quiet -p "$port" 127.0.0.1 >"$work/client" 2>&1
	await "$process" grep -q 'send_bw RC' "$work/server"
	kill "$process"
	wait "$job"
	verdict 'screen: the line of a session has the number of its points' "$(
		grep -qx '127.0.0.1 port [0-9]*: send_bw RC, 23 points, at most [0-9.]* Gbit/s, [0-9.]* s' \
			"$work/server" || cat "$work/server")"

	((++port))
	start server "$build/verbench" serve -v -p "$port"
	await_listener "$process"
	softhca timeout "$guard" "$build/verbench" setup --only pd,cq,qp -p "$port" 127.0.0.1 \
		>"$work/setup" 2>&1
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" 127.0.0.1 >"$work/client" 2>&1
	# the client may have its results before the server has printed its own
	await "$process" grep -q '^ *65536 ' "$work/server"
	kill "$process"
	wait "$job"
	verdict 'screen: setup' "$(fits "$work/setup" 80 0; grep -q ibv_create_cq "$work/setup" || echo 'no rows')"
	verdict 'screen: serve -v has a table for each session' "$(fits "$work/server" 80 30; aligned "$work/server")"
	"$build/verbench" list --soft >"$work/list" 2>&1
	"$build/verbench" list --topology --soft >>"$work/list" 2>&1
	verdict 'screen: list' "$(fits "$work/list" 80 0; grep -q softhca0 "$work/list" || echo 'no device')"
}
