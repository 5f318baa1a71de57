# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Reload, the end, restarts, the socket, who may ask for the status. Sourced by guest.sh. A case sets why if something
# is wrong.

conf=/etc/verbench/serve.conf

# The owner's file is read again; a wrong one changes nothing.
case_reload()
{
	local pid limit='max-qps 4 of the server'

	printf '%s\n' "allow = $addr" 'max-qps = 4' >"$conf"
	start
	pid=$(state MainPID)
	measure vb_write_bw -n 10 -q 8 "$addr"
	grep -q "$limit" "$out" || why+="first: $(tail -n 1 "$out") "
	echo 'max-qps = many' >"$conf"
	reload
	await logged 'reload: .*serve.conf:1: .*the server goes on as before' || why+="nothing is said of a wrong file "
	measure vb_write_bw -n 10 -q 8 "$addr"
	grep -q "$limit" "$out" || why+="after a wrong file: $(tail -n 1 "$out") "
	printf '%s\n' "allow = $addr" 'max-qps = 8' >"$conf"
	reload
	await logged 'reloaded$' || why+="not reloaded "
	serves vb_write_bw -n 10 -q 8 "$addr"
	is MainPID "$pid" && is ActiveState active || why+="it was restarted "
}

is_restarted() { is NRestarts 1 && is ActiveState active; }

# A server that hangs is started anew, and leaves no memory on disk, where its key would be.
case_watchdog()
{
	local pid

	options --allow "$addr"
	start
	pid=$(state MainPID)
	kill -STOP "$pid"
	await is_restarted || why+="$(state NRestarts) restarts, $(state ActiveState) "
	logged 'Watchdog timeout' || why+="no watchdog "
	[[ ! -e /proc/$pid ]] || why+="the process is left "
	[[ -z $(find / -xdev -maxdepth 1 -name 'core*') ]] || why+="a core is left "
	serves vb_write_bw -n 10 "$addr"
}

# A server that is killed takes its sessions along, and comes again.
case_killed()
{
	local client child

	options --allow "$addr"
	start
	session 100
	child=$(pgrep -P "$(state MainPID)")
	kill -KILL "$(state MainPID)"
	wait "$client" && why+="the client exits with 0 "
	await is_restarted || why+="$(state NRestarts) restarts, $(state ActiveState) "
	[[ -n $child && ! -e /proc/$child ]] || why+="the session $child is left "
	verbench serve --status >"$out" 2>&1 || why+="no status: $(<"$out") "
	serves vb_write_bw -n 10 "$addr"
}

# A session that takes more than the service may have is killed; the server and others go on.
case_memory()
{
	local pid

	options --allow "$addr"
	drop_in MemoryMax=60M MemorySwapMax=0
	start
	pid=$(state MainPID)
	measure vb_write_bw -n 10 -s 8M -q 8 "$addr" && why+="the session is measured "
	is MainPID "$pid" && is ActiveState active && is NRestarts 0 || why+="the server did not outlive it "
	await logged 'outcome="crashed" reason="signal 9' || why+="no audit "
	serves vb_write_bw -n 10 "$addr"
}

# The first client starts the service, --idle-exit ends it, and the next client starts it again.
case_socket()
{
	local first

	options --allow "$addr" --idle-exit 3s
	systemctl start "$socket"
	is ActiveState inactive || why+="the service is $(state ActiveState) before a client "
	serves vb_write_bw -n 10 "$addr"
	first=$(state InvocationID)
	is ActiveState active || why+="the service is $(state ActiveState) after a client "
	await is ActiveState inactive || why+="it does not end "
	logged 'idle for 3 s, exiting' || why+="nothing is said "
	is Result success || why+="its end: $(state Result) "
	[[ $(systemctl is-active "$socket") == active ]] || why+="the socket is gone "
	serves vb_write_bw -n 10 "$addr"
	[[ $(state InvocationID) != "$first" ]] || why+="it is the same one "
	systemctl stop "$service" 2>/dev/null
	[[ $(systemctl is-active "$socket") == active ]] || why+="the socket ends with the service "
	serves vb_write_bw -n 10 "$addr"
}

