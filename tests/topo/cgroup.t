A cgroup with cpus 2, 3, 10, 11 and their siblings, and memory of node 0 alone.

$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 10, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 1: cpu 11, core 11, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 2 --pin near
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 10, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 1: cpu 11, core 11, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 2 --pin far
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
> thread 1: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: farthest from
>     mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 5
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 10, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 1: cpu 11, core 11, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
> thread 4: cpu 26, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, shares its core with another thread, no memory of
>     NUMA node 1 is allowed
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 8
> device mlx5_0: PCI 0000:81:00.0, numa 1, cpus 8-15,24-31
> numa 0: far, distance 21, cpus 0-7,16-23
> numa 1: near, distance 10, cpus 8-15,24-31
> thread 0: cpu 10, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 1: cpu 11, core 11, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, no memory of NUMA node 1 is allowed
> thread 2: cpu 2, core 2, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0
> thread 4: cpu 26, core 10, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, shares its core with another thread, no memory of
>     NUMA node 1 is allowed
> thread 5: cpu 27, core 11, numa 1, memory numa 0, far, distance 10, memory
>     distance 21: near mlx5_0, shares its core with another thread, no memory of
>     NUMA node 1 is allowed
> thread 6: cpu 18, core 2, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0, shares its core with another thread
> thread 7: cpu 19, core 3, numa 0, memory numa 0, far, distance 21: no available
>     core is nearer to mlx5_0, shares its core with another thread
= 0
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --threads 9
! verbench: --pin auto: 9 threads need one cpu each, but only 8 cpus of this machine are usable (this process may run on cpus 2-3,10-11,18-19,26-27)
= 2
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --pin pu:4
! verbench: --pin pu:4: this process may not run on pu:4; allowed cpus: 2-3,10-11,18-19,26-27
= 2
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --pin numa:1 --mem local
! verbench: --mem local: this process may not use memory of NUMA node 1; allowed NUMA nodes: 0
= 2
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --mem device
! verbench: --mem device: this process may not use memory of NUMA node 1; allowed NUMA nodes: 0
= 2
$ HWLOC_XMLFILE=$TOPO/cgroup.xml verbench place -d mlx5_0 --mem 1
! verbench: --mem 1: this process may not use memory of NUMA node 1; allowed NUMA nodes: 0
= 2
