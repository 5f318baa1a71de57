The program without a test.

$ verbench
! Usage: verbench COMMAND [OPTIONS] [HOST]
!
! Measures RDMA verbs between two nodes. Start "verbench serve" on one node. On
! the other node start a test; HOST is the name of the first node.
!
! Start here:
!   serve               serve any number of clients and every test
!   check               what works between two hosts, and what costs performance
!   send_bw             bandwidth of send
!   send_lat            latency of send
!   write_bw            bandwidth of RDMA write
!   write_lat           latency of RDMA write
!   read_bw             bandwidth of RDMA read
!   read_lat            latency of RDMA read
!   atomic_bw           rate of compare-and-swap or fetch-and-add
!   atomic_lat          latency of compare-and-swap or fetch-and-add
!
! Sweeps and reports:
!   run                 measure lists of values, or a scenario, over one connection
!   mesh                measure many nodes, each with others, under srun, mpirun or Kubernetes
!   compare-completion  polling, events and hybrid side by side, and the answer in words
!   report              summaries and comparisons of files of results
!
! What this host has:
!   list                list the RDMA devices
!   place               show where measuring threads and their memory would be
!
! More:
!   setup               cost of memory regions, queue pairs and other objects
!   selftest            are the figures of this machine right? Half a minute
!   pingpong            round trips of send, reported as by ibv_rc_pingpong
!   copy                send a file by RDMA write
!   key                 make a key for --key
!   perftest-path       print the folder of the programs ib_send_bw, ib_send_lat, ...
!   version             versions of verbench, rdma-core, hwloc; the providers
!   help                help [COMMAND] [all]: this list, or the options of a command
!
! Examples, with "verbench serve" on node1:
!   verbench write_bw node1                     bandwidth, for a second
!   verbench run size-sweep --csv a.csv node1   all sizes; the rows in a file
!   verbench report --html a.html a.csv         a page with pictures of them
!
! "verbench help COMMAND" prints the options of the command. Each test also has a
! program name: vb_send_bw is the same as "verbench send_bw".
= 2
$ verbench --help
> Usage: verbench COMMAND [OPTIONS] [HOST]
>
> Measures RDMA verbs between two nodes. Start "verbench serve" on one node. On
> the other node start a test; HOST is the name of the first node.
>
> Start here:
>   serve               serve any number of clients and every test
>   check               what works between two hosts, and what costs performance
>   send_bw             bandwidth of send
>   send_lat            latency of send
>   write_bw            bandwidth of RDMA write
>   write_lat           latency of RDMA write
>   read_bw             bandwidth of RDMA read
>   read_lat            latency of RDMA read
>   atomic_bw           rate of compare-and-swap or fetch-and-add
>   atomic_lat          latency of compare-and-swap or fetch-and-add
>
> Sweeps and reports:
>   run                 measure lists of values, or a scenario, over one connection
>   mesh                measure many nodes, each with others, under srun, mpirun or Kubernetes
>   compare-completion  polling, events and hybrid side by side, and the answer in words
>   report              summaries and comparisons of files of results
>
> What this host has:
>   list                list the RDMA devices
>   place               show where measuring threads and their memory would be
>
> More:
>   setup               cost of memory regions, queue pairs and other objects
>   selftest            are the figures of this machine right? Half a minute
>   pingpong            round trips of send, reported as by ibv_rc_pingpong
>   copy                send a file by RDMA write
>   key                 make a key for --key
>   perftest-path       print the folder of the programs ib_send_bw, ib_send_lat, ...
>   version             versions of verbench, rdma-core, hwloc; the providers
>   help                help [COMMAND] [all]: this list, or the options of a command
>
> Examples, with "verbench serve" on node1:
>   verbench write_bw node1                     bandwidth, for a second
>   verbench run size-sweep --csv a.csv node1   all sizes; the rows in a file
>   verbench report --html a.html a.csv         a page with pictures of them
>
> "verbench help COMMAND" prints the options of the command. Each test also has a
> program name: vb_send_bw is the same as "verbench send_bw".
= 0
$ verbench -h
> Usage: verbench COMMAND [OPTIONS] [HOST]
>
> Measures RDMA verbs between two nodes. Start "verbench serve" on one node. On
> the other node start a test; HOST is the name of the first node.
>
> Start here:
>   serve               serve any number of clients and every test
>   check               what works between two hosts, and what costs performance
>   send_bw             bandwidth of send
>   send_lat            latency of send
>   write_bw            bandwidth of RDMA write
>   write_lat           latency of RDMA write
>   read_bw             bandwidth of RDMA read
>   read_lat            latency of RDMA read
>   atomic_bw           rate of compare-and-swap or fetch-and-add
>   atomic_lat          latency of compare-and-swap or fetch-and-add
>
> Sweeps and reports:
>   run                 measure lists of values, or a scenario, over one connection
>   mesh                measure many nodes, each with others, under srun, mpirun or Kubernetes
>   compare-completion  polling, events and hybrid side by side, and the answer in words
>   report              summaries and comparisons of files of results
>
> What this host has:
>   list                list the RDMA devices
>   place               show where measuring threads and their memory would be
>
> More:
>   setup               cost of memory regions, queue pairs and other objects
>   selftest            are the figures of this machine right? Half a minute
>   pingpong            round trips of send, reported as by ibv_rc_pingpong
>   copy                send a file by RDMA write
>   key                 make a key for --key
>   perftest-path       print the folder of the programs ib_send_bw, ib_send_lat, ...
>   version             versions of verbench, rdma-core, hwloc; the providers
>   help                help [COMMAND] [all]: this list, or the options of a command
>
> Examples, with "verbench serve" on node1:
>   verbench write_bw node1                     bandwidth, for a second
>   verbench run size-sweep --csv a.csv node1   all sizes; the rows in a file
>   verbench report --html a.html a.csv         a page with pictures of them
>
> "verbench help COMMAND" prints the options of the command. Each test also has a
> program name: vb_send_bw is the same as "verbench send_bw".
= 0
$ verbench --version | sed -n 1p
> verbench VERSION
= 0
$ verbench -V | sed -n 1p
> verbench VERSION
= 0
$ verbench nonsense
! verbench: "nonsense" is not a command; "verbench help" lists them
= 2
Misspelt names: each that is refused is compared with all that there are.
$ verbench serv
! verbench: "serv" is not a command; did you mean serve?
= 2
$ verbench chekc
! verbench: "chekc" is not a command; did you mean check?
= 2
$ verbench VB_write_bv
! verbench: "VB_write_bv" is not a command; "verbench help" lists them
= 2
$ verbench help write
! verbench: "write" is not a command; did you mean write_bw or write_lat?
= 2
$ verbench -s 64 host
! verbench: -s: a command comes first: "verbench serve" on one host, a test such as "vb_write_bw HOST" on the other; "verbench help" lists all
= 2
$ verbench ''
! verbench: "" is not a command; "verbench help" lists them
= 2
$ verbench vb_send_bw
! verbench: "vb_send_bw" is not a command; did you mean send_bw?
= 2
$ verbench send_bw --version | sed -n 1p
> verbench VERSION
= 0
$ vb_write_lat -V | sed -n 1p
> verbench VERSION
= 0
$ verbench version >a; verbench -V >b; cmp a b && sed 's/  .*//' a | grep -v '^$'
> verbench VERSION
> libibverbs
> librdmacm
> hwloc
> jansson
> kernel
> providers
> emulated HCA
= 0
$ sed -n '2,$s/^\(libibverbs\|librdmacm\)  *[0-9.]* (rdma-core [0-9.]*).*/\1/p' a
> libibverbs
> librdmacm
= 0
$ grep -c '^emulated HCA  /.*/libvb-softhca.so$' a; awk 'length > 80' a | grep -v /
> 1
= 1
$ verbench version --help
> Usage: verbench version
> versions of verbench, rdma-core, hwloc; the providers
= 0
$ verbench version all
! verbench: version takes no operands: "all"
= 2
Results that cannot be written are no success.
$ verbench --version >/dev/full
! verbench: standard output: not everything could be written
= 1
