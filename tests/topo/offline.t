Of eight cores with two cpus each, cores 3 and 7 are offline.

$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --threads 3 --pin auto
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 4-6,12-14
> numa 0: far, cpus 0-2,8-10
> numa 1: near, distance 10, cpus 4-6,12-14
> thread 0: cpu 4, core 3, numa 1, memory numa 1, near, distance 10: near mlx5_0
> thread 1: cpu 5, core 4, numa 1, memory numa 1, near, distance 10: near mlx5_0
> thread 2: cpu 6, core 5, numa 1, memory numa 1, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --threads 3 --pin near
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 4-6,12-14
> numa 0: far, cpus 0-2,8-10
> numa 1: near, distance 10, cpus 4-6,12-14
> thread 0: cpu 4, core 3, numa 1, memory numa 1, near, distance 10: near mlx5_0
> thread 1: cpu 5, core 4, numa 1, memory numa 1, near, distance 10: near mlx5_0
> thread 2: cpu 6, core 5, numa 1, memory numa 1, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --threads 3 --pin far
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 4-6,12-14
> numa 0: far, cpus 0-2,8-10
> numa 1: near, distance 10, cpus 4-6,12-14
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far: farthest from mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, far: farthest from mlx5_0
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far: farthest from mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --threads 3 --pin none
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 4-6,12-14
> numa 0: far, cpus 0-2,8-10
> numa 1: near, distance 10, cpus 4-6,12-14
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
> thread 2: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --pin pu:3
! verbench: --pin pu:3: cpu 3 is offline
= 2
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --pin pu:2
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 4-6,12-14
> numa 0: far, cpus 0-2,8-10
> numa 1: near, distance 10, cpus 4-6,12-14
> thread 0: cpu 2, core 2, numa 0, memory numa 0, far: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --pin pu:16
! verbench: --pin pu:16: there is no pu:16; this machine has pu 0-2,4-6,8-10,12-14
= 2
$ HWLOC_XMLFILE=$TOPO/offline.xml verbench place -d mlx5_0 --pin pu:0-7 --threads 8
! verbench: --pin pu:0-7: cpu 3 is offline
= 2
