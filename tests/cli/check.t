The options of verbench check: what it refuses before it opens a device or a connection.

$ verbench check --help
> Usage: verbench check [OPTIONS] HOST[:PORT]  this host and the server on HOST
>        verbench check [OPTIONS]              this host alone
> To run in some seconds before anything is measured: which transports and opcodes
> the two devices have and whether they work, small and large, polled and by
> events, in both directions, with the content checked; what is not offered, and
> why; the limits of both sides; what costs performance. HOST runs "verbench
> serve". The exit status is 0 if everything that is offered works, 1 if not or if
> nothing is offered, 2 if the check was refused.
>
> Where (on either side):
>   -d, --device NAME       RDMA device by name [default: the first device with an
>                           active port that reaches the peer]
>       --soft              add emulated devices (softhca0, ...): both sides run
>                           on one machine without hardware
>   -i, --ib-port N         port of the device [default: the first active port]
>   -x, --gid-index N       index into the GID table of the port [default: the
>                           best pair of GIDs from the tables of both sides]
>   -p, --port N            TCP port of the control connection [default 18515]
>       --key FILE          shared key of both sides, made by "verbench key": each
>                           side proves that it has the key, and the control
>                           connection is encrypted
>
> Results:
>       --json FILE|-       replace FILE by one JSON document of this run
>
> Path:
>   -m, --mtu BYTES         path MTU [default: the smaller active MTU of the two
>                           ports]
>
> Other:
>   -h, --help              print this help and exit
>       --help-all          print the help of all options and exit
>   -V, --version           print the version and exit
>
> More options, which --help-all explains:
>   --peer-device --peer-ib-port --peer-port --peer-gid-index --bind
>   --connect-timeout --stall-timeout --force --sl --tclass --hop-limit --pkey
>   --timeout --retry
= 0
$ verbench check one two
! verbench: "two": check takes one host, and "one" is given before
= 2
$ for option in "-i 1" "-x 0" "-m 1024" "-S 1" "--pkey 0xffff" "--tclass 4" "--peer-device mlx5_0" "--peer-port 2" "-p 20000"; do verbench check $option; done
! verbench: -i needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: -x needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: -m needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: -S needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: --pkey needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: --tclass needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: --peer-device needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: --peer-port needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
! verbench: -p needs a HOST: without one, check looks at all ports of this machine, and connects to nothing
= 2
$ verbench check host:0
! verbench: host "host:0": the port is "0"; allowed: 1..65535
= 2
$ verbench check -s 64 host
! verbench: -s is not an option of check, only of tests, copy
= 2
$ verbench check -c UD host
! verbench: -c is not an option of check, only of tests
= 2
$ verbench check --csv rows.csv host
! verbench: --csv is not an option of check, only of tests, serve, setup
= 2
$ verbench check --check-by server host
! verbench: "--check-by" is not an option
= 2
$ vb_send_bw --check-by server host
! vb_send_bw: "--check-by" is not an option
= 2
$ verbench check -S 16 host
! verbench: -S "16": out of range; allowed: 0..15
= 2
$ verbench check --json samples host
! verbench: cannot write to samples: Is a directory
= 2
$ verbench check --json rows.txt ::1%none </dev/null; echo "$?"
> 1
! verbench: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 0
