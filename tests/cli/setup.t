The options of verbench setup: what it refuses before it opens a device or a connection.

$ verbench setup
! verbench: setup needs the host of a server ("verbench serve")
= 2
$ verbench setup one two
! verbench: "two": setup takes one host, and "one" is given before
= 2
$ verbench setup --only mr,nothing host
! verbench: --only "nothing": no measurement has this name; allowed: pd, mr, cq, srq, ah, mw, qp, qps, cm, cms
= 2
$ verbench setup --only '' host
! verbench: --only "": the value is empty
= 2
$ verbench setup --only mr,,qp host
! verbench: --only "": no measurement has this name; allowed: pd, mr, cq, srq, ah, mw, qp, qps, cm, cms
= 2
$ verbench setup --only mr,qp,mr host
! verbench: --only names mr twice
= 2
$ verbench setup --only m host
! verbench: --only "m": no measurement has this name; allowed: pd, mr, cq, srq, ah, mw, qp, qps, cm, cms
= 2
$ verbench setup -n 1000001 host
! verbench: -n "1000001": out of range for setup; allowed: 1..1000000 or auto
= 2
$ verbench setup -n 0 host
! verbench: -n "0": out of range; allowed: 1..1000G or auto
= 2
$ verbench setup --qps 0 host
! verbench: --qps "0": out of range; allowed: 1..16384
= 2
$ verbench setup -c UD host
! verbench: -c is not an option of setup, only of tests
= 2
$ verbench setup -s 64 host
! verbench: -s is not an option of setup, only of tests, copy
= 2
$ verbench setup --verify host
! verbench: --verify is not an option of setup, only of tests
= 2
$ verbench setup --csv - --json - host
! verbench: --csv - and --json - exclude each other: only one of them can go to standard output
= 2
$ verbench setup --csv /nonexistent/a.csv host
! verbench: cannot write to /nonexistent/a.csv: its directory does not exist
= 2
$ verbench serve --only mr
! verbench: --only is not an option of serve, only of setup
= 2
$ vb_send_bw --only mr host
! vb_send_bw: --only is not an option of tests, only of setup
= 2
$ verbench list --qps 3
! verbench: --qps is not an option of list, only of tests, setup
= 2
The names of --only are in the help.
$ verbench setup --help | sed -n '/^Measurements/,/^$/p'
> Measurements (--only):
>   pd    protection domains: allocate, free
>   mr    memory regions: register, deregister, by size, pages and access
>   cq    completion queues: create, destroy, by entries; resize
>   srq   shared receive queues: create, destroy, by entries
>   ah    address handles to the server: create, destroy
>   mw    memory windows: allocate, free, bind, invalidate
>   qp    queue pairs: create to RTS, destroy, one after the other
>   qps   queue pairs: create to RTS, destroy, many at once (--qps)
>   cm    connections by rdma_cm, one after the other: connect and disconnect
>   cms   connections by rdma_cm: the same, many at once (--qps)
>
= 0
A host that does not exist, and a server that does not listen.
$ verbench setup --connect-timeout 0.1 -p 1 no.such.host.invalid >/dev/null 2>&1
= 1
$ verbench setup --connect-timeout 0.1 -p 1 localhost >/dev/null 2>&1
= 1
