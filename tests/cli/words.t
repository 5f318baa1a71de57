How values are written: times, sizes, counts, hosts with ports, lists of cpus.

What is taken is seen by what is refused behind it: an option without effect on the test.
$ for t in 60 60s 1m 1.5 1h 500ms 100000us auto; do vb_send_bw -D $t --spin 5 host; done 2>&1 | sort | uniq -c | tr -s ' '
>  8 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0
$ for t in 20 20us 0 0.5ms 1s; do vb_send_bw --spin $t host; done 2>&1 | sort | uniq -c | tr -s ' '
>  5 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0
$ for s in 64 64k 64K 64KiB 64kib 1M 1MiB 2G; do vb_send_bw -s $s --spin 5 host; done 2>&1 | sort | uniq -c | tr -s ' '
>  8 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0
$ for n in 1000 10k 10K 1M 1G auto; do vb_send_bw -n $n --spin 5 host; done 2>&1 | sort | uniq -c | tr -s ' '
>  6 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0
$ for h in host host:18515 10.0.0.2:1 ::1 [::1] [::1]:18600 [fe80::1%eth0]; do vb_send_bw --spin 5 $h; done 2>&1 | sort | uniq -c | tr -s ' '
>  7 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0
$ for p in 3 0-3 0,2 0-1,4 cpu:3 cpu:0-3 pu:3 core:1,3 numa:0; do vb_send_bw --pin $p --spin 5 host; done 2>&1 | sort | uniq -c | tr -s ' '
>  9 vb_send_bw: --spin has no effect with --completion poll, only with hybrid
= 0

$ vb_send_bw -D 20us host
! vb_send_bw: -D "20us": out of range; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -D 1.2345 host
! vb_send_bw: -D "1.2345": finer than 1ms; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -D 1min host
! vb_send_bw: -D "1min": not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -D 721h host
! vb_send_bw: -D "721h": out of range; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw --stall-timeout 99999999999999h host
! vb_send_bw: --stall-timeout "99999999999999h": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --connect-timeout 0 host
! vb_send_bw: --connect-timeout "0": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --migrate-after 2h host
! vb_send_bw: --migrate-after "2h": out of range; allowed: 0..1h or none
= 2
$ vb_send_bw -e --completion hybrid --spin 1.5us host
! vb_send_bw: -e and --completion set the same: only one of them is allowed
! vb_send_bw: --spin "1.5us": finer than 1us; allowed: 0..1s
= 2
$ vb_send_bw -s 64kB host
! vb_send_bw: -s "64kB": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ vb_send_bw -n 1.5k host
! vb_send_bw: -n "1.5k": not a number; allowed: 1..1000G or auto
= 2
$ vb_send_bw -n 1001G host
! vb_send_bw: -n "1001G": out of range; allowed: 1..1000G or auto
= 2
$ vb_send_bw host:
! vb_send_bw: host "host:": the port is ""; allowed: 1..65535
= 2
$ vb_send_bw host:99999
! vb_send_bw: host "host:99999": the port is "99999"; allowed: 1..65535
= 2
$ vb_send_bw [::1
! vb_send_bw: host "[::1": expected [ADDRESS] or [ADDRESS]:PORT
= 2
$ vb_send_bw :18515
! vb_send_bw: ":18515": the host is empty
= 2
$ vb_send_bw -p 18516 host:18515
! vb_send_bw: host "host:18515" and -p (--port) 18516: two different ports for one server
= 2
$ verbench setup -p 18516 [::1]:18515
! verbench: host "[::1]:18515" and -p (--port) 18516: two different ports for one server
= 2
$ verbench pingpong -p 18516 host:18515
! verbench: host "host:18515" and -p (--port) 18516: two different ports for one server
= 2
$ vb_send_bw --pin 3- host
! vb_send_bw: --pin "3-": expected a number of at most 6 digits after '-'
= 2
$ vb_send_bw --pin 3-1 host
! vb_send_bw: --pin "3-1": the end of the range is less than its start
= 2
$ vb_send_bw --pin 0-6:2 host
! vb_send_bw: --pin "0-6:2": "0-6" is not a type of cpus or memory; allowed: pu (or cpu), core, numa, package, die, group, l1, l2, l3, machine
= 2
$ vb_send_bw --peer-pin 0, host
! vb_send_bw: --peer-pin "0,": an item is missing after the last comma
= 2
$ vb_send_bw --mem 0-1 host
! vb_send_bw: --mem "0-1": unknown; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)
= 2
