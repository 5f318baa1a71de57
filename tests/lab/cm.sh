# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: queue pairs connected by rdma_cm, RC and UD over rxe0, then RC over iWARP (siw0), which can be connected
# only so. The figures with and without --cm are printed side by side: the loops are the same, so they differ by noise.

# Prints one value of the first row.
value()	# file, column
{
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } NR == 2 { print $c }' "$1"
}

# One test; the row must say who connected.
connected()	# tcp or rdma_cm, test, options...
{
	local by=$1 test=$2 options=() n=1

	shift 2
	# a row for each direction
	[[ " $* " != *' -b '* ]] || n=2
	[[ $by == tcp ]] || options=(--cm)
	pair "$test" "${options[@]}" --verify "$@"
	verdict "cm ${device-rxe0}: $test $* by $by, $(side)" \
		"$(exited "$status" 0 "$err"; rows "$csv" "$n" status=ok connect="$by" role="$(side)")"
}

# With and without --cm, and the figures of both.
beside()	# column, test, options...
{
	local column=$1 tcp

	shift
	connected tcp "$@"
	tcp=$(value "$csv" "$column")
	connected rdma_cm "$@"
	[[ $(side) == server ]] || say "# cm: $*: $column by tcp $tcp, by rdma_cm $(value "$csv" "$column")"
}

# A plan that must be refused, on both sides, with this text.
refused()	# name, text, test, options...
{
	local name=$1 text=$2

	shift 2
	pair "$@"
	verdict "cm: $name, $(side)" "$(exited "$status" 2 "$err"; says "$err" "$text")"
}

on_rxe()
{
	local test

	for test in send_bw write_bw read_bw; do beside bandwidth_mib_s $test -n 300 -u 18; done
	for test in send_lat write_lat read_lat atomic_lat; do beside lat_p50_ns $test -n 200 -u 18; done
	beside bandwidth_mib_s send_bw -n 300 -c UD
	beside lat_p50_ns send_lat -n 200 -c UD
	connected rdma_cm send_bw -n 100 -u 18 -e -q 8
	connected rdma_cm send_bw -n 10 -s 64 -u 18 -q 200
	connected rdma_cm read_bw -n 100 -u 18 --outstanding 16
	connected rdma_cm atomic_bw -n 100 -u 18 --outstanding 4
	connected rdma_cm send_bw -n 100 -u 18 -x "$(ipv6_index)"
	connected rdma_cm send_bw -n 100 -u 18 --tclass 32
}

# The entry of the GID table that holds fd77::NODE.
ipv6_index()
{
	grep -l '^fd77:' /sys/class/infiniband/rxe0/ports/1/gids/[0-9] | head -n 1 | sed 's/.*\///'
}

active() { grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"; }

# Both nodes change their device before the next case.
swap_device()	# old, new, type
{
	rdma link delete "$1"
	rdma link add "$2" type "$3" netdev eth0
	await 20 active "$2"
	lab-barrier "cm-$2" 60
}

on_siw()
{
	local test events

	device=siw0
	refused 'iWARP without --cm' 'iWARP: needs -R' send_bw -n 10
	refused 'iWARP and UD' 'iWARP: siw0 of node[12] has no UD' send_bw -n 10 --cm -c UD
	refused 'iWARP and UC' 'iWARP: siw0 of node[12] has no UC' send_bw -n 10 -c UC
	refused 'iWARP and immediate data' 'iWARP: siw0 of node[12] has no immediate data' write_bw -n 10 --cm --imm
	refused 'iWARP and atomics' 'has no atomics' atomic_bw -n 10 --cm
	refused 'iWARP and two senders of writes' 'the server would have to send before' write_bw -n 10 --cm -b
	for events in '' -e; do
		for test in send_bw send_lat write_bw write_lat read_bw read_lat; do
			[[ $test$events == write_lat-e ]] || connected rdma_cm $test -n 300 ${events:+"$events"}
		done
	done
	connected rdma_cm send_bw -n 1000 -b
	# a list takes the credit of two messages
	connected rdma_cm send_bw -n 2000 -s 1k -r 64 -l 16
	# the receive queue of QP 5 would lie at an offset that libsiw cannot map (rdma/dev_siw.h)
	connected rdma_cm send_bw -n 100 -s 1k -q 16
	unset device
}

# The kernel loads rdma_ucm for who asks for its device (MODULE_ALIAS_RDMA_CLIENT of ucma.c), so where the host has the
# modules of the guest's kernel it would be back at once.
remove_ucm()
{
	echo >/proc/sys/kernel/modprobe
	rmmod rdma_ucm
}

part_cm()
{
	on_rxe
	if modinfo siw >/dev/null 2>&1 || [[ -d /sys/module/siw ]]; then
		swap_device rxe0 siw0 siw
		on_siw
		swap_device siw0 rxe0 rxe
		await 20 grep -q ffff:0a4d /sys/class/infiniband/rxe0/ports/1/gids/[0-7]
		lab-barrier cm-gid 60
	else
		skip "cm: iWARP, $(side)" 'the module siw is not loaded'
	fi
	# the last case: the module is gone after it
	((VB_LAB_NODE != 1)) || remove_ucm
	lab-barrier cm-ucm 60
	refused 'a node without rdma_ucm is named' 'node1 has no rdma_cm: .*modprobe rdma_ucm' send_bw -n 10 --cm
	pair send_bw -n 10 -u 18
	verdict "cm: nothing of rdma_cm is needed without --cm, $(side)" "$(exited "$status" 0 "$err")"
}
