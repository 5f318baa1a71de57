Two NUMA nodes, and firmware that does not tell which one the HCA is near.

$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --threads 2 --pin auto
> device mlx5_0: PCI 0000:81:00.0, location unknown: the firmware does not report
>     which of 2 NUMA nodes is near mlx5_0
> numa 0: unknown, cpus 0-3
> numa 1: unknown, cpus 4-7
> thread 0: not bound, unknown: the firmware does not report which of 2 NUMA nodes
>     is near mlx5_0
> thread 1: not bound, unknown: the firmware does not report which of 2 NUMA nodes
>     is near mlx5_0
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --threads 2 --pin near
! verbench: --pin near: the firmware does not report which of 2 NUMA nodes is near mlx5_0
= 2
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --threads 2 --pin far
! verbench: --pin far: the firmware does not report which of 2 NUMA nodes is near mlx5_0
= 2
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --threads 2 --pin none
> device mlx5_0: PCI 0000:81:00.0, location unknown: the firmware does not report
>     which of 2 NUMA nodes is near mlx5_0
> numa 0: unknown, cpus 0-3
> numa 1: unknown, cpus 4-7
> thread 0: not bound, unknown: as requested
> thread 1: not bound, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --pin numa:1
> device mlx5_0: PCI 0000:81:00.0, location unknown: the firmware does not report
>     which of 2 NUMA nodes is near mlx5_0
> numa 0: unknown, cpus 0-3
> numa 1: unknown, cpus 4-7
> thread 0: cpu 4, core 4, numa 1, memory numa 1, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --pin numa:1 --mem 0
> device mlx5_0: PCI 0000:81:00.0, location unknown: the firmware does not report
>     which of 2 NUMA nodes is near mlx5_0
> numa 0: unknown, cpus 0-3
> numa 1: unknown, cpus 4-7
> thread 0: cpu 4, core 4, numa 1, memory numa 0, unknown: as requested
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d mlx5_0 --mem device
! verbench: --mem device: the firmware does not report which of 2 NUMA nodes is near mlx5_0
= 2
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d rxe0
> device rxe0: location unknown: rxe0 is a virtual device without a PCI bus
> numa 0: unknown, cpus 0-3
> numa 1: unknown, cpus 4-7
> thread 0: not bound, unknown: rxe0 is a virtual device without a PCI bus
= 0
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d nothing
! verbench: no RDMA device of the machine in HWLOC_XMLFILE is called nothing; there are: mlx5_0, rxe0
= 2
$ HWLOC_XMLFILE=$TOPO/no-locality.xml verbench place -d nothing --pin near
! verbench: no RDMA device of the machine in HWLOC_XMLFILE is called nothing; there are: mlx5_0, rxe0
= 2
