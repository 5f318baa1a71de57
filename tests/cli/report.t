The command report: summaries of files of rows.

$ verbench report samples/old.csv
> 4 rows of samples/old.csv
> all: transport RC, qps 1, mtu_bytes 4096, host node2, peer_host node1, device
>      rxe0, peer_device rxe0, driver rxe, link_layer Ethernet, emulated 0,
>      tool_version 0.1.0
>
> Bandwidth
>                                  bandwidth     message  cpu_ns_per
> test     completion  size_bytes     gbit_s  rate_per_s         msg
> send_bw  poll             65536     0.1236       235.7     3953819
> send_bw  event            65536     0.2745       523.6       96288
>
> Latency
>                                                           cpu_ns_per
> test      completion  size_bytes  lat_p50_ns  lat_max_ns         msg
> send_lat  poll                 2      307857    16288527      835146
> send_lat  event                2      470561     6545578      105048
= 0
$ verbench report --format markdown samples/old.csv
> 4 rows of samples/old.csv
>
> All rows: transport RC, qps 1, mtu_bytes 4096, host node2, peer_host node1, device rxe0, peer_device rxe0, driver rxe, link_layer Ethernet, emulated 0, tool_version 0.1.0
>
> ## Bandwidth
>
> | test | completion | size_bytes | bandwidth_gbit_s | message_rate_per_s | cpu_ns_per_msg |
> | --- | --- | ---: | ---: | ---: | ---: |
> | send_bw | poll | 65536 | 0.1236 | 235.7 | 3953819 |
> | send_bw | event | 65536 | 0.2745 | 523.6 | 96288 |
>
> ## Latency
>
> | test | completion | size_bytes | lat_p50_ns | lat_max_ns | cpu_ns_per_msg |
> | --- | --- | ---: | ---: | ---: | ---: |
> | send_lat | poll | 2 | 307857 | 16288527 | 835146 |
> | send_lat | event | 2 | 470561 | 6545578 | 105048 |
>
= 0
$ verbench report --format csv samples/old.csv
> test,transport,completion,size_bytes,n,bandwidth_gbit_s,bandwidth_gbit_s_min,bandwidth_gbit_s_max,bandwidth_gbit_s_low,bandwidth_gbit_s_high,message_rate_per_s,message_rate_per_s_min,message_rate_per_s_max,message_rate_per_s_low,message_rate_per_s_high,cpu_ns_per_msg,cpu_ns_per_msg_min,cpu_ns_per_msg_max,cpu_ns_per_msg_low,cpu_ns_per_msg_high,lat_p50_ns,lat_p50_ns_min,lat_p50_ns_max,lat_p50_ns_low,lat_p50_ns_high,lat_max_ns,lat_max_ns_min,lat_max_ns_max,lat_max_ns_low,lat_max_ns_high
> send_bw,RC,poll,65536,1,0.123585869,0.123585869,0.123585869,,,235.721338,235.721338,235.721338,,,3953818.61,3953818.61,3953818.61,,,,,,,,,,,,
> send_bw,RC,event,65536,1,0.274529425,0.274529425,0.274529425,,,523.623324,523.623324,523.623324,,,96288.0609,96288.0609,96288.0609,,,,,,,,,,,,
> send_lat,RC,poll,2,1,0.00000953451448,0.00000953451448,0.00000953451448,,,595.907155,595.907155,595.907155,,,835146.024,835146.024,835146.024,,,307856.705,307856.705,307856.705,,,16288526.9,16288526.9,16288526.9,,
> send_lat,RC,event,2,1,0.0000101886302,0.0000101886302,0.0000101886302,,,636.789389,636.789389,636.789389,,,105047.598,105047.598,105047.598,,,470561.293,470561.293,470561.293,,,6545577.82,6545577.82,6545577.82,,
= 0
$ verbench report --format json --of lat_p50_ns samples/old.csv | sed -n '/results/,$p'
>  "results": [
>   {
>    "test": "send_bw",
>    "transport": "RC",
>    "completion": "poll",
>    "size_bytes": 65536,
>    "n": 1,
>    "lat_p50_ns": null,
>    "lat_p50_ns_min": null,
>    "lat_p50_ns_max": null,
>    "lat_p50_ns_low": null,
>    "lat_p50_ns_high": null
>   },
>   {
>    "test": "send_bw",
>    "transport": "RC",
>    "completion": "event",
>    "size_bytes": 65536,
>    "n": 1,
>    "lat_p50_ns": null,
>    "lat_p50_ns_min": null,
>    "lat_p50_ns_max": null,
>    "lat_p50_ns_low": null,
>    "lat_p50_ns_high": null
>   },
>   {
>    "test": "send_lat",
>    "transport": "RC",
>    "completion": "poll",
>    "size_bytes": 2,
>    "n": 1,
>    "lat_p50_ns": 307856.705,
>    "lat_p50_ns_min": 307856.705,
>    "lat_p50_ns_max": 307856.705,
>    "lat_p50_ns_low": null,
>    "lat_p50_ns_high": null
>   },
>   {
>    "test": "send_lat",
>    "transport": "RC",
>    "completion": "event",
>    "size_bytes": 2,
>    "n": 1,
>    "lat_p50_ns": 470561.293,
>    "lat_p50_ns_min": 470561.293,
>    "lat_p50_ns_max": 470561.293,
>    "lat_p50_ns_low": null,
>    "lat_p50_ns_high": null
>   }
>  ],
>  "remarks": []
> }
= 0
$ verbench report --of lat_p50_ns,lat_max_ns - <samples/old.csv
> 4 rows of standard input
> all: transport RC, qps 1, mtu_bytes 4096, host node2, peer_host node1, device
>      rxe0, peer_device rxe0, driver rxe, link_layer Ethernet, emulated 0,
>      tool_version 0.1.0
>
> Latency
> test      completion  size_bytes  lat_p50_ns  lat_max_ns
> send_lat  poll                 2      307857    16288527
> send_lat  event                2      470561     6545578
= 0

Repeats, several files, and CSV files behind each other.

$ verbench report samples/old.csv samples/old.csv --of bandwidth_gbit_s
> 8 rows of samples/old.csv, samples/old.csv
> all: transport RC, qps 1, mtu_bytes 4096, host node2, peer_host node1, device
>      rxe0, peer_device rxe0, driver rxe, link_layer Ethernet, emulated 0,
>      tool_version 0.1.0
>
> Bandwidth
>                                     bandwidth
> test     completion  size_bytes  n     gbit_s     min     max
> send_bw  poll             65536  2     0.1236  0.1236  0.1236
> send_bw  event            65536  2     0.2745  0.2745  0.2745
>
> Latency
>                                        bandwidth
> test      completion  size_bytes  n       gbit_s          min          max
> send_lat  poll                 2  2  0.000009535  0.000009535  0.000009535
> send_lat  event                2  2   0.00001019   0.00001019   0.00001019
= 0
$ cat samples/old.csv samples/old.csv | verbench report --of events --format csv -
> test,transport,completion,size_bytes,n,events,events_min,events_max,events_low,events_high
> send_bw,RC,poll,65536,2,0,0,0,,
> send_bw,RC,event,65536,2,20,20,20,,
> send_lat,RC,poll,2,2,0,0,0,,
> send_lat,RC,event,2,2,632,632,632,,
= 0

What is no file of rows, and what is damaged.

