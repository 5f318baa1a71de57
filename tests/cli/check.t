The options of verbench check: what it refuses before it opens a device or a connection.

$ verbench check --help
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check one two
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check host:0
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check -s 64 host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check -c UD host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check --csv rows.csv host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check --check-by server host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ vb_send_bw --check-by server host
! vb_send_bw: "--check-by" is not an option
= 2
$ verbench check -S 16 host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check --json samples host
! verbench: "check" is not a command; "verbench help" lists them
= 2
$ verbench check --json rows.txt host </dev/null; echo "$?"
> 2
! verbench: "check" is not a command; "verbench help" lists them
= 0
