What options ask of each request: refusals.

$ vb_send_bw --sge 0 host
! vb_send_bw: --sge "0": out of range; allowed: 1..32
= 2
$ vb_send_bw --sge 33 host
! vb_send_bw: --sge "33": out of range; allowed: 1..32
= 2
$ vb_atomic_bw --sge 2 host
! vb_atomic_bw: --sge has no effect on atomic_bw, only on send_bw, send_lat, write_bw, write_lat, read_bw, read_lat
= 2
$ vb_write_bw --sge 2 -s 1 host
! vb_write_bw: --sge 2 with -s (--size) 1: each piece has one byte at least
= 2
