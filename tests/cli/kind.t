What does not exist is refused before a device is opened, and the message says why.

$ vb_read_bw -c UC host
! vb_read_bw: read over UC: UC has no responses to carry the data; use RC
= 2
$ vb_read_lat -c UC host
! vb_read_lat: read over UC: UC has no responses to carry the data; use RC
= 2
$ vb_read_bw -c UD host
! vb_read_bw: read over UD: a datagram has no response to carry the data; use RC
= 2
$ vb_write_bw -c UD host
! vb_write_bw: write over UD: a datagram cannot address memory of the target; use RC or UC
= 2
$ vb_write_lat -c UD host
! vb_write_lat: write over UD: a datagram cannot address memory of the target; use RC or UC
= 2
$ vb_write_bw -c UD --imm host
! vb_write_bw: write_imm over UD: a datagram cannot address memory of the target; use RC or UC
= 2
$ vb_atomic_bw -c UC host
! vb_atomic_bw: fetch_add over UC: UC has no responses to carry the data; use RC
= 2
$ vb_atomic_bw -c UC -A cmp_swap host
! vb_atomic_bw: cmp_swap over UC: UC has no responses to carry the data; use RC
= 2
$ vb_atomic_lat -c UD host
! vb_atomic_lat: fetch_add over UD: a datagram has no response to carry the data; use RC
= 2
$ vb_atomic_lat -c UD -A cmp_swap host
! vb_atomic_lat: cmp_swap over UD: a datagram has no response to carry the data; use RC
= 2
$ vb_write_lat -e host
! vb_write_lat: write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll
= 2
$ vb_write_lat --completion event host
! vb_write_lat: write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll
= 2
$ vb_write_lat -c UC -e host
! vb_write_lat: write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll
= 2
