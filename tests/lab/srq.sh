# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes: shared receive queues of rxe, over RC, UC and UD, polled and by events, and their limit events; one UD QP
# for all QPs of the sender.

# shellcheck source=options.sh
. "$lab_dir/options.sh"

part_srq()
{
	local transport events op

	for transport in RC UC UD; do
		for events in '' -e; do
			for op in send_bw 'send_bw --imm' 'write_bw --imm'; do
				[[ $transport:$op != UD:write* ]] || continue
				# shellcheck disable=SC2086 # words
				option "SRQ, $transport, $op $events" 1 'sent_messages=800 lost=0 recv_queue=srq' \
					$op -c "$transport" $events -q 4 -n 200 -s 1000 --srq --verify
			done
			# shellcheck disable=SC2086 # words
			option "SRQ, both ways, $transport $events" 2 'sent_messages=300 lost=0' \
				send_bw -c "$transport" $events -b -q 3 -n 100 -s 1000 --srq --verify
			# shellcheck disable=SC2086 # words
			option "SRQ, latency, $transport $events" 1 'lat_samples=150' \
				send_lat -c "$transport" $events -q 3 -n 50 --srq --verify
		done
	done
	option 'SRQ, 64 QPs' 1 'messages=3200 qps=64' send_bw -q 64 -n 50 -s 100 --srq --verify -u 18
	option 'SRQ, two threads' 1 'messages=800 threads=2' \
		send_bw -q 2 --threads 2 -n 200 -s 100 --srq --verify -u 18 --pin none --peer-pin none
	# a list is 48 receives: only the limit makes the server post any again
	if [[ $(side) == client ]]; then events=peer_srq_limit_events; else events=srq_limit_events; fi
	option 'SRQ, limit event' 1 "messages=20 srq_limit=60 $events>=1" \
		send_bw -n 20 -r 64 -t 8 --srq --srq-limit 60 --verify -u 18
	option 'SRQ, limit events, by events' 1 "messages=2000 $events>=1" \
		send_bw -q 4 -n 500 -r 64 -t 8 --srq --srq-limit 250 -e --verify -u 18
	option 'one QP' 1 'sent_messages=800 lost=0 recv_queue=one_qp' \
		send_bw -c UD -q 4 -n 200 -s 1000 --one-qp --verify
	option 'one QP, latency by events' 1 'lat_samples=150' send_lat -c UD -q 3 -n 50 -e --one-qp
	option 'address from the first message' 1 'sent_messages=600 lost=0 ah=first' \
		send_bw -c UD -q 3 -n 200 -s 1000 --ah first --verify
	option 'address from the first message, one QP, by events' 1 'lat_samples=150 ah=first' \
		send_lat -c UD -q 3 -n 50 -e --one-qp --ah first
}
