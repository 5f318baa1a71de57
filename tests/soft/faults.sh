# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Faults and the link: in C, then how verbench reports them. A fault is set for one side only.

# Runs server and client of a test of verbench. at_server and at_client (VAR=VALUE or nothing) set one side. Sets rc and
# server_rc. Rows are in client.csv and server.csv.
pair()	# test, client's options...
{
	local test=$1 pid

	shift
	((++port))
	rm -f "$work"/{client,server}.csv
	softhca env ${at_server:+"$at_server"} timeout 60 "$build/vb_$test" -p "$port" --csv "$work/server.csv" \
		>"$work/server" 2>&1 &
	pid=$!
	softhca env ${at_client:+"$at_client"} timeout 60 "$build/vb_$test" -p "$port" "$@" --csv "$work/client.csv" \
		127.0.0.1 >"$work/client" 2>&1
	rc=$?
	wait "$pid"
	server_rc=$?
}

# Expectations of the last pair; each adds to said what is wrong.
expect_exits() { [[ $rc == "$1" && $server_rc == "$1" ]] || said+="exit $rc and $server_rc, not $1; "; }
expect_text()	# client or server, extended regular expression
{
	grep -qE -- "$2" "$work/$1" || said+="the $1 does not print '$2' but: $(tail -n 2 "$work/$1") "
}
expect_field()	# client or server, column, extended regular expression
{
	local value

	value=$(field "$work/$1.csv" "$2" 2>/dev/null)
	[[ $value =~ ^($3)$ ]] || said+="the $1's $2 is '$value', not $3; "
}

# The side with the fault prints what failed; the other side prints the message of its peer.
fails()	# name, client or server (the side with the fault), fault, message, test, options...
{
	local name=$1 who=$2 other=client message=$4 said='' at_client='' at_server=''

	[[ $who == server ]] || other=server
	declare "at_$who=SOFTHCA_FAULTS=$3"
	shift 4
	pair "$@"
	expect_exits 1
	expect_text "$who" "$message"
	expect_text "$other" "reports: .*$message"
	expect_field "$who" status 'failed|incomplete'
	expect_field "$other" status 'failed|incomplete'
	verdict "faults: $name" "$said"
}

failures()
{
	local status

	for status in REM_ACCESS_ERR RETRY_EXC_ERR GENERAL_ERR; do
		fails "$status at request 99" client "wc:$status@100" "send of message 99 failed .*: $status " \
			send_bw -n 5000
	done
	fails 'a status at a credit message' server wc:GENERAL_ERR@2 'credit message .* failed .*: GENERAL_ERR ' \
		send_bw -n 20000
	fails 'a status in a ping-pong' server wc:RNR_RETRY_EXC_ERR@50 \
		'send of message .* failed .*: RNR_RETRY_EXC_ERR ' send_lat -n 5000
	fails 'a status over UD' client wc:LOC_QP_OP_ERR@7 'failed .*: LOC_QP_OP_ERR ' send_bw -c UD -n 5000
	# the first call posts the receives; the lists have four requests
	fails 'a post of requests' client post:EIO@50 'post of request 192 .*: Input/output error' send_bw -n 5000 -l 4
	fails 'a post of receives' client post:EIO@1 'post 16 receives .*: Input/output error' send_bw -n 5000
	fails 'a post of a credit message' server post:ENOMEM@3 'post of a credit message .*: Cannot allocate memory' \
		send_bw -n 20000
	fails 'a port that goes down' client port-down@300ms+100s 'PORT_ERR: the link went down' write_bw -D 5
	fails 'a device that fails' server async:DEVICE_FATAL@300ms 'DEVICE_FATAL: the device failed' send_bw -D 5
}

# A change is not a failure.
changes()
{
	local said='' at_client=SOFTHCA_FAULTS=async:LID_CHANGE@1ms,async:GID_CHANGE@2ms,async:CLIENT_REREGISTER@3ms

	pair send_bw -n 50000
	expect_exits 0
	expect_field client status ok
	verdict 'faults: events that are no failure' "$said"
}

# Repeats a pair until one side has slept often enough for the events that get lost. On a busy machine a side may find
# every message already there when it gets a processor, and never sleep.
sleeping_pair()	# client or server, events, test, options...
{
	local who=$1 events=$2 try

	shift 2
	for ((try = 0; try < 20; try++)); do
		pair "$@"
		(($(field "$work/$who.csv" events) < events)) || return 0
	done
	return 1
}

