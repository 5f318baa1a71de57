# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# verbench copy on the emulated HCA: files of all lengths, names that are refused, files that change, disks that are
# full, and sides that are killed or interrupted. After every failure the directory of the server is as before.

# Starts a server that takes files. Sets server, dst (its directory).
copy_server()
{
	((++port))
	dst=$work/dst.$port
	mkdir -p "$dst"
	"$build/verbench" serve --soft -p "$port" --copy-to "$dst" >"$work/server.out" 2>"$work/server.err" &
	server=$!
	await_listener "$server"
}

# Ends it. Prints what is wrong.
copy_server_end()
{
	kill -INT "$server"
	wait "$server"
	server_rc=$?
}

# Runs the client. Sets rc.
copy_client()	# options..., FILE, NAME
{
	local name=${*: -1}

	timeout "$guard" "$build/verbench" copy --soft -p "$port" "${@:1:$#-1}" "127.0.0.1:$name" >"$work/client" 2>&1
	rc=$?
}

# What is wrong when the client must have failed: status, a text, and the names in the server's directory.
refused_copy()	# exit status, regular expression, names that stay
{
	[[ $rc == "$1" ]] || echo "exit $rc, not $1: $(tail -n 2 "$work/client")"
	grep -qE -- "$2" "$work/client" || echo "the client does not print '$2' but: $(tail -n 2 "$work/client")"
	[[ $(ls -A "$dst") == "${3-}" ]] || echo "left: $(ls -A "$dst")"
}

# Copies a file and compares: status, bytes, the SHA-256 that was printed, permission bits.
same()	# name of the case, FILE, options...
{
	local what=$1 file=$2 sum

	shift 2
	rm -f "$dst/copy"
	copy_client "$@" "$file" copy
	sum=$(sha256sum <"$file")
	verdict "copy: $what" "$( ((rc == 0)) || echo "exit $rc: $(tail -n 2 "$work/client")"
		cmp "$file" "$dst/copy" 2>&1
		grep -q "^sha256 ${sum%% *}$" "$work/client" || echo 'another SHA-256'
		grep -q "^$(stat -c %s "$file") bytes in " "$work/client" || echo 'another number of bytes'
		[[ $(stat -c %a "$file") == $(stat -c %a "$dst/copy") ]] || echo "mode $(stat -c %a "$dst/copy")"
		[[ $(ls -A "$dst") == copy ]] || echo "beside it: $(ls -A "$dst")")"
}

made_of() { head -c "$1" /dev/urandom >"$work/file"; }	# bytes

lengths()
{
	local n e

	# windows of 4096 bytes, eight of them in flight
	for n in 0 1 4095 4096 4097 32767 32768 32769 100000; do
		made_of "$n"
		same "$n bytes in windows of 4096" "$work/file" -s 4096
	done
	for n in 0 1 1048576 1048577 20000003; do
		made_of "$n"
		for e in '' -e '--completion hybrid'; do
			# shellcheck disable=SC2086 # options are words
			same "$n bytes${e:+, $e}" "$work/file" $e
		done
	done
	same 'a window that is no multiple of a page' "$work/file" -s 99999 -e
	chmod 750 "$work/file"
	same 'mode 750' "$work/file"
	chmod 600 "$work/file"
	# offsets of more than 32 bits; the holes stay holes
	made_of 1000
	truncate -s $((4 * 1024 * 1024 * 1024 + 5)) "$work/file"
	printf end >>"$work/file"
	same 'more than 4 GiB, sparse' "$work/file" -e -s 8M
	verdict 'copy: zeros become holes' "$( (($(stat -c %b "$dst/copy") < 4096)) ||
		stat -c '%b blocks' "$dst/copy")"
	rm "$work/file" "$dst/copy"
}

