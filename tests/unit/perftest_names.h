/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The options that perftest has, for test_perftest.c: read from its own help and from its parser,
 * so that perftest.def cannot forget one.
 */
#ifndef PERFTEST_NAMES_H
#define PERFTEST_NAMES_H

#include <stdint.h>

struct names_option {
	const char *name;
	char letter;
	uint32_t n; /* of help: bit per test that lists it; of a parser: takes a value */
};

/* "ib_send_bw --help" and so on of Debian 12's perftest 4.5+0.17-1, all eight programs. */
static const struct names_option names_help[] = {
	{ "aes_block_size", 0, 0xff }, { "aes_xts", 0, 0xff }, { "all", 'a', 0x3f },
	{ "atomic_type", 'A', 0xc0 }, { "bidirectional", 'b', 0x55 }, { "burst_size", 0, 0x55 },
	{ "com_rdma_cm", 'z', 0xff }, { "connection", 'c', 0xff }, { "CPU-freq", 'F', 0xff },
	{ "cpu_util", 0, 0xff }, { "cq-mod", 'Q', 0x55 }, { "credentials_path", 0, 0xff },
	{ "data_enc_key_app_path", 0, 0xff }, { "data_enc_keys_number", 0, 0xff },
	{ "disable_pcie_relaxed", 0, 0x55 }, { "dlid", 0, 0xff },
	{ "dont_xchg_versions", 0, 0xff }, { "dualport", 'O', 0x55 }, { "duration", 'D', 0xff },
	{ "encrypt_on_tx", 0, 0xff }, { "events", 'e', 0xf3 }, { "force-link", 0, 0xff },
	{ "gid-index", 'x', 0xff }, { "help", 'h', 0xff }, { "hop_limit", 'L', 0xff },
	{ "ib-dev", 'd', 0xff }, { "ib-port", 'i', 0xff }, { "inline_recv", 0, 0xf3 },
	{ "inline_size", 'I', 0x0f }, { "ipv6", 0, 0xff }, { "iters", 'n', 0xff },
	{ "kek_path", 0, 0xff }, { "latency_gap", 0, 0xaa }, { "limit_bw", 'w', 0x55 },
	{ "limit_msgrate", 'y', 0x55 }, { "log_active_dci_streams", 0, 0xff },
	{ "log_dci_streams", 0, 0xff }, { "margin", 'f', 0xff }, { "mcg", 'g', 0x03 },
	{ "MGID", 'M', 0x03 }, { "mmap", 0, 0xff }, { "mmap-offset", 0, 0xff },
	{ "mr_per_qp", 0, 0x55 }, { "mtu", 'm', 0xff }, { "noPeak", 'N', 0x55 },
	{ "odp", 0, 0xff }, { "out_json", 0, 0xff }, { "out_json_file", 0, 0xff },
	{ "output", 0, 0xff }, { "outs", 'o', 0xf0 }, { "perform_warm_up", 0, 0xff },
	{ "pkey_index", 0, 0xff }, { "port", 'p', 0xff }, { "post_list", 'l', 0x55 },
	{ "qp", 'q', 0x55 }, { "qp-timeout", 'u', 0xff }, { "rate_limit", 0, 0x55 },
	{ "rate_limit_type", 0, 0x55 }, { "rate_units", 0, 0x55 }, { "rdma_cm", 'R', 0xff },
	{ "recv_post_list", 0, 0x55 }, { "report-both", 0, 0x55 },
	{ "report-counters", 'W', 0xff }, { "report-cycles", 'C', 0xaa },
	{ "report-histogram", 'H', 0xaa }, { "report-per-port", 0, 0x55 },
	{ "report-unsorted", 'U', 0xaa }, { "report_gbits", 0, 0x55 },
	{ "retry_count", 0, 0xff }, { "reversed", 0, 0x55 }, { "run_infinitely", 0, 0x55 },
	{ "rx-depth", 'r', 0x03 }, { "sig_before", 0, 0xff }, { "size", 's', 0x3f },
	{ "sl", 'S', 0xff }, { "source_ip", 0, 0xff }, { "tclass", 0, 0xff },
	{ "tos", 'T', 0xff }, { "tx-depth", 't', 0x55 }, { "typical_pkt_size", 0, 0x55 },
	{ "use-srq", 0, 0x03 }, { "use_hugepages", 0, 0xff }, { "use_old_post_send", 0, 0xff },
	{ "vector", 'X', 0xf3 }, { "version", 'V', 0xff }, { "wait_destroy", 0, 0x55 },
};

