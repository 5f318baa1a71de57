Both names of a test are the same, and --help wins over what else is there.

$ vb_read_lat --help >a && verbench read_lat -h >b && cmp a b
= 0
$ vb_read_lat host --help -s 64 >c && cmp a c
= 0
