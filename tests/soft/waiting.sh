# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What a client says while nothing is measured yet, and while a point runs: that it waits for a server, what starts one,
# and on a terminal how far the point is, or the making of many queue pairs.

# The client is first: it says so at once, and is served by what comes later.
waiting_first()
{
	local client_pid server said='' rc

	((++port))
	"$build/vb_write_bw" --soft -n 100 --connect-timeout 2m "127.0.0.1:$port" >"$work/client" 2>"$work/said" &
	client_pid=$!
	await "$client_pid" grep -qF 'waiting for a server on' "$work/said" || said='nothing is said'
	softhca timeout "$guard" "$build/vb_send_bw" -p "$port" >"$work/server" 2>&1 &
	server=$!
	wait "$client_pid"
	rc=$?
	((rc == 0)) || said+="exit $rc"
	wait "$server"
	[[ $(<"$work/said") == "vb_write_bw: waiting for a server on 127.0.0.1:$port, up to 120 s" ]] ||
		said+=" $(<"$work/said")"
	verdict 'waiting: told once, at once' "$said"
}

# Nobody comes: the command between quotation marks starts a server that the same client can use.
waiting_advice()	# name, command and options of the client...
{
	local name=$1 command words server said=''

	shift
	((++port))
	"$@" --connect-timeout 300ms "127.0.0.1:$port" >/dev/null 2>"$work/said" && said='it is connected'
	command=$(sed -n 's/.*: "verbench \(.*\)"$/\1/p' "$work/said")
	read -ra words <<<"$command"
	"$build/verbench" "${words[@]}" >"$work/server" 2>&1 &
	server=$!
	"$@" --connect-timeout 1m "127.0.0.1:$port" >"$work/client" 2>&1 || said+=" $(tail -n 2 "$work/client")"
	kill "$server"
	wait "$server"
	[[ $command ]] || said+=" $(<"$work/said")"
	verdict "waiting: the advice works: $name" "$said"
}

# The lines that replace each other on a terminal, one on each line.
progress_of()	# command and options of the client...
{
	script -qefc "$(printf '%q ' env TERM=xterm "$@") >$(printf '%q' "$work/rows")" /dev/null </dev/null \
		>"$work/tty" 2>&1 || echo "exit $?"
	tr '\r' '\n' <"$work/tty" | sed -n 's/^\x1b\[K//p'
}

progress()
{
	local server lines

	((++port))
	"$build/verbench" serve --soft -p "$port" >"$work/server" 2>&1 &
	server=$!
	"$build/vb_write_bw" --soft -n 1 127.0.0.1:"$port" >/dev/null 2>&1
	lines=$(progress_of "$build/vb_write_bw" --soft -D 3.5 "127.0.0.1:$port")
	verdict 'progress: a run by time' \
		"$(grep -qE '^64 KiB: 2 of 3.5 s, [0-9.]+ Gbit/s$' <<<"$lines" || echo "$lines")"
	verdict 'progress: the last line is erased' "$([[ $(tail -c 4 "$work/tty") == $'\r\e[K' ]] || tail "$work/tty")"
	verdict 'progress: nothing of it on standard output' "$(grep -nE $'\e|\r|KiB:' "$work/rows")"
	lines=$(progress_of "$build/vb_write_bw" --soft -D 3.5 -b -q 100 -s 4k "127.0.0.1:$port")
	verdict 'progress: both ways over many queue pairs' \
		"$(grep -qE '^4 KiB: 2 of 3.5 s, [0-9.]*[1-9][0-9.]* Gbit/s each way$' <<<"$lines" || echo "$lines")"
	lines=$(progress_of "$build/vb_send_lat" --soft -D 2.5 "127.0.0.1:$port")
	verdict 'progress: latency' \
		"$(grep -qE '^2 B: 2 of 2.5 s, [1-9][0-9]* messages/s$' <<<"$lines" || echo "$lines")"
	# a link of 1 Gbit/s: 400 MiB take more than 3 seconds
	lines=$(SOFTHCA_LINK=bandwidth=1G progress_of "$build/vb_write_bw" --soft -n 6400 "127.0.0.1:$port")
	verdict 'progress: a run by count' \
		"$(grep -qE '^64 KiB: [0-9]+ of 6400 messages, [0-9.]+ Gbit/s, [0-9]+ s left$' <<<"$lines" ||
			echo "$lines")"
	lines=$(progress_of "$build/vb_send_bw" --soft -a -c UD --sge 32 -D 1.1 "127.0.0.1:$port" 2>&1)
	verdict 'progress: of several sizes' \
		"$(grep -qE '^size 3 of 8, 128 B: 1 of 1.1 s, [0-9.]+ Gbit/s, [56] s left$' <<<"$lines" ||
			echo "$lines")"
	"$build/vb_write_bw" --soft -D 2.5 "127.0.0.1:$port" >"$work/rows" 2>"$work/said"
	verdict 'progress: no terminal, no line' "$(cat "$work/said")"
	kill "$server"
	wait "$server"
}

