An option without effect on the test or transport is named and refused.

$ vb_read_bw --imm host
! vb_read_bw: --imm has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_atomic_bw --imm host
! vb_atomic_bw: --imm has no effect on atomic_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_send_bw -A cmp_swap host
! vb_send_bw: -A has no effect on send_bw, only on atomic_bw, atomic_lat
= 2
$ vb_send_lat -b host
! vb_send_lat: -b has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw
= 2
$ vb_atomic_bw -s 8 host
! vb_atomic_bw: -s has no effect on atomic_bw, only on send_bw, send_lat, write_bw, write_lat, read_bw, read_lat
= 2
$ vb_atomic_lat -a host
! vb_atomic_lat: -a has no effect on atomic_lat, only on send_bw, send_lat, write_bw, write_lat, read_bw, read_lat
= 2
$ vb_send_lat -t 4 host
! vb_send_lat: -t has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw; for iperf3's: -D (--duration), such as -D 10
= 2
$ vb_read_bw -r 64 host
! vb_read_bw: -r has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_write_bw -r 64 host
! vb_write_bw: -r has no effect on write_bw without --imm: a plain write takes no receive at the target
= 2
$ vb_write_lat -r 64 host
! vb_write_lat: -r has no effect on write_lat without --imm: a plain write takes no receive at the target
= 2
$ vb_send_bw --spin 5 host
! vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 2
$ vb_write_lat -c UC -q 2 host
! vb_write_lat: -q 2 for write_lat over UC: after a lost write the two sides would wait on different QPs; use --imm, or 1
= 2
$ vb_send_lat -l 2 host
! vb_send_lat: -l has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw; for iperf3's: -s (--size), such as -s 64k
= 2
$ vb_send_lat -Q 2 host
! vb_send_lat: -Q has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw
= 2
$ vb_read_bw -I 0 host
! vb_read_bw: -I has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_send_bw -o 4 host
! vb_send_bw: -o has no effect on send_bw, only on read_bw, atomic_bw
= 2
$ vb_read_lat -o 4 host
! vb_read_lat: -o has no effect on read_lat, only on read_bw, atomic_bw
= 2
$ vb_send_bw -c UC -u 14 host
! vb_send_bw: -u has no effect over UC, only over RC, XRC, DC
= 2
$ vb_send_bw -c UD --retry 3 host
! vb_send_bw: --retry has no effect over UD, only over RC, XRC, DC
= 2
$ vb_write_bw -c UC --imm --rnr-retry 3 host
! vb_write_bw: --rnr-retry has no effect over UC, only over RC, XRC, DC
= 2
$ vb_send_bw -c UD --min-rnr-timer 3 host
! vb_send_bw: --min-rnr-timer has no effect over UD, only over RC, XRC, DC
= 2
$ vb_write_bw --rnr-retry 3 host
! vb_write_bw: --rnr-retry has no effect on write_bw without --imm: a plain write takes no receive at the target
= 2
$ vb_write_bw --min-rnr-timer 3 host
! vb_write_bw: --min-rnr-timer has no effect on write_bw without --imm: a plain write takes no receive at the target
= 2
$ vb_read_bw --rnr-retry 3 host
! vb_read_bw: --rnr-retry has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_send_bw -s 128 -I 64 host
! vb_send_bw: -I 64 has no effect on messages of 128 bytes: all messages are larger
= 2
$ vb_send_lat --threads 2 host
! vb_send_lat: --threads has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw
= 2

# What the last byte of one buffer counts cannot be walked over.
$ vb_write_lat --walk seq host
! vb_write_lat: --walk seq on write_lat over RC without --imm: the last byte of one buffer counts the rounds; allowed: auto, same, or add --imm
= 2
$ vb_send_lat -c UD --walk random host
! vb_send_lat: --walk random on send_lat over UD without --imm: the last byte of one buffer counts the rounds; allowed: auto, same, or add --imm
= 2
$ vb_write_lat --footprint 1M host
! vb_write_lat: --footprint has no effect on write_lat over RC without --imm: the last byte of one buffer counts the rounds; add --imm
= 2
$ vb_send_bw --walk same --footprint 1M host
! vb_send_bw: --footprint has no effect with --walk same: each QP has one buffer, of the size of a message
= 2

# Nor may it arrive before the others. Memory of the device has no order to relax.
$ vb_write_lat --relaxed-ordering on host
! vb_write_lat: --relaxed-ordering on for write_lat over RC without --imm: the last byte of a message counts the rounds, and could arrive before the others; allowed: auto, off, or add --imm
= 2

$ vb_write_bw --buffers device --relaxed-ordering on host
! vb_write_bw: --relaxed-ordering on with --buffers device: it is for memory of the host; allowed: auto, off
= 2

An option of another command.
$ vb_send_bw --topology host
! vb_send_bw: --topology is not an option of tests, only of list
= 2
$ vb_send_bw --topology
! vb_send_bw: --topology is not an option of tests, only of list
= 2

What several QPs share.
$ vb_write_bw --srq host
! vb_write_bw: --srq has no effect on write_bw without --imm: a plain write takes no receive at the target
= 2
$ vb_read_bw --srq host
! vb_read_bw: --srq has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_send_bw --verify --warm-up 5 host
! vb_send_bw: --warm-up 5 and --verify exclude each other: the payload is compared from the first message on
= 2
$ vb_send_bw --srq-limit 5 host
! vb_send_bw: --srq-limit has no effect without --srq: a receive queue of a QP has no limit event
= 2
$ vb_send_bw --srq -q 4 -r 16 --srq-limit 64 host
! vb_send_bw: --srq-limit 64: 4 QPs share 64 receives; allowed: 0..63, or raise -r (--recv-depth)
= 2
$ vb_send_bw --one-qp host
! vb_send_bw: --one-qp has no effect over RC, only over UD
= 2
$ vb_send_bw -c UD --one-qp --srq host
! vb_send_bw: --srq and --one-qp exclude each other: one QP shares its receive queue with no other
= 2
$ vb_send_bw -c UD --one-qp --both host
! vb_send_bw: --both and --one-qp exclude each other: the QPs of the server would have to send, too, and it has one
= 2
$ vb_send_bw -c UD --ah first --poll-api extended host
! vb_send_bw: --ah first and --poll-api extended exclude each other: an address is made of a completion of ibv_poll_cq
= 2
$ vb_send_bw --ah first host
! vb_send_bw: --ah has no effect over RC, only over UD
= 2
$ vb_send_bw -c UD -R --one-qp host
! vb_send_bw: -R and --one-qp exclude each other: rdma_cm gives each QP of the client a QP and an address of its own
= 2
