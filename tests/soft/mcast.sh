# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# One sender and a multicast group of receivers: counts and losses of each receiver against those of the link, receivers
# that end early, refuse or never join, and stock programs in the same group.

group=239.1.2.3
receivers=() hosts=()

# Starts receivers of one client each, in ports of their own, and waits until they listen.
receive()	# number, options...
{
	local n=$1 i

	shift
	receivers=() hosts=()
	for ((i = 0; i < n; i++)); do
		((++port))
		softhca timeout "$guard" "$build/vb_send_bw" -p "$port" "$@" >"$work/receiver$i" 2>&1 &
		receivers+=($!)
		hosts+=("127.0.0.1:$port")
		await_listener $!
	done
}

# The sender, and the exit status of all: ended as of both().
group_run()	# options...
{
	local i rc

	ended=
	rm -f "$work/rows.csv"
	softhca timeout "$guard" "$build/vb_send_bw" -c UD --mcast $group "$@" --csv "$work/rows.csv" "${hosts[@]}" \
		>"$work/client" 2>&1
	rc=$?
	((rc == 0)) || ended+="sender exit $rc: $(tail -n 2 "$work/client") "
	for i in "${!receivers[@]}"; do
		wait "${receivers[i]}"
		rc=$?
		((rc == 0)) || ended+="receiver $i exit $rc: $(tail -n 2 "$work/receiver$i") "
	done
}

# Prints the values of a column, a line for each row.
values()	# file, column
{
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } NR > 1 { print $c }' "$1"
}

# Every row has this value.
all_rows()	# column, value, rows
{
	local found
	found=$(values "$work/rows.csv" "$1" | sort | uniq -c | awk '{ print $1 "x" $2 }')
	[[ $found == "$3x$2" ]] || echo "$1: ${found//$'\n'/ }, expected $3x$2 "
}

# All messages fit the receives that are posted: what is lost is lost on the link.
reached()	# number of receivers, options...
{
	local n=$1

	shift
	receive "$n"
	group_run -n 3000 -r 8192 "$@"
	[[ -n $ended ]] || ended+=$(
		all_rows sent_messages 3000 "$n"
		all_rows received_messages 3000 "$n"
		all_rows lost 0 "$n"
		all_rows status ok "$n"
		all_rows mcast $group "$n"
		diff <(values "$work/rows.csv" receiver) <(printf '%s\n' "${hosts[@]}")
	)
	verdict "mcast: $n receivers get all of $*" "$ended"
}

lossy()	# number of receivers, link
{
	local n=$1 lost doubled sent

	export SOFTHCA_LINK=$2
	receive "$n"
	export SOFTHCA_STATS=$work/stats
	: >"$work/stats"
	group_run -n 5000 -r 16384 -s 256 --imm
	unset SOFTHCA_LINK SOFTHCA_STATS
	# the sender's link; probes are on it, too, so that a few of its losses may be probes
	sent=$(sed -n 's/.*sent=\([0-9]*\).*/\1/p' "$work/stats")
	lost=$(sed -n 's/.* lost=\([0-9]*\).*/\1/p' "$work/stats")
	doubled=$(sed -n 's/.*duplicated=\([0-9]*\).*/\1/p' "$work/stats")
	echo "# link $2: $((sent - 5000)) probes, lost $lost, duplicated $doubled; counted $(
		values "$work/rows.csv" lost | tr '\n' ' ')lost, $(
		values "$work/rows.csv" duplicated | tr '\n' ' ')duplicated"
	[[ -n $ended ]] || ended+=$(
		for column in received_messages duplicated lost messages; do
			values "$work/rows.csv" $column >"$work/$column"
		done
		paste -d' ' "$work"/{received_messages,duplicated,lost,messages} |
			awk -v n="$n" -v probes=$((sent - 5000)) -v lost="$lost" -v doubled="$doubled" '
			$4 != $1 - $2 { print "messages are not received less duplicated: " $0 }
			$4 + $3 != 5000 { print "messages and lost are not 5000: " $0 }
			$3 > lost || $3 < lost - probes { print "lost " $3 ", on the link " lost }
			$2 > doubled || $2 < doubled - probes { print "duplicated " $2 ", on the link " doubled }
			END { if (NR != n) print NR " rows" }'
		[[ $2 != *loss* || $lost -gt 9 ]] || echo "only $lost lost"
		[[ $2 != *dup* || $doubled -gt 9 ]] || echo "only $doubled duplicated"
	)
	verdict "mcast: $n receivers over $2" "$ended"
}

