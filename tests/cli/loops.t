Numbers that a loop could not run with.

$ vb_send_bw -t 8 -l 9 host
! vb_send_bw: -l 9 does not fit a depth of 8; allowed: 1..8, or raise -t (--depth)
= 2
$ vb_send_bw -t 8 -Q 9 host
! vb_send_bw: -Q 9 does not fit a depth of 8: the window would fill before any request is signalled; allowed: 1..8, or raise -t (--depth)
= 2
$ vb_send_bw -Q 129 host
! vb_send_bw: -Q 129 does not fit a depth of 128: the window would fill before any request is signalled; allowed: 1..128, or raise -t (--depth)
= 2
$ vb_send_bw -l 3 -Q 4 host
! vb_send_bw: -l 3 and -Q (--signal-interval) 4: one must be a multiple of the other
= 2
$ vb_send_bw -l 16 -r 8 host
! vb_send_bw: -l 16 does not fit 8 receives, refilled 1 at a time: the sender would never have credit for a whole list; raise -r (--recv-depth)
= 2

# One receive: the answer is posted before it is replaced.
$ vb_send_lat -r 1 host
! vb_send_lat: -r 1 for a ping-pong: the next message could arrive before the receive is posted again; allowed: 2..16384
= 2
$ vb_write_bw --like iperf host
! vb_write_bw: --like "iperf": unknown; allowed: none, perftest
= 2
$ vb_write_bw --like perftest -l 200 host
! vb_write_bw: -l 200 does not fit a depth of 128; allowed: 1..128, or raise -t (--depth)
= 2
