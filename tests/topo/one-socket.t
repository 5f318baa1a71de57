One socket, one NUMA node, no SMT; the HCA's interrupts are on cpus 0 and 1.

$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 2 --pin near
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 2 --pin far
! verbench: --pin far: all cpus that this process may use are near mlx5_0
= 2
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 8
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 2: cpu 4, core 4, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 3: cpu 5, core 5, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 4: cpu 6, core 6, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 5: cpu 7, core 7, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     no interrupts of mlx5_0
> thread 6: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
> thread 7: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     also serves interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 9
! verbench: --pin auto: 9 threads need one cpu each, but only 8 cpus of this machine are usable (this process may run on cpus 0-7)
= 2
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 -e --threads 3
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     serves completion vector 0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0,
>     serves completion vector 1
> thread 2: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --pin core:3
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: as requested,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --threads 2 --pin pu:5,4
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 5, core 5, numa 0, memory numa 0, near, distance 10: as requested,
>     no interrupts of mlx5_0
> thread 1: cpu 4, core 4, numa 0, memory numa 0, near, distance 10: as requested,
>     no interrupts of mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --pin numa:1
! verbench: --pin numa:1: there is no numa:1; this machine has numa 0
= 2
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d mlx5_0 --mem 1
! verbench: --mem 1: there is no NUMA node 1; this process may use memory of NUMA nodes 0
= 2
$ HWLOC_XMLFILE=$TOPO/one-socket.xml verbench place -d eth0
> device eth0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near eth0
= 0
