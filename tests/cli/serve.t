What a server does not take. Options of a test are what it expects: only those that no test has together are
refused.

$ verbench serve host
! verbench: serve takes no operands: "host"
= 2
$ verbench serve -p 0
! verbench: -p "0": out of range; allowed: 1..65535
= 2
$ verbench serve -x 256
! verbench: -x "256": out of range; allowed: 0..255 or auto
= 2
$ verbench serve --csv - --json -
! verbench: --csv - and --json - exclude each other: only one of them can go to standard output
= 2
$ vb_write_lat -c UD
! vb_write_lat: write over UD: a datagram cannot address memory of the target; use RC or UC
= 2
$ verbench serve --topology
! verbench: --topology is not an option of serve, only of list
= 2
$ verbench serve -s 64 -a
! verbench: -s and -a (--all) exclude each other: one size or all sizes
= 2
$ verbench serve -A cmp_swap -n 5 -D 5
! verbench: -n and -D (--duration) exclude each other: a run ends by count or by time
= 2
$ verbench serve -l 4 -t 2
! verbench: -l 4 does not fit a depth of 2; allowed: 1..2, or raise -t (--depth)
= 2
$ vb_read_bw -n 100 -D 5
! vb_read_bw: -n and -D (--duration) exclude each other: a run ends by count or by time
= 2
$ vb_send_bw --srq-limit 5
! vb_send_bw: --srq-limit has no effect without --srq: a receive queue of a QP has no limit event
= 2
$ verbench serve --only qp
! verbench: --only is not an option of serve, only of setup
= 2
$ verbench serve --peer-port 0
! verbench: --peer-port "0": out of range; allowed: 1..255
= 2
$ verbench copy --copy-to . -s 1M
! verbench: -s is an option of the client: the server learns it from the client
= 2
$ verbench copy --copy-to . --peer-device x
! verbench: --peer-device is an option of the client: the server learns it from the client
= 2
A file that is a host, and was given as the value of an option.
$ vb_send_bw --json node1 --copy-to /nonexistent
! vb_send_bw: no host is given, so this is the server; --json writes to the file "node1"
! vb_send_bw: --copy-to /nonexistent: No such file or directory
= 1
$ vb_send_bw --csv - --jsonl=node2 --copy-to /nonexistent
! vb_send_bw: no host is given, so this is the server; --jsonl writes to the file "node2"
! vb_send_bw: --copy-to /nonexistent: No such file or directory
= 1

The file of its owner: what is wrong, and where. Options of a test, and those that print, are not the owner's.
$ printf 'max-sesions = 3\n' >c; verbench serve --config c
! verbench: c:1: "max-sesions" is not an option of a server; did you mean max-sessions?
= 2
$ printf '# limits\n\nmax-sessions = 0\n' >c; verbench serve --config c
! verbench: c:3: max-sessions "0": out of range; allowed: 1..10000
= 2
$ printf 'max-sessions\n' >c; verbench serve --config c
! verbench: c:1: "max-sessions" is not "option = value"
= 2
$ printf 'max-sessions = 3 # few\nmax_sessions = 4\n' >c; verbench serve --config c
! verbench: c:2: max_sessions is set twice
= 2
$ printf 'size = 64\n' >c; verbench serve --config c
! verbench: c:1: "size" is not an option of a server
= 2
$ printf 'help = yes\n' >c; verbench serve --config c
! verbench: c:1: "help" is not an option of a server
= 2
$ printf 'config = x\n' >c; verbench serve --config c
! verbench: c:1: "config" is not an option of a server
= 2
$ printf 'quiet = perhaps\n' >c; verbench serve --config c
! verbench: c:1: quiet "perhaps": allowed: yes, no
= 2
$ printf 'max-memory = 3 bytes\n' >c; verbench serve --config c
! verbench: c:1: max-memory "3 bytes": not a size such as 512, 64k, 1M or 64KiB; allowed: 1M..16384G
= 2
$ printf 'clients-may = pin,everything\n' >c; verbench serve --config c
! verbench: --clients-may "everything": unknown; allowed: all, none, or some of pin, mem, hugepages, sl, uc, ud, overwrite with "," between them
= 2
$ printf 'max-sessions = none\n' >c; verbench serve --config c --max-sessions 4
! verbench: c:1: max-sessions "none": not a number; allowed: 1..10000
= 2
$ verbench serve --config none-such
! verbench: cannot open none-such: No such file or directory
= 2
$ vb_send_bw --max-sessions 3 host
! vb_send_bw: --max-sessions is not an option of tests, only of serve
= 2
$ vb_send_bw --clients-may none,pin
! vb_send_bw: --clients-may "none": unknown; allowed: all, none, or some of pin, mem, hugepages, sl, uc, ud, overwrite with "," between them
= 2
$ vb_send_bw --config /dev/null
! vb_send_bw: --config is an option of "verbench serve"
= 2
$ verbench serve --sandbox off -p 11518 --metrics /dev/null
! verbench: sessions are in no sandbox (--sandbox off)
! verbench: --metrics /dev/null: this is no regular file
= 2
$ verbench serve --sandbox off -p 11518 --metrics 127.0.0.1:9100
! verbench: sessions are in no sandbox (--sandbox off)
! verbench: --metrics 127.0.0.1:9100: node_exporter reads only files whose name ends with .prom
= 2