/* long_options[] of src/perftest_parameters.c at tag v4.5-0.17, with what is conditional. */
static const struct names_option names_4_5[] = {
	{ "port", 'p', 1 }, { "ib-dev", 'd', 1 }, { "ib-port", 'i', 1 }, { "mtu", 'm', 1 },
	{ "size", 's', 1 }, { "iters", 'n', 1 }, { "tx-depth", 't', 1 },
	{ "qp-timeout", 'u', 1 }, { "sl", 'S', 1 }, { "gid-index", 'x', 1 }, { "all", 'a', 0 },
	{ "CPU-freq", 'F', 0 }, { "connection", 'c', 1 }, { "qp", 'q', 1 }, { "events", 'e', 0 },
	{ "vector", 'X', 1 }, { "inline_size", 'I', 1 }, { "outs", 'o', 1 }, { "mcg", 'g', 0 },
	{ "comm_rdma_cm", 'z', 0 }, { "rdma_cm", 'R', 0 }, { "tos", 'T', 1 },
	{ "hop_limit", 'L', 1 }, { "help", 'h', 0 }, { "MGID", 'M', 1 }, { "rx-depth", 'r', 1 },
	{ "bidirectional", 'b', 0 }, { "cq-mod", 'Q', 1 }, { "noPeak", 'N', 0 },
	{ "version", 'V', 0 }, { "report-cycles", 'C', 0 }, { "report-histogrm", 'H', 0 },
	{ "report-unsorted", 'U', 0 }, { "atomic_type", 'A', 1 }, { "dualport", 'O', 0 },
	{ "post_list", 'l', 1 }, { "duration", 'D', 1 }, { "margin", 'f', 1 },
	{ "source_mac", 'B', 1 }, { "dest_mac", 'E', 1 }, { "dest_ip", 'J', 1 },
	{ "source_ip", 'j', 1 }, { "dest_port", 'K', 1 }, { "source_port", 'k', 1 },
	{ "ethertype", 'Y', 1 }, { "limit_bw", 'w', 1 }, { "limit_msgrate", 'y', 1 },
	{ "server", 'Z', 0 }, { "client", 'P', 0 }, { "mac_fwd", 'v', 0 }, { "use_rss", 'G', 0 },
	{ "report-counters", 'W', 1 }, { "force-link", 0, 1 }, { "remote_mac", 0, 1 },
	{ "local_mac", 0, 1 }, { "remote_ip", 0, 1 }, { "local_ip", 0, 1 },
	{ "remote_port", 0, 1 }, { "local_port", 0, 1 }, { "run_infinitely", 0, 0 },
	{ "report_gbits", 0, 0 }, { "use-srq", 0, 0 }, { "report-both", 0, 0 },
	{ "reversed", 0, 0 }, { "pkey_index", 0, 1 }, { "inline_recv", 0, 1 }, { "tcp", 0, 0 },
	{ "burst_size", 0, 1 }, { "typical_pkt_size", 0, 1 }, { "rate_limit", 0, 1 },
	{ "rate_limit_type", 0, 1 }, { "rate_units", 0, 1 }, { "output", 0, 1 },
	{ "cpu_util", 0, 0 }, { "out_json", 0, 0 }, { "out_json_file", 0, 1 },
	{ "latency_gap", 0, 1 }, { "flow_label", 0, 1 }, { "retry_count", 0, 1 },
	{ "dont_xchg_versions", 0, 0 }, { "use_cuda", 0, 1 }, { "use_cuda_bus_id", 0, 1 },
	{ "use_rocm", 0, 1 }, { "mmap", 0, 1 }, { "mmap-offset", 0, 1 }, { "ipv6", 0, 0 },
	{ "raw_ipv6", 0, 0 }, { "report-per-port", 0, 0 }, { "odp", 0, 0 },
	{ "use_hugepages", 0, 0 }, { "use_old_post_send", 0, 0 }, { "promiscuous", 0, 0 },
	{ "sniffer", 0, 0 }, { "raw_mcast", 0, 0 }, { "mr_per_qp", 0, 0 }, { "dlid", 0, 1 },
	{ "tclass", 0, 1 }, { "wait_destroy", 0, 1 }, { "flows", 0, 1 }, { "flows_burst", 0, 1 },
	{ "reply_every", 0, 1 }, { "perform_warm_up", 0, 0 }, { "vlan_en", 0, 0 },
	{ "vlan_pcp", 0, 1 }, { "recv_post_list", 0, 1 }, { "aes_xts", 0, 0 },
	{ "encrypt_on_tx", 0, 0 }, { "sig_before", 0, 0 }, { "aes_block_size", 0, 1 },
	{ "kek_path", 0, 1 }, { "credentials_path", 0, 1 }, { "data_enc_keys_number", 0, 1 },
	{ "data_enc_key_app_path", 0, 1 }, { "log_dci_streams", 0, 1 },
	{ "log_active_dci_streams", 0, 1 }, { "disable_pcie_relaxed", 0, 0 },
	{ "use_ooo", 0, 0 },
};

