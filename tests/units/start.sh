# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# How the service starts, who may ask it, what it may do, what it writes. Sourced by guest.sh. A case sets why if
# something is wrong.

# systemd has nothing to say about the units; exposure is 2.0 of 10 at most.
case_verify()
{
	local said

	said=$(systemd-analyze --man=no verify "$service" "$socket" 2>&1) || why+="verify fails "
	why+=$said
	said=$(systemd-analyze security --no-pager --threshold=20 "$service" 2>&1) || why+="exposed: "
	echo "# $(grep -o 'Overall.*' <<<"$said")"
	[[ -z $why ]] || why+=$(grep -o 'Overall.*' <<<"$said")
}

# The manager knows when it is ready; without options nobody but this host is served, and it says so.
case_ready()
{
	local got

	start || why+="it does not start: $(<"$out.start") "
	is ActiveState active && is Type notify || why+="it is $(state ActiveState) "
	got=$(log)
	[[ $got == *'client on port 18515 of this host; others need --allow'*$'\n''Started verbench.service'* ]] ||
		why+="the order of the log, or nothing is said "
	got=$(ss -Hltn 'sport = :18515' | awk '{ print $4 }' | sort | paste -sd ' ')
	[[ $got == '127.0.0.1:18515 [::1]:18515' ]] || why+="it listens on $got "
	measure vb_write_bw -n 10 --connect-timeout 1s "$addr" && why+="$addr is served "
	serves vb_write_bw -n 10 -d rxe0 127.0.0.1
}

