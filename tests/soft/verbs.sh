# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The verbs themselves, in C: states, errors, SRQ, windows, multicast, faults; atomics of several processes; random
# work, legal and illegal, of two processes. The same under valgrind, where it is installed.

# cmocka's own lines are counted as they are.
part_verbs()
{
	softhca timeout 120 "$build/tests/soft/soft_verbs" 2>&1
	softhca timeout 120 "$build/tests/soft/soft_atomics" >"$work/atomics" 2>&1
	verdict 'verbs: atomics of five processes lose no update' "$( (($? == 0)) || cat "$work/atomics")"
}

fuzz()	# name, seconds, link
{
	SOFTHCA_LINK=$3 softhca timeout $((60 + $2)) "$build/tests/soft/soft_fuzz" "$2" >"$work/fuzz" 2>&1
	verdict "fuzz: $1" "$( (($? == 0)) || cat "$work/fuzz")"
}

part_fuzz()
{
	fuzz "random work for ${FUZZ_SECONDS:-30} s" "${FUZZ_SECONDS:-30}" ''
	fuzz "random work over a link for ${FUZZ_SECONDS:-30} s" "${FUZZ_SECONDS:-30}" bandwidth=10G,delay=5us
}

part_valgrind()
{
	if ! command -v valgrind >/dev/null; then
		echo 'ok valgrind # SKIP not installed'
		return
	fi
	softhca timeout 300 valgrind -q --leak-check=full --error-exitcode=9 "$build/tests/soft/soft_verbs" \
		>"$work/valgrind" 2>&1
	verdict 'valgrind: soft_verbs' "$( (($? == 0)) || grep -m 20 '^==' "$work/valgrind")"
}
