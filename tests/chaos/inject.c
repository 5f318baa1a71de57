/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the decision which call fails; see inject.h. Called by libverbench.a in place of libc. */
#include "config.h"
#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <glob.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <hwloc.h>
#include <infiniband/verbs.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova2

#define FRAMES 10 /* two are own: more tell allocations of libjansson apart that do not differ */

static enum inject_what what_fails;
static uint64_t fails_at, stack_at; /* 0: any stack */
static _Atomic uint64_t counted;
static char *told;
static struct inject_places *record;
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool reads; /* libjansson reads a text */
static bool begun;

/* FNV-1a over the return addresses. Not 0. */
static __attribute__((noinline)) uint64_t stack_of_call(void)
{
	uint64_t hash = 0xcbf29ce484222325u;
	void *frames[FRAMES];
	const int n = backtrace(frames, FRAMES);

	for (int i = 0; i < n; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * 0x100000001b3u;
	return hash | 1;
}

static void add_place(uint64_t stack)
{
	uint32_t i = 0;

	pthread_mutex_lock(&record_lock);
	while (i < record->n && record->places[i].stack != stack)
		i++;
	if (i < INJECT_PLACES) {
		record->places[i].stack = stack;
		record->places[i].times++;
		record->n = i == record->n ? i + 1 : record->n;
	}
	pthread_mutex_unlock(&record_lock);
}

static __attribute__((noinline)) bool fails(enum inject_what what, const char *name)
{
	uint64_t stack;

	if (!begun || what != what_fails)
		return false;
	/* one call of the function, which is in the stack, too */
	stack = record || stack_at ? stack_of_call() : 0;
	if (record)
		add_place(stack);
	if (record || stack != stack_at || counted++ != fails_at)
		return false;
	snprintf(told, INJECT_NAME, "%s", name);
	return true;
}

static void *json_memory(size_t n)
{
	return !reads && fails(INJECT_ALLOC, "json") ? NULL : malloc(n);
}

/* ---- the reader of libjansson 2.14 writes beyond its memory if it gets no more: it fails whole */

json_t *inject_json_loadb(const char *text, size_t n, size_t flags, json_error_t *error);
json_t *inject_json_loadb(const char *text, size_t n, size_t flags, json_error_t *error)
{
	json_t *json = NULL;

	reads = true;
	if (!fails(INJECT_ALLOC, "json_loadb"))
		json = json_loadb(text, n, flags, error);
	reads = false;
	return json;
}

json_t *inject_json_loads(const char *text, size_t flags, json_error_t *error);
json_t *inject_json_loads(const char *text, size_t flags, json_error_t *error)
{
	return inject_json_loadb(text, strlen(text), flags, error);
}

json_t *inject_json_load_file(const char *path, size_t flags, json_error_t *error);
json_t *inject_json_load_file(const char *path, size_t flags, json_error_t *error)
{
	json_t *json = NULL;

	reads = true;
	if (!fails(INJECT_ALLOC, "json_load_file"))
		json = json_load_file(path, flags, error);
	reads = false;
	return json;
}

void inject_tell(char name[INJECT_NAME])
{
	told = name;
}

static void begin(enum inject_what what)
{
	void *frame;

	(void)backtrace(&frame, 1); /* loads libgcc: not in a call that is counted */
	what_fails = what;
	begun = true;
	json_set_alloc_funcs(json_memory, free);
}

void inject_begin(enum inject_what what, uint64_t nth)
{
	fails_at = nth;
	begin(what);
}

void inject_begin_at(enum inject_what what, uint64_t stack, uint32_t nth)
{
	stack_at = stack;
	inject_begin(what, nth);
}

void inject_record(enum inject_what what, struct inject_places *places)
{
	record = places;
	begin(what);
}

void inject_end(void)
{
	begun = false;
}

#define FAILS(what, type, name, params, args, result, err)	\
	type inject_##name params;				\
	type inject_##name params				\
	{							\
		if (fails(what, #name)) {			\
			errno = err;				\
			return result;				\
		}						\
		return name args;				\
	}
#define ALLOC(...) FAILS(INJECT_ALLOC, __VA_ARGS__)
#define CALL(...) FAILS(INJECT_CALL, __VA_ARGS__)
#define CALL_CLOSE(type, name, params, args, result, err)	\
	type inject_##name params;				\
	type inject_##name params				\
	{							\
		const type rc = name args;			\
								\
		if (!fails(INJECT_CALL, #name))			\
			return rc;				\
		errno = err;					\
		return result;					\
	}
#include "inject.def"

/* ---- with a variable number of arguments */

int inject_asprintf(char **text, const char *format, ...);
int inject_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = inject_vasprintf(text, format, args);
	va_end(args);
	return n;
}

int inject_open(const char *path, int flags, ...);
int inject_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	if (fails(INJECT_CALL, "open")) {
		errno = EMFILE;
		return -1;
	}
	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return open(path, flags, mode);
}

int inject_openat(int dir, const char *path, int flags, ...);
int inject_openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode = 0;

	if (fails(INJECT_CALL, "openat")) {
		errno = EMFILE;
		return -1;
	}
	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	return openat(dir, path, flags, mode);
}

int inject_fcntl(int fd, int what, ...);
int inject_fcntl(int fd, int what, ...)
{
	va_list args;
	long value;

	if (fails(INJECT_CALL, "fcntl")) {
		errno = EMFILE;
		return -1;
	}
	va_start(args, what);
	value = va_arg(args, long);
	va_end(args);
	return fcntl(fd, what, value);
}

long inject_syscall(long number, ...);
long inject_syscall(long number, ...)
{
	va_list args;
	long a[6];

	if (fails(INJECT_CALL, "syscall")) {
		errno = ENOSYS;
		return -1;
	}
	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
