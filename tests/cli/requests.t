What options ask of each request: refusals.

$ vb_send_bw --sge 0 host
! vb_send_bw: --sge "0": out of range; allowed: 1..32
= 2
$ vb_send_bw --sge 33 host
! vb_send_bw: --sge "33": out of range; allowed: 1..32
= 2
$ vb_atomic_bw --sge 2 host
! vb_atomic_bw: --sge has no effect on atomic_bw, only on send_bw, send_lat, write_bw, write_lat, read_bw, read_lat
= 2
$ vb_write_bw --sge 2 -s 1 host
! vb_write_bw: --sge 2 with -s (--size) 1: each piece has one byte at least
= 2

$ vb_send_bw -c UC --fence host
! vb_send_bw: --fence has no effect over UC, only over RC, XRC, DC
= 2
$ vb_write_bw -c UC --fence host
! vb_write_bw: --fence has no effect over UC, only over RC, XRC, DC
= 2

$ vb_send_bw --solicited 4 host
! vb_send_bw: --solicited has no effect with --completion poll of the receiver, only with event and hybrid
= 2
$ vb_send_bw -e --peer-completion poll --solicited 4 host
! vb_send_bw: --solicited has no effect with --completion poll of the receiver, only with event and hybrid
= 2
$ vb_send_bw --completion poll --peer-completion hybrid --spin 5 --solicited 4 --dry-run host
> send_bw --completion poll --peer-completion hybrid --spin 5us --solicited 4
> 1 cell, 1 point, 1.1 s
= 0
$ vb_write_bw -e --solicited 4 host
! vb_write_bw: --solicited has no effect on write_bw without --imm: a plain write makes no completion at the target
= 2
$ vb_read_bw -e --solicited 4 host
! vb_read_bw: --solicited has no effect on read_bw, only on send_bw, send_lat, write_bw, write_lat
= 2
$ vb_send_lat -e --solicited 2 host
! vb_send_lat: --solicited 2 on send_lat: one message is under way, so each must wake the other side; allowed: 1
= 2
$ vb_send_bw -e --solicited 0 host
! vb_send_bw: --solicited "0": out of range; allowed: 1..16384 or none
= 2
$ vb_send_bw -e --solicited 9 -r 8 host
! vb_send_bw: --solicited 9 with 8 receives, refilled 1 at a time, and lists of 1: the sender would have no credit before it sends the next one; allowed: 1..8, or raise -r (--recv-depth)
= 2
$ vb_send_bw -e --solicited 255 -l 4 host
! vb_send_bw: --solicited 255 with 512 receives, refilled 256 at a time, and lists of 4: the sender would have no credit before it sends the next one; allowed: 1..254, or raise -r (--recv-depth)
= 2
$ vb_send_bw -e --solicited 251 -Q 127 -q 4 host
! vb_send_bw: --solicited 251 with post lists of 1 and a signal interval of 127 on 4 QPs: rings of 31877 requests repeat that, and 65536 are allowed in all; use a power of two
= 2

$ vb_write_lat --buffers device host
! vb_write_lat: --buffers device on write_lat over RC without --imm: the CPU watches the last byte of the payload, and device memory has no address for it; add --imm, or use host or odp
= 2
$ vb_send_lat -c UD --buffers device host
! vb_send_lat: --buffers device on send_lat over UD without --imm: the CPU watches the last byte of the payload, and device memory has no address for it; add --imm, or use host or odp
= 2
$ vb_send_bw -I 64 -s 64 --buffers device host
! vb_send_bw: --buffers device with -I (--inline) 64: the CPU copies inline data, and device memory has no address for it; allowed: 0, auto
= 2
$ vb_write_bw --mw 1 --buffers device host
! vb_write_bw: --buffers device with --mw 1: no window is bound over a zero-based region; allowed: none
= 2
$ vb_read_bw --hugepages on --buffers device host
! vb_read_bw: --buffers device with --hugepages on: device memory has no pages of the host; allowed: off, auto
= 2

$ vb_write_bw --regions 1 --buffers device host
! vb_write_bw: --regions and --buffers device exclude each other: a zero-based region has addresses of its own
= 2

