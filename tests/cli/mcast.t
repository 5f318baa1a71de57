A multicast group: only UD, one sender, groups in range, hosts with ports.

$ vb_send_bw --mcast 239.1.2.3 host
! vb_send_bw: --mcast has no effect over RC, only over UD
= 2
$ vb_send_bw -c UC --mcast 239.1.2.3 host
! vb_send_bw: --mcast has no effect over UC, only over UD
= 2
$ vb_send_lat -c UD --mcast 239.1.2.3 host
! vb_send_lat: --mcast has no effect on send_lat, only on send_bw
= 2
$ vb_send_bw -c UD --mcast 223.255.255.255 host
! vb_send_bw: --mcast 223.255.255.255 is not a multicast address that is forwarded; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8
= 2
$ vb_send_bw -c UD --mcast 240.0.0.0 host
! vb_send_bw: --mcast 240.0.0.0 is not a multicast address that is forwarded; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8
= 2
$ vb_send_bw -c UD --mcast 224.0.0.5 host
! vb_send_bw: --mcast 224.0.0.5 is not a multicast address that is forwarded; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8
= 2
$ vb_send_bw -c UD --mcast fe80::1 host
! vb_send_bw: --mcast fe80::1 is not a multicast address that is forwarded; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8
= 2
$ vb_send_bw -c UD --mcast group host
! vb_send_bw: --mcast "group" is not an address of a group; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8
= 2
$ vb_send_bw -c UD --mcast-join cm host
! vb_send_bw: --mcast-join has no effect without --mcast
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 -b host
! vb_send_bw: -b and --mcast exclude each other: a group has one sender
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 -q 2 host
! vb_send_bw: --mcast with 1 threads of 2 QPs: each member of the group would get the messages of all of them; allowed: --threads 1 and -q (--qps) 1; a host that is given twice has two receivers
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 host host:
! vb_send_bw: host "host:": the port is ""; allowed: 1..65535
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 host:65536
! vb_send_bw: host "host:65536": the port is "65536"; allowed: 1..65535
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 [fe80::1
! vb_send_bw: host "[fe80::1": expected [ADDRESS] or [ADDRESS]:PORT
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 --srq host
! vb_send_bw: --srq and --mcast exclude each other: a receiver has one QP of its own
= 2
$ vb_send_bw -c UD --mcast 239.1.2.3 -R host
! vb_send_bw: -R and --mcast exclude each other: a group has no connections; --mcast-join cm joins it by rdma_cm
= 2