$ verbench report
! verbench: report needs a FILE of rows, or - for standard input
= 2
$ verbench report none.csv
! verbench: cannot open none.csv: No such file or directory
= 1
$ verbench report --of p99 samples/a.csv
! verbench: --of "p99": not the name of a column (verbench-row(5) lists them)
= 2
$ verbench report --where 'size > 4k' samples/a.csv
! verbench: --where, character 1: "size" is not a column of a row; did you mean size_bytes or peer_size_bytes?
= 2
$ verbench report --by devise samples/a.csv
! verbench: --by "devise": not the name of a column; did you mean device?
= 2
$ verbench report --of latency samples/old.csv
! verbench: --of "latency": not the name of a column (verbench-row(5) lists them)
= 2
$ verbench report --of size_bytes samples/old.csv
! verbench: --of size_bytes: not a measured quantity
= 2
$ verbench report --of lat_p50_ns,lat_p50_ns samples/old.csv
! verbench: --of: the column lat_p50_ns is given twice
= 2
$ : >empty.csv; verbench report empty.csv
! verbench: empty.csv is empty
= 2
$ echo test,size_bytes >other.csv; verbench report other.csv
! verbench: other.csv, line 1: not a file of results: its first line begins with "test,size_bytes", not with "schema,"
= 2
$ echo schema,measurement >setup.csv; verbench report setup.csv
! verbench: setup.csv, line 1: not rows of a test: the column test is missing
= 2
$ echo schema,test,test >twice.csv; verbench report twice.csv
! verbench: twice.csv, line 1: the column test occurs twice
= 2
What spreadsheets make of our own file: a mark before it, names in quotes, other separators, UTF-16.
$ { printf '\357\273\277'; sed '1s/[a-z_0-9]*/"&"/g' samples/a.csv; } >bom.csv; verbench report bom.csv | sed -n 1p
> 24 rows of bom.csv
= 0
$ tr , ';' <samples/a.csv >semicolons.csv; verbench report semicolons.csv
! verbench: semicolons.csv, line 1: not a file of results: between its columns is no ","; save it as CSV with commas: "schema;tool_version;test;transport;opcod"
= 2
$ printf '\377\376s\0c\0' >utf16.csv; verbench report utf16.csv
! verbench: utf16.csv: a text in UTF-16; allowed: UTF-8
= 2
$ printf 'schema,test\n1\n' >short.csv; verbench report short.csv
! verbench: short.csv, line 2: the line has fewer than the 2 cells of the line of names
= 2
$ printf 'schema,test\n1,send_bw,3\n' >long.csv; verbench report long.csv
! verbench: long.csv, line 2: the line has more than the 2 cells of the line of names
= 2
$ printf 'schema,test\n1,"send_bw\n' >quote.csv; verbench report quote.csv
! verbench: quote.csv, line 2: a quote is not closed, or text follows it
= 2
$ printf 'schema,test\n2,send_bw\n' >schema.csv; verbench report schema.csv
! verbench: schema.csv, line 2: the schema is "2", this program reads 1 to 1
= 2
$ printf 'schema,test,size_bytes\n1,send_bw,many\n' >number.csv; verbench report number.csv
! verbench: number.csv, line 2: size_bytes is "many", not a number from 0 on
= 2
$ for n in size_bytes bandwidth_gbit_s lat_max_ns; do printf "schema,test,$n\n1,send_bw,-5\n" >below.csv; verbench report below.csv; done
! verbench: below.csv, line 2: size_bytes is "-5", not a number from 0 on
! verbench: below.csv, line 2: bandwidth_gbit_s is "-5", not a number from 0 on
! verbench: below.csv, line 2: lat_max_ns is "-5", not a number from 0 on
= 2
$ echo '{"schema":1,"test":"send_bw","size_bytes":-5}' >below.jsonl; verbench report below.jsonl
! verbench: below.jsonl, line 1: size_bytes is "-5", not a number from 0 on
= 2
$ printf 'schema,test\n1,send_bw\n1,se' >torn.csv; verbench report torn.csv
> 1 row of torn.csv
> all: test send_bw
>
> no row has one of the quantities
> no status, 1 row:
! verbench: torn.csv, line 3: the last line is incomplete and is ignored (the program that wrote it was killed)
= 0
$ printf 'schema,test' >head.csv; verbench report head.csv
! verbench: head.csv, line 1: the line of names is truncated
= 2
$ printf 'schema,test\n1,\0\n' >nul.csv; verbench report nul.csv
! verbench: nul.csv, line 2: it has a NUL byte
= 2

JSON: a row per line, and documents of runs.

$ printf '{"schema":1,"test":"send_bw","status":"ok","bandwidth_gbit_s":9.5}\n' >one.jsonl; verbench report one.jsonl
> 1 row of one.jsonl
> all: test send_bw
>
> Bandwidth
> bandwidth
>    gbit_s
>     9.500
= 0
$ (cat one.jsonl; printf '{"schema":1,"te') >torn.jsonl; verbench report torn.jsonl
> 1 row of torn.jsonl
> all: test send_bw
>
> Bandwidth
> bandwidth
>    gbit_s
>     9.500
! verbench: torn.jsonl, line 2: the last line is incomplete and is ignored (the program that wrote it was killed)
= 0
$ printf '{"schema":1,"te' >torn.json; verbench report torn.json
! verbench: torn.json, line 1: premature end of input near '"te'
= 2
$ printf '{"schema":1,"status":"ok","run":{"a":[1,{}]},"rows":[{"schema":1,"test":"send_bw","status":"ok","size_bytes":64,"bandwidth_gbit_s":1e1}, {"schema":1,"test":"send_bw","status":"failed","reason":"why not","size_bytes":128}],"points":[]}' >run.json; verbench report run.json
> 2 rows of run.json
> all: test send_bw
>
> Bandwidth
>             bandwidth
> size_bytes     gbit_s
>         64         10
>        128          -
>
> failed, 1 row: why not
= 0
$ printf '{"schema":1,"rows":[{"schema":1,"test":"send_bw"}' >cut.json; verbench report cut.json
! verbench: cut.json, line 1: ']' expected near end of file
= 2
$ printf '{"schema":1,"rows":[{"schema":1,"test":7}]}' >type.json; verbench report type.json
! verbench: type.json, line 1: row 1 of the document: test has another JSON type
= 2
$ printf '{"schema":1,"measurement":"pd"}' >setup.json; verbench report setup.json
! verbench: setup.json, line 1: not a row of a test: test is missing
= 2
$ printf '{"schema":1,"test":"a","test":"b"}' >twice.json; verbench report twice.json
! verbench: twice.json, line 1: duplicate object key near '"test"'
= 2
$ printf '{"schema":1\n"test":"b"}' >comma.json; verbench report comma.json
! verbench: comma.json, line 2: '}' expected near '"test"'
= 2
$ printf '{"a":"\\x"}' >escape.json; verbench report escape.json
! verbench: escape.json, line 1: invalid escape near '"\x'
= 2

Pivots, conditions, comparisons and expectations. Sample a has three repeats; b is another run of its plan.

