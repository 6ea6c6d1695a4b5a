/* access/token/oidc_answer.c — the answer of a provider's token endpoint (RFC 6749, section 5). */
#include "access/token/oidc.h"

#include "base/ascii.h"
#include "json/json.h"

/* Words of OAuth are letters and underscores. Anything else might be a page, or a part of a token. */
static bool is_word(str text)
{
    if (!text.n || text.n > 64) return false;
    for (size_t i = 0; i < text.n; i++)
        if (!ascii_is_lower(text.p[i]) && text.p[i] != '_') return false;
    return true;
}

static enum status refuse(int http_status, const struct json *answer, struct error *err)
{
    str word = json_text(answer, STR("error"));
    if (http_status >= 400 && http_status < 500 && is_word(word))
        return fail_code(err, ST_UNAUTHORIZED, "provider-refused", "the provider refused the code: %.*s",
                         STR_ARG(word));
    return fail_code(err, ST_UNAUTHORIZED, "provider-away",
                     "the provider's token endpoint gave no answer of OAuth (HTTP status %d)", http_status);
}

enum status oidc_answer_read(int http_status, str body, struct arena *arena, struct oidc_answer *ret_answer,
                             struct error *err)
{
    static const struct json_limits limits = { .bytes_max = OIDC_DOCUMENT_BYTES_MAX,
                                               .depth_max = OIDC_DOCUMENT_DEPTH_MAX };
    const struct json *answer = NULL;
    bool read = json_parse(body, &limits, arena, &answer, NULL) == ST_OK && json_is(answer, JSON_OBJECT);
    if (!read || http_status != 200) return refuse(http_status, read ? answer : NULL, err);
    if (!str_equal_ignoring_case(json_text(answer, STR("token_type")), STR("Bearer")))
        return fail_code(err, ST_UNAUTHORIZED, "provider-refused", "the provider's token_type is not Bearer");
    str id_token = json_text(answer, STR("id_token"));
    if (!id_token.n)
        return fail_code(err, ST_UNAUTHORIZED, "provider-refused", "the provider's answer has no id_token");
    *ret_answer =
        (struct oidc_answer){ .id_token = id_token, .access_token = json_text(answer, STR("access_token")) };
    return ST_OK;
}
