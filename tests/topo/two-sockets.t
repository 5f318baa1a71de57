Two sockets, SMT, the HCA on the second one; its interrupts are on cpus 8 to 11.

$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin auto
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 2: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 3: cpu 15, core 15, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin near
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 2: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 3: cpu 15, core 15, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin far
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, no interrupts of mlx5_0
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, no interrupts of mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin none
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
> thread 2: not bound, unknown: as requested
> thread 3: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 10
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 2: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 3: cpu 15, core 15, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 4: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 5: cpu 9, core 9, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 6: cpu 10, core 10, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, also serves interrupts of mlx5_0
> thread 7: cpu 11, core 11, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, also serves interrupts of mlx5_0
> thread 8: cpu 0, core 0, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0, no interrupts of mlx5_0
> thread 9: cpu 1, core 1, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 10 --pin near
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 2: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 3: cpu 15, core 15, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
> thread 4: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 5: cpu 9, core 9, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 6: cpu 10, core 10, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, also serves interrupts of mlx5_0
> thread 7: cpu 11, core 11, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, also serves interrupts of mlx5_0
> thread 8: cpu 28, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, shares its core with another thread, no interrupts of mlx5_0
> thread 9: cpu 29, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, shares its core with another thread, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 17 --pin near
! verbench: --pin near: 17 threads need one cpu each, but only 16 cpus of the HCA's NUMA nodes are usable (this process may run on cpus 0-31)
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 5 --completion event
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     serves completion vector 0
> thread 1: cpu 9, core 9, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     serves completion vector 1
> thread 2: cpu 10, core 10, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, serves completion vector 2
> thread 3: cpu 11, core 11, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, serves completion vector 3
> thread 4: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin core:3
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 2 --pin core:3
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 1: cpu 19, core 3, numa 0, memory numa 0, far, distance 21: as requested,
>     shares its core with another thread, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin pu:0-3
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 5 --pin pu:0-3
! verbench: --pin pu:0-3: 5 threads need one cpu each, but only 4 cpus of pu:0-3 are usable (this process may run on cpus 0-31)
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 2 --pin pu:8,24
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: as requested,
>     also serves interrupts of mlx5_0
> thread 1: cpu 24, core 8, numa 1, memory numa 1, near, distance 10: as
>     requested, shares its core with another thread, also serves interrupts of
>     mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 4 --pin numa:0,numa:1
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 1: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: as
>     requested, no interrupts of mlx5_0
> thread 2: cpu 1, core 1, numa 0, memory numa 0, far, distance 21: as requested,
>     no interrupts of mlx5_0
> thread 3: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: as
>     requested, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 2 --pin l3:nic
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: as
>     requested, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: as
>     requested, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin package:0 --mem device
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 0, core 0, numa 0, memory numa 1, far, distance 21, memory
>     distance 10: as requested, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin numa:0 --mem numa:1
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 0, core 0, numa 0, memory numa 1, far, distance 21, memory
>     distance 10: as requested, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin numa:1 --mem 0
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: as requested, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin none --mem 1
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: not bound, memory numa 1, unknown, memory distance 10: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin none --mem device
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: not bound, memory numa 1, unknown, memory distance 10: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin none --mem local
! verbench: --mem local: the threads are not bound, so they have no local NUMA node
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --threads 2 --mem numa:0,1
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 12, core 12, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no interrupts of mlx5_0
> thread 1: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin pu:32
! verbench: --pin pu:32: there is no pu:32; this machine has pu 0-31
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin l2:0
! verbench: --pin l2:0: this machine has no l2
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --pin l3:2
! verbench: --pin l3:2: there is no l3:2; this machine has l3 0-1
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d mlx5_0 --mem 2
! verbench: --mem 2: there is no NUMA node 2; this process may use memory of NUMA nodes 0-1
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d eth2
> device eth2: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: near eth2
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0
> device softhca0: location unknown: softhca0 is a virtual device without a PCI
>     bus
> numa 0: unknown, cpus 0-7,16-23
> numa 1: unknown, cpus 8-15,24-31
> thread 0: not bound, unknown: softhca0 is a virtual device without a PCI bus
= 0
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --pin near
! verbench: --pin near: softhca0 is a virtual device without a PCI bus
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --pin far
! verbench: --pin far: softhca0 is a virtual device without a PCI bus
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --pin l3:nic
! verbench: --pin l3:nic: softhca0 is a virtual device without a PCI bus
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --mem device
! verbench: --mem device: softhca0 is a virtual device without a PCI bus
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --mem local
! verbench: --mem local: the threads are not bound: softhca0 is a virtual device without a PCI bus, so they have no local NUMA node
= 2
$ HWLOC_XMLFILE=$TOPO/two-sockets.xml verbench place -d softhca0 --pin numa:1
> device softhca0: location unknown: softhca0 is a virtual device without a PCI
>     bus
> numa 0: unknown, cpus 0-7,16-23
> numa 1: unknown, cpus 8-15,24-31
> thread 0: cpu 8, core 8, numa 1, memory numa 1, unknown: as requested
= 0
