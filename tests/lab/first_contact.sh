# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# One node: the failures that people meet first, each provoked on the real kernel. The message must carry the text of
# its row in src/remedy/remedy.def, which is read from there. rxe0 and eth0 are changed, and changed back.
#
# Not here: NO_GID, since the GID of the MAC address stays; NO_ACK, since Soft-RoCE takes a short cut to itself that no
# firewall sees (check.sh has it); MEMLOCK, which is in serve.sh. tests/soft/causes.sh has those that a
# device profile can make.

# A command that must fail with the remedy of a row.
met()	# row, name, command...
{
	local row=$1 name=$2

	shift 2
	timeout -k 5 40 "$@" >/dev/null 2>"$err"
	status=$?
	verdict "first contact: $name" "$([[ $status == [12] ]] || say "exit $status: $(tail -n 1 "$err")"
		advises "$row" "$err")"
}

# Before directories, '--' and a command: runs the command where the directories are empty.
# shellcheck disable=SC2016 # of the inner shell
without=(unshare -m bash -c 'while [[ $1 != -- ]]; do mount -t tmpfs none "$1" || exit 3; shift; done; shift; exec "$@"'
	without)

add_rxe()
{
	rdma link add rxe0 type rxe netdev eth0
	await 20 grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state
	await 20 has_gid
}

has_gid() { cat /sys/class/infiniband/rxe0/ports/1/gids/[0-7] 2>/dev/null | grep -q ffff:0a4d; }
has_no_gid() { ! has_gid; }

# The library of the driver is not installed.
contact_provider()	# command...
{
	local file name='no library of the driver'

	for file in /usr/lib/*/libibverbs/librxe-rdmav*.so /usr/lib64/libibverbs/librxe-rdmav*.so; do
		[[ -e $file ]] || continue
		met NO_PROVIDER "$name" "${without[@]}" "${file%/*}" -- "$@"
		return
	done
	skip "first contact: $name" 'it is not a file of its own here'
}

# What the device, its files and its rights are. The server opens the device for each client.
contact_device()
{
	local dev=/dev/infiniband test=(vb_send_bw)

	begin
	test+=(-p "$port" localhost)
	serve verbench serve --allow any
	met CONTAINER 'a container without /dev/infiniband' "${without[@]}" $dev -- "${test[@]}"
	# rdma_rxe itself needs ib_uverbs, but this is all that a program sees of it
	met NO_UVERBS 'no ib_uverbs' "${without[@]}" $dev /sys/class/infiniband_verbs -- "${test[@]}"
	contact_provider "${test[@]}"
	chmod 600 $dev/uverbs0
	met RIGHTS 'no rights on uverbs0' setpriv --reuid 65534 --regid 65534 --clear-groups "${test[@]}"
	chmod 666 $dev/uverbs0
	mv $dev/rdma_cm "$work/rdma_cm"
	met NO_RDMA_CM 'no rdma_cm' "${test[@]}" --cm
	mv "$work/rdma_cm" $dev/rdma_cm
	rdma link delete rxe0
	met NO_DEVICE 'no RDMA device' "${test[@]}"
	add_rxe
	end "$server"
}

# What the way to the server is.
contact_control()
{
	begin
	met NO_SERVER_HERE 'nobody listens' vb_send_bw -p "$port" --connect-timeout 300ms localhost
	met NO_ANSWER 'a silent host' vb_send_bw -p "$port" --connect-timeout 1 10.77.0.99
	met NO_ROUTE 'no route' vb_send_bw -p "$port" --connect-timeout 1 192.0.2.1
	met NO_NAME 'an unknown name' vb_send_bw -p "$port" --connect-timeout 1 no-such-host.invalid
	serve verbench serve
	met NO_SERVER 'a server of its own host only' vb_send_bw -p "$port" --connect-timeout 300ms "$VB_LAB_ADDR"
	end "$server"
	begin
	serve verbench serve --allow any
	met PORT_IN_USE 'the port is in use' vb_send_bw -p "$port"
	end "$server"
}

# What the port and its network are.
contact_port()
{
	begin
	serve verbench serve --allow any
	ip link set eth0 mtu 1500
	met MTU 'an MTU above that of the port' vb_send_bw -p "$port" -m 4096 localhost
	ip link set eth0 mtu 4200
	ip addr flush dev eth0
	await 20 has_no_gid
	# the GID of the MAC address stays (ib_cache_gid_set_default_gid()), and no route leads there
	met NEIGHBOUR 'eth0 has no address' vb_send_bw -p "$port" localhost
	ip addr add "$VB_LAB_ADDR/24" dev eth0
	await 20 has_gid
	ip link set eth0 down
	met PORT_DOWN 'the port is down' vb_send_bw -p "$port" -d rxe0 localhost
	ip link set eth0 up
	end "$server"
}

part_first_contact()
{
	contact_device
	contact_control
	contact_port
}