$ vb_write_lat --buffers cuda host
! vb_write_lat: --buffers cuda on write_lat over RC without --imm: the CPU watches the last byte of the payload, and GPU memory has no address for it; add --imm, or use host or odp
= 2
$ vb_send_bw -I 64 -s 64 --buffers cuda host
! vb_send_bw: --buffers cuda with -I (--inline) 64: the CPU copies inline data, and GPU memory has no address for it; allowed: 0, auto
= 2
$ vb_read_bw --hugepages on --buffers cuda host
! vb_read_bw: --buffers cuda with --hugepages on: GPU memory has no pages of the host; allowed: off, auto
= 2
$ vb_read_bw --gpu 1 --buffers host host
! vb_read_bw: --gpu has no effect with --buffers host, only with cuda
= 2
$ vb_write_lat --gpu 1 host
! vb_write_lat: --buffers cuda on write_lat over RC without --imm: the CPU watches the last byte of the payload, and GPU memory has no address for it; add --imm, or use host or odp
= 2

$ vb_write_lat --buffers null host
! vb_write_lat: --buffers null on write_lat over RC without --imm: the CPU watches the last byte of the payload, and null memory has no address for it; add --imm, or use host or odp
= 2
$ vb_write_bw --buffers null --verify host
! vb_write_bw: --buffers null and --verify exclude each other: null memory sends zeros, and keeps nothing that could be compared
= 2
$ vb_atomic_lat --buffers null host
! vb_atomic_lat: --buffers null on atomic_lat: an atomic sends no payload, and its result of 8 bytes is all that would be dropped
= 2
$ vb_write_bw --buffers null -I 64 -s 64 host
! vb_write_bw: --buffers null with -I (--inline) 64: the CPU copies inline data, and null memory has no address for it; allowed: 0, auto
= 2

$ vb_write_lat -s 0 host
! vb_write_lat: -s 0 on write_lat over RC without --imm: the last byte of the payload counts the rounds; add --imm
= 2
$ vb_send_lat -c UD -s 0 host
! vb_send_lat: -s 0 on send_lat over UD without --imm: the last byte of the payload counts the rounds; add --imm
= 2
$ vb_send_bw -b -s 0 host
! vb_send_bw: -s 0 with -b (--both) on send_bw: a message without payload cannot be told from a credit message of the other direction
= 2
$ vb_write_bw -b --imm -s 0 host
! vb_write_bw: -s 0 with -b (--both) on write_bw: a message without payload cannot be told from a credit message of the other direction
= 2

$ vb_send_bw --mw 1 host
! vb_send_bw: --mw has no effect on send_bw, only on write_bw, write_lat, read_bw, read_lat, atomic_bw, atomic_lat
= 2
$ vb_write_bw --mw 3 host
! vb_write_bw: --mw "3": unknown; allowed: none, 1, 2
= 2
$ vb_write_bw --mw 2 -c UD host
! vb_write_bw: write over UD: a datagram cannot address memory of the target; use RC or UC
= 2

$ vb_send_bw --disturb cq --locks off host
! vb_send_bw: --disturb cq with --locks off: another thread uses the queues of the measuring thread, too; use --locks on or auto
= 2
$ vb_send_bw --disturb rq host
! vb_send_bw: --disturb "rq": unknown; allowed: none, cq, sq
= 2

Where the server waits for completions its own way, it must have some.
$ vb_write_bw --peer-completion event host
! vb_write_bw: --peer-completion event has no effect on write_bw without --imm: the server is the target, and has no completions to wait for
= 2
$ vb_write_lat --peer-completion event host
! vb_write_lat: write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll
= 2
$ vb_read_bw --peer-completion poll host
! vb_read_bw: --peer-completion poll has no effect on read_bw: the server is the target, and has no completions to wait for
= 2
$ vb_atomic_lat --peer-completion hybrid host
! vb_atomic_lat: --peer-completion hybrid has no effect on atomic_lat: the server is the target, and has no completions to wait for
= 2
$ vb_write_bw --imm --peer-completion never host
! vb_write_bw: --peer-completion "never": unknown; allowed: poll, event, hybrid, same
= 2
$ vb_send_lat --peer-completion event --spin 5 host
! vb_send_lat: --spin has no effect with --completion poll, only with hybrid
= 2

