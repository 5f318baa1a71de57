# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Programs that nobody wrote for the emulated HCA, as Debian has them, run on it without a change: UCX, libfabric,
# qperf, fio, the examples of rdma-core. pingpongs and perftest are in the part 'stock', the programs of librdmacm in
# 'cm'. And what programs do beside verbs: soft_late, soft_process.

# Prints 'not installed' cases for the commands that are missing.
prog_has()	# name of the cases, command...
{
	local name=$1 command

	shift
	for command; do
		command -v "$command" >/dev/null && continue
		echo "ok programs: $name # SKIP $command is not installed"
		return 1
	done
}

# Ends what 'start' started by a signal.
prog_stop()
{
	kill "$process" 2>/dev/null
	wait "$job"
}

# Runs server and client on the emulated HCA; PORT in the words of a command is the port. Sets ended: what failed, or
# nothing. "$work/NAME.client" has what the client printed.
prog_both()	# name of its output, server, client
{
	local name=$1 rc job process

	ended=
	# shellcheck disable=SC2086 # options are words
	start "$name.server" ${2//PORT/$port}
	await_listener "$process"
	# shellcheck disable=SC2086
	softhca timeout -k 5 "$guard" ${3//PORT/$port} >"$work/$name.client" 2>&1
	rc=$?
	((rc == 0)) || {
		ended+="client exit $rc: $(tail -n 2 "$work/$name.client") "
		kill "$process" 2>/dev/null # it may wait for another client
	}
	wait "$job"
	rc=$?
	((rc == 0)) || ended+="server exit $rc: $(tail -n 2 "$work/$name.server")"
}

# ---- UCX

ucx_info_devices()
{
	local t wrong=

	softhca timeout "$guard" ucx_info -d >"$work/ucx" 2>&1 || wrong="exit $?: $(tail -n 2 "$work/ucx")"
	for t in rc_verbs ud_verbs; do
		[[ $(grep -A1 "Transport: $t" "$work/ucx") == *'Device: softhca0:1'* ]] || wrong+=" no $t"
	done
	verdict 'programs: ucx_info -d' "$wrong"
}

# The last line of ucx_perftest has as many iterations as it was asked for.
ucx_perftest_of()	# options of client and server...
{
	((++port))
	prog_both ucx "ucx_perftest -p PORT" "ucx_perftest -p PORT $* -n 500 -w 5 127.0.0.1"
	grep -qE '^Final: +500 ' "$work/ucx.client" || ended+="no result: $(tail -n 2 "$work/ucx.client")"
	verdict "programs: ucx_perftest $*${UCX_TLS:+ over $UCX_TLS}" "$ended"
}

programs_ucx()
{
	local t UCX_NET_DEVICES=softhca0:1 UCX_TLS=

	prog_has UCX ucx_info ucx_perftest ss || return 0
	ucx_info_devices
	export UCX_NET_DEVICES UCX_TLS
	for UCX_TLS in rc_v,self ud_v,self; do
		for t in tag_lat tag_bw ucp_put_bw ucp_get ucp_fadd stream_bw ucp_am_lat; do
			ucx_perftest_of -t "$t"
		done
		ucx_perftest_of -t tag_bw -s 300000
	done
	unset UCX_TLS
	for t in 'rc_verbs -t am_lat' 'rc_verbs -t put_lat' 'rc_verbs -t get -D zcopy -s 8192' 'ud_verbs -t am_bw'; do
		ucx_perftest_of -d softhca0:1 -x "$t"
	done
	UCX_TLS=rc_v,self ucx_by_address
}

# Connected by librdmacm.
ucx_by_address()
{
	local wrong='' job process

	((++port))
	start io.server io_demo -p "$port"
	UCX_SOCKADDR_TLS_PRIORITY=rdmacm softhca timeout "$guard" io_demo -p "$port" -i 20 -c 20 -y 0.2 -q 127.0.0.1 \
		>"$work/io.client" 2>&1 || wrong="exit $?: "
	grep -q "Client exit with status 'OK'" "$work/io.client" || wrong+=$(tail -n 2 "$work/io.client")
	prog_stop
	verdict 'programs: io_demo' "$wrong"
}

# ---- libfabric

fi_pingpong_of()	# domain, options...
{
	local domain=$1

	shift
	((++port))
	prog_both pingpong "fi_pingpong -B PORT -d $domain $*" "fi_pingpong -P PORT -d $domain $* 127.0.0.1"
	verdict "programs: fi_pingpong -d $domain $*" "$ended"
}

programs_libfabric()
{
	local out

	prog_has libfabric fi_info fi_pingpong ss || return 0
	out=$(softhca timeout "$guard" fi_info -p verbs 2>&1)
	verdict 'programs: fi_info -p verbs' "$(
		[[ $out == *'domain: softhca0'*'FI_EP_MSG'*'FI_EP_DGRAM'* ]] || echo "it says: $out")"
	# its server asks for the address of this name, and without one it fails or does not end
	if [[ -z $(getent hosts localhost) ]]; then
		echo 'ok programs: fi_pingpong # SKIP nothing resolves localhost'
		return
	fi
	fi_pingpong_of softhca0 -p verbs -e msg -I 20 -c
	# not over ofi_rxm: it destroys the QP when the peer has closed, before it polls, and then waits for ever for
	# what it has dropped (docs/softhca.md)
	fi_pingpong_of softhca0-dgram -p verbs -e dgram -I 20 -S 1024
	fi_pingpong_of softhca0-dgram -p 'verbs;ofi_rxd' -e rdm -I 20 -S 8192
}

# ---- qperf

# Each test takes a second, so several run at the same time, each with a server of its own.
qperf_of()	# port, test...
{
	local at=$1 t out job process

	shift
	start "qperf.server.$at" qperf -lp "$at"
	for t; do
		out=$(softhca timeout -k 5 "$guard" qperf -lp "$at" -ws 10 -t 1 127.0.0.1 "$t" 2>&1)
		verdict "programs: qperf $t" "$(
			[[ $out == *' = '*[1-9]* && $out != *ailed* ]] || echo "it says: $out")"
	done
	prog_stop
}