names()
{
	local name

	made_of 10000
	rm -f "$dst"/*
	for name in /tmp/x ../x sub/../../x ./x sub//x sub/ . .. '' $'a\nb' "$(printf 'a%.0s' {1..300})"; do
		copy_client "$work/file" "$name"
		verdict "copy: the name ${name//[$'\n']/?} is refused" "$(refused_copy 2 'name of the copy')"
	done
	copy_client "$work/file" missing/x
	verdict 'copy: a directory that is missing' "$(
		refused_copy 2 'cannot enter the directory "missing".*No such file')"
	mkdir "$dst/sub" "$work/outside.$port"
	copy_client "$work/file" sub/x
	verdict 'copy: into a directory' "$( ((rc == 0)) || cat "$work/client"; cmp "$work/file" "$dst/sub/x" 2>&1)"
	copy_client "$work/file" sub
	verdict 'copy: over a directory' "$(refused_copy 2 'exists and is a directory' sub)"
	copy_client "$work/file" sub/x/y
	verdict 'copy: below a file' "$(refused_copy 2 'no directory' sub)"
	rm -r "$dst/sub"
	ln -s "$work/outside.$port" "$dst/link"
	copy_client "$work/file" link/x
	verdict 'copy: through a link' "$(refused_copy 2 'it is a link' link; ls -A "$work/outside.$port")"
	ln -sfn "$work/outside.$port/x" "$dst/link"
	copy_client "$work/file" link/x
	copy_client --overwrite "$work/file" link
	verdict 'copy: over a link' "$(refused_copy 2 'no regular file' link; ls -A "$work/outside.$port")"
	rm "$dst/link"
	same 'a name that is UTF-8' "$work/file"
	mv "$dst/copy" "$work/kept"
	copy_client "$work/file" 'ä ö'
	verdict 'copy: the name ä ö' "$(cmp "$work/file" "$dst/ä ö" 2>&1)"
	rm "$dst/ä ö"
	copy_client "$work/file" $'\377'
	verdict 'copy: a name that is not UTF-8' "$(refused_copy 2 'not UTF-8')"
	timeout "$guard" "$build/verbench" copy --soft -p "$port" "$work/file" '[::1]:six' >"$work/client" 2>&1
	verdict 'copy: to an IPv6 address' "$(cmp "$work/file" "$dst/six" 2>&1)"
	rm -f "$dst/six"
}

existing()
{
	made_of 5000
	echo old >"$dst/copy"
	copy_client "$work/file" copy
	verdict 'copy: a file that exists' "$(refused_copy 2 '"copy" exists; --overwrite' copy
		[[ $(<"$dst/copy") == old ]] || echo 'it was changed')"
	copy_client --overwrite "$work/file" copy
	verdict 'copy: --overwrite' "$( ((rc == 0)) || cat "$work/client"; cmp "$work/file" "$dst/copy" 2>&1
		[[ $(ls -A "$dst") == copy ]] || ls -A "$dst")"
	rm "$dst/copy"
	copy_client --overwrite "$work/file" copy
	verdict 'copy: --overwrite of nothing' "$( ((rc == 0)) || cat "$work/client"
		cmp "$work/file" "$dst/copy" 2>&1)"
	rm "$dst/copy"
}

sources()
{
	copy_client "$work/no-such-file" copy
	verdict 'copy: no source' "$(refused_copy 2 'cannot open .*No such file')"
	copy_client "$work" copy
	verdict 'copy: a directory as source' "$(refused_copy 2 'is a directory')"
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	copy_client "$work/fifo" copy
	verdict 'copy: a FIFO as source' "$(refused_copy 2 'no regular file')"
}

# ---- while a copy runs

# Starts a client whose link needs some seconds for the file. Sets slow.
slow_client()	# FILE, NAME, options...
{
	SOFTHCA_LINK=bandwidth=40M timeout "$guard" "$build/verbench" copy --soft -s 64k -p "$port" "${@:3}" \
		"$1" "127.0.0.1:$2" >"$work/slow" 2>&1 &
	slow=$!
}

sessions() { cat "/proc/$server/task/$server/children"; }

# A session has written to its file.
has_written()
{
	local pid fd

	for pid in $(sessions); do
		for fd in "/proc/$pid/fd/"*; do
			[[ $(readlink "$fd") == "$dst/"* ]] || continue
			(($(stat -L -c %b "$fd" 2>/dev/null || echo 0) == 0)) || return 0
		done
	done
	return 1
}

# Waits until data is written, or the client has ended.
await_data()
{
	await "$slow" has_written
}

slow_end()
{
	wait "$slow"
	rc=$?
	mv "$work/slow" "$work/client"
}

no_session() { [[ -z $(sessions) ]]; }

await_no_session() { await "$$" no_session; }

under_way()
{
	local what first second stopped

	for what in grown shrunk written; do
		made_of 10000000
		slow_client "$work/file" copy
		await_data
		case $what in
		grown) printf x >>"$work/file" ;;
		shrunk) truncate -s 5000 "$work/file" ;;
		written) printf x | dd of="$work/file" conv=notrunc status=none ;;
		esac
		slow_end
		await_no_session
		verdict "copy: the source is $what while it is read" "$(
			refused_copy 1 'has changed while|has shrunk while|was written to while'
			grep -q 'reports: .*file ' "$work/server.err" || tail -n 2 "$work/server.err")"
	done

	made_of 10000000
	slow_client "$work/file" copy
	await_data
	# the client alone: its time limit would pass the signal on twice, and then it ends at once
	# shellcheck disable=SC2046 # a list of processes
	kill -INT $(cat "/proc/$slow/task/$slow/children")
	slow_end
	await_no_session
	verdict 'copy: Ctrl-C at the client' "$(refused_copy 1 'interrupted on the client'
		grep -q 'reports: interrupted on the client' "$work/server.err" || tail -n 2 "$work/server.err")"

	slow_client "$work/file" copy
	await_data
	# timeout and the client
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL $(cat "/proc/$slow/task/$slow/children") "$slow"
	slow_end 2>/dev/null
	await_no_session
	verdict 'copy: the client is killed' "$(ls -A "$dst"
		grep -q 'is gone' "$work/server.err" || tail -n 2 "$work/server.err")"

	slow_client "$work/file" copy
	await_data
	# shellcheck disable=SC2046 # a list of processes
	kill -KILL $(sessions)
	slow_end
	await_no_session
	verdict 'copy: the session is killed' "$(refused_copy 1 'is gone')"

	slow_client "$work/file" copy
	await_data
	# shellcheck disable=SC2046
	kill -INT $(sessions)
	slow_end
	await_no_session
	verdict 'copy: the session is interrupted' "$(refused_copy 1 'reports: interrupted on the server')"

	# the name is free at the start of both, and at the end of one
	slow_client "$work/file" copy --stall-timeout 60s
	await_data
	first=$slow
	stopped=$(sessions)
	# it would be the faster one on a busy machine
	kill -STOP $stopped
	head -c 3000 /dev/urandom >"$work/short"
	copy_client "$work/short" copy
	second=$rc
	kill -CONT $stopped
	slow=$first slow_end
	verdict 'copy: two copies to one name' "$( ((second == 0)) || echo "the faster one: $second"
		cmp "$work/short" "$dst/copy" 2>&1; refused_copy 1 'created by somebody else' copy)"
	rm -f "$dst/copy"
}

# The disk is full: before the copy, and during it. In a mount namespace, with both sides in it: see full_disk.
part_full_disk()
{
	local dst=$work/small server

	((++port))
	mkdir "$dst" && mount -t tmpfs -o size=16M none "$dst" || return
	"$build/verbench" serve --soft -p "$port" --copy-to "$dst" >"$work/server.out" 2>"$work/server.err" &
	server=$!
	await_listener "$server"
	made_of 17000000
	copy_client "$work/file" copy
	verdict 'copy: more than the free space' "$(refused_copy 2 'no space for 17000000 bytes')"
	made_of 10000000
	slow_client "$work/file" copy
	await_data
	dd if=/dev/zero of="$dst/other" bs=1M status=none 2>/dev/null
	slow_end
	await_no_session
	verdict 'copy: the disk is full during the copy' "$(
		refused_copy 1 'reports: cannot write .*No space left' other)"
	rm "$dst/other"
	same 'after a full disk' "$work/file"
	copy_server_end
	umount "$dst"
}

full_disk()
{
	if unshare -rm true 2>/dev/null; then
		SOFT_PORT=$port unshare -rm "$here/run" "$build" full_disk
		((++port))
	else
		echo 'ok copy: a full disk # SKIP no mount namespace'
	fi
}

# Servers of one client, and those that take no files.
one_shot()
{
	((++port))
	dst=$work/one
	mkdir -p "$dst"
	made_of 12345
	"$build/verbench" copy --soft -p "$port" --copy-to "$dst" >"$work/server.out" 2>"$work/server.err" &
	server=$!
	copy_client "$work/file" copy
	wait "$server"
	server_rc=$?
	verdict 'copy: a server of one client' "$( ((rc == 0 && server_rc == 0)) || echo "exit $rc, $server_rc"
		cmp "$work/file" "$dst/copy" 2>&1
		cmp <(grep ^sha256 "$work/client") <(grep ^sha256 "$work/server.out") 2>&1)"
	((++port))
	"$build/verbench" send_bw --soft -p "$port" >"$work/server.out" 2>"$work/server.err" &
	server=$!
	copy_client "$work/file" other
	wait "$server"
	server_rc=$?
	verdict 'copy: a server without --copy-to' "$(
		refused_copy 2 'refuses: this server takes no files.*--copy-to' copy
		((server_rc == 2)) || echo "the server's exit is $server_rc")"
	# the umask of the server
	((++port))
	chmod 777 "$work/file"
	(umask 077 && exec "$build/verbench" copy --soft -p "$port" --copy-to "$dst" >/dev/null 2>&1) &
	copy_client "$work/file" mode
	wait $!
	verdict "copy: the server's umask" "$([[ $(stat -c %a "$dst/mode") == 700 ]] || stat -c %a "$dst/mode")"
	((++port))
	"$build/verbench" copy --soft -p "$port" --copy-to "$dst" >/dev/null 2>"$work/server.err" &
	server=$!
	# the emulated HCA needs files that are larger
	await "$server" grep -q 'waiting for a client' "$work/server.err"
	prlimit --pid "$server" --fsize=4096
	copy_client "$work/file" long
	wait "$server"
	verdict "copy: the server's limit of the file size" "$(refused_copy 2 'File too large' $'copy\nmode')"
}

# A test between two copies, with the same server.
mixed()
{
	made_of 4321
	same 'before a test' "$work/file"
	timeout "$guard" "$build/vb_send_bw" --soft -n 100 -p "$port" 127.0.0.1 >"$work/client" 2>&1
	rc=$?
	verdict 'copy: a test of the same server' "$( ((rc == 0)) || tail -n 2 "$work/client")"
	same 'after a test' "$work/file"
	rm -f "$dst/copy"
}

part_copy()
{
	copy_server
	lengths
	names
	existing
	sources
	under_way
	mixed
	verdict 'copy: every session is reported' "$(grep -c '^copied ' "$work/server.out" |
		awk '$1 < 30 { print $1 " copies" }')"
	# sessions have failed, but the server has not
	copy_server_end
	verdict 'copy: exit status of the server' "$( ((server_rc == 0)) ||
		echo "$server_rc: $(tail -n 2 "$work/server.err")")"
	one_shot
	full_disk
	verdict 'copy: nothing is left in shared memory' "$(
		find /dev/shm -name "*softhca*$SOFTHCA_FABRIC*" 2>/dev/null)"
}
