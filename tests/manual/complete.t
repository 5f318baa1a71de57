What a shell completes: "$ " begins a line as it is typed, up to the key TAB, "> " the words that are offered, sorted. Of
"--name=value" they are the values. bash and zsh offer the same. The devices of this node are mlx5_0 and mlx5_1; the
folder has data.csv, other.csv and the folder results.

Commands, and what follows them.
$ verbench s
> selftest send_bw send_lat serve setup
$ verbench help at
> atomic_bw atomic_lat
$ verbench list x
> xml
$ verbench run size-sw
> size-sweep
$ verbench run size-sweep mt
> mtu
$ verbench run -D 1 da
> data.csv

Options of a command, also one of a program's own name; those that have no effect on it are not offered.
$ verbench list --t
> --topology
$ vb_send_bw --comp
> --completion
$ vb_send_bw --outs
>
$ vb_read_bw --outs
> --outstanding
$ vb_send_bw --soft --so
> --solicited
$ vb_send_bw -c UD --mc
> --mcast --mcast-join

Values: words, some of them, numbers that have names.
$ vb_send_bw --completion 
> event hybrid poll
$ vb_send_bw --completion=e
> event
$ vb_send_bw --completion poll,
> poll,event poll,hybrid
$ vb_send_bw -c X
> XRC
$ vb_send_bw --transport U
> UC UD
$ verbench write_lat --walk s
> same seq
$ vb_send_bw --mtu 
> 1024 2048 256 4096 512 auto
$ vb_send_bw --pin n
> near none
$ verbench setup --only mr,q
> mr,qp mr,qps

$ verbench run --test read_b
> read_bw
$ verbench report --format m
> markdown
$ verbench report --of bandwidth_g
> bandwidth_gbit_s

Devices, and the emulated ones where they can be.
$ vb_send_bw -d 
> mlx5_0 mlx5_1
$ verbench run -d mlx5_1,
> mlx5_1,mlx5_0
$ verbench place --device mlx5_1
> mlx5_1
$ vb_send_bw --soft --device s
> softhca0
$ softhca vb_send_lat -d s
> softhca0
$ softhca verbench send_lat --whe
>
$ softhca verbench send_lat --wid
> --wide

Files and folders.
$ vb_send_bw --csv da
> data.csv
$ verbench copy oth
> other.csv
$ verbench report da
> data.csv
$ verbench copy --copy-to r
> results

The programs with perftest's names take perftest's options.
$ ib_write_bw --out
> --out_json --out_json_file --output
$ ib_send_bw --rx
> --rx-depth
$ ib_send_bw --connection X
> XRC
$ ib_read_lat --ib-dev 
> mlx5_0 mlx5_1
$ ib_read_lat --use_roc
>
$ ib_send_bw --csv
>
