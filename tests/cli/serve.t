What a server does not take.

$ verbench serve --help
> Usage: verbench serve [OPTIONS]
> Serves clients of every test until it is told to stop; the clients say what to measure.
>
> Where (on either side):
>   -d, --device NAME           RDMA device; default: the first with an active port that reaches the
>                               peer
>       --soft                  add emulated devices (softhca0, ...): both sides on one machine, no
>                               hardware; softhca --help says how their link is set
>   -i, --ib-port N             port of the device; auto: the first active one [1..255 or auto,
>                               default auto]
>   -x, --gid-index N           index into the port's GID table; auto: chosen as a pair from both
>                               tables [0..255 or auto, default auto]
>   -p, --port N                TCP port of the control connection [1..65535, default 18515]
>       --connect-timeout TIME  how long to try to reach the server and to agree with it: seconds (5,
>                               0.5) or 500ms [0.1..3600 s, default 10]
>       --stall-timeout TIME    end the run when nothing has moved for so long: seconds or 500ms;
>                               while a test runs the client's holds on both sides [0.1..3600 s,
>                               default 5]
>       --csv FILE|-            write results as CSV; -: to standard output
>       --json FILE|-           write options, plan and results as one JSON document (serve: one per
>                               session, a line each); -: to standard output
>
> Other:
>   -h, --help                  print this and leave
>   -V, --version               print the version and leave
= 0
$ verbench serve host
! verbench: serve takes no operands: "host"
= 2
$ verbench serve -s 64
! verbench: -s (--size) belongs to the client: the server learns the test from it
= 2
$ verbench serve --duration 5 -p 7
! verbench: -D (--duration) belongs to the client: the server learns the test from it
= 2
$ verbench serve -p 0
! verbench: -p (--port) "0": out of range; allowed: 1..65535
= 2
$ verbench serve -x 256
! verbench: -x (--gid-index) "256": out of range; allowed: 0..255 or auto
= 2
$ verbench serve --csv - --json -
! verbench: --csv - and --json - exclude each other: standard output can carry one of them
= 2
$ vb_send_bw -s 64
! vb_send_bw: -s (--size) belongs to the client: the server learns the test from it (no host was given, so this is the server)
= 2
$ vb_write_lat -c UD
! vb_write_lat: -c (--transport) belongs to the client: the server learns the test from it (no host was given, so this is the server)
= 2
$ vb_read_bw -n 100 -q 4
! vb_read_bw: -n (--messages) belongs to the client: the server learns the test from it (no host was given, so this is the server)
= 2
$ verbench serve --threads 2
! verbench: --threads belongs to the client: the server learns the test from it
= 2
