/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Every event of rdma_cm in words, with its status and what the peer said. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "cm/cm.h"
#include "util/err.h"

static const char *text_of(enum rdma_cm_event_type type, int status, const char *said)
{
	static char text[CM_EVENT_TEXT];
	struct cm_event event = { .type = type, .status = status };

	/* the CM pads private data with zeros to its full length */
	event.private_len = 148;
	memcpy(event.private_data, said, strlen(said));
	return cm_event_text(&event, text, sizeof(text));
}

/* librdmacm 44 has 16 events; a later one has no meaning here, but a number and a status. */
static void each_event_has_a_meaning(void **state)
{
	const char *unknown = cm_event_meaning(RDMA_CM_EVENT_TIMEWAIT_EXIT + 1);

	(void)state;
	for (int type = 0; type <= RDMA_CM_EVENT_TIMEWAIT_EXIT; type++) {
		const char *text = text_of(type, 0, "");

		assert_string_not_equal(cm_event_meaning(type), unknown);
		assert_non_null(strstr(text, rdma_event_str(type)));
		assert_non_null(strstr(text, cm_event_meaning(type)));
		for (int other = 0; other < type; other++)
			assert_string_not_equal(cm_event_meaning(type), cm_event_meaning(other));
	}
	assert_non_null(strstr(text_of(99, -5, ""), "status -5 (Input/output error)"));
	assert_non_null(strstr(text_of(99, -5, ""), unknown));
}

static void a_status_is_read_by_its_event(void **state)
{
	(void)state;
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_REJECTED, 8, ""), "nobody listens"));
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, ""),
			       "Connection refused"));
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_UNREACHABLE, 1, ""),
			       "the service ID is not supported"));
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, ""),
			       "Connection timed out"));
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, ""), "No such device"));
	/* a positive status of an event that has no table stays a number */
	assert_null(strchr(text_of(RDMA_CM_EVENT_ROUTE_ERROR, 7, ""), '('));
}

/* Reasons 1 to 33 and 35 are named in the table of the specification; 0, 34 and 36 are not. */
static void reject_reasons_are_those_of_the_specification(void **state)
{
	const char *reserved = cm_event_reject(34);

	(void)state;
	for (int reason = 1; reason <= 35; reason++)
		if (reason != 34)
			assert_string_not_equal(cm_event_reject(reason), reserved);
	assert_string_equal(cm_event_reject(0), reserved);
	assert_string_equal(cm_event_reject(36), reserved);
	assert_string_equal(cm_event_reject(-1), reserved);
	assert_non_null(strstr(cm_event_reject(28), "program"));
	assert_string_equal(cm_event_sidr(6), cm_event_sidr(-1));
}

static void the_peers_reason_is_shown(void **state)
{
	(void)state;
	assert_non_null(strstr(text_of(RDMA_CM_EVENT_REJECTED, 28, "unknown token"),
			       "it says: unknown token"));
	/* what is no text is not printed, nor the private data of other events */
	assert_null(strstr(text_of(RDMA_CM_EVENT_REJECTED, 28, "a\033[2Jb"), "it says"));
	assert_null(strstr(text_of(RDMA_CM_EVENT_DISCONNECTED, 0, "hello"), "it says"));
}

static void a_refused_event_has_a_code(void **state)
{
	struct cm_event event = { .type = RDMA_CM_EVENT_REJECTED, .status = 28 };

	(void)state;
	assert_int_equal(cm_refuse_event(&event, "connecting QP 3"), -ECONNREFUSED);
	assert_non_null(strstr(err_text(), "connecting QP 3: RDMA_CM_EVENT_REJECTED, status 28"));
	event = (struct cm_event){ .type = RDMA_CM_EVENT_ADDR_ERROR, .status = -ENODEV };
	assert_int_equal(cm_refuse_event(&event, "x"), -ENODEV);
	assert_string_equal(err_cause(), "NEIGHBOUR");
	assert_non_null(strstr(err_text(), "see: ip neigh"));
	event.type = RDMA_CM_EVENT_ROUTE_ERROR;
	assert_int_equal(cm_refuse_event(&event, "x"), -ENODEV);
	assert_string_equal(err_cause(), "NO_SM");
	event = (struct cm_event){ .type = RDMA_CM_EVENT_TIMEWAIT_EXIT };
	assert_int_equal(cm_refuse_event(&event, "x"), -EPROTO);
}

static void addresses(void **state)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(4711) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_scope_id = 2 };
	char text[CM_ADDRESS_TEXT];

	(void)state;
	inet_pton(AF_INET, "10.0.0.1", &v4.sin_addr);
	inet_pton(AF_INET6, "fe80::1", &v6.sin6_addr);
	assert_string_equal(cm_address_text((struct sockaddr *)&v4, text, sizeof(text)),
			    "10.0.0.1 port 4711");
	assert_string_equal(cm_address_text((struct sockaddr *)&v6, text, sizeof(text)),
			    "fe80::1%2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_has_a_meaning),
		cmocka_unit_test(a_status_is_read_by_its_event),
		cmocka_unit_test(reject_reasons_are_those_of_the_specification),
		cmocka_unit_test(the_peers_reason_is_shown),
		cmocka_unit_test(a_refused_event_has_a_code),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
