Sweeps: lists, ranges, scenarios and what is wrong with them. Nothing here connects.

$ verbench run
! verbench: run needs the host of a server ("verbench serve")
= 2
$ verbench run host
! verbench: run needs a scenario ("verbench run --list"), or --test
= 2
$ verbench run --test send_bw
! verbench: run needs the host of a server ("verbench serve")
= 2
$ verbench run --test sing_bw host
! verbench: --test "sing_bw": unknown; allowed: send_bw, send_lat, write_bw, write_lat, read_bw, read_lat, atomic_bw, atomic_lat
= 2
$ verbench run --test send_bw,send_bw host
! verbench: --test: "send_bw" is in the list twice
= 2
$ VERBENCH_BENCH_PATH=/nonexistent verbench run no-such host
! verbench: "no-such" is no scenario; "verbench run --list" lists them
= 2
$ verbench run size-sweep
! verbench: "size-sweep" is a scenario; run also needs the host of a server ("verbench serve")
= 2
$ verbench run sizesweep
! verbench: "sizesweep" is no scenario; did you mean size-sweep?
= 2
$ verbench run size_sweep host
! verbench: "size_sweep" is no scenario; did you mean size-sweep?
= 2
$ verbench run write_bw host
! verbench: "write_bw" is no scenario, but a test: --test write_bw
= 2
$ verbench run mtu,footprint host
! verbench: "mtu,footprint" is no scenario; "verbench run --list" lists them
= 2
$ verbench run --nonsense --test send_bw host
! verbench: "--nonsense" is not an option
= 2
$ verbench run --test send_bw -s 64,x host
! verbench: -s "x": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ verbench run --test send_bw -s 8M:2 host
! verbench: -s "8M:2": LAST is less than FIRST; allowed: FIRST:LAST, FIRST:LAST:*FACTOR, FIRST:LAST:+STEP, values of 0..2G or auto
= 2
$ verbench run --test send_bw -s 2:8M:*1 host
! verbench: -s "2:8M:*1": the factor must be a whole number of 2 or more; allowed: FIRST:LAST, FIRST:LAST:*FACTOR, FIRST:LAST:+STEP, values of 0..2G or auto
= 2
$ verbench run --test send_bw -s 1:200000 host
! verbench: -s: the list has more than 100000 values
= 2
$ verbench run --test send_bw -s 1:1000 -q 1:1000 host
! verbench: the lists make more than 100000 cells
= 2
$ verbench run --test send_bw -t 0,16 host
! verbench: -t "0": out of range; allowed: 1..16384 or auto
= 2
$ verbench run --test send_bw -p 1,2 host
! verbench: -p "1,2": not a number; allowed: 1..65535
= 2
$ verbench run --test send_bw -s 64 -s 128 host
! verbench: -s is given twice
= 2
$ verbench run --test send_bw --rounds 0 host
! verbench: --rounds "0": out of range; allowed: 1..10000
= 2
$ verbench run --test send_bw -a -s 64,128 host
! verbench: -s and -a (--all) exclude each other: one size or all sizes
= 2
$ verbench run --test read_bw -c UC,UD host
! verbench: read over UC: UC has no responses; use RC
= 2
$ vb_send_bw -s 64,128
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw --rounds 3
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw --until 60% host
! vb_send_bw: --until "60%": not a percentage from 0.01% to 50%
= 2
$ vb_send_bw --until much host
! vb_send_bw: --until "much": not a percentage from 0.01% to 50%
= 2
$ vb_send_bw --max-rounds 9 host
! vb_send_bw: --max-rounds is about --until, which is not given
= 2
$ vb_send_bw --until 1% --max-rounds 9 --rounds 10 host
! vb_send_bw: --rounds 10 is more than --max-rounds 9
= 2
$ vb_send_bw --find-knee 50us --rate 5k host
! vb_send_bw: --rate and --find-knee exclude each other: the search chooses the rates
= 2
$ vb_send_bw --find-knee 50us -n 100 host
! vb_send_bw: -n (--messages) and --find-knee exclude each other: trials last as long as --duration says
= 2
$ vb_send_bw --find-knee 50us -D forever host
! vb_send_bw: -D (--duration) forever and --find-knee exclude each other: a trial must end
= 2
$ vb_send_bw --find-knee 50us -a host
! vb_send_bw: -a (--all) and --find-knee exclude each other: it finds the knee of one size
= 2
$ vb_send_bw --find-knee 50us -s 64,128 host
! vb_send_bw: --find-knee needs one cell, and the lists or scenarios make 2
= 2
$ vb_send_bw --find-knee 50us --rounds 2 host
! vb_send_bw: --rounds and --find-knee exclude each other: it repeats its trials itself
= 2
$ vb_send_bw --find-knee 50us --until 1% host
! vb_send_bw: --until and --find-knee exclude each other: it repeats its trials itself
= 2
$ vb_send_bw --find-knee 50us --shuffle 3 host
! vb_send_bw: --shuffle and --find-knee exclude each other: a trial depends on those before it
= 2
$ vb_send_bw --find-knee 50us --resume x.csv host
! vb_send_bw: --resume and --find-knee exclude each other: a trial depends on those before it
= 2
$ vb_send_bw --find-knee 50us --post-list 8 host
! vb_send_bw: --post-list and --rate: a list would be posted when its last message is due; allowed: 1
= 2
$ vb_send_bw --find-knee 0 host
! vb_send_bw: --find-knee "0": out of range; allowed: 1us..10s or none
= 2
$ vb_send_bw --find-knee 50us
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ verbench run --test send_bw --find-knee 50us node1 node2
! verbench: several hosts and --find-knee exclude each other: it finds the knee of one pair
= 2
$ vb_send_bw --find-knee 50us -D 1 --arrival poisson --dry-run host
> send_bw --duration 1
> 1 cell, 1 point, 1.1 s; then the trials of --find-knee, 15 to 60 of up to 1 s
= 0
$ vb_send_lat --background 0 host
! vb_send_lat: --background: SIZE "0": out of range; allowed: 1..2G
= 2
$ vb_send_lat --background 1M,atomic host
! vb_send_lat: --background: OPCODE "atomic": unknown; allowed: send, write, read
= 2
$ vb_send_lat --background 1M,write,20000 host
! vb_send_lat: --background: QPS "20000": out of range; allowed: 1..16384
= 2
$ vb_send_lat --background 1M,4,write host
! vb_send_lat: --background "1M,4,write": expected SIZE[,OPCODE][,QPS], such as 1M,write,4
= 2
$ vb_send_lat --background 1M --find-knee 50us host
! vb_send_lat: --find-knee and --background exclude each other: the search chooses the rates
= 2
$ vb_send_lat --background 1M --resume x.csv host
! vb_send_lat: --resume and --background exclude each other: a cell has rows of two sessions
= 2
$ verbench run --test write_bw,send_bw --hdr x.hdr host
! verbench: --hdr has no effect without a latency test: only these have samples
= 2
$ verbench run --test write_bw,send_bw --dump-samples x.csv host
! verbench: --dump-samples has no effect without a latency test: only these have samples
= 2
$ verbench run --test send_lat --dump-samples x.csv host1 host2
! verbench: --dump-samples has no effect with several pairs: their rows have no samples
= 2
$ verbench run --test write_bw,send_lat --hdr x.hdr --dry-run host | tail -1
> 2 cells, 2 points, 2.1 s
= 0
$ vb_send_lat --background 1M --hdr x.hdr host
! vb_send_lat: --hdr has no effect with --background: a row beside bulk traffic has no samples
= 2
$ vb_send_lat --background 1M -a host
! vb_send_lat: -a (--all) and --background exclude each other: use a list of sizes: each has a row alone
= 2
$ vb_send_lat --background 1M -D forever host
! vb_send_lat: -D (--duration) forever and --background exclude each other: the bulk traffic runs until the probe ends
= 2
$ vb_send_lat --background 1M -c UD host
! vb_send_lat: --background: write over UD: a datagram cannot address memory of the target; use RC or UC
= 2
$ vb_send_lat --background 1M,read -c UC host
! vb_send_lat: --background: read over UC: UC has no responses; use RC
= 2
$ vb_send_lat --background 1M
! vb_send_lat: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw --background 1M host
! vb_send_bw: --background: send_bw without --rate has no response times; use a latency test, or --rate
= 2
$ vb_send_bw --background 1M --rate 1k -b host
! vb_send_bw: -b (--both) and --background exclude each other: bulk traffic and probe go one way
= 2
$ vb_send_bw --background 1M --rate 1k --reverse host
! vb_send_bw: --reverse and --background exclude each other: the bulk traffic goes to the server
= 2
$ verbench run --test send_bw -c UD --mcast 224.0.1.5 --background 1M,send host
! verbench: --mcast and --background exclude each other: a group has one sender
= 2
$ verbench run --test send_lat --background 1M node1 node2
! verbench: several hosts or devices and --background exclude each other: a probe is of one pair
= 2
$ verbench run --test send_lat --background 1M -d mlx5_0,mlx5_1 host
! verbench: several hosts or devices and --background exclude each other: a probe is of one pair
= 2
$ verbench compare-completion --background 1M host
! verbench: compare-completion and --background exclude each other: it compares other rows
= 2
$ verbench run --test send_lat,send_bw -c RC,UD --background 1M,write,4 -D 1 --dry-run host
> send_lat --transport RC --duration 1
> send_lat --transport UD --duration 1
>     skipped: --background: write over UD: a datagram cannot address memory of the target; use RC or UC
> send_bw --transport RC --duration 1
>     skipped: --background: send_bw without --rate has no response times; use a latency test, or --rate
> send_bw --transport UD --duration 1
>     skipped: --background: send_bw without --rate has no response times; use a latency test, or --rate
> 1 cell, 1 point, 2.1 s; 3 skipped
= 0
$ vb_send_bw --rate 0% host
! vb_send_bw: --rate "0%": out of range; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_send_bw --rate 201% host
! vb_send_bw: --rate "201%": out of range; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_send_bw --rate 10%:50% host
! vb_send_bw: --rate "10%:50%": percentages have no ranges; allowed: FIRST:LAST, FIRST:LAST:*FACTOR, FIRST:LAST:+STEP, values of 0.1..1G or none or up to 200%
= 2
$ vb_send_bw --rate 5k% host
! vb_send_bw: --rate "5k%": not a rate such as 1000, 0.5, 20k, 1.5M or 50%; allowed: 0.1..1G or none or up to 200%
= 2
$ vb_send_bw --rate 50% --resume x.csv host
! vb_send_bw: --resume and --rate in percent exclude each other: they are of a closed loop of the same run
= 2
$ vb_send_bw --rate 50%,90% --shuffle 3 host
! vb_send_bw: --shuffle and --rate in percent exclude each other: the closed loop is measured first
= 2
$ vb_send_bw -a --rate 50% host
! vb_send_bw: -a (--all) and --rate in percent exclude each other: each size has its own capacity
= 2
$ vb_send_bw --rate 50% --arrival fixed,poisson host
! vb_send_bw: a list of --arrival and --rate in percent exclude each other: a closed loop has no arrivals
= 2
$ vb_send_bw --find-knee 50us --rate 50% host
! vb_send_bw: --find-knee needs one cell, and the lists or scenarios make 2
= 2
$ vb_send_bw --rate 10%,50% --arrival poisson -s 64,4k -D 1 --dry-run host
> send_bw --size 64 --duration 1 --rate none
> send_bw --size 4k --duration 1 --rate none
> send_bw --size 64 --duration 1 --rate 10% --arrival poisson
> send_bw --size 4k --duration 1 --rate 10% --arrival poisson
> send_bw --size 64 --duration 1 --rate 50% --arrival poisson
> send_bw --size 4k --duration 1 --rate 50% --arrival poisson
> 6 cells, 6 points, 6.2 s
= 0
$ vb_send_bw --rate 12.5%,none,2k --rounds 2 -D 1 --dry-run host
> send_bw --duration 1 --rate none
> send_bw --duration 1 --rate 12.5%
> send_bw --duration 1 --rate 2k
> send_bw --duration 1 --rate none
> send_bw --duration 1 --rate 12.5%
> send_bw --duration 1 --rate 2k
> 6 cells, 6 points, 6.4 s
= 0
$ vb_send_bw --arrival poisson --dry-run host
> send_bw --arrival poisson
>     skipped: --arrival has no effect without --rate: in a closed loop a message follows the one before
> 0 cells, 0 points, 0.0 s; 1 skipped
= 0
$ vb_send_bw --rate 50%
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw --confident --rounds 6 host
! vb_send_bw: --confident is about the rules of --expect, which is not given
= 2
$ vb_send_bw --confident --rounds 5 --expect 'lost == 0' host
! vb_send_bw: --confident: with --rounds 5 no interval is known; at least 6 are needed
= 2
$ vb_send_bw -s 64 -D 1 --until 1% --max-rounds 7 --dry-run host
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> send_bw --size 64 --duration 1
> 7 cells, 7 points, 7.2 s; at most: --until may end it after 6 of 7 rounds
= 0
$ vb_send_bw --shuffle 3
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw --resume rows.csv
! vb_send_bw: lists and options of sweeps need a HOST: the client sends the options of a test to the server
= 2
$ vb_send_bw -s 64,128 --list host
! vb_send_bw: --list is not an option of tests, only of run
= 2
$ vb_send_bw -s 64,128 --test send_lat host
! vb_send_bw: --test is not an option of tests, only of run
= 2
$ vb_send_bw -s 64,99G host
! vb_send_bw: -s "99G": out of range; allowed: 0..2G or auto
= 2
$ verbench serve -s 64,128
! verbench: -s "64,128": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2

