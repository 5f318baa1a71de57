# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# What the parts share; sourced by run, which sets build (where the programs are), work (a temporary directory) and
# softhca (a function that runs a command on the emulated HCA).

port=${SOFT_PORT:-21000}	# of the case; a new one for each

# The case has passed if there is nothing to say against it.
verdict()	# name, reason
{
	if [[ -z $2 ]]; then echo "ok $1"; else echo "not ok $1: ${2//$'\n'/ | }"; fi
}

# Server and client of a program on the emulated HCA, each within a time limit; sets ended: what is wrong, or nothing.
# Either may come first, unless the client does not wait: then listening must be set.
both()	# seconds, command... ; the client gets "${client[@]}" besides
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

# For programs whose client gives up at once: until the server listens, or is gone.
await_listener()	# process
{
	until [[ -n $(ss -Hltn "sport = :$port") ]] || ! kill -0 "$1" 2>/dev/null; do
		sleep 0.02
	done
}

# The cases of a program in C: cmocka's own lines are counted as they are; what killed it is a case of its own.
in_c()	# name, seconds
{
	softhca timeout "$2" "$build/tests/soft/soft_$1" 2>&1 || echo "not ok soft_$1: exit $?"
}

# One figure of the first row of a CSV file.
field()	# file, column
{
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } NR == 2 { print $c }' "$1"
}