# A user that exists only for it, without capabilities; of the devices it may open those of RDMA.
case_rights()
{
	local got pid

	options --allow "$addr"
	start
	pid=$(state MainPID)
	got=$(awk '/^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):/ { print $2 }' "/proc/$pid/status" | paste -sd ' ')
	[[ $got =~ ^6[0-9]{4}\ 0+\ 0+\ 1\ 2$ ]] || why+="uid, capabilities, no_new_privs, seccomp: $got "
	[[ $(awk '/^Max locked memory/ { print $4 }' "/proc/$pid/limits") == unlimited ]] || why+="memory is limited "
	# a shell among its processes has its devices
	got=$(bash -c 'echo $$ >"$1/cgroup.procs"
		for d in /dev/infiniband/uverbs0 /dev/infiniband/rdma_cm /dev/null /dev/kmsg /dev/ttyS0; do
			true 2>/dev/null <"$d" && echo "$d"
		done' bash "$cgroup" | paste -sd ' ')
	[[ $got == '/dev/infiniband/uverbs0 /dev/infiniband/rdma_cm /dev/null' ]] || why+="it may open $got "
	[[ $(stat -c '%a %u' /run/verbench) == "700 $(stat -c %u "/proc/$pid")" ]] || why+="/run/verbench "
}

# Verbs, rdma_cm and memory in the sandbox of systemd and of the session.
case_verbs()
{
	local command

	options --allow "$addr" --sandbox on
	start || why+="it does not start: $(<"$out.start") "
	for command in 'vb_write_bw -n 50' 'vb_send_bw -R -n 20 --srq' 'vb_read_lat -n 20 -e' \
		'vb_send_bw -c UD -s 1k -n 50' 'vb_atomic_lat -n 20' 'vb_send_lat -n 20 --completion hybrid' \
		'vb_write_bw -n 2 -s 8M -q 2' 'vb_send_bw -n 20 --threads 2 --pin auto --peer-pin auto' \
		'verbench setup -n 2 --only qp'; do
		# shellcheck disable=SC2086 # words of options
		serves $command "$addr"
	done
	logged 'outcome="measured"' || why+="no audit "
	! logged 'no sandbox' || why+="a session is in no sandbox "
}

# A unit that forbids seccomp(2) is told at the start, not to each client.
case_no_seccomp()
{
	options --allow "$addr"
	drop_in SystemCallFilter= SystemCallFilter=@system-service
	start
	logged 'sessions are in no sandbox: .*SystemCallFilter=seccomp' || why+="nothing is said "
	serves vb_write_bw -n 10 "$addr"
}

# The modules of the devices come after the service.
case_modules()
{
	local module

	options --allow "$addr"
	rdma link del rxe0
	for module in rdma_rxe rdma_ucm rdma_cm iw_cm ib_cm ib_uverbs; do
		rmmod "$module" || why+="$module stays "
	done
	start --no-block
	await is ActiveState activating || why+="it is $(state ActiveState) "
	modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0
	await grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state || why+="rxe0 is not active "
	await grep -qi ffff:0a4d:0001 /sys/class/infiniband/rxe0/ports/1/gids/1 || why+="rxe0 has no GID "
	await is ActiveState active || why+="it does not see the device: $(state ActiveState) "
	is NRestarts 0 || why+="it did not wait: $(state NRestarts) starts "
	serves vb_write_bw -n 10 "$addr"
	serves vb_write_bw -R -n 10 "$addr"
}

# Without a device the unit goes on to try, more often than systemd allows at once; the journal has the reason.
case_no_device()
{
	echo 'SERVE_DEFAULTS=--quiet --audit journal --wait-device 2s' >"$defaults"
	rdma link del rxe0
	start --no-block
	await was_restarted 6 || why+="it gives up: $(state ActiveState), $(state NRestarts) starts "
	logged 'no RDMA device found' || why+="nothing is said "
	rdma link add rxe0 type rxe netdev eth0
	await is ActiveState active || why+="it does not see the device: $(state ActiveState) "
	serves vb_write_bw -n 10 127.0.0.1
}

# A line for each session, as an entry with fields.
case_audit()
{
	local got

	options --allow "$addr"
	start
	serves vb_write_bw -n 10 -s 4k "$addr"
	measure vb_write_bw -n 10 --peer-device nosuch "$addr"
	echo "SERVE_DEFAULTS=--quiet --audit journal --audit-format json" >>"$defaults"
	systemctl restart "$service"
	serves vb_send_lat -n 10 "$addr"
	journalctl --sync
	got=$(journalctl -q --no-pager --since="@$begun" -t verbench VERBENCH_AUDIT=1 -o json |
		jq -r '[._SYSTEMD_UNIT, .PRIORITY, .MESSAGE] | join(" ")')
	(($(wc -l <<<"$got") == 3)) || why+="$(wc -l <<<"$got") entries "
	for word in test=\"write_bw\" bytes=40960 outcome=\"measured\" address=\""$addr"\" auth=\"allow\"; do
		[[ $(sed -n 1p <<<"$got") == "$service 6 time="*" $word"* ]] || why+="no $word in $got "
	done
	[[ $(sed -n 2p <<<"$got") == *'outcome="refused"'*nosuch* ]] || why+="no refusal in $got "
	[[ $(sed -n 3p <<<"$got" | cut -d ' ' -f 3- | jq -r '.test + " " + .outcome') == 'send_lat measured' ]] ||
		why+="no JSON in $got"
}

# Wrong options are not tried again and again.
case_wrong_options()
{
	options --allow nowhere
	start && why+="it starts "
	is Result exit-code && is ExecMainStatus 2 && is ActiveState failed ||
		why+="$(state Result) $(state ExecMainStatus) $(state ActiveState) "
	is NRestarts 0 || why+="it was started again $(state NRestarts) times "
	logged "nowhere" || why+="nothing is said "
}

# A key of root goes to the service when it starts; without the file the error message says so.
case_key()
{
	local key=/etc/verbench/key

	options --key "/run/credentials/$service/key"
	start && why+="it starts without a key "
	logged 'a key has 64' || why+="no key: nothing is said "
	verbench key "$key"
	[[ $(stat -c '%a %U' "$key") == '600 root' ]] || why+="the file: $(stat -c '%a %U' "$key") "
	start || why+="it does not start: $(<"$out.start") "
	serves vb_write_bw -n 10 --key "$key" "$addr"
	measure vb_write_bw -n 10 "$addr" && why+="who has no key is served "
	grep -q 'requires a key' "$out" || why+="without a key: $(tail -n 1 "$out") "
	su alice -c "cat /run/credentials/$service/key" >/dev/null 2>&1 && why+="others can read the key "
}
