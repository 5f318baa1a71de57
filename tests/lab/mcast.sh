# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Two nodes. Node 2 sends to a multicast group with two receivers on node 1 and one on its own node, each joined by
# rdma_cm (IGMP), or by ibv_attach_mcast alone, which no other host hears of.

group=239.1.2.3
receivers=()
groups=0	# cases so far; both nodes count the same

# Starts receivers on this node, in ports of their own.
receive()	# number
{
	local i

	receivers=()
	for ((i = 0; i < $1; i++)); do
		timeout -k 5 90 vb_send_bw -p $((base + 10 * VB_LAB_NODE + i)) --csv "$work/$port.$i.csv" \
			>/dev/null 2>"$work/$port.$i.err" &
		receivers+=($!)
		await 20 listens $((base + 10 * VB_LAB_NODE + i)) || return 1
	done
}

# Waits for the receivers of this node; adds to wrong what is wrong with them and with their rows.
received()	# expected exit status, what each row must have...
{
	local i expected=$1

	shift
	for i in "${!receivers[@]}"; do
		wait "${receivers[i]}"
		wrong+=$(exited $? "$expected" "$work/$port.$i.err")
		((expected)) || wrong+=$(rows "$work/$port.$i.csv" 1 "$@")
	done
}

# One sender, receivers on both nodes. Messages fit the receives that are posted.
grouped()	# name, own receivers of the sender, expected exit status, error of the sender, options...
{
	local name=$1 own=$2 expected=$3 text=$4 wrong='' hosts=() i

	shift 4
	begin
	# below the ports of outgoing connections (32768 and up), which are not free to listen on
	base=$((21000 + 100 * ++groups))
	if ((VB_LAB_NODE == 1)); then receive 2; else receive "$own"; fi
	lab-barrier "mcast$port"
	if ((VB_LAB_NODE == 1)); then
		received "$expected" status=ok sent_messages=1000 received_messages=1000 lost=0
	else
		hosts=("$peer:$((base + 10))" "$peer:$((base + 11))")
		for ((i = 0; i < own; i++)); do hosts+=("$VB_LAB_ADDR:$((base + 20 + i))"); done
		timeout -k 5 90 vb_send_bw -c UD --mcast "$group" -n 1000 -r 2048 -s 1000 --connect-timeout 60 \
			--csv "$csv" "$@" "${hosts[@]}" >/dev/null 2>"$err"
		wrong=$(exited $? "$expected" "$err")
		if ((expected)); then
			wrong+=$(says "$err" "$text")
		else
			wrong+=$(rows "$csv" ${#hosts[@]} status=ok sent_messages=1000 received_messages=1000 lost=0 \
				mcast="$group" duplicated="${duplicated-}")
		fi
		received "$expected" status=ok received_messages=1000
	fi
	verdict "mcast: $name, $(side)" "$wrong"
}

part_mcast()
{
	local duplicated

	modprobe -q rdma_ucm
	grouped 'joined by rdma_cm' 0 0 '' --mcast-join cm
	duplicated=0 grouped 'joined by rdma_cm, also on the node of the sender' 1 0 '' --mcast-join cm --imm --verify
	duplicated=0 grouped 'joined by what both nodes have' 1 0 '' --imm -e
	grouped 'verbs alone reach no other host' 0 1 "got no message of the group $group" \
		--mcast-join verbs --stall-timeout 2
	# the administrator joins the IP group: then verbs are enough
	((VB_LAB_NODE == 2)) || ip addr add $group/32 dev eth0 autojoin
	grouped 'verbs, and the hosts have joined' 0 0 '' --mcast-join verbs
	((VB_LAB_NODE == 2)) || ip addr del $group/32 dev eth0
	group=ff0e::1:2:3 grouped 'an IPv6 group has no rdma_cm' 0 1 'joining the multicast group' --mcast-join cm -x 0
}
