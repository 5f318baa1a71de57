What a server does not take.

$ verbench serve host
! verbench: serve takes no operands: "host"
= 2
$ verbench serve -s 64
! verbench: -s is an option of the client: the server learns the test from the client
= 2
$ verbench serve --duration 5 -p 7
! verbench: --duration is an option of the client: the server learns the test from the client
= 2
$ verbench serve -p 0
! verbench: -p "0": out of range; allowed: 1..65535
= 2
$ verbench serve -x 256
! verbench: -x "256": out of range; allowed: 0..255 or auto
= 2
$ verbench serve --csv - --json -
! verbench: --csv - and --json - exclude each other: only one of them can go to standard output
= 2
$ vb_send_bw -s 64
! vb_send_bw: -s is an option of the client: the server learns the test from the client (no host was given, so this is the server)
= 2
$ vb_write_lat -c UD
! vb_write_lat: -c is an option of the client: the server learns the test from the client (no host was given, so this is the server)
= 2
$ vb_read_bw -n 100 -q 4
! vb_read_bw: -n is an option of the client: the server learns the test from the client (no host was given, so this is the server)
! vb_read_bw: -q is an option of the client: the server learns the test from the client (no host was given, so this is the server)
= 2
$ verbench serve --threads 2
! verbench: --threads is an option of the client: the server learns the test from the client
= 2
$ verbench serve --topology
! verbench: --topology is not an option of serve, only of list
= 2