$ verbench report --by completion --of bandwidth_gbit_s,lat_p50_ns samples/a.csv
> 24 rows of samples/a.csv
> all: transport RC, threads 1, qps 1, mtu_bytes 4096, host node2, peer_host
>      node1, device softhca0, peer_device softhca0, link_layer Ethernet,
>      link_gbit_s 400, emulated 1, tool_version 0.1.0
>
> bandwidth_gbit_s by completion
> test      size_bytes    poll    event
> send_bw           64   19.85    14.98
> send_bw         4096   60.05    57.69
> send_bw        65536   90.47    90.52
> send_lat          64  0.5971  0.07491
>
> lat_p50_ns by completion
> test      size_bytes   poll  event
> send_lat          64  499.5   3071
>
> warning: 24 of 24 rows: disturbed: see the column warnings
= 0
$ verbench report --by size_bytes,completion --of bandwidth_gbit_s --format csv samples/a.csv
> quantity,test,64 poll,64 event,4096 poll,4096 event,65536 poll,65536 event
> bandwidth_gbit_s,send_bw,19.853746,14.984847,60.049695,57.685364,90.474794,90.519702
> bandwidth_gbit_s,send_lat,0.597061,0.074907,,,,
! verbench: warning: 24 of 24 rows: disturbed: see the column warnings
= 0
$ verbench report --by completion --of lat_p50_ns --format json samples/a.csv | sed -n '/results/,/]/p'
>  "results": [
>   {
>    "quantity": "lat_p50_ns",
>    "test": "send_lat",
>    "size_bytes": 64,
>    "poll": 499.454,
>    "event": 3070.9
>   }
>  ],
= 0
$ verbench report --where 'size_bytes >= 4k and completion == poll' --of bandwidth_gbit_s samples/a.csv
> 6 rows of samples/a.csv
> all: test send_bw, transport RC, completion poll, threads 1, qps 1, depth 128,
>      mtu_bytes 4096, host node2, peer_host node1, device softhca0, peer_device
>      softhca0, link_layer Ethernet, link_gbit_s 400, emulated 1, tool_version
>      0.1.0
>
> Bandwidth
>                bandwidth
> size_bytes  n     gbit_s    min    max
>       4096  3      60.05  59.92  60.42
>      65536  3      90.47  90.47  90.79
>
> warning: 6 of 6 rows: disturbed: see the column warnings
= 0
$ verbench report --where 'size_bytes > 1G' samples/a.csv
> 0 rows of samples/a.csv
>
> --where holds for none of 24 rows
= 0
$ verbench report --compare --ignore disturbed samples/a.csv samples/b.csv --of bandwidth_gbit_s,lat_p50_ns
> 48 rows of samples/a.csv, samples/b.csv
> all: transport RC, threads 1, qps 1, mtu_bytes 4096, host node2, peer_host
>      node1, device softhca0, peer_device softhca0, link_layer Ethernet,
>      link_gbit_s 400, emulated 1, tool_version 0.1.0
>
> bandwidth_gbit_s
> test      completion  size_bytes        a  n        b  n   ratio  low  high
> send_bw   poll                64    19.85  3    20.03  3   1.002    -     -
> send_bw   poll              4096    60.05  3    71.51  3   1.191    -     -
> send_bw   poll             65536    90.47  3    89.88  3  0.9906    -     -
> send_bw   event               64    14.98  3    10.58  3  0.7044    -     -
> send_bw   event             4096    57.69  3    58.20  3   1.009    -     -
> send_bw   event            65536    90.52  3    90.08  3  0.9951    -     -
> send_lat  poll                64   0.5971  3   0.5978  3   1.001    -     -
> send_lat  event               64  0.07491  3  0.07492  3   1.000    -     -
>
> test      completion  size_bytes  verdict
> send_bw   poll                64  unsure: needs about 3 more
> send_bw   poll              4096  unsure: needs about 3 more
> send_bw   poll             65536  unsure: needs about 3 more
> send_bw   event               64  unsure: needs about 3 more
> send_bw   event             4096  unsure: needs about 3 more
> send_bw   event            65536  unsure: needs about 3 more
> send_lat  poll                64  unsure: needs about 3 more
> send_lat  event               64  unsure: needs about 3 more
>
> lat_p50_ns
> test      completion  size_bytes      a  n      b  n  ratio  low  high
> send_lat  poll                64  499.5  3  502.2  3  1.006    -     -
> send_lat  event               64   3071  3   4011  3  1.303    -     -
>
> test      completion  size_bytes  verdict
> send_lat  poll                64  unsure: needs about 3 more
> send_lat  event               64  unsure: needs about 3 more
>
> a: samples/a.csv, b: samples/b.csv (within 2 %): 10 unsure (too few repeats, or
>   they scatter too much; remedy: more --rounds)
>
> warning: 48 of 48 rows: disturbed: see the column warnings
= 0
$ verbench report --compare --ignore disturbed samples/a.csv samples/b.csv --of bandwidth_gbit_s --format csv
> quantity,test,completion,size_bytes,a,a_n,a_min,a_max,a_low,a_high,b,b_n,b_min,b_max,b_low,b_high,ratio,ratio_low,ratio_high,p,verdict,needs
> bandwidth_gbit_s,send_bw,poll,64,19.853746,3,19.810178,20.134306,,,20.032482,3,19.81437,20.182414,,,1.00238935,,,,unsure,3
> bandwidth_gbit_s,send_bw,poll,4096,60.049695,3,59.91932,60.41692,,,71.508071,3,71.319521,72.644872,,,1.19081489,,,,unsure,3
> bandwidth_gbit_s,send_bw,poll,65536,90.474794,3,90.472104,90.790468,,,89.875205,3,89.201792,89.936809,,,0.990597482,,,,unsure,3
> bandwidth_gbit_s,send_bw,event,64,14.984847,3,14.976635,15.066462,,,10.582276,3,10.549554,10.603912,,,0.704400822,,,,unsure,3
> bandwidth_gbit_s,send_bw,event,4096,57.685364,3,57.453687,58.175848,,,58.196887,3,58.029873,58.521299,,,1.00886747,,,,unsure,3
> bandwidth_gbit_s,send_bw,event,65536,90.519702,3,89.499045,90.801487,,,90.079519,3,89.654646,90.108919,,,0.995137158,,,,unsure,3
> bandwidth_gbit_s,send_lat,poll,64,0.597061,3,0.594025,0.598574,,,0.597822,3,0.595018,0.598722,,,1.00127458,,,,unsure,3
> bandwidth_gbit_s,send_lat,event,64,0.074907,3,0.074391,0.075602,,,0.074917,3,0.074604,0.075159,,,1.0001335,,,,unsure,3
! verbench: a: samples/a.csv, b: samples/b.csv (within 2 %): 8 unsure (too few repeats, or they scatter too much; remedy: more --rounds)
! verbench: warning: 48 of 48 rows: disturbed: see the column warnings
= 0
$ verbench report --compare samples/a.csv samples/b.csv --of bandwidth_gbit_s --within 50 --quiet --expect 'verdict != worse'
> a: samples/a.csv, b: samples/b.csv (within 50 %): 8 unsure (all rows of a side were disturbed; remedy: other programs off these CPUs, or -e); UNSURE, expected: verdict != worse
> 48 of 48 rows were disturbed and are left out; to count them: --ignore disturbed
= 4
$ verbench report --compare samples/a.csv samples/b.csv --of bandwidth_gbit_s --quiet --expect 'verdict != worse'
> a: samples/a.csv, b: samples/b.csv (within 2 %): 8 unsure (all rows of a side were disturbed; remedy: other programs off these CPUs, or -e); UNSURE, expected: verdict != worse
> 48 of 48 rows were disturbed and are left out; to count them: --ignore disturbed
= 4
One bad repeat hides no loss of 45 or 30 %; what is not sure fulfils no rule.

