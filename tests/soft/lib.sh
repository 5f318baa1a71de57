# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Functions of all parts; sourced by run, which sets build (the directory of the programs), work (a temporary directory)
# and softhca (a function that runs a command on the emulated HCA).

port=${SOFT_PORT:-21000}	# of the current case; each case uses another one
guard=200	# seconds: a case that takes longer hangs; a busy machine may need much longer than others

# Prints the result of a case. It passed if there is no reason.
verdict()	# name, reason
{
	if [[ -z $2 ]]; then echo "ok $1"; else echo "not ok $1: ${2//$'\n'/ | }"; fi
}

# Runs server and client of a program on the emulated HCA, each with a time limit. Sets ended: what failed, or nothing.
# The client may start first; for a program whose client does not wait for the server, 'listening' must be set.
both()	# seconds, command... ; the client also gets "${client[@]}"
{
	local seconds=$1 server rc

	shift
	((++port))
	ended=
	softhca timeout "$seconds" "$@" -p "$port" >"$work/server" 2>&1 &
	server=$!
	[[ -z ${listening-} ]] || await_listener "$server"
	softhca timeout "$seconds" "$@" -p "$port" "${client[@]}" 127.0.0.1 >"$work/client" 2>&1
	rc=$?
	((rc == 0)) || ended+="client exit $rc: $(tail -n 2 "$work/client") "
	wait "$server"
	rc=$?
	((rc == 0)) || ended+="server exit $rc: $(tail -n 2 "$work/server")"
}

# Waits until the server listens, or has ended.
await_listener()	# process
{
	until [[ -n $(ss -Hltn "sport = :$port") ]] || ! kill -0 "$1" 2>/dev/null; do
		sleep 0.02
	done
}

# Sends a signal to every process whose command line ends so. A session is a copy of its server, with the same command
# line; it is the younger one and comes first, since the kernel asks it to end in order when its server is killed.
signal_all_of()	# signal, words of the end of the command line
{
	local signal=$1 file words found=()

	shift
	for file in /proc/[0-9]*/cmdline; do
		# it may have ended
		mapfile -d '' -t words <"$file" || continue
		[[ ${words[*]} != *"$*" ]] || found+=("${file//[!0-9]/}")
	done 2>/dev/null
	mapfile -t found < <(printf '%s\n' "${found[@]}" | sort -rn)
	kill -"$signal" "${found[@]}" 2>/dev/null
}

# Runs a program in C. The lines of cmocka are its cases; a crash is a failed case.
in_c()	# name, seconds
{
	softhca timeout "$2" "$build/tests/soft/soft_$1" 2>&1 || echo "not ok soft_$1: exit $?"
}

# Prints one value of the first row of a CSV file.
field()	# file, column
{
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } NR == 2 { print $c }' "$1"
}
