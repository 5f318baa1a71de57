# shellcheck shell=bash disable=SC2034,SC2154,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# The drop-in programs ib_send_bw, ...: beside perftest's own of Debian they print the same lines but for numbers, on
# both sides; their JSON is valid and has perftest's keys; their exit statuses are those that scripts rely on; what they
# do not do is refused. And perftest on the other side is told.

# A side's output without what differs from run to run, and without what 4.5 and 6.29 print differently. What remains of
# a row is its size, its iterations and the number of its figures; a deviation of 4.5 can be -nan. A receiver that came
# too late for its messages says that it has no rate.
lines()	# file
{
	grep -v -e 'WARNING: BW peak' -e 'CQE Poll Batch' -e 'PCIe relax order' -e 'ibv_wr\* API' -e 'Max inline data' \
		-e 'Outstand reads' -e 'Max msg size in UD' -e 'Changing to this MTU' -e 'no rate: ' "$1" |
		sed -E -e 's/\b(RKey|VAddr) (0x)?[0-9a-f]+|0x[0-9a-f]+/N/g' -e 's/\bMiB\b/MB/g' \
			-e 's/[0-9]+\.[0-9]{2,6}\b|-?\bnan\b/F/g' -e 's/[[:blank:]]+/ /g' -e 's/ $//'
}

# The count of a test that runs for a time differs, too.
uncounted()
{
	sed -E 's/^ ([0-9]+) [0-9]+ (F.*)/ \1 N \2/'
}

# The same command line for perftest and for the drop-in program.
as_stock()	# program, options...
{
	local program=$1 side wrong=

	shift
	client=()
	both "$guard" "$program" "$@"
	[[ -z $ended ]] || wrong+="perftest: $ended"
	for side in client server; do lines "$work/$side" >"$work/stock.$side"; done
	both "$guard" "$build/perftest/$program" "$@"
	wrong+=$ended
	for side in client server; do
		lines "$work/$side" >"$work/own.$side"
		if [[ " $* " == *' -D '* ]]; then
			wrong+=$(diff <(uncounted <"$work/stock.$side") <(uncounted <"$work/own.$side"))
		else
			wrong+=$(diff "$work/stock.$side" "$work/own.$side")
		fi
	done
	verdict "perftest: same lines: $program $*" "$wrong"
}

same_lines()
{
	local op

	for op in send write read atomic; do
		as_stock "ib_${op}_bw" -n 200
		as_stock "ib_${op}_bw" -n 200 -b -q 2 --report_gbits
		as_stock "ib_${op}_lat" -n 100
		as_stock "ib_${op}_bw" -D 1
	done
	as_stock ib_write_lat -D 1
	as_stock ib_read_lat -D 1
	as_stock ib_write_bw -a -n 50
	as_stock ib_read_bw -s 8192 -n 50 -b
	as_stock ib_send_bw -a -n 100 -c UD
	as_stock ib_read_lat -a -n 20
	as_stock ib_send_bw -n 200 -e
	as_stock ib_read_lat -n 100 -e
	as_stock ib_send_bw -n 200 -c UC -e
	as_stock ib_write_bw -n 200 -c UC -s 1024
	as_stock ib_send_lat -n 100 -c UD
	as_stock ib_send_bw -n 200 -l 8 -s 64
	as_stock ib_send_bw -n 200 -r 64 -t 32 -Q 8 -s 1024
	as_stock ib_send_bw -n 200 -b --report-both
	as_stock ib_atomic_bw -n 200 -A CMP_AND_SWAP
	as_stock ib_write_bw -n 200 -x 1 -m 1024 -F -N
	as_stock ib_write_bw -n 200 --output=bandwidth
	as_stock ib_write_bw -n 200 --output=message_rate
	as_stock ib_read_lat -n 100 --output=latency
}

