# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Functions of all parts; sourced by run, which sets build (the directory of the programs), work (a temporary directory)
# and softhca (a function that runs a command on the emulated HCA).

port=${SOFT_PORT:-21000}	# of the current case; each case uses another one
# a client of the case may have a port of that range, which the kernel chooses
read -r ephemeral _ </proc/sys/net/ipv4/ip_local_port_range
if [[ ! $port =~ ^[0-9]+$ ]] || ((port < 1024 || port >= ephemeral)); then
	echo "not ok soft: SOFT_PORT $port; allowed: 1024..$((ephemeral - 1))"
	exit 1
fi
guard=200	# seconds: a case that takes longer hangs; a busy machine may need much longer than others

# Are all of these commands there? "command -v" of several says so of any.
installed()	# commands
{
	local command

	for command; do command -v "$command" >/dev/null || return 1; done
}

# Prints the result of a case. It passed if there is no reason.
verdict()	# name, reason
{
	if [[ -z $2 ]]; then echo "ok $1"; else echo "not ok $1: ${2//$'\n'/ | }"; fi
}

# What a program says of its failure: its last lines, and what it wrote before a table that it had buffered.
failure_of() { grep -iE 'fail|error|unable|could|problem|invalid' "$1" | head -n 3; tail -n 2 "$1"; }

# Runs server and client of a program once; see both.
both_once()	# seconds, command...
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
	((rc == 0)) || ended+="client exit $rc: $(failure_of "$work/client") "
	wait "$server"
	rc=$?
	((rc == 0)) || ended+="server exit $rc: $(failure_of "$work/server")"
}

# Runs server and client of a program on the emulated HCA, each with a time limit. Sets ended: what failed, or nothing.
# The client may start first; for a program whose client does not wait for the server, 'listening' must be set.
both()	# seconds, command... ; the client also gets "${client[@]}"
{
	local _

	for _ in 1 2 3; do
		both_once "$@"
		# perftest measures the frequency of its processor, and fails if another process gets the processor
		# meanwhile (its get_clock.c): that says nothing of the emulated HCA
		[[ -n $ended ]] && grep -q 'Correlation coefficient' "$work/client" "$work/server" || return
	done
}

# Starts a program on the emulated HCA in the background, with a time limit. Sets job, to wait for, and process, the
# program itself.
start()	# name of its output, command...
{
	local file=$work/$1

	rm -f "$file.pid"
	# shellcheck disable=SC2016 # the inner shell becomes the program
	softhca timeout -k 5 "$guard" bash -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec "$@"' "$file.pid" "${@:2}" \
		>"$file" 2>&1 &
	job=$!
	await "$job" test -s "$file.pid"
	process=$(<"$file.pid")
}

# Waits until a command succeeds. When the process or the time has ended, the last try counts.
await()	# process, command...
{
	local of=$1 end=$((SECONDS + guard))

	shift
	until "$@" 2>/dev/null; do
		if ! kill -0 "$of" 2>/dev/null || ((SECONDS > end)); then
			"$@" 2>/dev/null
			return
		fi
		sleep 0.02
	done
}

listens() { [[ -n $(ss -Hltn "sport = :$port") ]]; }

# Waits until the server listens, or has ended.
await_listener()	# process
{
	await "$1" listens
}

has_lines() { [[ -e $1 && $(wc -l <"$1") -ge $2 ]]; }	# file, lines

# Waits until a file has so many lines, or the process has ended.
await_lines()	# process, file, lines
{
	await "$1" has_lines "$2" "$3"
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