programs_qperf()
{
	local i profile lanes=()
	local tests=(rc_bi_bw rc_bw rc_lat uc_bi_bw uc_bw uc_lat ud_bi_bw ud_bw ud_lat rc_rdma_read_bw
		rc_rdma_read_lat rc_rdma_write_bw rc_rdma_write_lat rc_rdma_write_poll_lat uc_rdma_write_bw
		uc_rdma_write_lat uc_rdma_write_poll_lat rc_compare_swap_mr rc_fetch_add_mr
		ver_rc_compare_swap ver_rc_fetch_add)

	prog_has qperf qperf || return 0
	for ((i = 0; i < 7; i++)); do
		((++port)) # not in the process that runs in the background
		# its address handles have no GID
		profile=
		[[ ${tests[i * 3]} != ud_* ]] || profile=$(profile_file connectx-ib)
		SOFTHCA_PROFILE=$profile qperf_of "$port" "${tests[@]:i * 3:3}" >"$work/qperf.$i" &
		lanes+=("$!")
	done
	wait "${lanes[@]}"
	cat "$work"/qperf.[0-9]
}

# ---- fio

# It listens by librdmacm. A server that is ahead of its client by too little fails it, so there are few messages.
fio_of()	# verb
{
	local common='--ioengine=rdma --bs=64k --size=1m --name=x' rc job process

	((++port))
	ended=
	# shellcheck disable=SC2086 # options are words
	start fio.server fio $common --port="$port" --rw=read --iodepth=16
	await_port "$process" "$port"
	# shellcheck disable=SC2086
	softhca timeout -k 5 "$guard" fio $common --hostname=127.0.0.1 --port="$port" --verb="$1" --rw=write \
		--iodepth=1 --iodepth_batch_complete=1 >"$work/fio.client" 2>&1
	rc=$?
	((rc == 0)) && grep -q 'err= 0' "$work/fio.client" || ended="client exit $rc: $(grep fio: "$work/fio.client")"
	[[ -z $ended ]] || kill "$process" 2>/dev/null
	wait "$job"
	rc=$?
	((rc == 0)) || ended+=" server exit $rc: $(grep fio: "$work/fio.server")"
	verdict "programs: fio, RDMA $1" "$ended"
}

programs_fio()
{
	prog_has fio fio || return 0
	# Debian's has the engine
	if [[ $(fio --enghelp 2>/dev/null) != *rdma* ]]; then
		echo 'ok programs: fio # SKIP this fio has no engine rdma'
		return
	fi
	fio_of write
	fio_of read
}

# ---- rdma-core

programs_examples()
{
	local out job process

	prog_has 'examples of rdma-core' ibv_devices ibv_devinfo ibv_asyncwatch || return 0
	out=$(SOFTHCA_DEVICES=3 softhca timeout "$guard" ibv_devices 2>&1)
	verdict 'programs: ibv_devices' "$([[ $out == *softhca0*softhca1*softhca2* ]] || echo "it says: $out")"
	out=$(SOFTHCA_PORTS=2 softhca timeout "$guard" ibv_devinfo -v 2>&1)
	verdict 'programs: ibv_devinfo -v' "$(
		[[ $out == *'port:'*'GID['*'RoCE v2'*'port:'*'GID['*'RoCE v2'* ]] || echo "it says: $out")"
	# it does not end by itself
	SOFTHCA_FAULTS=async:PORT_ERR@200ms start watch stdbuf -oL ibv_asyncwatch
	await "$process" grep -q 'event_type' "$work/watch"
	prog_stop
	out=$(<"$work/watch")
	verdict 'programs: ibv_asyncwatch' "$([[ $out == *'PORT_ERR (10), port 1'* ]] || echo "it says: $out")"
}

# Each function has the version that it has in libibverbs and libmlx5, as far as those of this machine have it.
programs_versions()
{
	local file wrong=

	nm -D --defined-only --with-symbol-versions "$SOFTHCA_LIB" | awk '{ print $NF }' | grep -E 'ibv_|mlx5dv_' |
		sed 's/@@*/ /' | sort >"$work/versions.own"
	for file in libibverbs.so.1 libmlx5.so.1; do
		ldconfig -p | awk -v file="$file" '$1 == file { print $NF; exit }' |
			xargs -r nm -D --defined-only --with-symbol-versions
	done | awk '$NF ~ /@@/ { print $NF }' | sed 's/@@/ /' | sort >"$work/versions.there"
	wrong=$(join "$work/versions.own" "$work/versions.there" | awk 'NF == 3 && $2 != $3')
	verdict 'programs: versions of the functions' "$wrong"
	verdict 'programs: there are functions to compare' "$(
		grep -q 'ibv_open_device IBVERBS_1.1' "$work/versions.there" || head -n 3 "$work/versions.there")"
}

part_programs()
{
	in_c late "$guard"
	in_c process "$guard"
	programs_versions
	programs_examples
	programs_ucx
	programs_libfabric
	programs_qperf
	programs_fio
}
