Only what has an effect on the test is listed.

$ vb_send_bw --help
> Usage: vb_send_bw [OPTIONS] HOST    measure against the server on HOST
>        vb_send_bw [OPTIONS]         serve one client, with options of "Where" only
> "verbench send_bw" is the same.
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
> What (on the client; the server learns it):
>   -c, --transport RC|UC|UD    transport service [default RC]
>       --completion poll|event|hybrid
>                               how completions are taken: busy polling, events, or polling for a
>                               while (--spin) before waiting for an event [default poll]
>   -e, --events                short for --completion event
>       --spin US               with --completion hybrid: microseconds of empty polls before it sleeps
>                               [0..1000000, default 20]
>       --imm                   with immediate data, whose value and order are checked
>   -b, --both                  both ways at the same time
>       --verify                check payload, immediate data and atomic results after each point,
>                               outside the timed region
>
> How much:
>   -s, --size BYTES            bytes per message, suffixes k, M, G (binary); auto: 64k for bandwidth
>                               (over UD one MTU at most), 2 for latency [1..2G or auto, default auto]
>   -a, --all                   all sizes: powers of two from 1 byte to 8 MiB (over UD to the MTU)
>   -n, --messages N            messages per QP and size; auto: 5000 for bandwidth, 1000 for latency
>                               [1..1000000000000 or auto, default auto]
>   -D, --duration SECONDS      run each size for a time instead of counting messages [1..2592000 or
>                               none, default none]
>
> How:
>   -t, --depth N               requests in flight per QP; auto: 128 or two post lists, or what the
>                               devices hold [1..16384 or auto, default auto]
>   -r, --recv-depth N          receives kept posted per QP; auto: 512 for bandwidth or two post
>                               lists, 64 for latency, or what the devices hold [1..16384 or auto,
>                               default auto]
>   -q, --qps N                 queue pairs of each thread; a latency test has its rounds on them in
>                               turn [1..16384, default 1]
>       --threads N             measuring threads on each side, each with CQs, buffers and --qps queue
>                               pairs of its own [1..256, default 1]
>   -l, --post-list N           requests per doorbell; not above --depth [1..16384, default 1]
>   -Q, --signal-interval N     requests per signalled one (perftest: cq-mod); not above --depth, and
>                               a multiple or a divisor of --post-list; auto: about a quarter of the
>                               depth [1..16384 or auto, default auto]
>   -I, --inline BYTES          send messages up to this size inline; auto: 0 for bandwidth, for
>                               latency what the devices grant [0..65536 or auto, default auto]
>       --footprint BYTES       bytes of buffers that messages walk over, on each side and for all QPs
>                               of a thread together; auto: a buffer for each request in flight (of
>                               many QPs, for some), 8 KiB at least, to 8 MiB per QP [64..1024G or
>                               auto, default auto]
>       --walk auto|seq|random|same
>                               order of the buffers: one after the other, a fixed random permutation,
>                               or one buffer per QP for all messages; auto: seq, but same where the
>                               last byte of the payload counts the rounds [default auto]
>       --hugepages auto|on|off
>                               pages behind the buffers; auto: hugepages where enough are free, and
>                               the buffers fill one [default auto]
>       --locks auto|on|off     the provider's locks around queues that one thread owns; off: thread
>                               domains and single-threaded CQs; auto: off where the device offers it
>                               [default auto]
>       --post-api send|wr|auto
>                               how requests are posted: by ibv_post_send or by ibv_wr_*; auto: send
>                               [default auto]
>       --poll-api classic|extended
>                               how completions are polled: by ibv_poll_cq or, from extended CQs, by
>                               ibv_start_poll [default classic]
>
> Path:
>   -m, --mtu BYTES             path MTU; auto: the smaller of both ports' active MTUs [powers of two
>                               in 256..4096 or auto, default auto]
>   -S, --sl N                  service level; on Ethernet the priority, to 7 [0..15, default 0]
>       --tclass N              traffic class of the GRH (RoCE v2: DSCP in the upper six bits)
>                               [0..255, default 0]
>   -u, --timeout CODE          time-out for an acknowledgement: 4.096 us * 2^CODE; 0: for ever
>                               [0..31, default 14]
>       --retry N               retries after a time-out; 7 is a count like the others by the
>                               specification, but for ever on Soft-RoCE [0..7, default 6]
>       --rnr-retry N           retries when the receiver was not ready; 7: for ever [0..7, default 6]
>       --min-rnr-timer CODE    pause asked of a sender whose receiver was not ready; 12: 0.64 ms, 0:
>                               655 ms [0..31, default 12]
>
> Placement:
>       --pin WHERE             cpus of the measuring threads, one core each: near the HCA, far from
>                               it, none (not bound), or SPEC in hwloc's words, in turn: core:3,
>                               pu:0-3, numa:1, l3:nic (near the HCA); pu and numa by the system's
>                               numbers; auto: near while there are cores, not bound where the HCA's
>                               place is not known [default auto]
>       --mem WHERE             memory of rings and buffers: local (the thread's node), device (the
>                               HCA's), the number of a NUMA node, or SPEC in turn; auto: local when
>                               the thread is bound [default auto]
>       --peer-pin WHERE        --pin of the server [default auto]
>       --peer-mem WHERE        --mem of the server [default auto]
>
> Other:
>   -h, --help                  print this and leave
>   -V, --version               print the version and leave
= 0
