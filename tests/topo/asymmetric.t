Four fast cores, eight slow ones; the HCA's interrupts are on cpu 0.

$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --threads 3 --pin auto
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 2: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --threads 3 --pin near
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 2: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --threads 3 --pin far
! verbench: --pin far: all cpus that this process may use are near mlx5_0
= 2
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --threads 3 --pin none
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
> thread 2: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --threads 6
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 2: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 3: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 4: cpu 4, core 4, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 5: cpu 5, core 5, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 -e --threads 2
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     serves completion vector 0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/asymmetric.xml verbench place -d mlx5_0 --pin pu:9
> device mlx5_0: PCI 0000:03:00.0, numa 0, cpus 0-11
> numa 0: near, distance 10, cpus 0-11
> thread 0: cpu 9, core 9, numa 0, memory numa 0, near, distance 10: as requested,
>     no interrupts of mlx5_0
= 0