# Both units at once, as after a boot with both enabled: the service takes the socket that is there.
case_both()
{
	options --allow "$addr"
	systemctl enable -q "$socket" "$service" || why+="they cannot be enabled "
	systemctl start "$service" "$socket" >"$out.start" 2>&1 || why+="they do not start: $(<"$out.start") "
	[[ $(ss -Hltnp 'sport = :18515') == *'"systemd"'*'"verbench"'* || \
		$(ss -Hltnp 'sport = :18515') == *'"verbench"'*'"systemd"'* ]] ||
		why+="listeners: $(ss -Hltnp 'sport = :18515') "
	serves vb_write_bw -n 10 "$addr"
	systemctl disable -q "$socket" "$service"
}

# The socket of the unit is open to all: the server does not serve it unless the options say who may ask.
case_socket_closed()
{
	systemctl start "$socket"
	measure vb_write_bw -n 10 --connect-timeout 5s "$addr" && why+="it is served "
	await logged 'the socket of the service manager listens for other hosts: give --key' || why+="nothing is said "
	is NRestarts 0 || why+="$(state NRestarts) restarts "
}

# Stopped during a session: it may end, and nothing is left.
case_drain()
{
	local client

	options --allow "$addr"
	start
	session 10
	systemctl stop "$service"
	wait "$client" || why+="the client: $(tail -n 1 "$out.session") "
	is_gone || why+="processes are left: $(<"$cgroup/cgroup.procs") "
	is Result success || why+="$(state Result) "
	logged 'outcome="measured"' || why+="no audit "
	[[ ! -e /run/verbench ]] || why+="/run/verbench is left "
}

# A session that would go on for long is asked to end before the service manager kills it.
case_drain_long()
{
	local client begun=$SECONDS

	options --allow "$addr"
	echo 'SERVE_DEFAULTS=--quiet --audit journal --drain-time 1s' >>"$defaults"
	start
	session 1000
	systemctl stop "$service"
	wait "$client" && why+="the client exits with 0 "
	is_gone || why+="processes are left "
	is Result success && ((SECONDS - begun < 90 + patience)) || why+="$(state Result) "
	logged 'outcome="interrupted" reason="the server was stopped"' || why+="no audit "
}

ask() { su "$1" -c 'RUNTIME_DIRECTORY=/run/verbench verbench serve --status'; }	# user

# The same without what the program checks before it asks.
ask_socket()	# user
{
	su "$1" -c "perl -MIO::Socket::UNIX -e '
		\$s = IO::Socket::UNIX->new(shift) or die \"connect: \$!\\n\";
		print <\$s>' /run/verbench/serve-18515.sock"
}

# The status is for the server's own user and root, even if others can reach its socket.
case_status()
{
	drop_in DynamicUser=no User=alice
	options --allow "$addr"
	start || why+="it does not start: $(<"$out.start") "
	verbench serve --status >"$out" 2>&1 || why+="root: $(<"$out") "
	ask alice >"$out" 2>&1 || why+="its user: $(<"$out") "
	grep -q '^sessions: 0 of 16' "$out" || why+="its user: $(<"$out") "
	ask bob >"$out" 2>&1 && why+="another user: $(<"$out") "
	grep -q '/run/verbench is of user .*, not of this one' "$out" || why+="another user: $(<"$out") "
	chmod 711 /run/verbench && chmod 666 /run/verbench/*.sock
	ask_socket alice >"$out" 2>&1
	grep -q '^{.*sessions' "$out" || why+="its user by the socket: $(<"$out") "
	ask_socket bob >"$out" 2>&1
	! grep -q sessions "$out" || why+="another user who reaches the socket: $(<"$out") "
	serves vb_write_bw -n 10 "$addr"
}

# --user: the manager starts root, who becomes another user once all is open.
case_user()
{
	local got

	options --user alice --allow "$addr"
	# CAP_KILL: of ExecReload=
	drop_in DynamicUser=no CapabilityBoundingSet='CAP_SETUID CAP_SETGID CAP_KILL'
	start || why+="it does not start: $(<"$out.start") "
	got=$(awk '/^(Uid|CapEff|CapPrm|NoNewPrivs):/ { print $2, $3, $4 }' "/proc/$(state MainPID)/status" |
		paste -sd ' ')
	[[ $got =~ ^($(id -u alice)\ ){3}0+\ +0+\ +1 ]] || why+="user, capabilities: $got "
	serves vb_write_bw -n 10 "$addr"
	verbench serve --status >"$out" 2>&1 || why+="status: $(<"$out") "
	reload
	await logged 'reloaded$' || why+="not reloaded "
	systemctl stop "$service"
	is Result success || why+="$(state Result) "
}