$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s
> 74 rows of samples/before.csv, samples/after.csv
> all: test write_bw
>
> bandwidth_gbit_s
> size_bytes      a  n    low   high      b  n    low   high
>         64  9.500  8  9.194  9.500  5.225  8  5.225  5.225
>        256    100  8  99.89  100.1  70.05  8  69.90  72.12
>       4096    102  8  100.9  103.1    122  8  120.9  123.1
>      16384    100  5      -      -    101  5      -      -
>      65536  90.20  5      -      -  90.10  5      -      -
>    1048576    100  3      -      -     50  3      -      -
>
> size_bytes   ratio     low    high  verdict
>         64  0.5500  0.5500  0.5500  worse
>        256  0.7005  0.6993  0.7020  worse
>       4096   1.196   1.183   1.210  better
>      16384   1.010  0.6071   1.725  unsure: scatters too much
>      65536       1  0.9978   1.002  same
>    1048576  0.5000       -       -  unsure: needs about 3 more
>
> a: samples/before.csv, b: samples/after.csv (within 2 %): 1 same, 1 better, 2
>   worse, 2 unsure (too few repeats, or they scatter too much; remedy: more
>   --rounds)
> bandwidth_gbit_s, size_bytes 64: B is 0.55 (0.55 to 0.55) times A: worse
> bandwidth_gbit_s, size_bytes 256: B is 0.7005 (0.6993 to 0.702) times A: worse
> bandwidth_gbit_s, size_bytes 4096: B is 1.196 (1.183 to 1.21) times A: better
= 0
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --format csv
> quantity,size_bytes,a,a_n,a_min,a_max,a_low,a_high,b,b_n,b_min,b_max,b_low,b_high,ratio,ratio_low,ratio_high,p,verdict,needs
> bandwidth_gbit_s,64,9.5,8,4.75,9.5,9.19430693,9.5,5.225,8,5.225,5.225,5.225,5.225,0.55,0.55,0.55,0.00559440559,worse,
> bandwidth_gbit_s,256,100,8,99.8,100.2,99.8935644,100.106436,70.05,8,69.9,100,69.9,72.1178218,0.700499802,0.699300699,0.702,0.00606060606,worse,
> bandwidth_gbit_s,4096,102,8,100,104,100.935644,103.064356,122,8,120,124,120.935644,123.064356,1.19607843,1.18269231,1.21,0.000777000777,better,
> bandwidth_gbit_s,16384,100,5,60,140,,,101,5,65,138,,,1.01,0.607142857,1.725,1,unsure,
> bandwidth_gbit_s,65536,90.2,5,90,90.3,,,90.1,5,90,90.4,,,1,0.997782705,1.00222222,1,same,
> bandwidth_gbit_s,1048576,100,3,100,100,,,50,3,50,50,,,0.5,,,,unsure,3
! verbench: a: samples/before.csv, b: samples/after.csv (within 2 %): 1 same, 1 better, 2 worse, 2 unsure (too few repeats, or they scatter too much; remedy: more --rounds)
! verbench: bandwidth_gbit_s, size_bytes 64: B is 0.55 (0.55 to 0.55) times A: worse
! verbench: bandwidth_gbit_s, size_bytes 256: B is 0.7005 (0.6993 to 0.702) times A: worse
! verbench: bandwidth_gbit_s, size_bytes 4096: B is 1.196 (1.183 to 1.21) times A: better
= 0
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --where 'size_bytes == 65536' --format json
> {
>  "rows_read": 10,
>  "files": [
>   "samples/before.csv",
>   "samples/after.csv"
>  ],
>  "same": {
>   "test": "write_bw",
>   "size_bytes": 65536
>  },
>  "results": [
>   {
>    "quantity": "bandwidth_gbit_s",
>    "a": 90.2,
>    "a_n": 5,
>    "a_min": 90,
>    "a_max": 90.3,
>    "a_low": null,
>    "a_high": null,
>    "b": 90.1,
>    "b_n": 5,
>    "b_min": 90,
>    "b_max": 90.4,
>    "b_low": null,
>    "b_high": null,
>    "ratio": 1,
>    "ratio_low": 0.997782705099778,
>    "ratio_high": 1.00222222222222,
>    "p": 0.976190476190476,
>    "verdict": "same",
>    "needs": null
>   }
>  ],
>  "remarks": [
>   "a: samples/before.csv, b: samples/after.csv (within 2 %): 1 same"
>  ]
> }
= 0
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --where 'size_bytes == 16384' --quiet --expect 'verdict != worse'
> a: samples/before.csv, b: samples/after.csv (within 2 %): 1 unsure (too few repeats, or they scatter too much; remedy: more --rounds); UNSURE, expected: verdict != worse
= 4
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --where 'size_bytes == 16384' --quiet --expect 'verdict == same'
> a: samples/before.csv, b: samples/after.csv (within 2 %): 1 unsure (too few repeats, or they scatter too much; remedy: more --rounds); UNSURE, expected: verdict == same
= 4
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --where 'size_bytes == 4096' --quiet --expect 'verdict != worse'
> a: samples/before.csv, b: samples/after.csv (within 2 %): 1 better; PASS, expected: verdict != worse
> bandwidth_gbit_s: B is 1.196 (1.183 to 1.21) times A: better
= 0
$ verbench report --compare samples/before.csv samples/after.csv --of bandwidth_gbit_s --where 'size_bytes == 65536' --quiet --expect 'verdict == same'
> a: samples/before.csv, b: samples/after.csv (within 2 %): 1 same; PASS, expected: verdict == same
= 0

A file none of whose rows counts: the lines are those of the other one. Rows that are disturbed need no repeats.
$ sed '2,$s/,ok,/,incomplete,/' samples/b.csv >cut.csv; verbench report --compare --ignore disturbed samples/a.csv cut.csv --of lat_p50_ns
> 48 rows of samples/a.csv, cut.csv
> all: transport RC, threads 1, qps 1, mtu_bytes 4096, host node2, peer_host
>      node1, device softhca0, peer_device softhca0, link_layer Ethernet,
>      link_gbit_s 400, emulated 1, tool_version 0.1.0
>
> lat_p50_ns
> test      completion  size_bytes      a  n  b  n  ratio  low  high  verdict
> send_lat  poll                64  499.5  3  -  0      -    -     -  only in A
> send_lat  event               64   3071  3  -  0      -    -     -  only in A
>
> a: samples/a.csv, b: cut.csv (within 2 %): 2 only in A
>
> incomplete, 24 rows:
> warning: 48 of 48 rows: disturbed: see the column warnings
= 0
$ verbench report --compare samples/a.csv samples/b.csv --of lat_p50_ns
> 48 rows of samples/a.csv, samples/b.csv
> all: transport RC, threads 1, qps 1, mtu_bytes 4096, host node2, peer_host
>      node1, device softhca0, peer_device softhca0, link_layer Ethernet,
>      link_gbit_s 400, emulated 1, tool_version 0.1.0
>
> lat_p50_ns
> test      completion  size_bytes  a  n  b  n  ratio  low  high
> send_lat  poll                64  -  0  -  0      -    -     -
> send_lat  event               64  -  0  -  0      -    -     -
>
> test      completion  size_bytes  verdict
> send_lat  poll                64  unsure: all disturbed
> send_lat  event               64  unsure: all disturbed
>
> a: samples/a.csv, b: samples/b.csv (within 2 %): 2 unsure (all rows of a side
>   were disturbed; remedy: other programs off these CPUs, or -e)
> 48 of 48 rows were disturbed and are left out; to count them: --ignore disturbed
>
> warning: 48 of 48 rows: disturbed: see the column warnings
= 0
$ verbench report --compare --ignore threads,disturbed,place samples/a.csv samples/b.csv --of lat_p50_ns --quiet --expect 'verdict != worse'
> a: samples/a.csv, b: samples/b.csv (within 2 %): 2 unsure (too few repeats, or they scatter too much; remedy: more --rounds); UNSURE, expected: verdict != worse
= 4
$ verbench report --compare --ignore disturb,disturbe samples/a.csv samples/b.csv
! verbench: --ignore "disturbe": not the name of a column; did you mean disturb?
= 2