/* long_options[] of src/perftest_parameters.c at 00b55b6 (6.29), with what is conditional. */
static const struct names_option names_6_29[] = {
	{ "port", 'p', 1 }, { "ib-dev", 'd', 1 }, { "ib-port", 'i', 1 }, { "mtu", 'm', 1 },
	{ "size", 's', 1 }, { "iters", 'n', 1 }, { "tx-depth", 't', 1 },
	{ "qp-timeout", 'u', 1 }, { "sl", 'S', 1 }, { "gid-index", 'x', 1 }, { "all", 'a', 0 },
	{ "CPU-freq", 'F', 0 }, { "connection", 'c', 1 }, { "qp", 'q', 1 }, { "events", 'e', 0 },
	{ "vector", 'X', 1 }, { "inline_size", 'I', 1 }, { "outs", 'o', 1 }, { "mcg", 'g', 0 },
	{ "comm_rdma_cm", 'z', 0 }, { "rdma_cm", 'R', 0 }, { "tos", 'T', 1 },
	{ "hop_limit", 'L', 1 }, { "help", 'h', 0 }, { "MGID", 'M', 1 }, { "rx-depth", 'r', 1 },
	{ "bidirectional", 'b', 0 }, { "cq-mod", 'Q', 1 }, { "noPeak", 'N', 0 },
	{ "version", 'V', 0 }, { "report-cycles", 'C', 0 }, { "report-histogrm", 'H', 0 },
	{ "report-unsorted", 'U', 0 }, { "atomic_type", 'A', 1 }, { "dualport", 'O', 0 },
	{ "post_list", 'l', 1 }, { "duration", 'D', 1 }, { "margin", 'f', 1 },
	{ "source_mac", 'B', 1 }, { "dest_mac", 'E', 1 }, { "dest_ip", 'J', 1 },
	{ "source_ip", 'j', 1 }, { "dest_port", 'K', 1 }, { "source_port", 'k', 1 },
	{ "ethertype", 'Y', 1 }, { "limit_bw", 'w', 1 }, { "limit_msgrate", 'y', 1 },
	{ "server", 'Z', 0 }, { "client", 'P', 0 }, { "mac_fwd", 'v', 0 }, { "use_rss", 'G', 0 },
	{ "report-counters", 'W', 1 }, { "force-link", 0, 1 }, { "remote_mac", 0, 1 },
	{ "local_mac", 0, 1 }, { "remote_ip", 0, 1 }, { "local_ip", 0, 1 },
	{ "remote_port", 0, 1 }, { "local_port", 0, 1 }, { "run_infinitely", 0, 0 },
	{ "report_gbits", 0, 0 }, { "use-srq", 0, 0 }, { "no_lock", 0, 0 },
	{ "use-null-mr", 0, 0 }, { "report-both", 0, 0 }, { "reversed", 0, 0 },
	{ "pkey_index", 0, 1 }, { "tcp", 0, 0 }, { "burst_size", 0, 1 },
	{ "typical_pkt_size", 0, 1 }, { "rate_limit", 0, 1 }, { "rate_limit_type", 0, 1 },
	{ "rate_units", 0, 1 }, { "output", 0, 1 }, { "cpu_util", 0, 0 }, { "out_json", 0, 0 },
	{ "out_json_file", 0, 1 }, { "latency_gap", 0, 1 }, { "flow_label", 0, 1 },
	{ "retry_count", 0, 1 }, { "dont_xchg_versions", 0, 0 }, { "payload_file_path", 0, 1 },
	{ "use_cuda", 0, 1 }, { "use_cuda_bus_id", 0, 1 }, { "use_cuda_dmabuf", 0, 0 },
	{ "use_cuda_pcie_mapping", 0, 0 }, { "use_data_direct", 0, 0 },
	{ "cuda_mem_type", 0, 1 }, { "use_musa", 0, 1 }, { "use_musa_bus_id", 0, 1 },
	{ "use_musa_dmabuf", 0, 0 }, { "use_musa_pcie_mapping", 0, 0 }, { "use_rocm", 0, 1 },
	{ "use_rocm_dmabuf", 0, 0 }, { "use_neuron", 0, 1 }, { "use_neuron_dmabuf", 0, 0 },
	{ "use_hl", 0, 1 }, { "use_mlu", 0, 1 }, { "use_mlu_dmabuf", 0, 0 },
	{ "use_opencl", 0, 1 }, { "opencl_platform_id", 0, 1 }, { "use_ib_dm_dmabuf", 0, 1 },
	{ "gpu_touch", 0, 1 }, { "mmap", 0, 1 }, { "mmap-offset", 0, 1 }, { "ipv6", 0, 0 },
	{ "ipv6-addr", 0, 0 }, { "raw_ipv6", 0, 0 }, { "report-per-port", 0, 0 },
	{ "odp", 0, 0 }, { "use_hugepages", 0, 0 }, { "use_old_post_send", 0, 0 },
	{ "promiscuous", 0, 0 }, { "sniffer", 0, 0 }, { "raw_mcast", 0, 0 },
	{ "mr_per_qp", 0, 0 }, { "dlid", 0, 1 }, { "tclass", 0, 1 }, { "wait_destroy", 0, 1 },
	{ "flows", 0, 1 }, { "flows_burst", 0, 1 }, { "reply_every", 0, 1 },
	{ "perform_warm_up", 0, 0 }, { "vlan_en", 0, 0 }, { "vlan_pcp", 0, 1 },
	{ "recv_post_list", 0, 1 }, { "aes_xts", 0, 0 }, { "encrypt_on_tx", 0, 0 },
	{ "sig_before", 0, 0 }, { "aes_block_size", 0, 1 }, { "kek_path", 0, 1 },
	{ "credentials_path", 0, 1 }, { "data_enc_keys_number", 0, 1 },
	{ "data_enc_key_app_path", 0, 1 }, { "log_dci_streams", 0, 1 },
	{ "log_active_dci_streams", 0, 1 }, { "disable_pcie_relaxed", 0, 0 },
	{ "use_ooo", 0, 0 }, { "congest_type", 0, 1 }, { "bind_source_ip", 0, 1 },
	{ "write_with_imm", 0, 0 }, { "send_with_imm", 0, 0 }, { "no_enhanced_reorder", 0, 0 },
	{ "unsolicited_write", 0, 0 }, { "connectionless", 0, 0 }, { "cqe_poll", 0, 1 },
	{ "tph_mem", 0, 1 }, { "cpu_id", 0, 1 }, { "ph", 0, 1 },
	{ "disable_dynamic_polling", 0, 0 }, { "sig_offload", 0, 0 },
	{ "data_validation", 0, 0 }, { "data_validation_debug", 0, 0 }, { "pin_cores", 0, 1 },
	{ "numa_node", 0, 1 }, { "disable_numa", 0, 0 },
};

#endif