A dry run.

$ verbench run --test send_bw,read_bw -c RC,UC --imm on,off -s 64,4k -D 1 --dry-run
> send_bw --transport RC --imm --size 64 --duration 1
> send_bw --transport RC --imm --size 4k --duration 1
> send_bw --transport RC --size 64 --duration 1
> send_bw --transport RC --size 4k --duration 1
> send_bw --transport UC --imm --size 64 --duration 1
> send_bw --transport UC --imm --size 4k --duration 1
> send_bw --transport UC --size 64 --duration 1
> send_bw --transport UC --size 4k --duration 1
> read_bw --transport RC --imm --size 64 --duration 1
>     skipped: --imm has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
> read_bw --transport RC --imm --size 4k --duration 1
>     skipped: --imm has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
> read_bw --transport RC --size 64 --duration 1
> read_bw --transport RC --size 4k --duration 1
> read_bw --transport UC --imm --size 64 --duration 1
>     skipped: read over UC: UC has no responses; use RC
> read_bw --transport UC --imm --size 4k --duration 1
>     skipped: read over UC: UC has no responses; use RC
> read_bw --transport UC --size 64 --duration 1
>     skipped: read over UC: UC has no responses; use RC
> read_bw --transport UC --size 4k --duration 1
>     skipped: read over UC: UC has no responses; use RC
> 10 cells, 10 points, 10 s; 6 skipped
= 0
A test with options of sweeps is one, with a list or without.

