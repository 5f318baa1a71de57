# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Functions of all parts of the lab tests; sourced by guest. A case prints "ok NAME", "ok NAME # SKIP reason" or
# "not ok NAME: reason". Nothing here waits for a fixed time, only for a state, with a time limit.

port=19000	# of the case; both nodes count the same, so that a failed case does not disturb the next one
csv=		# rows of the case on this side
err=		# standard error of the program
status=		# exit status of the program

say() { printf '%s\n' "$*"; }

# Prints the result of a case. It passed if there is no reason.
verdict()	# name, reason
{
	if [[ -z $2 ]]; then say "ok $1"; else say "not ok $1: ${2//$'\n'/ | }"; fi
}

skip() { say "ok $1 # SKIP $2"; }	# name, reason

# Repeats a command until it succeeds; fails after the time limit.
await()	# seconds, command
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.02
	done
}

# Prints what is wrong with the rows in a file, or nothing.
rows()	# file, number of rows, what each row must have (rows.awk)
{
	local file=$1 n=$2

	shift 2
	if [[ ! -s $file ]]; then say 'no rows were written'; return; fi
	awk -v n="$n" -v expect="$*" -f "$lab_dir/rows.awk" "$file" 2>&1
}

# Prints what is wrong with an exit status, or nothing. The last line of standard error is the detail.
exited()	# status, expected, file with standard error
{
	if (($1 == $2)); then return; fi
	if (($1 == 124 || $1 == 137)); then say "did not end in time: $(tail -n 1 "$3")"; return; fi
	say "exit $1, not $2: $(tail -n 1 "$3")"
}

# Prints a string of a row of the causes that error messages name: 1 failure, 2 cause, 3 see, 4 remedy.
remedy()	# row, number
{
	awk -v row="REMEDY($1," -v n="$2" 'index($0, row) == 1 { on = 1 }
		on { while (match($0, /"([^"\\]|\\.)*"/)) {
			if (++i == n) { print substr($0, RSTART + 1, RLENGTH - 2); exit }
			$0 = substr($0, RSTART + RLENGTH) } }' "$lab_dir/../../src/remedy/remedy.def"
}

# Prints a reason if a file does not have the row's command and remedy, in a line or in several; HOST, PORT and ADDRESS
# may have values.
advises()	# row, file
{
	local part text pattern

	for part in 3 4; do
		text=$(remedy "$1" "$part")
		[[ -n $text ]] || say "remedy.def has no $1"
		pattern=$(printf %q "$text" | sed -E 's/HOST|PORT|ADDRESS/*/g')
		# shellcheck disable=SC2053
		[[ $(tr -s ' \n' ' ' <"$2") == *$pattern* ]] || say "no '$text' but: $(tail -n 1 "$2")"
	done
}

# Prints a reason if a file does not contain the text.
says()	# file, extended regular expression
{
	if grep -qEi -- "$2" "$1"; then return; fi
	say "does not print '$2' but: $(tail -n 2 "$1")"
}

# What is read often is read by the shell itself: an emulated processor needs 30 times as long to start a program.

# Does a TCP socket of this port listen (state 0A)?
listens()	# port
{
	local hex file _ address state

	printf -v hex ':%04X' "$1"
	for file in /proc/net/tcp /proc/net/tcp6; do
		while read -r _ address _ state _; do
			[[ $state != 0A || $address != *"$hex" ]] || return 0
		done <"$file"
	done
	return 1
}

counters=/sys/class/infiniband/rxe0/ports/1/hw_counters
counter() { local n; read -r n <"$counters/$1"; say "$n"; }	# name

# Packets in both directions: a receiver over UD sends nothing but credit.
moved()
{
	local sent received

	read -r sent <"$counters/sent_pkts"
	read -r received <"$counters/rcvd_pkts"
	say "$((sent + received))"
}

has_moved() { (($(moved) >= $1)); }	# packets
moving() { await 60 has_moved "$(($1 + $2))"; }	# packets before, more

children() { say "$(<"/proc/$1/task/$1/children")"; } 2>/dev/null	# process
gone() { ! kill -0 "$1" 2>/dev/null; }	# process

# Begins a case. Every node calls it equally often.
begin()
{
	((++port))
	csv=$work/$port.csv
	err=$work/$port.err
	rm -f "$csv"
}

# Runs one test between the nodes: the first is the server, the second the client. Sets status, csv, err.
pair()	# test, options of the client...
{
	local test=$1

	shift
	begin
	if ((VB_LAB_NODE == 1)); then
		timeout -k 5 90 "vb_$test" -p "$port" --csv "$csv" >/dev/null 2>"$err"
	else
		timeout -k 5 90 "vb_$test" -p "$port" --connect-timeout 60 --csv "$csv" "$@" "$peer" \
			>/dev/null 2>"$err"
	fi
	status=$?
}

side() { if ((VB_LAB_NODE == 1)); then say server; else say client; fi; }

# Starts a server on this node in the background and waits until it listens. Sets server.
serve()	# command...
{
	"$@" -p "$port" --csv "$work/$port.server.csv" >"$work/$port.server.out" 2>"$work/$port.server.err" &
	server=$!
	await 20 listens "$port"
}

# Kills a process and its children, and waits for it.
end()	# process
{
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL "$1" $(children "$1") 2>/dev/null
	wait "$1" 2>/dev/null
}

# Waits for a child to exit, and kills it after the time limit. Sets status: that of the child, 137 if killed.
collect()	# process, seconds
{
	await "$2" gone "$1" || kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	status=$?
}
