/* access/token/oauth.c — requests and answers of our own token endpoint. */
#include "access/token/oauth.h"

#include "access/token/form.h"
#include "base/base64.h"
#include "json/put.h"

#include <openssl/crypto.h>

#define JWT_TYPE "urn:ietf:params:oauth:token-type:jwt"

/* ---- errors ---- */

static const struct {
    int http;
    const char *word;
} errors[] = {
#define XX(NAME, http, word) { http, word },
    OAUTH_ERROR_MAP(XX)
#undef XX
};

const char *oauth_error_word(enum oauth_error error) { return errors[error].word; }
int oauth_error_http(enum oauth_error error) { return errors[error].http; }

static enum oauth_error refuse(enum oauth_error error, const char *why, const char **ret_why)
{
    *ret_why = why;
    return error;
}

/* ---- the client ---- */

static bool is_form(str content_type)
{
    str type = str_trim(str_slice(content_type, 0, str_find(content_type, STR(";"), 0)));
    return str_equal_ignoring_case(type, STR("application/x-www-form-urlencoded"));
}

/* Id and secret may be encoded as in a form before they are joined (RFC 6749, section 2.3.1). */
static bool read_pair(str pair, struct arena *arena, struct oauth_client *ret_client)
{
    size_t colon = str_find(pair, STR(":"), 0);
    return colon != SIZE_MAX && form_decode(str_slice(pair, 0, colon), arena, &ret_client->id) &&
           form_decode(str_slice(pair, colon + 1, pair.n), arena, &ret_client->secret) && ret_client->id.n &&
           ret_client->secret.n;
}

static bool read_basic(str authorization, struct arena *arena, struct oauth_client *ret_client)
{
    static const str scheme = STR_INIT("Basic ");
    str pair;
    if (authorization.n > CLIENT_CREDENTIALS_BYTES_MAX) return false;
    if (!str_equal_ignoring_case(str_slice(authorization, 0, scheme.n), scheme)) return false;
    str encoded = str_trim(str_slice(authorization, scheme.n, authorization.n));
    if (!base64_decode(encoded, arena, &pair)) return false;
    bool read = read_pair(pair, arena, ret_client);
    OPENSSL_cleanse((char *)(uintptr_t)pair.p, pair.n);
    return read;
}

enum oauth_error oauth_client_read(str content_type, str authorization, struct arena *arena,
                                   struct oauth_client *ret_client, const char **ret_why)
{
    struct oauth_client client;
    if (!is_form(content_type))
        return refuse(OAUTH_INVALID_REQUEST, "the request body must be application/x-www-form-urlencoded",
                      ret_why);
    if (!read_basic(authorization, arena, &client))
        return refuse(OAUTH_INVALID_CLIENT, "client authentication failed", ret_why);
    *ret_client = client;
    return OAUTH_NONE;
}

/* ---- the form ---- */

enum oauth_error oauth_form_read(str body, struct arena *arena, struct oauth_form *ret_form,
                                 const char **ret_why)
{
    enum { GRANT, SCOPE, SUBJECT, SUBJECT_TYPE, FIRST_UNSUPPORTED };
    static const str names[] = {
        STR_INIT("grant_type"),       STR_INIT("scope"),
        STR_INIT("subject_token"),    STR_INIT("subject_token_type"),
        STR_INIT("actor_token"),      STR_INIT("resource"),
        STR_INIT("audience"),         STR_INIT("requested_token_type"),
        STR_INIT("actor_token_type"),
    };
    str value[COUNT(names)];
    if (!form_read(body, names, COUNT(names), arena, value))
        return refuse(OAUTH_INVALID_REQUEST, "malformed request body", ret_why);
    struct oauth_form form = { .scope = value[SCOPE],
                               .subject_token = value[SUBJECT],
                               .subject_token_type = value[SUBJECT_TYPE],
                               .has_unsupported = value[SCOPE].p != NULL };
    for (size_t i = FIRST_UNSUPPORTED; i < COUNT(names); i++) form.has_unsupported |= value[i].p != NULL;
    if (str_equal(value[GRANT], STR("client_credentials"))) form.grant = OAUTH_CLIENT_CREDENTIALS;
    else if (str_equal(value[GRANT], STR("urn:ietf:params:oauth:grant-type:token-exchange")))
        form.grant = OAUTH_TOKEN_EXCHANGE;
    else return refuse(OAUTH_UNSUPPORTED_GRANT_TYPE, NULL, ret_why);
    *ret_form = form;
    return OAUTH_NONE;
}

enum oauth_error oauth_form_check_exchange(const struct oauth_form *form, const char **ret_why)
{
    if (form->has_unsupported) return refuse(OAUTH_INVALID_REQUEST, "unsupported parameter", ret_why);
    if (!str_equal(form->subject_token_type, STR(JWT_TYPE)))
        return refuse(OAUTH_INVALID_REQUEST, "unsupported subject_token_type", ret_why);
    if (!form->subject_token.n) return refuse(OAUTH_INVALID_REQUEST, "invalid subject token", ret_why);
    return OAUTH_NONE;
}

/* ---- answers ---- */

void oauth_put_answer(enum oauth_grant grant, str token, int64_t expires_in_s, struct buf *out)
{
    PUT(out, "{\"access_token\":");
    put_text(out, token);
    PUT(out, ",\"token_type\":\"Bearer\",\"expires_in\":");
    put_int(out, expires_in_s);
    if (grant == OAUTH_TOKEN_EXCHANGE) PUT(out, ",\"issued_token_type\":\"" JWT_TYPE "\"");
    PUT(out, "}");
}

void oauth_put_error(enum oauth_error error, const char *why, struct buf *out)
{
    PUT(out, "{\"error\":");
    put_text(out, str_of(errors[error].word));
    PUT(out, ",\"error_description\":");
    put_text(out, str_of(why ? why : errors[error].word));
    PUT(out, "}");
}
