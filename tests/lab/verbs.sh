# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The verbs themselves on Soft-RoCE: the programs in tests/verbs, which tests/soft/run runs on the emulated HCA. Their
# cases are what the founding documents say of verbs, see docs/founding-programs.md.

part_verbs()
{
	local program n=0

	for program in "${VERBS_TESTS:?}"/*; do
		[[ -f $program && -x $program ]] || continue
		((++n))
		VERBS_DEVICE=rxe0 CM_ADDRESS=$VB_LAB_ADDR timeout 120 "$program" >"$work/verbs" 2>&1
		status=$?
		sed -n "s/^\[ *OK *\] test_\(.*\)/ok verbs: ${program##*/}: \1/p" "$work/verbs"
		((status == 0)) ||
			say "not ok verbs: ${program##*/}: $(grep -E 'ERROR|FAILED' "$work/verbs" | tr '\n' '|')"
	done
	((n)) || say "not ok verbs: there are no programs in $VERBS_TESTS"
}
