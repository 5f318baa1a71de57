# shellcheck shell=bash disable=SC2034,SC2086,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Part of scripts/chaos: what happens to processes.

confine=	# the group of the server, from its start on; its sessions begin there
asks=(-D 5)	# the options of the client

# Starts a session of 5 s. Sets server, session (the process that serves it) and client.
begin_session()	# directory, command before each side...
{
	local dir=$1

	shift
	mkdir -p "$dir"
	((port += 2))
	"$@" "$lib" timeout -s KILL $((limit * 4)) "$build/verbench" serve -p "$port" -d softhca1 "${timeouts[@]}" \
		>"$dir/server" 2>&1 &
	server=$!
	await $server "$port"
	[[ -z $confine ]] || pgrep -P $server >"$confine/cgroup.procs"
	"$@" "$lib" timeout -s KILL "$limit" "$build/vb_send_bw" -p "$port" -d softhca0 "${timeouts[@]}" "${asks[@]}" \
		127.0.0.1 >"$dir/client" 2>&1 &
	client=$!
	until session=$(pgrep -P "$(pgrep -P $server)") || ! kill -0 $client 2>/dev/null; do sleep 0.02; done
	# it measures
	sleep 1
}

# Not in a subshell: only the parent can wait for the client. Adds what is wrong to $said.
ended()	# directory; expected status of the client
{
	local rc begun=$SECONDS

	wait $client
	rc=$?
	((rc == $2)) || said+="client: exit $rc, not $2: $(tail -n 1 "$1/client"); "
	(($2 == 0)) || grep -q '^vb_send_bw: ' "$1/client" || said+='client: no message; '
	((SECONDS - begun < limit)) || said+="took $((SECONDS - begun)) s; "
}

# Until a process has ended, for a time that would do for each of its timeouts.
gone()	# pid
{
	local i

	for ((i = 0; i < limit * 10; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# The session ends, too; the server serves the next client. Then the server ends.
end_server()	# directory
{
	gone "$session" || said+='the session goes on; '
	"$lib" timeout -s KILL "$limit" "$build/vb_send_bw" -p "$port" -d softhca0 "${timeouts[@]}" -n 10 127.0.0.1 \
		>"$1/next" 2>&1 || said+="the next client: $(tail -n 1 "$1/next"); "
	kill "$(pgrep -P $server)" 2>/dev/null
	wait $server 2>/dev/null
}

# A child of this shell's group in the hierarchy of cgroup v2. Sets group; false: it cannot be made.
make_group()
{
	local mounted own

	mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [[ -z $mounted ]]; then
		# a guest of the lab
		mounted=$work/cgroup
		mkdir "$mounted" && mount -t cgroup2 chaos "$mounted" 2>/dev/null || return
	fi
	own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	group=${mounted}${own%/}/chaos-$$
	mkdir "$group" 2>/dev/null
}

# The same, with a limit of the memory. The group of this shell gives its children the controller only if it is the
# root, or has no processes.
make_memory_group()
{
	make_group || return
	[[ -e $group/memory.max ]] || echo +memory >"${group%/*}/cgroup.subtree_control"
	[[ ! -e $group/memory.max ]] || return 0
	rmdir "$group"
	return 1
} 2>/dev/null

leave_groups()
{
	! mountpoint -q "$work/cgroup" || umount "$work/cgroup"
}

# How often the kernel has killed a process of the group.
oom_kills() { sed -n 's/^oom_kill //p' "$group/memory.events"; }

stop_session()
{
	local said='' dir=$work/stop-session

	begin_session "$dir"
	kill -STOP "$session"
	ended "$dir" 1
	# its server kills one that does not end
	kill -CONT "$session" 2>/dev/null
	end_server "$dir"
	verdict 'SIGSTOP of the session' "$said"
}

stop_client()
{
	local said='' dir=$work/stop-client stopped

	begin_session "$dir"
	stopped=$(pgrep -P $client)
	kill -STOP "$stopped"
	gone "$session" || said+='the session goes on without its client; '
	kill -CONT "$stopped"
	ended "$dir" 1
	end_server "$dir"
	verdict 'SIGSTOP of the client' "$said"
}

# What the kernel does when memory is short.
kill_session()
{
	local said='' dir=$work/kill

	begin_session "$dir"
	kill -KILL "$session"
	ended "$dir" 1
	end_server "$dir"
	verdict 'SIGKILL of the session' "$said"
}

jump_clock()
{
	local said='' dir=$work/clock

	"${CC:-gcc}" -O1 -fPIC -shared -I"$build" -o "$work/clock.so" "$here/tests/chaos/clock.c"
	begin_session "$dir" env LD_PRELOAD="$work/clock.so"
	ended "$dir" 0
	end_server "$dir"
	verdict 'the clock jumps by hours' "$said"
}

freeze_session()
{
	local said='' dir=$work/freeze group

	if ! make_group; then
		echo 'skip chaos: the session is frozen: it needs root and cgroup v2'
		return
	fi
	begin_session "$dir"
	echo "$session" >"$group/cgroup.procs"
	echo 1 >"$group/cgroup.freeze"
	ended "$dir" 1
	echo 0 >"$group/cgroup.freeze"
	end_server "$dir"
	rmdir "$group"
	verdict 'the session is frozen' "$said"
}

no_memory() { echo "skip chaos: $1: it needs root and the memory controller of cgroup v2"; }

# What the session has is more than the group may have, while it measures. The server has left the group.
starve_session()
{
	local said='' dir=$work/memory group name='the session is out of memory while it measures'

	make_memory_group || { no_memory "$name"; return; }
	confine=$group begin_session "$dir"
	pgrep -P $server >"${group%/*}/cgroup.procs"
	# an error: something is left that cannot be had back
	echo 1M >"$group/memory.max" 2>/dev/null
	ended "$dir" 1
	(($(oom_kills) > 0)) || said+='nothing was killed; '
	end_server "$dir"
	rmdir "$group"
	verdict "$name" "$said"
}

# A session asks for more than its server's group may have: the server goes on.
starve_server()
{
	local said='' dir=$work/memory2 group name='a session asks for more memory than the server has'

	make_memory_group || { no_memory "$name"; return; }
	echo 64M >"$group/memory.max"
	asks=(-s 64M -D 5)
	confine=$group begin_session "$dir"
	asks=(-D 5)
	ended "$dir" 1
	(($(oom_kills) > 0)) || said+='nothing was killed; '
	end_server "$dir"
	rmdir "$group"
	verdict "$name" "$said"
}

part_stops()
{
	stop_session
	stop_client
	kill_session
	jump_clock
	freeze_session
	starve_session
	starve_server
	leave_groups
}

