What the command copy does not take, before it opens a device or a connection.

$ verbench copy
! verbench: copy needs FILE and HOST:FILE, or --copy-to to receive a file
= 2
$ verbench copy file
! verbench: copy takes FILE and HOST:FILE: "file" is only one of them
= 2
$ verbench copy file host:file more
! verbench: copy takes FILE and HOST:FILE: "more" is too much
= 2
$ verbench copy file host
! verbench: "host" is not HOST:FILE, nor [ADDRESS]:FILE
= 2
$ verbench copy file :name
! verbench: ":name" is not HOST:FILE, nor [ADDRESS]:FILE
= 2
$ verbench copy file host:
! verbench: the name of the copy has 0 bytes; allowed: 1..1023
= 2
$ verbench copy file [::1:name
! verbench: "[::1:name" is not HOST:FILE, nor [ADDRESS]:FILE
= 2
$ verbench copy file host:/name
! verbench: "/name": the name of the copy is relative to the directory of --copy-to
= 2
$ verbench copy file host:../name
! verbench: "../name": no part of the name of the copy may be empty, "." or ".."
= 2
$ verbench copy file host:sub/./name
! verbench: "sub/./name": no part of the name of the copy may be empty, "." or ".."
= 2
$ verbench copy '' host:name
! verbench: the name of the file is empty
= 2
$ verbench copy no-such-file host:name
! verbench: cannot open no-such-file: No such file or directory
= 2
$ verbench copy . host:name
! verbench: . is a directory: only a regular file can be copied
= 2
$ verbench copy -s 4095 file host:name
! verbench: -s 4095: a window of a copy has 4096 to 67108864 bytes
= 2
$ verbench copy -s 65M file host:name
! verbench: -s 68157440: a window of a copy has 4096 to 67108864 bytes
= 2
$ verbench copy -q 2 file host:name
! verbench: -q is not an option of copy, only of tests, setup
= 2
$ verbench copy -c UD file host:name
! verbench: -c is not an option of copy, only of tests
= 2
$ verbench copy --csv x file host:name
! verbench: --csv is not an option of copy, only of tests, serve, setup
= 2
$ verbench copy --copy-to . file host:name
! verbench: --copy-to is an option of the server: HOST:FILE says where the copy is
= 2

A server has the options of a server.
$ verbench copy --overwrite
! verbench: --overwrite is an option of the client: the server learns it from the client
= 2
$ verbench copy --copy-to . --overwrite
! verbench: --overwrite is an option of the client: the server learns it from the client
= 2
$ verbench copy --copy-to . -s 64k
! verbench: -s is an option of the client: the server learns it from the client
= 2
$ verbench copy --copy-to /no-such-directory
! verbench: --copy-to /no-such-directory: No such file or directory
= 1
$ verbench serve --copy-to /dev/null
! verbench: --copy-to /dev/null: Not a directory
= 1
$ verbench send_bw --copy-to . host
! verbench: --copy-to is not an option of tests, only of copy, serve
= 2
$ verbench send_bw --overwrite host
! verbench: --overwrite is not an option of tests, only of copy
= 2