Each side has memory of its own: the option of that side is refused, for what that side does.
$ vb_write_lat --peer-buffers cuda host
! vb_write_lat: --peer-buffers cuda on write_lat over RC without --imm: the CPU watches the last byte of the payload, and GPU memory has no address for it; add --imm, or use host or odp
= 2
$ vb_send_bw --reverse -I 64 -s 64 --peer-gpu 0 host
! vb_send_bw: --peer-buffers cuda with -I (--inline) 64: the CPU copies inline data, and GPU memory has no address for it; allowed: 0, auto
= 2
$ vb_send_bw -I 64 -s 64 --peer-gpu 0 --dry-run host
> send_bw --size 64 --inline 64 --peer-gpu 0
> 1 cell, 1 point, 1.0 s
= 0
$ vb_read_bw --hugepages on --peer-buffers device host
! vb_read_bw: --peer-buffers device with --hugepages on: device memory has no pages of the host; allowed: off, auto
= 2
$ vb_write_bw --mw 1 --peer-buffers device host
! vb_write_bw: --peer-buffers device with --mw 1: no window is bound over a zero-based region; allowed: none
= 2
$ vb_write_bw --mw 1 --buffers device --peer-buffers host --dry-run host
> write_bw --buffers device --peer-buffers host --mw 1
> 1 cell, 1 point, 1.1 s
= 0
$ vb_send_bw --mr_per_qp --peer-buffers device host
! vb_send_bw: --regions and --peer-buffers device exclude each other: a zero-based region has addresses of its own
= 2
$ vb_send_bw --peer-buffers null --verify host
! vb_send_bw: --peer-buffers null and --verify exclude each other: null memory sends zeros, and keeps nothing that could be compared
= 2
$ vb_write_bw --peer-buffers null host
! vb_write_bw: --peer-buffers null has no effect on write_bw: the server is the target, and what the other side addresses is memory of the host
= 2
$ vb_read_bw --reverse --buffers null --peer-buffers host host
! vb_read_bw: --buffers null has no effect on read_bw: the client is the target, and what the other side addresses is memory of the host
= 2
$ vb_send_bw --peer-gpu 1 --peer-buffers odp host
! vb_send_bw: --peer-gpu has no effect with --peer-buffers odp, only with cuda
= 2
$ vb_send_bw --gpu 1 --peer-buffers host --peer-gpu 1 host
! vb_send_bw: --peer-gpu has no effect with --peer-buffers host, only with cuda
= 2
$ vb_send_bw --buffers host --gpu 1 --peer-buffers cuda host
! vb_send_bw: --gpu has no effect with --buffers host, only with cuda
= 2
$ vb_send_bw --relaxed-ordering on --peer-buffers device host
! vb_send_bw: --relaxed-ordering on with --peer-buffers device: it is for memory of the host; allowed: auto, off
= 2
$ vb_send_bw -c XRC --peer-buffers odp host
! vb_send_bw: --peer-buffers has no effect over XRC, only over RC, UC, UD
= 2

Messages of the server can have their own size where both sides post some.
$ vb_send_bw --peer-size 64 host
! vb_send_bw: --peer-size has no effect without -b (--both): only one side posts messages
= 2
$ vb_write_lat --peer-size 64 host
! vb_write_lat: --peer-size has no effect on write_lat, only on send_bw, write_bw, read_bw
= 2
$ vb_atomic_bw -b --peer-size 64 host
! vb_atomic_bw: --peer-size has no effect on atomic_bw, only on send_bw, write_bw, read_bw
= 2
$ vb_send_bw -b --peer-size 0 host
! vb_send_bw: --peer-size "0": out of range; allowed: 1..2G or auto
= 2
$ vb_write_bw -b -s 64 --peer-size 2 --sge 3 host
! vb_write_bw: --sge 3 with --peer-size 2: each piece has one byte at least
= 2
$ vb_write_bw -b -s 2 --peer-size 64 --sge 3 host
! vb_write_bw: --sge 3 with -s (--size) 2: each piece has one byte at least
= 2
$ vb_write_bw -b -s 1M --peer-size 64k -I 64 host
! vb_write_bw: -I 64 has no effect on messages of 1048576 bytes: all messages are larger
= 2
$ vb_write_bw -b -s 1M --peer-size 64 -I 64 --dry-run host
> write_bw --both --size 1M --peer-size 64 --inline 64
> 1 cell, 1 point, 1.1 s
= 0
$ vb_write_bw -b -a --peer-size 64,1M --dry-run host
> write_bw --both --peer-size 64 --all
> write_bw --both --peer-size 1M --all
> 2 cells, 46 points, 48 s
= 0
