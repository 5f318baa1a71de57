$ verbench list --help
> Usage: verbench list [--soft] [--topology [xml]]
> Prints RDMA devices and their ports: state, link, MTU, netdev, GIDs. --soft adds the
> emulated ones. --topology: where each is in the machine, NUMA node, cores, distances, PCIe link,
> interrupts; with xml the machine as XML for a bug report.
= 0
$ verbench list extra
! verbench: list takes no operands: "extra"
= 2
$ verbench list -d rxe0
! verbench: list takes no options but --soft and --topology: "-d (--device)"
= 2
$ verbench list --bogus
! verbench: "--bogus" is not an option
= 2
