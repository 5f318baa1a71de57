The options of verbench place; what it chooses is in tests/topo.

$ verbench place
! verbench: place needs -d (--device): the HCA to be near to
= 2
$ verbench place --help
> Usage: verbench place --device NAME [OPTIONS]
> Prints which cpus and which memory the measuring threads would get and why; opens no device.
> HWLOC_XMLFILE=FILE: on the machine that the file describes (lstopo FILE.xml).
>
> Where (on either side):
>   -d, --device NAME           RDMA device; default: the first with an active port that reaches the
>                               peer
>
> What (on the client; the server learns it):
>       --completion poll|event|hybrid
>                               how completions are taken: busy polling, events, or polling for a
>                               while (--spin) before waiting for an event [default poll]
>   -e, --events                short for --completion event
>
> How:
>       --threads N             measuring threads on each side, each with CQs, buffers and --qps queue
>                               pairs of its own [1..256, default 1]
>
> Placement:
>       --pin WHERE             cpus of the measuring threads, one core each: near the HCA, far from
>                               it, none (not bound), or SPEC in hwloc's words, in turn: core:3,
>                               pu:0-3, numa:1, l3:nic (near the HCA); pu and numa by the system's
>                               numbers; auto: near while there are cores, not bound where the HCA's
>                               place is not known [default auto]
>       --mem WHERE             memory of rings and buffers: local (the thread's node), device (the
>                               HCA's), the number of a NUMA node, or SPEC in turn; auto: local when
>                               the thread is bound [default auto]
>
> Other:
>   -h, --help                  print this and leave
>   -V, --version               print the version and leave
= 0
$ verbench place -d mlx5_0 extra
! verbench: place takes no operands: "extra"
= 2
$ verbench place -d mlx5_0 --qps 3
! verbench: place does not take -q (--qps)
= 2
$ verbench place -d mlx5_0 --threads 0
! verbench: --threads "0": out of range; allowed: 1..256
= 2
$ verbench place -d mlx5_0 --pin nowhere
! verbench: --pin "nowhere": not known; allowed: auto, near, far, none, or objects of the machine (examples: core:3, pu:0-3, numa:1, l3:nic)
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
! verbench: --mem "near": not known; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)
= 2
$ verbench place -d mlx5_0 --mem -1
! verbench: --mem "-1": not known; allowed: auto, local, device, the number of a NUMA node, or objects of the machine (examples: numa:1, package:0)
= 2
$ HWLOC_XMLFILE=/dev/null verbench place -d mlx5_0 2>/dev/null
= 1
