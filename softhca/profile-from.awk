# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Makes a device profile from the output of "ibv_devinfo -v" for one device: softhca --profile-from. What the output
# does not have (opcodes, inline data, how queues are counted, what the driver lacks) stays at its default. What no
# profile can have is told, on standard error and in a comment.

# What drivers leave 0 ("invalid MTU (0)") and a profile cannot have. As text: not each awk reads 0x10.
BEGIN {
	n = split("active_mtu active_speed active_width max_cq max_cqe max_mr max_mr_size max_mtu max_pd max_qp max_qp_wr " \
		"max_sge vectors", keys, " ")
	for (i = 1; i <= n; i++) never_0[keys[i]] = 1
}
function add(line) { profile = profile line "\n" }
function tell(what,	line)
{
	line = $0
	gsub(/^[ \t]+|[ \t]+$/, "", line); gsub(/[ \t]+/, " ", line)
	add("# " what ": " line)
	print "softhca: --profile-from: " what ": " line >"/dev/stderr"
}
function set(key, value)
{
	if (value == "") return
	if (ports > 1) {
		if (value != has[key]) tell("left out, port " port)
	} else if (key in never_0 && (value == "invalid" || value ~ /^(0x)?0+$/)) {
		tell("left out")
	} else {
		add(key " = " value)
	}
	if (ports == 1) has[key] = value
}

# "0x02c9", "4X (2)" -> 2, "400.0 Gbps (128)" -> 128
function code() { return match($0, /\([0-9]+\)/) ? substr($0, RSTART + 1, RLENGTH - 2) : "" }

# of Windows; it may also write a mark before the first line
{ sub(/\r$/, "") }
$1 ~ /hca_id:$/ { if (++devices == 1) name = $2; next }
devices != 1 { next }
# the profile has the values of the first port
$1 == "port:" { ++ports; port = $2; next }

$1 == "transport:" {
	set("transport_type", /iWARP/ ? "iwarp" : /InfiniBand/ ? "ib" : "unspecified")
	set("node_type", /iWARP/ ? "rnic" : /InfiniBand/ ? "ca" : "unspecified")
	next
}
$1 == "fw_ver:" { sub(/^[ \t]*fw_ver:[ \t]*/, ""); set("firmware", $0); next }
$1 == "board_id:" { set("board_id", $2); next }
$1 == "phys_port_cnt:" { limit("ports", 2); next }
$1 == "vendor_id:" || $1 == "vendor_part_id:" || $1 == "hw_ver:" { set(substr($1, 1, length($1) - 1), $2); next }

$1 == "max_mw:" { mw = $2 + 0 }
$1 == "max_srq:" { srq = $2 + 0 }
# the limits that the emulated HCA has too, as far as it has them
function limit(key, most)
{
	if ($2 + 0 > most) tell("cut to " most)
	set(key, $2 + 0 > most ? most : $2)
}
$1 == "max_qp:" { complete = 1 }
$1 == "max_qp:" || $1 == "max_cq:" || $1 == "max_mr:" || $1 == "max_pd:" || $1 == "max_ah:" || $1 == "max_mw:" ||
$1 == "max_srq:" || $1 == "max_mcast_grp:" { limit(substr($1, 1, length($1) - 1), 2147483647); next }
$1 == "max_qp_wr:" || $1 == "max_srq_wr:" { limit(substr($1, 1, length($1) - 1), 131072); next }
$1 == "max_sge:" || $1 == "max_sge_rd:" || $1 == "max_srq_sge:" { limit(substr($1, 1, length($1) - 1), 32); next }
$1 == "max_cqe:" { limit("max_cqe", 16777216); next }
$1 == "max_mr_size:" { set("max_mr_size", $2); next }
$1 == "max_qp_rd_atom:" { limit("max_rd_atomic", 255); next }
$1 == "max_qp_init_rd_atom:" { limit("max_init_rd_atomic", 255); next }
$1 == "atomic_cap:" { set("atomics", /GLOB/ ? "glob" : /HCA/ ? "hca" : "none"); next }
/^[ \t]*XRC$/ { xrc = 1 }
/^[ \t]*AUTO_PATH_MIG$/ { migration = 1 }
/maximum available device memory:/ { memory = 1; next }
$1 == "num_comp_vectors:" { limit("vectors", 256); next }
# bit 26, IP_BASED_GIDS: the second hexadecimal digit of eight
$1 == "port_cap_flags:" { set("ip_based_gids", substr($2, 4, 1) ~ /[4-7c-fC-F]/ ? "yes" : "no"); next }
$1 == "general_odp_caps:" { in_odp = 1; next }
in_odp { odp = /ODP_SUPPORT/; in_odp = 0 }
# bits 38 to 40 are in the tenth and the eleventh hexadecimal digit from the right
$1 == "device_cap_flags_ex:" {
	if ($2 ~ /[4-7c-fC-F].........$/) annex_19 = annex_19 " flush_global"
	if ($2 ~ /[89a-fA-F].........$/) annex_19 = annex_19 " flush_persistent"
	if ($2 ~ /[13579bdfBDF]..........$/) annex_19 = annex_19 " atomic_write"
	next
}

