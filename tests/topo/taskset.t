A process that was given cpus 2 to 5, all far from the HCA.

$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --threads 2 --pin near
! verbench: --pin near: the cpus of the HCA's NUMA nodes are 8-15, but this process may run only on cpus 2-5
= 2
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --threads 2 --pin far
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --threads 5
! verbench: --pin auto: 5 threads need one cpu each, but only 4 cpus of this machine are usable (this process may run on cpus 2-5)
= 2
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --pin pu:8
! verbench: --pin pu:8: this process may not run on pu:8; allowed cpus: 2-5
= 2
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --pin core:2
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --pin core:9
! verbench: --pin core:9: this process may not run on core:9; allowed cpus: 2-5
= 2
$ HWLOC_XMLFILE=$TOPO/taskset.xml verbench place -d mlx5_0 --pin pu:4-6 --threads 3
! verbench: --pin pu:4-6: this process may not run on pu:6; allowed cpus: 2-5
= 2
