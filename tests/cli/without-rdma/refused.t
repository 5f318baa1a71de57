A program of configure --without-rdma: what it cannot do says why.

$ vb_write_bw localhost
! vb_write_bw: write_bw: this program was built without rdma-core (configure --without-rdma)
= 2
$ verbench serve
! verbench: serve: this program was built without rdma-core (configure --without-rdma)
= 2
$ verbench key new
! verbench: key: this program was built without rdma-core (configure --without-rdma)
= 1
$ verbench list
! verbench: list: this program was built without rdma-core (configure --without-rdma)
= 2
$ verbench version | grep '^lib'
> libibverbs    none, at build
> librdmacm     none, at build
= 0
$ HWLOC_XMLFILE=none verbench place -d mlx5_0
! verbench: HWLOC_XMLFILE: cannot open none: No such file or directory
= 1
