The everyday options of one test with the names of the others, its whole help, the options that only other tests and
commands have, and the names of the options of each command: a test lists only what has an effect on it.

$ vb_send_bw --help
> Usage: vb_send_bw [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_send_bw [OPTIONS]              serve one client, with any test;
>                       options of a test are what it expects of the client
> "verbench send_bw" is the same command.
>
> Where (on either side):
>   -d, --device NAME       RDMA device by its name [default: the first device
>                           with an active port that reaches the peer]
>       --soft              add emulated devices (softhca0, ...): both sides run
>                           on one machine without hardware
>   -i, --ib-port N         port of the device [default: the first active port]
>   -x, --gid-index N       index into the GID table of the port [default: the
>                           best pair of GIDs from the tables of both sides]
>   -R, --cm                connect the queue pairs by rdma_cm
>   -p, --port N            TCP port of the control connection [default 18515]
>       --key FILE          key of both sides, made by "verbench key": each side
>                           proves that it has it, and the control connection is
>                           encrypted
>
> Results:
>       --csv FILE|-        add results to FILE as CSV
>       --json FILE|-       replace FILE by one JSON document of this run
>       --jsonl FILE|-      add results to FILE as JSON Lines, one object per row
>       --csv-new           start the FILE of --csv over
>       --expect RULES      print PASS or FAIL for each row and rule, and exit
>                           with 3 if a rule is not met, or if a rule selects no
>                           row
>   -v, --verbose           print hosts, settings and all notes above the results
>       --quiet             print only the results with their column heads: no
>                           lines above them, no notes
>   -w, --wide              print all columns of the table, and lines as long as
>                           they are
>
> What (the client chooses; a server expects what it is given):
>   -c, --transport RC|UC|UD|XRC|DC
>                           transport service [default RC]
>       --completion poll|event|hybrid
>                           how completions are taken: busy polling, events, or
>                           polling for a time (--spin) before waiting for an
>                           event [default poll]
>   -b, --both              measure both directions at the same time
>       --verify            check payload, immediate data and atomic results after
>                           each point, outside the timed region
>
> How much:
>   -s, --size BYTES        bytes per message, suffixes k, M, G (binary), 0 where
>                           nothing depends on the payload [default: 64k for
>                           bandwidth (over UD at most one MTU), 2 for latency]
>   -a, --all               run all sizes: powers of two from 2 bytes to 8 MiB
>                           (over UD to the MTU)
>   -n, --messages N        messages per QP and size, suffixes k, M, G (decimal)
>                           [default: 5000 for bandwidth (of a fast link a few ms:
>                           --duration measures for longer), 1000 for latency]
>   -D, --duration TIME     run each size for this time instead of a number of
>                           messages: 60 (seconds), 1.5, 500ms, 1m, 1h
>       --interval TIME     print and store a row for each such part of a point
>                           while it runs, on both sides
>       --rounds N          measure all cells (combinations of values) this many
>                           times, round after round [default 1]
>       --shuffle SEED      measure the cells in a random order
>       --resume FILE       go on with the sweep whose rows --csv wrote to FILE:
>                           measure the cells that are not complete there, and add
>                           their rows
>       --dry-run           print what would be measured, and how long it would
>                           take
>
> How:
>   -t, --depth N           requests in flight per QP [default: 128, or two post
>                           lists if that is more, but not more than the devices
>                           hold]
>   -q, --qps N             queue pairs of each thread [default 1]
>       --threads N         measuring threads on each side [default 1]
>   -l, --post-list N       requests per doorbell [default 1]
>
> Path:
>   -m, --mtu BYTES         path MTU [default: the smaller active MTU of the two
>                           ports]
>
> Placement:
>       --pin WHERE         cpus of the measuring threads, one core each: near the
>                           HCA, far from it, none (not bound), or as taskset
>                           takes them (3, 0-3, 0,2) [default: near while there
>                           are free cores, not bound if the location of the HCA
>                           is unknown]
>
> Other:
>   -h, --help              print this help and exit
>       --help-all          print the help of all options and exit
>   -V, --version           print the version and exit
>
> More options, which --help-all explains:
>   --peer-device --peer-ib-port --peer-port --peer-gid-index --alternate-port
>   --bind --connect-timeout --stall-timeout --force --events --spin --imm
>   --mcast --mcast-join --warm-up --like --recv-depth --srq --srq-limit --one-qp
>   --ah --signal-interval --inline --sge --fence --solicited --footprint --walk
>   --hugepages --buffers --relaxed-ordering --locks --disturb --post-api
>   --poll-api --sl --tclass --pkey --timeout --retry --migrate-after --rnr-retry
>   --min-rnr-timer --mem --peer-pin --peer-mem
= 0
$ vb_send_bw --help-all
> Usage: vb_send_bw [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_send_bw [OPTIONS]              serve one client, with any test;
>                       options of a test are what it expects of the client
> "verbench send_bw" is the same command.
>
> Where (on either side):
>   -d, --device NAME       RDMA device by its name; for tests and setup also by
>                           its node GUID; default: the first device with an
>                           active port that reaches the peer; run: also A,B,...,
>                           which are measured at the same time, each with the
>                           HOST in its place
>       --peer-device NAME  device of the server, as --device there; refused if
>                           the server was started with another one
>       --soft              add emulated devices (softhca0, ...): both sides run
>                           on one machine without hardware; "softhca --help"
>                           describes the settings of their link
>   -i, --ib-port N         port of the device; auto: the first active port
>                           [1..255 or auto, default auto]
>       --peer-ib-port N    port of the server's device, as --ib-port there;
>                           refused if the server was started with another one
>                           [1..255 or auto, default auto]
>       --peer-port N       the same as --peer-ib-port; the TCP port of the server
>                           is --port [1..255]
>   -x, --gid-index N       index into the GID table of the port; auto: the best
>                           pair of GIDs from the tables of both sides [0..255 or
>                           auto, default auto]
>       --peer-gid-index N  GID index on the server, as --gid-index there; refused
>                           if the server was started with another one [0..255 or
>                           auto, default auto]
>   -R, --cm                connect the queue pairs by rdma_cm; from and to the
>                           addresses of the chosen GIDs, instead of by addresses
>                           sent over TCP; RC and UD; the control connection stays
>                           TCP; iWARP devices need it
>       --alternate-port N  with --migrate-after: the other port of the device;
>                           auto: the first active one [1..255 or auto, default
>                           auto]
>   -p, --port N            TCP port of the control connection; a client may write
>                           HOST:PORT instead [1..65535, default 18515]
>       --bind ADDR         address of this host: a client connects from it, a
>                           server listens only on it, or on A,B,... or the
>                           addresses of an interface; the GID of this address is
>                           then preferred
>       --key FILE          key of both sides, made by "verbench key": each side
>                           proves that it has it, and the control connection is
>                           encrypted; nothing is told to others
>       --connect-timeout TIME
>                           how long to wait for the server, and to agree on the
>                           test [100ms..1h, default 10s]
>       --stall-timeout TIME
>                           end the run after this time without progress; during a
>                           test the value of the client applies to both sides
>                           [100ms..1h, default 5s]
>
> Results:
>       --csv FILE|-        add results to FILE as CSV; a new FILE gets a line of
>                           names; -: to standard output
>       --json FILE|-       replace FILE by one JSON document of this run; it has
>                           status, options, plan and results (serve: one document
>                           per session is added, each on a line); -: to standard
>                           output
>       --jsonl FILE|-      add results to FILE as JSON Lines, one object per row;
>                           -: to standard output
>       --csv-new           start the FILE of --csv over; its rows, also those of
>                           another version of verbench, are replaced by the first
>                           row of this run (serve: when it starts); a file that
>                           is no CSV of verbench is refused
>       --force             start the FILE of --csv, --json and --jsonl over; as
>                           --csv-new, and whatever is in it is replaced; report:
>                           replace any file by that of --html and --plot
>       --expect RULES      print PASS or FAIL for each row and rule, and exit
>                           with 3 if a rule is not met, or if a rule selects no
>                           row; rules with ";" between them, such as
>                           'bandwidth_gbit_s >= 90 where size_bytes >= 64k;
>                           lat_p99_ns <= 5us; warnings == none': a column of
>                           docs/schema.md, one of < <= > >= == != has lacks, a
>                           value, and after where conditions with "and" between
>                           them; what was not measured is not met
>   -v, --verbose           print hosts, settings and all notes above the results;
>                           serve: a table for each session in place of a line
>       --quiet             print only the results with their column heads: no
>                           lines above them, no notes; serve: only where it
>                           listens, and errors; report: only what comes of
>                           --expect
>   -w, --wide              print all columns of the table, and lines as long as
>                           they are; without it lines have 80 columns, on a wider
>                           terminal as many as it has
>
> What (the client chooses; a server expects what it is given):
>   -c, --transport RC|UC|UD|XRC|DC
>                           transport service; XRC: each side sends by XRC_SEND
>                           QPs and receives by XRC_RECV QPs, each with an SRQ of
>                           its own; DC, on mlx5 devices: by DCIs and DCTs in the
>                           same way, with --post-api wr [default RC]
>       --completion poll|event|hybrid
>                           how completions are taken: busy polling, events, or
>                           polling for a time (--spin) before waiting for an
>                           event [default poll]
>   -e, --events            short for --completion event
>       --spin TIME         with --completion hybrid: how long polls are empty
>                           before the thread sleeps; a plain number is in
>                           microseconds [0..1s, default 20us]
>       --imm               send immediate data; the receiver checks its value and
>                           order
>   -b, --both              measure both directions at the same time
>       --mcast GROUP       send each message to all members of a multicast group:
>                           224.0.1.0..239.255.255.255, or an MGID; each
>                           HOST[:PORT] operand is a receiver with a row of its
>                           own, and a host that is given twice has two
>       --mcast-join verbs|cm|auto
>                           with --mcast: how the group is joined: by
>                           ibv_attach_mcast alone, which reaches members on the
>                           same port and tells no switch, or by rdma_cm, too,
>                           which joins by IGMP or at the subnet manager; auto: cm
>                           if all sides have rdma_cm [default auto]
>       --verify            check payload, immediate data and atomic results after
>                           each point, outside the timed region
>
> How much:
>   -s, --size BYTES        bytes per message, suffixes k, M, G (binary), 0 where
>                           nothing depends on the payload; auto: 64k for
>                           bandwidth (over UD at most one MTU), 2 for latency; of
>                           a copy: bytes of a window, 4k to 64M, auto: 1M [0..2G
>                           or auto, default auto]
>   -a, --all               run all sizes: powers of two from 2 bytes to 8 MiB
>                           (over UD to the MTU)
>   -n, --messages N        messages per QP and size, suffixes k, M, G (decimal);
>                           auto: 5000 for bandwidth (of a fast link a few ms:
>                           --duration measures for longer), 1000 for latency;
>                           setup: operations per row, at most 1000000; auto: as
>                           many as fit into a quarter of a second, at most 10000
>                           [1..1000G or auto, default auto]
>   -D, --duration TIME     run each size for this time instead of a number of
>                           messages: 60 (seconds), 1.5, 500ms, 1m, 1h; forever:
>                           until Ctrl-C or SIGTERM on one side, which is then no
>                           error [100ms..720h or none or forever, default none]
>       --interval TIME     print and store a row for each such part of a point
>                           while it runs, on both sides; rate, messages, CPU
>                           time, percentiles; their sums are the row of the
>                           point, which follows [100ms..24h or none, default
>                           none]
>       --warm-up N         before the first size, run N messages per QP of it
>                           that are not measured, on queue pairs of their own:
>                           caches, clocks and page tables are then as warm for
>                           the first row as for the next; auto: 1000 with --all,
>                           but not more than --messages, else 0 [0..1000000 or
>                           auto, default auto]
>       --rounds N          measure all cells (combinations of values) this many
>                           times, round after round [1..10000, default 1]
>       --shuffle SEED      measure the cells in a random order; the same SEED
>                           gives the same order; none: the list that is given
>                           last changes fastest [0..4294967294 or none, default
>                           none]
>       --resume FILE       go on with the sweep whose rows --csv wrote to FILE:
>                           measure the cells that are not complete there, and add
>                           their rows; FILE.run.json beside it says what the
>                           sweep is, and another one is refused; a FILE that does
>                           not exist is begun
>       --dry-run           print what would be measured, and how long it would
>                           take; nothing is measured, and no host is needed
>
> How:
>       --like none|perftest
>                           perftest: what is not given is as perftest has it, so
>                           that figures can be laid beside its figures: one page
>                           or one buffer per QP, --depth 128, --recv-depth 512,
>                           --signal-interval 100 (1 above 8 KiB), --messages 1000
>                           (write_bw: 5000), --locks on, no hugepages, no warm-up
>                           [default none]
>   -t, --depth N           requests in flight per QP; auto: 128, or two post
>                           lists if that is more, but not more than the devices
>                           hold [1..16384 or auto, default auto]
>   -r, --recv-depth N      receives kept posted per QP; auto: 512 for bandwidth,
>                           64 for latency, or two post lists if that is more, but
>                           not more than the devices hold [1..16384 or auto,
>                           default auto]
>       --srq               all QPs of a thread share one receive queue (SRQ), on
>                           both sides; --recv-depth is the share of a QP
>       --srq-limit N       with --srq: when fewer receives than this are left,
>                           the device raises an event, and the thread posts used
>                           receives again without waiting for a whole list; 0: no
>                           event; auto: a quarter of all receives [0..268435456
>                           or auto, default auto]
>       --one-qp            each thread of the server has one QP, to which all QPs
>                           of the client's thread send; it tells them apart by
>                           the source QP
>       --ah address|first  where the server has the client's address from: from
>                           the control connection, or from the first message of
>                           each QP (ibv_create_ah_from_wc), which must agree with
>                           it [default address]
>   -q, --qps N             queue pairs of each thread; a latency test uses them
>                           round-robin; setup: QPs that are made at once, 64 if
>                           the option is not given [1..16384, default 1]
>       --threads N         measuring threads on each side; each has its own CQs,
>                           buffers and --qps queue pairs [1..256, default 1]
>   -l, --post-list N       requests per doorbell; at most --depth [1..16384,
>                           default 1]
>   -Q, --signal-interval N
>                           requests per signalled request (perftest: cq-mod); at
>                           most --depth, and a multiple or a divisor of
>                           --post-list; auto: about a quarter of the depth
>                           [1..16384 or auto, default auto]
>   -I, --inline BYTES      send messages up to this size inline; auto: 0 for
>                           bandwidth, for latency what the devices grant [0..64k
>                           or auto, default auto]
>       --sge N             scatter/gather elements: a message is gathered from
>                           this many separate pieces of memory at the sender, and
>                           scattered to as many by receives and reads; a message
>                           has one byte per piece at least [1..32, default 1]
>       --fence             requests carry IBV_SEND_FENCE: each waits for the
>                           reads and atomics before it on its QP
>       --solicited N       with events: every Nth message of a QP and the last
>                           one carry IBV_SEND_SOLICITED, and receivers wait for
>                           events of these only; none: for events of any message
>                           [1..16384 or none, default none]
>       --footprint BYTES   bytes of buffers that messages use, on each side and
>                           for all QPs of a thread together; auto: a buffer for
>                           each request in flight (with many QPs: for some of
>                           them), at least 8 KiB, at most 8 MiB per QP [64..1024G
>                           or auto, default auto]
>       --walk auto|seq|random|same
>                           order in which messages use the buffers: one after the
>                           other, a fixed random permutation, or one buffer per
>                           QP for all messages; auto: seq, but same where the
>                           last byte of the payload counts the rounds [default
>                           auto]
>       --hugepages auto|on|off
>                           pages of the buffers; auto: hugepages if enough are
>                           free and the buffers fill at least one [default auto]
>       --buffers host|odp|device
>                           memory of the buffers: host memory that is pinned when
>                           it is registered, odp, registered for on-demand
>                           paging: the device maps a page when it first uses it,
>                           and after the kernel has moved it, or device, memory
>                           of the device itself (ibv_alloc_dm) [default host]
>       --relaxed-ordering auto|on|off
>                           PCIe relaxed ordering of what the devices write to the
>                           buffers (IBV_ACCESS_RELAXED_ORDERING); auto: on, but
>                           off where a thread watches the last byte of a message,
>                           with odp, and with memory of the device; a device or
>                           kernel that does not know it ignores it [default auto]
>       --locks auto|on|off
>                           locks of the provider around queues that only one
>                           thread uses; off: thread domains and single-threaded
>                           CQs; auto: off if the device supports it [default
>                           auto]
>       --disturb none|cq|sq
>                           disturb the queues while they are in use, every 2 ms:
>                           cq changes the size of the CQs up and down, sq drains
>                           one send queue after the other (SQD and back); with
>                           the locks of the provider [default none]
>       --post-api send|wr|auto
>                           how requests are posted: by ibv_post_send or by
>                           ibv_wr_*; auto: send, over DC wr [default auto]
>       --poll-api classic|extended
>                           how completions are polled: by ibv_poll_cq, or by
>                           ibv_start_poll from extended CQs [default classic]
>
> Path:
>   -m, --mtu BYTES         path MTU; auto: the smaller active MTU of the two
>                           ports [powers of two in 256..4096 or auto, default
>                           auto]
>   -S, --sl N              service level; on Ethernet the priority, at most 7
>                           [0..15, default 0]
>       --tclass N          traffic class of the GRH (RoCE v2: DSCP in the upper
>                           six bits) [0..255, default 0]
>       --pkey VALUE        P_Key of the partition; each side uses its own entry
>                           of this partition, and prefers full membership; auto:
>                           the first entry with full membership of the server,
>                           and the entry of the client that fits it [0x1..0xffff
>                           or auto, default auto]
>   -u, --timeout CODE      how long a sender waits for an acknowledgement: 4.096
>                           us * 2^CODE; 0: forever [0..31, default 14]
>       --retry N           retries after a timeout; 7 is a normal count in the
>                           specification, but means forever on Soft-RoCE [0..7,
>                           default 6]
>       --migrate-after TIME
>                           path migration (APM): each QP has an alternate path,
>                           from another port of the device to another port of the
>                           peer's, and goes over to it this time after the start
>                           of each size (a plain number is in milliseconds); the
>                           devices go over by themselves when their port fails
>                           [0..1h or none, default none]
>       --rnr-retry N       retries when the receiver is not ready; 7: forever
>                           [0..7, default 6]
>       --min-rnr-timer CODE
>                           RNR NAK timer: how long a sender waits before it tries
>                           again; 12: 0.64 ms, 0: 655 ms [0..31, default 12]
>
> Placement:
>       --pin WHERE         cpus of the measuring threads, one core each: near the
>                           HCA, far from it, none (not bound), or as taskset
>                           takes them (3, 0-3, 0,2); cpu:3 is the same as 3; or
>                           SPEC in the terms of hwloc: core:3, numa:1, l3:nic
>                           (near the HCA); a list is used round-robin; cpu and
>                           numa take the numbers of the operating system; auto:
>                           near while there are free cores, not bound if the
>                           location of the HCA is unknown [default auto]
>       --mem WHERE         memory of rings and buffers: local (the node of the
>                           thread), device (the node of the HCA), the number of a
>                           NUMA node, or SPEC, used round-robin; auto: local if
>                           the thread is bound [default auto]
>       --peer-pin WHERE    --pin of the server; auto: what the server was started
>                           with [default auto]
>       --peer-mem WHERE    --mem of the server; auto: what the server was started
>                           with [default auto]
>
> Other:
>   -h, --help              print this help and exit
>       --help-all          print the help of all options and exit
>   -V, --version           print the version and exit
= 0
$ vb_send_bw --help-all >send; vb_read_bw --help-all | grep -vxFf send
> Usage: vb_read_bw [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_read_bw [OPTIONS]              serve one client, with any test;
> "verbench read_bw" is the same command.
>   -o, --outstanding N     reads or atomics in flight per QP on the wire; auto:
>                           the most that both devices support [1..255 or auto,
>       --mw none|1|2       the target offers the R_Key of a memory window instead
>                           of that of its region, one window per QP: type 1 is
>                           bound by ibv_bind_mw, type 2 by a posted request
= 0
$ vb_atomic_lat --help-all | grep -vxFf send
> Usage: vb_atomic_lat [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_atomic_lat [OPTIONS]              serve one client, with any test;
> "verbench atomic_lat" is the same command.
>   -A, --atomic cmp_swap|fetch_add
>                           atomic operation [default fetch_add]
>       --mw none|1|2       the target offers the R_Key of a memory window instead
>                           of that of its region, one window per QP: type 1 is
>                           bound by ibv_bind_mw, type 2 by a posted request
= 0
$ verbench serve --help-all | grep -vxFf send
> Usage: verbench serve [OPTIONS]
> Serves clients until it is stopped. The clients choose what to measure; options
> of a test ("vb_send_bw --help") refuse the clients that ask for something else.
>       --allow RANGE,...   server: let only these addresses connect; ranges such
>                           as 10.1.0.0/16 or fd00::/8, addresses, any; without it
>                           and --key "verbench serve" listens for this host alone
>       --copy-to DIR       server: let clients write files below this directory
>                           ("verbench copy"); without it none is written
> A server that stays up:
>       --audit FILE|-|journal
>                           add a line to FILE for each session that has ended:
>                           when, who, what, how long, bytes, how it ended and
>                           why; -: to standard error, journal: to the journal of
>                           systemd
>       --audit-format text|json
>                           the lines of --audit: text: name=value, json: an
>                           object [default text]
>       --status            print what the server of this user on --port does: its
>                           sessions, limits in use, totals since its start; with
>                           --json FILE|- as an object; starts no server
>       --metrics ADDR:PORT
>                           answer GET /metrics there for Prometheus, to whoever
>                           can connect: numbers, no addresses; without ADDR: on
>                           this host
>       --drain-time TIME   after SIGTERM, sessions that run may go on so long
>                           before they are asked to end; no new one begins; a
>                           second SIGTERM ends them at once [0..24h, default 0]
>       --idle-exit TIME    end the server when nobody has been connected for this
>                           time [1s..720h or none, default none]
>       --wait-device TIME  when there is no device with an active port, look for
>                           one again and again for this time, as the system may
>                           still start; then, and without this option at once,
>                           the server ends with the reason [0..24h, default 0]
>       --user NAME         become this user once the sockets are open, with its
>                           groups; only root can
>       --sandbox auto|on|off
>                           let sessions make only the system calls that a test
>                           needs (seccomp): they start no program and listen
>                           nowhere; auto: on if the kernel and this build can
>                           [default auto]
>       --config FILE       for "verbench serve": options of the server as lines
>                           "max-sessions = 4", which those of the command line
>                           replace; default: /etc/verbench/serve.conf, if it
>                           exists; only its owner, who is this user or root, may
>                           be able to write it
> Limits of the server:
>       --max-sessions N    sessions that run at the same time; more clients are
>                           told to try again [1..10000, default 16]
>       --max-sessions-per-host N
>                           of them those of one host; an IPv6 host counts by its
>                           /64; so that no host takes all of them [1..10000,
>                           default 8]
>       --max-session-rate N
>                           sessions that begin in one second [1..100000, default
>                           100]
>       --max-plan-time TIME
>                           how long a client may take from its connection to its
>                           plan, at most --connect-timeout [100ms..1h, default
>                           5s]
>       --max-session-time TIME
>                           how long a session may last; then it is ended, and its
>                           process killed if it does not end; auto: 24h, without
>                           a limit when one client is served [1s..960h or auto,
>       --max-point-time TIME
>                           how long the loops of one size may run, by the clock
>                           of the server; a longer --duration is refused; auto:
>                           1h, 7 days when one client is served [1s..720h or
>       --max-stall TIME    the longest --stall-timeout of a client; auto: 5m, 1h
>                           when one client is served [100ms..1h or auto, default
>       --max-idle TIME     how long a session may be without a test; auto: as
>                           --max-stall [100ms..1h or auto, default auto]
>       --max-threads N     measuring threads of a test [1..256, default 128]
>       --max-qps N         queue pairs of a test, those of all its threads
>                           together, or at a time of a run of setup [1..16384,
>                           default 16384]
>       --max-memory BYTES  memory that one session may use: buffers, requests,
>                           queues, copies [1M..16384G, default 8G]
>       --max-total-memory BYTES
>                           the same for all sessions together; auto: half of the
>                           memory of this host [1M..1048576G or auto, default
>       --clients-may LIST  what clients may choose here: all, none, or some of
>                           pin (--peer-pin), mem (--peer-mem), hugepages, sl
>                           (service level and traffic class), uc and ud (that the
>                           server sends over them) [default all]
>       --max-log-rate N    lines that all sessions together log in a second; the
>                           others are only counted; 0: any number [0..100000,
>                           default 20]
= 0
$ verbench list --help-all | grep -vxFf send
> Usage: verbench list [--soft] [--topology [xml]]
> Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs.
>       --topology          for "verbench list": show where each HCA is in the
>                           machine: NUMA node, cores, distances, PCIe link,
>                           interrupts; "--topology xml": print the machine as
>                           XML, for a bug report
= 0
$ verbench place --help-all | grep -vxFf send
> Usage: verbench place --device NAME [OPTIONS]
> Prints which cpus and which memory the measuring threads would get, and why.
> Opens no device. With HWLOC_XMLFILE=FILE it uses the machine that the file
> describes (lstopo FILE.xml).
= 0

$ for test in send write read atomic; do for what in bw lat; do echo "$test $what:"; vb_${test}_$what --help-all | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | paste -sd ' '; done; done
> send bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin imm both mcast mcast-join verify size all messages duration interval warm-up rounds shuffle resume dry-run like depth recv-depth srq srq-limit one-qp ah qps threads post-list signal-interval inline sge fence solicited footprint walk hugepages buffers relaxed-ordering locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> send lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin imm verify size all messages duration interval warm-up rounds shuffle resume dry-run like recv-depth srq srq-limit one-qp ah qps inline sge fence solicited footprint walk hugepages buffers relaxed-ordering locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> write bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin imm both verify size all messages duration interval warm-up rounds shuffle resume dry-run like depth recv-depth srq srq-limit qps threads post-list signal-interval inline sge fence solicited footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> write lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin imm verify size all messages duration interval warm-up rounds shuffle resume dry-run like recv-depth srq srq-limit qps inline sge fence solicited footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> read bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin both verify size all messages duration interval warm-up rounds shuffle resume dry-run like depth qps threads post-list signal-interval sge fence outstanding footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> read lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin verify size all messages duration interval warm-up rounds shuffle resume dry-run like qps sge fence footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> atomic bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin atomic both verify messages duration interval warm-up rounds shuffle resume dry-run like depth qps threads post-list signal-interval fence outstanding footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> atomic lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl csv-new force expect verbose quiet wide transport completion events spin atomic verify messages duration interval warm-up rounds shuffle resume dry-run like qps fence footprint walk hugepages buffers relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass pkey timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
= 0
$ for command in serve list place; do echo "$command:"; verbench $command --help-all | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | paste -sd ' '; done
> serve:
> device soft ib-port gid-index alternate-port port bind allow key connect-timeout stall-timeout copy-to audit audit-format status metrics drain-time idle-exit wait-device user sandbox csv json jsonl csv-new force verbose quiet wide config max-sessions max-sessions-per-host max-session-rate max-plan-time max-session-time max-point-time max-stall max-idle max-threads max-qps max-memory max-total-memory clients-may max-log-rate pin mem help help-all version
> list:
> soft topology help help-all version
> place:
> device completion events threads pin mem help help-all version
= 0

Both names of a test are the same, and --help wins over what else is there, on every command.

$ vb_read_lat --help >a && verbench read_lat -h >b && cmp a b
= 0
$ vb_read_lat host --help -s 64 >c && cmp a c
= 0
$ verbench list -h >d && verbench list -h -d rxe0 extra >e && cmp d e
= 0
$ verbench place -h >d && verbench place -h --qps 3 >e && cmp d e
= 0
$ verbench serve -h >d && verbench serve host -s 64 -h >e && cmp d e
= 0
$ verbench help read_lat >b && cmp a b && verbench help vb_read_lat >b && cmp a b
= 0
$ verbench help read_lat all >a && verbench read_lat --help-all >b && cmp a b
= 0
$ verbench help read_lat everything
! verbench: help takes a command and "all": "everything"
= 2
$ verbench help nonsense
! verbench: "nonsense" is not a command; "verbench help" lists them
= 2
$ verbench help >a && verbench --help >b && cmp a b
= 0
$ verbench help version
> Usage: verbench version
> versions of verbench, rdma-core, hwloc; the providers
= 0

No help is wider than 80 columns.
$ for command in $(verbench help | sed -n 's/^  \([a-z_]*\) .*/\1/p'); do verbench help $command; verbench help $command all; done >all; verbench help >>all; awk 'length > 80' all
> Makes FILE with a new random key, which only you can read. A server with --key FILE
> serves only clients that have the same key, and tells others nothing. Copy FILE to
> Makes FILE with a new random key, which only you can read. A server with --key FILE
> serves only clients that have the same key, and tells others nothing. Copy FILE to
> Reads rows of --csv, --jsonl and --json, of this version and older ones, and prints
> a line for each combination of the settings that vary. Repeats become one line, with
> Reads rows of --csv, --jsonl and --json, of this version and older ones, and prints
> a line for each combination of the settings that vary. Repeats become one line, with
>   run                 measure lists of values, or a scenario, over one connection
>   compare-completion  polling, events and hybrid side by side, and the answer in words
>   perftest-path       print the folder of the programs ib_send_bw, ib_send_lat, ...
>   help                help [COMMAND] [all]: this list, or the options of a command
= 0
$ for command in send_lat serve list place; do verbench $command --version | head -1 && verbench $command -V -h | head -1; done
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
= 0
