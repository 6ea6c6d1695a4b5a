/* access/token/oidc_provider.c — an OIDC provider's description of itself (OpenID Connect Discovery 1.0). */
#include "access/token/oidc.h"

#include "base/ascii.h"
#include "json/json.h"

#include <stdio.h>

/* ---- addresses ---- */

/* Printable ASCII without quotes, brackets of markup and backslashes, which other programs read as something
 * else. */
static bool has_plain_characters(str address)
{
    for (size_t i = 0; i < address.n; i++)
        if (address.p[i] <= ' ' || address.p[i] > '~' || strchr("\"<>\\^`{|}", address.p[i])) return false;
    return true;
}

static str host_of(str authority)
{
    size_t bracket = str_find(authority, STR("]"), 0);
    if (str_starts(authority, STR("[")))
        return str_slice(authority, 0, bracket == SIZE_MAX ? 0 : bracket + 1);
    return str_slice(authority, 0, str_find(authority, STR(":"), 0));
}

/* A colon and a port, or nothing. */
static bool is_port(str text)
{
    int64_t port;
    if (!text.n) return true;
    if (text.p[0] != ':' || text.n < 2 || !ascii_is_digit(text.p[1])) return false;
    return str_to_int64(str_slice(text, 1, text.n), &port) && port > 0 && port <= 65535;
}

/* Names beside `localhost` are found by others, so they are not certain to be this machine. */
static bool is_loopback(str host)
{
    if (str_equal_ignoring_case(host, STR("localhost")) || str_equal(host, STR("[::1]"))) return true;
    if (!str_starts(host, STR("127."))) return false;
    size_t points = 0;
    for (size_t i = 0; i < host.n; i++) {
        if (host.p[i] == '.') points++;
        else if (!ascii_is_digit(host.p[i])) return false;
    }
    return points == 3;
}

static bool is_host(str host)
{
    bool six = str_starts(host, STR("["));
    if (!host.n || host.n > 253) return false;
    for (size_t i = six; i < host.n - six; i++) {
        char c = host.p[i];
        if (six ? ascii_hex(c) < 0 && c != ':' && c != '.'
                : !ascii_is_alphanumeric(c) && c != '-' && c != '.')
            return false;
    }
    return true;
}

bool oidc_is_address(str address, bool plain_loopback)
{
    static const str https = STR_INIT("https://"), http = STR_INIT("http://");
    bool plain = str_starts(address, http);
    if (address.n > ISSUER_TEXT_BYTES_MAX || !has_plain_characters(address)) return false;
    if (!plain && !str_starts(address, https)) return false;
    str rest = str_slice(address, plain ? http.n : https.n, address.n);
    size_t end = 0;
    while (end < rest.n && !strchr("/?#", rest.p[end])) end++;
    str authority = str_slice(rest, 0, end), host = host_of(authority);
    if (!is_host(host) || !is_port(str_slice(authority, host.n, authority.n))) return false;
    if (str_find(rest, STR("#"), 0) != SIZE_MAX) return false;
    return !plain || (plain_loopback && is_loopback(host));
}

str oidc_host(str address)
{
    size_t mark = str_find(address, STR("://"), 0), end = 0;
    if (mark == SIZE_MAX) return STR_NONE;
    str rest = str_slice(address, mark + 3, address.n);
    while (end < rest.n && !strchr("/?#", rest.p[end])) end++;
    return host_of(str_slice(rest, 0, end));
}

enum status oidc_provider_url(str issuer, struct oidc_rules rules, struct arena *arena, str *ret_url,
                              struct error *err)
{
    if (!oidc_is_address(issuer, rules.plain_loopback) || str_find(issuer, STR("?"), 0) != SIZE_MAX)
        return fail(
            err, ST_INVALID, "/issuer",
            "an issuer is an address with https:// (http:// only at loopback with --allow-private-calls), "
            "without a query");
    if (str_ends(issuer, STR("/"))) issuer.n--;
    *ret_url = arena_printf(arena, "%.*s/.well-known/openid-configuration", STR_ARG(issuer));
    return ST_OK;
}

