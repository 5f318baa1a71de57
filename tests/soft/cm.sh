# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# librdmacm on the emulated HCA: the programs of librdmacm and perftest run without a change, and the cases of soft_cm.
# tests/verbs/cm* are in the part 'verbs'.

# Waits until somebody listens on the port, or the process has ended.
await_port()	# process, port
{
	await "$1" grep -q "@vb-softhca/[0-9]*/$SOFTHCA_FABRIC/cm/[0-9a-f]*/$2/" /proc/net/unix
}

# Runs server and client; P in the words of a command is the port. Sets ended: what failed, or nothing.
cm_both()	# server, client
{
	local rc job process

	((++port))
	ended=
	# shellcheck disable=SC2086 # options are words
	start server ${1//P/$port}
	await_port "$process" "${cm_port-$port}"
	# shellcheck disable=SC2086
	softhca timeout "$guard" ${2//P/$port} >"$work/client" 2>&1
	rc=$?
	((rc == 0)) || ended+="client exit $rc: $(tail -n 2 "$work/client") "
	[[ -z ${endless-} ]] || kill "$process"
	wait "$job"
	rc=$?
	((rc == 0)) || [[ -n ${endless-} ]] || ended+="server exit $rc: $(tail -n 2 "$work/server")"
}

cm_pair()	# server, client
{
	cm_both "$1" "$2"
	verdict "cm: $2" "$ended"
}

# The client must end with a failure and say why.
cm_refused()	# name, pattern, command...
{
	local name=$1 pattern=$2 rc

	shift 2
	softhca timeout "$guard" "$@" >"$work/client" 2>&1
	rc=$?
	verdict "cm: $name" "$(cm_said "$rc" "$pattern" client)"
}

# Prints why a program did not end by itself with this message; nothing if it did.
cm_said()	# exit status, pattern, name of its output
{
	if (($1 == 124)) || ! grep -qE "$2" "$work/$3"; then
		echo "exit $1"
		tail -n 3 "$work/$3"
	fi
}

cm_programs()
{
	local endless cm_port

	cm_pair 'rping -s -a 127.0.0.1 -p P -C 100 -V' 'rping -c -a 127.0.0.1 -p P -C 100 -V'
	cm_pair 'rping -s -a 198.18.0.1 -p P -C 100 -V -S 4000' 'rping -c -a 198.18.0.1 -p P -C 100 -V -S 4000'
	cm_pair 'rping -s -a :: -p P -C 100 -V' 'rping -c -a ::1 -p P -C 100 -V'
	cm_pair 'rping -s -a 127.0.0.1 -p P -C 100 -q' 'rping -c -a 127.0.0.1 -p P -C 100 -q'
	cm_pair 'ucmatose -p P -c 20 -C 50' 'ucmatose -s 127.0.0.1 -p P -c 20 -C 50'
	cm_pair 'ucmatose -p P -m' 'ucmatose -s 127.0.0.1 -p P -m -t 32'
	cm_pair 'rdma_server -p P' 'rdma_client -s 127.0.0.1 -p P'
	# the port of udaddy is fixed
	cm_port=7174
	cm_pair 'udaddy -c 4 -C 20' 'udaddy -s 127.0.0.1 -c 4 -C 20'
	unset cm_port
	endless=1 cm_pair 'cmtime -p P' 'cmtime -s 127.0.0.1 -p P -c 100'
}

cm_perftest()
{
	local options

	while read -r options; do
		cm_pair "$options -R -p P" "$options -R -p P 127.0.0.1"
	done <<-'END'
		ib_send_bw -n 2000
		ib_send_bw -n 2000 -q 4 -e
		ib_send_bw -n 2000 -c UD
		ib_send_lat -n 1000 -c UD
		ib_write_bw -n 2000 -z
		ib_write_lat -n 1000
		ib_read_bw -n 2000 -q 4
		ib_atomic_bw -n 2000
	END
}

cm_groups()
{
	local i receivers=() rc=0 group=239.1.1.1 job process

	for i in 1 2; do
		start "receiver$i" stdbuf -oL mckey -m "$group" -C 20
		receivers+=("$job")
	done
	for i in 1 2; do await "${receivers[i - 1]}" grep -q 'joined dgid' "$work/receiver$i"; done
	softhca timeout "$guard" mckey -s -m "$group" -C 20 >"$work/client" 2>&1 || rc=$?
	for i in 1 2; do wait "${receivers[i - 1]}" || rc=$?; done
	grep -q 'joined dgid: ::ffff:239.1.1.1' "$work/client" || rc=1
	verdict 'cm: mckey with two receivers' \
		"$( ((rc == 0)) || { echo "exit $rc"; tail -n 2 "$work"/receiver? "$work/client"; })"
}

cm_failures()
{
	local server rc job process

	cm_refused 'nobody listens' 'REJECTED, error 8' rping -c -a 127.0.0.1 -p 9 -C 1
	cm_refused 'nobody listens, UD' 'UNREACHABLE, error: 1' udaddy -s 198.18.0.1
	cm_refused 'an address of no device' 'ADDR_ERROR.* -113' ucmatose -s 192.0.2.1
	# the server sees the end of a client that is killed
	((++port))
	start server rping -s -a 127.0.0.1 -p "$port" -C 100000000
	server=$job
	await_port "$process" "$port"
	start client rping -c -v -a 127.0.0.1 -p "$port" -C 100000000
	await "$job" test -s "$work/client"
	kill -KILL "$process"
	# its status is 0 or not, by where its loop is; what counts is that it was told, and ended
	wait "$server"
	rc=$?
	verdict 'cm: the client of rping is killed' "$( ((rc != 124 && rc != 137)) || echo "exit $rc"
		grep -q 'DISCONNECT EVENT' "$work/server" || tail -n 2 "$work/server")"
}

part_cm()
{
	in_c cm 120
	in_c cm_addr 120
	[[ -z $runtime ]] || return
	if ! installed rping ucmatose udaddy mckey rdma_client cmtime ib_send_bw; then
		echo 'ok cm: programs # SKIP rdmacm-utils or perftest is not installed'
		return
	fi
	cm_programs
	cm_perftest
	cm_groups
	cm_failures
}