$ vb_send_bw --rounds 3 -D 1 --dry-run
> send_bw --duration 1
> send_bw --duration 1
> send_bw --duration 1
> 3 cells, 3 points, 3.2 s
= 0
$ vb_write_lat -s 64,128 --shuffle 7 --rounds 2 -n 10 --dry-run host
> write_lat --size 64 --messages 10
> write_lat --size 64 --messages 10
> write_lat --size 128 --messages 10
> write_lat --size 128 --messages 10
> 4 cells, 4 points, about 0.1 s (a guess: how long --messages take depends on the devices)
= 0
$ verbench run --test send_bw -s 2:8M:*2 -D 1 --dry-run | tail -n 2
> send_bw --size 8M --duration 1
> 23 cells, 23 points, 24 s
= 0
$ verbench run --test send_bw -D forever --dry-run
> send_bw --duration forever
> 1 cell, 1 point, without end
= 0
$ verbench run --test send_bw -a --dry-run
> send_bw --all
> 1 cell, 23 points, 24 s
= 0
$ verbench run --test send_bw -q 1:8 --shuffle 5 -D 100ms --dry-run | sort
> 8 cells, 8 points, 2.3 s
> send_bw --duration 100ms --qps 1
> send_bw --duration 100ms --qps 2
> send_bw --duration 100ms --qps 3
> send_bw --duration 100ms --qps 4
> send_bw --duration 100ms --qps 5
> send_bw --duration 100ms --qps 6
> send_bw --duration 100ms --qps 7
> send_bw --duration 100ms --qps 8
= 0
$ verbench run --test send_bw -D 1 --rounds 3 --dry-run host
> send_bw --duration 1
> send_bw --duration 1
> send_bw --duration 1
> 3 cells, 3 points, 3.2 s
= 0
$ verbench run size-sweep --dry-run | tail -n 1
> 69 cells, 69 points, 72 s
= 0

