Four sockets, two HCAs: on node 0 and on node 3. Node 2 is farthest from the first.

$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:01:00.0, numa 0, cpus 0-3,16-19
> numa 0: near, distance 10, cpus 0-3,16-19
> numa 1: far, distance 16, cpus 4-7,20-23
> numa 2: far, distance 32, cpus 8-11,24-27
> numa 3: far, distance 33, cpus 12-15,28-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_0 --threads 2 --pin near
> device mlx5_0: PCI 0000:01:00.0, numa 0, cpus 0-3,16-19
> numa 0: near, distance 10, cpus 0-3,16-19
> numa 1: far, distance 16, cpus 4-7,20-23
> numa 2: far, distance 32, cpus 8-11,24-27
> numa 3: far, distance 33, cpus 12-15,28-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_0 --threads 2 --pin far
> device mlx5_0: PCI 0000:01:00.0, numa 0, cpus 0-3,16-19
> numa 0: near, distance 10, cpus 0-3,16-19
> numa 1: far, distance 16, cpus 4-7,20-23
> numa 2: far, distance 32, cpus 8-11,24-27
> numa 3: far, distance 33, cpus 12-15,28-31
> thread 0: cpu 12, core 12, numa 3, memory numa 3, far, distance 33: farthest
>     from mlx5_0
> thread 1: cpu 13, core 13, numa 3, memory numa 3, far, distance 33: farthest
>     from mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:01:00.0, numa 0, cpus 0-3,16-19
> numa 0: near, distance 10, cpus 0-3,16-19
> numa 1: far, distance 16, cpus 4-7,20-23
> numa 2: far, distance 32, cpus 8-11,24-27
> numa 3: far, distance 33, cpus 12-15,28-31
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_1 --threads 2 --pin auto
> device mlx5_1: PCI 0000:c1:00.0, numa 3, cpus 12-15,28-31
> numa 0: far, distance 33, cpus 0-3,16-19
> numa 1: far, distance 32, cpus 4-7,20-23
> numa 2: far, distance 16, cpus 8-11,24-27
> numa 3: near, distance 10, cpus 12-15,28-31
> thread 0: cpu 12, core 12, numa 3, memory numa 3, near, distance 10: near mlx5_1
> thread 1: cpu 13, core 13, numa 3, memory numa 3, near, distance 10: near mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_1 --threads 2 --pin near
> device mlx5_1: PCI 0000:c1:00.0, numa 3, cpus 12-15,28-31
> numa 0: far, distance 33, cpus 0-3,16-19
> numa 1: far, distance 32, cpus 4-7,20-23
> numa 2: far, distance 16, cpus 8-11,24-27
> numa 3: near, distance 10, cpus 12-15,28-31
> thread 0: cpu 12, core 12, numa 3, memory numa 3, near, distance 10: near mlx5_1
> thread 1: cpu 13, core 13, numa 3, memory numa 3, near, distance 10: near mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_1 --threads 2 --pin far
> device mlx5_1: PCI 0000:c1:00.0, numa 3, cpus 12-15,28-31
> numa 0: far, distance 33, cpus 0-3,16-19
> numa 1: far, distance 32, cpus 4-7,20-23
> numa 2: far, distance 16, cpus 8-11,24-27
> numa 3: near, distance 10, cpus 12-15,28-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, far, distance 33: farthest from
>     mlx5_1
> thread 1: cpu 1, core 1, numa 0, memory numa 0, far, distance 33: farthest from
>     mlx5_1
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_1 --threads 2 --pin none
> device mlx5_1: PCI 0000:c1:00.0, numa 3, cpus 12-15,28-31
> numa 0: far, distance 33, cpus 0-3,16-19
> numa 1: far, distance 32, cpus 4-7,20-23
> numa 2: far, distance 16, cpus 8-11,24-27
> numa 3: near, distance 10, cpus 12-15,28-31
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_0 --threads 10
> device mlx5_0: PCI 0000:01:00.0, numa 0, cpus 0-3,16-19
> numa 0: near, distance 10, cpus 0-3,16-19
> numa 1: far, distance 16, cpus 4-7,20-23
> numa 2: far, distance 32, cpus 8-11,24-27
> numa 3: far, distance 33, cpus 12-15,28-31
> thread 0: cpu 0, core 0, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 1: cpu 1, core 1, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 2: cpu 2, core 2, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 3: cpu 3, core 3, numa 0, memory numa 0, near, distance 10: near mlx5_0
> thread 4: cpu 4, core 4, numa 1, memory numa 1, far, distance 16: no available
>     core is nearer to mlx5_0
> thread 5: cpu 5, core 5, numa 1, memory numa 1, far, distance 16: no available
>     core is nearer to mlx5_0
> thread 6: cpu 6, core 6, numa 1, memory numa 1, far, distance 16: no available
>     core is nearer to mlx5_0
> thread 7: cpu 7, core 7, numa 1, memory numa 1, far, distance 16: no available
>     core is nearer to mlx5_0
> thread 8: cpu 8, core 8, numa 2, memory numa 2, far, distance 32: no available
>     core is nearer to mlx5_0
> thread 9: cpu 9, core 9, numa 2, memory numa 2, far, distance 32: no available
>     core is nearer to mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/four-nodes.xml verbench place -d mlx5_1 --threads 2 --pin numa:0,numa:2 --mem device
> device mlx5_1: PCI 0000:c1:00.0, numa 3, cpus 12-15,28-31
> numa 0: far, distance 33, cpus 0-3,16-19
> numa 1: far, distance 32, cpus 4-7,20-23
> numa 2: far, distance 16, cpus 8-11,24-27
> numa 3: near, distance 10, cpus 12-15,28-31
> thread 0: cpu 0, core 0, numa 0, memory numa 3, far, distance 33, memory
>     distance 10: as requested
> thread 1: cpu 8, core 8, numa 2, memory numa 3, far, distance 16, memory
>     distance 10: as requested
= 0
