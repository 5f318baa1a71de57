The pictures and the page of a report: what is refused. What they show: tests/page.

$ verbench report samples/old.csv --plot one.svg
! verbench: --plot one.svg: one picture needs --y, which says what is drawn; without --y give a directory for all
= 2
$ verbench report samples/old.csv --plot one.PNG
! verbench: --plot one.PNG: one picture needs --y, which says what is drawn; without --y give a directory for all
= 2
$ verbench report samples/old.csv --x qps --html a.html
! verbench: --x is for --y, which says what is drawn
= 2
$ verbench report samples/old.csv --series qps --plot d
! verbench: --series is for --y, which says what is drawn
= 2
$ verbench report samples/old.csv --y lat_p50_ns
! verbench: --y is for --plot and --html, which say where the picture goes
= 2
$ verbench report samples/old.csv --force
! verbench: --force has no effect without a file of --html or --plot
= 2
$ verbench report samples/old.csv --plot d --y lat_p50_ns,message_rate_per_s
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ verbench report samples/old.csv --plot d --y test
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ verbench report samples/old.csv --plot d --y nothing
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ verbench report samples/old.csv --plot d --y lat_p50_ns --x size_bytes,qps
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ verbench report samples/old.csv --plot d --y lat_p50_ns --x warnings
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ verbench report samples/old.csv --plot d --y lat_p99_99_ns
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ echo text >d; verbench report samples/old.csv --plot d
! verbench: --plot d: it is a file; give a directory, or a name that ends with .svg or .png
= 2
$ echo text >one.svg; verbench report samples/old.csv --plot one.svg --y lat_p50_ns
! verbench: one.svg: this is no SVG file; give another file, or --force to replace it
= 2
$ cat one.svg
> text
= 0
$ echo text >a.html; verbench report samples/old.csv --html a.html
! verbench: a.html: this is no page of verbench; give another file, or --force to replace it
= 2
$ cat a.html
> text
= 0
$ verbench report samples/old.csv --html none/a.html
! verbench: cannot write to none/a.html: its directory does not exist
= 1
$ verbench report samples/old.csv --html .
! verbench: cannot write to .: Is a directory
= 1
$ verbench report samples/old.csv --html /dev/full
! verbench: write the page to /dev/full: No space left on device
= 1
$ ls
> a
> a.html
> all
> b
> bin
> c
> d
> e
> err
> one.svg
> out
> replayed
> samples
> send
> vb_pingpong
= 0