Large buffers take longer to make than to measure.

$ verbench run footprint --dry-run | tail -n 1
> 24 cells, 24 points, 55 s
= 0
$ verbench run size-sweep --dry-run | grep ^write_bw | sed -n 1,4p
> write_bw --completion poll --size 2 --duration 1
> write_bw --completion event --size 2 --duration 1
> write_bw --completion hybrid --size 2 --duration 1
> write_bw --completion poll --size 4 --duration 1
= 0
$ verbench run size-sweep mtu -s 64 --completion poll -n 1 --dry-run
> size-sweep: Write bandwidth of all sizes, by polling, events and hybrid
> question  From which message size on is the link full, and does it matter how
>           completions are taken?
> expect    Below some KiB the message rate is the limit: the bandwidth doubles
>           with the size, and is higher with polling. Above, the link is the
>           limit, and poll, event and hybrid are the same; only their CPU time
>           differs.
>
> mtu: Path MTU from 256 to 4096 bytes
> question  What does a smaller path MTU cost?
> expect    Each packet has the same headers, so the share of payload falls: 1024
>           bytes cost some percent of the bandwidth against 4096, and 256 bytes a
>           fifth, if the device keeps up with the packets. Messages of one packet
>           do not change. What a port does not allow is skipped.
>
> write_bw --completion poll --size 64 --messages 1
> write_bw --completion poll --size 64 --messages 1 --mtu 256
> write_bw --completion poll --size 64 --messages 1 --mtu 512
> write_bw --completion poll --size 64 --messages 1 --mtu 1024
> write_bw --completion poll --size 64 --messages 1 --mtu 2048
> write_bw --completion poll --size 64 --messages 1 --mtu 4096
> write_lat --completion poll --size 64 --messages 1 --mtu 256
> write_lat --completion poll --size 64 --messages 1 --mtu 512
> write_lat --completion poll --size 64 --messages 1 --mtu 1024
> write_lat --completion poll --size 64 --messages 1 --mtu 2048
> write_lat --completion poll --size 64 --messages 1 --mtu 4096
> 11 cells, 11 points, about 0.4 s (a guess: how long --messages take depends on the devices)
= 0
$ verbench run size-sweep -D 100ms --completion poll --dry-run --quiet host | tail -n 3
> write_bw --completion poll --size 4M --duration 100ms
> write_bw --completion poll --size 8M --duration 100ms
> 23 cells, 23 points, 3.4 s
= 0