# How public wrappers read the output: regular expressions and commands of SuperBench
# (ib_validation_performance.cc), Oracle's oci-hpc (ib_write_bw.sh, ib_write_lat.sh) and Azure's health checks.
scripts_read()
{
	local bw='^\s*[0-9]+\s+[0-9]+\s+[0-9]+\.[0-9]+\s+[0-9]+\.[0-9]+\s+[0-9]+\.[0-9]+$' wrong=

	client=()
	both "$guard" "$build/perftest/ib_write_bw" -F -q 2 -n 5000 --report_gbits
	grep -Pq "$bw" "$work/client" || wrong+='no row for SuperBench '
	grep '65536      10000' "$work/client" | awk '{ exit !($3 > 0) }' || wrong+='no peak for oci-hpc '
	[[ $(awk '/65536/ { print $4; exit }' "$work/client") == *.* ]] || wrong+='no average for Azure '
	verdict 'perftest: scripts read the bandwidth' "$ended$wrong"
	both "$guard" "$build/perftest/ib_write_lat" -s 8 -n 10000
	wrong=
	[[ $(grep '^ 8[[:space:]]\+10000' "$work/client" | awk '{ print $6 }') == *.* ]] ||
		wrong+='no latency for oci-hpc '
	grep -Pq '^\s*[0-9]+\s+[0-9]+(\s+[0-9]+\.[0-9]+){7}\s*$' "$work/client" || wrong+='no row for SuperBench'
	verdict 'perftest: scripts read the latency' "$ended$wrong"
}

json_has()	# program, keys of the results, options...
{
	local file=$work/json program=$1 keys=$2 wrong info

	shift 2
	rm -f "$file"
	client=(--out_json --out_json_file="$file")
	both "$guard" "$build/perftest/$program" "$@"
	info=test,Dual_port,Device,Number_of_qps,Transport_type,Connection_type,Using_SRQ,PCIe_relax_order,ibv_wr_API
	info+=,TX_depth
	[[ $program == *_lat ]] || info+=,CQ_Moderation
	info+=,Mtu,Link_type,GID_index
	case $program in
	ib_read* | ib_atomic*) info+=,Outstand_reads ;;
	*) info+=,Max_inline_data ;;
	esac
	info+=,rdma_cm_QPs,Use_ROCm_memory,Use_MUSA_memory,Data_ex_method
	wrong=$(jq -r '(.test_info, .results) | keys_unsorted | join(",")' "$file" 2>&1 |
		diff <(printf '%s\n' "$info" "$keys") -)
	# NVIDIA's ngc_multinode_perf reads lines: one key each
	wrong+=$(awk -F'[:,]' -v key="\"${keys##*,}\"" '$1 == key { n++; if ($2 + 0 <= 0) print key " is " $2 }
		END { if (n != 1) print n " lines of " key }' "$file")
	verdict "perftest: JSON: $program $*" "$ended$wrong"
}

json()
{
	json_has ib_write_bw MsgSize,n_iterations,BW_peak,BW_average,MsgRate -n 200
	json_has ib_atomic_bw MsgSize,n_iterations,BW_peak,BW_average,MsgRate -n 200
	json_has ib_send_bw bw_avg -n 200 --output=bandwidth
	json_has ib_read_lat \
		MsgSize,n_iterations,t_min,t_max,t_typical,t_avg,t_stdev,percentile_99,percentile_99.9 -n 200
	json_has ib_send_lat MsgSize,n_iterations,t_avg,tps_average -D 1
	json_has ib_write_bw MsgSize,n_iterations,BW_peak,BW_average,MsgRate,CPU_util -D 1 --cpu_util
}

# One side alone.
ends()	# status, expected text, program, options...
{
	local status=$1 text=$2 rc out

	shift 2
	out=$(softhca timeout 20 "$build/perftest/$1" "${@:2}" 2>&1)
	rc=$?
	verdict "perftest: exit $status: $*" "$(
		((rc == status)) || echo "exit $rc"
		[[ $out == *"$text"* ]] || echo "printed: $out"
	)"
}

# Both sides; they end with status 1, and one of them prints the text.
dropin_fails()	# text, options of the server, options of the client, program of the server, of the client
{
	local wrong=

	((++port))
	softhca timeout "$guard" "$build/perftest/$4" -p "$port" $2 >"$work/server" 2>&1 &
	softhca timeout "$guard" "$build/perftest/$5" -p "$port" $3 127.0.0.1 >"$work/client" 2>&1
	[[ $? == 1 ]] || wrong+='the client did not end with 1 '
	wait $!
	[[ $? == 1 || $1 == *limit ]] || wrong+='the server did not end with 1 '
	grep -qF -- "$1" "$work/client" || wrong+="the client printed: $(tail -n 2 "$work/client")"
	verdict "perftest: $4 $2, $5 $3: $1" "$wrong"
}

