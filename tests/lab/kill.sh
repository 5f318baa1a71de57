# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Either side of every test is killed during the measurement, on one node and on two. The other side must notice it
# within 5 s, report it, and write the row of what it has measured.

limit_ms=5000

milliseconds() { say "$((${EPOCHREALTIME/[.,]/} / 1000))"; }

# All these processes have ended.
all_gone() { local p; for p in "$@"; do gone "$p" || return 1; done; }

# Prints what is wrong with the result of the survivor, or nothing.
survived()	# status, milliseconds, file of rows, file of standard error, number of rows, what a row must have
{
	(($1 != 0)) || say 'exit 0'
	(($1 < 124)) || say "exit $1"
	(($2 <= limit_ms)) || say "took $2 ms"
	says "$4" 'the peer .* is gone'
	# a side that posts nothing and gets no completion measures nothing
	rows "$3" "$5" status=incomplete reason~is.gone "$6"
}

killed()	# who, test, options...
{
	local who=$1 test=$2 before client session victims survivor begun file n=1 measured=messages\>=1

	shift 2
	if [[ " $* " == *' -b '* ]]; then n=2 measured=qps=4; fi
	case $who:$test in client:write_bw | client:read* | client:atomic*) measured=messages= ;; esac
	begin
	before=$(moved)
	serve "vb_$test" || { verdict "killed: $who of $test" 'the server does not listen'; return; }
	"vb_$test" -p "$port" -D 60 "$@" --csv "$csv" localhost >/dev/null 2>"$err" &
	client=$!
	if ! moving "$before" 400; then
		verdict "killed: $who of $test${*:+ $*}" "nothing moves: $(tail -n 1 "$err")"
		end "$client"
		end "$server"
		return
	fi
	read -r session < <(children "$server")
	case $who in
	client) victims=("$client") survivor=$server file=$work/$port.server ;;
	session) victims=("$session") survivor=$client file=$work/$port ;;
	server) victims=("$server" "$session") survivor=$client file=$work/$port ;;
	esac
	begun=$(milliseconds)
	kill -KILL "${victims[@]}"
	# the session is the server's child
	[[ $who == session ]] || wait "${victims[0]}" 2>/dev/null
	collect "$survivor" 30
	verdict "killed: $who of $test${*:+ $*}" \
		"$(survived "$status" "$(($(milliseconds) - begun))" "$file.csv" "$file.err" "$n" "$measured")"
	end "$client"
	end "$server"
}

# Only the parent of the session is killed: the session ends the run and reports it.
parent_killed()
{
	local before client session begun

	begin
	before=$(moved)
	serve vb_send_bw
	vb_send_bw -p "$port" -D 60 --csv "$csv" localhost >/dev/null 2>"$err" &
	client=$!
	moving "$before" 400
	read -r session < <(children "$server")
	begun=$(milliseconds)
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	collect "$client" 30
	verdict 'killed: parent of the session' "$(
		(($(milliseconds) - begun <= limit_ms)) || say 'took too long'
		exited "$status" 1 "$err"
		rows "$csv" 1 status=interrupted messages\>=1
		await 10 all_gone "$session" || say 'the session is still there')"
	end "$server"
}

# Sends SIGINT, and fails while the process is there.
ended_by_interrupt() { ! kill -INT "$1" 2>/dev/null; }	# process

# After one SIGINT the client waits for its peer, which does not answer; another one, half a second later, ends it.
interrupted_twice()
{
	local before client session begun

	begin
	before=$(moved)
	serve vb_send_bw
	vb_send_bw -p "$port" -D 60 --csv "$csv" --stall-timeout 60 localhost >/dev/null 2>"$err" &
	client=$!
	moving "$before" 400
	read -r session < <(children "$server")
	kill -STOP "$session"
	begun=$(milliseconds)
	await 10 ended_by_interrupt "$client"
	collect "$client" 30
	verdict 'interrupted twice' "$(exited "$status" 130 "$err"
		(($(milliseconds) - begun <= limit_ms)) || say 'took too long')"
	kill -CONT "$session"
	collect "$server" 30
	verdict 'interrupted twice: the other side' "$(exited "$status" 1 "$work/$port.server.err"
		rows "$work/$port.server.csv" 1 status=incomplete reason~is.gone)"
}

# The same between two nodes. They have no common clock, so the node of the victim makes a file when it is killed.
killed_apart()	# node of the victim, test, options...
{
	local who=$1 test=$2 before process begun flag
	local name="killed: on node $*"

	shift 2
	begin
	flag=$VB_LAB_OUT/killed.$port
	before=$(moved)
	if ((VB_LAB_NODE == 1)); then
		"vb_$test" -p "$port" --csv "$csv" >/dev/null 2>"$err" &
	else
		"vb_$test" -p "$port" --connect-timeout 60 -D 60 "$@" --csv "$csv" "$peer" >/dev/null 2>"$err" &
	fi
	process=$!
	if ((VB_LAB_NODE == who)); then
		moving "$before" 2000
		: >"$flag"
		end "$process"
	else
		await 90 test -e "$flag"
		begun=$(milliseconds)
		collect "$process" 30
		verdict "$name" "$(survived "$status" "$(($(milliseconds) - begun))" "$csv" "$err" 1 role="$(side)")"
	fi
	lab-barrier killed 120
}

part_kill_apart()
{
	local node test

	for test in send_bw write_bw send_lat read_bw; do
		for node in 1 2; do killed_apart "$node" "$test"; done
	done
	killed_apart 1 send_bw -c UD
}

part_kill()
{
	local test

	for test in send_bw write_bw read_bw atomic_bw send_lat write_lat read_lat atomic_lat; do
		killed client "$test"
		killed server "$test"
	done
	killed session send_bw -e
	killed client send_bw -c UD
	killed server send_bw -c UD -e
	killed client send_lat -c UC
	killed server send_lat -c UD
	killed client write_bw -c UC
	killed server write_bw -b -q 4
	killed client read_lat -e
	parent_killed
	interrupted_twice
}