Scenarios.

$ verbench run --list
> bmwg-rdma            RDMA tests of the IETF's draft for AI training fabrics
> both-ways            One direction, and both at the same time
> completion           Polling, events and hybrid side by side
> footprint            Memory that messages walk over, from cache to far beyond it
> inline-crossover     Small writes with and without inline data
> latency-under-load   Response time under load, 10 to 95 % of the capacity
> mtu                  Path MTU from 256 to 4096 bytes
> near-far             Threads and memory near the HCA and far from it
> odd-sizes            Sizes beside powers of two, and messages of several pieces
> outstanding-reads    Reads in flight per queue pair
> post-list            Requests per doorbell and per signalled request
> qp-scaling           Queue pairs of one thread, from 1 to 256
> size-sweep           Write bandwidth of all sizes, by polling, events and hybrid
> threads              Measuring threads, from 1 to 16
= 0
$ verbench run --list size-sweep
> size-sweep: Write bandwidth of all sizes, by polling, events and hybrid
> question  From which message size on is the link full, and does it matter how
>           completions are taken?
> expect    Below some KiB the message rate is the limit: the bandwidth doubles
>           with the size, and is higher with polling. Above, the link is the
>           limit, and poll, event and hybrid are the same; only their CPU time
>           differs.
>
= 0
$ VERBENCH_BENCH_PATH=/nonexistent verbench run --list
! verbench: cannot read the scenarios in /nonexistent: No such file or directory
= 1
$ printf 'title T\nquestion Q\nrun --test send_bw -s 64,4k\n' >own.bench; verbench run own.bench --dry-run
> own: T
> question  Q
>
> send_bw --size 64
> send_bw --size 4k
> 2 cells, 2 points, 2.1 s
= 0
$ printf 'title T\nquestion Q\ninclude mtu\nrun --test send_bw\n' >two.bench; verbench run ./two.bench --dry-run -s 64 -D 1
> two: T
> question  Q
>
> write_bw --size 64 --duration 1 --mtu 256
> write_bw --size 64 --duration 1 --mtu 512
> write_bw --size 64 --duration 1 --mtu 1024
> write_bw --size 64 --duration 1 --mtu 2048
> write_bw --size 64 --duration 1 --mtu 4096
> write_lat --size 64 --duration 1 --mtu 256
> write_lat --size 64 --duration 1 --mtu 512
> write_lat --size 64 --duration 1 --mtu 1024
> write_lat --size 64 --duration 1 --mtu 2048
> write_lat --size 64 --duration 1 --mtu 4096
> send_bw --size 64 --duration 1
> 11 cells, 11 points, 11 s
= 0
$ printf 'title T\nquestion Q\nrun --test send_bw -s 64,x\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: -s "x": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ printf 'title T\n\nsing --test send_bw\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: "sing" is no keyword; allowed: title, question, expect, run, include, rounds, report, norm, clause
= 2
$ printf 'title T\nquestion Q\nrun -s 64\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: no test is given: --test send_bw,write_lat,...
= 2
$ printf 'title T\nquestion Q\nrun --test send_bw -d dev0\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: -d is an option of the command line, not of a scenario
= 2
$ printf 'title T\nquestion Q\nrun --test send_bw --dry-run\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: --dry-run is an option of the command line, not of a scenario
= 2
$ printf 'title T\nquestion Q\nrun --test send_bw node1\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: "node1" is no option: hosts are on the command line
= 2
$ printf "title T\nquestion Q\nrun --test 'send_bw\n" >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: a quote (') is not closed
= 2
$ printf 'title T\nquestion Q\ninclude bad.bench\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: bad.bench:3: scenarios include each other, or more than 8 deep
= 2
$ printf 'title T\nquestion Q\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench: the scenario has no line with run or include
= 2
$ printf 'title T\nrun --test send_bw\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench: the scenario has no question
= 2
$ printf 'title T\ntitle T\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:2: the keyword is given twice
= 2
$ printf 'title\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:1: title needs a text after it
= 2
$ printf 'rounds 0\n' >bad.bench; verbench run bad.bench host
! verbench: bad.bench:1: rounds "0": allowed: 1..10000
= 2
$ verbench run none.bench host
! verbench: cannot open none.bench: No such file or directory
= 2
$ verbench run ./ host
! verbench: cannot open ./: not a regular file
= 2
A file that never ends, or that is no file of people.
$ ln -s /dev/zero zero.bench; verbench run ./zero.bench host
! verbench: cannot open ./zero.bench: not a regular file
= 2
$ mkfifo fifo.bench; verbench run ./fifo.bench host
! verbench: cannot open ./fifo.bench: not a regular file
= 2
$ { echo title T; echo question Q; yes '# a comment' | head -c 300000; } >long.bench; verbench run ./long.bench host
! verbench: ./long.bench: the file is too long; allowed: 262144 bytes
= 2
$ { echo title T; echo question Q; yes 'run --test send_bw -s 64' | head -n 1001; } >many.bench; verbench run ./many.bench host
! verbench: ./many.bench:1003: more than 1000 lines with run, with those of include; lists (--size 64,4k) make one line of many
= 2
$ { echo title T; echo question Q; yes 'include ./ten.bench' | head -n 101; } >bomb.bench; { echo title T; echo question Q; yes 'run --test send_bw -s 64' | head -n 10; } >ten.bench; verbench run ./bomb.bench host
! verbench: ./bomb.bench:103: more than 1000 lines with run, with those of include; lists (--size 64,4k) make one line of many
= 2
A text that would command the terminal, or reorder what it shows.
$ printf 'title red \033[31m\nquestion Q\nrun --test send_bw\n' >red.bench; verbench run ./red.bench host
! verbench: ./red.bench:1: byte 0x1b, the 11th from the first word on, is of no character that can be seen: write plain text in UTF-8
= 2
$ printf 'title T\nquestion \342\200\256Q\nrun --test send_bw\n' >bidi.bench; verbench run ./bidi.bench host
! verbench: ./bidi.bench:2: byte 0xe2, the 10th from the first word on, is of no character that can be seen: write plain text in UTF-8
= 2
$ printf 'title\tGr\303\266\303\237e\nquestion \303\226?\nrun --test send_bw -s 64\n' >good.bench; cp good.bench $(printf 'red\033[31m.bench'); verbench run ./good.bench ./red*m.bench --dry-run | sed -n 1,5p
> good: Größe
> question  Ö?
>
> red?[31m: Größe
> question  Ö?
= 0
$ mkfifo pipe.conf; verbench serve --config pipe.conf
! verbench: cannot open pipe.conf: not a regular file
= 2
$ verbench compare-completion
! verbench: run needs the host of a server ("verbench serve")
= 2
$ verbench compare-completion --help | tr -s '\n ' ' ' | grep -o -- '--\(rounds\|size\|duration\|completion\) [^]]*]' | sed 's/ .*default/ default/'
> --completion default poll,event,hybrid]
> --size default 64,4k,64k,1M; 64,4k of send_lat]
> --duration ends each size]
> --duration default 500ms]
> --rounds default 3]
= 0
$ verbench compare-completion --dry-run -s 64 | tail -n 1
> 18 cells, 18 points, 9.6 s
= 0
$ verbench run --test write_bw -d a,b node1 node2 node3
! verbench: -d names 2 devices for 3 operands: a pair needs one of each; one device, or one HOST, is for all
= 2
$ verbench run --test write_bw -d a,,b node1
! verbench: -d a,,b: "" is no name of a device
= 2
$ verbench run --test write_bw node1:18600:mlx5_0 node2:0
! verbench: host "node2:0": the port is "0"; allowed: 1..65535
= 2
$ verbench run --test write_bw --peer-device mlx5_0 node1:mlx5_1
! verbench: "node1:mlx5_1" and --peer-device mlx5_0: two names for the device of the server
= 2
$ verbench run --test write_bw --dry-run -D 2 -d a,b node1 node2:mlx5_1
> write_bw --duration 2
> 1 cell, 1 point, 2.1 s
= 0
$ verbench compare-completion -d a,b node1
! verbench: -d a,b: only one device is allowed
= 2

A file that Windows has written.
$ printf "\357\273\277title T\r\nquestion Q?\r\nrun --test write_bw -s 4k\r\n" >windows.bench; verbench run windows.bench --dry-run | sed -n 1p
> windows: T
= 0
