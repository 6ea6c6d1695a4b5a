/* access/token/oauth.h — our own token endpoint, POST /api/oauth/token: its requests and answers as text.
 *
 * For clients of cyoda: HTTP Basic, `client_credentials`, and the exchange of a signed assertion about a
 * user (RFC 8693). The order of the checks is the order of the functions: the client first, and only then
 * its form. Errors have the form of RFC 6749, section 5.2; the descriptions are fixed texts without
 * anything of the request. Every answer needs `Cache-Control: no-store`.
 */
#ifndef ACCESS_OAUTH_H
#define ACCESS_OAUTH_H

#include "access/limits.h"
#include "base/buf.h"

/* clang-format off */
#define OAUTH_ERROR_MAP(XX)                                                                       \
    XX(NONE,                   200, "")                                                           \
    XX(INVALID_REQUEST,        400, "invalid_request")                                            \
    XX(INVALID_CLIENT,         401, "invalid_client")   /* With WWW-Authenticate: Basic. */       \
    XX(INVALID_GRANT,          400, "invalid_grant")                                              \
    XX(UNAUTHORIZED_CLIENT,    400, "unauthorized_client")                                        \
    XX(UNSUPPORTED_GRANT_TYPE, 400, "unsupported_grant_type")                                     \
    XX(INVALID_SCOPE,          400, "invalid_scope")                                              \
    XX(ACCESS_DENIED,          403, "access_denied")                                              \
    XX(METHOD_NOT_ALLOWED,     405, "method_not_allowed") /* With Allow: POST. */                 \
    XX(SLOW_DOWN,              429, "slow_down")                                                  \
    XX(SERVER_ERROR,           500, "server_error")                                               \
    XX(UNAVAILABLE,            503, "temporarily_unavailable")
/* clang-format on */

enum oauth_error {
#define XX(NAME, http, word) OAUTH_##NAME,
    OAUTH_ERROR_MAP(XX)
#undef XX
        OAUTH_ERROR_COUNT
};
const char *oauth_error_word(enum oauth_error error);
int oauth_error_http(enum oauth_error error);

struct oauth_client {
    str id, secret; /* Decoded, in the arena. Wipe the secret. */
};
/* From the headers Content-Type and Authorization. INVALID_REQUEST: no form. INVALID_CLIENT: no Basic. */
enum oauth_error oauth_client_read(str content_type, str authorization, struct arena *arena,
                                   struct oauth_client *ret_client, const char **ret_why);

enum oauth_grant { OAUTH_CLIENT_CREDENTIALS, OAUTH_TOKEN_EXCHANGE };

struct oauth_form {
    enum oauth_grant grant;
    str scope;                             /* Empty: none. */
    str subject_token, subject_token_type; /* For an exchange. */
    bool has_unsupported;                  /* Parameters of RFC 8693 that we do not take. */
};
/* INVALID_REQUEST: not a form, or a parameter twice. UNSUPPORTED_GRANT_TYPE. */
enum oauth_error oauth_form_read(str body, struct arena *arena, struct oauth_form *ret_form,
                                 const char **ret_why);
/* The parameters of an exchange, when the client is known to be one that may exchange. */
enum oauth_error oauth_form_check_exchange(const struct oauth_form *form, const char **ret_why);

/* The JSON of answers. */
void oauth_put_answer(enum oauth_grant grant, str token, int64_t expires_in_s, struct buf *out);
/* A NULL description is the error's own word. */
void oauth_put_error(enum oauth_error error, const char *why, struct buf *out);

#endif
