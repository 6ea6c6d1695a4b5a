/* api/access/credential.c — the credential in the head of a request: a bearer or a session cookie.
 *
 * A bearer wins over a cookie: a program that sends both means the bearer. A browser adds the cookie by
 * itself, also to requests that a page of another site makes. So a request with a cookie that changes
 * something must come from a page of ours: `Sec-Fetch-Site` says so in every browser of today, and older ones
 * send an Origin.
 */
#include "api/access/access_int.h"

#include "api/limits.h"

static size_t count_headers(const struct http_request *http, str name, str *ret_value)
{
    size_t count = 0;
    if (!http_may_have_header(http, name)) return 0;
    for (size_t i = 0; i < http->header_count; i++) {
        if (!str_equal_ignoring_case(http->header[i].name, name)) continue;
        if (!count++) *ret_value = http->header[i].value;
    }
    return count;
}

/* ---- the bearer ---- */

static bool has_form_of_token(str text)
{
    size_t first = str_find(text, STR("."), 0);
    return first != SIZE_MAX && str_find(text, STR("."), first + 1) != SIZE_MAX;
}

static enum status read_bearer(const struct http_request *http, struct credential *credential,
                               struct error *err)
{
    str header = STR_NONE, scheme = STR("Bearer ");
    if (count_headers(http, STR("Authorization"), &header) > 1)
        return fail(err, ST_INVALID, "Authorization", "the request has two Authorization headers; send one");
    if (!header.n || !str_equal_ignoring_case(str_slice(header, 0, scheme.n), scheme)) return ST_OK;
    credential->text = str_trim(str_slice(header, scheme.n, header.n));
    if (!credential->text.n) return ST_OK;
    bool is_key = key_parse(credential->text, &credential->key_id);
    credential->form =
        !is_key && has_form_of_token(credential->text) ? CREDENTIAL_BEARER_TOKEN : CREDENTIAL_BEARER_KEY;
    return ST_OK;
}

/* ---- the cookie ---- */

/* A proxy of ours writes its word last; everything before it may come from the client. */
static bool proxy_speaks_tls(const struct api_request *request)
{
    const struct api_config *config = &request->api->config;
    str said = STR_NONE;
    if (!config->proxy_count || !http_may_have_header(request->http, STR("X-Forwarded-Proto"))) return false;
    if (!directory_is_in_network(request->http->address, config->proxy, config->proxy_count)) return false;
    for (size_t i = 0; i < request->http->header_count; i++)
        if (str_equal_ignoring_case(request->http->header[i].name, STR("X-Forwarded-Proto")))
            said = request->http->header[i].value;
    size_t comma = said.n;
    while (comma && said.p[comma - 1] != ',') comma--;
    return str_equal_ignoring_case(str_trim(str_slice(said, comma, said.n)), STR("https"));
}

bool credential_came_by_tls(const struct api_request *request)
{
    return request->http->is_secure || request->api->config.behind_tls || proxy_speaks_tls(request);
}

/* A session of a browser that came by TLS has the strict name, which no other host and no plain page can set.
 */
str credential_cookie_name(const struct api_request *request)
{
    return credential_came_by_tls(request) ? STR("__Host-pawl") : STR("pawl");
}

static bool is_safe(str method)
{
    return str_equal(method, STR("GET")) || str_equal(method, STR("HEAD")) ||
           str_equal(method, STR("OPTIONS"));
}

/* Is it a page of exactly our address, scheme included? */
static bool is_own_origin(const struct api_request *request)
{
    str origin = http_header(request->http, STR("Origin")), host = http_header(request->http, STR("Host"));
    str scheme = credential_came_by_tls(request) ? STR("https://") : STR("http://");
    return host.n && str_equal_ignoring_case(str_slice(origin, 0, scheme.n), scheme) &&
           str_equal_ignoring_case(str_slice(origin, scheme.n, origin.n), host);
}

static enum status check_page(const struct api_request *request, struct error *err)
{
    str site = http_header(request->http, STR("Sec-Fetch-Site"));
    if (is_safe(request->http->method)) return ST_OK;
    if (site.n ? str_equal(site, STR("same-origin")) : is_own_origin(request)) return ST_OK;
    return fail(err, ST_FORBIDDEN, "Origin",
                "a session cookie counts only for requests of the engine's own pages; programs send a key: "
                "Authorization: Bearer …");
}

str credential_find_cookie(const struct api_request *request, str name)
{
    str value = STR_NONE;
    if (!http_may_have_header(request->http, STR("Cookie"))) return STR_NONE;
    for (size_t i = 0; i < request->http->header_count && !value.n; i++)
        if (str_equal_ignoring_case(request->http->header[i].name, STR("Cookie")))
            value = credential_cookie(request->http->header[i].value, name);
    return value;
}

static enum status read_cookie(const struct api_request *request, struct credential *credential,
                               struct error *err)
{
    credential->text = credential_find_cookie(request, credential_cookie_name(request));
    if (!credential->text.n) return ST_OK;
    credential->form = CREDENTIAL_COOKIE;
    return check_page(request, err);
}

bool credential_may_be_in(const struct http_request *http)
{
    return http_may_have_header(http, STR("Authorization")) || http_may_have_header(http, STR("Cookie"));
}

static struct credential_hash hash_of(str text, struct http_remembered *remembered)
{
    struct credential_hash hash;
    _Static_assert(sizeof hash.bytes == sizeof remembered->hash, "both are SHA-256");
    if (!remembered || text.n > sizeof remembered->text) return credential_hash(text);
    if (!credential_equal(text, (str){ remembered->text, remembered->n })) {
        hash = credential_hash(text);
        memcpy(remembered->text, text.p, text.n);
        memcpy(remembered->hash, hash.bytes, sizeof hash.bytes);
        remembered->n = text.n;
    }
    memcpy(hash.bytes, remembered->hash, sizeof hash.bytes);
    return hash;
}

enum status credential_read(const struct api_request *request, struct credential *ret_credential,
                            struct error *err)
{
    *ret_credential = (struct credential){ 0 };
    TRY(read_bearer(request->http, ret_credential, err));
    if (ret_credential->form == CREDENTIAL_NONE) TRY(read_cookie(request, ret_credential, err));
    if (ret_credential->form != CREDENTIAL_NONE)
        ret_credential->hash = hash_of(ret_credential->text, request->http->remembered);
    return ST_OK;
}
