What describes the machine, and what cannot. verbench reads the file itself: the errors are those of both readers of XML.

$ HWLOC_XMLFILE=none.xml verbench list --topology
! verbench: HWLOC_XMLFILE: cannot open none.xml: No such file or directory
= 1
$ HWLOC_XMLFILE=none.xml verbench list --topology xml
! verbench: HWLOC_XMLFILE: cannot open none.xml: No such file or directory
= 1
$ HWLOC_XMLFILE=none.xml verbench place -d mlx5_0
! verbench: HWLOC_XMLFILE: cannot open none.xml: No such file or directory
= 1
$ : >empty.xml; HWLOC_XMLFILE=empty.xml verbench list --topology
! verbench: HWLOC_XMLFILE "empty.xml": the file is empty
= 1
$ HWLOC_XMLFILE=. verbench list --topology
! verbench: HWLOC_XMLFILE: cannot open .: not a regular file
= 1
$ mkfifo pipe.xml; HWLOC_XMLFILE=pipe.xml verbench list --topology
! verbench: HWLOC_XMLFILE: cannot open pipe.xml: not a regular file
= 1
$ HWLOC_XMLFILE=/dev/zero verbench list --topology
! verbench: HWLOC_XMLFILE: cannot open /dev/zero: not a regular file
= 1
$ echo text >text.xml; HWLOC_XMLFILE=text.xml verbench list --topology
! verbench: HWLOC_XMLFILE "text.xml": not a whole XML file of hwloc, as lstopo writes it
= 1
$ echo '<topology version="2.0"/>' >no-machine.xml; HWLOC_XMLFILE=no-machine.xml verbench list --topology
! verbench: HWLOC_XMLFILE "no-machine.xml": not a whole XML file of hwloc, as lstopo writes it
= 1
$ head -n 20 $TOPO/one-socket.xml >cut.xml; HWLOC_XMLFILE=cut.xml verbench list --topology
! verbench: HWLOC_XMLFILE "cut.xml": not a whole XML file of hwloc, as lstopo writes it
= 1
$ sed 's/topology version="2/topology version="99/' $TOPO/one-socket.xml >newer.xml; HWLOC_XMLFILE=newer.xml verbench list --topology 2>&1 | sed 's/this is hwloc [0-9]*/this is hwloc N/'
> verbench: HWLOC_XMLFILE "newer.xml": written by hwloc 99; this is hwloc N
= 0
$ HWLOC_XMLFILE=$TOPO/one-socket.xml HWLOC_COMPONENTS=-xml verbench place -d mlx5_0 --pin none
> device mlx5_0: PCI 0000:41:00.0, numa 0, cpus 0-7
> numa 0: near, distance 10, cpus 0-7
> thread 0: not bound, unknown: as requested
= 0
$ sed $(printf 's/"mlx5_0"/"red\033[31m\342\200\256"/') $TOPO/one-socket.xml >red.xml; HWLOC_LIBXML=0 HWLOC_XMLFILE=red.xml verbench list --topology | grep red
> red?[31m???  PCI 0000:41:00.0  numa 0  cores 0-7  cpus 0-7
= 0
$ HWLOC_SYNTHETIC=nonsense verbench list --topology
! verbench: HWLOC_SYNTHETIC "nonsense": not a description of a machine that hwloc understands
= 1
$ HWLOC_SYNTHETIC='package:2 core:2 pu:1' verbench place -d mlx5_0
! verbench: no RDMA device of the machine in HWLOC_SYNTHETIC is called mlx5_0; there are: none
= 2
$ HWLOC_SYNTHETIC='package:2 core:2 pu:1' verbench list --topology
> no RDMA devices: HWLOC_SYNTHETIC has none
= 0
