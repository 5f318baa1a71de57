# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# rdma-core's own tests (python3-pyverbs) run on the emulated HCA: none fails, and none is skipped that once passed.

pyverbs_tests=/usr/share/doc/rdma-core/tests

# Why tests of rdma-core 44 are skipped, and how many at most: some run where there are huge pages.
pyverbs_skips="\
10 ^Allocating dmabuf is not supported by
11 ^Create QP type 8 is not supported|Raw Packet QP|root on Ethernet
4 ^Extended CQ is not supported
1 ^Extended QP is not supported on this device
3 ^There are no huge pages
3 ^ODP implicit is not supported
2 ^ODP is unavailable
4 ^Advise MR with flags
1 ^Some object imports are not supported
1 ^Importing a device is not supported
1 ^All gid indices populated"
pyverbs_total=170
pyverbs_pass=129	# where there are no huge pages

# What is skipped for another reason, or more often.
pyverbs_more_skipped()
{
	local most reason number

	grep $'^skip\t' "$work/pyverbs" >"$work/skipped"
	while read -r most reason; do
		number=$(cut -f 3 "$work/skipped" | grep -cE -- "$reason")
		((number <= most)) || echo "$number times, not $most: $reason"
	done <<<"$pyverbs_skips"
	cut -f 3 "$work/skipped" | grep -vE -- "$(cut -d ' ' -f 2- <<<"$pyverbs_skips" | paste -sd '|')"
}

part_pyverbs()
{
	local total passed rc

	if [[ ! -e $pyverbs_tests/run_tests.py ]] || ! /usr/bin/python3 -c 'import pyverbs' 2>/dev/null; then
		echo 'ok pyverbs # SKIP python3-pyverbs is not installed, or its tests are not'
		return
	fi
	mkdir "$work/suite"
	softhca timeout -k 5 "$guard" /usr/bin/python3 "$here/run_pyverbs.py" "$pyverbs_tests" "$work/suite" \
		>"$work/pyverbs" 2>"$work/errors"
	rc=$?
	total=$(wc -l <"$work/pyverbs")
	passed=$(grep -c $'^pass\t' "$work/pyverbs")
	echo "# pyverbs: of $total tests $passed pass"
	verdict 'pyverbs: no test of rdma-core fails' "$(
		((rc == 0 && total > 0)) || echo "exit $rc: $(tail -n 3 "$work/errors")"
		sed -n 's/^fail\t//p' "$work/pyverbs")"
	if ((total != pyverbs_total)); then
		echo "ok pyverbs: which tests are skipped # SKIP these are not the $pyverbs_total tests of rdma-core 44"
		return
	fi
	verdict 'pyverbs: which tests are skipped' "$(pyverbs_more_skipped)"
	verdict 'pyverbs: how many tests pass' "$( ((passed >= pyverbs_pass)) || echo "$passed, not $pyverbs_pass")"
}