# Ends with an error of the sender that has this text; every receiver ends, too.
breaks()	# name, text, status of the sender, options... ; 'during' runs while the sender does
{
	local name=$1 text=$2 status=$3 client rc i

	shift 3
	rm -f "$work/rows.csv"
	softhca timeout "$guard" "$build/vb_send_bw" -c UD --mcast $group "$@" --csv "$work/rows.csv" "${hosts[@]}" \
		>"$work/client" 2>"$work/client.err" &
	client=$!
	[[ -z ${during-} ]] || $during $client
	wait $client
	rc=$?
	ended=
	[[ $rc == "$status" ]] || ended+="sender exit $rc instead of $status: "
	grep -qF -- "$text" "$work/client" "$work/client.err" || ended+="no \"$text\" in: "
	[[ -z $ended ]] || ended+=$(<"$work/client.err")
	for i in "${!receivers[@]}"; do
		wait "${receivers[i]}"
		rc=$?
		[[ $rc != 124 ]] || ended+=" receiver $i did not end"
		[[ $rc != 0 ]] || ended+=" receiver $i ended well"
	done
	verdict "mcast: $name" "$ended"
}

# The processes from one to the youngest of its descendants, each the child of the one before.
chain()	# process
{
	local p=$1

	while [[ -n $p ]]; do
		echo "$p"
		p=$(pgrep -P "$p" | tail -n 1)
	done
}

# The process of verbench in a chain: the server, or the sender.
program_of()	# process
{
	local p
	for p in $(chain "$1"); do
		[[ $(ps -o comm= -p "$p") != v[be]* ]] || { echo "$p"; return; }
	done
}

session_of() { pgrep -P "$(program_of "$1")"; }

# Waits until the loop of a receiver runs: its session has a second thread. Prints the session.
await_loop()	# receiver, sender
{
	local session=

	until [[ -n $session && $(ps -o nlwp= -p "$session") -gt 1 ]] || ! kill -0 "$2"; do
		sleep 0.02
		session=$(session_of "$1")
	done 2>/dev/null
	echo "$session"
}

kill_receiver() { kill -9 "$(await_loop "${receivers[1]}" "$1")"; }
stop_receiver() { kill -INT "$(await_loop "${receivers[1]}" "$1")"; }
kill_sender() { await_loop "${receivers[1]}" "$1" >/dev/null && kill -9 "$(program_of "$1")"; }

broken()
{
	local during servers i

	receive 3
	during=kill_receiver breaks 'a receiver is killed' "127.0.0.1 port ${hosts[1]#*:}" 1 -D 60
	receive 3
	during=stop_receiver breaks 'a receiver is stopped: all are interrupted' 'interrupted on the server' 1 -D 60
	verdict 'mcast: a row for each receiver after the stop' "$(all_rows status interrupted 3)"
	receive 2
	during=kill_sender breaks 'the sender is killed' '' 137 -D 60
	receive 2
	hosts+=("${hosts[0]}")
	breaks 'a receiver is busy' "127.0.0.1 port ${hosts[0]#*:}" 1
	receive 2
	hosts+=(127.0.0.1:1)
	servers=("${receivers[@]}") receivers=()
	breaks 'a receiver is not there' '127.0.0.1 port 1' 1 --connect-timeout 1
	for i in "${servers[@]}"; do kill "$(program_of "$i")"; done
	wait "${servers[@]}"
	SOFTHCA_LINK=loss=100% receive 2
	SOFTHCA_LINK=loss=100% breaks 'no message reaches a receiver' \
		"receiver 127.0.0.1 port ${hosts[0]#*:} got no message of the group $group within 1000 ms" 1 \
		--stall-timeout 1
	receive 1
	servers=("${receivers[@]}" "${hosts[@]}")
	receive 1 -x 0
	receivers=("${servers[0]}" "${receivers[@]}") hosts=("${servers[1]}" "${hosts[@]}")
	breaks 'a receiver has no GID that reaches the sender' "receiver ${hosts[1]}: no GID pair fits" 2 -x 1
}

