/* access/token/oidc.h — login of people by an OIDC provider: everything that needs no network.
 *
 *     oidc_provider_url()     where the provider describes itself
 *     oidc_provider_read()    … and what it says
 *     oidc_login_begin()      the random parts of a login, and the cookie that holds them together
 *     oidc_login_url()        where the browser goes: code, PKCE (S256), state, nonce
 *     oidc_callback_read()    what the browser brings back
 *     oidc_login_resume()     … which must be the same browser, within ten minutes
 *     oidc_callback_check()   … and must have come from the same provider
 *     oidc_code_form()        the code, for the provider's token endpoint
 *     oidc_answer_read()      … and its answer, whose id_token goes to token.h with the login's nonce
 *
 * Nothing of a login is kept here. State, nonce and the verifier of PKCE are MACs of the cookie with a
 * secret of the cluster, so each node can go on with a login that another began. The verifier never leaves
 * the engine before it is shown to the provider.
 */
#ifndef ACCESS_OIDC_H
#define ACCESS_OIDC_H

#include "access/limits.h"
#include "base/arena.h"
#include "base/status.h"

/* ---- the provider ---- */

struct oidc_rules {
    bool plain_loopback; /* Also http:// to this machine (--allow-private-calls). */
    bool for_people;     /* Not only for bearers of tokens: login has to be possible. */
};

/* Is it an https:// address that we may call: with a host, without a user, a fragment or odd characters? */
bool oidc_is_address(str address, bool plain_loopback);
/* The host of an address, an IPv6 one in its brackets; empty: there is none. */
str oidc_host(str address);

/* ST_INVALID: the issuer is no such address. */
enum status oidc_provider_url(str issuer, struct oidc_rules rules, struct arena *arena, str *ret_url,
                              struct error *err);

struct oidc_provider {
    str issuer, jwks_uri;
    str authorization_endpoint, token_endpoint; /* Empty: the provider has no login. */
    bool secret_in_form;                        /* Else it takes HTTP Basic. */
    bool says_issuer;                           /* Its callbacks have `iss` (RFC 9207). */
};
/* Reads the discovery document. An empty issuer is not compared. ST_INVALID with the JSON Pointer of the
 * place: another issuer, byte for byte; members that are missing; addresses that we may not call; no code
 * flow, no S256, no algorithm of ours, no way of ours to show the client's secret. */
enum status oidc_provider_read(str text, str issuer, struct oidc_rules rules, struct arena *arena,
                               struct oidc_provider *ret_provider, struct error *err);

/* ---- the way there ---- */

enum { OIDC_LOGIN_MS = 10 * 60 * 1000, OIDC_SECRET_BYTES = 32 };

struct oidc_login {
    str issuer;    /* The name of the issuer's record. */
    str return_to; /* A path of ours. */
    int64_t expires_ms;
    str cookie; /* For the browser: HttpOnly, SameSite=Lax, until expires_ms; one for each browser. */
    str state, nonce, verifier;
};
/* `secret` is the cluster's, at least OIDC_SECRET_BYTES. ST_INVALID: `return_to` is not a path of ours ("/…",
 * not "//…"), so nobody can have a login lead elsewhere. An empty one is "/". */
enum status oidc_login_begin(str secret, str issuer, str return_to, int64_t now_ms, struct arena *arena,
                             struct oidc_login *ret_login, struct error *err);

/* We as the provider knows us. */
struct oidc_client {
    str id, secret; /* An empty secret: a public client. */
    str redirect_uri;
    str scope; /* Empty: "openid profile email". */
};
str oidc_login_url(const struct oidc_provider *provider, const struct oidc_client *client,
                   const struct oidc_login *login, struct arena *arena);

/* ---- the way back ---- */

struct oidc_callback {
    str code, state, error, issuer; /* Empty: not there. */
};
/* From the query. ST_INVALID: it is none, or has a parameter twice. */
enum status oidc_callback_read(str query, struct arena *arena, struct oidc_callback *ret_callback,
                               struct error *err);

/* Finds the login again that the cookie belongs to. ST_UNAUTHORIZED with a code: "wrong-state" (another
 * browser, another issuer, or a changed cookie), "login-expired". */
enum status oidc_login_resume(str secret, str issuer, str cookie, str state, int64_t now_ms,
                              struct arena *arena, struct oidc_login *ret_login, struct error *err);

/* Call it when the state is known to be good. ST_UNAUTHORIZED with a code: "provider-refused",
 * "wrong-issuer". */
enum status oidc_callback_check(const struct oidc_callback *callback, const struct oidc_provider *provider,
                                struct error *err);

/* The body of the request to the token endpoint, and its Authorization header (empty: none). Wipe both. */
void oidc_code_form(const struct oidc_provider *provider, const struct oidc_client *client,
                    const struct oidc_login *login, str code, struct arena *arena, str *ret_form,
                    str *ret_authorization);

struct oidc_answer {
    str id_token;
    str access_token; /* Empty: there is none. */
};
/* ST_UNAUTHORIZED with a code: "provider-refused" (the provider's word for it is in the message),
 * "provider-away" (5xx, or no answer of OAuth). The message has no token. */
enum status oidc_answer_read(int http_status, str body, struct arena *arena, struct oidc_answer *ret_answer,
                             struct error *err);

#endif