/* ---- the document ---- */

static enum status refuse(struct error *err, const char *member, const char *why)
{
    char where[ERROR_WHERE_BYTES];
    snprintf(where, sizeof where, "/%s", member);
    return fail(err, ST_INVALID, where, "the provider's %s %s", member, why);
}

static enum status read_address(const struct json *document, const char *member, struct oidc_rules rules,
                                str *ret_address, struct error *err)
{
    const struct json *value = json_get(document, str_of(member));
    if (!value) return refuse(err, member, "is missing");
    if (!json_is(value, JSON_STRING) || !oidc_is_address(json_string(value), rules.plain_loopback))
        return refuse(err, member,
                      "is no address that we may call (https://, or http:// at loopback if allowed)");
    *ret_address = json_string(value);
    return ST_OK;
}

static bool has_text(const struct json *list, const char *text)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *item = json_item(list, i);
        if (json_is(item, JSON_STRING) && str_equal(json_string(item), str_of(text))) return true;
    }
    return false;
}

/* A list, if the document has it, has one of the words that we need. */
static enum status check_list(const struct json *document, const char *member, const char *const *word,
                              size_t count, struct error *err)
{
    const struct json *list = json_get(document, str_of(member));
    if (!list) return ST_OK;
    for (size_t i = 0; i < count; i++)
        if (has_text(list, word[i])) return ST_OK;
    return refuse(err, member, "has nothing that we can do");
}

static enum status check_lists(const struct json *document, struct error *err)
{
    static const char *const code[] = { "code" }, *const challenge[] = { "S256" };
    static const char *const algorithm[] = { "RS256", "PS256", "ES256", "EdDSA" };
    static const char *const secret[] = { "client_secret_basic", "client_secret_post", "none" };
    TRY(check_list(document, "response_types_supported", code, COUNT(code), err));
    TRY(check_list(document, "code_challenge_methods_supported", challenge, COUNT(challenge), err));
    TRY(check_list(document, "id_token_signing_alg_values_supported", algorithm, COUNT(algorithm), err));
    return check_list(document, "token_endpoint_auth_methods_supported", secret, COUNT(secret), err);
}

static enum status read_login(const struct json *document, struct oidc_rules rules,
                              struct oidc_provider *provider, struct error *err)
{
    const struct json *methods = json_get(document, STR("token_endpoint_auth_methods_supported"));
    TRY(read_address(document, "authorization_endpoint", rules, &provider->authorization_endpoint, err));
    TRY(read_address(document, "token_endpoint", rules, &provider->token_endpoint, err));
    provider->secret_in_form =
        methods && !has_text(methods, "client_secret_basic") && has_text(methods, "client_secret_post");
    provider->says_issuer = json_flag(document, STR("authorization_response_iss_parameter_supported"));
    return check_lists(document, err);
}

enum status oidc_provider_read(str text, str issuer, struct oidc_rules rules, struct arena *arena,
                               struct oidc_provider *ret_provider, struct error *err)
{
    static const struct json_limits limits = { .bytes_max = OIDC_DOCUMENT_BYTES_MAX,
                                               .depth_max = OIDC_DOCUMENT_DEPTH_MAX };
    struct oidc_provider provider = { 0 };
    const struct json *document;
    if (json_parse(text, &limits, arena, &document, NULL) != ST_OK || !json_is(document, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the provider's description of itself is no JSON object");
    provider.issuer = json_text(document, STR("issuer"));
    if (!provider.issuer.n || (issuer.n && !str_equal(provider.issuer, issuer)))
        return refuse(err, "issuer", "is not, byte for byte, the one that we asked");
    TRY(read_address(document, "jwks_uri", rules, &provider.jwks_uri, err));
    if (rules.for_people) TRY(read_login(document, rules, &provider, err));
    *ret_provider = provider;
    return ST_OK;
}
