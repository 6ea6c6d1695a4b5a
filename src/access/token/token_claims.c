/* access/token/token_claims.c — the claims of a token whose signature is good: for whom it is, how
 * long, and who its bearer is. */
#include "access/token/token.h"

#include "base/array.h"
#include "base/ascii.h"
#include "jsonpath/jsonpath.h"

/* Texts that a claim names. */
struct claim_names {
    str *name;
    size_t count, cap;
};

static void add_name(struct claim_names *names, str name, struct arena *arena)
{
    array_reserve_in(arena, names->name, names->count, names->cap);
    names->name[names->count++] = name;
}

static bool has_name(const struct claim_names *names, str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_equal(names->name[i], name)) return true;
    return false;
}

/* ---- for whom and how long ---- */

/* Tokens of other purposes say so in their type (RFC 8725, section 3.11): logout+jwt, dpop+jwt. */
static enum status check_type(str type, struct error *err)
{
    str own = str_find(type, STR("/"), 0) == SIZE_MAX
                  ? type
                  : str_slice(type, str_find(type, STR("/"), 0) + 1, type.n);
    bool typed = own.n > 4 && str_equal_ignoring_case(str_slice(own, own.n - 4, own.n), STR("+jwt"));
    if (!typed || str_equal_ignoring_case(own, STR("at+jwt"))) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "wrong-type",
                     "the token's type says that it is for another purpose");
}

static enum status check_issuer(const struct issuer *issuer, const struct json *claims, struct error *err)
{
    const struct json *iss = json_get(claims, STR("iss"));
    if (issuer->any_issuer) return ST_OK;
    if (json_is(iss, JSON_STRING) && issuer->pinned_count && provider_has_pinned(issuer, json_string(iss)))
        return ST_OK;
    if (json_is(iss, JSON_STRING) && !issuer->pinned_count && str_equal(json_string(iss), issuer->issuer))
        return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "wrong-issuer",
                     "the token's iss is not, byte for byte, the issuer's");
}

/* aud as a list. False: it is neither a text nor a list of texts. */
static bool read_audience(const struct json *claims, struct arena *arena, struct claim_names *ret_names)
{
    const struct json *aud = json_get(claims, STR("aud"));
    *ret_names = (struct claim_names){ 0 };
    if (json_is(aud, JSON_STRING)) add_name(ret_names, json_string(aud), arena);
    if (!aud || json_is(aud, JSON_STRING)) return true;
    if (!json_is(aud, JSON_ARRAY)) return false;
    for (size_t i = 0; i < json_count(aud); i++) {
        if (!json_is(json_item(aud, i), JSON_STRING)) return false;
        add_name(ret_names, json_string(json_item(aud, i)), arena);
    }
    return true;
}

/* OpenID Connect Core, section 3.1.3.7: a login's token is for us alone, or was given to us. */
static bool is_for_client(const struct issuer *issuer, const struct json *claims,
                          const struct claim_names *audience)
{
    const struct json *azp = json_get(claims, STR("azp"));
    if (!issuer->client_id.n || !has_name(audience, issuer->client_id)) return false;
    if (azp) return json_is(azp, JSON_STRING) && str_equal(json_string(azp), issuer->client_id);
    return audience->count == 1;
}

static bool is_for_us(const struct issuer *issuer, const struct claim_names *audience)
{
    if (issuer->any_audience) return true;
    for (size_t i = 0; i < issuer->audience_count; i++)
        if (has_name(audience, issuer->audience[i])) return true;
    return false;
}

static enum status check_audience(const struct issuer *issuer, const struct json *claims, bool login,
                                  struct arena *arena, struct error *err)
{
    struct claim_names audience;
    bool good = read_audience(claims, arena, &audience) &&
                (login ? is_for_client(issuer, claims, &audience) : is_for_us(issuer, &audience));
    if (good) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "wrong-audience",
                     "the token's aud or azp says that it is for others");
}

static enum status check_nonce(const struct json *claims, str nonce, struct error *err)
{
    const struct json *said = json_get(claims, STR("nonce"));
    if (json_is(said, JSON_STRING) && str_equal(json_string(said), nonce)) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "wrong-nonce", "the token belongs to another login");
}

/* A time in whole seconds, as milliseconds; -1: there is none. */
static enum status read_time(const struct json *claims, const char *name, int64_t *ret_ms, struct error *err)
{
    const struct json *value = json_get(claims, str_of(name));
    int64_t seconds;
    *ret_ms = -1;
    if (!value) return ST_OK;
    if (!json_is(value, JSON_NUMBER) || !json_int64(value, &seconds) || seconds < 0 ||
        seconds > CLOCK_MS_MAX / 1000)
        return fail_code(err, ST_UNAUTHORIZED, "bad-claim", "the token's %s is no time in whole seconds",
                         name);
    *ret_ms = seconds * 1000;
    return ST_OK;
}

