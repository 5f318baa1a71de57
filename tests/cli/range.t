Numbers and names: the error message names the allowed range.

$ vb_send_bw -i 0 host
! vb_send_bw: -i "0": out of range; allowed: 1..255 or auto
= 2
$ vb_send_bw -i 256 host
! vb_send_bw: -i "256": out of range; allowed: 1..255 or auto
= 2
$ vb_send_bw -x 256 host
! vb_send_bw: -x "256": out of range; allowed: 0..255 or auto
= 2
$ vb_send_bw -p 0 host
! vb_send_bw: -p "0": out of range; allowed: 1..65535
= 2
$ vb_send_bw -p 65536 host
! vb_send_bw: -p "65536": out of range; allowed: 1..65535
= 2
$ vb_send_bw --connect-timeout 0 host
! vb_send_bw: --connect-timeout "0": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --connect-timeout 99ms host
! vb_send_bw: --connect-timeout "99ms": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --connect-timeout 3601 host
! vb_send_bw: --connect-timeout "3601": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --connect-timeout 1min host
! vb_send_bw: --connect-timeout "1min": not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h; allowed: 100ms..1h
= 2
$ vb_send_bw --stall-timeout 0.05 host
! vb_send_bw: --stall-timeout "0.05": out of range; allowed: 100ms..1h
= 2
$ vb_send_bw --stall-timeout forever host
! vb_send_bw: --stall-timeout "forever": not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h; allowed: 100ms..1h
= 2
$ vb_send_bw -c XRC ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --completion sleep host
! vb_send_bw: --completion "sleep": unknown; allowed: poll, event, hybrid
= 2
$ vb_atomic_bw -A swap host
! vb_atomic_bw: -A "swap": unknown; allowed: cmp_swap, fetch_add, write
= 2
$ vb_send_bw -s -1 host
! vb_send_bw: -s "-1": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ vb_send_bw -s 64x host
! vb_send_bw: -s "64x": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ vb_send_bw -s 1.5k host
! vb_send_bw: -s "1.5k": not a size such as 512, 64k, 1M or 64KiB; allowed: 0..2G or auto
= 2
$ vb_send_bw -s 2049M host
! vb_send_bw: -s "2049M": out of range; allowed: 0..2G or auto
= 2
$ vb_send_bw -s 99999999999999999999 host
! vb_send_bw: -s "99999999999999999999": out of range; allowed: 0..2G or auto
= 2
$ vb_send_bw -n 0 host
! vb_send_bw: -n "0": out of range; allowed: 1..1000G or auto
= 2
$ vb_send_bw -n 1000000000001 host
! vb_send_bw: -n "1000000000001": out of range; allowed: 1..1000G or auto
= 2
$ vb_send_bw -n 5x host
! vb_send_bw: -n "5x": not a number; allowed: 1..1000G or auto
= 2
$ vb_send_bw -D 0 host
! vb_send_bw: -D "0": out of range; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -D 2592001 host
! vb_send_bw: -D "2592001": out of range; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -D none host
! vb_send_bw: -D "none": not a time such as 60, 1.5s, 500ms, 20us, 1m or 1h; allowed: 100ms..720h or auto or forever
= 2
$ vb_send_bw -t 0 host
! vb_send_bw: -t "0": out of range; allowed: 1..16384 or auto; for iperf3's: -D (--duration), such as -D 10
= 2
$ vb_send_bw -t 16385 host
! vb_send_bw: -t "16385": out of range; allowed: 1..16384 or auto; for iperf3's: -D (--duration), such as -D 10
= 2
$ vb_send_bw -r 0 host
! vb_send_bw: -r "0": out of range; allowed: 1..16384 or auto
= 2
$ vb_send_bw -r 16385 host
! vb_send_bw: -r "16385": out of range; allowed: 1..16384 or auto
= 2
$ vb_send_bw -q 0 host
! vb_send_bw: -q "0": out of range; allowed: 1..16384
= 2
$ vb_send_bw -q 16385 host
! vb_send_bw: -q "16385": out of range; allowed: 1..16384
= 2
$ vb_send_bw -q auto host
! vb_send_bw: -q "auto": not a number; allowed: 1..16384
= 2
$ vb_send_bw -l 0 host
! vb_send_bw: -l "0": out of range; allowed: 1..16384; for iperf3's: -s (--size), such as -s 64k
= 2
$ vb_send_bw -Q 0 host
! vb_send_bw: -Q "0": out of range; allowed: 1..16384 or auto
= 2
$ vb_send_bw -I 65537 host
! vb_send_bw: -I "65537": out of range; allowed: 0..64k or auto
= 2
$ vb_read_bw -o 0 host
! vb_read_bw: -o "0": out of range; allowed: 1..255 or auto
= 2
$ vb_read_bw -o 256 host
! vb_read_bw: -o "256": out of range; allowed: 1..255 or auto
= 2
$ vb_send_bw -m 128 host
! vb_send_bw: -m "128": out of range; allowed: powers of two in 256..4096 or auto
= 2
$ vb_send_bw -m 1500 host
! vb_send_bw: -m "1500": not a power of two; allowed: powers of two in 256..4096 or auto
= 2
$ vb_send_bw -m 8192 host
! vb_send_bw: -m "8192": out of range; allowed: powers of two in 256..4096 or auto
= 2
$ vb_send_bw -S 16 host
! vb_send_bw: -S "16": out of range; allowed: 0..15
= 2
$ vb_send_bw --tclass 256 host
! vb_send_bw: --tclass "256": out of range; allowed: 0..255
= 2
$ vb_send_bw -u 32 host
! vb_send_bw: -u "32": out of range; allowed: 0..31
= 2
$ vb_send_bw --retry 8 host
! vb_send_bw: --retry "8": out of range; allowed: 0..7
= 2
$ vb_send_bw --rnr-retry 8 host
! vb_send_bw: --rnr-retry "8": out of range; allowed: 0..7
= 2
$ vb_send_bw --min-rnr-timer 32 host
! vb_send_bw: --min-rnr-timer "32": out of range; allowed: 0..31
= 2
$ vb_send_bw --threads 0 host
! vb_send_bw: --threads "0": out of range; allowed: 1..256
= 2
$ vb_send_bw --threads 257 host
! vb_send_bw: --threads "257": out of range; allowed: 1..256
= 2
$ vb_send_bw --threads 64 -q 1024 host
! vb_send_bw: --threads 64 with -q (--qps) 1024 each are 65536 QPs; allowed in all: 1..16384
= 2
$ vb_send_bw --locks maybe host
! vb_send_bw: --locks "maybe": unknown; allowed: auto, on, off
= 2
$ vb_send_bw --footprint 63 host
! vb_send_bw: --footprint "63": out of range; allowed: 64..1024G or auto
= 2
$ vb_send_bw --footprint 1025G host
! vb_send_bw: --footprint "1025G": out of range; allowed: 64..1024G or auto
= 2
$ vb_send_bw --footprint 1x host
! vb_send_bw: --footprint "1x": not a size such as 512, 64k, 1M or 64KiB; allowed: 64..1024G or auto
= 2
$ vb_send_bw --walk zigzag host
! vb_send_bw: --walk "zigzag": unknown; allowed: auto, seq, random, same
= 2
$ vb_send_bw --hugepages yes host
! vb_send_bw: --hugepages "yes": unknown; allowed: auto, on, off
= 2
$ verbench selftest --inject 51
! verbench: --inject "51": out of range; allowed: 0..50
= 2
$ verbench selftest host
! verbench: selftest takes no operands: "host"
= 2
