$ verbench list --help
> Usage: verbench list
> Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs.
= 0
$ verbench list extra
! verbench: list takes no operands: "extra"
= 2
$ verbench list -d rxe0
! verbench: list takes no options: "-d (--device)"
= 2
$ verbench list --bogus
! verbench: "--bogus" is not an option
= 2
