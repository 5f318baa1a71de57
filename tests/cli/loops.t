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

# An open loop: messages are due at times, one by one.
$ vb_write_bw --rate 0 host
! vb_write_bw: --rate "0": out of range; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_write_bw --rate 1.5k5 host
! vb_write_bw: --rate "1.5k5": not a rate such as 1000, 0.5, 20k, 1.5M or 50%; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_write_bw --rate 0.00005 host
! vb_write_bw: --rate "0.00005": finer than 0.001; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_write_bw --rate 2G host
! vb_write_bw: --rate "2G": out of range; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_write_bw --arrival poisson host
! vb_write_bw: --arrival has no effect without --rate: in a closed loop a message follows the one before
= 2
$ vb_write_bw --rate 1k --arrival burst host
! vb_write_bw: --arrival "burst": unknown; allowed: fixed, poisson
= 2
$ vb_write_bw --rate 1k -l 4 host
! vb_write_bw: -l and --rate: a list would be posted when its last message is due; allowed: 1
= 2
$ vb_write_bw --rate 1k -Q 8 host
! vb_write_bw: -Q and --rate: the response time of each message needs its completion; allowed: 1, auto
= 2
$ vb_send_bw --rate 1k -e --solicited 4 host
! vb_send_bw: --solicited and --rate exclude each other: a receiver would wait for messages that are due later
= 2
$ vb_send_lat --rate 1k --gap 10 host
! vb_send_lat: --gap and --rate exclude each other: the rate says when a message is due
= 2
$ verbench copy --rate 1k host
! verbench: copy takes FILE and HOST:FILE: "host" is only one of them
! verbench: --rate is not an option of copy, only of tests
= 2
