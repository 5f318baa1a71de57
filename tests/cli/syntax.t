What is no option, and what has no value or one too many.

$ vb_send_bw -z host
! vb_send_bw: -z: the sides talk over TCP; -R connects by rdma_cm
= 2
$ vb_send_bw -bz host
! vb_send_bw: -z: the sides talk over TCP; -R connects by rdma_cm
= 2
$ vb_send_bw --iters 5 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --iters=5 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
Abbreviations are not taken, so that a later option cannot break a script.
$ vb_send_bw --mess 5 host
! vb_send_bw: "--mess" is not an option; did you mean --messages?
= 2
$ vb_send_bw --mess=5 host
! vb_send_bw: "--mess" is not an option; did you mean --messages?
= 2
$ vb_send_bw --bot host
! vb_send_bw: "--bot" is not an option; did you mean --both?
= 2
$ vb_send_bw --s 5 host
! vb_send_bw: "--s" is not an option
= 2
$ vb_send_bw --api wr host
! vb_send_bw: "--api" is not an option; did you mean --post-api or --poll-api?
= 2
What users of iperf3 type.
$ vb_send_bw --time 10 --parallel 4 --reverse --length 64k --udp host
! vb_send_bw: "--time" is an option of iperf3; here: -D (--duration), such as -D 10
! vb_send_bw: "--parallel" is an option of iperf3; here: -q (--qps) for queue pairs, --threads for threads
! vb_send_bw: "--length" is an option of iperf3; here: -s (--size), such as -s 64k
! vb_send_bw: "--udp" is an option of iperf3; here: -c UD (--transport)
= 2
$ vb_send_bw -J -1 host
! vb_send_bw: -J: no raw Ethernet: use perftest's raw_ethernet_bw; for iperf3's: --json FILE, or --json -
= 2
$ vb_send_bw -c host -t 10s -l 64k
! vb_send_bw: -c "host": unknown; allowed: RC, UC, UD, XRC, DC; for iperf3's: the host stands alone, such as vb_write_bw HOST
! vb_send_bw: -t "10s": not a number; allowed: 1..16384 or auto; for iperf3's: -D (--duration), such as -D 10
! vb_send_bw: -l "64k": not a number; allowed: 1..16384; for iperf3's: -s (--size), such as -s 64k
= 2
$ vb_send_lat -t 10 host
! vb_send_lat: -t has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw; for iperf3's: -D (--duration), such as -D 10
= 2
$ verbench -c host
! verbench: -c: a command comes first: "verbench serve" on one host, a test such as "vb_write_bw HOST" on the other; "verbench help" lists all
= 2
$ vb_send_bw -P 4 host
! vb_send_bw: -P: a side with a host is the client; for iperf3's: -q (--qps) for queue pairs, --threads for threads
= 2
$ vb_send_bw host -s
! vb_send_bw: -s needs a value: 0..2G or auto
= 2
$ vb_send_bw host --size
! vb_send_bw: --size needs a value: 0..2G or auto
= 2
$ vb_send_bw host -d
! vb_send_bw: -d needs a value
= 2
$ vb_send_bw --both=1 host
! vb_send_bw: --both takes no value
= 2
$ vb_send_bw -d '' host
! vb_send_bw: -d "": the value is empty
= 2
$ vb_send_bw -s '' host
! vb_send_bw: -s "": the value is empty
= 2
$ vb_send_bw host other
! vb_send_bw: "other": only one host is allowed, and "host" is given before; several receivers need --mcast GROUP
= 2
$ vb_send_bw ''
! vb_send_bw: the host is empty
= 2

How people want the table is said by options without a value.
$ vb_send_bw -w 90 server
! vb_send_bw: -w (--wide) takes no value: "90" would be a host
= 2
$ vb_send_bw --wide 1.5 server
! vb_send_bw: -w (--wide) takes no value: "1.5" would be a host
= 2
$ vb_send_bw -w one two
! vb_send_bw: "two": only one host is allowed, and "one" is given before; several receivers need --mcast GROUP
= 2
$ vb_send_bw --quiet -v server
! vb_send_bw: --quiet and -v (--verbose) exclude each other
= 2
$ vb_send_bw --expect 'lost == ' node1
! vb_send_bw: --expect, character 9: a value is missing
= 2
$ vb_send_bw --expect 'lost == 0'
! vb_send_bw: --expect needs a HOST: only a client checks its results
= 2
$ verbench serve --expect 'lost == 0'
! verbench: --expect needs a HOST: only a client checks its results
= 2
