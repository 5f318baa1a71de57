What verbench list --topology says of the machines.

$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench list --topology
> mlx5_0  PCI 0000:41:00.0  numa 0  cores 0-7  cpus 0-7
>   numa 0: near, distance 10, cpus 0-7
>   PCIe link: gen 4 x16, 252.1 Gbit/s before packet overhead; device gen 4 x16;
>       slot gen 4 x16
>   interrupt 40: cpus 0
>   interrupt 41, completion vector 0: cpus 0
>   interrupt 42, completion vector 1: cpus 1
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench list --topology
> mlx5_0  PCI 0000:81:00.0  numa 1  cores 8-15  cpus 8-15,24-31
>   numa 0: far, distance 21, cpus 0-7,16-23
>   numa 1: near, distance 10, cpus 8-15,24-31
>   PCIe link: gen 3 x8, 63.0 Gbit/s before packet overhead; device gen 4 x16;
>       slot gen 4 x16; device and slot support 252.1 Gbit/s
>   interrupt 60: cpus 8
>   interrupt 61, completion vector 0: cpus 8
>   interrupt 62, completion vector 1: cpus 9
>   interrupt 63, completion vector 2: cpus 10
>   interrupt 64, completion vector 3: cpus 11
> softhca0  location unknown: softhca0 is a virtual device without a PCI bus
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench list --topology
> mlx5_0  PCI 0000:01:00.0  numa 0  cores 0-3  cpus 0-3,16-19
>   numa 0: near, distance 10, cpus 0-3,16-19
>   numa 1: far, distance 16, cpus 4-7,20-23
>   numa 2: far, distance 32, cpus 8-11,24-27
>   numa 3: far, distance 33, cpus 12-15,28-31
>   PCIe link: unknown
>   interrupts: unknown
> mlx5_1  PCI 0000:c1:00.0  numa 3  cores 12-15  cpus 12-15,28-31
>   numa 0: far, distance 33, cpus 0-3,16-19
>   numa 1: far, distance 32, cpus 4-7,20-23
>   numa 2: far, distance 16, cpus 8-11,24-27
>   numa 3: near, distance 10, cpus 12-15,28-31
>   PCIe link: unknown
>   interrupts: unknown
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench list --topology
> mlx5_1  PCI 0000:21:00.0  numa 0-1  cores 0-7  cpus 0-7
>   numa 0: near, distance 10, cpus 0-3
>   numa 1: near, distance 10, cpus 4-7
>   numa 2: far, distance 21, cpus 8-11
>   numa 3: far, distance 21, cpus 12-15
>   PCIe link: unknown
>   interrupts: unknown
> mlx5_0  PCI 0000:a1:00.0  numa 3  cores 12-15  cpus 12-15
>   numa 0: far, distance 21, cpus 0-3
>   numa 1: far, distance 21, cpus 4-7
>   numa 2: far, distance 12, cpus 8-11
>   numa 3: near, distance 10, cpus 12-15
>   PCIe link: unknown
>   interrupts: unknown
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench list --topology
> mlx5_0 PCI 0000:81:00.0 location unknown: the firmware does not report which of
>     2 NUMA nodes is near mlx5_0
>   PCIe link: unknown
>   interrupts: unknown
> rxe0  location unknown: rxe0 is a virtual device without a PCI bus
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench list --topology xml >copy.xml && HWLOC_XMLFILE=copy.xml verbench list --topology
> mlx5_0  PCI 0000:81:00.0  numa 1  cores 8-15  cpus 8-15
>   numa 0: far, distance 21, cpus 0-7
>   numa 1: near, distance 10, cpus 8-15
>   PCIe link: unknown
>   interrupt 60: cpus 8
>   interrupt 61, completion vector 0: cpus 8
>   interrupt 62, completion vector 1: cpus 12
= 0
$ HWLOC_XMLFILE=copy.xml verbench place -d mlx5_0
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
= 0
$ verbench list xml
! verbench: list takes no operands: "xml"
= 2
$ verbench list --topology foo
! verbench: list takes no operands: "foo"
= 2
$ verbench list --topology --topology
! verbench: --topology is given twice
= 2
$ HWLOC_XMLFILE=/dev/null verbench list --topology
! verbench: HWLOC_XMLFILE: cannot open /dev/null: not a regular file
= 1
