# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# One guest with two NUMA nodes (cpus 0-1 and 2-3); eth0 and rxe0 are near the second. Checks where threads and pages
# are: in the row, and during the run in /proc.

placed()	# name, what the row must have, options of the client...
{
	local name=$1 expect=$2

	shift 2
	begin
	serve vb_send_bw
	timeout -k 5 60 vb_send_bw -p "$port" -n 500 -s 8k --csv "$csv" "$@" localhost >/dev/null 2>"$err"
	# shellcheck disable=SC2086 # a list
	verdict "placed: $name" "$(exited $? 0 "$err"; rows "$csv" 1 status=ok hca_node=1 $expect)"
	end "$server"
}

# Prints how many threads of a process may run on exactly these cpus.
threads_on()	# process, cpus
{
	grep -lsx "Cpus_allowed_list:	$2" /proc/"$1"/task/*/status | wc -l
}

has_threads_on() { has_thread_on "$1" "$2" && has_thread_on "$1" "$3"; }	# process, cpu, cpu
session_has_threads_on()	# cpu, cpu
{
	local session

	# the list does not end with a newline, so read fails although it reads it
	read -r session < <(children "$server")
	[[ -n $session ]] && has_threads_on "$session" "$@"
}

has_thread_on() { (($(threads_on "$1" "$2") == 1)); }	# process, cpus

# Prints how many pages of the large mappings of a process are on a node. The kernel joins adjacent mappings, so a few
# pages may be older than the buffers.
pages_on()	# process, node
{
	awk -v node="N$2=" '{ anon = on = 0
		for (i = 3; i <= NF; i++) {
			if ($i ~ /^anon=/) anon = substr($i, 6)
			if (index($i, node) == 1) on = substr($i, length(node) + 1)
		}
		if (anon >= 1024) n += on } END { print n + 0 }' "/proc/$1/numa_maps"
}

# Sets here and there. Its buffers of 32 MiB are on node 1. Pages that the kernel moves just now are on no node.
is_placed()	# process
{
	here=$(pages_on "$1" 1)
	there=$(pages_on "$1" 0)
	((here >= 8192 && there * 20 < here))
}

# Ends a run after the test has looked at it. On a busy machine that may take long, so the run has no fixed end.
interrupt()	# process, packets that moved before it
{
	moving "$2" 400
	kill -INT "$1" 2>/dev/null
	collect "$1" 60
}

# The kernel shows during the run what the row has afterwards.
watched()
{
	local before client here there placed

	begin
	before=$(moved)
	serve vb_send_bw
	vb_send_bw -p "$port" -D 150 -s 256k --footprint 32M --pin pu:1 --mem 1 --csv "$csv" localhost \
		>/dev/null 2>"$err" &
	client=$!
	# the buffers are touched after the thread is bound
	await 60 has_thread_on "$client" 1 && await 60 is_placed "$client"
	placed=$?
	interrupt "$client" "$before"
	verdict 'placed: threads and pages while they run' "$(exited "$status" 1 "$err"
		((placed == 0)) ||
			say "no thread on cpu 1 alone, or buffers: ${here:-?} pages on node 1, ${there:-?} on node 0"
		rows "$csv" 1 status=interrupted reason~^interrupted.on.the.client$ cpus=1 nodes=0 mem_nodes=1 \
			placement=far distance=21 mem_distance=10)"
	end "$server"
}

# Two threads on each side, each on another cpu: during the run as in the row.
watched_threads()
{
	local before client at

	begin
	before=$(moved)
	serve vb_send_bw
	vb_send_bw -p "$port" -D 150 -s 8k --threads 2 --pin pu:1,pu:3 --peer-pin pu:2,pu:0 --csv "$csv" localhost \
		>/dev/null 2>"$err" &
	client=$!
	await 60 has_threads_on "$client" 1 3 && await 60 session_has_threads_on 2 0
	at=$?
	interrupt "$client" "$before"
	verdict 'placed: two threads on two nodes, while they run' "$(exited "$status" 1 "$err"
		((at == 0)) || say 'the threads were not bound to cpus 1, 3 and 2, 0'
		rows "$csv" 1 status=interrupted reason~^interrupted.on.the.client$ threads=2 cpus=1,3 nodes=0-1 \
			mem_nodes=0-1 placement=far peer_cpus=0,2 peer_mem_nodes=0-1 peer_placement=far)"
	end "$server"
}

cannot_be()	# name, regular expression, options...
{
	local name=$1 regex=$2

	shift 2
	begin
	serve vb_send_bw
	timeout -k 5 60 vb_send_bw -p "$port" "$@" localhost >/dev/null 2>"$err"
	verdict "placed: $name" "$(exited $? 2 "$err"; says "$err" "$regex")"
	end "$server"
}

matrix()
{
	local out=$work/matrix

	begin
	serve verbench serve --allow any
	timeout -k 5 120 "$lab_dir/../../bench/numa-matrix" --rounds 1 write_bw -p "$port" -n 200 -s 4k localhost \
		>"$out" 2>"$err"
	verdict 'numa-matrix: four cells' "$(exited $? 0 "$err"
		[[ $(grep -cE '^numa:[01]( +[0-9.]+){2}$' "$out") == 2 ]] || say "$(tail -n 2 "$out")")"
	end "$server"
}

part_seats()
{
	# the threads of the server are on the same host, and avoid the core of the client
	placed auto 'cpus=2 mem_nodes=1 placement=near distance=10 peer_cpus=3 peer_mem_nodes=1 peer_placement=near'
	placed far 'cpus=0 nodes=0 mem_nodes=0 placement=far distance=21 peer_placement=near' --pin far
	placed 'the server too' 'cpus=3 mem_nodes=0 placement=far peer_cpus=0 peer_mem_nodes=1 peer_placement=far' \
		--pin pu:3 --mem 0 --peer-pin numa:0 --peer-mem device
	placed none 'pin=none placement=unknown' --pin none --peer-pin none
	placed 'two threads' \
		'threads=2 cpus=2-3 mem_nodes=1 placement=near distance=10 peer_cpus=0-1 peer_placement=far' \
		--threads 2 --peer-pin numa:0
	placed 'memory elsewhere' 'threads=2 cpus=2-3 nodes=1 mem_nodes=0 placement=far mem_distance=21' \
		--threads 2 --mem 0 --peer-pin numa:0
	watched
	watched_threads
	cannot_be 'a cpu that is not there' 'peer-pin pu:9.*0-3' --peer-pin pu:9
	cannot_be 'a node that is not there' 'mem 7.*NUMA node 7' --mem 7
	matrix
}
