/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Multicast groups: the addresses that users give, and the MGIDs that ports use. Pure. */
#ifndef MCAST_H
#define MCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For every QP of a group: RDMA_UDP_QKEY of <rdma/rdma_cma.h>, which rdma_join_multicast(3) also
 * uses. So members that join in either way reach each other, and other programs of rdma_cm.
 */
#define MCAST_QKEY 0x01234567u
#define MCAST_QPN 0xffffffu /* all members: IBA vol. 1, 10.5 */

struct mcast_group {
	bool v4;
	uint8_t addr[16]; /* v4: the first four bytes */
};

/*
 * Parses "239.1.2.3" or an IPv6 multicast address, which is an MGID. -EINVAL with an error message
 * that gives the range.
 */
int mcast_parse(struct mcast_group *group, const char *text) __attribute__((warn_unused_result));

/* The link of a port; for RoCE by the type of the source GID. */
enum mcast_link { MCAST_ROCE_V2, MCAST_ROCE_V1, MCAST_INFINIBAND };

/*
 * The MGID of the group on a port. An IPv6 group is its own MGID. An IPv4 group is mapped as
 * cma_iboe_set_mgid() and cma_set_mgid() of the kernel do (drivers/infiniband/core/cma.c), so that
 * both ways to join use the same group:
 *   RoCE v2     ::ffff:239.1.2.3
 *   RoCE v1     ff0e::ffff:239.1.2.3
 *   InfiniBand  ff12:4001:PKEY::, and the lower 28 bits of the address: RFC 4391, section 4, with
 *               the signature of rdma_cm for UDP (01) in place of that of IPoIB (1b)
 * pkey: P_Key of the port, on InfiniBand; in a group it is that of a full member.
 */
void mcast_mgid(uint8_t mgid[16], const struct mcast_group *group, enum mcast_link link,
		uint32_t pkey);

#endif
