# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Public scripts around perftest are served by the drop-in programs: tests/perftest/*.wrapper.

part_wrappers()
{
	if ! installed ss jq; then
		echo 'ok perftest: wrappers # SKIP ss or jq is not installed'
		return
	fi
	PERFTEST_PORT=$port "$here/../perftest/run" "$build"
	((port += 100))
}
