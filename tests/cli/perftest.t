The options of perftest: taken as an alias, or refused with the sentence that helps. The host is an
address that does not exist, and for which no DNS server is asked: its error shows that the command
line was taken.

$ vb_send_bw -F ::1%none
! vb_send_bw: -F: not needed: time does not depend on the CPU's clock
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --report_gbits ::1%none
! vb_send_bw: --report_gbits: not needed: Gbit/s is always there
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw -N ::1%none
! vb_send_bw: -N: not needed: there is no peak value, only the average
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --noPeak ::1%none
! vb_send_bw: --noPeak: not needed: there is no peak value, only the average
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --out_json host
! vb_send_bw: --out_json: --json FILE writes it, with keys of its own
= 2
$ vb_send_bw --out_json_file=out.json host
! vb_send_bw: --out_json_file: --json FILE writes it, with keys of its own
= 2
$ vb_send_bw --cpu_util -D 5 ::1%none
! vb_send_bw: --cpu_util: not needed: CPU per message is always there
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --connection=RC ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw -R ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_lat -U host
! vb_send_lat: -U: --dump-samples FILE has each sample
= 2
$ vb_send_lat -H host
! vb_send_lat: -H: --hdr FILE has the histogram of a latency test
= 2
$ vb_send_bw -D 5 --run_infinitely host
! vb_send_bw: --run_infinitely: -D forever --interval 5s, until Ctrl-C
= 2
$ vb_write_bw --perform_warm_up ::1%none
! vb_write_bw: --perform_warm_up: not needed: each size has a warm-up
! vb_write_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --iters 1000 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --ib-dev mlx5_0 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --tx-depth 64 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --cq-mod 10 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --bidirectional ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --qp-timeout 14 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --inline_size 32 -s 16 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --recv_post_list 4 ::1%none
! vb_send_bw: --recv_post_list: not needed: receives are always posted in lists
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --post_list 4 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --gid_index 3 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw -d mlx5_0 -i 1 -x 3 -p 18515 -s 64K -n 100 -q 4 -t 64 -r 512 -m 1024 -u 14 -S 0 ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_read_bw -a -D 10 -o 16 -Q 20 -l 1 -e ::1%none
! vb_read_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_atomic_bw -A CMP_AND_SWAP -c RC -b ::1%none
! vb_atomic_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_atomic_bw --atomic_type=FETCH_AND_ADD ::1%none
! vb_atomic_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_write_bw --write_with_imm --use_hugepages --odp -T 96 --retry_count 7 --use_old_post_send ::1%none
! vb_write_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
'_' and '-' are the same in long names, also in ours.
$ vb_send_bw --recv_depth 64 --signal-interval 4 --ib_dev mlx5_0 --report-gbits ::1%none
! vb_send_bw: --report-gbits: not needed: Gbit/s is always there
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
$ vb_send_bw --rx_depth=64 --cq_mod=4 --use_srq ::1%none
! vb_send_bw: host ::1%none: Name or service not known: its name is not in DNS or /etc/hosts; see: getent hosts ::1%none; remedy: use its address
= 1
All wrong options of a command line at once.
$ vb_write_bw -d mlx5_0 -F -x 3 --report_gbits -D 0 --sise 64 --cpu_util -H -A cmp_swap host
! vb_write_bw: -F: not needed: time does not depend on the CPU's clock
! vb_write_bw: --report_gbits: not needed: Gbit/s is always there
! vb_write_bw: --cpu_util: not needed: CPU per message is always there
! vb_write_bw: -D "0": out of range; allowed: 100ms..720h or auto or forever
! vb_write_bw: "--sise" is not an option; did you mean --size?
! vb_write_bw: -H: --hdr FILE has the histogram of a latency test
! vb_write_bw: -A has no effect on write_bw, only on atomic_bw, atomic_lat
= 2
$ vb_send_bw -F -s 64 -s 65 --tx-depth x --tx-depth 5 --only mr -zz 7
! vb_send_bw: -F: not needed: time does not depend on the CPU's clock
! vb_send_bw: -s is given twice
! vb_send_bw: --tx-depth "x": not a number; allowed: 1..16384 or auto
! vb_send_bw: --tx-depth is given twice
! vb_send_bw: -z: the sides talk over TCP; -R connects by rdma_cm
! vb_send_bw: --only is not an option of tests, only of setup
= 2
$ verbench serve -F --directory here -y 5
! verbench: -F: not needed: time does not depend on the CPU's clock
! verbench: "--directory" is not an option
! verbench: -y: --expect "message_rate_per_s >= N"
= 2
Near misses.
$ vb_send_bw --messges 5 host
! vb_send_bw: "--messges" is not an option; did you mean --messages?
= 2
$ vb_send_bw --bidirectonal host
! vb_send_bw: "--bidirectonal" is not an option; did you mean --bidirectional?
= 2
$ vb_send_bw --gid-idnex 3 host
! vb_send_bw: "--gid-idnex" is not an option; did you mean --gid-index?
= 2
$ vb_send_bw --sl_ 3 host
! vb_send_bw: "--sl_" is not an option; did you mean --sl?
= 2
$ vb_send_bw --no-such-thing host
! vb_send_bw: "--no-such-thing" is not an option
= 2
Messages name an option as it was typed.
$ vb_send_bw --tx-depth 5 --post_list 9 host
! vb_send_bw: --post_list 9 does not fit a depth of 5; allowed: 1..5, or raise -t (--depth)
= 2
$ vb_send_bw -t 5 --post-list 9 host
! vb_send_bw: --post-list 9 does not fit a depth of 5; allowed: 1..5, or raise -t (--depth)
= 2
$ vb_send_bw -l 9 --depth=5 host
! vb_send_bw: -l 9 does not fit a depth of 5; allowed: 1..5, or raise -t (--depth)
= 2
$ vb_send_bw --rdma_cm --connection UC host
! vb_send_bw: --rdma_cm over UC: librdmacm has no port space for UC queue pairs (RDMA_PS_TCP is RC, RDMA_PS_UDP is UD); allowed: RC, UD
= 2
$ vb_send_lat --rx-depth 1 host
! vb_send_lat: --rx-depth 1 for a ping-pong: the next message could arrive before the receive is posted again; allowed: 2..16384
= 2
$ vb_send_bw --odp --buffers device host
! vb_send_bw: --odp and --buffers set the same: only one of them is allowed
= 2
$ vb_send_bw --no_lock --disturb cq host
! vb_send_bw: --disturb cq with --locks off: another thread uses the queues of the measuring thread, too; use --locks on or auto
= 2
$ vb_send_bw -X 1 host
! vb_send_bw: -X has no effect with --completion poll, only with event and hybrid
= 2
$ vb_send_bw --reversed -b host
! vb_send_bw: --reversed and -b (--both) exclude each other: one direction or both
= 2
$ vb_send_lat --reverse host
! vb_send_lat: --reverse has no effect on send_lat, only on send_bw, write_bw, read_bw, atomic_bw
= 2
$ vb_send_bw --reversed -c UD --mcast 224.0.1.1 host
! vb_send_bw: --reversed and --mcast exclude each other: a group has one sender
= 2
$ vb_send_lat --latency_gap 10 --stall-timeout 100ms --gap 1 host
! vb_send_lat: --latency_gap and --gap set the same: only one of them is allowed
= 2
$ vb_send_lat --latency_gap 60000 --stall-timeout 100ms host
! vb_send_lat: --gap is longer than half of --stall-timeout, 100 ms: the peer would take it for a stall
= 2
