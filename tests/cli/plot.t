The pictures and the page of a report: what is refused. What they show: tests/page.

$ for kind in svg PNG pdf; do verbench report samples/old.csv --plot one.$kind && head -c 4 one.$kind | od -An -c; done
>    <   ?   x   m
>  211   P   N   G
>    %   P   D   F
! verbench: 9 pictures in one.svg
! verbench: 9 pictures in one.PNG
! verbench: 9 pictures in one.pdf
= 0
$ verbench report samples/old.csv --plot one.pdf --y lat_p50_ns
! verbench: 1 picture in one.pdf
= 0
No picture without a setting that varies.
$ head -2 samples/a.csv >same.csv; verbench report same.csv --plot none.svg
! verbench: --plot: no setting varies in these rows, so there is nothing to draw
= 2
$ verbench report samples/old.csv --plot one.eps
! verbench: --plot one.eps: pictures are SVG, PNG and PDF files; give a name that ends with .svg, .png or .pdf, or a directory
= 2
$ verbench report samples/old.csv --x qps --html a.html
! verbench: --x needs --y, the quantity of the picture
= 2
$ verbench report samples/old.csv --series qps --plot pictures
! verbench: --series needs --y, the quantity of the picture
= 2
$ verbench report samples/old.csv --y lat_p50_ns
! verbench: --y is for --plot and --html, which say where the picture goes
= 2
$ verbench report samples/old.csv --force
! verbench: --force has no effect without a file of --html or --plot
= 2
$ verbench report samples/old.csv --plot pictures --y lat_p50_ns,message_rate_per_s
! verbench: --y: the columns of a picture have one unit; that of lat_p50_ns is ns, that of message_rate_per_s is 1/s
= 2
$ verbench report samples/old.csv --plot pictures --y test
! verbench: --y test: its values are texts; --y takes columns of numbers
= 2
$ verbench report samples/old.csv --plot pictures --y nothing
! verbench: --y "nothing": not the name of a column (verbench-row(5) lists them)
= 2
$ verbench report samples/old.csv --plot pictures --y lat_p50_ns --x size_bytes,qps
! verbench: --x: 2 columns are given, and it takes at most 1
= 2
$ verbench report samples/old.csv --plot pictures --y lat_p99_99_ns
! verbench: --y: no row has values of both lat_p99_99_ns and size_bytes
= 2
$ echo text >plain; verbench report samples/old.csv --plot plain
! verbench: --plot plain: it is a file; give a directory, or a name that ends with .svg, .png or .pdf
= 2
$ cp one.PNG one.png; cp one.pdf one.PNG; verbench report samples/old.csv --plot one.png; verbench report samples/old.csv --plot one.PNG
! verbench: 9 pictures in one.png
! verbench: one.PNG: this is no PNG file; give another file, or --force to replace it
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
No name of a file of rows is one of the report, also by a link, as standard input, and in a directory of pictures.
$ cp samples/old.csv rows.csv; ln -f rows.csv rows.html; verbench report --html rows.html --force rows.csv
! verbench: write the page to rows.html: the report reads its rows from this file; give another name
= 2
$ verbench report --html rows.csv --force - <rows.csv
! verbench: write the page to rows.csv: the report reads its rows from this file; give another name
= 2
$ ln -f rows.csv rows.svg; verbench report --plot rows.svg --y bandwidth_gbit_s --force samples/a.csv rows.csv
! verbench: write a picture to rows.svg: the report reads its rows from this file; give another name
= 2
$ mkdir -p own; verbench report --plot own rows.csv 2>/dev/null; for f in own/*; do ln -f rows.csv $f; done; verbench report --plot own --force rows.csv 2>&1 | sed 's/own.*svg/PICTURE/'
> verbench: write a picture to PICTURE: the report reads its rows from this file; give another name
= 0
$ cmp rows.csv samples/old.csv
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
$ find . -name '*.tmp'
= 0