$ verbench report --compare samples/a.csv samples/old.csv
! verbench: the two files have different values of settings that are not compared; to compare without these settings: --ignore device,peer_device,gid,peer_gid,firmware,peer_firmware,emulated
= 2
$ verbench report --compare samples/a.csv samples/old.csv --ignore place --of lat_p50_ns --expect 'verdict != worse' --quiet
> a: samples/a.csv, b: samples/old.csv (within 2 %): 2 only in A, 2 only in B; FAIL, expected: verdict != worse
> 24 of 28 rows were disturbed and are left out; to count them: --ignore disturbed
= 3
$ verbench report --quiet --expect 'bandwidth_gbit_s >= 3 where size_bytes >= 4k; lat_p50_ns <= 1us' --where 'completion == poll' samples/a.csv
> FAIL send_bw RC poll 64: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 4096: bandwidth_gbit_s 60.41692
> FAIL send_bw RC poll 4096: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.474794
> FAIL send_bw RC poll 65536: lat_p50_ns none (not measured), expected <= 1us
> PASS send_lat RC poll 64: lat_p50_ns 499.954
> FAIL send_bw RC poll 64: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 4096: bandwidth_gbit_s 59.91932
> FAIL send_bw RC poll 4096: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.472104
> FAIL send_bw RC poll 65536: lat_p50_ns none (not measured), expected <= 1us
> PASS send_lat RC poll 64: lat_p50_ns 499.454
> FAIL send_bw RC poll 64: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 4096: bandwidth_gbit_s 60.049695
> FAIL send_bw RC poll 4096: lat_p50_ns none (not measured), expected <= 1us
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.790468
> FAIL send_bw RC poll 65536: lat_p50_ns none (not measured), expected <= 1us
> PASS send_lat RC poll 64: lat_p50_ns 497.166
> 9 passed, 9 failed
= 3
$ verbench report --quiet --expect 'bandwidth_gbit_s > 0' samples/a.csv
> PASS send_bw RC poll 64: bandwidth_gbit_s 19.853746
> PASS send_bw RC poll 4096: bandwidth_gbit_s 60.41692
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.474794
> PASS send_lat RC poll 64: bandwidth_gbit_s 0.597061
> PASS send_bw RC event 64: bandwidth_gbit_s 14.984847
> PASS send_bw RC event 4096: bandwidth_gbit_s 58.175848
> PASS send_bw RC event 65536: bandwidth_gbit_s 90.519702
> PASS send_lat RC event 64: bandwidth_gbit_s 0.074391
> PASS send_bw RC poll 64: bandwidth_gbit_s 20.134306
> PASS send_bw RC poll 4096: bandwidth_gbit_s 59.91932
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.472104
> PASS send_lat RC poll 64: bandwidth_gbit_s 0.594025
> PASS send_bw RC event 64: bandwidth_gbit_s 15.066462
> PASS send_bw RC event 4096: bandwidth_gbit_s 57.685364
> PASS send_bw RC event 65536: bandwidth_gbit_s 90.801487
> PASS send_lat RC event 64: bandwidth_gbit_s 0.075602
> PASS send_bw RC poll 64: bandwidth_gbit_s 19.810178
> PASS send_bw RC poll 4096: bandwidth_gbit_s 60.049695
> PASS send_bw RC poll 65536: bandwidth_gbit_s 90.790468
> PASS send_lat RC poll 64: bandwidth_gbit_s 0.598574
> PASS send_bw RC event 64: bandwidth_gbit_s 14.976635
> PASS send_bw RC event 4096: bandwidth_gbit_s 57.453687
> PASS send_bw RC event 65536: bandwidth_gbit_s 89.499045
> PASS send_lat RC event 64: bandwidth_gbit_s 0.074907
> 24 passed, 0 failed
= 0
$ verbench report --quiet --expect 'bandwidth_gbit_s > 0 where size_bytes == 65' samples/a.csv
> FAIL no row is selected by "bandwidth_gbit_s > 0 where size_bytes == 65"
> 24 rows: no rule selects them
> 0 passed, 1 failed
= 3
$ verbench report --quiet --expect 'warnings == none where size_bytes == 64 and test == send_bw; warnings lacks preempted where test == send_lat; lost == 0' samples/a.csv
> FAIL send_bw RC poll 64: warnings client: thread 0 waited 70.8 % for its cpu (5 preemptions); server: thread 0 waited 62.7 % for its cpu (4 preemptions), expected == none
> PASS send_bw RC poll 64: lost 0
> PASS send_bw RC poll 4096: lost 0
> PASS send_bw RC poll 65536: lost 0
> FAIL send_lat RC poll 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC poll 64: lost 0
> FAIL send_bw RC event 64: warnings client: thread 0 waited 43.4 % for its cpu (564 preemptions); server: thread 0 waited 14.5 % for its cpu (2 preemptions), expected == none
> PASS send_bw RC event 64: lost 0
> PASS send_bw RC event 4096: lost 0
> PASS send_bw RC event 65536: lost 0
> FAIL send_lat RC event 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC event 64: lost 0
> FAIL send_bw RC poll 64: warnings client: thread 0 waited 13.3 % for its cpu (1 preemptions); server: thread 0 waited 3.8 % for its cpu (2 preemptions), expected == none
> PASS send_bw RC poll 64: lost 0
> PASS send_bw RC poll 4096: lost 0
> PASS send_bw RC poll 65536: lost 0
> FAIL send_lat RC poll 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC poll 64: lost 0
> FAIL send_bw RC event 64: warnings client: thread 0 waited 39.5 % for its cpu (718 preemptions); server: thread 0 waited 9.8 % for its cpu (3 preemptions), expected == none
> PASS send_bw RC event 64: lost 0
> PASS send_bw RC event 4096: lost 0
> PASS send_bw RC event 65536: lost 0
> FAIL send_lat RC event 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC event 64: lost 0
> FAIL send_bw RC poll 64: warnings client: thread 0 waited 50.3 % for its cpu (3 preemptions); server: thread 0 waited 44.2 % for its cpu (4 preemptions), expected == none
> PASS send_bw RC poll 64: lost 0
> PASS send_bw RC poll 4096: lost 0
> PASS send_bw RC poll 65536: lost 0
> FAIL send_lat RC poll 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC poll 64: lost 0
> FAIL send_bw RC event 64: warnings client: thread 0 waited 43.1 % for its cpu (978 preemptions); server: thread 0 waited 6.0 % for its cpu (1 preemptions), expected == none
> PASS send_bw RC event 64: lost 0
> PASS send_bw RC event 4096: lost 0
> PASS send_bw RC event 65536: lost 0
> FAIL send_lat RC event 64: warning_codes none (not measured), expected lacks preempted
> PASS send_lat RC event 64: lost 0
> 24 passed, 12 failed
= 3
$ verbench report --format csv --of lat_p50_ns --expect 'lat_p50_ns > 0 where test == send_lat' samples/old.csv
> test,transport,completion,size_bytes,n,lat_p50_ns,lat_p50_ns_min,lat_p50_ns_max,lat_p50_ns_low,lat_p50_ns_high
> send_bw,RC,poll,65536,1,,,,,
> send_bw,RC,event,65536,1,,,,,
> send_lat,RC,poll,2,1,307856.705,307856.705,307856.705,,
> send_lat,RC,event,2,1,470561.293,470561.293,470561.293,,
! PASS send_lat RC poll 2: lat_p50_ns 307856.705
! PASS send_lat RC event 2: lat_p50_ns 470561.293
! 2 rows: no rule selects them
! 2 passed, 0 failed
= 0

What is wrong with them, and where.

