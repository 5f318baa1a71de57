The everyday options of one test with the names of the others, its whole help, the options that only other tests and
commands have, and the names of the options of each command: a test lists only what has an effect on it.

$ vb_send_bw --help
> Usage: vb_send_bw [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_send_bw [OPTIONS]              serve one client, with any test;
>                       options of a test are what it expects of the client
> "verbench send_bw" is the same command.
>
> Where (on either side):
>   -d, --device NAME       RDMA device by name [default: the first device with an
>                           active port that reaches the peer]
>       --soft              add emulated devices (softhca0, ...): both sides run
>                           on one machine without hardware
>   -i, --ib-port N         port of the device [default: the first active port]
>   -x, --gid-index N       index into the GID table of the port [default: the
>                           best pair of GIDs from the tables of both sides]
>   -R, --cm                connect the queue pairs by rdma_cm
>   -p, --port N            TCP port of the control connection [default 18515]
>       --key FILE          shared key of both sides, made by "verbench key": each
>                           side proves that it has the key, and the control
>                           connection is encrypted
>
> Results:
>       --csv FILE|-        add results to FILE as CSV
>       --json FILE|-       replace FILE by one JSON document of this run
>       --jsonl FILE|-      add results to FILE as JSON Lines, one object per row
>       --hdr FILE|-        latency, client only: add the histogram of each size
>                           to FILE as a line of an HdrHistogram log, in ns
>       --dump-samples FILE|-
>                           latency, client only: add each sample to FILE as a
>                           line of CSV, in ns, at most 4194304 of a size
>       --csv-new           overwrite the FILE of --csv with the first row of this
>                           run (serve: at its start)
>       --expect RULES      check each result: print PASS or FAIL for each row and
>                           rule, and exit with 3 if a rule fails or selects no
>                           row
>       --confident         with --expect: compare the 95 % interval of the median
>                           of the repeats (6 rounds or more) with each rule: PASS
>                           if all of it meets the rule, FAIL if nothing of it
>                           does, else UNSURE, and exit with 4 if none fails
>   -v, --verbose           print hosts, settings and all notes above the results
>       --quiet             print only the results and their column heads
>   -w, --wide              print all columns, and lines of any length
>
> What (the client chooses; a server expects what it is given):
>   -c, --transport RC|UC|UD|XRC|DC
>                           transport service [default RC]
>       --completion poll|event|hybrid
>                           how to wait for completions: busy polling, events, or
>                           polling for --spin before waiting for an event
>                           [default poll]
>   -b, --both              measure both directions at the same time
>       --reverse           the other direction: the server posts the sends,
>                           writes, reads or atomics, and the client is their
>                           target
>       --verify            check payload, immediate data and atomic results after
>                           each point, outside the timed region
>
> How much:
>   -s, --size BYTES        bytes per message [default: 64k for bandwidth (over UD
>                           at most one MTU), 2 for latency]
>   -a, --all               run all sizes: powers of two from 2 bytes to 8 MiB
>                           (over UD to the MTU)
>   -n, --messages N        messages per QP and size, suffixes k, M, G (decimal)
>                           [default: no number: --duration ends each size]
>   -D, --duration TIME     run each size for this time instead of a number of
>                           messages: 60 (seconds), 1.5, 500ms, 1m, 1h [default: 1
>                           s without --messages]
>       --interval TIME     print and store a row for each interval of a running
>                           point, on both sides: rate, messages, CPU time,
>                           percentiles
>       --rounds N          measure all cells (combinations of values) this many
>                           times, round after round [default 1]
>       --until PERCENT     measure rounds until, in every row, the 95 % interval
>                           of the median of the message rate (latency tests: of
>                           p50) reaches at most PERCENT to each side, at least 6
>                           rounds or --rounds, at most --max-rounds
>       --max-rounds N      with --until: the most rounds [default 30]
>       --find-knee TIME    search the highest rate of an open loop whose response
>                           p99 is at most TIME: a closed loop measures the
>                           capacity, and trials follow, each as long as -D says
>                           at most
>       --background SIZE[,OPCODE][,QPS]
>                           measure each cell also while messages of SIZE bytes
>                           stream the same way over QPS other queue pairs (1) by
>                           send, write or read (write): how much more p50 and p99
>                           are then
>       --shuffle SEED      measure the cells in random order
>       --resume FILE       continue the sweep in FILE, which --csv has written:
>                           measure the missing cells and add their rows
>       --dry-run           print the cells and the expected duration
>
> How:
>   -t, --depth N           requests in flight per QP [default: 128, or two post
>                           lists if that is more; limited by the devices]
>   -q, --qps N             queue pairs per thread [default 1]
>       --threads N         measuring threads on each side, each with its own CQs,
>                           buffers and queue pairs [default 1]
>   -l, --post-list N       requests per doorbell [default 1]
>       --rate N            open loop: messages are due at times that do not
>                           depend on answers, N per second of all threads
>                           together in each direction
>
> Path:
>   -m, --mtu BYTES         path MTU [default: the smaller active MTU of the two
>                           ports]
>
> Placement:
>       --pin WHERE         CPUs of the measuring threads, one core each: near or
>                           far from the HCA, none (not bound), a list as of
>                           taskset (3, 0-3, 0,2), or SPEC in terms of hwloc:
>                           core:3, numa:1, l3:nic (near the HCA) [default: near
>                           while there are free cores; none if the location of
>                           the HCA is unknown]
>
> Other:
>   -h, --help              print this help and exit
>       --help-all          print the help of all options and exit
>   -V, --version           print the version and exit
>
> More options, which --help-all explains:
>   --peer-device --peer-ib-port --peer-port --peer-gid-index --alternate-port
>   --bind --connect-timeout --stall-timeout --force --events --peer-completion
>   --vector --spin --imm --mcast --mcast-join --peer-size --warm-up --like
>   --recv-depth --srq --srq-limit --one-qp --ah --signal-interval --inline --sge
>   --fence --solicited --arrival --qp-rate --footprint --walk --hugepages
>   --buffers --gpu --peer-buffers --peer-gpu --regions --relaxed-ordering
>   --locks --disturb --post-api --poll-api --sl --tclass --hop-limit
>   --flow-label --pkey --pkey-index --timeout --retry --migrate-after
>   --rnr-retry --min-rnr-timer --mem --peer-pin --peer-mem
= 0
$ vb_send_bw --help-all
> Usage: vb_send_bw [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_send_bw [OPTIONS]              serve one client, with any test;
>                       options of a test are what it expects of the client
> "verbench send_bw" is the same command.
>
> Where (on either side):
>   -d, --device NAME       RDMA device by name; for tests and setup also by node
>                           GUID; default: the first device with an active port
>                           that reaches the peer; run: also A,B,..., measured at
>                           the same time, each with the HOST in its place; mesh
>                           --rails: A,B,... are the rails
>       --peer-device NAME  device of the server, as --device there; refused if
>                           the server was started with another one
>       --soft              add emulated devices (softhca0, ...): both sides run
>                           on one machine without hardware; "softhca --help"
>                           lists the settings of their link
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
>   -R, --cm                connect the queue pairs by rdma_cm; RC and UD only;
>                           the addresses are those of the chosen GIDs; the
>                           control connection stays TCP; iWARP devices need this
>                           option
>       --alternate-port N  other port of the device for --migrate-after; auto:
>                           the first active one [1..255 or auto, default auto]
>   -p, --port N            TCP port of the control connection; a client may write
>                           HOST:PORT instead [1..65535, default 18515]
>       --bind ADDR         address of this host: a client connects from it, a
>                           server listens only on it; a server also takes A,B,...
>                           or an interface; GIDs of this address are preferred
>       --key FILE          shared key of both sides, made by "verbench key": each
>                           side proves that it has the key, and the control
>                           connection is encrypted; a server also takes a
>                           directory of keys
>       --connect-timeout TIME
>                           how long to wait for the server and for the agreement
>                           on the test [100ms..1h, default 10s]
>       --stall-timeout TIME
>                           end the run after this time without progress; in a
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
>       --hdr FILE|-        latency, client only: add the histogram of each size
>                           to FILE as a line of an HdrHistogram log, in ns; -: to
>                           standard output
>       --dump-samples FILE|-
>                           latency, client only: add each sample to FILE as a
>                           line of CSV, in ns, at most 4194304 of a size; with
>                           --rate its response and its service time; "verbench
>                           report" reads it; -: to standard output
>       --csv-new           overwrite the FILE of --csv with the first row of this
>                           run (serve: at its start); a file that is no CSV of
>                           verbench is refused
>       --force             overwrite the FILE of --csv, --json, --jsonl, --hdr
>                           and --dump-samples, whatever it contains; report:
>                           overwrite the files of --html and --plot
>       --expect RULES      check each result: print PASS or FAIL for each row and
>                           rule, and exit with 3 if a rule fails or selects no
>                           row; rules are separated by ";", for example
>                           'bandwidth_gbit_s >= 90 where size_bytes >= 64k;
>                           lat_p99_ns <= 5us; warnings == none': a column of
>                           verbench-row(5), one of < <= > >= == != has lacks, a
>                           value, and optional conditions after where, joined by
>                           "and"; an absent value fails
>       --confident         with --expect: compare the 95 % interval of the median
>                           of the repeats (6 rounds or more) with each rule: PASS
>                           if all of it meets the rule, FAIL if nothing of it
>                           does, else UNSURE, and exit with 4 if none fails
>   -v, --verbose           print hosts, settings and all notes above the results;
>                           serve: print a table for each session instead of a
>                           line
>       --quiet             print only the results and their column heads; serve:
>                           only the address and errors; report: only the results
>                           of --expect
>   -w, --wide              print all columns, and lines of any length; without it
>                           lines have 80 columns, or the width of a wider
>                           terminal
>
> What (the client chooses; a server expects what it is given):
>   -c, --transport RC|UC|UD|XRC|DC
>                           transport service; XRC: each side has XRC_SEND and
>                           XRC_RECV QPs, and an SRQ for each of the latter; DC
>                           (mlx5 only): the same with DCIs and DCTs, needs
>                           --post-api wr [default RC]
>       --completion poll|event|hybrid
>                           how to wait for completions: busy polling, events, or
>                           polling for --spin before waiting for an event
>                           [default poll]
>   -e, --events            short for --completion event
>       --peer-completion poll|event|hybrid|same
>                           how the server waits for completions, in place of
>                           --completion, which then is of the client; refused
>                           where the server has no completions to wait for
>                           [default same]
>   -X, --vector N          with events: completion vector of all CQs of this
>                           side, which decides the CPU of their interrupts; auto:
>                           for each thread one that its core serves, or the next
>                           one [0..2048 or auto, default auto]
>       --spin TIME         with --completion hybrid: time of empty polls before
>                           the thread sleeps; a plain number is in microseconds
>                           [0..1s, default 20us]
>       --imm               send immediate data; the receiver checks its value and
>                           order
>   -b, --both              measure both directions at the same time
>       --reverse           the other direction: the server posts the sends,
>                           writes, reads or atomics, and the client is their
>                           target
>       --mcast GROUP       send each message to all members of a multicast group:
>                           224.0.1.0..239.255.255.255, or an MGID; each
>                           HOST[:PORT] is a receiver with its own row, a repeated
>                           host is another receiver
>       --mcast-join verbs|cm|auto
>                           with --mcast: how receivers join the group: by
>                           ibv_attach_mcast alone (only members on the same port
>                           receive), or also by rdma_cm (IGMP, or the subnet
>                           manager); auto: cm if all sides support rdma_cm
>                           [default auto]
>       --verify            check payload, immediate data and atomic results after
>                           each point, outside the timed region
>
> How much:
>   -s, --size BYTES        bytes per message; suffixes k, M, G (binary); 0 only
>                           where the payload is not needed; auto: 64k for
>                           bandwidth (over UD at most one MTU), 2 for latency;
>                           copy: bytes of a window, 4k to 64M, auto: 1M [0..2G or
>                           auto, default auto]
>       --peer-size BYTES   with --both: bytes per message that the server posts,
>                           in place of --size or of each size of --all, which
>                           then are of the client; a read is of the side that
>                           posts it; auto: as --size [1..2G or auto, default
>                           auto]
>   -a, --all               run all sizes: powers of two from 2 bytes to 8 MiB
>                           (over UD to the MTU)
>   -n, --messages N        messages per QP and size, suffixes k, M, G (decimal);
>                           auto: no number: --duration ends each size; setup:
>                           operations per row, at most 1000000; auto: a quarter
>                           of a second, at most 10000 [1..1000G or auto, default
>                           auto]
>   -D, --duration TIME     run each size for this time instead of a number of
>                           messages: 60 (seconds), 1.5, 500ms, 1m, 1h; forever:
>                           until Ctrl-C or SIGTERM on one side, which is no
>                           error; auto: 1 s without --messages [100ms..720h or
>                           auto or forever, default auto]
>       --interval TIME     print and store a row for each interval of a running
>                           point, on both sides: rate, messages, CPU time,
>                           percentiles; the row of the point follows [100ms..24h
>                           or none, default none]
>       --warm-up N         messages per QP before each point, on its queue pairs
>                           and in its memory, not measured; 200 ms end them;
>                           auto: each buffer once, --depth at least, and -n at
>                           most; 0 with --verify [0..1000000 or auto, default
>                           auto]
>       --rounds N          measure all cells (combinations of values) this many
>                           times, round after round [1..10000, default 1]
>       --until PERCENT     measure rounds until, in every row, the 95 % interval
>                           of the median of the message rate (latency tests: of
>                           p50) reaches at most PERCENT to each side, at least 6
>                           rounds or --rounds, at most --max-rounds; if that is
>                           not enough, say which cells are wider, and exit with 4
>       --max-rounds N      with --until: the most rounds [6..10000, default 30]
>       --find-knee TIME    search the highest rate of an open loop whose response
>                           p99 is at most TIME: a closed loop measures the
>                           capacity, and trials follow, each as long as -D says
>                           at most; exit with 1 if there is none; a plain number
>                           is in microseconds [1us..10s or none, default none]
>       --background SIZE[,OPCODE][,QPS]
>                           measure each cell also while messages of SIZE bytes
>                           stream the same way over QPS other queue pairs (1) by
>                           send, write or read (write): how much more p50 and p99
>                           are then; needs a latency test or --rate, and
>                           "verbench serve"
>       --shuffle SEED      measure the cells in random order; the same SEED gives
>                           the same order; none: the last list changes fastest
>                           [0..4294967294 or none, default none]
>       --resume FILE       continue the sweep in FILE, which --csv has written:
>                           measure the missing cells and add their rows;
>                           FILE.run.json describes the sweep, and another sweep
>                           is refused; starts a new sweep if FILE does not exist
>       --dry-run           print the cells and the expected duration; measures
>                           nothing and needs no host
>
> How:
>       --like none|perftest
>                           perftest: use perftest's defaults for options not
>                           given, so that results are comparable: one page or one
>                           buffer per QP, --depth 128, --recv-depth 512,
>                           --signal-interval 100 (1 above 8 KiB), --messages 1000
>                           (write_bw: 5000), --locks on, no hugepages, no warm-up
>                           [default none]
>   -t, --depth N           requests in flight per QP; auto: 128, or two post
>                           lists if that is more; limited by the devices
>                           [1..16384 or auto, default auto]
>   -r, --recv-depth N      receives posted per QP; auto: 512 for bandwidth, 64
>                           for latency, or two post lists if that is more;
>                           limited by the devices [1..16384 or auto, default
>                           auto]
>       --srq               all QPs of a thread share one receive queue (SRQ), on
>                           both sides; --recv-depth is the share of each QP
>       --srq-limit N       with --srq: the device raises an event when fewer
>                           receives are left, and the thread then posts all used
>                           receives at once; 0: no event; auto: a quarter of all
>                           receives [0..268435456 or auto, default auto]
>       --one-qp            each thread of the server has one QP, to which all QPs
>                           of the client's thread send
>       --ah address|first  source of the client's address on the server: the
>                           control connection, or the first message of each QP
>                           (ibv_create_ah_from_wc) [default address]
>   -q, --qps N             queue pairs per thread; a latency test uses them
>                           round-robin; setup: QPs that exist at the same time,
>                           default 64 [1..16384, default 1]
>       --threads N         measuring threads on each side, each with its own CQs,
>                           buffers and queue pairs [1..256, default 1]
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
>                           this many pieces of memory, and scattered to as many
>                           by receives and reads; needs one byte per piece
>                           [1..32, default 1]
>       --fence             set IBV_SEND_FENCE: each request waits for earlier
>                           reads and atomics of its QP
>       --solicited N       with events: every Nth message of a QP and the last
>                           one carry IBV_SEND_SOLICITED, and receivers wait only
>                           for these; none: receivers wait for any message
>                           [1..16384 or none, default none]
>       --rate N            open loop: messages are due at times that do not
>                           depend on answers, N per second of all threads
>                           together in each direction; response times are from
>                           the time that a message was due; 10%,50%,90%: of the
>                           rate of a closed loop of the same options, which is
>                           measured first; none: closed loop [0.1..1G or none or
>                           up to 200%, default none]
>       --arrival fixed|poisson
>                           with --rate: the gaps between messages: all equal, or
>                           exponential (a Poisson process) [default fixed]
>       --qp-rate BITS      the device paces each QP that sends: at most so many
>                           bits per second (ibv_modify_qp_rate_limit), such as
>                           500M; beside it --rate says when messages are due;
>                           none: as fast as the device can [1k..4294967295k or
>                           none, default none]
>       --footprint BYTES   bytes of buffers that messages use, per side and
>                           thread; auto: a buffer for each request in flight
>                           (with many QPs: for some of them), at least 8 KiB, at
>                           most 8 MiB per QP [64..1024G or auto, default auto]
>       --walk auto|seq|random|same
>                           order in which messages use the buffers: in sequence,
>                           in a fixed random order, or one buffer per QP for all
>                           messages; auto: seq; same where the last byte of the
>                           payload counts the rounds [default auto]
>       --hugepages auto|on|off
>                           use hugepages for the buffers; auto: hugepages if
>                           enough are free and the buffers fill at least one
>                           [default auto]
>       --buffers host|odp|prefetch|device|cuda|null
>                           where the buffers are: host (pinned), odp (on-demand
>                           paging), prefetch (the same, and the device maps all
>                           pages before the messages: ibv_advise_mr), device
>                           (on-device memory), cuda (memory of an NVIDIA GPU),
>                           null (requests send zeros and drop what arrives:
>                           ibv_alloc_null_mr) [default host]
>       --gpu N             buffers in the memory of this GPU of each side, as
>                           CUDA numbers them: --buffers cuda; auto: on each side
>                           the nearest to the device in the tree of PCI [0..255
>                           or auto, default auto]
>       --peer-buffers host|odp|prefetch|device|cuda|null|same
>                           where the buffers of the server are, in place of
>                           --buffers, which then is of the client [default same]
>       --peer-gpu N        buffers of the server in the memory of this GPU there:
>                           --peer-buffers cuda; auto: as --gpu [0..255 or auto,
>                           default auto]
>       --regions N         memory regions for the buffers of each queue pair,
>                           which messages use in turn, so that the device needs
>                           so many keys; 0: the QPs of a thread share one
>                           [0..65536, default 0]
>       --relaxed-ordering auto|on|off
>                           PCIe relaxed ordering for the device's writes to the
>                           buffers (IBV_ACCESS_RELAXED_ORDERING); auto: on; off
>                           where a thread polls the last byte of a message, with
>                           odp and with device memory; ignored by devices and
>                           kernels that do not know it [default auto]
>       --locks auto|on|off
>                           locks of the provider around queues of a single
>                           thread; off: thread domains and single-threaded CQs;
>                           auto: off if the device supports it [default auto]
>       --disturb none|cq|sq
>                           disturb the queues in use every 2 ms: cq resizes the
>                           CQs, sq drains a send queue (SQD and back); keeps the
>                           locks of the provider [default none]
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
>       --hop-limit N       hop limit of the GRH (RoCE v2: TTL); 1: no router; on
>                           RoCE, Linux may use that of the IP route in its place
>                           (ip route: hoplimit) [1..255, default 64]
>       --flow-label LABEL,...
>                           flow labels of the GRH, one for each QP in turn, in
>                           both directions; the UDP source port of RoCE v2
>                           follows from it, so that it chooses among paths of
>                           equal cost; default: the device chooses by the numbers
>                           of the QPs; run: lists are separated by a semicolon
>       --pkey VALUE        P_Key of the partition; each side uses its own table
>                           entry, preferably with full membership; auto: the
>                           server's first entry with full membership, and the
>                           client's entry of that partition [0x1..0xffff or auto,
>                           default auto]
>       --pkey-index N      entry of this side's P_Key table, in place of --pkey;
>                           a server is started with its own; auto: as --pkey says
>                           [0..65535 or auto, default auto]
>   -u, --timeout CODE      time that a sender waits for an acknowledgement: 4.096
>                           us * 2^CODE; 0: no limit [0..31, default 14]
>       --retry N           retries after a timeout; 7 is an ordinary count in the
>                           specification, but means no limit on Soft-RoCE [0..7,
>                           default 6]
>       --migrate-after TIME
>                           path migration (APM): each QP has an alternate path
>                           through another port on each side, and migrates to it
>                           this time after the start of each size (a plain number
>                           is in milliseconds); the devices also migrate when
>                           their port fails [0..1h or none, default none]
>       --rnr-retry N       retries when the receiver is not ready; 7: no limit
>                           [0..7, default 6]
>       --min-rnr-timer CODE
>                           RNR NAK timer: time that a sender waits before a
>                           retry; 12: 0.64 ms, 0: 655 ms [0..31, default 12]
>
> Placement:
>       --pin WHERE         CPUs of the measuring threads, one core each: near or
>                           far from the HCA, none (not bound), a list as of
>                           taskset (3, 0-3, 0,2), or SPEC in terms of hwloc:
>                           core:3, numa:1, l3:nic (near the HCA); a list is used
>                           round-robin; numbers of cpu and numa are those of the
>                           operating system; auto: near while there are free
>                           cores; none if the location of the HCA is unknown
>                           [default auto]
>       --mem WHERE         memory of rings and buffers: local (NUMA node of the
>                           thread), device (NUMA node of the HCA), a NUMA node,
>                           or SPEC; a list is used round-robin; auto: local if
>                           the thread is bound [default auto]
>       --peer-pin WHERE    --pin of the server; auto: as the server was started
>                           [default auto]
>       --peer-mem WHERE    --mem of the server; auto: as the server was started
>                           [default auto]
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
>       --mw none|1|2       use a memory window per QP for remote access: type 1
>                           is bound by ibv_bind_mw, type 2 by a posted request
= 0
$ vb_atomic_lat --help-all | grep -vxFf send
> Usage: vb_atomic_lat [OPTIONS] HOST[:PORT]  measure against the server on HOST
>        vb_atomic_lat [OPTIONS]              serve one client, with any test;
> "verbench atomic_lat" is the same command.
>   -A, --atomic cmp_swap|fetch_add|write
>                           atomic operation; write: a store of 8 bytes, over RC,
>                           by ibv_wr_atomic_write [default fetch_add]
>       --gap TIME          pause before each message of a latency test (with
>                           several QPs: before each round of all QPs), in which
>                           the thread polls the clock; a plain number is in
>                           microseconds [0..1s, default 0]
>       --mw none|1|2       use a memory window per QP for remote access: type 1
>                           is bound by ibv_bind_mw, type 2 by a posted request
= 0
$ verbench serve --help-all | grep -vxFf send
> Usage: verbench serve [OPTIONS]
> Serves clients until it is stopped. The clients choose what to measure; options
> of a test ("vb_send_bw --help") refuse the clients that ask for something else.
>       --allow RANGE,...   server: accept only clients with these addresses;
>                           ranges such as 10.1.0.0/16 or fd00::/8, addresses, or
>                           any; without --allow and --key "verbench serve" serves
>                           only this host
>       --copy-to DIR       server: let clients write files below this directory
>                           ("verbench copy"); without it no files are written
> A server that stays up:
>       --audit FILE|-|journal
>                           add a line to FILE for each finished session: time,
>                           client, test, duration, bytes, result and reason; -:
>                           standard error, journal: the systemd journal
>       --audit-format text|json
>                           format of --audit: text: name=value, json: one object
>                           per line [default text]
>       --status            print the state of the server of this user on --port:
>                           sessions, used limits, totals; with --json FILE|- as
>                           an object; starts no server
>       --metrics FILE      write metrics for Prometheus to FILE every 15 s, for
>                           the textfile collector of node_exporter, which reads
>                           *.prom; without addresses; FILE is removed at exit
>       --drain-time TIME   after SIGTERM accept no new sessions, and let running
>                           sessions continue for this time; a second SIGTERM ends
>                           them at once [0..24h, default 0]
>       --idle-exit TIME    end the server after this time without a connection
>                           [1s..720h or none, default none]
>       --wait-device TIME  at the start, wait this long for a device with an
>                           active port; without one the server exits with the
>                           reason [0..24h, default 0]
>       --user NAME         switch to this user and its groups after opening the
>                           sockets; needs root
>       --sandbox auto|on|off
>                           restrict sessions to the system calls of a test
>                           (seccomp): they start no programs and open no
>                           listening sockets; auto: on if kernel and build
>                           support it [default auto]
>       --config FILE       serve: read options from FILE, one per line
>                           ("max-sessions = 4"); the command line overrides them;
>                           default: /etc/verbench/serve.conf, if it exists; only
>                           its owner, this user or root, may have write
>                           permission
> Limits of the server:
>       --max-sessions N    concurrent sessions; further clients are refused and
>                           may try again [1..10000, default 16]
>       --max-sessions-per-host N
>                           concurrent sessions per host (IPv6: per /64), or per
>                           key of a directory of keys [1..10000, default 8]
>       --max-session-rate N
>                           new sessions per second [1..100000, default 100]
>       --max-plan-time TIME
>                           time from the connection of a client to its plan; at
>                           most --connect-timeout [100ms..1h, default 5s]
>       --max-session-time TIME
>                           duration of a session; after it the session is ended,
>                           and its process is killed if it does not exit; auto:
>                           24h, without a limit when one client is served
>                           [1s..960h or auto, default auto]
>       --max-point-time TIME
>                           duration of the loops of one message size; a longer
>                           --duration is refused; auto: 1h, 7 days when one
>                           client is served [1s..720h or auto, default auto]
>       --max-stall TIME    largest --stall-timeout of a client; auto: 5m, 1h when
>                           one client is served [100ms..1h or auto, default auto]
>       --max-idle TIME     time that a session may spend without a test; auto: as
>                           --max-stall [100ms..1h or auto, default auto]
>       --max-threads N     measuring threads per test [1..256, default 128]
>       --max-qps N         queue pairs per test, of all threads together; setup:
>                           queue pairs at a time [1..16384, default 16384]
>       --max-memory BYTES  memory per session: buffers, requests, queues, copies
>                           [1M..16384G, default 8G]
>       --max-copy-bytes BYTES
>                           bytes of all files below the directory of --copy-to; a
>                           copy that would exceed them is refused; auto: no limit
>                           [0..4294967296G or auto, default auto]
>       --max-copy-files N  files below that directory; auto: no limit
>                           [0..1000000000 or auto, default auto]
>       --max-total-memory BYTES
>                           memory of all sessions together; auto: half of the
>                           memory of this host [1M..1048576G or auto, default
>       --clients-may LIST  what clients may choose on this server: all, none, or
>                           a list of pin (--peer-pin), mem (--peer-mem),
>                           hugepages, sl (service level and traffic class), uc
>                           and ud (sending by the server), overwrite (replacing
>                           files by verbench copy) [default all]
>       --max-log-rate N    log lines per second of all sessions together; further
>                           lines are only counted; 0: no limit [0..100000,
>                           default 20]
= 0
$ verbench list --help-all | grep -vxFf send
> Usage: verbench list [--soft] [--topology [xml]]
> Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs.
>       --topology          list: show where each HCA is in the machine: NUMA
>                           node, cores, distances, PCIe link, interrupts;
>                           "--topology xml": print the machine as XML, for a bug
>                           report
= 0
$ verbench place --help-all | grep -vxFf send
> Usage: verbench place --device NAME [OPTIONS]
> Prints which cpus and which memory the measuring threads would get, and why.
> Opens no device. With HWLOC_XMLFILE=FILE it uses the machine that the file
> describes (lstopo FILE.xml).
= 0

$ for test in send write read atomic; do for what in bw lat; do echo "$test $what:"; vb_${test}_$what --help-all | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | paste -sd ' '; done; done
> send bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin imm both reverse mcast mcast-join verify size peer-size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like depth recv-depth srq srq-limit one-qp ah qps threads post-list signal-interval inline sge fence solicited rate arrival qp-rate footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> send lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin imm verify size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like recv-depth srq srq-limit one-qp ah qps inline sge fence solicited gap rate arrival qp-rate footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> write bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin imm flush both reverse verify size peer-size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like depth recv-depth srq srq-limit qps threads post-list signal-interval inline sge fence solicited rate arrival qp-rate footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> write lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin imm flush verify size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like recv-depth srq srq-limit qps inline sge fence solicited gap rate arrival qp-rate footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after rnr-retry min-rnr-timer pin mem peer-pin peer-mem help help-all version
> read bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin both reverse verify size peer-size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like depth qps threads post-list signal-interval sge fence rate arrival outstanding footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> read lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin verify size all messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like qps sge fence gap rate arrival footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> atomic bw:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin atomic both reverse verify messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like depth qps threads post-list signal-interval fence rate arrival outstanding footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
> atomic lat:
> device peer-device soft ib-port peer-ib-port peer-port gid-index peer-gid-index cm alternate-port port bind key connect-timeout stall-timeout csv json jsonl hdr dump-samples csv-new force expect confident verbose quiet wide transport completion events peer-completion vector spin atomic verify messages duration interval warm-up rounds until max-rounds find-knee background shuffle resume dry-run like qps fence gap rate arrival footprint walk hugepages buffers gpu peer-buffers peer-gpu regions relaxed-ordering mw locks disturb post-api poll-api mtu sl tclass hop-limit flow-label pkey pkey-index timeout retry migrate-after pin mem peer-pin peer-mem help help-all version
= 0
$ for command in serve list place; do echo "$command:"; verbench $command --help-all | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' | paste -sd ' '; done
> serve:
> device soft ib-port gid-index alternate-port port bind allow key connect-timeout stall-timeout copy-to audit audit-format status metrics drain-time idle-exit wait-device user sandbox csv json jsonl csv-new force verbose quiet wide config max-sessions max-sessions-per-host max-session-rate max-plan-time max-session-time max-point-time max-stall max-idle max-threads max-qps max-memory max-copy-bytes max-copy-files max-total-memory clients-may max-log-rate pkey-index pin mem help help-all version
> list:
> soft topology help help-all version
> place:
> device soft completion events threads pin mem help help-all version
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
> One process on each node, all with the same options. They meet at rank 0, which says
> which pairs measure at the same time (--schedule), and writes the results of all.
> Options of a test take lists, as those of "verbench run". Who may take part is said
> --allow. The exit status is 0 if all pairs are measured, 1 if not, 2 if the command
> One process on each node, all with the same options. They meet at rank 0, which says
> which pairs measure at the same time (--schedule), and writes the results of all.
> Options of a test take lists, as those of "verbench run". Who may take part is said
> --allow. The exit status is 0 if all pairs are measured, 1 if not, 2 if the command
> Reads rows of --csv, --jsonl and --json, of this version and older ones, and what
> Repeats become one line, with their median, minimum and maximum. FILE -: standard
> Reads rows of --csv, --jsonl and --json, of this version and older ones, and what
> Repeats become one line, with their median, minimum and maximum. FILE -: standard
> Measures emulated links whose bandwidth, delay and losses are known, and how long
> the CPUs of this machine stand still meanwhile. Needs no RDMA device and no server.
> Measures emulated links whose bandwidth, delay and losses are known, and how long
> the CPUs of this machine stand still meanwhile. Needs no RDMA device and no server.
> Makes FILE with a new random key, which only you can read. A server with --key FILE
> serves only clients that have the same key, and tells others nothing. Copy FILE to
> Makes FILE with a new random key, which only you can read. A server with --key FILE
> serves only clients that have the same key, and tells others nothing. Copy FILE to
>   run                 measure lists of values, or a scenario, over one connection
>   mesh                measure many nodes, each with others, under srun, mpirun or Kubernetes
>   compare-completion  polling, events and hybrid side by side, and the answer in words
>   perftest-path       print the folder of the programs ib_send_bw, ib_send_lat, ...
>   help                help [COMMAND] [all]: this list, or the options of a command
! verbench: "verbench" is not a command; "verbench help" lists them
! verbench: "verbench" is not a command; "verbench help" lists them
! verbench: "verbench" is not a command; "verbench help" lists them
! verbench: "verbench" is not a command; "verbench help" lists them
! verbench: "verbench" is not a command; "verbench help" lists them
! verbench: "verbench" is not a command; "verbench help" lists them
= 0
$ for command in send_lat serve list place; do verbench $command --version | sed -n 1p && verbench $command -V -h | sed -n 1p; done
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
> verbench VERSION
= 0
