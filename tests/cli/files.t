Files of results are checked before anything runs: nothing is connected to, and no file changes.

$ printf 'schema,tool_version,bandwidth\n1,0,7\n' >old.csv; vb_send_bw --csv old.csv host || echo "exit $?"; cat old.csv
> exit 2
> schema,tool_version,bandwidth
> 1,0,7
! vb_send_bw: old.csv: its column 3 is "bandwidth", and this version writes "test" there; give another file, or --csv-new to start this one over
= 0
$ verbench serve --csv old.csv || echo "exit $?"; cat old.csv
> exit 2
> schema,tool_version,bandwidth
> 1,0,7
! verbench: old.csv: its column 3 is "bandwidth", and this version writes "test" there; give another file, or --csv-new to start this one over
= 0
$ printf 'a letter\n' >letter; vb_send_bw --csv letter host || echo "exit $?"; cat letter
> exit 2
> a letter
! vb_send_bw: letter: this is no file of verbench's CSV; give another file, or --force to start this one over
= 0
$ vb_send_bw --csv letter --csv-new host || echo "exit $?"; cat letter
> exit 2
> a letter
! vb_send_bw: letter: this is no file of verbench's CSV; give another file, or --force to start this one over
= 0
$ vb_send_bw --jsonl letter host || echo "exit $?"; cat letter
> exit 2
> a letter
! vb_send_bw: letter: this is no file of verbench's JSON Lines; give another file, or --force to start this one over
= 0
$ vb_send_bw --json letter host || echo "exit $?"; cat letter
> exit 2
> a letter
! vb_send_bw: letter: this is no JSON document of one run of verbench; give another file, or --force to replace it
= 0
$ verbench serve --json letter || echo "exit $?"; cat letter
> exit 2
> a letter
! verbench: letter: this is no file of verbench's JSON; give another file, or --force to start this one over
= 0
$ verbench setup --csv letter host || echo "exit $?"; cat letter
> exit 2
> a letter
! verbench: letter: this is no file of verbench's CSV; give another file, or --force to start this one over
= 0
$ printf '{"schema":1,"tool_version":"0","bandwidth":7}\n' >old.jsonl; vb_send_bw --jsonl old.jsonl host
! vb_send_bw: old.jsonl: its rows have the key "bandwidth", which this version does not write; give another file, or --force to start this one over
= 2
$ printf '{"schema":2,"tool_version":"0"}\n' >old.jsonl; vb_send_bw --jsonl old.jsonl host
! vb_send_bw: old.jsonl: the schema of its rows is 2, and this version writes 1; give another file, or --force to start this one over
= 2
$ vb_send_bw --json old.jsonl host
! vb_send_bw: old.jsonl: this is no JSON document of one run of verbench; give another file, or --force to replace it
= 2
$ vb_send_bw --csv no/such/dir/f host
! vb_send_bw: cannot write to no/such/dir/f: its directory does not exist
= 2
$ verbench serve --csv no/such/dir/f
! verbench: cannot write to no/such/dir/f: its directory does not exist
= 2
$ mkdir dir; vb_send_bw --json dir host
! vb_send_bw: cannot write to dir: Is a directory
= 2

The same file twice.

$ vb_send_bw --csv f --json f host || echo "exit $?"; ls f
> exit 2
! vb_send_bw: --csv f and --json f are the same file: each of them needs its own
! ls: cannot access 'f': No such file or directory
= 2
$ vb_send_bw --csv f --jsonl ./f host || echo "exit $?"; ls f
> exit 2
! vb_send_bw: --csv f and --jsonl ./f are the same file: each of them needs its own
! ls: cannot access 'f': No such file or directory
= 2
$ ln -s f link; vb_send_bw --csv f --json link host || echo "exit $?"; ls f
> exit 2
! vb_send_bw: --csv f and --json link are the same file: each of them needs its own
! ls: cannot access 'f': No such file or directory
= 2
$ verbench serve --csv f --jsonl f || echo "exit $?"; ls f
> exit 2
! verbench: --csv f and --jsonl f are the same file: each of them needs its own
! ls: cannot access 'f': No such file or directory
= 2
$ verbench setup --csv f --json f host || echo "exit $?"; ls f
> exit 2
! verbench: --csv f and --json f are the same file: each of them needs its own
! ls: cannot access 'f': No such file or directory
= 2
$ vb_send_bw --csv f host >f || echo "exit $?"; wc -c <f; rm f link
> exit 2
> 0
! vb_send_bw: standard output and --csv f are the same file: each of them needs its own
= 0
$ vb_send_bw --csv - --jsonl - host
! vb_send_bw: --csv - and --jsonl - exclude each other: only one of them can go to standard output
= 2

