The command pingpong: the options are those of send_lat.

$ verbench pingpong --help | sed -n 1,5p
> Usage: verbench pingpong [OPTIONS] HOST[:PORT]  exchange messages with HOST
>        verbench pingpong [OPTIONS]         serve one client
> The test is send_lat. Prints the addresses of the QPs, bytes, seconds, Mbit/sec
> and usec per round trip. The size is 4096 bytes, over UD 1024, unless -s or -a
> is given; 1000 round trips unless -n or -D is. No lists, --rounds, --shuffle,
= 0
$ verbench pingpong -t 4 host
! verbench: -t has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw; for iperf3's: -D (--duration), such as -D 10
= 2
$ verbench pingpong one two
! verbench: "two": only one host is allowed, and "one" is given before; several receivers need --mcast GROUP
= 2
One test, one value of each option.
$ verbench pingpong -s 2,4 host
! verbench: pingpong is one test: it takes no lists and none of --rounds, --shuffle, --resume and --dry-run; "verbench send_lat" does
= 2
$ verbench pingpong --rounds 2 host
! verbench: pingpong is one test: it takes no lists and none of --rounds, --shuffle, --resume and --dry-run; "verbench send_lat" does
= 2
It has no program name.
$ ln -s "$(command -v verbench)" vb_pingpong && ./vb_pingpong host
! verbench: "host" is not a command; "verbench help" lists them
= 2
-g of ibv_rc_pingpong is the index of a GID.
$ verbench pingpong -g 0 host
! verbench: -g: --mcast GROUP: an IPv4 group or an MGID; a GID index: -x
= 2
$ verbench pingpong -w 10 host
! verbench: -w (--wide) takes no value: "10" would be a host
= 2
