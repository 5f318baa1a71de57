#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Runs in the guest of scripts/units, as root beside systemd: installs verbench and its units, and runs the named cases.

# shellcheck disable=SC2034 # used by the cases
set -u -o pipefail

here=$(dirname "${BASH_SOURCE[0]}")
service=verbench.service
socket=verbench.socket
defaults=/etc/default/verbench
dropins=/etc/systemd/system/$service.d
cgroup=/sys/fs/cgroup/system.slice/$service
addr=$VB_LAB_ADDR	# of this guest; rxe0 is behind it
passed=0 failed=0
begun=			# when the case began; the first entry after a cursor can be lost
out=/run/case		# of a command
patience=120		# seconds; a busy machine is slow

verdict()	# case, what is wrong
{
	if [[ -z $2 ]]; then
		echo "ok $1"
		((++passed))
	else
		echo "not ok $1: ${2//$'\n'/ | }"
		log | tail -n 12 | sed 's/^/  journal: /'
		((++failed))
	fi
}

await()	# command that succeeds at last
{
	local end=$((SECONDS + patience))

	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.2
	done
}

# What the units have said since the case began.
log()
{
	journalctl --sync
	journalctl -q --no-pager -o cat -u "$service" -u "$socket" --since="@$begun"
}

logged() { log | grep -q -- "$1"; }	# pattern
state() { systemctl show -P "$1" "$service"; }	# property
is() { [[ $(state "$1") == "$2" ]]; }	# property, value

options()	# options of the server
{
	echo "SERVE_OPTIONS=$*" >"$defaults"
}

# Lines of a section [Service] beside those of the unit.
drop_in()	# line...
{
	mkdir -p "$dropins"
	printf '%s\n' '[Service]' "$@" >"$dropins/case.conf"
	systemctl daemon-reload
}

reload() { systemctl reload "$service" >"$out.start" 2>&1 || why+="it cannot be reloaded: $(<"$out.start") "; }
start() { systemctl start "$@" "$service" >"$out.start" 2>&1; }	# options of systemctl
was_restarted() { (($(state NRestarts) >= $1)); }	# times

# A command that measures; its output is in $out.
measure()	# command, options...
{
	timeout "$patience" "$@" >"$out" 2>&1
}

# Sets why unless a session is measured.
serves()	# command, options...
{
	measure "$@" || why+="$*: $(tail -n 1 "$out") "
}

has_session() { verbench serve --status 2>/dev/null | grep -q '^  session .* 1 plans'; }

# Starts a session in the background. Sets client; the session runs.
session()	# seconds
{
	vb_write_bw -s 64 -D "$1" "$addr" >"$out.session" 2>&1 &
	client=$!
	await has_session || why+="no session begins: $(tail -n 1 "$out.session") "
}

is_gone() { [[ ! -e $cgroup/cgroup.procs || -z $(<"$cgroup/cgroup.procs") ]]; }

# As after the installation.
reset()
{
	systemctl stop "$socket" "$service" 2>/dev/null
	systemctl reset-failed "$socket" "$service" 2>/dev/null
	rm -rf "$dropins" "$defaults" /etc/verbench
	mkdir /etc/verbench
	systemctl daemon-reload
	begun=$EPOCHREALTIME
}

main()
{
	local name why client=

	cp -a "$VB_LAB_OUT/install/." / && systemctl daemon-reload || exit 2
	useradd -m alice && useradd -m bob || exit 2
	# shellcheck source=/dev/null
	for name in "$here"/*.sh; do [[ $name == */guest.sh ]] || . "$name"; done
	for name in "$@"; do
		reset
		why=
		"case_$name"
		verdict "$name" "$why"
	done
	echo "$passed passed, $failed failed"
	((!failed))
}

main "$@"