--csv-new and --force say which file they are about.

$ vb_send_bw --csv-new host
! vb_send_bw: --csv-new has no effect without --csv FILE
= 2
$ vb_send_bw --force host
! vb_send_bw: --force has no effect without a FILE of results: --csv, --json, --jsonl, --hdr or --dump-samples
= 2

A file that nothing fills is refused, by one rule for all.

$ vb_send_bw --hdr f host
! vb_send_bw: --hdr has no effect without a latency test: only these have samples
= 2
$ vb_send_bw --dump-samples f host
! vb_send_bw: --dump-samples has no effect without a latency test: only these have samples
= 2
$ vb_send_lat --dump-samples f
! vb_send_lat: --dump-samples has no effect without a HOST: only a client has samples
= 2
$ verbench serve --hdr f
! verbench: --hdr has no effect without a HOST: only a client has samples
= 2
$ verbench setup --dump-samples f host
! verbench: --dump-samples is not an option of setup, only of tests
= 2
$ vb_send_lat --dump-samples f --hdr f host
! vb_send_lat: --hdr f and --dump-samples f are the same file: each of them needs its own
= 2
$ verbench serve --csv-new --jsonl f
! verbench: --csv-new has no effect without --csv FILE
= 2

An old document of --json does not say that a run went well which was refused.

$ printf '{"schema":1,"status":"ok","error":null,"rows":[]}\n' >doc.json; vb_send_bw --bogus --json doc.json host || echo "exit $?"; cat doc.json
> exit 2
> {
>   "schema": 1,
>   "tool_version": "0.1.0",
>   "status": "refused",
>   "error": "\"--bogus\" is not an option",
>   "run": null,
>   "rows": [],
>   "intervals": [],
>   "points": []
> }
! vb_send_bw: "--bogus" is not an option
= 0
$ printf '{"schema":1,"status":"ok","error":null,"rows":[]}\n' >doc.json; vb_send_bw --json=doc.json -s 64 -a host || echo "exit $?"; grep -E 'status|error' doc.json
> exit 2
>   "status": "refused",
>   "error": "-s and -a (--all) exclude each other: one size or all sizes",
! vb_send_bw: -s and -a (--all) exclude each other: one size or all sizes
= 0
$ printf '{"schema":1,"status":"ok","error":null,"rows":[]}\n' >doc.json; vb_send_bw --json doc.json --csv letter host || echo "exit $?"; grep -E 'status|error' doc.json
> exit 2
>   "status": "refused",
>   "error": "letter: this is no file of verbench's CSV; give another file, or --force to start this one over",
! vb_send_bw: letter: this is no file of verbench's CSV; give another file, or --force to start this one over
= 0
$ printf '{"schema":1,"status":"ok","error":null,"rows":[]}\n' >doc.json; vb_send_bw -s 64,64 --json doc.json host || echo "exit $?"; grep -E 'status|error' doc.json
> exit 2
>   "status": "refused",
>   "error": "-s: \"64\" is in the list twice",
! vb_send_bw: -s: "64" is in the list twice
= 0
$ vb_send_bw --bogus --json new.json host || echo "exit $?"; ls new.json
> exit 2
! vb_send_bw: "--bogus" is not an option
! ls: cannot access 'new.json': No such file or directory
= 2
$ vb_send_bw --bogus --json letter host || echo "exit $?"; cat letter
> exit 2
> a letter
! vb_send_bw: "--bogus" is not an option
= 0
$ rm -rf old.csv old.jsonl letter dir doc.json
= 0
