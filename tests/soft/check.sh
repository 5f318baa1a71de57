# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# "verbench check" on the emulated HCA: everything works; a side whose device reports errors, a link that loses
# messages; devices, servers and rights that are not there.

# Runs a server and a check of it. Sets ended: what differs from the exit status.
check_pair()	# exit status, VARIABLE=VALUE of the server, of the client, options of the client...
{
	local want=$1 of_server=$2 of_client=$3 rc job process

	shift 3
	((++port))
	ended=
	rm -f "$work/check.json" "$work/check.audit"
	start server env "$of_server" "$build/verbench" serve -p "$port" --csv "$work/rows.csv" \
		--audit "$work/check.audit" --audit-format json
	softhca env "$of_client" timeout "$guard" "$build/verbench" check -p "$port" --json "$work/check.json" "$@" \
		127.0.0.1 >"$work/out" 2>"$work/err"
	rc=$?
	((rc == want)) || ended="exit $rc, not $want: $(tail -n 1 "$work/err") "
	kill -TERM "$process"
	wait "$job" || ended+="server exit $?: $(tail -n 1 "$work/server") "
	[[ ! -e $work/rows.csv ]] || ended+='the server wrote rows '
}

# The JSON document has this value; the filter is true.
check_has()	# filter of jq
{
	jq -e "$1" "$work/check.json" >"$work/jq" 2>&1 || ended+="not so: $1 ($(head -c 300 "$work/jq")) "
}

check_says()	# text of the table, its lines put together
{
	[[ $(tr -s ' \n' ' ' <"$work/out") == *"$1"* ]] || ended+="the table does not say: $1 "
}

check_all()
{
	check_pair 0 A=1 A=1
	check_has '.status == "ok" and .error == null and .counts.failed == 0 and .counts.not_tried == 0'
	# RC and XRC: 5 opcodes of both sizes, 2 atomics; UC 4, UD 2; one cell each way by rdma_cm
	check_has '.counts.ok == 2 * (5 * 8 + 2 * 4) + 4 * 8 + 2 * 8 + 2'
	check_has '[.rows[] | select(.status == "not_offered") | .transport + .cause] | unique == ["DCdevice"]'
	check_has '.run.client.limits.device == "softhca0" and .run.server.machine.cm_access != null'
	check_has '[.rows[] | select(.size == "large" and .transport == "UD") | .size_bytes] | unique == [4096]'
	check_has '[.warnings[].code] | contains(["software"])'
	check_says 'RC send ok ok ok ok ok ok ok ok'
	check_says 'RC by cm send ok ok'
	check_says 'DC: by the device: mlx5dv_is_supported() of libmlx5 says no to softhca0 of'
	check_has '[.rows[].reason // "" | select(contains("verbench check"))] == []'
	grep -q ': check$' "$work/server" || ended+="the server does not say that it was checked "
	(($(grep -vc "only this host" "$work/server") == 2)) ||
		ended+="the server prints more: $(tail -n 1 "$work/server") "
	awk 'length > 80 { exit 1 }' "$work/out" || ended+="a line has more than 80 columns "
	verdict 'check: all that is offered works' "$ended"
}

# The audit tells what it ran, as of other tests. A cell that is refused is its result.
check_audit()
{
	check_pair 0 A=1 A=1 --mtu 512
	jq -es 'length == 1 and (.[0] | .outcome == "measured" and .reason == "" and .test == "send_bw" and
		.transport == "RC" and .points > 60 and .messages > 16 * 60 and .bytes > 1e6 and
		.size_min_bytes == 8 and .size_max_bytes >= 65536)' "$work/check.audit" >/dev/null ||
		ended+="the audit: $(<"$work/check.audit") "
	verdict 'check: the audit tells what it ran' "$ended"
}

# What fails is named, with its side; what does not fail is ok.
check_faults()
{
	check_pair 1 SOFTHCA_LINK=loss=40%,seed=3 A=1
	check_has '.status == "failed"'
	check_has '[.rows[] | select(.status == "failed") | .requests_of] | unique == ["server"]'
	check_has '[.rows[] | select(.status == "failed") | .transport] | unique == ["UC", "UD"]'
	check_has '[.rows[] | select(.transport == "RC" and .status != "ok")] == []'
	check_says 'UD send ok ok ok ok FAILED'
	check_says 'of 16 messages were lost'
	verdict 'check: a link that loses messages in one direction' "$ended"

	check_pair 1 A=1 SOFTHCA_FAULTS=wc:REM_ACCESS_ERR@1
	check_has '[.rows[] | select(.transport == "RC" and .status == "failed")] | length > 0'
	check_says 'REM_ACCESS_ERR'
	check_says 'Failed RC'
	verdict 'check: a device that reports errors' "$ended"
}

check_refusals()
{
	check_pair 2 A=1 A=1 -d nosuch
	check_has '.status == "refused" and (.error | contains("nosuch")) and .run.server != null'
	(($(grep -c ': check$' "$work/server") == 1)) || ended+='the server says more than once that it was checked '
	verdict 'check: no such device on the client' "$ended"

	check_pair 2 A=1 A=1 --peer-device nosuch
	check_has '.status == "refused" and (.error | contains("nosuch")) and .run.client == null'
	verdict 'check: no such device on the server' "$ended"

	check_pair 0 A=1 A=1 --mtu 512
	check_has '.run.client.limits.active_mtu_bytes == 4096'
	check_has '[.rows[] | select(.size == "large" and .transport == "UD") | .size_bytes] | unique == [512]'
	verdict 'check: with an MTU of its own' "$ended"

	((++port))
	ended=
	rm -f "$work/check.json"
	softhca "$build/verbench" check -p "$port" --connect-timeout 300ms --json "$work/check.json" 127.0.0.1 \
		>"$work/out" 2>&1
	(($? == 1)) || ended='exit status '
	check_has '.status == "failed" and (.error | contains("127.0.0.1"))'
	verdict 'check: no server' "$ended"
}

