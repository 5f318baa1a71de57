# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Path migration on the emulated HCA with two ports: every QP migrates while messages flow, on request and when a port
# goes down; each QP raises one event on each side, and no message is lost. What cannot migrate is refused.

migrated()	# count, test, options...
{
	local count=$1 test=$2

	shift 2
	client=("$@" --verify --csv "$work/rows.csv" --csv-new)
	SOFTHCA_PORTS=2 both "$guard" "$build/vb_$test"
	[[ -n $ended || $(field "$work/rows.csv" path_migrations) == "$count" ]] ||
		ended="path_migrations is not $count"
	[[ -n $ended || $(field "$work/rows.csv" peer_path_migrations) == "$count" ]] ||
		ended="peer_path_migrations is not $count"
	verdict "apm: $test $*" "$ended"
}

# The message is of the client.
not_migrated()	# message, options...
{
	local message=$1 listening=1

	shift
	client=(-w "$@")
	both "$guard" "$build/vb_send_bw"
	verdict "apm: send_bw $* is refused" "$([[ $ended == *"$message"* ]] || echo "it is not: $ended")"
}

apm_faults()
{
	local faults=port-down:1@2s+100s

	client=(-D 5 --migrate-after 4000 -u 8 --verify --csv "$work/rows.csv" --csv-new)
	SOFTHCA_PORTS=2 SOFTHCA_FAULTS=$faults both "$guard" "$build/vb_send_bw"
	[[ -n $ended || $(field "$work/rows.csv" path_migrations) == 1 ]] || ended='path_migrations is not 1'
	verdict 'apm: the port of both sides goes down' "$ended"
}

part_apm()
{
	local test

	for test in write_bw read_bw atomic_bw send_lat write_lat read_lat; do
		migrated 1 $test -D 1 --migrate-after 200
	done
	migrated 4 send_bw -D 1 --migrate-after 200 -q 4 -e
	migrated 4 send_bw -D 1 --migrate-after 200 -q 2 --threads 2 -b --alternate-port 2
	apm_faults
	not_migrated 'has no other active port' --migrate-after 10
	SOFTHCA_PORTS=2 not_migrated 'has no other active port' --migrate-after 10 --alternate-port 3
	SOFTHCA_PORTS=2 SOFTHCA_MODE=null \
		not_migrated 'has no path migration (IBV_DEVICE_AUTO_PATH_MIG)' --migrate-after 10
	SOFTHCA_PORTS=2 not_migrated 'the paths did not migrate' -n 100 --migrate-after 30000
}
