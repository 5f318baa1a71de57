The pictures and the page of a report: what is refused. What they show: tests/page.

$ verbench report samples/old.csv --plot one.svg
$ verbench report samples/old.csv --plot one.PNG
$ verbench report samples/old.csv --x qps --html a.html
$ verbench report samples/old.csv --series qps --plot d
$ verbench report samples/old.csv --y lat_p50_ns
$ verbench report samples/old.csv --force
$ verbench report samples/old.csv --plot d --y lat_p50_ns,message_rate_per_s
$ verbench report samples/old.csv --plot d --y test
$ verbench report samples/old.csv --plot d --y nothing
$ verbench report samples/old.csv --plot d --y lat_p50_ns --x size_bytes,qps
$ verbench report samples/old.csv --plot d --y lat_p50_ns --x warnings
$ verbench report samples/old.csv --plot d --y lat_p99_99_ns
$ echo text >d; verbench report samples/old.csv --plot d
$ echo text >one.svg; verbench report samples/old.csv --plot one.svg --y lat_p50_ns
$ cat one.svg
$ echo text >a.html; verbench report samples/old.csv --html a.html
$ cat a.html
$ verbench report samples/old.csv --html none/a.html
$ verbench report samples/old.csv --html .
$ verbench report samples/old.csv --html /dev/full
$ ls