static enum status need_time(const struct json *claims, const char *name, int64_t *ret_ms, struct error *err)
{
    TRY(read_time(claims, name, ret_ms, err));
    if (*ret_ms >= 0) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "missing-claim", "the token has no %s", name);
}

/* A provider that another tenant had before signs no old token into this one. */
static enum status check_issued(const struct issuer *issuer, const struct json *claims, int64_t now_ms,
                                int64_t skew_ms, struct error *err)
{
    int64_t issued_ms;
    if (provider_is_one(issuer)) TRY(read_time(claims, "iat", &issued_ms, err));
    else TRY(need_time(claims, "iat", &issued_ms, err));
    if (issued_ms > now_ms + skew_ms)
        return fail_code(err, ST_UNAUTHORIZED, "clock",
                         "the token was made in the future: the clocks differ by too much");
    if (issued_ms >= 0 && issued_ms < issuer->since_ms - skew_ms)
        return fail_code(err, ST_UNAUTHORIZED, "too-old", "the token is older than its provider here");
    return ST_OK;
}

static enum status check_times(const struct issuer *issuer, const struct json *claims, int64_t now_ms,
                               int64_t *ret_expires_ms, struct error *err)
{
    int64_t expires_ms, begins_ms, skew_ms = issuer->skew_ms ? issuer->skew_ms : TOKEN_SKEW_MS;
    TRY(need_time(claims, "exp", &expires_ms, err));
    TRY(read_time(claims, "nbf", &begins_ms, err));
    if (now_ms >= expires_ms + skew_ms)
        return fail_code(err, ST_UNAUTHORIZED, "expired", "the token has expired");
    if (begins_ms > now_ms + skew_ms)
        return fail_code(err, ST_UNAUTHORIZED, "not-yet-valid", "the token is not valid yet");
    TRY(check_issued(issuer, claims, now_ms, skew_ms, err));
    *ret_expires_ms = expires_ms + skew_ms;
    return ST_OK;
}

/* ---- its bearer ---- */

/* The texts between blanks: the form that OAuth gives to scopes. */
static void add_words(struct claim_names *names, str text, struct arena *arena)
{
    for (size_t at = 0, begin = 0; at <= text.n; at++) {
        if (at < text.n && !ascii_is_space(text.p[at])) continue;
        if (at > begin) add_name(names, str_slice(text, begin, at), arena);
        begin = at + 1;
    }
}

/* The texts of one selected value. Other values name nothing. */
static void add_value(struct claim_names *names, const struct json *value, bool words, struct arena *arena)
{
    struct json_each each = json_each(value);
    if (json_is(value, JSON_STRING) && words) add_words(names, json_string(value), arena);
    else if (json_is(value, JSON_STRING)) add_name(names, json_string(value), arena);
    if (json_is(value, JSON_OBJECT))
        while (json_next(&each)) add_name(names, each.name, arena);
    if (json_is(value, JSON_ARRAY))
        while (json_next(&each))
            if (json_is(each.value, JSON_STRING)) add_name(names, json_string(each.value), arena);
}

/* All that a path selects in the claims. Without a path there is nothing. */
static enum status read_names(const struct jsonpath *path, const struct json *claims, bool words,
                              struct arena *arena, struct claim_names *ret_names, struct error *err)
{
    const struct json *const *node;
    size_t count;
    int64_t fuel = TOKEN_CLAIM_FUEL_MAX;
    *ret_names = (struct claim_names){ 0 };
    if (!path) return ST_OK;
    if (jsonpath_select(path, claims, &fuel, arena, &node, &count, NULL) != ST_OK)
        return fail_code(err, ST_UNAUTHORIZED, "bad-claim", "the token's claims are too large for the path");
    for (size_t i = 0; i < count; i++) add_value(ret_names, node[i], words, arena);
    return ST_OK;
}

role_set token_roles(const struct json *claim, struct arena *arena)
{
    struct claim_names words = { 0 };
    role_set roles = 0;
    if (claim) add_value(&words, claim, true, arena);
    for (size_t i = 0; i < words.count; i++) roles |= provider_role(words.name[i]);
    return roles;
}

/* A name that may stand in a list, a log and a header: short, and without control characters. */
static bool is_name(str text)
{
    if (!text.n || text.n > TOKEN_NAME_BYTES_MAX) return false;
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f) return false;
    return true;
}

/* The one name that a path of the issuer must lead to. */
static enum status need_name(const struct jsonpath *path, str claim, const struct json *claims,
                             struct arena *arena, str *ret_name, struct error *err)
{
    struct claim_names names;
    TRY(read_names(path, claims, false, arena, &names, err));
    if (!names.count)
        return fail_code(err, ST_UNAUTHORIZED, "missing-claim", "the token has no %.*s", STR_ARG(claim));
    if (names.count > 1 || !is_name(names.name[0]))
        return fail_code(err, ST_UNAUTHORIZED, "bad-claim", "the token's %.*s is not one short name",
                         STR_ARG(claim));
    *ret_name = names.name[0];
    return ST_OK;
}

