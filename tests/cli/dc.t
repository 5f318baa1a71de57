DC: what has no effect over it, or cannot be.

$ vb_send_bw -c DC ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw -c DC -R host
! vb_send_bw: -R over DC: rdma_cm knows neither DCIs nor DCTs; their addresses go over TCP; allowed: RC, UD
= 2
$ vb_send_bw -c DC --srq host
! vb_send_bw: --srq has no effect over DC, only over RC, UC, UD
= 2
$ vb_send_bw -c DC --one-qp host
! vb_send_bw: --one-qp has no effect over DC, only over UD
= 2
$ vb_send_bw -c DC --migrate-after 5 host
! vb_send_bw: --migrate-after has no effect over DC, only over RC
= 2
$ vb_send_bw -c DC --buffers odp host
! vb_send_bw: --buffers has no effect over DC, only over RC, UC, UD
= 2
$ vb_send_bw -c DC --post-api send host
! vb_send_bw: --post-api send over DC: requests name their target by mlx5dv_wr_set_dc_addr, which goes with ibv_wr_* only; allowed: wr, auto
= 2
$ vb_send_bw -c DC --disturb cq host
! vb_send_bw: --disturb has no effect over DC, only over RC, UC, UD
= 2
$ vb_write_bw -c DC --mw 1 host
! vb_write_bw: --mw has no effect over DC, only over RC, UC
= 2
$ vb_write_lat -c DC -e host
! vb_write_lat: write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll
= 2
