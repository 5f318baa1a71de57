# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Tests of the verbs, in C: those of the emulated HCA, and those of tests/verbs, which run on any device; with several
# processes: atomics, processes that join and leave; random requests, legal and illegal, of two processes. Then the same
# under valgrind.

programs=(soft/soft_verbs soft/soft_errors soft/soft_queues soft/soft_xrc)
for program in "$build"/tests/verbs/*; do
	[[ ! -f $program || ! -x $program ]] || programs+=("verbs/${program##*/}")
done

# Prints the result of a case that is one program. It passed if the program exits with 0.
verdict_of()	# exit status, log, name
{
	verdict "$3" "$( (($1 == 0)) || { echo "exit $1"; tail -n 20 "$2"; })"
}

in_processes()	# program, argument or nothing, name
{
	softhca timeout 120 "$build/tests/soft/$1" ${2:+"$2"} >"$work/processes" 2>&1
	verdict_of $? "$work/processes" "verbs: $3"
}

# The lines of cmocka are the cases.
part_verbs()
{
	local program

	for program in "${programs[@]}"; do
		softhca timeout 120 "$build/tests/$program" 2>&1 || echo "not ok verbs: $program: exit $?"
	done
	in_c apm 120
	in_c profile 60
	in_c sysfs 60
	# it is not made without libmlx5
	[[ ! -x $build/tests/soft/soft_dc ]] || in_c dc 120
	in_processes soft_atomics '' 'atomics of five processes lose no update'
	in_processes soft_fabric join 'joining waits for who is joining, and for no dead one'
	in_processes soft_fabric stopped-join 'joining passes by who is stopped while joining'
	in_processes soft_fabric crowd 'hundreds of processes are in one fabric, also after some were killed'
	in_processes soft_fabric in-flight 'what was in flight arrives, its sender gone'
}

# Prints one case. Each has a separate fabric, since they run at the same time.
fuzz()	# name, seconds, link
{
	local log=$work/fuzz.${3:+link}

	SOFTHCA_FABRIC=$SOFTHCA_FABRIC${3:+link} SOFTHCA_LINK=$3 \
		softhca timeout $((60 + $2)) "$build/tests/soft/soft_fuzz" "$2" >"$log" 2>&1
	verdict_of $? "$log" "fuzz: $1"
}

part_fuzz()
{
	local seconds=${FUZZ_SECONDS:-30}

	fuzz "random work over a link for $seconds s" "$seconds" bandwidth=10G,delay=5us >"$work/fuzzed" &
	fuzz "random work for $seconds s" "$seconds" ''
	wait "$!"
	cat "$work/fuzzed"
}

valgrind_of()	# program
{
	local leaks=definite,possible

	# librdmacm keeps its list of devices, and valgrind finds only inner pointers to it
	[[ $1 != verbs/cm_* && $1 != verbs/cm ]] || leaks=definite
	SOFTHCA_FABRIC=$SOFTHCA_FABRIC${1##*/} softhca timeout 300 valgrind -q --leak-check=full --error-exitcode=9 \
		--errors-for-leak-kinds=$leaks --show-leak-kinds=$leaks \
		"$build/tests/$1" >"$work/valgrind.${1##*/}" 2>&1
	verdict_of $? "$work/valgrind.${1##*/}" "valgrind: ${1##*/}"
}

part_valgrind()
{
	local program

	if ! command -v valgrind >/dev/null; then
		echo 'ok valgrind # SKIP not installed'
		return
	fi
	for program in "${programs[@]}"; do
		valgrind_of "$program" >"$work/valgrinded.${program##*/}" &
	done
	wait
	for program in "${programs[@]}"; do cat "$work/valgrinded.${program##*/}"; done
}
