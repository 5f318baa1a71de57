# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
#
# Where the processes of a user meet: what another user plants there is not used, a killed process leaves nothing, and a
# stopped one stops nobody.

# The file of a member that has ended, in the directory of the victim: its number is that of the attacker now, whose
# descriptors look as a fabric and as a file of root.
foreign_member()
{
	local fd namespaces

	namespaces=$(printf '%x-%x' "$(stat -Lc %i /proc/self/ns/pid)" "$(stat -Lc %i /proc/self/ns/net)")
	mkdir -p -m 700 "${places[2]}"
	for fd in "/proc/$attacker/fd/"*; do
		case $(readlink "$fd") in *vb-softhca-fabric* | "$file") ;; *) continue ;; esac
		: >"${places[2]}/$namespaces.$attacker.${fd##*/}"
	done
	victim=$(timeout 60 "$build/verbench" list --soft 2>&1)
	[[ $victim == *" of process $attacker is not used: it belongs to user 65534, not to user 0"* ]]
}

# In a mount namespace, where root has no /run for itself, as in some containers. Another user takes the names that
# remain, and offers descriptors that the emulated HCA could take for its own: one of a file that only root may write.
part_planted()
{
	local name='place: what another user plants is not used, and whose it is is said' attacker victim why=''
	local file=$work/root.file places=({/tmp,/dev/shm,/var/tmp}/softhca-0)

	if ! mount -t tmpfs -o ro none /run; then
		echo "ok $name # SKIP cannot mount"
		return
	fi
	chmod 711 "$top" "$work"
	"$build/tests/soft/soft_place" plant 65534 "$file" >"$work/attacker" 2>&1 &
	attacker=$!
	await "$attacker" grep -qx planted "$work/attacker"
	grep -qx planted "$work/attacker" || why+="the attack has not begun: $(<"$work/attacker") "
	sha256sum "$file" >"$work/sum"
	victim=$(timeout 60 "$build/verbench" list --soft 2>&1) || why+="list: exit $? "
	[[ $victim == *softhca0* ]] || why+='no device is listed '
	for place in "${places[@]::2}"; do
		[[ $victim == *"$place is not used: it is a "*" of user 65534,"* ]] || why+="nothing said of $place "
	done
	foreign_member || why+="a process of another user that has the number of a member is not refused: $victim "
	sha256sum --quiet -c "$work/sum" >"$work/check" 2>&1 || why+='the file of root has changed '
	kill -KILL "$attacker"
	wait "$attacker" 2>/dev/null
	rm -rf "${places[@]}"
	verdict "$name" "$why${why:+$victim}"
}

# A killed process leaves its file, which the next one removes.
leaves_nothing()
{
	local process places=({/run,/tmp,/dev/shm,/var/tmp}/"softhca-$EUID") found why=''

	process=$(softhca timeout 60 "$build/tests/soft/soft_place" die 2>/dev/null)
	found=$(find "${places[@]}" -name "*.$process.*" 2>/dev/null)
	[[ -n $process && -n $found ]] || why+="the killed process $process has no file "
	softhca timeout 60 "$build/tests/soft/soft_place" leave >/dev/null 2>&1 || why+="leave: exit $? "
	[[ ! -e $found ]] || why+="$found is left "
	verdict 'place: the next process removes the file of a killed one' "$why"
}

# A process of the same user writes random numbers into shared memory: the other one ends, and by itself.
scribbled()	# link
{
	SOFTHCA_FABRIC=${SOFTHCA_FABRIC}s SOFTHCA_LINK=$1 softhca timeout 200 "$build/tests/soft/soft_scribble" \
		"${SCRIBBLE_SECONDS:-3}" "${SCRIBBLE_SEED:-$RANDOM}" >"$work/scribbled" 2>&1
	verdict_of $? "$work/scribbled" "place: random numbers in shared memory crash nobody${1:+ with a link}"
}

part_place()
{
	local name='place: what another user plants is not used, and whose it is is said' free=1 place

	softhca timeout 120 "$build/tests/soft/soft_place" own >"$work/own" 2>&1
	verdict_of $? "$work/own" 'place: descriptors of another kind, size or without seals are not used'
	leaves_nothing
	in_c stop 200
	softhca timeout 120 "$build/tests/soft/soft_scribble" ring >"$work/ring" 2>&1
	verdict_of $? "$work/ring" 'place: a ring in shared memory that is too large is not freed'
	scribbled ''
	scribbled delay=5us,bandwidth=10G
	for place in {/tmp,/dev/shm,/var/tmp}/softhca-0; do
		[[ ! -e $place ]] || free=
	done
	if ((EUID)) || ! unshare -m true 2>/dev/null; then
		echo "ok $name # SKIP only root can try it, with a mount namespace"
	elif [[ -z $free ]]; then
		echo "ok $name # SKIP root meets in $place here, not in /run"
	else
		unshare -m "$here/run" "$build" planted
	fi
}