check_local()
{
	local -a limited=()

	ended=
	softhca env SOFTHCA_DEVICES=2 "$build/verbench" check --json "$work/check.json" >"$work/out" 2>&1 ||
		ended="exit $?: $(tail -n 1 "$work/out") "
	check_has '.status == "ok" and (.run.devices | length) == 2 and .problems == []'
	check_has '.run.devices[1].transports == {"RC":true,"UC":true,"UD":true,"XRC":true,"DC":false}'
	check_says 'queue pairs: RC, UC, UD, XRC'
	verdict 'check: this machine' "$ended"

	if [[ ! -d /sys/class/infiniband ]]; then
		ended=
		softhca env SOFTHCA_DEVICES=0 "$build/verbench" check --json "$work/check.json" >"$work/out" 2>&1
		(($? == 1)) || ended="exit status, $(tail -n 1 "$work/out") "
		check_has '.status == "failed" and [.problems[].code] == ["no_device"]'
		check_says 'no RDMA device found: SOFTHCA_DEVICES is 0, or it cannot start'
		verdict 'check: this machine, no device' "$ended"
	fi

	ended=
	softhca "$build/verbench" check -d nosuch >"$work/out" 2>&1
	(($? == 2)) || ended="exit status, $(tail -n 1 "$work/out") "
	check_says 'no RDMA device is called nosuch; there are: softhca0'
	verdict 'check: this machine, no such device' "$ended"

	# the limit of a user; root has none
	ended=
	((EUID != 0)) || limited=(setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock)
	(ulimit -l 64 && softhca "${limited[@]}" "$build/verbench" check --json "$work/check.json") >"$work/out" 2>&1 ||
		ended="exit $?: $(tail -n 1 "$work/out") "
	check_has '.run.devices[0].machine.memlock_bytes == 65536'
	check_has '[.warnings[].code] | contains(["memlock"])'
	check_says 'ulimit -l unlimited'
	verdict 'check: this machine, little memory can be locked' "$ended"
}

# A device without RC, and one that RC needs rdma_cm on.
check_profiles()
{
	local profile

	profile=SOFTHCA_PROFILE=$(profile_file efa)
	check_pair 0 "$profile" "$profile"
	check_has '[.rows[] | select(.status == "ok") | .transport] | unique == ["UD"]'
	check_has '[.rows[] | select(.status == "not_offered") | .transport + .cause] | unique ==
		["DCdevice", "RCdevice", "UCdevice", "XRCdevice"]'
	check_has '.counts.ok == 16 and .counts.failed == 0'
	check_says 'unspecified, 100 Gbit/s'
	# the client asks for the facts over RC first, which this device refuses
	(($(grep -vc "only this host" "$work/server") == 2)) ||
		ended+="the server prints more: $(tail -n 1 "$work/server") "
	verdict 'check: a device with UD alone' "$ended"

	profile=SOFTHCA_PROFILE=$(profile_file mana)
	check_pair 0 "$profile" "$profile"
	check_has '.run.client.limits.max_msg_bytes == null'
	check_says 'longest message, bytes - - queue pairs'
	verdict 'check: a device that does not report its longest message' "$ended"

	profile=SOFTHCA_PROFILE=$(profile_file irdma-iwarp)
	check_pair 0 "$profile" "$profile"
	check_has '[.rows[] | select(.status == "ok") | .transport + .opcode + .requests_of] | unique ==
		["RCreadclient", "RCsendclient", "RCwriteclient"]'
	check_has '.counts.ok == 13 and .counts.failed == 0'
	check_has '[.rows[] | select(.requests_of == "server" and .opcode == "write") | .cause] | contains(["path"])'
	verdict 'check: iWARP' "$ended"

	ended=
	softhca env "$profile" "$build/verbench" check --json "$work/check.json" >"$work/out" 2>&1 ||
		ended="exit $?: $(tail -n 1 "$work/out") "
	check_has '.run.devices[0].transports == {"RC":true,"UC":false,"UD":false,"XRC":false,"DC":false}'
	check_says 'queue pairs: RC '
	verdict 'check: this machine, iWARP' "$ended"

	# what one port says does not reach the other
	check_pair 1 SOFTHCA_PROFILE="$(profile_file efa)" SOFTHCA_PROFILE="$(profile_file connectx-vport)"
	check_has '.status == "failed" and .error == null and .counts.ok == 0 and .counts.failed == 0'
	check_has '[.rows[] | select(.transport == "UD") | .cause] | unique == ["path"]'
	check_says '0 of 0 offered ways work'
	verdict 'check: two devices that cannot reach each other' "$ended"
}

# A way that the server refuses is an answer, and no error of it.
check_once()
{
	local job process why=''

	((++port))
	start server "$build/vb_send_bw" -p "$port"
	softhca timeout "$guard" "$build/verbench" check -p "$port" 127.0.0.1 >"$work/out" 2>"$work/err" ||
		why="exit $?: $(tail -n 1 "$work/err") "
	wait "$job" || why+="server exit $?: $(tail -n 1 "$work/server")"
	verdict 'check: the server of one client ends with 0' "$why"
}

part_check()
{
	check_all
	check_audit
	check_once
	check_profiles
	check_faults
	check_refusals
	check_local
}
