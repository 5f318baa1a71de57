/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * TLS of the control connection. Only this file includes headers of libssl. libssl reads nothing
 * beyond a record (SSL_CTX_set_read_ahead(3) is off), and a message begins a record: so poll(2) on
 * the socket tells whether there is more.
 */
#include "config.h"
#include "wire/ctl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "wire/ctl_inside.h"
#include "wire/key.h"
#include "util/err.h"

#define CIPHER "TLS_AES_128_GCM_SHA256"
#define WHAT_MAX 128

static const unsigned char cipher_id[] = { 0x13, 0x01 }; /* of CIPHER: RFC 8446, B.4 */
/* A fatal alert, handshake_failure (RFC 8446, 6): the only answer to a peer without TLS. */
static const uint8_t alert[] = { 21, 3, 3, 0, 2, 2, 40 };

struct ctl_tls {
	SSL_CTX *ctx;
	BIO_METHOD *io;
	struct keys keys;
};

struct ctl_tls_link {
	SSL *ssl;
	int fd;
	uint8_t first[CTL_FIRST_BYTES]; /* that the peer sent */
	uint32_t n_first;
	uint8_t key_id[KEY_ID_BYTES]; /* of the peer's key, of a server */
	bool server;           /* this side is the server */
	bool plain;            /* first is not TLS: nothing more is read */
	bool ended;            /* the peer closed */
	bool no_memory;        /* for the key */
	int err;               /* errno of the socket; 0: none */
	char what[WHAT_MAX];
};

/* ---- the socket below libssl */

/* Keeps the first bytes. False: they are not TLS. */
static bool note_first(struct ctl_tls_link *link, const uint8_t *bytes, size_t n)
{
	while (n-- && link->n_first < CTL_FIRST_BYTES)
		link->first[link->n_first++] = *bytes++;
	link->plain = link->n_first == CTL_FIRST_BYTES && !ctl_first_is_tls(link->first);
	return !link->plain;
}

static int io_read(BIO *bio, char *bytes, int len)
{
	struct ctl_tls_link *link = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	do
		n = recv(link->fd, bytes, (size_t)len, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		BIO_set_retry_read(bio);
	else if (n < 0)
		link->err = errno;
	else if (n == 0)
		link->ended = true;
	else if (!note_first(link, (const uint8_t *)bytes, (size_t)n))
		return -1;
	return (int)n;
}

static int io_write(BIO *bio, const char *bytes, int len)
{
	struct ctl_tls_link *link = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	do
		n = send(link->fd, bytes, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		BIO_set_retry_write(bio);
	else if (n < 0)
		link->err = errno;
	return (int)n;
}

/* BIO_flush(3): nothing is buffered here. */
static long io_ctrl(BIO *bio, int cmd, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return cmd == BIO_CTRL_FLUSH;
}

/* ---- the key */

static struct ctl_tls_link *link_of(const SSL *ssl)
{
	return BIO_get_data(SSL_get_rbio(ssl));
}

static const struct keys *keys_of(const SSL *ssl)
{
	const struct ctl_tls *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

	return &tls->keys;
}

/* NULL: no memory. The caller owns it. */
static SSL_SESSION *make_session(SSL *ssl, const struct key *key)
{
	SSL_SESSION *session = SSL_SESSION_new();

	if (session && SSL_SESSION_set1_master_key(session, key->bytes, sizeof(key->bytes)) &&
	    SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, cipher_id)) &&
	    SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION))
		return session;
	SSL_SESSION_free(session);
	link_of(ssl)->no_memory = true;
	return NULL;
}

/* The client's: SSL_CTX_set_psk_use_session_callback(3). */
static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *id_len,
		   SSL_SESSION **session)
{
	const struct key *key = keys_of(ssl)->rows;

	(void)md; /* there is only one cipher */
	*id = key->id;
	*id_len = sizeof(key->id);
	*session = make_session(ssl, key);
	return *session != NULL;
}

/*
 * The server's: SSL_CTX_set_psk_find_session_callback(3). The client has not proved the key yet;
 * when it sends another hello, the last key is the one that it proves.
 */