$ verbench report --expect 'bandwidth >= 90' samples/a.csv
! verbench: --expect, character 1: "bandwidth" is not a column of a row; did you mean bandwidth_gbit_s, bandwidth_mib_s or bandwidth_pct_of_link?
= 2
$ verbench report --expect 'lat_p50_ns <= 5; bandwidth_gbit_s => 90' samples/a.csv
! verbench: --expect, character 36: ">": bandwidth_gbit_s is a number: digits, at most one point, no sign, no exponent
= 2
$ verbench report --expect 'bandwidth_gbit_s >= fast' samples/a.csv
! verbench: --expect, character 21: "fast": bandwidth_gbit_s is a number: digits, at most one point, no sign, no exponent
= 2
$ verbench report --expect 'bandwidth_gbit_s >= 9k' samples/a.csv
! verbench: --expect, character 21: "9k": "k" is no unit for bandwidth_gbit_s, which is in Gbit/s
= 2
$ verbench report --expect 'bandwidth_gbit_s >= -1' samples/a.csv
! verbench: --expect, character 21: "-1": bandwidth_gbit_s is a number: digits, at most one point, no sign, no exponent
= 2
$ verbench report --expect 'bandwidth_gbit_s >= 90 when size_bytes == 4' samples/a.csv
! verbench: --expect, character 24: "where" or ";" is missing before "when size_bytes == 4"
= 2
$ verbench report --expect 'bandwidth_gbit_s >= 90 where' samples/a.csv
! verbench: --expect, character 29: the name of a column is missing
= 2
$ verbench report --expect 'bandwidth_gbit_s >= 90 and lost == 0' samples/a.csv
! verbench: --expect, character 24: "where" or ";" is missing before "and lost == 0"
= 2
$ verbench report --expect 'completion >= poll' samples/a.csv
! verbench: --expect, character 12: completion is a text: ==, !=, has or lacks
= 2
$ verbench report --expect 'lost has 1' samples/a.csv
! verbench: --expect, character 6: lost is a number: < <= > >= == or !=
= 2
$ verbench report --expect 'warnings has trouble' samples/a.csv
! verbench: --expect, character 14: "trouble" is not the code of a warning: displaced moved preempted sibling_busy memory_displaced missed_events short_window above_link no_gap partly_shared retransmissions saturated unsteady
= 2
$ verbench report --expect 'placement == "near' samples/a.csv
! verbench: --expect, character 14: the quote is not closed
= 2
$ verbench report --expect '' samples/a.csv
! verbench: --expect "": the value is empty
= 2
$ verbench report --where 'size_bytes >= 4k or completion == poll' samples/a.csv
! verbench: --where, character 18: "and" or the end is missing before "or completion == pol"
= 2
$ verbench report --by speed samples/a.csv
! verbench: --by "speed": not the name of a column (verbench-row(5) lists them)
= 2
$ verbench report --by lat_p50_ns samples/a.csv
! verbench: --by lat_p50_ns: it is one of the quantities of the tables
= 2
$ verbench report --compare samples/a.csv
! verbench: --compare needs two files, A and B: 1 is given
= 2
$ verbench report --compare samples/a.csv samples/a.csv
! verbench: --compare needs two different files: "samples/a.csv" is given twice
= 2
$ verbench report --confident samples/a.csv
! verbench: --confident is about the rules of --expect, which is not given
= 2
$ verbench report --compare --confident --expect 'verdict != worse' samples/a.csv samples/b.csv
! verbench: --confident is about the rules of --expect; the verdicts of --compare are confident without it
= 2
$ verbench report --quiet --confident --expect 'bandwidth_gbit_s > 9; bandwidth_gbit_s > 9.3 where size_bytes == 64' --where 'size_bytes == 64' samples/before.csv
> PASS write_bw 64: bandwidth_gbit_s 9.5 (9.19431 to 9.5, 8 repeats)
> UNSURE write_bw 64: bandwidth_gbit_s 9.5 (9.19431 to 9.5, 8 repeats), expected > 9.3
> 1 passed, 0 failed, 1 unsure
= 4
$ verbench report samples/before.csv
> 37 rows of samples/before.csv
> all: test write_bw
>
> Bandwidth
>                bandwidth
> size_bytes  n     gbit_s    min    max    low   high
>         64  8      9.500  4.750  9.500  9.194  9.500
>        256  8        100  99.80  100.2  99.89  100.1
>       4096  8        102    100    104  100.9  103.1
>      16384  5        100     60    140      -      -
>      65536  5      90.20     90  90.30      -      -
>    1048576  3        100    100    100      -      -
= 0
$ verbench report --compare samples/a.csv samples/b.csv --within much
! verbench: --within "much": not a percentage such as 5% or 2.5
= 2
$ verbench report --compare samples/a.csv samples/b.csv --by test
! verbench: --compare and --by exclude each other
= 2
$ verbench report --compare samples/a.csv samples/b.csv --expect 'lost == 0'
! verbench: --expect "lost == 0": with --compare it is "verdict != worse" or "verdict == same"
= 2
$ verbench report --within 3 samples/a.csv
! verbench: --within is about --compare, which is not given
= 2
$ verbench report --quiet samples/a.csv
! verbench: --quiet prints only the result of --expect: give --expect, too
= 2

Lines that end as on Windows are the same rows.

$ verbench report samples/a.csv --format csv >plain.out; sed "s/\$/\r/" samples/a.csv | verbench report - --format csv | cmp - plain.out && echo same
> same
! verbench: warning: 24 of 24 rows: disturbed: see the column warnings
! verbench: warning: 24 of 24 rows: disturbed: see the column warnings
= 0

Texts of rows can come from a peer: in Markdown they are texts, and no HTML and no links.

$ printf '{"schema":1,"status":"ok","rows":[{"schema":1,"test":"send_bw","status":"failed","device":"<b>[x](y)","reason":"<script> [x](y)","size_bytes":128}]}' >'a*b.json'; verbench report --format markdown 'a*b.json'
> 1 row of a\*b.json
>
> All rows: test send_bw, size_bytes 128, device \<b\>\[x\](y)
>
> * no row has one of the quantities
> * failed, 1 row: \<script\> \[x\](y)
= 0

A line for each kind of warning, with its range; rows without codes are of an earlier version.
$ (echo schema,test,transport,size_bytes,window_ns,bandwidth_gbit_s,cpu_wait_pct,peer_cpu_wait_pct,status,warnings,warning_codes; echo 1,send_bw,RC,64,9000000,1,11.4,3,ok,a,preempted short_window; echo 1,send_bw,RC,128,9000000000,1,5,93.2,ok,b,preempted; echo 1,send_bw,RC,256,40000000,1,,,ok,c,short_window; echo 1,send_bw,RC,512,9000000000,1,99,99,ok,,; echo 1,send_bw,RC,1024,9000000000,1,,,ok,of an earlier version,) >kinds.csv; verbench report kinds.csv | sed '1,/^$/d'
> Bandwidth
>             bandwidth
> size_bytes     gbit_s
>         64          1
>        128          1
>        256          1
>        512          1
>       1024          1
>
> warning: 2 of 5 rows: a thread waited 11 to 93 % for a CPU
> warning: 2 of 5 rows: measured for 9.0 to 40 ms, less than 50 ms: the start
>   counts; -D 1 measures for a second
> warning: 1 of 5 rows: disturbed: see the column warnings
= 0
Pairs of hosts are told by both.
$ { head -2 samples/a.csv; for i in 3 4; do sed -n "2s/node2,node1/node$i,peer$i/p" samples/a.csv; done; } >pairs.csv; verbench report pairs.csv
> 3 rows of pairs.csv
> all: test send_bw, transport RC, completion poll, size_bytes 64, threads 1, qps
>      1, depth 128, mtu_bytes 4096, device softhca0, peer_device softhca0,
>      link_layer Ethernet, link_gbit_s 400, emulated 1, tool_version 0.1.0
>
> Bandwidth
>                                          bandwidth
>                   bandwidth     message     pct_of  cpu_ns_per    peer_cpu
> host   peer_host     gbit_s  rate_per_s       link         msg  ns_per_msg
> node2  node1          19.85    38776847      4.963        6382        8238
> node3  peer3          19.85    38776847      4.963        6382        8238
> node4  peer4          19.85    38776847      4.963        6382        8238
>
> warning: 3 of 3 rows: disturbed: see the column warnings
= 0

A norm, clause by clause.

