isolcpus=6-7,12-15, which the kernel keeps out of every process's mask.

$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 1: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 --threads 2 --pin near
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 1: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 --threads 2 --pin far
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 6, core 6, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 1: cpu 7, core 7, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0, isolated, no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 --threads 5
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 13, core 13, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 1: cpu 14, core 14, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 2: cpu 15, core 15, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, no interrupts of mlx5_0
> thread 3: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, also serves interrupts of mlx5_0
> thread 4: cpu 9, core 9, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/isolated.xml verbench place -d mlx5_0 -e --threads 2
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15
> numa 0: far, distance 21, cpus 0-7
> numa 1: near, distance 10, cpus 8-15
> thread 0: cpu 12, core 12, numa 1, memory numa 1, near, distance 10: near
>     mlx5_0, isolated, serves completion vector 1
> thread 1: cpu 8, core 8, numa 1, memory numa 1, near, distance 10: near mlx5_0,
>     serves completion vector 0
= 0