# A device that takes long for each queue pair: each side makes and destroys them for longer than the stall timeout, and
# lives by its heartbeats.
slow_pairs()
{
	local server lines step said=''

	((++port))
	printf 'qp_create_time = 20ms\nqp_destroy_time = 20ms\n' >"$work/slow.conf"
	SOFTHCA_PROFILE=$work/slow.conf "$build/verbench" serve --soft -p "$port" >"$work/server" 2>&1 &
	server=$!
	await_listener "$server"
	lines=$(SOFTHCA_PROFILE=$work/slow.conf progress_of "$build/vb_send_bw" --soft -q 80 -s 64 -t 4 -r 16 -n 10 \
		--stall-timeout 1s "127.0.0.1:$port")
	for step in made destroyed; do
		grep -qE "^[1-7]?[0-9] of 80 queue pairs $step\$" <<<"$lines" || said+="not shown: $step; "
	done
	grep -qE '^the server makes its 80 queue pairs$' <<<"$lines" || said+='not shown: those of the server; '
	grep -qE '^ +64 +800 ' "$work/rows" || said+='no row; '
	verdict 'waiting: queue pairs that take longer than the stall timeout' "${said:+$said$lines $(<"$work/server")}"
	slow_pairs_interrupted
	kill "$server"
	wait "$server"
}

# The user ends a client that makes queue pairs; the ones that are left are not made. The server knows why before they
# are destroyed, which takes longer than the stall timeout.
slow_pairs_interrupted()
{
	local client_pid said=''

	: >"$work/tty"
	# shellcheck disable=SC2016
	SOFTHCA_PROFILE=$work/slow.conf script -qefc "$(printf '%q ' env TERM=xterm \
		sh -c 'echo $$ >"$1"; shift; exec "$@"' - "$work/pid" \
		"$build/vb_send_bw" --soft -q 1000 -s 64 -t 4 -r 16 -n 10 --stall-timeout 1s "127.0.0.1:$port")" \
		/dev/null </dev/null >"$work/tty" 2>&1 &
	client_pid=$!
	await "$client_pid" grep -qE '[1-9][0-9]{2} of 1000 queue pairs made' "$work/tty" ||
		said='no progress is shown; '
	kill -INT "$(<"$work/pid")"
	wait "$client_pid"
	grep -qE 'interrupted: [0-9]{1,3} of 1000 queue pairs were made' "$work/tty" || said+=$(tr -d '\0' <"$work/tty")
	grep -qE 'reports: .*interrupted: [0-9]{1,3} of 1000' "$work/server" || said+=$(<"$work/server")
	grep -qE ' of [0-9]{3} queue pairs destroyed' "$work/tty" || said+='destroyed: not of those that were made; '
	! grep -q 'interrupted: interrupted' "$work/tty" || said+='interrupted twice; '
	verdict 'waiting: a client that is ended while it makes queue pairs' "$said"
}

part_waiting()
{
	slow_pairs
	waiting_first
	waiting_advice bandwidth "$build/vb_write_bw" --soft -s 64 -n 100 -t 16
	waiting_advice pingpong "$build/verbench" pingpong --soft
	waiting_advice setup "$build/verbench" setup --soft --only pd -n 10
	progress
}