# One server with many receivers: the same host several times.
one_server()
{
	local server

	((++port))
	softhca timeout "$guard" "$build/verbench" serve -p "$port" >"$work/receiver0" 2>&1 &
	server=$!
	await_listener $server
	hosts=("127.0.0.1:$port" "127.0.0.1:$port" "127.0.0.1:$port") receivers=()
	group_run -n 2000 -r 4096
	[[ -n $ended ]] || ended+=$(
		all_rows received_messages 2000 3
		diff <(values "$work/rows.csv" receiver) <(printf '%s\n' "${hosts[0]}" "${hosts[1]}#2" "${hosts[2]}#3"))
	kill "$(program_of $server)"
	wait $server
	verdict 'mcast: three receivers of one server' "$ended"
}

# A stock program in the group receives what verbench sends. It joins some time after its start, and says nothing until
# it ends.
stock_member()
{
	local key end=$((SECONDS + 60))

	if ! command -v mckey >/dev/null; then
		echo 'ok mcast: stock mckey # SKIP there is no mckey'
		return
	fi
	softhca timeout "$guard" mckey -m $group -b 198.18.0.1 -C 100 -S 64 >"$work/key" 2>&1 &
	key=$!
	while kill -0 $key 2>/dev/null && ((SECONDS < end)); do
		receive 1
		group_run -s 64 --imm --mcast-join cm
		[[ -z $ended ]] || break
	done
	((SECONDS < end)) || kill "$(chain $key | tail -n 1)"
	wait $key
	verdict 'mcast: stock mckey receives what verbench sends' \
		"$ended$(grep -q '^data transfers complete' "$work/key" || cat "$work/key")"
}

# While another sender sends to the group, 20 messages per ms. Links keep both slow enough for the receives that are
# posted, and verbench long enough to get some of the others' messages.
two_senders()	# options...
{
	local other noisy

	receive 1
	noisy=("${receivers[@]}")
	SOFTHCA_LINK=bandwidth=10M softhca timeout "$guard" "$build/vb_send_bw" -c UD --mcast $group -D 100 -s 64 \
		"${hosts[@]}" >"$work/other" 2>&1 &
	other=$!
	await_loop "${receivers[0]}" $other >/dev/null
	export SOFTHCA_LINK=bandwidth=50M
	reached 2 -s 64 "$@"
	unset SOFTHCA_LINK
	verdict "mcast: another sender sends meanwhile, $*" "$(kill -0 $other 2>&1 || cat "$work/other")"
	kill -INT "$(program_of $other)"
	wait $other "${noisy[@]}"
}

part_mcast()
{
	local options

	for options in '' -e '--completion hybrid' --imm '--imm -e' '--post-api wr' '--poll-api extended' \
		'--verify -s 257' '--imm --verify -l 16 -s 1000'; do
		# shellcheck disable=SC2086
		reached 2 $options
	done
	for options in verbs cm; do reached 3 --mcast-join $options --imm -e; done
	reached 1 --imm
	reached 5 --imm -s 64
	group=ff0e::1:2:3
	reached 2 -x 0
	group=239.1.2.3
	lossy 2 loss=2%,bandwidth=10G
	lossy 3 duplicate=2%,bandwidth=10G
	lossy 5 loss=1%,duplicate=1%,reorder=1%,delay=20us,bandwidth=10G
	one_server
	stock_member
	two_senders
	two_senders --imm
	two_senders -e --poll-api extended
	broken
}
