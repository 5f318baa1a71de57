# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Receive queues that several peers share: SRQs, and one UD QP for all QPs of the sender. Counts are exact, also with
# losses; limit events refill an SRQ; a killed peer does not leave the other waiting.

# Runs a test and checks columns of the client's row: COLUMN=VALUE, or COLUMN>=VALUE.
shared()	# expectations, test, options...
{
	local expect column want got

	read -r -a expect <<<"$1"
	shift
	client=("${@:2}" --csv "$work/rows.csv" --csv-new)
	both "$guard" "$build/vb_$1"
	for want in "${expect[@]}"; do
		[[ -z $ended ]] || break
		column=${want%%[>=]*}
		got=$(field "$work/rows.csv" "$column")
		if [[ $want == *'>='* ]]; then
			((${got:-0} >= ${want#*=})) || ended="$column is '$got', less than ${want#*=}"
		else
			[[ $got == "${want#*=}" ]] || ended="$column is '$got', not '${want#*=}'"
		fi
	done
	verdict "shared: $*" "$ended"
}

# What the row says of so many rounds. Over UC and UD a round that takes 100 ms counts as lost, which happens on a busy
# machine.
samples()	# transport, rounds
{
	if [[ $1 == RC ]]; then echo "lat_samples=$2"; else echo "lat_samples>=$(($2 * 3 / 4))"; fi
}

# Every kind that takes receives.
kinds()
{
	local transport op events qps lost

	for transport in RC UC UD; do
		for op in send_bw 'send_bw --imm' 'write_bw --imm'; do
			[[ $transport:$op != UD:write* ]] || continue
			for events in '' -e; do
				for qps in 1 4 64; do
					shared "status=ok messages=$((qps * 300)) recv_queue=srq verified_messages>=1" \
						$op -c $transport $events -q $qps -n 300 -s 999 --srq --verify
				done
			done
			shared "status=ok messages=1200 lost=0" $op -c $transport -q 2 --threads 2 -n 300 --srq --verify
			shared "status=ok sent_messages=900 lost=0" $op -c $transport -q 3 -b -n 300 --srq --verify
		done
		shared "status=ok $(samples "$transport" 300)" send_lat -c $transport -q 3 -n 100 --srq --verify
		shared "status=ok $(samples "$transport" 300)" \
			send_lat -c $transport -q 3 -n 100 --imm -e --srq --verify
	done
	shared 'status=ok lat_samples=300' write_lat -q 3 -n 100 --imm --srq --verify
	for events in '--completion hybrid' '--poll-api extended' '--post-api wr -l 4'; do
		shared 'status=ok messages=1200 lost=0' send_bw -q 4 -n 300 --srq --verify $events
	done
	# long and short walks; messages of many packets that end out of order
	shared 'status=ok verified_messages>=4000' \
		send_bw -q 4 -n 4000 -s 99 --srq --verify --footprint 3M --walk random
	shared 'status=ok messages=2000' send_bw -q 4 -n 500 -s 65537 -t 4 -r 8 --srq --verify
	shared 'status=ok messages=400' send_bw -q 4 -n 100 -r 1 -t 1 --srq --verify
	shared 'status=ok' send_bw -q 4 -D 1 --srq
	shared 'status=ok' send_bw -q 4 -D 1 -c UD --imm -e --srq
}

# A list is 48 receives (-r 64 -t 8), so 20 messages never fill one: only the limit makes the thread post them again.
limits()
{
	local options

	for options in '' -e '--completion hybrid' '-c UC' '-c UD -e'; do
		shared 'status=ok messages=20 srq_limit=60 peer_srq_limit_events>=1' \
			send_bw -n 20 -r 64 -t 8 --srq --srq-limit 60 --verify $options
		shared 'status=ok messages=20000 lost=0 peer_srq_limit_events>=1' \
			send_bw -q 4 -n 5000 -r 64 -t 8 --srq --srq-limit 250 --verify $options
	done
	shared 'status=ok srq_limit=0 peer_srq_limit_events=0' send_bw -q 4 -n 1000 --srq --srq-limit 0
	shared 'status=ok srq_limit_events>=1 peer_srq_limit_events>=1' send_lat -n 1000 --srq --srq-limit 60
	shared 'recv_queue=own srq_limit= peer_srq_limit_events=' send_bw -n 100
}

# One QP of the server for all of the client.
one_qp()
{
	local options qps

	for options in '' -e --imm '--imm -e' '--poll-api extended'; do
		for qps in 1 4 64; do
			shared "status=ok recv_queue=one_qp messages=$((qps * 300)) lost=0" \
				send_bw -c UD -q $qps -n 300 --one-qp --verify $options
		done
	done
	shared 'status=ok messages=1200 lost=0' send_bw -c UD -q 2 --threads 2 -n 300 --one-qp --verify
	shared "status=ok $(samples UD 400)" send_lat -c UD -q 4 -n 100 --one-qp --verify
	shared "status=ok $(samples UD 400)" send_lat -c UD -q 4 -n 100 --one-qp --imm -e
	shared 'status=ok qp_messages_min>=1' send_bw -c UD -q 4 -D 1 --one-qp
}

# The server has the client's address from the first message of each QP, which may be lost.
first_messages()
{
	local options seed

	for options in '-q 3' '-q 3 -e --threads 2' '-q 4 --srq -b' '-q 4 --one-qp --imm' '--post-api wr'; do
		shared 'status=ok ah=first lost=0 verified_messages>=1' \
			send_bw -c UD -n 300 --ah first --verify $options
	done
	shared "status=ok ah=first $(samples UD 300)" \
		send_lat -c UD -n 100 -q 3 --one-qp --ah first --verify
	shared 'status=ok ah=address' send_bw -c UD -n 100
	export SOFTHCA_LINK=loss=30%,bandwidth=10G
	for options in '' --srq --one-qp; do
		shared 'status=ok ah=first sent_messages=800 lost>=1' send_bw -c UD -n 100 -q 8 --ah first $options
	done
	# What is repeated must not take the receive that waits for what was lost. A seed is a pattern of losses.
	for seed in 1 2 3 4 5 6 7 8; do
		export SOFTHCA_LINK=loss=20%,seed=$seed,bandwidth=10G
		shared 'status=ok ah=first lost>=1' send_bw -c UD -n 100 -q 8 --ah first --srq
		shared 'status=ok ah=first lost>=1' send_bw -c UD -n 100 -q 8 --ah first --one-qp --threads 2
	done
	export SOFTHCA_LINK=loss=20%,duplicate=20%,bandwidth=10G
	shared 'status=ok ah=first lost>=1' send_bw -c UD -n 100 -q 64 --ah first --one-qp
	unset SOFTHCA_LINK
}

# What was sent and not received is lost, to the message; RC completes.
losing()
{
	local transport seen

	export SOFTHCA_LINK=loss=2%,bandwidth=10G
	for transport in UC UD; do
		for options in --srq '--srq --imm -e' '--srq -b --imm'; do
			shared 'status=ok sent_messages=8000 lost>=1' send_bw -c $transport -q 4 -n 2000 -s 500 $options
			seen=$(($(field "$work/rows.csv" received_messages) + $(field "$work/rows.csv" lost)))
			verdict "shared: losses of $transport $options" "$( ((seen == 8000)) || echo "$seen of 8000")"
		done
		shared 'status=ok lost>=1' send_lat -c $transport -q 4 -n 200 --srq
	done
	shared 'status=ok sent_messages=8000 lost>=1' send_bw -c UD -q 4 -n 2000 -s 500 --imm --one-qp
	seen=$(($(field "$work/rows.csv" received_messages) + $(field "$work/rows.csv" lost)))
	verdict 'shared: losses of one QP' "$( ((seen == 8000)) || echo "$seen of 8000")"
	shared 'status=ok messages=800 lost=0' send_bw -q 4 -n 200 -s 500 -u 10 --srq --verify
	unset SOFTHCA_LINK
}

# The server is killed in the middle: the client ends with an incomplete row.
cut_short()	# options of the client...
{
	local server client_pid rc

	((++port))
	rm -f "$work"/cut.*
	softhca timeout 60 "$build/vb_send_bw" -p "$port" >"$work/cut.server" 2>&1 &
	server=$!
	rm -f "$work/cut.csv"
	softhca timeout 60 "$build/vb_send_bw" -p "$port" -D 30 "$@" --csv "$work/cut.csv" 127.0.0.1 \
		>"$work/cut.table" 2>"$work/cut.err" &
	client_pid=$!
	await "$client_pid" grep -q '^each row' "$work/cut.table"
	signal_all_of KILL "$build/vb_send_bw" -p "$port"
	wait "$client_pid"
	rc=$?
	wait "$server"
	verdict "shared: the server killed, $*" "$( ((rc == 1)) || echo "the client's exit is $rc"
		[[ $(field "$work/cut.csv" status) =~ ^(incomplete|failed)$ ]] ||
			echo "the row is not incomplete: $(cat "$work/cut.err" "$work/cut.server")")"
}

part_shared()
{
	kinds
	limits
	one_qp
	first_messages
	losing
	cut_short --srq -q 4
	cut_short --srq -q 4 -b -e
	cut_short --srq -q 4 --threads 2 -c UD --imm
	cut_short --one-qp -q 4 -c UD
}
