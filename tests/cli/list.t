$ verbench list --help
> Usage: verbench list [--soft]
> Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs. --soft adds the
> emulated ones.
= 0
$ verbench list extra
! verbench: list takes no operands: "extra"
= 2
$ verbench list -d rxe0
! verbench: list takes no options but --soft: "-d (--device)"
= 2
$ verbench list --bogus
! verbench: "--bogus" is not an option
= 2