$ verbench report --of bandwidth_gbit_s --norm samples/norm.bench samples/before.csv | sed -n '/^clauses/,$p'
> clauses of draft-example-00:
> 1         rows that all meet the rule: done, 37 rows
> 2         rows of which some do not: NOT DONE by 16 of 37 rows
> 3(1)      a rule about no row: NOT DONE: not measured
> 4         repeats, enough: done, 6 lines
> 5         repeats, too few: NOT DONE by 6 of 6 lines
> 6         scatter of repeats: done, 6 lines
> 7         what a pair cannot do: NOT DONE: it needs a cluster
= 0
$ verbench report --norm bmwg-rdma samples/a.csv | grep -E '^(4.2|8.4)'
> 4.2       retransmissions of RDMA: NOT DONE: not measured
> 4.2       Jain's index of traffic: of the messages of the queue pairs, in place
> 8.4       Jain's index of traffic on the parallel links of the fabric: NOT DONE:
= 0
$ verbench report --norm size-sweep samples/a.csv
! verbench: --norm size-sweep: the scenario follows no norm
= 2
$ verbench report --norm samples/norm.bench --format csv samples/a.csv
! verbench: --norm prints below the tables of text: leave --format, --html and --plot out
= 2
$ sed 's/^clause 1 .*/clause 1 | text/' samples/norm.bench >norm.bench; verbench report --norm ./norm.bench samples/a.csv
! verbench: --norm: ./norm.bench:7: clause needs three parts: NUMBER | what it asks for | rules, or - and why it is not done
= 2
$ sed 's/^clause 1 .*/clause 1 | text | cv nothing 5%/' samples/norm.bench >norm.bench; verbench report --norm ./norm.bench samples/a.csv
! verbench: ./norm.bench: clause 1: "nothing" is not a column of numbers
= 2
$ sed 's/^clause 1 .*/clause 1 | text | repeats 4/' samples/norm.bench >norm.bench; verbench report --norm ./norm.bench samples/a.csv
! verbench: ./norm.bench: clause 1: "4": "where" and conditions are missing
= 2
$ sed 's/^clause 1 .*/clause 1 | text | repeats no/' samples/norm.bench >norm.bench; verbench report --norm ./norm.bench samples/a.csv
! verbench: ./norm.bench: clause 1: "no": not a number above 0
= 2
$ sed 's/^clause 1 .*/clause 1 | text | nocolumn == 3/' samples/norm.bench >norm.bench; verbench report --norm ./norm.bench samples/a.csv
! verbench: ./norm.bench: clause 1: clause, character 1: "nocolumn" is not a column of a row (verbench-row(5) lists them)
= 2

Rows of verbench mesh: the pairs of a test and size together, and the worst of them.

$ verbench report samples/mesh.csv
> 48 rows of samples/mesh.csv
> all: transport RC, completion poll, device mlx5_0
>
> Pairs: bandwidth_gbit_s
> test      size_bytes  nodes  pairs  failed  median     mad  worst
> write_bw        4096      4     11       1   390.4  0.9273  388.7
> write_bw       65536      4     12       0   390.3   1.137    234
>
> Worst pairs: bandwidth_gbit_s
>                              bandwidth  pct_of
> test      size_bytes  pair      gbit_s  median  mesh_round
> write_bw        4096  n1>n2      388.7   99.56           2
> write_bw        4096  n1>n0      389.1   99.67           1
> write_bw        4096  n1>n3      389.5   99.76           0
> write_bw        4096  n3>n0      390.1   99.91           0
> write_bw        4096  n2>n1      390.2   99.94           0
> write_bw        4096  n0>n3      390.4   100.0           2
> write_bw        4096  n2>n3      390.5   100.0           1
> write_bw        4096  n0>n1      391.3   100.2           1
> write_bw        4096  n0>n2      391.5   100.3           0
> write_bw        4096  n3>n1      391.6   100.3           2
> write_bw       65536  n1>n3        234   59.95           0
> write_bw       65536  n1>n2      388.7   99.59           2
> write_bw       65536  n1>n0      389.1   99.70           1
> write_bw       65536  n2>n0      389.2   99.72           2
> write_bw       65536  n3>n0      390.1   99.94           0
> write_bw       65536  n2>n1      390.2   99.97           0
> write_bw       65536  n0>n3      390.4   100.0           2
> write_bw       65536  n2>n3      390.5   100.1           1
> write_bw       65536  n0>n1      391.3   100.3           1
> write_bw       65536  n0>n2      391.5   100.3           0
>
> Pairs: lat_p50_ns
> test      size_bytes  nodes  pairs  failed  median    mad  worst
> send_lat        4096      4     12       0   999.2  2.726   1003
> send_lat       65536      4     12       0   999.7  2.476   1429
>
> Worst pairs: lat_p50_ns
>                                          pct_of
> test      size_bytes  pair   lat_p50_ns  median  mesh_round
> send_lat        4096  n1>n2        1003   100.4           2
> send_lat        4096  n1>n0        1002   100.3           1
> send_lat        4096  n2>n0        1002   100.3           2
> send_lat        4096  n1>n3        1001   100.2           0
> send_lat        4096  n3>n0       999.8   100.1           0
> send_lat        4096  n2>n1       999.5   100.0           0
> send_lat        4096  n0>n3       998.9   99.97           2
> send_lat        4096  n2>n3       998.7   99.95           1
> send_lat        4096  n0>n1       996.6   99.74           1
> send_lat        4096  n0>n2       996.3   99.70           0
> send_lat       65536  n0>n2        1429   142.9           0
> send_lat       65536  n1>n2        1003   100.4           2
> send_lat       65536  n1>n0        1002   100.3           1
> send_lat       65536  n2>n0        1002   100.2           2
> send_lat       65536  n1>n3        1001   100.2           0
> send_lat       65536  n3>n0       999.8   100.0           0
> send_lat       65536  n2>n1       999.5   99.99           0
> send_lat       65536  n0>n3       998.9   99.92           2
> send_lat       65536  n2>n3       998.7   99.90           1
> send_lat       65536  n0>n1       996.6   99.69           1
>
> write_bw 4096: 1 pair failed: n2>n0
>
> failed, 1 row: the agent is gone
= 0
$ verbench report --of bandwidth_gbit_s --where 'size_bytes == 64k' --format csv samples/mesh.csv
> quantity,test,transport,completion,size_bytes,pair,value,pct_of_median,mesh_round,nodes,pairs,failed,median,mad,worst
> bandwidth_gbit_s,write_bw,RC,poll,65536,,,,,4,12,0,390.3034,1.13655,234
> bandwidth_gbit_s,write_bw,RC,poll,65536,n1>n3,234,59.9533594,0,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n1>n2,388.7003,99.5892682,2,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n1>n0,389.1302,99.6994133,1,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n2>n0,389.1928,99.7154521,2,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n3>n0,390.0673,99.9395086,0,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n2>n1,390.1835,99.9692803,0,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n0>n3,390.4233,100.03072,2,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n2>n3,390.5125,100.053574,1,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n0>n1,391.3224,100.261079,1,,,,,,
> bandwidth_gbit_s,write_bw,RC,poll,65536,n0>n2,391.4659,100.297845,0,,,,,,
= 0
$ verbench report --plot x.png samples/mesh.csv
! verbench: --plot: the picture of the pairs of a mesh is in the page of --html; --y makes others
= 2

