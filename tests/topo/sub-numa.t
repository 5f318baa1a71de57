Two NUMA nodes to a socket: one HCA is near one node, the other near a whole socket.

$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_0 --threads 6 --pin auto
> device mlx5_0: PCI 0000:a1:00.0, numa 3, cpus 12-15
> numa 0: far, distance 21, cpus 0-3
> numa 1: far, distance 21, cpus 4-7
> numa 2: far, distance 12, cpus 8-11
> numa 3: near, distance 10, cpus 12-15
> thread 0: cpu 12, core 12, numa 3, memory numa 3, near, distance 10: near mlx5_0
> thread 1: cpu 13, core 13, numa 3, memory numa 3, near, distance 10: near mlx5_0
> thread 2: cpu 14, core 14, numa 3, memory numa 3, near, distance 10: near mlx5_0
> thread 3: cpu 15, core 15, numa 3, memory numa 3, near, distance 10: near mlx5_0
> thread 4: cpu 8, core 8, numa 2, memory numa 2, far, distance 12: no available
>     core is nearer to mlx5_0
> thread 5: cpu 9, core 9, numa 2, memory numa 2, far, distance 12: no available
>     core is nearer to mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_0 --threads 6 --pin near
! verbench: --pin near: 6 threads need one cpu each, but only 4 cpus of the HCA's NUMA nodes are usable (this process may run on cpus 0-15)
= 2
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_0 --threads 6 --pin far
> device mlx5_0: PCI 0000:a1:00.0, numa 3, cpus 12-15
> numa 0: far, distance 21, cpus 0-3
> numa 1: far, distance 21, cpus 4-7
> numa 2: far, distance 12, cpus 8-11
> numa 3: near, distance 10, cpus 12-15
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 4: cpu 4, core 4, numa 1, memory numa 1, far, distance 21: farthest from
>     mlx5_0
> thread 5: cpu 5, core 5, numa 1, memory numa 1, far, distance 21: farthest from
>     mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_0 --threads 6 --pin none
> device mlx5_0: PCI 0000:a1:00.0, numa 3, cpus 12-15
> numa 0: far, distance 21, cpus 0-3
> numa 1: far, distance 21, cpus 4-7
> numa 2: far, distance 12, cpus 8-11
> numa 3: near, distance 10, cpus 12-15
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
> thread 2: not bound, unknown: as requested
> thread 3: not bound, unknown: as requested
> thread 4: not bound, unknown: as requested
> thread 5: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 6 --pin auto
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 2: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 3: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 4: cpu 4, core 4, numa 1, memory numa 1, near, distance 10: near mlx5_1
> thread 5: cpu 5, core 5, numa 1, memory numa 1, near, distance 10: near mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 6 --pin near
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 2: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 3: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_1
> thread 4: cpu 4, core 4, numa 1, memory numa 1, near, distance 10: near mlx5_1
> thread 5: cpu 5, core 5, numa 1, memory numa 1, near, distance 10: near mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 6 --pin far
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: cpu 8, core 8, numa 2, memory numa 2, far, distance 21: farthest from
>     mlx5_1
> thread 1: cpu 9, core 9, numa 2, memory numa 2, far, distance 21: farthest from
>     mlx5_1
> thread 2: cpu 10, core 10, numa 2, memory numa 2, far, distance 21: farthest
>     from mlx5_1
> thread 3: cpu 11, core 11, numa 2, memory numa 2, far, distance 21: farthest
>     from mlx5_1
> thread 4: cpu 12, core 12, numa 3, memory numa 3, far, distance 21: farthest
>     from mlx5_1
> thread 5: cpu 13, core 13, numa 3, memory numa 3, far, distance 21: farthest
>     from mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 6 --pin none
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
> thread 2: not bound, unknown: as requested
> thread 3: not bound, unknown: as requested
> thread 4: not bound, unknown: as requested
> thread 5: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 2 --pin l3:nic
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: as requested
> thread 1: cpu 4, core 4, numa 1, memory numa 1, near, distance 10: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/sub-numa.xml verbench place -d mlx5_1 --threads 2 --pin numa:1,numa:2 --mem device
> device mlx5_1: PCI 0000:21:00.0, numa 0-1, cpus 0-7
> numa 0: near, distance 10, cpus 0-3
> numa 1: near, distance 10, cpus 4-7
> numa 2: far, distance 21, cpus 8-11
> numa 3: far, distance 21, cpus 12-15
> thread 0: cpu 4, core 4, numa 1, memory numa 1, near, distance 10: as requested
> thread 1: cpu 8, core 8, numa 2, memory numa 0, far, distance 21, memory
>     distance 10: as requested
= 0