# Which QPs it paces: of some types ibv_devinfo knows no name, but prints their bits; that of RC is 4.
$1 == "packet_pacing_caps:" { in_pacing = 1; next }
$1 == "qp_rate_limit_min:" && $2 == "1kbps" { next }
$1 == "qp_rate_limit_max:" { paces = $2 !~ /^0+kbps$/; if ($2 == "4294967295kbps") next }
in_pacing && $1 == "SUPPORT_UD" { paces_ud = 1; next }
in_pacing && /Unknown flags: 0x/ { paces_rc = $NF ~ /[4-7c-fC-F]$/; next }
$1 ~ /:$/ && $1 !~ /^(qp_rate_limit_min|qp_rate_limit_max|supported_qp):$/ { in_pacing = 0 }

# the port
$1 == "state:" {
	set("port_state", /PORT_ACTIVE/ ? "active" : /PORT_(INIT|ARMED)/ ? "init" : "down")
	# its width and speed are then not those of its link
	if (!/PORT_ACTIVE/) tell("no message goes over port " port)
	next
}
$1 == "max_mtu:" || $1 == "active_mtu:" { set(substr($1, 1, length($1) - 1), $2); next }
$1 == "sm_lid:" { set("sm_lid", $2); next }
# that of a second port follows it
$1 == "port_lid:" { if (ports == 1) limit("lid", 49136); next }
$1 == "link_layer:" {
	link = tolower($2)
	set("link_layer", link == "ethernet" || link == "infiniband" ? link : "unspecified")
	# the output does not have the flag; on InfiniBand it is that of virtual functions
	set("grh_required", link == "ethernet" ? "yes" : "no")
	next
}
$1 == "max_msg_sz:" { set("max_msg_bytes", $2); next }
$1 == "pkey_tbl_len:" { if ($2 == 0) set("pkeys", "none"); else limit("pkey_tbl_len", 1024); next }
$1 == "gid_tbl_len:" { if ($2 > 0) limit("gid_tbl_len", 1024); next }
$1 == "active_width:" { set("active_width", code()); next }
$1 == "active_speed:" { value = code(); if (value + 0 > 255) set("active_speed_ex", value); else set("active_speed", value); next }

# "GID[  0]:  fe80::1, RoCE v2": the addresses become those of the emulated ports
/GID\[/ && ports == 1 {
	type = /RoCE v2/ ? "roce_v2" : /RoCE v1/ ? "roce_v1" : link == "ethernet" && !/iWARP/ ? "roce_v1" : "ib"
	if (link != "ethernet") type = "ib"
	line = $0
	sub(/^.*\][ \t]*:[ \t]*/, "", line); sub(/,.*/, "", line)
	address = line ~ /^fe80/ ? "{ll}" : line ~ /ffff:[0-9.]+$|::ffff:/ || line ~ /0000:ffff:/ ? "{ip4}" : "{ip6}"
	if (link == "infiniband") address = "{ll}"
	if (++gids <= 16 && !seen[type address]++) add("gid = " type " " address)
	next
}

# The rest is left out: told by name, without what the emulated HCA has too: zeros, and what says nothing.
{
	known = " node_guid sys_image_guid page_size_cap device_cap_flags max_pkeys max_mcast_qp_attach " \
		"max_total_mcast_qp_attach max_res_rd_atom max_ee_rd_atom phys_state port_lmc port_cap_flags2 max_vl_num "
	name_of = $1; sub(/:$/, "", name_of)
	if ($1 ~ /:$/ && NF > 1 && $2 !~ /^(0x)?0+(kbps)?$/ && !index(known, " " name_of " ") && !told[name_of]++)
		left_out = left_out (left_out ? ", " : "") name_of " " $2
}

END {
	if (devices > 1) {
		print "softhca: --profile-from: " devices " devices; allowed: the output for one, as of ibv_devinfo -v -d " name \
			>"/dev/stderr"
		exit 1
	}
	if (!complete || !ports) {
		print "softhca: --profile-from: this is not the output of ibv_devinfo -v" >"/dev/stderr"
		exit 1
	}
	ports = 0
	set("stands_for", name ", from the output of ibv_devinfo -v")
	set("rc", "send send_imm write write_imm read fetch_add cmp_swap send_inv bind local_inv" annex_19)
	set("xrc", xrc ? "" : "none")
	set("path_migration", migration ? "yes" : "no")
	set("paced", !paces ? "none" : paces_rc ? (paces_ud ? "all" : "rc") : paces_ud ? "uc_ud" : "raw_packet")
	set("odp", odp ? "yes" : "no")
	set("mw", mw ? "yes" : "no")
	set("srq", srq ? "yes" : "no")
	set("device_memory", memory ? "yes" : "no")
	if (left_out) {
		add("# left out, no profile has it: " left_out)
		print "softhca: --profile-from: left out, no profile has it: " left_out >"/dev/stderr"
	}
	printf "%s", profile
}