What perftest printed: text, also of several runs and of other programs between, and its JSON, which does not say its unit.
$ verbench report samples/perftest.txt
> 3 rows of samples/perftest.txt
> all: completion poll, mtu_bytes 4096, device mlx5_0, tool_version perftest
>
> Bandwidth
>                                  bandwidth     message
> test      transport  size_bytes     gbit_s  rate_per_s
> write_bw  RC               4096      194.6     5937500
> write_bw  RC              65536        196      373840
>
> Latency
>                                                          lat_p99_9
> test      transport  size_bytes  lat_p50_ns  lat_p99_ns         ns  lat_max_ns
> send_lat  UD                  2        1060        1310       9710        9710
= 0
$ verbench report --format csv --of bandwidth_mib_s,lat_samples,lat_mean_ns,lat_stdev_ns --by direction samples/perftest.txt
> quantity,test,size_bytes,both
> bandwidth_mib_s,write_bw,4096,23193.3594
> bandwidth_mib_s,write_bw,65536,23365.0208
> lat_samples,send_lat,2,1000
> lat_mean_ns,send_lat,2,1090
= 0
$ verbench report -w --of bandwidth_gbit_s,bandwidth_mib_s samples/perftest.json
> 1 row of samples/perftest.json
> all: test send_bw, transport RC, completion event, size_bytes 65536, qps 1, depth 128, mtu_bytes 1024, device mlx5_0, link_layer Ethernet, tool_version perftest
>
> Bandwidth
> bandwidth  bandwidth
>    gbit_s      mib_s
>     96.47      11500
= 0
$ sed 's/96.47/11499.9/' samples/perftest.json >mib.json; verbench report --compare samples/perftest.json mib.json | sed -n '/^bandwidth_gbit_s/,/^verdict/p'
> bandwidth_gbit_s
>     a  n      b  n   ratio  low  high  verdict
> 96.47  1  96.47  1  1.0000    -     -  unsure: needs about 4 more
>
> message_rate_per_s
>      a  n       b  n  ratio  low  high  verdict
> 184002  1  184002  1      1    -     -  unsure: needs about 4 more
>
> a: samples/perftest.json, b: mib.json (within 2 %): 2 unsure (too few repeats,
>   or they scatter too much; remedy: more --rounds)
= 0
$ verbench report --quiet --expect 'bandwidth_gbit_s >= 190 where test == write_bw' samples/perftest.txt
> PASS write_bw RC poll 4096: bandwidth_gbit_s 194.56
> PASS write_bw RC poll 65536: bandwidth_gbit_s 196
> 1 row: no rule selects it
> 2 passed, 0 failed
= 0
$ verbench report --where 'size_bytes == 4096 and bidir == 1 and depth == 128' --of message_rate_per_s samples/perftest.txt
> 1 row of samples/perftest.txt
> all: test write_bw, transport RC, completion poll, size_bytes 4096, qps 2, depth
>      128, mtu_bytes 4096, device mlx5_0, link_layer Ethernet, tool_version
>      perftest
>
> Bandwidth
>    message
> rate_per_s
>    5937500
= 0
$ head -n 24 samples/perftest.txt >heads.txt; verbench report heads.txt
! verbench: heads.txt, line 1: neither a file of results nor an output of perftest: no line of figures below "#bytes"
= 2
$ sed 's/5.937500//' samples/perftest.txt >fewer.txt; verbench report fewer.txt
! verbench: fewer.txt, line 27: the line has fewer figures than the 5 columns above it
= 2
$ sed 's/5.937500/& 1/' samples/perftest.txt >more.txt; verbench report more.txt
! verbench: more.txt, line 27: the line has more figures than the 5 columns above it
= 2
$ sed 's/4096   /4096k  /' samples/perftest.txt >word.txt; verbench report word.txt
! verbench: word.txt, line 27: #bytes is "4096k", not a number
= 2
$ head -c -200 samples/perftest.txt | verbench report --of bandwidth_gbit_s,lat_p50_ns -
> 2 rows of standard input
> all: test write_bw, transport RC, completion poll, qps 2, depth 128, mtu_bytes
>      4096, device mlx5_0, link_layer Ethernet, tool_version perftest
>
> Bandwidth
>             bandwidth
> size_bytes     gbit_s
>       4096      194.6
>      65536        196
! verbench: standard input, line 43: the last line is incomplete and is ignored (the program that wrote it was killed)
= 0
$ printf ' \n\0\n' | verbench report -
! verbench: standard input, line 2: it has a NUL byte
= 2
$ sed 's/Send_BW/Raw_Ethernet_BW/' samples/perftest.json | verbench report -
! verbench: standard input, line 30: a file of perftest without a test and figures of it
= 2
$ sed '/MsgSize/d' samples/perftest.json | verbench report -
! verbench: standard input, line 29: a file of perftest without a test and figures of it
= 2
$ rm -f heads.txt fewer.txt more.txt word.txt mib.json
= 0

Metrics: a figure that varies has its spread, too; what all rows share is a label.
$ verbench report --format prometheus --of bandwidth_gbit_s,lat_p50_ns samples/old.csv
> # HELP verbench_bandwidth_gbit_s window_messages * size_bytes * 8 / window_ns, or with window_bytes; decimal, 10^9 bit/s; absent if it is more than the link can carry (above_link), or if a receiver saw no two arrivals (no_gap)
> # TYPE verbench_bandwidth_gbit_s gauge
> verbench_bandwidth_gbit_s{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_bw",completion="poll",size_bytes="65536"} 0.123585869
> verbench_bandwidth_gbit_s{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_bw",completion="event",size_bytes="65536"} 0.274529425
> verbench_bandwidth_gbit_s{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_lat",completion="poll",size_bytes="2"} 9.53451448e-06
> verbench_bandwidth_gbit_s{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_lat",completion="event",size_bytes="2"} 1.01886302e-05
> # HELP verbench_lat_p50_ns median: nearest rank, within 0.1 % or clock_step_ns if that is more; from 20 samples on
> # TYPE verbench_lat_p50_ns gauge
> verbench_lat_p50_ns{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_lat",completion="poll",size_bytes="2"} 307856.705
> verbench_lat_p50_ns{transport="RC",qps="1",mtu_bytes="4096",host="node2",peer_host="node1",device="rxe0",peer_device="rxe0",driver="rxe",link_layer="Ethernet",emulated="0",test="send_lat",completion="event",size_bytes="2"} 470561.293
= 0
$ cat samples/perftest.txt samples/perftest.txt >twice.txt; verbench report --format prometheus --of lat_p50_ns twice.txt
> # TYPE verbench_n gauge
> verbench_n{completion="poll",mtu_bytes="4096",device="mlx5_0",test="send_lat",transport="UD",size_bytes="2"} 2
> verbench_n{completion="poll",mtu_bytes="4096",device="mlx5_0",test="write_bw",transport="RC",size_bytes="4096"} 2
> verbench_n{completion="poll",mtu_bytes="4096",device="mlx5_0",test="write_bw",transport="RC",size_bytes="65536"} 2
> # HELP verbench_lat_p50_ns median: nearest rank, within 0.1 % or clock_step_ns if that is more; from 20 samples on
> # TYPE verbench_lat_p50_ns gauge
> verbench_lat_p50_ns{completion="poll",mtu_bytes="4096",device="mlx5_0",test="send_lat",transport="UD",size_bytes="2"} 1060
> # HELP verbench_lat_p50_ns_min median: nearest rank, within 0.1 % or clock_step_ns if that is more; from 20 samples on
> # TYPE verbench_lat_p50_ns_min gauge
> verbench_lat_p50_ns_min{completion="poll",mtu_bytes="4096",device="mlx5_0",test="send_lat",transport="UD",size_bytes="2"} 1060
> # HELP verbench_lat_p50_ns_max median: nearest rank, within 0.1 % or clock_step_ns if that is more; from 20 samples on
> # TYPE verbench_lat_p50_ns_max gauge
> verbench_lat_p50_ns_max{completion="poll",mtu_bytes="4096",device="mlx5_0",test="send_lat",transport="UD",size_bytes="2"} 1060
= 0
$ sed 's/mlx5_0/a\\"\\\\b/' samples/perftest.json >quote.json; verbench report --format prometheus --of bandwidth_gbit_s quote.json
> # HELP verbench_bandwidth_gbit_s window_messages * size_bytes * 8 / window_ns, or with window_bytes; decimal, 10^9 bit/s; absent if it is more than the link can carry (above_link), or if a receiver saw no two arrivals (no_gap)
> # TYPE verbench_bandwidth_gbit_s gauge
> verbench_bandwidth_gbit_s{test="send_bw",transport="RC",completion="event",size_bytes="65536",qps="1",depth="128",mtu_bytes="1024",device="a\"\\b",link_layer="Ethernet"} 96.47
= 0
$ verbench report --format prometheus --of bandwidth_gbit_s samples/mesh.csv >metrics; head -2 metrics
> # TYPE verbench_value gauge
> verbench_value{transport="RC",completion="poll",device="mlx5_0",quantity="bandwidth_gbit_s",test="write_bw",size_bytes="4096",pair="n1>n2"} 388.7003
! verbench: write_bw RC poll 4096: 1 pair failed: n2>n0
! verbench: failed, 1 row: the agent is gone
= 0
$ verbench report --format prometheus --by test samples/old.csv
! verbench: --format prometheus excludes --by
= 2
$ verbench report --format prometheus --compare samples/a.csv samples/b.csv
! verbench: --format prometheus excludes --compare
= 2
$ rm -f twice.txt quote.json metrics
= 0