statuses()
{
	ends 1 'Usage:' ib_send_bw --help
	ends 1 'Version: ' ib_send_bw --version
	ends 1 'not a whole number' ib_write_bw -s 64k host
	ends 1 '--run_inf' ib_write_bw --run_inf=5 host
	ends 1 'samples are not kept' ib_send_lat -H host
	ends 1 '--reversed: ' ib_send_bw --reversed host
	ends 1 '--rate_limit: ' ib_write_bw --rate_limit=5 host
	ends 1 'needs a value' ib_write_bw host -t
	ends 1 'duplicated argument' ib_write_bw -n 10 -n 20 host
	ends 1 'unrecognized option' ib_write_bw --nothing host
	ends 1 'not in ib_write_lat' ib_write_lat -b host
	ends 1 'not in ib_write_bw' ib_write_bw -e host
	ends 1 'allowed: RC' ib_write_bw -c SRD host
	dropin_fails 'BW result is below bw limit' '' '-n 200 -w 100000000' ib_write_bw ib_write_bw
	dropin_fails 'Msg rate  is below msg_rate limit' '' '-n 200 -y 100000000' ib_write_bw ib_write_bw
	dropin_fails '-s: server 1k, client 2k' '-s 1024' '-s 2048' ib_send_bw ib_send_bw
	dropin_fails 'server yes, client no' -b '-n 20' ib_send_bw ib_send_bw
	dropin_fails 'server send_bw, client write_bw' '-n 20' '-n 20' ib_send_bw ib_write_bw
	client=(-w 0.001 -y 0.000001 -t 16)
	both "$guard" "$build/perftest/ib_write_bw" -n 200
	verdict 'perftest: limits that are reached, and depths that differ' "$ended"
}

# perftest on the other side: both sides end soon, and ours says what it is.
foreign()	# our program
{
	local wrong=

	((++port))
	softhca timeout "$guard" ib_write_bw -p "$port" >"$work/server" 2>&1 &
	await_listener $!
	softhca timeout "$guard" "$1" -p "$port" 127.0.0.1 >"$work/client" 2>&1
	[[ $? == 1 ]] || wrong+='the client did not end with 1 '
	wait $!
	grep -q 'is perftest [0-9.]*, not verbench' "$work/client" || wrong+=$(cat "$work/client")
	verdict "perftest: ${1##*/}: the server is perftest" "$wrong"
	wrong=
	((++port))
	softhca timeout "$guard" "$1" -p "$port" >"$work/server" 2>&1 &
	await_listener $!
	softhca timeout "$guard" ib_write_bw -p "$port" 127.0.0.1 >"$work/client" 2>&1
	wait $!
	[[ $? == 1 ]] || wrong+='the server did not end with 1 '
	grep -q 'is perftest [0-9.]*, not verbench' "$work/server" || wrong+=$(cat "$work/server")
	verdict "perftest: ${1##*/}: the client is perftest" "$wrong"
}

# A line for every -D seconds of one run, until the user ends it.
infinitely()
{
	local server pid rc said=''
	local -a command=("$here/../../src/softhca/softhca" timeout -k 5 "$guard" "$build/perftest/ib_send_bw"
		--run_infinitely -D 1)

	((++port))
	: >"$work/client"
	"${command[@]}" -p "$port" >"$work/server" 2>&1 &
	server=$!
	await_listener "$server"
	"${command[@]}" -p "$port" 127.0.0.1 >"$work/client" 2>&1 &
	pid=$!
	until (($(grep -c '^ 65536 ' "$work/client") >= 2)) || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
	kill -INT "$pid" || said='it ended by itself; '
	wait "$pid"
	rc=$?
	((rc == 0)) || said+="client exit $rc: $(tail -n 2 "$work/client") "
	wait "$server"
	rc=$?
	((rc == 0)) || said+="server exit $rc: $(tail -n 2 "$work/server")"
	verdict 'perftest: --run_infinitely prints a line every -D seconds' "$said$(
		diff <(grep -c '^ 65536 ' "$work/client") <(grep -c '^ 65536 ' "$work/server"))"
}

part_perftest()
{
	local listening=1

	verdict 'perftest: the folder of the programs' \
		"$([[ $("$build/verbench" perftest-path) == "$build/perftest" ]] ||
			"$build/verbench" perftest-path 2>&1)"
	scripts_read
	json
	statuses
	if ! installed ib_send_bw ss; then
		echo 'ok perftest beside the drop-in programs # SKIP perftest or ss is not installed'
		return
	fi
	same_lines
	infinitely
	foreign "$build/vb_write_bw"
	foreign "$build/perftest/ib_write_bw"
}