static int find_key(SSL *ssl, const unsigned char *id, size_t id_len, SSL_SESSION **session)
{
	const struct key *key = id_len == KEY_ID_BYTES ? key_find(keys_of(ssl), id) : NULL;

	*session = NULL;
	if (!key)
		return 1;
	memcpy(link_of(ssl)->key_id, key->id, sizeof(key->id));
	*session = make_session(ssl, key);
	return *session != NULL;
}

/* Of the first error; since OpenSSL 3.2 the last one says only in which layer that was. */
static const char *reason(unsigned long code)
{
	const char *text = code ? ERR_reason_error_string(code) : NULL;

	return text ? text : "no reason is given";
}

static int fill_context(struct ctl_tls *tls)
{
	SSL_CTX *ctx = tls->ctx;

	if (!SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) ||
	    !SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) ||
	    !SSL_CTX_set_ciphersuites(ctx, CIPHER) || !SSL_CTX_set_num_tickets(ctx, 0) ||
	    !BIO_meth_set_read(tls->io, io_read) || !BIO_meth_set_write(tls->io, io_write) ||
	    !BIO_meth_set_ctrl(tls->io, io_ctrl))
		return -ENOMEM;
	SSL_CTX_set_app_data(ctx, tls);
	SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
	SSL_CTX_clear_options(ctx, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
			      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_psk_use_session_callback(ctx, use_key);
	SSL_CTX_set_psk_find_session_callback(ctx, find_key);
	return 0;
}

int ctl_tls_open(struct ctl_tls **tls, const struct key_place *place)
{
	struct ctl_tls *t = calloc(1, sizeof(*t));
	int rc = t ? key_read(&t->keys, place) : err_set(-ENOMEM, "no memory for a key");

	*tls = NULL;
	if (!rc) {
		ERR_clear_error();
		t->ctx = SSL_CTX_new(TLS_method());
		t->io = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "control");
		if (!t->ctx || !t->io || fill_context(t))
			rc = err_set(-ENOTSUP, "--key: libssl cannot do TLS 1.3 with " CIPHER ": %s",
				     reason(ERR_peek_error()));
	}
	if (rc)
		ctl_tls_close(t);
	else
		*tls = t;
	return rc;
}

void ctl_tls_close(struct ctl_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->ctx);
	BIO_meth_free(tls->io);
	key_forget(&tls->keys);
	free(tls);
}

void ctl_tls_forget(struct ctl_tls *tls)
{
	key_forget(&tls->keys);
}

const char *ctl_tls_name(const struct ctl_tls *tls, const uint8_t *id)
{
	const struct key *key = key_find(&tls->keys, id);

	return key ? key->name : NULL;
}

const uint8_t *ctl_tls_peer(const struct ctl_tls_link *link)
{
	return link->key_id;
}

/* ---- a connection */

void ctl_tls_end(struct ctl_tls_link *link)
{
	if (!link)
		return;
	SSL_free(link->ssl);
	free(link);
}

static struct ctl_tls_link *make_link(const struct ctl_tls *tls, int fd, bool server)
{
	struct ctl_tls_link *link = calloc(1, sizeof(*link));
	BIO *bio = link ? BIO_new(tls->io) : NULL;