# The warnings of a busy machine: who waited for a processor.
places='"?((client|server): .*)?'

# After a lost event the sleeper polls when its time is up, and the row has a warning.
lost_events()
{
	local said='' at_client='' at_server=SOFTHCA_FAULTS=event-lost@3,event-lost@9

	if sleeping_pair server 40 send_lat -e -n 1000; then
		expect_exits 0
		expect_field server warnings '"missing completion events: 2 .*'
		expect_field client warnings "$places"
		expect_text server 'missing completion events: 2 '
		verdict 'faults: lost events of a ping-pong' "$said"
	else
		echo 'ok faults: lost events of a ping-pong # SKIP the machine is so busy that nobody sleeps'
	fi

	said='' at_server='' at_client=SOFTHCA_FAULTS=event-lost@2
	if sleeping_pair client 40 write_lat --imm -e -n 1000; then
		expect_exits 0
		expect_field client warnings '"missing completion events: 1 .*'
		verdict 'faults: a lost event of the client' "$said"
	else
		echo 'ok faults: a lost event of the client # SKIP the machine is so busy that nobody sleeps'
	fi

	said='' at_client='' at_server=''
	pair send_lat -e -n 1000
	expect_exits 0
	expect_field server warnings "$places"
	expect_field client warnings "$places"
	verdict 'faults: no warning without faults' "$said"

	said='' at_client=SOFTHCA_FAULTS=event-extra@2,event-extra@3
	pair send_lat -e -n 1000
	expect_exits 0
	expect_field client spurious_events '[1-9].*'
	verdict 'faults: events that come twice are counted' "$said"
}

# Compares the statistics of the link with the row; before the messages is a datagram that proves the address. All
# messages may come while the receiver sleeps: there are receives for messages and copies, so that only the link loses
# any.
counted()	# transport, link
{
	local said='' transport=$1 truth lost='' duplicated='' reordered='' at_server='' at_client=SOFTHCA_LINK=$2

	rm -f "$work/stats"
	export SOFTHCA_STATS=$work/stats
	pair send_bw -c "$transport" --imm -n 5000 -s 1024 -r 8000
	unset SOFTHCA_STATS
	expect_exits 0
	truth=$(grep 'sent=500[1-9] ' "$work/stats") || said+='no statistics; '
	[[ $truth =~ lost=([0-9]+)\ duplicated=([0-9]+)\ reordered=([0-9]+) ]] &&
		lost=${BASH_REMATCH[1]} duplicated=${BASH_REMATCH[2]} reordered=${BASH_REMATCH[3]}
	((lost + duplicated + reordered > 0)) || said+='the link did nothing; '
	expect_field client lost "$lost"
	expect_field client duplicated "$duplicated"
	expect_field client out_of_order "$reordered"
	verdict "faults: $transport, $2: $lost lost, $duplicated copies, $reordered late" "$said"
}

same_seed()
{
	local lists=() seed

	for seed in 7 7 8; do
		lists+=("$(SOFTHCA_LINK=loss=1%,seed=$seed softhca timeout 60 "$build/tests/soft/soft_link" losses)")
	done
	verdict 'faults: same seed, same losses' "$([[ -n ${lists[0]// } && ${lists[0]} == "${lists[1]}" ]] ||
		echo "${lists[0]} and then ${lists[1]}")"
	verdict 'faults: another seed, other losses' "$([[ -n ${lists[2]// } && ${lists[0]} != "${lists[2]}" ]] ||
		echo "the same: ${lists[2]}")"
}

part_faults()
{
	local transport

	in_c faults 200
	in_c link 200
	same_seed
	[[ -z $runtime ]] || return
	failures
	changes
	# lost_events is not reliable where processes wait for processors; tests/fake/test_events has the case
	[[ -z ${SOFT_LOST_EVENTS-} ]] || lost_events
	for transport in UC UD; do
		counted "$transport" loss=1%
		# with the default seed the last message has a copy, which comes after the end of the receiver's window
		counted "$transport" duplicate=1%,seed=2
		counted "$transport" bandwidth=1G,reorder=1%,reorder_by=100ms
	done
}
