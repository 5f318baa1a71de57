/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* why: every code of verbs has its words, none is shared, unknown codes are survived. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/err.h"
#include "verbs/verbs_error.h"

static void statuses(void **state)
{
	(void)state;
	for (int i = IBV_WC_SUCCESS; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
		const char *name = verbs_error_status_name((enum ibv_wc_status)i);
		const char *text = verbs_error_status((enum ibv_wc_status)i);

		assert_non_null(name);
		assert_non_null(text);
		assert_true(strlen(text) > 10);
		assert_null(strchr(text, '\n'));
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(name,
						verbs_error_status_name((enum ibv_wc_status)j));
			assert_string_not_equal(text, verbs_error_status((enum ibv_wc_status)j));
		}
	}
	assert_string_equal(verbs_error_status_name(IBV_WC_RETRY_EXC_ERR), "RETRY_EXC_ERR");
	assert_string_equal(verbs_error_status_name(IBV_WC_REM_ACCESS_ERR), "REM_ACCESS_ERR");
	assert_non_null(strstr(verbs_error_status(IBV_WC_RETRY_EXC_ERR), "4791"));
	assert_string_equal(verbs_error_status_name((enum ibv_wc_status)999), "unknown status");
	assert_string_equal(verbs_error_status_name((enum ibv_wc_status)-1), "unknown status");
}

static void events(void **state)
{
	(void)state;
	for (int i = IBV_EVENT_CQ_ERR; i <= IBV_EVENT_WQ_FATAL; i++) {
		const char *text = verbs_error_event((enum ibv_event_type)i);

		assert_non_null(text);
		assert_non_null(strstr(text, ": "));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(text, verbs_error_event((enum ibv_event_type)j));
	}
	assert_int_equal(strncmp(verbs_error_event(IBV_EVENT_PORT_ERR), "PORT_ERR: ", 10), 0);
	assert_string_equal(verbs_error_event((enum ibv_event_type)77), "unknown event");
}

/* Takes CAP_IPC_LOCK, which root has, or gives it back: with it the limit does not count. */
static bool lock_any(bool allowed)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	assert_int_equal(syscall(SYS_capget, &head, data), 0);
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (allowed)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	assert_int_equal(syscall(SYS_capset, &head, data), 0);
	return data[0].effective & 1u << CAP_IPC_LOCK;
}

static int limited(void **state)
{
	(void)state;
	return lock_any(false);
}

static int as_before(void **state)
{
	(void)state;
	lock_any(true);
	return 0;
}

/* Returns the limit of before. Only the hard limit needs a right: the soft one can be put back. */
static rlim_t set_memlock(rlim_t soft)
{
	struct rlimit limit;
	rlim_t was;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	was = limit.rlim_cur;
	limit.rlim_cur = soft;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	return was;
}

static void assert_says(const char *part)
{
	if (!strstr(err_text(), part))
		fail_msg("\"%s\" is not in \"%s\"", part, err_text());
}

static void memlock(void **state)
{
	rlim_t was;

	(void)state;
	was = set_memlock(64 << 10);
	assert_int_equal(verbs_error_mr(-ENOMEM, UINT64_C(32) << 20), -ENOMEM);
	set_memlock(was);
	assert_says("register 32 MiB of memory: ");
	assert_says(strerror(ENOMEM));
	assert_says("RLIMIT_MEMLOCK is 64 KiB: RLIMIT_MEMLOCK counts all memory");
	assert_says("ulimit -l unlimited");
	assert_says("of a container --ulimit memlock=-1");
	assert_string_equal(err_cause(), "MEMLOCK");
	verbs_error_mr(-EINVAL, 100);
	assert_says("register 100 bytes of memory: ");
	assert_null(strstr(err_text(), "MEMLOCK"));
	assert_string_equal(err_cause(), "");
}

/* Root has no limit: what is short is not locked memory. */
static void no_memlock_of_root(void **state)
{
	rlim_t was;

	(void)state;
	if (!lock_any(true))
		skip();
	was = set_memlock(64 << 10);
	verbs_error_mr(-ENOMEM, UINT64_C(32) << 20);
	set_memlock(was);
	assert_string_equal(err_cause(), "RDMA_CGROUP");
	assert_null(strstr(err_text(), "ulimit"));
	assert_says("RLIMIT_MEMLOCK is no limit for this process: the device or an RDMA cgroup");
}

/* The kernel's rdmacg_try_charge() answers EAGAIN, whatever the limit of locked memory is. */
static void cgroup(void **state)
{
	(void)state;
	assert_int_equal(verbs_error_create(-EAGAIN, "cannot create %s", "it"), -EAGAIN);
	assert_string_equal(err_cause(), "RDMA_CGROUP");
	assert_says("cannot create it: ");
	assert_says(strerror(EAGAIN));
	assert_says(": the device or an RDMA cgroup (rdma.max) has no room");
	assert_null(strstr(err_text(), "MEMLOCK"));
	assert_says("raise rdma.max");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
		cmocka_unit_test(events),
		cmocka_unit_test_setup_teardown(memlock, limited, as_before),
		cmocka_unit_test(no_memlock_of_root),
		cmocka_unit_test(cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
