/* access/token/provider.c — a provider of cyoda's calls, read as an issuer, and cyoda's words for roles.
 *
 * A provider belongs to one tenant, and so does every bearer of its tokens, whatever the tokens say. Its
 * `issuers` are pinned; without them the issuer is the one that the provider's description names.
 */
#include "access/token/token.h"

#include "base/datetime.h"

role_set provider_role(str word)
{
    enum role role;
    if (str_equal(word, STR("ROLE_ADMIN"))) return 1u << ROLE_ADMIN;
    if (str_equal(word, STR("ROLE_M2M"))) return 1u << ROLE_WORKER | 1u << ROLE_SENDER | 1u << ROLE_BUILDER;
    if (str_equal(word, STR("ROLE_USER"))) return 1u << ROLE_VIEWER | 1u << ROLE_PERSON | 1u << ROLE_SENDER;
    return role_find(word, &role) ? (role_set)1 << role : 0;
}

static const str *read_texts(const struct json *list, struct arena *arena, size_t *ret_count)
{
    size_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    str *text = arena_make_n(arena, str, count);
    for (size_t i = 0; i < count; i++) text[i] = json_string(json_item(list, i));
    *ret_count = count;
    return text;
}

enum status provider_read(str id, const struct json *view, struct arena *arena, struct issuer *ret_issuer,
                          struct error *err)
{
    struct issuer issuer = { .name = arena_printf(arena, PROVIDER_MARK "%.*s", STR_ARG(id)),
                             .skew_ms = PROVIDER_SKEW_MS };
    view = json_copy(arena, view); /* The texts lie in it. */
    issuer.well_known = json_text(view, STR("wellKnownConfigUri"));
    issuer.tenant = json_text(view, STR("tenant"));
    issuer.claim = json_text(view, STR("rolesClaim"));
    if (!issuer.claim.n) issuer.claim = STR("roles");
    issuer.pinned = read_texts(json_get(view, STR("issuers")), arena, &issuer.pinned_count);
    issuer.audience = read_texts(json_get(view, STR("expectedAudiences")), arena, &issuer.audience_count);
    issuer.any_audience = !issuer.audience_count;
    if (!issuer.well_known.n || !issuer.tenant.n ||
        !datetime_parse(json_text(view, STR("created")), &issuer.since_ms))
        return fail(err, ST_INVALID, "", "the record of the provider is damaged");
    *ret_issuer = issuer;
    return ST_OK;
}

bool provider_is_one(const struct issuer *issuer) { return issuer->well_known.n > 0; }

bool provider_has_pinned(const struct issuer *issuer, str iss)
{
    for (size_t i = 0; i < issuer->pinned_count; i++)
        if (str_equal(issuer->pinned[i], iss)) return true;
    return false;
}