	if (!bio || !(link->ssl = SSL_new(tls->ctx))) {
		BIO_free(bio);
		free(link);
		return NULL;
	}
	link->fd = fd;
	link->server = server;
	BIO_set_data(bio, link);
	BIO_set_init(bio, 1);
	SSL_set_bio(link->ssl, bio, bio);
	/* no authority is known: a server that sends a certificate instead of the key fails */
	SSL_set_verify(link->ssl, server ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	if (server)
		SSL_set_accept_state(link->ssl);
	else
		SSL_set_connect_state(link->ssl);
	return link;
}

static int no_memory(const struct ctl *ctl)
{
	return err_set(-ENOMEM, "no memory for TLS with the peer %s", ctl->peer);
}

/* The reason why the handshake failed. */
static int refuse(const struct ctl *ctl, const struct ctl_tls_link *link)
{
	if (link->plain)
		return ctl_first_plain(ctl, link->first, link->server);
	if (link->no_memory)
		return no_memory(ctl);
	if (link->err && link->err != EPIPE)
		return err_set(-ECONNRESET, "the peer %s is gone (%s while proving the key)",
			       ctl->peer, strerror(link->err));
	if (link->ended || link->err)
		return err_set(-ECONNRESET, "the peer %s is gone (connection closed while proving the key)",
			       ctl->peer);
	return err_set(-EACCES, "the %s %s has a different key, or none: the client's --key FILE must be a key of the server (TLS: %s)",
		       link->server ? "client" : "server", ctl->peer,
		       reason(ERR_peek_error()));
}

static int shake(const struct ctl *ctl, struct ctl_tls_link *link, uint32_t timeout_ms)
{
	const struct ctl only = { .fd = ctl->fd, .signals_fd = ctl->signals_fd };
	const uint64_t until_ns = ctl_deadline(timeout_ms);

	for (;;) {
		int rc, error;

		ERR_clear_error();
		rc = SSL_do_handshake(link->ssl);
		if (rc == 1)
			break;
		error = SSL_get_error(link->ssl, rc);
		if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
			return refuse(ctl, link);
		rc = ctl_wait(&only, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until_ns);
		if (rc == -EINTR)
			return err_set(rc, "interrupted while proving the key to the peer %s",
				       ctl->peer);
		if (rc)
			return err_set(rc, "no answer from the peer %s within %u ms while proving the key",
				       ctl->peer, timeout_ms);
	}
	/* by the key, not by a certificate */
	if (!SSL_session_reused(link->ssl))
		return err_set(-EACCES, "the peer %s did not prove the key", ctl->peer);
	return 0;
}

/*
 * Sends an alert when the server failed, so that the client knows the reason. libssl has sent its
 * own, but not to a peer that does not use TLS.
 */
static void part(const struct ctl_tls_link *link)
{
	if (!link->plain || send(link->fd, alert, sizeof(alert), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		ctl_linger(link->fd);
}

int ctl_prove(struct ctl *ctl, const struct ctl_tls *tls, bool server, uint32_t timeout_ms)
{
	struct ctl_tls_link *link = make_link(tls, ctl->fd, server);
	int rc = link ? shake(ctl, link, timeout_ms) : no_memory(ctl);

	if (!rc) {
		ctl->tls = link;
		return 0;
	}
	if (link && server && rc != -EPROTOTYPE)
		part(link);
	ctl_tls_end(link);
	return rc;
}

/* Converts the result of libssl to that of recv(2) and send(2). */
static ssize_t result(struct ctl_tls_link *link, int n)
{
	const int error = n > 0 ? SSL_ERROR_NONE : SSL_get_error(link->ssl, n);

	if (n > 0)
		return n;
	if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
		errno = EAGAIN;
		return -1;
	}
	if (link->ended || error == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = link->err ? link->err : EBADMSG;
	if (!link->err)
		snprintf(link->what, sizeof(link->what), "what does not fit the key: bytes were changed on the way (TLS: %.60s)",
			 reason(ERR_peek_error()));
	return -1;
}

ssize_t ctl_tls_recv(struct ctl_tls_link *link, void *bytes, size_t len)
{
	ERR_clear_error();
	return result(link, SSL_read(link->ssl, bytes, (int)len));
}

ssize_t ctl_tls_send(struct ctl_tls_link *link, const void *bytes, size_t len)
{
	ssize_t n;

	ERR_clear_error();
	n = result(link, SSL_write(link->ssl, bytes, (int)len));
	if (n)
		return n;
	errno = EPIPE;
	return -1;
}

bool ctl_tls_pending(const struct ctl_tls_link *link)
{
	return SSL_pending(link->ssl) > 0;
}

const char *ctl_tls_what(const struct ctl_tls_link *link)
{
	return link->what;
}
