The same option twice, or two that contradict each other.

$ vb_send_bw -s 64 -s 64 host
! vb_send_bw: -s is given twice
= 2
$ vb_send_bw -s 64 --size 128 host
! vb_send_bw: -s and --size set the same: only one of them is allowed
= 2
$ vb_send_bw -b --both host
! vb_send_bw: -b and --both set the same: only one of them is allowed
= 2
$ vb_send_bw -e --completion poll host
! vb_send_bw: -e and --completion set the same: only one of them is allowed
= 2
$ vb_send_bw -e --completion event host
! vb_send_bw: -e and --completion set the same: only one of them is allowed
= 2
$ vb_send_bw -s 64 -a host
! vb_send_bw: -s and -a (--all) exclude each other: one size or all sizes
= 2
$ vb_send_bw -D forever -a host
! vb_send_bw: -D forever and -a (--all) exclude each other: the first size does not end
= 2
$ vb_send_bw -D forever -s 64,128 host
! vb_send_bw: -D forever: this is one of 2 cells, and it does not end
= 2
$ vb_send_bw -n 10 -D 3 host
! vb_send_bw: -n and -D (--duration) exclude each other: a run ends by count or by time
= 2
$ vb_send_bw --csv - --json - host
! vb_send_bw: --csv - and --json - exclude each other: only one of them can go to standard output
= 2
