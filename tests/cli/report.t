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
> test,transport,completion,size_bytes,n,bandwidth_gbit_s,bandwidth_gbit_s_min,bandwidth_gbit_s_max,message_rate_per_s,message_rate_per_s_min,message_rate_per_s_max,cpu_ns_per_msg,cpu_ns_per_msg_min,cpu_ns_per_msg_max,lat_p50_ns,lat_p50_ns_min,lat_p50_ns_max,lat_max_ns,lat_max_ns_min,lat_max_ns_max
> send_bw,RC,poll,65536,1,0.123585869,0.123585869,0.123585869,235.721338,235.721338,235.721338,3953818.61,3953818.61,3953818.61,,,,,,
> send_bw,RC,event,65536,1,0.274529425,0.274529425,0.274529425,523.623324,523.623324,523.623324,96288.0609,96288.0609,96288.0609,,,,,,
> send_lat,RC,poll,2,1,0.00000953451448,0.00000953451448,0.00000953451448,595.907155,595.907155,595.907155,835146.024,835146.024,835146.024,307856.705,307856.705,307856.705,16288526.9,16288526.9,16288526.9
> send_lat,RC,event,2,1,0.0000101886302,0.0000101886302,0.0000101886302,636.789389,636.789389,636.789389,105047.598,105047.598,105047.598,470561.293,470561.293,470561.293,6545577.82,6545577.82,6545577.82
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
>    "lat_p50_ns_max": null
>   },
>   {
>    "test": "send_bw",
>    "transport": "RC",
>    "completion": "event",
>    "size_bytes": 65536,
>    "n": 1,
>    "lat_p50_ns": null,
>    "lat_p50_ns_min": null,
>    "lat_p50_ns_max": null
>   },
>   {
>    "test": "send_lat",
>    "transport": "RC",
>    "completion": "poll",
>    "size_bytes": 2,
>    "n": 1,
>    "lat_p50_ns": 307856.705,
>    "lat_p50_ns_min": 307856.705,
>    "lat_p50_ns_max": 307856.705
>   },
>   {
>    "test": "send_lat",
>    "transport": "RC",
>    "completion": "event",
>    "size_bytes": 2,
>    "n": 1,
>    "lat_p50_ns": 470561.293,
>    "lat_p50_ns_min": 470561.293,
>    "lat_p50_ns_max": 470561.293
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
> test,transport,completion,size_bytes,n,events,events_min,events_max
> send_bw,RC,poll,65536,2,0,0,0
> send_bw,RC,event,65536,2,20,20,20
> send_lat,RC,poll,2,2,0,0,0
> send_lat,RC,event,2,2,632,632,632
= 0

What is no file of rows, and what is damaged.

$ verbench report
! verbench: report needs a FILE of rows, or - for standard input
= 2
$ verbench report none.csv
! verbench: cannot open none.csv: No such file or directory
= 1
$ verbench report --of latency samples/old.csv
! verbench: --of "latency": not the name of a column (docs/schema.md)
= 2
$ verbench report --of size_bytes samples/old.csv
! verbench: --of size_bytes: not a quantity that is measured
= 2
$ verbench report --of lat_p50_ns,lat_p50_ns samples/old.csv
! verbench: --of: the column lat_p50_ns is given twice
= 2
$ : >empty.csv; verbench report empty.csv
! verbench: empty.csv is empty
= 1
$ echo test,size_bytes >other.csv; verbench report other.csv
! verbench: other.csv, line 1: not a file of results: its first line begins with "test,size_bytes", not with "schema,"
= 1
$ echo schema,measurement >setup.csv; verbench report setup.csv
! verbench: setup.csv, line 1: not rows of a test: the column test is missing
= 1
$ echo schema,test,test >twice.csv; verbench report twice.csv
! verbench: twice.csv, line 1: the column test occurs twice
= 1
$ printf 'schema,test\n1\n' >short.csv; verbench report short.csv
! verbench: short.csv, line 2: the line has fewer than the 2 cells of the line of names
= 1
$ printf 'schema,test\n1,send_bw,3\n' >long.csv; verbench report long.csv
! verbench: long.csv, line 2: the line has more than the 2 cells of the line of names
= 1
$ printf 'schema,test\n1,"send_bw\n' >quote.csv; verbench report quote.csv
! verbench: quote.csv, line 2: a quote is not closed, or text follows it
= 1
$ printf 'schema,test\n2,send_bw\n' >schema.csv; verbench report schema.csv
! verbench: schema.csv, line 2: the schema is "2", this program reads 1 to 1
= 1
$ printf 'schema,test,size_bytes\n1,send_bw,many\n' >number.csv; verbench report number.csv
! verbench: number.csv, line 2: size_bytes is "many", not a number
= 1
$ printf 'schema,test\n1,send_bw\n1,se' >torn.csv; verbench report torn.csv
> 1 row of torn.csv
> all: test send_bw
>
> no row has one of the quantities
> no status, 1 row:
! verbench: torn.csv, line 3: the last line has no end; it is left out (the program that wrote it was killed)
= 0
$ printf 'schema,test' >head.csv; verbench report head.csv
! verbench: head.csv, line 1: the line of names is truncated
= 1
$ printf 'schema,test\n1,\0\n' >nul.csv; verbench report nul.csv
! verbench: nul.csv, line 2: it has a NUL byte
= 1

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
! verbench: torn.jsonl, line 2: the last line has no end; it is left out (the program that wrote it was killed)
= 0
$ printf '{"schema":1,"te' >torn.json; verbench report torn.json
! verbench: torn.json, line 1: the file ends within a value
= 1
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
! verbench: cut.json, line 1: the file ends within a value
= 1
$ printf '{"schema":1,"rows":[{"schema":1,"test":7}]}' >type.json; verbench report type.json
! verbench: type.json, line 1: test has another JSON type
= 1
$ printf '{"schema":1,"measurement":"pd"}' >setup.json; verbench report setup.json
! verbench: setup.json, line 1: not a row of a test: test is missing
= 1
$ printf '{"schema":1,"test":"a","test":"b"}' >twice.json; verbench report twice.json
! verbench: twice.json, line 1: test occurs twice
= 1
$ printf '{"schema":1\n"test":"b"}' >comma.json; verbench report comma.json
! verbench: comma.json, line 2: a "," is missing
= 1
$ printf '{"a":"\\x"}' >escape.json; verbench report escape.json
! verbench: escape.json, line 1: an escape that JSON does not have
= 1