/* Some providers let people write any address there, and say only here that nobody has checked it. */
static bool is_email_good(const struct json *claims)
{
    const struct json *verified = json_get(claims, STR("email_verified"));
    return !verified || json_flag(claims, STR("email_verified")) ||
           str_equal(json_text(claims, STR("email_verified")), STR("true"));
}

static str usual_user(const struct json *claims, str subject)
{
    str name = json_text(claims, STR("preferred_username")), email = json_text(claims, STR("email"));
    if (is_name(name)) return name;
    return is_name(email) && is_email_good(claims) ? email : subject;
}

static enum status read_identity(const struct issuer *issuer, const struct json *claims, struct arena *arena,
                                 struct token_bearer *bearer, struct error *err)
{
    const struct json *subject = json_get(claims, STR("sub"));
    if (!subject) return fail_code(err, ST_UNAUTHORIZED, "missing-claim", "the token has no sub");
    if (!json_is(subject, JSON_STRING) || !is_name(json_string(subject)))
        return fail_code(err, ST_UNAUTHORIZED, "bad-claim", "the token's sub is not a short name");
    bearer->subject = json_string(subject);
    bearer->user = usual_user(claims, bearer->subject);
    if (issuer->user_path_)
        TRY(need_name(issuer->user_path_, issuer->user_claim, claims, arena, &bearer->user, err));
    if (issuer->tenant_path_)
        TRY(need_name(issuer->tenant_path_, issuer->tenant_claim, claims, arena, &bearer->tenant, err));
    return ST_OK;
}

static role_set map_roles(const struct json *map, const struct claim_names *names)
{
    role_set roles = 0;
    struct json_each each = json_each(map);
    while (json_next(&each)) {
        enum role role;
        must(role_find(each.name, &role)); /* issuer_read() has looked. */
        for (size_t i = 0; i < json_count(each.value); i++)
            if (has_name(names, json_string(json_item(each.value, i)))) roles |= (role_set)1 << role;
    }
    return roles;
}

static enum status read_groups(const struct issuer *issuer, const struct json *claims, struct arena *arena,
                               struct token_bearer *bearer, struct error *err)
{
    struct claim_names groups, roles;
    TRY(read_names(issuer->groups_path_, claims, false, arena, &groups, err));
    TRY(read_names(issuer->roles_path_, claims, true, arena, &roles, err));
    bearer->group = groups.name;
    bearer->group_count = groups.count;
    if (issuer->roles) bearer->roles = map_roles(issuer->roles, issuer->roles_path_ ? &roles : &groups);
    if (!issuer->require_group.n || has_name(&groups, issuer->require_group)) return ST_OK;
    return fail_code(err, ST_UNAUTHORIZED, "missing-group",
                     "the token has not the group that the issuer requires");
}

/* Somebody whom the provider gives no role that we know may look, and answer tasks. Two providers may have
 * the same subjects, so the name has the provider's id. */
static void read_provided(const struct issuer *issuer, const struct json *claims, struct arena *arena,
                          struct token_bearer *bearer)
{
    str id = str_slice(issuer->name, sizeof PROVIDER_MARK - 1, issuer->name.n);
    bearer->user = arena_printf(arena, "oidc:%.*s:%.*s", STR_ARG(id), STR_ARG(bearer->subject));
    bearer->tenant = issuer->tenant;
    bearer->roles = 1u << ROLE_VIEWER | 1u << ROLE_PERSON;
    bearer->roles |= token_roles(json_get(claims, issuer->claim), arena);
}

bool token_names_audience(const struct issuer *issuer, const struct token_text *token, struct arena *arena)
{
    struct claim_names audience;
    return !issuer->any_audience && read_audience(token->claims, arena, &audience) &&
           is_for_us(issuer, &audience);
}

enum status token_claims(const struct issuer *issuer, const struct token_text *token, str nonce,
                         int64_t now_ms, struct arena *arena, struct token_bearer *ret_bearer,
                         struct error *err)
{
    struct token_bearer bearer = { 0 };
    const struct json *claims = token->claims;
    TRY(check_type(token->type, err));
    TRY(check_issuer(issuer, claims, err));
    TRY(check_audience(issuer, claims, nonce.n, arena, err));
    if (nonce.n) TRY(check_nonce(claims, nonce, err));
    TRY(check_times(issuer, claims, now_ms, &bearer.expires_ms, err));
    TRY(read_identity(issuer, claims, arena, &bearer, err));
    if (provider_is_one(issuer)) read_provided(issuer, claims, arena, &bearer);
    else TRY(read_groups(issuer, claims, arena, &bearer, err));
    *ret_bearer = bearer;
    return ST_OK;
}
