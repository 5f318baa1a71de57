The options of verbench place; what it chooses is in tests/topo.

$ verbench place
! verbench: place needs -d (--device): the HCA of the measurement
= 2
$ verbench place -d mlx5_0 extra
! verbench: place takes no operands: "extra"
= 2
$ verbench place -d mlx5_0 --qps 3
! verbench: --qps is not an option of place, only of tests, setup
= 2
$ verbench place -d mlx5_0 --threads 0
! verbench: --threads "0": out of range; allowed: 1..256
= 2
$ verbench place -d mlx5_0 --pin nowhere
! verbench: --pin "nowhere": unknown; allowed: auto, near, far, none, cpus (3, 0-3, 0,2), or objects of the machine (examples: core:3, cpu:0-3, numa:1, l3:nic)
= 2
$ verbench place -d mlx5_0 --pin pu:
! verbench: --pin "pu:": expected a number of at most 6 digits, a range or nic
= 2
$ verbench place -d mlx5_0 --pin pu:3-1
! verbench: --pin "pu:3-1": the end of the range is less than its start
= 2
$ verbench place -d mlx5_0 --pin cat:1
! verbench: --pin "cat:1": "cat" is not a type of cpus or memory; allowed: pu (or cpu), core, numa, package, die, group, l1, l2, l3, machine
= 2
$ verbench place -d mlx5_0 --mem near
! verbench: --mem "near": unknown; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)
= 2
$ verbench place -d mlx5_0 --mem -1
! verbench: --mem "-1": unknown; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)
= 2
$ HWLOC_XMLFILE=/dev/null verbench place -d mlx5_0
! verbench: HWLOC_XMLFILE: cannot open /dev/null: not a regular file
= 1
