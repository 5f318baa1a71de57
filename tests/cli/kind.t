What does not exist is refused before a device is opened, and the message says why.

$ vb_read_bw -c UC host
! vb_read_bw: read over UC: UC has no responses; use RC
= 2
$ vb_read_lat -c UC host
! vb_read_lat: read over UC: UC has no responses; use RC
= 2
$ vb_read_bw -c UD host
! vb_read_bw: read over UD: a datagram has no response; use RC
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
! vb_atomic_bw: fetch_add over UC: UC has no responses; use RC
= 2
$ vb_atomic_bw -c UC -A cmp_swap host
! vb_atomic_bw: cmp_swap over UC: UC has no responses; use RC
= 2
$ vb_atomic_lat -c UD host
! vb_atomic_lat: fetch_add over UD: a datagram has no response; use RC
= 2
$ vb_atomic_lat -c UD -A cmp_swap host
! vb_atomic_lat: cmp_swap over UD: a datagram has no response; use RC
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

$ verbench send_bw --cm -c UC somehost
! verbench: --cm over UC: librdmacm has no port space for UC queue pairs (RDMA_PS_TCP is RC, RDMA_PS_UDP is UD); allowed: RC, UD
= 2
$ verbench send_bw -R -S 3 somehost
! verbench: -S has no effect with -R (--cm): rdma_cm takes it from the network interface and from --tclass
= 2
$ verbench send_bw -R --pkey 0x8001 somehost
! verbench: --pkey has no effect with -R (--cm): rdma_cm takes it from the network interface
= 2
$ verbench send_bw -R -c UD --one-qp somehost
! verbench: -R and --one-qp exclude each other: rdma_cm gives each QP of the client a QP and an address of its own
= 2
